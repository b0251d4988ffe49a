"""Edge weights equal their definitions, have no diagonal, and reject invalid input."""

from __future__ import annotations

import hypothesis.strategies as some
import numpy as np
import pytest
import scipy.sparse as sparse
from hypothesis import given
from hypothesis.extra.numpy import arrays

from plait.errors import PlaitError
from plait.graph import edge_weights, edges

GRAPHS = some.integers(1, 8).flatmap(lambda n: arrays(np.int64, (n, n), elements=some.sampled_from([0, 0, 0, 1, 2, 3])))


def cocitation_by_definition(links):
    """Sum over common sources in plain loops; with links of 0 and 1, their number."""
    n = len(links)
    weights = np.zeros((n, n))
    for u in range(n):
        for v in range(n):
            for w in range(n):
                if u != v and w not in (u, v):
                    weights[u, v] += links[w, u] * links[w, v]
    return weights


@given(GRAPHS)
def test_cocitation_and_coupling_equal_their_definitions(links):
    assert np.array_equal(edge_weights(links, "cocitation").toarray(), cocitation_by_definition(links))
    assert np.array_equal(edge_weights(links, "coupling").toarray(), cocitation_by_definition(links.T))


def test_cocitation_counts_common_sources():
    links = np.zeros((5, 5))
    links[[0, 0, 0, 1, 1], [2, 3, 4, 2, 3]] = 1  # 0 links to 2, 3 and 4; 1 links to 2 and 3
    expected = np.zeros((5, 5))
    expected[2, 3] = expected[3, 2] = 2
    expected[2, 4] = expected[4, 2] = expected[3, 4] = expected[4, 3] = 1
    assert np.array_equal(edge_weights(links, "cocitation").toarray(), expected)


@given(GRAPHS)
def test_links_and_neighbours_equal_the_links(links):
    off_diagonal = links * (1 - np.eye(len(links)))
    assert np.array_equal(edge_weights(links).toarray(), off_diagonal)
    assert np.array_equal(edge_weights(links, "neighbours").toarray(), off_diagonal + off_diagonal.T)


@given(GRAPHS, some.sampled_from(["links", "neighbours", "cocitation", "coupling"]))
def test_reverse_transposes_the_links(links, kind):
    turned = edge_weights(links, kind, reverse=True).toarray()
    assert np.array_equal(turned, edge_weights(links.T, kind).toarray())


@given(GRAPHS, some.sampled_from(["links", "cocitation"]), some.integers(1, 4))
def test_the_heaviest_are_kept(links, kind, heaviest):
    everything = edge_weights(links, kind).toarray()
    kept = edge_weights(links, kind, heaviest=heaviest).toarray()
    for whole, row in zip(everything, kept, strict=True):
        assert np.array_equal(row[row > 0], whole[row > 0])
        assert np.array_equal(np.sort(row)[::-1][:heaviest], np.sort(whole)[::-1][:heaviest])
        assert np.count_nonzero(row) <= heaviest


@given(GRAPHS)
def test_results_do_not_depend_on_the_block_size(links):
    whole = edge_weights(links, "cocitation", heaviest=2).toarray()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(edges, "_PAIRS_PER_BLOCK", 3)
        assert np.array_equal(edge_weights(links, "cocitation", heaviest=2).toarray(), whole)


def test_the_argument_is_not_changed():
    own = sparse.csr_array(np.array([[0.5, 0.5], [0.25, 0.75]]))
    before = own.toarray()
    weights = edge_weights(own)
    weights.data[:] = 9
    assert np.array_equal(own.toarray(), before)


def test_a_graph_without_links_has_empty_rows():
    for kind in ("links", "neighbours", "cocitation", "coupling"):
        assert edge_weights(np.zeros((3, 3)), kind).nnz == 0


@pytest.mark.parametrize(
    ("links", "options", "words"),
    [
        (np.zeros((2, 3)), {}, "nodes × nodes"),
        ([[0, -1.0], [0, 0]], {}, r"entry \(0, 1\) is -1.0"),
        ([[0, 0], [np.nan, 0]], {}, r"entry \(1, 0\) is nan"),
        ("graph", {}, "matrix of weights"),
        (np.zeros((2, 2)), {"kind": "cites"}, "'cocitation'"),
        (np.zeros((2, 2)), {"heaviest": 0}, "heaviest"),
    ],
)
def test_invalid_weights_are_rejected(links, options, words):
    with pytest.raises(PlaitError, match=words):
        edge_weights(links, **options)
