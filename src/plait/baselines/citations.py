"""What a baseline for citations is given: counts, and links whose direction and weight matter; checked."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sparse

from plait.baselines.network import read_new
from plait.errors import PlaitError
from plait.inputs.link_matrix import as_matrix

_FORM = "a matrix documents × documents whose entry (i, j) says how often document i cites document j"


class Citations(NamedTuple):
    """Words of documents and who cites whom, without citations of documents by themselves."""

    counts: sparse.csr_array
    links: sparse.csr_array
    n_self_links: int


def read_citations(X: Any, links: Any = None) -> Citations:
    """Return what a Corpus, or counts and links, say; refuse what no model can be fitted to."""
    from plait.corpus import Corpus

    if isinstance(X, Corpus):
        counts, given = X.counts, X.links if links is None else links
        if given is None:
            raise PlaitError("the corpus has no links; give them by links=")
    else:
        counts, given = X, links
        if given is None:
            raise PlaitError(f"counts alone have no links: give links=, {_FORM}, or fit a Corpus that has links")
    words, network = _checked("counts", counts), _checked("links", as_matrix(given))
    if network.shape != (words.shape[0], words.shape[0]):
        raise PlaitError(
            f"links is {network.shape[0]:,} × {network.shape[1]:,} but there are {words.shape[0]:,} documents; "
            f"give {_FORM}"
        )
    if words.nnz == 0:
        raise PlaitError("none of the documents has a word, so there are no topics to learn")
    own = network.diagonal()
    network = _tidy(network - sparse.diags_array(own, format="csr"))
    n_self_links = int(np.count_nonzero(own))
    if network.nnz == 0:
        also = f" but {n_self_links:,} by documents of themselves" * (n_self_links > 0)
        raise PlaitError(f"there are no citations{also}, so no document influences another; give links, or use LDA")
    return Citations(words, network, n_self_links)


def read_new_words(X: Any, n_words: int, vocabulary: Any) -> sparse.csr_array:
    """Return counts of new documents in the columns of training, whose words `vocabulary` names, if they have names."""
    from plait.corpus import Corpus

    if isinstance(X, Corpus):
        X = (X if vocabulary is None else X.with_vocabulary(vocabulary)).counts
    return read_new(_checked("counts", X), n_words)


def _checked(name: str, values: Any) -> sparse.csr_array:
    """Return a tidy matrix of finite numbers, 0 or more."""
    if np.iscomplexobj(values):
        raise PlaitError(f"{name} must be a matrix of real numbers; these are complex")
    try:
        matrix = _tidy(sparse.csr_array(values, dtype=np.float64, copy=True))
    except (TypeError, ValueError):
        raise PlaitError(f"{name} must be a matrix of numbers, not {type(values).__name__}") from None
    if matrix.ndim != 2:
        raise PlaitError(f"{name} must be a matrix; this has {matrix.ndim} dimension")
    bad = np.flatnonzero(~np.isfinite(matrix.data) | (matrix.data < 0))
    if bad.size:
        row = int(np.searchsorted(matrix.indptr, bad[0], side="right") - 1)
        raise PlaitError(
            f"{name}[{row}, {matrix.indices[bad[0]]}] is {matrix.data[bad[0]]}; it must be a finite number, 0 or more"
        )
    return matrix


def _tidy(matrix: Any) -> sparse.csr_array:
    tidy = sparse.csr_array(matrix)
    if tidy.ndim == 2:
        tidy.sum_duplicates()
        tidy.eliminate_zeros()
    return tidy
