"""New documents of which links are known: what the fold-in of a model of links needs of each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sparse

from plait.engine.pair_fold_in import NewDocument
from plait.engine.sample import Sample
from plait.models.answers.known_documents import lengths
from plait.samplers.random import generator, stream_key


class NewPairs(NamedTuple):
    """The pairs of a new document with training documents."""

    partners: np.ndarray  # int64: training documents that it is linked with
    n_known: int  # number of training documents
    n_unlinked: int  # number of pairs without a link to draw
    cost: float  # of a link
    cost_unlinked: float  # of a pair without a link


def make_documents(
    counts: sparse.csr_array | None,
    linked: sparse.csr_array,
    n_words: int,
    n_unlinked: int,
    costs: tuple[float, float],
    sample: Sample,
    seed: int,
) -> list[NewDocument]:
    """Return new documents for the fold-in by links.

    Parameters
    ----------
    counts : csr_array of shape (new documents, words) or None
        Known words. A document without any has as many unknown tokens as a training document has at the median.
    linked : csr_array of shape (new documents, training documents)
        Links of the documents.
    n_words : int
        Size of the vocabulary.
    n_unlinked : int
        Number of pairs without a link to draw per document.
    costs : tuple of float
        Cost of a link, and of a pair without a link.
    sample : Sample
        A sample with the topics of the training documents.
    seed : int
        Seed of the model.

    Returns
    -------
    list of NewDocument
        One per row of `linked`.
    """
    usual_length = max(1, round(float(np.median(lengths(sample)))))
    unknown = np.array([n_words], np.int32), np.array([usual_length], np.int32)
    documents = []
    for row in range(linked.shape[0]):
        words = unknown if counts is None else words_of(counts, row) or unknown
        partners = linked.indices[linked.indptr[row] : linked.indptr[row + 1]].astype(np.int64)
        documents.append(make_document(words, NewPairs(partners, linked.shape[1], n_unlinked, *costs), seed))
    return documents


def words_of(counts: sparse.csr_array, row: int) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the words of a document and their counts; None for a document without words."""
    own = slice(counts.indptr[row], counts.indptr[row + 1])
    if own.start == own.stop:
        return None
    return counts.indices[own].astype(np.int32), counts.data[own].astype(np.int32)


def make_document(words: tuple[np.ndarray, np.ndarray], pairs: NewPairs, seed: int) -> NewDocument:
    """Return a new document; its pairs without a link are drawn at random."""
    numbers, occurrences = words
    partners = pairs.partners
    # The key depends on the document alone, so that other documents of the batch do not change the result.
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
