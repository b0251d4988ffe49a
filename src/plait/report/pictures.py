"""The figures of a report, by section. All are made by `plait.plots`; a figure without anything to draw is left out."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np

from plait import plots
from plait.errors import PlaitError
from plait.plots.figure import Figure, Panels, Points
from plait.plots.over_time import topic_changes
from plait.plots.reading import remember
from plait.plots.tree import topic_groups
from plait.report.summary.documents import corpus_rows
from plait.report.summary.periods import period_unit

Drawn = Figure | Panels

_WORD_FIGURES = 6  # topics with a figure of their words over time
_MAP_DOCUMENTS = 800  # more make pages large
_FEW_HELD_OUT = 20  # documents, below which predictions are not measured
_MOST_HELD_OUT = 2000
_MOST_COHERENCE = 5_000  # documents


@dataclass(frozen=True)
class Pictures:
    """Figures of one model.

    Attributes
    ----------
    map : Figure
        Map of the topics.
    words : Figure
        Words of the largest topic.
    groups : tuple of int
        Group of each topic, whose colour is that of the map.
    topics, labels, links, influence, stream, head : tuple of Figure or Panels
        Figures of each section; of a section that the model does not have, none.
    words_over_time : tuple of Figure
        Words within some topics over time.
    n_held_out : int
        Number of documents of the corpus that the model was not fitted to.
    """

    map: Figure
    words: Figure
    groups: tuple[int, ...]
    topics: tuple[Drawn, ...]
    labels: tuple[Drawn, ...]
    links: tuple[Drawn, ...]
    influence: tuple[Drawn, ...]
    stream: tuple[Drawn, ...]
    words_over_time: tuple[Drawn, ...]
    head: tuple[Drawn, ...]
    n_held_out: int

    def document_rows(self) -> Iterator[int]:
        """Yield the rows of the documents in networks, which readers may want to open."""
        for figure in (*self.influence, *self.links):
            if not isinstance(figure, Figure):
                continue
            for mark in figure.marks:
                if isinstance(mark, Points):
                    yield from (int(key[8:]) for key in mark.keys if key.startswith("document"))


def draw_pictures(model: Any, corpus: Any = None) -> Pictures:
    """Return the figures of a fitted model.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.
    corpus : Corpus, optional
        The corpus of the fit. Its other documents are held-out ones: predicted labels and links are measured on them.

    Returns
    -------
    Pictures
        The figures.
    """
    held_out, links = _held_out(model, corpus)
    largest = int(np.argmax(model.topic_share_))
    n_topics = len(model.topic_share_)
    return Pictures(
        remember(model, "map", lambda: plots.topic_map(model)),
        plots.topic_words(model, largest),
        tuple(topic_groups(model)),
        tuple(
            _drawn(
                lambda: plots.document_map(model, top=_MAP_DOCUMENTS),
                (lambda: plots.topic_tree(model)) if n_topics > 1 else None,
                (lambda: plots.topic_similarities(model)) if n_topics > 2 else None,
                None if corpus is None else lambda: plots.topic_coherence(model, _some(corpus, _MOST_COHERENCE)),
            )
        ),
        tuple(_drawn(*_label_figures(model, held_out))),
        tuple(_drawn(*_link_figures(model, corpus, held_out, links))),
        tuple(_drawn(*_influence_figures(model))),
        tuple(_drawn(*_stream_figures(model))),
        tuple(_drawn(*_word_figures(model))),
        tuple(_drawn(*_fit_figures(model))),
        0 if held_out is None else len(held_out),
    )


def _drawn(*makers: Callable[[], Drawn] | None) -> Iterator[Drawn]:
    """Yield the figures that can be made: some models have nothing to draw, such as no links between documents."""
    for make in makers:
        if make is not None:
            try:
                yield make()
            except PlaitError:
                continue


def _label_figures(model: Any, held_out: Any) -> Iterator[Callable[[], Drawn]]:
    if not hasattr(model, "predict_labels"):
        return
    yield lambda: plots.label_weights(model)
    if held_out is not None and held_out.labels is not None:
        yield (
            (lambda: plots.label_scores(model, held_out))
            if model.multilabel_
            else (lambda: plots.label_confusion(model, held_out))
        )
        if hasattr(model, "predict_proba"):
            yield lambda: plots.label_calibration(model, held_out)


def _link_figures(model: Any, corpus: Any, held_out: Any, links: Any) -> Iterator[Callable[[], Drawn]]:
    if hasattr(model, "topic_links"):
        yield lambda: plots.link_weights(model)
        yield lambda: plots.topic_network(model)
        if not hasattr(model, "influence_"):
            yield lambda: plots.document_network(model)
        if held_out is not None and links is not None:
            yield lambda: plots.link_precision(model, held_out, links)


def _influence_figures(model: Any) -> Iterator[Callable[[], Drawn]]:
    if hasattr(model, "most_influential"):
        yield lambda: plots.document_network(model)
        if not hasattr(model, "topic_links"):
            yield lambda: plots.topic_network(model)


def _stream_figures(model: Any) -> Iterator[Callable[[], Drawn]]:
    if len(getattr(model, "slices_", None) or ()) > 1 and _is_tracked(model):
        yield lambda: plots.topic_streams(model)
        if topic_changes(model):
            yield lambda: plots.change_calendar(model)
    unit = period_unit(model)
    if unit is not None:
        yield lambda: _period_figure(model, unit)


def _period_figure(model: Any, unit: str) -> Figure:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the section says how many documents have no date
        return plots.topic_streams(model, unit)


def _word_figures(model: Any) -> Iterator[Callable[[], Drawn]]:
    """Yield figures of the words of the topics that change most."""
    if len(getattr(model, "slices_", None) or ()) < 3 or not _is_tracked(model):
        return
    shares = np.nan_to_num(np.array([one.topic_share for one in model.slices_]))
    interest = shares.max(axis=0) - np.median(shares, axis=0)
    for topic in np.argsort(-interest, kind="stable")[:_WORD_FIGURES].tolist():
        yield partial(plots.words_over_time, model, topic)


def _is_tracked(model: Any) -> bool:
    """Return whether topics are tracked over time: with a window of 0, equal numbers mean nothing."""
    try:
        model.fading()
    except PlaitError:
        return False
    return True


def _fit_figures(model: Any) -> Iterator[Callable[[], Drawn]]:
    yield lambda: plots.perplexity_curve(model)
    choice = getattr(model, "topic_choice_", None)
    if choice:
        rows = [SimpleNamespace(**row) for row in choice["rows"]]
        yield lambda: plots.topic_choice(
            SimpleNamespace(rows=rows, recommended=choice["recommended"], best=choice["best"])
        )


def _held_out(model: Any, corpus: Any) -> tuple[Any, Any]:
    """Return the documents of a corpus that the model was not fitted to, and their links to those that it was."""
    if corpus is None:
        return None, None
    row_of = corpus_rows(model, corpus)
    others = np.array([row for row in range(len(corpus)) if row not in row_of], dtype=np.int64)
    if len(others) < _FEW_HELD_OUT:
        return None, None
    if len(others) > _MOST_HELD_OUT:
        others = others[np.linspace(0, len(others) - 1, _MOST_HELD_OUT).round().astype(int)]
    links = None
    if corpus.links is not None and hasattr(model, "score_links") and len(row_of) == len(model.doc_topic_):
        places = np.array(sorted(row_of, key=lambda place: row_of[place]))
        links = corpus.links[others][:, places]
        links = links if links.nnz else None
    return corpus.select(others), links


def _some(corpus: Any, most: int) -> Any:
    if len(corpus) <= most:
        return corpus
    return corpus.select(np.linspace(0, len(corpus) - 1, most).round().astype(int))
