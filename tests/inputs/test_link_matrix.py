"""`Links`: rows and columns are selected together, and every reader of links accepts it."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sparse
from sklearn.utils import _safe_indexing

from plait import Corpus, Links, PlaitError
from plait.baselines.citations import read_citations
from plait.inputs.link_matrix import as_matrix
from plait.inputs.links import read_followed_links, read_influence_links, read_links, read_new_links

MATRIX = np.array([[0, 1, 0, 2], [0, 0, 3, 0], [4, 0, 0, 0], [0, 5, 0, 0.5]])


@pytest.mark.parametrize(
    ("rows", "kept"),
    [
        ([1, 3], [1, 3]),
        (slice(2), [0, 1]),
        (np.array([True, False, True, False]), [0, 2]),
        (np.array([2, -1]), [2, 3]),
        ((np.array([3, 0]), ...), [3, 0]),
        ([], []),
    ],
)
def test_rows_and_columns_are_selected_together(rows, kept):
    chosen = Links(MATRIX)[rows]
    assert isinstance(chosen, Links)
    np.testing.assert_array_equal(chosen.matrix.toarray(), MATRIX[np.ix_(kept, kept)])


def test_it_has_a_length_a_shape_and_a_short_form():
    links = Links(sparse.coo_array(MATRIX))
    assert (len(links), links.shape, repr(links)) == (4, (4, 4), "Links(4 documents, 6 links)")
    assert as_matrix(links) is links.matrix
    assert as_matrix(Links(links)) is links.matrix or (Links(links).matrix != links.matrix).nnz == 0
    np.testing.assert_array_equal(_safe_indexing(links, [0, 2]).matrix.toarray(), MATRIX[np.ix_([0, 2], [0, 2])])


@pytest.mark.parametrize(
    ("matrix", "shape"),
    [(MATRIX[:3], "3 × 4"), ([1, 2], "not 2;"), (5, "one number"), (np.ones((1, 2, 2)), "1 × 2 × 2")],
)
def test_only_a_square_matrix_is_accepted(matrix, shape):
    with pytest.raises(PlaitError, match=f"matrix documents × documents.*{shape}"):
        Links(matrix)


@pytest.mark.parametrize("rows", [0, (0, 1), (slice(None), [1]), [[0, 1]]])
def test_what_selects_no_documents_is_an_error(rows):
    with pytest.raises(PlaitError, match="give a slice, positions or a mask"):
        Links(MATRIX)[rows]


def test_readers_of_a_fit_accept_it():
    counts, links = np.ones((4, 3)), Links(MATRIX)
    for given in (links, MATRIX):
        read = read_links(counts, given, 4, None)
        assert (read.n_links, read.directed, read.n_self_links) == (5, True, 1)
        np.testing.assert_array_equal(read_influence_links(counts, given, 4).toarray(), MATRIX)
        assert read_citations(counts, given).n_self_links == 1
    without_self_link = MATRIX - np.diag(np.diag(MATRIX))
    for corpus in (
        Corpus.from_matrix(counts, links=Links(without_self_link)),
        Corpus(counts, ["x", "y", "z"], ["a", "b", "c", "d"], links=Links(without_self_link)),
    ):
        np.testing.assert_array_equal(corpus.links.toarray(), without_self_link)


def test_rows_selected_without_columns_say_what_to_do():
    rows = [0, 1, 3]
    for read in (lambda given: read_links(None, given, 3, None), lambda given: read_influence_links(None, given, 3)):
        with pytest.raises(PlaitError, match=r"links is 3 × 4 .*wrap the matrix: links=plait\.Links\(matrix\)"):
            read(MATRIX[rows])
        assert read(Links(MATRIX)[rows]) is not None


def test_links_of_new_documents_are_links_among_them():
    links = Links(MATRIX)
    among_new = read_followed_links(links, 4, 6)
    assert among_new.shape == (4, 10)
    assert among_new[:, :6].nnz == 0
    np.testing.assert_array_equal(among_new[:, 6:].toarray(), MATRIX - np.diag(np.diag(MATRIX)))
    with pytest.raises(PlaitError, match="links is 4 × 4 but must be 3 × 6"):
        read_followed_links(links, 3, 6)
    with pytest.raises(PlaitError, match=r"links is Links\(4 documents, 6 links\), links among the new documents"):
        read_new_links(links, 4, 4)
