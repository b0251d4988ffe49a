"""Links: a matrix of links that stays aligned with its documents when scikit-learn selects rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sparse

from plait.errors import PlaitError


class Links:
    """Links between documents, for ``links=`` in cross-validation and grid search.

    scikit-learn selects rows of what it routes to `fit`. Links need the same columns selected as well, so
    ``links[rows]`` selects rows and columns. Everything that accepts a matrix of links accepts `Links`.

    Parameters
    ----------
    matrix : array or sparse matrix of shape (documents, documents)
        Entry (i, j) is the weight of the link from document i to document j, 0 where there is none.

    Attributes
    ----------
    matrix : csr_array of shape (documents, documents)
        The links.

    Examples
    --------
    >>> links = Links([[0, 1, 0], [0, 0, 2], [0, 0, 0]])
    >>> links[[1, 2]].matrix.toarray().tolist()
    [[0, 2], [0, 0]]

    With ``sklearn.set_config(enable_metadata_routing=True)``:
    ``GridSearchCV(LinkedLDA().set_fit_request(links=True).set_score_request(links=True), grid).fit(X, links=links)``.
    """

    def __init__(self, matrix: Any) -> None:
        matrix = as_matrix(matrix)
        if not sparse.issparse(matrix):
            matrix = np.asarray(matrix)
        if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
            sizes = " × ".join(f"{size:,}" for size in matrix.shape) or "one number"
            raise PlaitError(f"Links needs a matrix documents × documents, not {sizes}; give as many columns as rows")
        self.matrix: sparse.csr_array = sparse.csr_array(matrix)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of documents, twice."""
        return self.matrix.shape

    def __len__(self) -> int:
        return int(self.matrix.shape[0])

    def __getitem__(self, rows: Any) -> Links:
        """Return the links among some of the documents.

        Parameters
        ----------
        rows : slice, array of int or array of bool
            Documents to keep.

        Returns
        -------
        Links
            Rows and columns of these documents.
        """
        # scikit-learn selects rows with links[rows, ...].
        if isinstance(rows, tuple) and len(rows) == 2 and rows[1] is Ellipsis:
            rows = rows[0]
        if isinstance(rows, tuple) or np.ndim(rows) != (0 if isinstance(rows, slice) else 1):
            raise PlaitError(f"Links cannot be indexed by {rows!r}; give a slice, positions or a mask of documents")
        kept = np.arange(len(self))[rows]
        return Links(self.matrix[kept][:, kept])

    def __repr__(self) -> str:
        return f"Links({len(self):,} documents, {self.matrix.nnz:,} links)"


def as_matrix(links: Any) -> Any:
    """Return the matrix of `Links`, and anything else unchanged.

    Parameters
    ----------
    links : Links, matrix or None
        What a caller gave as ``links=``.

    Returns
    -------
    csr_array, matrix or None
        The matrix.
    """
    return links.matrix if isinstance(links, Links) else links
