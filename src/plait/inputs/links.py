"""Links between documents, from a Corpus, a matrix or `Links`, checked and in canonical form."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sparse

from plait.corpus import Corpus
from plait.errors import PlaitError
from plait.inputs.link_matrix import Links, as_matrix

_NEW_FORM = (
    "a matrix new documents × training documents, optionally followed by columns for the new documents, above 0 where "
    "a new document links to another"
)
_WEIGHT = "be a finite number of at least 0"
_MIN_WEIGHT, _MAX_WEIGHT = 1e-12, 1e12  # sums and ratios of weights stay far from overflow in float32
_WRAP = "to select documents with scikit-learn, wrap the matrix: links=plait.Links(matrix)"
_FORM = "a matrix documents × documents whose entry (i, j) is above 0 where document i links to document j"


class GivenLinks(NamedTuple):
    """The links of a fit, without self-links.

    Parameters
    ----------
    adjacency : csr_array of shape (documents, documents)
        Weights of the links; only above the diagonal if they are undirected.
    directed : bool
        Whether links have a direction.
    n_self_links : int
        Number of self-links that were removed.
    """

    adjacency: sparse.csr_array
    directed: bool
    n_self_links: int

    @property
    def n_links(self) -> int:
        """Number of links."""
        return int(self.adjacency.nnz)

    @property
    def n_unlinked(self) -> int:
        """Number of documents without a link."""
        ends = np.concatenate([self.adjacency.nonzero()[0], self.adjacency.nonzero()[1]])
        return int(self.adjacency.shape[0] - np.unique(ends).size)


def read_links(X: Any, links: Any, n_documents: int, directed: bool | None) -> GivenLinks:
    """Return the links between the documents of a fit, for a model that predicts links.

    Parameters
    ----------
    X : Corpus, matrix or data frame
        What the model is fitted to. A Corpus can have links.
    links : Links, matrix of shape (documents, documents) or None
        Links that replace those of the Corpus.
    n_documents : int
        Number of documents.
    directed : bool or None
        Whether i → j differs from j → i. None: undirected if every link has its reverse.

    Returns
    -------
    GivenLinks
        The links.
    """
    _check_several(n_documents)
    adjacency = _read_matrix(_given(X, links), n_documents)
    n_self_links = int(np.count_nonzero(adjacency.diagonal()))
    adjacency = _canonical(adjacency - sparse.diags_array(adjacency.diagonal(), format="csr"))
    if adjacency.nnz == 0:
        raise _no_links(n_self_links)
    reverse = sparse.csr_array(adjacency.T)
    if directed is None:
        directed = bool(((adjacency > 0) != (reverse > 0)).nnz)
    if not directed:
        # Two opposite links are one undirected link with the larger weight.
        adjacency = _canonical(sparse.triu(adjacency.maximum(reverse), k=1))
    pairs = n_documents * (n_documents - 1) // (1 if directed else 2)
    if adjacency.nnz == pairs:
        raise PlaitError(
            f"all {pairs:,} pairs of documents are linked, so links do not distinguish documents; remove weak links, "
            "for example with a threshold on their weight, or use LDA"
        )
    return GivenLinks(adjacency, directed, n_self_links)


def read_influence_links(X: Any, links: Any, n_documents: int) -> sparse.csr_array:
    """Return the links between the documents of a fit, for a model that learns influence along links.

    Parameters
    ----------
    X : Corpus, matrix or data frame
        What the model is fitted to. A Corpus can have links.
    links : Links, matrix of shape (documents, documents) or None
        Links that replace those of the Corpus.
    n_documents : int
        Number of documents.

    Returns
    -------
    csr_array of shape (documents, documents)
        Weights of the links, self-links included.
    """
    _check_several(n_documents)
    adjacency = _canonical(_read_matrix(_given(X, links), n_documents).copy())
    n_self_links = int(np.count_nonzero(adjacency.diagonal()))
    if adjacency.nnz == n_self_links:
        raise _no_links(n_self_links)
    return adjacency


def read_new_links(links: Any, n_new: int | None, n_known: int, name: str = "links") -> sparse.csr_array:
    """Return the links between new documents and training documents.

    Parameters
    ----------
    links : matrix of shape (new documents, training documents)
        Weights of the links.
    n_new : int or None
        Number of new documents; None if it is not known.
    n_known : int
        Number of training documents.
    name : str, default "links"
        Name of the argument, for errors.

    Returns
    -------
    csr_array of shape (new documents, training documents)
        Weights of the links.
    """
    if isinstance(links, Links):
        raise PlaitError(
            f"{name} is {links!r}, links among the new documents, which this method does not use; give a matrix "
            "new documents × training documents, above 0 where they are linked"
        )
    matrix = _matrix(links, "a matrix new documents × training documents, above 0 where they are linked", name)
    if matrix.shape[1] != n_known or (n_new is not None and matrix.shape[0] != n_new):
        wanted = f"{'new documents' if n_new is None else f'{n_new:,}'} × {n_known:,}"
        raise PlaitError(f"{name} is {matrix.shape[0]:,} × {matrix.shape[1]:,} but must be {wanted}")
    return _canonical(_checked(matrix, name).copy())


def read_followed_links(links: Any, n_new: int, n_known: int) -> sparse.csr_array:
    """Return the links from new documents to training documents and among new documents.

    Parameters
    ----------
    links : Links or matrix of shape (new documents, training documents [+ new documents])
        Weights of the links. `Links` are links among the new documents.
    n_new : int
        Number of new documents.
    n_known : int
        Number of training documents.

    Returns
    -------
    csr_array of shape (new documents, training documents [+ new documents])
        Weights of the links, without self-links.
    """
    matrix = _matrix(links, _NEW_FORM)
    if isinstance(links, Links) and len(links) == n_new:
        matrix = sparse.hstack([sparse.csr_array((n_new, n_known)), matrix], format="csr")
    if matrix.shape not in ((n_new, n_known), (n_new, n_known + n_new)):
        raise PlaitError(
            f"links is {matrix.shape[0]:,} × {matrix.shape[1]:,} but must be {n_new:,} × {n_known:,} or, with links "
            f"between the new documents, {n_new:,} × {n_known + n_new:,}: {_NEW_FORM}"
        )
    matrix = _checked(matrix).copy()
    if matrix.shape[1] > n_known:
        matrix = matrix - sparse.diags_array(matrix.diagonal(k=n_known), offsets=n_known, shape=matrix.shape)
    return _canonical(matrix)


def _check_several(n_documents: int) -> None:
    if n_documents < 2:
        raise PlaitError("there is only one document (1 sample), so there are no links; give at least two documents")


def _no_links(n_self_links: int) -> PlaitError:
    other = f" other than {n_self_links:,} self-links, which are ignored" * (n_self_links > 0)
    return PlaitError(f"there are no links{other}; give links= or a Corpus with links, or use LDA, which needs none")


def _given(X: Any, links: Any) -> Any:
    if links is not None:
        return links
    if isinstance(X, Corpus):
        if X.links is None:
            raise PlaitError("the corpus has no links; give links=, or use LDA, which needs none")
        return X.links
    raise PlaitError(f"a matrix of counts has no links; give links=, {_FORM}, or fit a Corpus that has links")


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


def _matrix(links: Any, form: str, name: str = "links") -> sparse.csr_array:
    links = as_matrix(links)
    if not sparse.issparse(links):
        try:
            given = np.asarray(links)
            links = given if np.iscomplexobj(given) else np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError):
            raise PlaitError(f"{name} must be {form}, not {type(links).__name__}") from None
    if np.iscomplexobj(links):
        raise PlaitError(f"{name} must be {form}; these are complex numbers")
    if links.ndim != 2:
        raise PlaitError(f"{name} must be {form}; this has {links.ndim} dimension{'s' * (links.ndim != 1)}")
    return sparse.csr_array(links, dtype=np.float64)


def _checked(matrix: sparse.csr_array, name: str = "links") -> sparse.csr_array:
    weights = matrix.data
    bad = np.flatnonzero(~((weights == 0) | ((weights >= _MIN_WEIGHT) & (weights <= _MAX_WEIGHT))))
    if bad.size:
        row, weight = int(np.searchsorted(matrix.indptr, bad[0], side="right") - 1), weights[bad[0]]
        finite = np.isfinite(weight) and weight > 0
        wanted = f"be 0 or lie between {_MIN_WEIGHT:g} and {_MAX_WEIGHT:g}" if finite else _WEIGHT
        raise PlaitError(
            f"{name}[{row}, {matrix.indices[bad[0]]}] is {weight}; the weight of a link must {wanted}", parameter=name
        )
    return matrix


def _canonical(matrix: Any) -> sparse.csr_array:
    matrix = sparse.csr_array(matrix)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    matrix.sort_indices()
    return matrix
