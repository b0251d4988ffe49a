"""Figures of documents: the map, the topics of one document, and its text with words coloured by topic."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from plait._utils.text import cut
from plait._utils.validation import check_whole
from plait.errors import PlaitError
from plait.plots.colours import class_of
from plait.plots.figure import MUTED, Axis, Bars, Figure, Points
from plait.plots.reading import check_model, document_name, group_legend, remember, top_words, topic_names
from plait.plots.svg_text import escape
from plait.plots.topics import topic_map
from plait.plots.tree import topic_groups

_MOST_DOCUMENTS = 1500
_SHARP = 2.0  # power of the proportions, so that documents lie near their main topics
_APART = 1.15  # of the distance at which points in a disc touch
_LARGEST_DISC = 60.0  # pixels of the map
_LONGEST_TEXT = 20_000  # characters
_COLOURS = 8  # topics of a document with a colour of their own


def document_map(model: Any, *, top: int = _MOST_DOCUMENTS) -> Figure:
    """Return a map of the training documents: a document lies between its topics, on the map of the topics.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.
    top : int, default 1500
        Number of documents, taken at even distances of their order.

    Returns
    -------
    Figure
        Points with the keys "document0", "document1" … (rows of `doc_topic_`), coloured by the group of the main topic.

    Examples
    --------
    >>> from plait import LDA
    >>> model = LDA(2, n_sweeps=5, random_state=0, verbose=False).fit(["river stream bank", "money loan bank"] * 5)
    >>> figure = document_map(model, top=4)
    >>> figure.title, figure.marks[0].keys
    ('Map of 4 of 10 documents', ('document0', 'document3', 'document6', 'document9'))
    """
    check_model(model, what="a map of documents")
    check_whole("top", top, least=1)
    shares = np.asarray(model.doc_topic_, dtype=np.float64)
    n_documents = len(shares)
    rows = np.unique(np.linspace(0, n_documents - 1, min(top, n_documents)).round().astype(int))
    ground = remember(model, "map", lambda: topic_map(model)).marks[0]
    assert isinstance(ground, Points)
    places = np.zeros((shares.shape[1], 2))
    for key, x, y in zip(ground.keys, ground.x, ground.y, strict=True):
        places[int(key.removeprefix("topic"))] = x, y
    weights = shares[rows] ** _SHARP
    positions = (weights / weights.sum(axis=1, keepdims=True)) @ places
    group_of, names = topic_groups(model), topic_names(model)
    main, largest = shares[rows].argmax(axis=1), shares[rows].max(axis=1)
    radius = 5.0 if len(rows) < 300 else 3.5 if len(rows) < 1000 else 2.8
    positions += largest[:, np.newaxis] * _spread_by_topic(main, largest, radius)
    hovers = tuple(
        f"{document_name(model, int(row))}\n{shares[row, topic]:.0%} topic {topic}: {names[topic]}"
        for row, topic in zip(rows, main, strict=True)
    )
    points = Points(
        tuple(float(x) for x in positions[:, 0]),
        tuple(float(y) for y in positions[:, 1]),
        (radius,) * len(rows),
        tuple(group_of[topic] for topic in main),
        hovers,
        keys=tuple(f"document{row}" for row in rows),
    )
    some = f"{len(rows):,} of {n_documents:,} documents" if len(rows) < n_documents else f"{n_documents:,} documents"
    return Figure(
        f"Map of {some}",
        Axis("positions of the topic map", ticks=()),
        Axis("", ticks=()),
        (points,),
        note="A document lies between its topics, close to the main one. The colour is the group of its main topic. "
        "Documents with the same topics would hide each other, so those of a main topic are spread over a disc, "
        "the largest share in the middle.",
        legend=group_legend(group_of, model),
        aspect=0.62,
        square=True,
    )


def _spread_by_topic(main: np.ndarray, shares: np.ndarray, radius: float) -> np.ndarray:
    """Return an offset for each document, so that documents with the same main topic fill a disc like a sunflower.

    The largest share is in the middle. Discs of many documents are limited, so that they do not cover other topics.
    """
    offsets = np.zeros((len(main), 2))
    for topic in np.unique(main):
        inside = np.flatnonzero(main == topic)
        number = np.arange(inside.size)
        reach = min(_LARGEST_DISC, _APART * radius * np.sqrt(inside.size))
        distance = reach * np.sqrt((number + 0.5) / inside.size)
        angle = number * np.pi * (3 - np.sqrt(5))
        places = np.stack([distance * np.cos(angle), distance * np.sin(angle)], axis=1)
        offsets[inside[np.argsort(-shares[inside], kind="stable")]] = places
    return offsets


def document_topics(model: Any, document: Any, *, top: int = 10) -> Figure:
    """Return the topic proportions of one document.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.
    document : str, int or Corpus
        Id or row number of a training document; or a new document: a text, or a Corpus of one document.
    top : int, default 10
        Number of topics.

    Returns
    -------
    Figure
        Bars, with the colours of `coloured_text`.

    Examples
    --------
    >>> from plait import LDA
    >>> model = LDA(2, n_sweeps=5, random_state=0, verbose=False).fit(["river stream bank", "money loan bank"] * 5)
    >>> bars = document_topics(model, "the loan of a bank").marks[0]
    >>> bars.keys, bars.values[0] > 0.5
    (('topic1', 'topic0'), True)
    """
    check_model(model, what="a figure of a document")
    check_whole("top", top, least=1)
    shares, title = document_shares(model, document)
    order = np.argsort(-shares, kind="stable")[:top].tolist()
    names = topic_names(model)
    words = [" ".join(topic.words) for topic in top_words(model)]
    rows = tuple(float(row) for row in range(len(order)))
    colours = text_colours(shares)
    return Figure(
        f"Topics of {cut(title, 80)}",
        Axis("share of the document", low=0.0, percent=True),
        Axis(
            "topic",
            low=len(rows) - 0.5,
            high=-0.5,
            ticks=tuple((row, f"{topic} {names[topic]}") for row, topic in zip(rows, order, strict=True)),
            grid=False,
        ),
        (
            Bars(
                rows,
                tuple(float(shares[topic]) for topic in order),
                tuple(colours.get(topic, MUTED) for topic in order),
                tuple(f"topic {topic}: {shares[topic]:.1%}\n{words[topic]}" for topic in order),
                keys=tuple(f"topic{topic}" for topic in order),
            ),
        ),
        row_height=22,
    )


def document_shares(model: Any, document: Any) -> tuple[np.ndarray, str]:
    """Return the topic proportions of a document and what to call it; see `document_topics`."""
    if isinstance(document, (int, np.integer)) and not isinstance(document, bool):
        if not 0 <= document < len(model.doc_topic_):
            raise PlaitError(f"there is no document {document}; the model has rows 0 to {len(model.doc_topic_) - 1}")
        return np.asarray(model.doc_topic_)[document], document_name(model, int(document))
    if isinstance(document, str) and model.doc_ids_ is not None:
        rows = np.flatnonzero(np.asarray(model.doc_ids_) == document)
        if rows.size:
            return np.asarray(model.doc_topic_)[rows[0]], document_name(model, int(rows[0]))
    given = [document] if isinstance(document, str) else document
    shares = np.asarray(model.transform(given), dtype=np.float64)
    if len(shares) != 1:
        raise PlaitError(f"give one document, not {len(shares):,}")
    return shares[0], document if isinstance(document, str) else "a new document"


def text_colours(shares: np.ndarray) -> dict[int, int]:
    """Return the colours of the main topics of a document, by number of the topic.

    Parameters
    ----------
    shares : ndarray of shape (topics,)
        Topic proportions.

    Returns
    -------
    dict of int to int
        Colours of at most eight topics, those with the largest proportions.
    """
    order = np.argsort(-shares, kind="stable")[:_COLOURS]
    return {int(topic): colour for colour, topic in enumerate(order)}


@dataclass(frozen=True)
class ColouredText:
    """A text whose words are coloured by topic.

    Attributes
    ----------
    pieces : tuple of (str, int or None)
        The text in order; each piece has the topic that explains it best, or None: unknown words, spaces, punctuation.
    colours : dict of int to int
        Colours of topics.
    names : dict of int to str
        Names of the topics of the pieces.

    Examples
    --------
    >>> text = ColouredText((("<A> ", None), ("river", 3)), {3: 0}, {3: "river stream"})
    >>> text.to_html()[:36], text.to_html().count("topic 3: river stream")
    ('<p class="coloured-text">&lt;A&gt; <', 1)
    """

    pieces: tuple[tuple[str, int | None], ...]
    colours: dict[int, int]
    names: dict[int, str]

    def to_html(self) -> str:
        """Return the text as HTML for a page that has `figure_style()`; all texts are escaped.

        Returns
        -------
        str
            A paragraph with one `mark` per known word.
        """
        parts = []
        for text, topic in self.pieces:
            if topic is None:
                parts.append(escape(text))
            else:
                colour = self.colours.get(topic, MUTED)
                kind = class_of(colour)
                name = escape(f"topic {topic}: {self.names[topic]}")
                parts.append(f'<mark class="{kind}" title="{name}" data-key="topic{topic}">{escape(text)}</mark>')
        return f'<p class="coloured-text">{"".join(parts)}</p>'

    def _repr_html_(self) -> str:
        from plait.plots.svg import figure_style

        return f"<style>{figure_style(scope='.coloured-text')}</style>{self.to_html()}"


def coloured_text(model: Any, text: str, shares: np.ndarray | None = None) -> ColouredText:
    """Return a text with the topic of each word: the one with the largest θ_dk φ_kw.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model that was fitted to texts.
    text : str
        The text; at most 20,000 characters are coloured.
    shares : ndarray of shape (topics,), optional
        Its topic proportions θ_d; None to infer them.

    Returns
    -------
    ColouredText
        It shows itself in a notebook.

    Examples
    --------
    >>> from plait import LDA
    >>> model = LDA(2, n_sweeps=5, random_state=0, verbose=False).fit(["river stream bank", "money loan bank"] * 5)
    >>> [piece for piece in coloured_text(model, "A river, a loan.").pieces if piece[1] is not None]
    [('river', 0), ('loan', 1)]
    """
    check_model(model, what="a coloured text")
    options = model.text_options_
    if model.vocabulary_ is None:
        raise PlaitError("the model has no vocabulary, so words of a text cannot be looked up; fit it to texts")
    if shares is None:
        shares = np.asarray(model.transform([text]), dtype=np.float64)[0]
    column_of = {str(word): at for at, word in enumerate(model.vocabulary_)}
    topics: dict[str, int | None] = {}
    pieces: list[tuple[str, int | None]] = []
    for piece in re.findall(r"\w+(?:['’\-]\w+)*|[^\w]+|.", text[:_LONGEST_TEXT], flags=re.DOTALL):
        if piece not in topics:
            topics[piece] = None
            if piece[0].isalnum():
                words = options.words(piece) if options is not None else [piece, piece.lower()]
                column = next((column_of[word] for word in words if word in column_of), None)
                if column is not None:
                    topics[piece] = int((shares * model.topic_word_[:, column]).argmax())
        pieces.append((piece, topics[piece]))
    if len(text) > _LONGEST_TEXT:
        pieces.append(("…", None))
    names = topic_names(model)
    used = {topic: names[topic] for _, topic in pieces if topic is not None}
    return ColouredText(tuple(pieces), text_colours(shares), used)
