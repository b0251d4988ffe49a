"""Edge weights between documents: links, cocitation, bibliographic coupling, or weights given by the user.

Edges are a sparse matrix, nodes × nodes. Entry (u, v) is the weight of neighbour v in the features of node u. The
diagonal is left out, so that the label of a node does not become a feature of the node itself.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Literal, get_args

import numpy as np
import scipy.sparse as sparse

from plait._utils.validation import check_whole
from plait.errors import PlaitError
from plait.mixing.linked_documents import heaviest_links

EdgeKind = Literal["links", "neighbours", "cocitation", "coupling"]

# The product of the graph with itself is computed in blocks of rows: a page with thousands of links makes millions of
# pairs.
_PAIRS_PER_BLOCK = 20_000_000


def edge_weights(
    links: Any, kind: EdgeKind = "links", *, reverse: bool = False, heaviest: int | None = None
) -> sparse.csr_array:
    """Return the weight of each neighbour (column) of each node (row).

    Parameters
    ----------
    links : array-like or sparse matrix of shape (n_nodes, n_nodes)
        Entry (u, v) is the weight or number of links from u to v. Other weights are possible, such as the influence
        that a topic model estimates for each link. Links from nodes to themselves are left out.
    kind : {"links", "neighbours", "cocitation", "coupling"}, default "links"
        - "links": the neighbours of a node are the nodes that it links to, with the weights of the links;
        - "neighbours": the nodes that it links to or that link to it; the weights are summed;
        - "cocitation": the nodes that are linked from the same nodes; the weight is the number of common sources;
        - "coupling": the nodes that link to the same nodes (bibliographic coupling); the weight is the number of common
          targets.

        For weighted links, cocitation and coupling sum the products of the two weights: if w links to u twice and to v
        three times, there are six pairs of links.
    reverse : bool, default False
        Reverse every link first. "links" then gives the nodes that link to a node, and "cocitation" is "coupling".
    heaviest : int or None, default None
        Maximum number of neighbours per node: those with the largest weights are kept, the lower column first in ties.
        None keeps all. If a node links to n others, cocitation has n² entries; with `heaviest` they are never all in
        memory.

    Returns
    -------
    csr_array of shape (n_nodes, n_nodes)
        Weights, without a diagonal. Rows of nodes without neighbours are empty.

    Examples
    --------
    >>> links = np.array([[0, 1, 1, 0], [0, 0, 1, 1], [0, 0, 0, 0], [0, 0, 0, 0]])
    >>> edge_weights(links, "cocitation").toarray().astype(int).tolist()
    [[0, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    >>> edge_weights(links, "coupling").toarray().astype(int).tolist()
    [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]
    """
    if kind not in get_args(EdgeKind):
        raise PlaitError(f"kind is {kind!r}; give one of {', '.join(map(repr, get_args(EdgeKind)))}")
    if heaviest is not None:
        check_whole("heaviest", heaviest, least=1)
    graph = without_self_edges(read_weights(links, "links"))
    if graph.shape[0] != graph.shape[1]:
        raise PlaitError(f"links are of shape {graph.shape}; give a nodes × nodes matrix")
    if reverse:
        graph = graph.T.tocsr()
    if kind == "cocitation":
        return _count_common_targets(graph.T.tocsr(), heaviest)
    if kind == "coupling":
        return _count_common_targets(graph, heaviest)
    if kind == "neighbours":
        graph = (graph + graph.T).tocsr()
    return heaviest_links(_sort_indices(graph), heaviest)


def read_weights(weights: Any, name: str) -> sparse.csr_array:
    """Return a sparse copy of edge weights; raise an error if they are invalid.

    Parameters
    ----------
    weights : array-like or sparse matrix
        Weights, finite and 0 or more.
    name : str
        Name for error messages.

    Returns
    -------
    csr_array
        Weights without duplicates and stored zeros.
    """
    try:
        matrix = sparse.csr_array(weights, dtype=np.float64, copy=True)  # changed in place below
    except (TypeError, ValueError):
        raise PlaitError(f"{name} must be a matrix of weights, dense or sparse, not {type(weights).__name__}") from None
    if matrix.ndim != 2:
        raise PlaitError(f"{name} are of shape {matrix.shape}; give a matrix of weights")
    matrix.sum_duplicates()
    bad = ~(np.isfinite(matrix.data) & (matrix.data >= 0))
    if bad.any():
        entry = int(np.flatnonzero(bad)[0])
        row = int(np.searchsorted(matrix.indptr, entry, side="right")) - 1
        raise PlaitError(
            f"{name}: entry ({row}, {matrix.indices[entry]}) is {matrix.data[entry]}; weights must be 0 or more"
        )
    matrix.eliminate_zeros()
    return matrix


def without_self_edges(matrix: sparse.csr_array) -> sparse.csr_array:
    """Return a matrix without its diagonal.

    Parameters
    ----------
    matrix : csr_array
        Edge weights.

    Returns
    -------
    csr_array
        The same weights except the diagonal.
    """
    entries = matrix.tocoo()
    kept = entries.row != entries.col
    return sparse.csr_array((entries.data[kept], (entries.row[kept], entries.col[kept])), shape=matrix.shape)


def _count_common_targets(graph: sparse.csr_array, heaviest: int | None) -> sparse.csr_array:
    """Return the number of common targets of each pair of nodes, computed in blocks of rows."""
    reversed_graph = graph.T.tocsr()
    pairs = graph.copy()
    pairs.data[:] = np.diff(reversed_graph.indptr)[graph.indices]  # number of pairs that each link makes
    block_of = np.cumsum(pairs.sum(axis=1)) // _PAIRS_PER_BLOCK
    starts = [0, *(np.flatnonzero(np.diff(block_of)) + 1).tolist(), graph.shape[0]]
    blocks = []
    for start, stop in pairwise(starts):
        entries = (graph[start:stop] @ reversed_graph).tocoo()
        kept = entries.row + start != entries.col
        block = sparse.csr_array((entries.data[kept], (entries.row[kept], entries.col[kept])), shape=entries.shape)
        blocks.append(heaviest_links(_sort_indices(block), heaviest, np.arange(start, stop)))
    return sparse.csr_array(sparse.vstack(blocks, format="csr"))


def _sort_indices(graph: sparse.csr_array) -> sparse.csr_array:
    """Sort the column indices of each row in place, and return the matrix."""
    graph.sort_indices()
    return graph
