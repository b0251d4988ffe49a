"""Whom words may draw from, and γ: section 3.3 of Bíró and Szabó (2009), worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sparse

from plait import LinkedDocuments, OwnDocument, PlaitError
from plait.mixing.linked_documents import heaviest_links, orient_links

# 0 cites 1 three times and 2 once; 1 cites 0 twice; 2 cites itself only; 3 cites all, itself too.
LINKS = sparse.csr_array(np.array([[0, 3, 1, 0], [2, 0, 0, 0], [0, 0, 5, 0], [1, 1, 1, 4]], dtype=float))
LENGTHS = np.array([45.0, 10.0, 7.0, 14.0])


def listed(candidates):
    """Return the candidates of each document with their γ."""
    return [
        dict(zip(candidates.documents[own].tolist(), candidates.gamma[own].tolist(), strict=True))
        for own in map(slice, candidates.starts[:-1], candidates.starts[1:])
    ]


def gamma_by_hand(weights, document, length, p):
    """Return γ of a document from the weights of its links: the two lines of section 3.3, and their sum."""
    expected = {document: 1 + sum(weights.values())} | weights
    total = sum(expected.values())
    return {other: value * length / p / total for other, value in expected.items()}


@pytest.mark.parametrize("p", [1, 4, 10, 2.5])
def test_gamma_is_that_of_the_paper(p):
    seen = listed(LinkedDocuments(p=p).candidates(LINKS, LENGTHS))
    weights = [{1: 3, 2: 1}, {0: 2}, {}, {0: 1, 1: 1, 2: 1}]
    for document, (own, expected) in enumerate(zip(seen, weights, strict=True)):
        assert own == pytest.approx(gamma_by_hand(expected, document, LENGTHS[document], p))
        assert next(iter(own)) == document  # itself comes first
        assert sum(own.values()) == pytest.approx(LENGTHS[document] / p)
    # In numbers: of 45 words with p = 1 and weights 3 and 1 the document itself has (1 + 4) of 1 + 4 + 4 parts.
    assert listed(LinkedDocuments(p=1).candidates(LINKS, LENGTHS))[0] == {0: 25.0, 1: 15.0, 2: 5.0}


def test_a_document_without_words_has_gamma_above_zero():
    candidates = LinkedDocuments().candidates(LINKS, np.array([0.0, 10.0, 0.0, 0.0]))
    assert (candidates.gamma > 0).all()
    assert np.isfinite(candidates.gamma).all()


def test_links_to_itself_say_nothing():
    without = LINKS.copy()
    without.setdiag(0)
    one, other = (LinkedDocuments().candidates(links, LENGTHS) for links in (LINKS, without))
    for name in one._fields:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert listed(one)[2] == {2: 0.7}


def test_directions():
    """0 and 1 are linked both ways, with weights 3 and 2: read both ways it is one link, with the larger weight."""
    whom = {way: orient_links(LINKS, way).toarray().tolist() for way in ("out", "in", "both")}
    assert whom["out"] == [[0, 3, 1, 0], [2, 0, 0, 0], [0, 0, 0, 0], [1, 1, 1, 0]]
    assert whom["in"] == [[0, 2, 0, 1], [3, 0, 0, 1], [1, 0, 0, 1], [0, 0, 0, 0]]
    assert whom["both"] == [[0, 3, 1, 1], [3, 0, 0, 1], [1, 0, 0, 1], [1, 1, 1, 0]]
    for way, expected in whom.items():
        seen = listed(LinkedDocuments(p=1, direction=way).candidates(LINKS, LENGTHS))
        for document, (own, row) in enumerate(zip(seen, expected, strict=True)):
            weights = {other: weight for other, weight in enumerate(row) if weight}
            assert own == pytest.approx(gamma_by_hand(weights, document, LENGTHS[document], 1))


def test_the_heaviest_links_are_followed():
    links = sparse.csr_array(np.array([[0, 2, 5, 2, 1, 1], [1, 0, 1, 1, 1, 1], *np.zeros((4, 6))], dtype=float))
    assert heaviest_links(links, 3)[[0]].toarray().tolist() == [[0, 2, 5, 2, 0, 0]]
    assert heaviest_links(links, 3)[[1]].nnz == 3
    assert heaviest_links(links, 1).toarray()[0].tolist() == [0, 0, 5, 0, 0, 0]
    assert (heaviest_links(links, None) != links).nnz == 0
    lengths = np.full(6, 30.0)
    # γ counts the links that are followed only.
    three, every = (listed(LinkedDocuments(p=1, most_links=most).candidates(links, lengths))[0] for most in (3, None))
    assert three == pytest.approx(gamma_by_hand({1: 2, 2: 5, 3: 2}, 0, 30, 1))
    assert every == pytest.approx(gamma_by_hand({1: 2, 2: 5, 3: 2, 4: 1, 5: 1}, 0, 30, 1))
    assert (
        len(listed(LinkedDocuments().candidates(links, lengths))[0]) == 6
    )  # 10 are followed unless one says otherwise


def test_many_links_agree_with_sorting_them_row_by_row():
    rng = np.random.default_rng(0)
    dense = rng.integers(0, 4, size=(60, 60)) * (rng.random((60, 60)) < 0.4)
    np.fill_diagonal(dense, 0)
    kept = heaviest_links(sparse.csr_array(dense.astype(float)), 7).toarray()
    for row, expected in zip(kept, dense, strict=True):
        assert np.all(row[row > 0] == expected[row > 0])
        assert sorted(row[row > 0]) == sorted(expected)[::-1][: np.count_nonzero(row)][::-1]
        assert np.count_nonzero(row) == min(7, np.count_nonzero(expected))


def test_of_equal_links_some_are_followed_whatever_the_order_of_documents():
    n_documents = 400
    links = sparse.csr_array(np.ones((n_documents, n_documents)) - np.eye(n_documents))
    kept = heaviest_links(links, 10)
    assert np.diff(kept.indptr).tolist() == [10] * n_documents
    followed = np.bincount(kept.indices, minlength=n_documents)
    # By the first columns, ten documents would be followed by all others; by chance each is by about ten.
    assert followed.max() < 30
    assert followed[:200].sum() == pytest.approx(2000, abs=200)
    assert (heaviest_links(links, 10) != kept).nnz == 0
    assert (heaviest_links(sparse.csr_array(links[100:]), 10, np.arange(100, n_documents)) != kept[100:]).nnz == 0


def test_new_documents_draw_from_known_ones():
    links = sparse.csr_array(np.array([[0, 3, 0, 1], [0, 0, 0, 0]], dtype=float))
    candidates = LinkedDocuments(p=1).new_candidates(links, np.array([45.0, 0.0]))
    assert candidates.starts.tolist() == [0, 3, 4]
    assert candidates.documents.tolist() == [0, 1, 3, 1]  # each document's own place has the number of its row
    assert candidates.gamma.tolist() == [25.0, 15.0, 5.0, 1.0]
    assert LinkedDocuments(most_links=1).new_candidates(links, np.ones(2)).documents.tolist() == [0, 1, 1]


def test_what_is_given_stays_as_it_is():
    before = LINKS.copy()
    for direction in ("out", "in", "both"):
        LinkedDocuments(direction=direction, most_links=1).candidates(LINKS, LENGTHS)
    assert (before != LINKS).nnz == 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"p": 0}, r"p, by which a document's length is divided .* must lie between 1e-06 and 1e\+06, not 0"),
        ({"p": -1.0}, "must lie between .*, not -1.0"),
        ({"p": float("nan")}, "must lie between .*, not nan"),
        ({"p": 1e7}, "must lie between .*, not 10000000.0"),
        ({"p": float("inf")}, "must lie between .*, not inf"),
        ({"p": True}, "must lie between .*, not True"),
        ({"p": "10"}, "must lie between .*, not '10'"),
        ({"most_links": 0}, "most_links must be a whole number"),
        ({"most_links": 2.5}, "most_links must be a whole number"),
        ({"direction": "up"}, "direction must be one of 'out', 'in', 'both', not 'up'"),
        ({"direction": ["out"]}, "direction must be one of"),
    ],
)
def test_settings_that_cannot_work_are_refused(changes, message):
    with pytest.raises(PlaitError, match=message):
        LinkedDocuments(**changes).candidates(LINKS, LENGTHS)


def test_without_links_there_is_nobody_to_draw_from():
    with pytest.raises(PlaitError, match="no links, which LinkedDocuments mixing requires; give links=, or use LDA"):
        LinkedDocuments().candidates(None, LENGTHS)
    assert OwnDocument().candidates(LINKS, LENGTHS) is None


def test_alpha_is_as_for_words_of_their_own_document():
    assert LinkedDocuments([0.1, 0.5]).alphas(2).tolist() == [0.1, 0.5]
    assert LinkedDocuments().alphas(3).tolist() == [0.1, 0.1, 0.1]
    with pytest.raises(PlaitError, match="alpha has the shape"):
        LinkedDocuments([0.1, 0.5]).alphas(3)
