"""Two corpora joined over the union of their vocabularies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import block_diag, csr_array, vstack

from plait.corpus.container.frozen import frozen_texts, release
from plait.corpus.container.vocabulary import align_counts
from plait.corpus.problems import CorpusError
from plait.corpus.text.choosing import same_reading
from plait.corpus.values import NO_TIME, shown

if TYPE_CHECKING:
    from plait.corpus.container.corpus import Corpus


def merge(self: Corpus, other: Corpus) -> Corpus:
    """Return this corpus with the documents of another one appended.

    Where only one of the two has titles, labels, links, times, splits, excerpts or a field of metadata, those of the
    other one are missing values. If both were read from text, their text options must agree.

    Parameters
    ----------
    other : Corpus
        A corpus without ids of this one. Its new words are appended to the vocabulary.

    Returns
    -------
    Corpus
        All documents.

    Examples
    --------
    >>> from plait.corpus import Corpus
    >>> first = Corpus.from_texts(["red blue"], ids=["a"])
    >>> first.merge(Corpus.from_texts(["amber red"], ids=["b"])).vocabulary.tolist()
    ['blue', 'red', 'amber']
    """
    first, second = self, other
    for name in second.ids:
        if name in first._row_of:
            raise CorpusError(
                f"both corpora have a document with the id {shown(name)}; rename it in one of them, or leave it out "
                "with select",
                kind="duplicate id",
                field="ids",
            )
    text_options = same_reading(first.text_options, second.text_options)
    known = set(first.vocabulary)
    vocabulary = frozen_texts([*first.vocabulary, *(word for word in second.vocabulary if word not in known)])
    counts = vstack([align_counts(one.counts, one.vocabulary, vocabulary)[0] for one in (first, second)], "csr")
    links = None
    if first.links is not None or second.links is not None:
        blocks = [csr_array((len(one),) * 2) if one.links is None else one.links for one in (first, second)]
        links = release(csr_array(block_diag(blocks, "csr")))
    return first._with(
        counts=release(csr_array(counts)),
        vocabulary=vocabulary,
        ids=np.concatenate([first.ids, second.ids]),
        titles=_join(first, second, "titles", ""),
        labels=_labels(first, second),
        links=links,
        times=_join(first, second, "times", NO_TIME),
        splits=_join(first, second, "splits", ""),
        excerpts=_join(first, second, "excerpts", ""),
        metadata=_metadata(first, second),
        skipped=first.skipped + second.skipped,
        fractional=first.fractional or second.fractional,
        text_options=text_options,
    )


def _join(first: Corpus, second: Corpus, name: str, missing: Any) -> np.ndarray | None:
    fields = [getattr(first, name), getattr(second, name)]
    if fields[0] is None and fields[1] is None:
        return None
    dtype = next(values.dtype for values in fields if values is not None)
    filled = [
        np.full(len(corpus), missing, dtype=dtype) if values is None else values
        for corpus, values in zip((first, second), fields, strict=True)
    ]
    return np.concatenate(filled)


def _labels(first: Corpus, second: Corpus) -> tuple[tuple[str, ...], ...] | None:
    if first.labels is None and second.labels is None:
        return None
    return tuple(
        names
        for corpus in (first, second)
        for names in (((),) * len(corpus) if corpus.labels is None else corpus.labels)
    )


def _metadata(first: Corpus, second: Corpus) -> dict[str, np.ndarray] | None:
    if first.metadata is None and second.metadata is None:
        return None
    parts = [(len(corpus), corpus.metadata or {}) for corpus in (first, second)]
    blank = [np.full(length, "", dtype=object) for length, _ in parts]
    return {
        name: np.concatenate([known.get(name, missing) for (_, known), missing in zip(parts, blank, strict=True)])
        for name in dict.fromkeys(name for _, known in parts for name in known)
    }
