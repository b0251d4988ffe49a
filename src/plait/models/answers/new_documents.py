"""New documents of which links are known: what the fold-in of a model of links needs of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sparse

from plait.engine.pair_fold_in import KnownLinks, NewDocuments, pair_documents
from plait.engine.sample import Sample
from plait.models.answers.known_documents import lengths


def make_documents(
    counts: sparse.csr_array | None,
    links: Sequence[KnownLinks],
    n_words: int,
    costs: tuple[float, float],
    sample: Sample,
    seed: int,
) -> NewDocuments:
    """Return new documents for the fold-in by links.

    Parameters
    ----------
    counts : csr_array of shape (new documents, words) or None
        Known words. A document without any has as many unknown tokens as a training document has at the median.
    links : sequence of KnownLinks
        Links of the documents, one entry per direction.
    n_words : int
        Size of the vocabulary.
    costs : tuple of float
        Cost of a link, and of a pair without a link.
    sample : Sample
        A sample with the topics of the training documents.
    seed : int
        Seed of the model.

    Returns
    -------
    NewDocuments
        One document per row of each matrix of links.
    """
    if counts is None:
        counts = sparse.csr_array((links[0].linked.shape[0], n_words), dtype=np.int32)
    usual_length = max(1, round(float(np.median(lengths(sample)))))
    unknown = np.where(np.asarray(counts.sum(axis=1)).ravel() > 0, 0, usual_length)
    extended = sparse.hstack([counts, sparse.csr_array(unknown[:, np.newaxis])], format="csr")
    return pair_documents(extended, links, costs, seed)
