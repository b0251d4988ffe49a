"""Sizes of a corpus as plain data, for the command line and for reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from plait._utils.tables import html_table
from plait._utils.wording import join_names
from plait.corpus.problems import Skipped
from plait.corpus.values import shorten

if TYPE_CHECKING:
    from plait.corpus.container.corpus import Corpus

_LABELS_SHOWN = 10
_DOCUMENTS_SHOWN = 5


@dataclass(frozen=True)
class CorpusSummary:
    """Sizes of a corpus; None for what the corpus does not have.

    Attributes
    ----------
    documents, words, entries : int
        Number of documents, of words in the vocabulary, and of nonzero counts.
    tokens : int or float
        Number of tokens.
    empty_documents : int
        Number of documents without tokens.
    mean_length, median_length, max_length : float
        Tokens per document.
    links : int or None
        Number of links.
    linked_share : float or None
        Share of the documents that are a source or a target of a link.
    labels : dict of str to int or None
        Number of documents per label, the most frequent label first.
    unlabelled : int
        Number of documents without a label, if the corpus has labels.
    multilabel : bool
        Whether some document has several labels.
    first_time, last_time : datetime64 or None
        First and last time.
    undated : int
        Number of documents without a time, if the corpus has times.
    splits : dict of str to int or None
        Number of documents per split; ``""`` stands for no split.
    metadata : dict of str to int or None
        Number of different values of each field of metadata; ``""`` is none.
    titles, excerpts : int
        Number of documents with a title, and with an excerpt.
    skipped : Skipped
        What was skipped while the corpus was read.
    """

    documents: int
    words: int
    tokens: int | float
    entries: int
    empty_documents: int
    mean_length: float
    median_length: float
    max_length: float
    links: int | None
    linked_share: float | None
    labels: dict[str, int] | None
    unlabelled: int
    multilabel: bool
    first_time: np.datetime64 | None
    last_time: np.datetime64 | None
    undated: int
    splits: dict[str, int] | None
    metadata: dict[str, int] | None
    titles: int
    excerpts: int
    skipped: Skipped

    def rows(self) -> list[tuple[str, str]]:
        """Return a name and a value per line to print.

        Returns
        -------
        list of (str, str)
            The lines.
        """
        rows = [
            ("documents", f"{self.documents:,}" + _in_brackets(self.empty_documents, "without words")),
            ("words", f"{self.words:,}"),
            ("tokens", f"{self.tokens:,}"),
            (
                "tokens per document",
                f"mean {self.mean_length:,.1f}, median {self.median_length:,g}, maximum {self.max_length:,g}",
            ),
        ]
        if self.links is not None and self.linked_share is not None:
            rows.append(("links", f"{self.links:,} ({self.linked_share:.0%} of the documents have one)"))
        if self.labels is not None:
            rows.append(("labels", self._label_line(self.labels)))
        if self.first_time is not None:
            span = f"{_day(self.first_time)} to {_day(self.last_time)}"
            rows.append(("time", span + _in_brackets(self.undated, "undated")))
        if self.splits is not None:
            sizes = (f"{shorten(name) or '(none)'} {count:,}" for name, count in self.splits.items())
            rows.append(("splits", join_names(sizes)))
        if self.metadata is not None:
            values = (f"{shorten(name)} ({count:,} values)" for name, count in self.metadata.items())
            rows.append(("metadata", join_names(values)))
        rows.extend(("skipped", line) for line in self.skipped.lines() or ["nothing"])
        return rows

    def _label_line(self, labels: dict[str, int]) -> str:
        first = ", ".join(f"{shorten(name)} {count:,}" for name, count in list(labels.items())[:_LABELS_SHOWN])
        more = ", …" if len(labels) > _LABELS_SHOWN else ""
        several = ", several per document" if self.multilabel else ""
        return f"{len(labels):,}{several}: {first}{more}" + _in_brackets(self.unlabelled, "unlabelled")


def _in_brackets(count: int, what: str) -> str:
    return f" ({count:,} {what})" if count else ""


def _day(time: np.datetime64 | None) -> str:
    return "" if time is None else str(time.astype("datetime64[D]"))


def summarise(corpus: Corpus) -> CorpusSummary:
    """Return the sizes of a corpus.

    Parameters
    ----------
    corpus : Corpus
        The corpus.

    Returns
    -------
    CorpusSummary
        The sizes.

    Examples
    --------
    >>> from plait.corpus import Corpus
    >>> corpus = Corpus.from_texts(["red blue", "green"], labels=["a", "b"], times=[1990, 1992])
    >>> for name, value in summarise(corpus).rows():
    ...     print(f"{name}: {value}")
    documents: 2
    words: 3
    tokens: 3
    tokens per document: mean 1.5, median 1.5, maximum 2
    labels: 2: a 1, b 1
    time: 1990-01-01 to 1992-01-01
    skipped: nothing
    """
    lengths = corpus.lengths
    known = np.empty(0) if corpus.times is None else corpus.times[~np.isnat(corpus.times)]
    labels = None if corpus.labels is None else Counter(name for names in corpus.labels for name in names)
    splits = None if corpus.splits is None else Counter(corpus.splits.tolist())
    return CorpusSummary(
        documents=corpus.n_documents,
        words=corpus.n_words,
        tokens=corpus.n_tokens,
        entries=int(corpus.word_counts.nnz),
        empty_documents=int(np.count_nonzero(lengths == 0)),
        mean_length=float(lengths.mean()) if len(lengths) else 0.0,
        median_length=float(np.median(lengths)) if len(lengths) else 0.0,
        max_length=float(lengths.max(initial=0)),
        links=None if corpus.links is None else corpus.n_links,
        linked_share=_linked_share(corpus),
        labels=None if labels is None else dict(sorted(labels.items(), key=lambda item: (-item[1], item[0]))),
        unlabelled=sum(not names for names in corpus.labels or ()),
        multilabel=corpus.is_multilabel,
        first_time=known.min() if len(known) else None,
        last_time=known.max() if len(known) else None,
        undated=0 if corpus.times is None else len(corpus) - len(known),
        splits=None if splits is None else dict(sorted(splits.items(), key=lambda item: (item[0] == "", item[0]))),
        metadata=None if corpus.metadata is None else _n_values(corpus.metadata),
        titles=_n_given(corpus.titles),
        excerpts=_n_given(corpus.excerpts),
        skipped=corpus.skipped,
    )


def to_html(corpus: Corpus) -> str:
    """Return the contents of a corpus for a notebook: sizes, fields, and the first documents.

    Parameters
    ----------
    corpus : Corpus
        The corpus.

    Returns
    -------
    str
        HTML; texts are escaped.
    """
    sizes = html_table(["", ""], summarise(corpus).rows(), caption="Corpus")
    known = {"id": corpus.ids, "title": corpus.titles, "excerpt": corpus.excerpts}
    fields = {name: values for name, values in known.items() if values is not None}
    fields |= {name: values for name, values in (corpus.metadata or {}).items() if name not in fields}
    first = [[str(values[row]) for values in fields.values()] for row in range(min(len(corpus), _DOCUMENTS_SHOWN))]
    return f"<div>{sizes}{html_table(list(fields), first, caption='first documents')}</div>" if first else sizes


def _n_given(texts: np.ndarray | None) -> int:
    return 0 if texts is None else sum(map(bool, texts))


def _n_values(metadata: Mapping[str, np.ndarray]) -> dict[str, int]:
    return {name: len(set(values) - {""}) for name, values in metadata.items()}


def _linked_share(corpus: Corpus) -> float | None:
    if corpus.links is None:
        return None
    linked = np.zeros(len(corpus), dtype=bool)
    linked[corpus.links.indices] = True
    linked |= np.diff(corpus.links.indptr) > 0
    return float(linked.mean()) if len(linked) else 0.0
