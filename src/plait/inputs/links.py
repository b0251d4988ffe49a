"""Links as a model takes them: from a Corpus or as a matrix documents × documents, checked and tidied."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sparse

from plait.corpus import Corpus
from plait.errors import PlaitError
from plait.inputs.link_matrix import Links, as_matrix

_FOLLOWED = (
    "a matrix new documents × training documents, after which the new ones may have columns, too, above 0 where a new "
    "document may draw from another"
)
_WRAP = "to select documents with scikit-learn, wrap the matrix: links=plait.Links(matrix)"
_FORM = "a matrix documents × documents whose entry (i, j) is above 0 where document i links to document j"


class GivenLinks(NamedTuple):
    """The links of a fit, without self links, each pair once."""

    adjacency: sparse.csr_array  # documents × documents: weights of links; only above the diagonal if undirected
    directed: bool
    n_self_links: int

    @property
    def n_links(self) -> int:
        """How many links there are."""
        return int(self.adjacency.nnz)

    @property
    def n_unlinked(self) -> int:
        """How many documents have no link."""
        ends = np.concatenate([self.adjacency.nonzero()[0], self.adjacency.nonzero()[1]])
        return int(self.adjacency.shape[0] - np.unique(ends).size)


def read_links(X: Any, links: Any, n_documents: int, directed: bool | None) -> GivenLinks:
    """Return the links between the documents of a fit.

    Parameters
    ----------
    X
        What the model is fitted to: a Corpus has links of its own.
    links
        A matrix that takes their place, or None.
    directed
        Whether i → j differs from j → i; None: unless every link has its reverse.
    """
    _check_several(n_documents)
    adjacency = _read_matrix(_given(X, links), n_documents)
    n_self_links = int(np.count_nonzero(adjacency.diagonal()))
    adjacency = _tidy(adjacency - sparse.diags_array(adjacency.diagonal(), format="csr"))
    if adjacency.nnz == 0:
        also = f" besides {n_self_links:,} of documents to themselves, which say nothing" * (n_self_links > 0)
        raise PlaitError(
            f"there are no links{also}: give some by links= or in the Corpus, or use LDA, which needs none"
        )
    reverse = sparse.csr_array(adjacency.T)
    if directed is None:
        directed = bool(((adjacency > 0) != (reverse > 0)).nnz)
    if not directed:
        # A link that is written both ways is one link, with the larger weight if they differ.
        adjacency = _tidy(sparse.triu(adjacency.maximum(reverse), k=1))
    pairs = n_documents * (n_documents - 1) // (1 if directed else 2)
    if adjacency.nnz == pairs:
        raise PlaitError(
            f"all {pairs:,} pairs of documents are linked, so links tell no document from another; remove weak ones, "
            "say by a threshold on their weight, or use LDA"
        )
    return GivenLinks(adjacency, directed, n_self_links)


def read_influence_links(X: Any, links: Any, n_documents: int) -> sparse.csr_array:
    """Return the links along which words may draw from other documents, with their weights; self links included.

    Parameters
    ----------
    X, links
        As in `read_links`.
    """
    _check_several(n_documents)
    adjacency = _tidy(_read_matrix(_given(X, links), n_documents).copy())
    n_self_links = int(np.count_nonzero(adjacency.diagonal()))
    if adjacency.nnz == n_self_links:
        also = f" besides {n_self_links:,} of documents to themselves, which say nothing" * (n_self_links > 0)
        raise PlaitError(
            f"there are no links{also}: give some by links= or in the Corpus, or use LDA, which needs none"
        )
    return adjacency


def read_new_links(links: Any, n_new: int | None, n_known: int) -> sparse.csr_array:
    """Return which known documents each new document is linked with (new × known): the weights of the links."""
    if isinstance(links, Links):
        raise PlaitError(
            f"links is {links!r}, links among the new documents, which this method does not use; give a matrix "
            "new documents × training documents, above 0 where they are linked"
        )
    matrix = _matrix(links, "a matrix new documents × training documents, above 0 where they are linked")
    if matrix.shape[1] != n_known or (n_new is not None and matrix.shape[0] != n_new):
        wanted = f"{'new documents' if n_new is None else f'{n_new:,}'} × {n_known:,}"
        raise PlaitError(f"links is {matrix.shape[0]:,} × {matrix.shape[1]:,} but must be {wanted}")
    return _tidy(_checked(matrix).copy())


def read_followed_links(links: Any, n_new: int, n_known: int) -> sparse.csr_array:
    """Return along which links new documents may draw from known ones, and from each other where columns say so.

    The columns are the known documents or, after these, the new ones, too. A link of a document to itself says nothing.
    """
    matrix = _matrix(links, _FOLLOWED)
    if isinstance(links, Links) and len(links) == n_new:
        matrix = sparse.hstack([sparse.csr_array((n_new, n_known)), matrix], format="csr")
    if matrix.shape not in ((n_new, n_known), (n_new, n_known + n_new)):
        raise PlaitError(
            f"links is {matrix.shape[0]:,} × {matrix.shape[1]:,} but must be {n_new:,} × {n_known:,} or, with links "
            f"between the new documents, {n_new:,} × {n_known + n_new:,}: {_FOLLOWED}"
        )
    itself = matrix.shape[1] > n_known
    matrix = _checked(matrix).copy()
    if itself:
        matrix = matrix - sparse.diags_array(matrix.diagonal(k=n_known), offsets=n_known, shape=matrix.shape)
    return _tidy(matrix)


def _check_several(n_documents: int) -> None:
    if n_documents < 2:
        raise PlaitError("there is one document only (1 sample), so nothing can be linked; give at least two")


def _given(X: Any, links: Any) -> Any:
    if links is not None:
        return links
    if isinstance(X, Corpus):
        if X.links is None:
            raise PlaitError("the corpus has no links; give them by links=, or use LDA, which needs none")
        return X.links
    raise PlaitError(f"counts alone have no links: give links=, {_FORM}, or fit a Corpus that has links")


def _read_matrix(links: Any, n_documents: int) -> sparse.csr_array:
    matrix = _matrix(links, _FORM)
    if matrix.shape != (n_documents, n_documents):
        # scikit-learn selects the rows of a matrix but not its columns.
        rows_selected = matrix.shape[0] == n_documents < matrix.shape[1]
        raise PlaitError(
            f"links is {matrix.shape[0]:,} × {matrix.shape[1]:,} but there are {n_documents:,} documents; it must be "
            f"{_FORM}" + f"; {_WRAP}" * rows_selected
        )
    return _checked(matrix)


def _matrix(links: Any, form: str) -> sparse.csr_array:
    links = as_matrix(links)
    if not sparse.issparse(links):
        try:
            given = np.asarray(links)
            links = given if np.iscomplexobj(given) else np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError):
            raise PlaitError(f"links must be {form}, not {type(links).__name__}") from None
    if np.iscomplexobj(links):
        raise PlaitError(f"links must be {form}; these are complex numbers")
    if links.ndim != 2:
        raise PlaitError(f"links must be {form}; this has {links.ndim} dimension{'s' * (links.ndim != 1)}")
    return sparse.csr_array(links, dtype=np.float64)


def _checked(matrix: sparse.csr_array) -> sparse.csr_array:
    bad = np.flatnonzero(~np.isfinite(matrix.data) | (matrix.data < 0))
    if bad.size:
        row = int(np.searchsorted(matrix.indptr, bad[0], side="right") - 1)
        raise PlaitError(
            f"links[{row}, {matrix.indices[bad[0]]}] is {matrix.data[bad[0]]}; the weight of a link is a finite "
            "number, 0 or more"
        )
    return matrix


def _tidy(matrix: Any) -> sparse.csr_array:
    matrix = sparse.csr_array(matrix)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    matrix.sort_indices()
    return matrix
