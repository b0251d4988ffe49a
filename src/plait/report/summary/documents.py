"""Document pages of a report: title, excerpt, topics, nearest documents, and links in and out with influence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from plait.errors import PlaitError
from plait.plots.documents import coloured_text, text_colours
from plait.plots.figure import MUTED
from plait.report.summary.topics import TopicName, WeightedTopic

_MAX_PAGES = 500
_TOPICS = 5
_LEAST_SHARE = 0.02
_NEAREST = 5
_LINKS = 8  # in each direction


@dataclass(frozen=True)
class Piece:
    """A piece of an excerpt.

    Attributes
    ----------
    text : str
        The text.
    topic : int or None
        Topic that explains the word best; None for unknown words, spaces and punctuation.
    colour : int
        Colour of the topic, −1 for grey.
    """

    text: str
    topic: int | None
    colour: int


@dataclass(frozen=True)
class OtherDocument:
    """A document that another one names.

    Attributes
    ----------
    row : int or None
        Row of the document in the model; None if the model was not fitted to it.
    id : str
        Its id.
    title : str
        Its title; "" if it is not known.
    share : float or None
        Similarity of a near document, or the share of tokens that is borrowed along a link; None if it is not known.
    """

    row: int | None
    id: str
    title: str
    share: float | None


@dataclass(frozen=True)
class DocumentPage:
    """One document.

    Attributes
    ----------
    row : int
        Row of the document in the model.
    id : str
        Its id.
    title : str
        Its title; "" if it is not known.
    time : str
        Its day; "" if it is not known.
    labels : tuple of str
        Its labels.
    excerpt : tuple of Piece
        Start of its text, coloured by topic.
    topics : tuple of WeightedTopic
        Its main topics, the largest first.
    colours : tuple of int
        Colours of these topics.
    nearest : tuple of OtherDocument
        Documents with the most similar topics.
    links_out, links_in : tuple of OtherDocument
        Documents that it links to, and that link to it; those with the largest influence first.
    n_links_out, n_links_in : int
        Number of all of them.
    """

    row: int
    id: str
    title: str
    time: str
    labels: tuple[str, ...]
    excerpt: tuple[Piece, ...]
    topics: tuple[WeightedTopic, ...]
    colours: tuple[int, ...]
    nearest: tuple[OtherDocument, ...]
    links_out: tuple[OtherDocument, ...]
    links_in: tuple[OtherDocument, ...]
    n_links_out: int
    n_links_in: int


@dataclass(frozen=True)
class Documents:
    """Pages of documents.

    Attributes
    ----------
    pages : tuple of DocumentPage
        The pages.
    n_left_out : int
        Number of documents without a page.
    with_links : bool
        Whether links are known.
    with_influence : bool
        Whether the influence along links is known.
    """

    pages: tuple[DocumentPage, ...]
    n_left_out: int
    with_links: bool
    with_influence: bool


def summarise_documents(
    model: Any, corpus: Any, names: Mapping[int, TopicName], wanted: Iterable[int]
) -> Documents | None:
    """Return pages of the training documents that are in a corpus.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.
    corpus : Corpus or None
        The corpus, which has the links; None for no pages.
    names : mapping of int to TopicName
        Names of the topics.
    wanted : iterable of int
        Rows of documents that come first, because other sections name them.

    Returns
    -------
    Documents or None
        Plain data; None without a corpus.
    """
    if corpus is None:
        return None
    known = model.documents_
    row_of = corpus_rows(model, corpus)  # row of the corpus → row of the model
    place_of = {row: place for place, row in row_of.items()}
    rows = [row for row in dict.fromkeys(wanted) if row in place_of][:_MAX_PAGES]
    if len(rows) < min(_MAX_PAGES, len(place_of)):
        others = sorted(place_of)
        even = np.linspace(0, len(others) - 1, min(len(others), _MAX_PAGES)).round().astype(int)
        rows = list(dict.fromkeys([*rows, *(others[at] for at in even)]))[:_MAX_PAGES]
    nearest = _nearest(np.asarray(model.doc_topic_), rows)
    out = getattr(corpus, "links", None)
    into = None if out is None else out.T.tocsr()
    influence = getattr(model, "influence_", None)

    def named(row: int, share: float | None) -> OtherDocument:
        return OtherDocument(row, known.id(row), known.title(row) or _excerpt_name(known, row), share)

    def linked(matrix: Any, row: int, outward: bool) -> tuple[tuple[OtherDocument, ...], int]:
        if matrix is None:
            return (), 0
        place = place_of[row]
        ends = matrix.indices[matrix.indptr[place] : matrix.indptr[place + 1]]
        found = []
        for end in ends.tolist():
            other = row_of.get(end)
            if other is None:
                title = "" if corpus.titles is None else str(corpus.titles[end])
                found.append(OtherDocument(None, str(corpus.ids[end]), title, None))
            else:
                pair = (row, other) if outward else (other, row)
                found.append(named(other, None if influence is None else float(influence[pair])))
        found.sort(key=lambda one: -(one.share or 0.0))
        return tuple(found[:_LINKS]), len(found)

    pages = []
    for row, near in zip(rows, nearest, strict=True):
        (links_out, n_out), (links_in, n_in) = linked(out, row, True), linked(into, row, False)
        shares = np.asarray(model.doc_topic_)[row]
        order = [int(at) for at in np.argsort(-shares, kind="stable")[:_TOPICS] if shares[at] >= _LEAST_SHARE]
        colours = text_colours(shares)
        time = known.time(row)
        pages.append(
            DocumentPage(
                row,
                known.id(row),
                known.title(row),
                "" if time is None else str(time)[:10],
                () if known.labels is None else tuple(known.labels[row]),
                _pieces(model, known.excerpt(row), shares),
                tuple(WeightedTopic(names[topic], float(shares[topic])) for topic in order),
                tuple(colours.get(topic, MUTED) for topic in order),
                tuple(named(other, similarity) for other, similarity in near),
                links_out,
                links_in,
                n_out,
                n_in,
            )
        )
    return Documents(tuple(pages), len(place_of) - len(pages), out is not None, influence is not None)


def corpus_rows(model: Any, corpus: Any) -> dict[int, int]:
    """Return the rows of a model's training documents by their rows in a corpus.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.
    corpus : Corpus
        The corpus; documents that the model was not fitted to are left out.

    Returns
    -------
    dict of int to int
        Row of the model by row of the corpus.
    """
    if not hasattr(corpus, "counts") or not hasattr(corpus, "ids"):
        raise PlaitError(f"corpus must be a Corpus, such as read_corpus returns, not {type(corpus).__name__}")
    if model.documents_.ids is None:
        found = {row: row for row in range(len(corpus))} if len(corpus) == len(model.doc_topic_) else {}
    else:
        row_of = {str(name): row for row, name in enumerate(model.documents_.ids)}
        places = ((place, row_of.get(str(name))) for place, name in enumerate(corpus.ids))
        found = {place: row for place, row in places if row is not None}
    if not found:
        raise PlaitError(
            "the corpus has no document that the model was fitted to; give the corpus of the fit, with the same ids"
        )
    return found


def _nearest(doc_topic: np.ndarray, rows: list[int]) -> list[list[tuple[int, float]]]:
    """Return the documents with the most similar topics: 1 − the Hellinger distance, as in `similar_documents`."""
    roots = np.sqrt(doc_topic)
    found = []
    for start in range(0, len(rows), 64):
        block = rows[start : start + 64]
        similarity = 1.0 - np.sqrt(np.clip(1.0 - roots[block] @ roots.T, 0.0, None))
        similarity[np.arange(len(block)), block] = -1.0
        best = np.argpartition(-similarity, min(_NEAREST, similarity.shape[1] - 1), axis=1)[:, :_NEAREST]
        for number, places in enumerate(best):
            order = sorted(places.tolist(), key=lambda at: (-similarity[number, at], at))
            found.append([(at, float(similarity[number, at])) for at in order if similarity[number, at] >= 0])
    return found


def _excerpt_name(known: Any, row: int) -> str:
    """Return the start of a text in place of a title; "" if only the id is known."""
    name: str = known.name(row)
    return "" if name == known.id(row) else name


def _pieces(model: Any, excerpt: str, shares: np.ndarray) -> tuple[Piece, ...]:
    """Return an excerpt with the topics of its words, as far as the words of the model are known."""
    if not excerpt or model.vocabulary_ is None or model.text_options_ is None:
        return (Piece(excerpt, None, MUTED),) if excerpt else ()
    found = coloured_text(model, excerpt, shares)
    joined: list[Piece] = []
    for text, topic in found.pieces:
        if topic is None and joined and joined[-1].topic is None:
            joined[-1] = Piece(joined[-1].text + text, None, MUTED)
        else:
            joined.append(Piece(text, topic, MUTED if topic is None else found.colours.get(topic, MUTED)))
    return tuple(joined)
