"""Two corpora made one, with a vocabulary that grows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import block_diag, csr_array, vstack

from plait.corpus.container.frozen import frozen_texts, give_away
from plait.corpus.container.vocabulary import recolumned
from plait.corpus.problems import CorpusError
from plait.corpus.values import NO_TIME, shown

if TYPE_CHECKING:
    from plait.corpus.container.corpus import Corpus


def merge(first: Corpus, second: Corpus) -> Corpus:
    """The documents of `first`, then those of `second`; what one of them does not know stays unknown."""
    for name in second.ids:
        if name in first._row_of:
            raise CorpusError(
                f"both corpora have a document with the id {shown(name)}; rename one, or select the others",
                kind="duplicate id",
                field="ids",
            )
    known = set(first.vocabulary)
    vocabulary = frozen_texts([*first.vocabulary, *(word for word in second.vocabulary if word not in known)])
    counts = vstack([recolumned(part.counts, part.vocabulary, vocabulary)[0] for part in (first, second)], "csr")
    links = None
    if first.links is not None or second.links is not None:
        blocks = [csr_array((len(part),) * 2) if part.links is None else part.links for part in (first, second)]
        links = give_away(csr_array(block_diag(blocks, "csr")))
    return first._with(
        counts=give_away(csr_array(counts)),
        vocabulary=vocabulary,
        ids=np.concatenate([first.ids, second.ids]),
        titles=_joined(first, second, "titles", ""),
        labels=_labels(first, second),
        links=links,
        times=_joined(first, second, "times", NO_TIME),
        splits=_joined(first, second, "splits", ""),
        skipped=first.skipped + second.skipped,
        fractional=first.fractional or second.fractional,
    )


def _joined(first: Corpus, second: Corpus, name: str, unknown: Any) -> np.ndarray | None:
    parts = [getattr(first, name), getattr(second, name)]
    if parts[0] is None and parts[1] is None:
        return None
    dtype = next(part.dtype for part in parts if part is not None)
    filled = [
        np.full(len(corpus), unknown, dtype=dtype) if part is None else part
        for corpus, part in zip((first, second), parts, strict=True)
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
