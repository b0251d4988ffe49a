"""Who is a neighbour of whom, and how much: links, cocitation, bibliographic coupling, or weights that a user has.

Edges are a sparse matrix, nodes × nodes; entry (u, v) says how much node u hears of node v. No node hears of itself:
the diagonal is left out, so that a node's own label cannot reach it in one step.
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

# Rows of a product of the graph with itself are made for so many links at a time: a page that links to thousands
# makes millions of pairs.
_PAIRS_PER_BLOCK = 20_000_000


def edge_weights(
    links: Any, kind: EdgeKind = "links", *, reverse: bool = False, heaviest: int | None = None
) -> sparse.csr_array:
    """Return how much each node (row) hears of each other node (column).

    Parameters
    ----------
    links : array or sparse matrix of shape (nodes, nodes)
        Entry (u, v) > 0: u links to v, with this weight or so many times. Any weights of one's own will do, such as
        the influence that a topic model finds for each link. Links of nodes to themselves are left out.
    kind : {"links", "neighbours", "cocitation", "coupling"}
        - "links": a node hears of those that it links to, as much as the weight says;
        - "neighbours": of those that it links to or that link to it, by the sum of both weights;
        - "cocitation": of those that are linked to by the same nodes; the number of common in-neighbours;
        - "coupling": of those that link to the same nodes (bibliographic coupling); the number of those nodes.

        Cocitation and coupling of links with weights add up the products of the two weights: where w links to u twice
        and to v three times, there are six pairs of links.
    reverse : bool
        Turn every link around first. "links" then means those that link here, and "cocitation" is "coupling".
    heaviest : int, optional
        Keep only so many neighbours of each node, those with the largest weights (of equal ones those with the lowest
        numbers). By default all are kept. Cocitation of a graph in which some node links to n others has n² entries;
        with `heaviest` they are never all in memory.

    Returns
    -------
    csr_array of shape (nodes, nodes)
        Weights, nothing on the diagonal. Rows of nodes without neighbours are empty.

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
        return _shared(graph.T.tocsr(), heaviest)
    if kind == "coupling":
        return _shared(graph, heaviest)
    if kind == "neighbours":
        graph = (graph + graph.T).tocsr()
    return heaviest_links(_sorted(graph), heaviest)


def read_weights(weights: Any, name: str) -> sparse.csr_array:
    """Return weights as a sparse matrix of its own, or say why they cannot be weights of edges."""
    try:
        matrix = sparse.csr_array(weights, dtype=np.float64, copy=True)  # what follows changes it
    except (TypeError, ValueError):
        raise PlaitError(f"{name} must be a matrix of weights, dense or sparse, not {type(weights).__name__}") from None
    if matrix.ndim != 2:
        raise PlaitError(f"{name} are of shape {matrix.shape}; give a matrix of weights")
    matrix.sum_duplicates()
    bad = ~(np.isfinite(matrix.data) & (matrix.data >= 0))
    if bad.any():
        place = int(np.flatnonzero(bad)[0])
        row = int(np.searchsorted(matrix.indptr, place, side="right")) - 1
        raise PlaitError(
            f"{name}: entry ({row}, {matrix.indices[place]}) is {matrix.data[place]}; weights must be 0 or more"
        )
    matrix.eliminate_zeros()
    return matrix


def without_self_edges(matrix: sparse.csr_array) -> sparse.csr_array:
    """Return a matrix without its diagonal."""
    entries = matrix.tocoo()
    kept = entries.row != entries.col
    return sparse.csr_array((entries.data[kept], (entries.row[kept], entries.col[kept])), shape=matrix.shape)


def _shared(graph: sparse.csr_array, heaviest: int | None) -> sparse.csr_array:
    """Return how many nodes both of each two nodes (rows of the graph) point to, some rows at a time."""
    turned = graph.T.tocsr()
    pairs = graph.copy()
    pairs.data[:] = np.diff(turned.indptr)[graph.indices]  # how many pairs each link makes
    block_of = np.cumsum(pairs.sum(axis=1)) // _PAIRS_PER_BLOCK
    starts = [0, *(np.flatnonzero(np.diff(block_of)) + 1).tolist(), graph.shape[0]]
    blocks = []
    for start, stop in pairwise(starts):
        entries = (graph[start:stop] @ turned).tocoo()
        kept = entries.row + start != entries.col
        block = sparse.csr_array((entries.data[kept], (entries.row[kept], entries.col[kept])), shape=entries.shape)
        blocks.append(heaviest_links(_sorted(block), heaviest, np.arange(start, stop)))
    return sparse.csr_array(sparse.vstack(blocks, format="csr"))


def _sorted(graph: sparse.csr_array) -> sparse.csr_array:
    graph.sort_indices()
    return graph
