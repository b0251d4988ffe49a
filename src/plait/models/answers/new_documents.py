"""Documents that a model of links has not seen, from what they are linked with: what folding in needs of each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sparse

from plait.engine.pair_fold_in import NewDocument
from plait.samplers.random import generator, stream_key


class NewPairs(NamedTuple):
    """The pairs of a new document with training documents."""

    partners: np.ndarray  # int64: training documents that it is linked with
    n_known: int  # training documents
    n_unlinked: int  # how many others stand for those that it is not linked with
    cost: float  # of a link
    cost_unlinked: float


def words_of(counts: sparse.csr_array, row: int) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the words of a document and how often each occurs; None where it has none."""
    own = slice(counts.indptr[row], counts.indptr[row + 1])
    if own.start == own.stop:
        return None
    return counts.indices[own].astype(np.int32), counts.data[own].astype(np.int32)


def make_document(words: tuple[np.ndarray, np.ndarray], pairs: NewPairs, seed: int) -> NewDocument:
    """Return what is known of a new document; the pairs without a link are drawn by chance."""
    numbers, occurrences = words
    partners = pairs.partners
    # The key is made of the document alone, so that those beside it change nothing.
    content = f"fold in {partners.tolist()} {numbers.tolist()} {occurrences.tolist()}"
    key = stream_key(seed, content)
    others = np.setdiff1d(np.arange(pairs.n_known), partners, assume_unique=True)
    n_others = min(others.size, pairs.n_unlinked)
    others = generator(key, 1).choice(others, n_others, replace=False)
    return NewDocument(
        numbers,
        occurrences,
        np.concatenate([partners, others]),
        np.repeat([1.0, -1.0], [partners.size, n_others]),
        np.repeat([pairs.cost, pairs.cost_unlinked], [partners.size, n_others]),
        key,
    )
