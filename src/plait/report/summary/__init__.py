"""Summary of a model as plain data, without HTML.

One file per subject: `head.py`, `topics.py`, `labels.py`, `values.py`, `links.py`, `influence.py`, `stream.py`,
`periods.py`, `documents.py`. The summary of a subject is None if the model has none. The package is below the models
and does not import them: it checks with `hasattr` what a model can do, and reads public methods and attributes only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from plait._utils.validation import check_whole
from plait.errors import PlaitError
from plait.plots.reading import typical_rows
from plait.report.summary.documents import Documents, summarise_documents
from plait.report.summary.head import Head, summarise_head
from plait.report.summary.influence import Influence, summarise_influence
from plait.report.summary.labels import Labels, summarise_labels
from plait.report.summary.links import Links, summarise_links
from plait.report.summary.periods import Periods, summarise_periods
from plait.report.summary.stream import Stream, summarise_stream
from plait.report.summary.topics import Topics, name_topics, summarise_topics
from plait.report.summary.values import Values, summarise_values

__all__ = ["Summary", "check_reportable", "summarise"]


@dataclass(frozen=True)
class Summary:
    """Summary of a model; `dataclasses.asdict` converts it for JSON.

    Attributes
    ----------
    head : Head
        Model, parameters and course of the fit.
    topics : Topics
        Topics with words and typical documents.
    labels : Labels or None
        Topics by label.
    values : Values or None
        Topics by predicted number.
    links : Links or None
        Link weights between topics, and suggested links.
    influence : Influence or None
        Influence between documents.
    stream : Stream or None
        Topics over the time slices of a stream.
    periods : Periods or None
        Topics over calendar time, of a model without time slices of its own.
    documents : Documents or None
        Pages of documents.

    Examples
    --------
    >>> from plait import LDA
    >>> model = LDA(2, n_sweeps=5, random_state=0, verbose=False).fit(["river stream", "bank loan"] * 5)
    >>> summary = summarise(model)
    >>> len(summary.topics.topics), summary.links
    (2, None)
    """

    head: Head
    topics: Topics
    labels: Labels | None
    values: Values | None
    links: Links | None
    influence: Influence | None
    stream: Stream | None
    periods: Periods | None
    documents: Documents | None = None


def summarise(
    model: Any, *, words: int = 10, documents: int = 5, corpus: Any = None, document_rows: Iterable[int] = ()
) -> Summary:
    """Return the summary of a fitted model.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.
    words : int, default 10
        Number of words per topic.
    documents : int, default 5
        Number of typical documents per topic.
    corpus : Corpus, optional
        The corpus of the fit, for pages of documents with their links.
    document_rows : iterable of int, default ()
        Rows of documents that must have a page, if there is room.

    Returns
    -------
    Summary
        Plain data.

    Examples
    --------
    >>> from plait import LDA, Corpus
    >>> corpus = Corpus.from_texts(["river stream bank", "money loan bank"] * 5)
    >>> summary = summarise(LDA(n_topics=2, random_state=0, verbose=False).fit(corpus))
    >>> summary.head.model, summary.head.n_documents, len(summary.topics.topics), summary.labels
    ('LDA', 10, 2, None)
    """
    check_whole("words", words, least=1)
    check_whole("documents", documents, least=1)
    check_reportable(model)
    topics = summarise_topics(model, words, documents)
    names = name_topics(model)
    return Summary(
        summarise_head(model),
        topics,
        summarise_labels(model, names),
        summarise_values(model, names),
        summarise_links(model, names),
        summarise_influence(model),
        summarise_stream(model, names),
        summarise_periods(model, names),
        summarise_documents(model, corpus, names, [*_typical_rows(model, documents), *document_rows]),
    )


def check_reportable(model: Any) -> None:
    """Raise an error unless something is a model of plait.

    Parameters
    ----------
    model : object
        What was given as a model.
    """
    if not hasattr(model, "typical_documents"):
        raise PlaitError(f"a report needs a fitted model of plait, such as LDA, not a {type(model).__name__}")


def _typical_rows(model: Any, documents: int) -> Iterator[int]:
    """Yield the rows of typical documents: the first of each topic, then the second of each, and so on."""
    yield from (int(row) for row in typical_rows(model, documents).ravel())
