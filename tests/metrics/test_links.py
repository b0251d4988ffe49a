"""Metrics of predicted links equal their definitions, for any block size, ties and left-out pairs."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sparse
from scipy.stats import rankdata
from sklearn.metrics import average_precision_score, roc_auc_score

from plait.errors import PlaitError
from plait.metrics import (
    LinkScores,
    links,
    mean_link_scores,
    score_link_pairs,
    score_link_ranks,
    score_word_ranks,
    split_documents,
    split_edges,
    undirected_links,
)

DATA = os.environ.get("PLAIT_DATA")


@pytest.fixture(params=[1, 3, 10_000], ids=["one row per block", "several rows per block", "one block"])
def block_rows(request, monkeypatch):
    monkeypatch.setattr(links, "_PAIRS_PER_BLOCK", 30 * request.param)


@pytest.fixture
def pairs():
    """Scores with many ties, links, and pairs to leave out; some rows have no links."""
    rng = np.random.default_rng(1)
    scores = rng.integers(0, 12, (20, 30)) / 4.0
    true = (rng.random((20, 30)) < 0.1) & (np.arange(20) % 4 != 0)[:, None]
    absent = (rng.random((20, 30)) < 0.2) & ~true
    return scores, true, absent


@pytest.mark.usefixtures("block_rows")
@pytest.mark.parametrize("left_out", [False, True])
@pytest.mark.parametrize("lazy", [False, True])
def test_metrics_equal_their_definitions(pairs, left_out, lazy):
    scores, true, absent = pairs
    kept = ~absent if left_out else np.ones_like(true)
    ranks = [rankdata(-row[keep])[linked[keep]] for row, linked, keep in zip(scores, true, kept, strict=True)]
    ranks = np.concatenate(ranks)
    found = score_link_ranks(
        (lambda rows: scores[rows]) if lazy else scores,
        sparse.csr_array(true * 2.5),
        leave_out=absent if left_out else None,
        hits=(1, 5),
    )
    assert found.n_documents == 20
    assert found.n_links == true.sum()
    assert found.n_without_links == (~true.any(axis=1)).sum() > 4
    assert found.link_rank == pytest.approx(ranks.mean())
    assert found.auc == pytest.approx(roc_auc_score(true[kept], scores[kept]))
    assert found.average_precision == pytest.approx(average_precision_score(true[kept], scores[kept]))
    assert found.hits == {k: pytest.approx(np.mean(ranks <= k)) for k in (1, 5)}


def test_perfect_scores_and_their_opposite(pairs):
    _, true, _ = pairs
    best = score_link_ranks(true.astype(float), true)
    worst = score_link_ranks(-true.astype(float), true)
    assert (best.auc, best.average_precision) == (1.0, 1.0)
    assert worst.auc == 0.0
    assert best.link_rank < 4 < 27 < worst.link_rank
    assert best.hits == {10: 1.0, 50: 1.0, 100: 1.0}


def test_infinite_scores_have_an_order(pairs):
    scores, true, _ = pairs
    with np.errstate(divide="ignore"):
        logarithms = np.log(scores)
    assert np.isneginf(logarithms).any()
    assert score_link_ranks(logarithms, true) == score_link_ranks(scores, true)


def test_auc_is_none_if_every_pair_is_linked():
    found = score_link_ranks(np.arange(6.0).reshape(2, 3), np.ones((2, 3)))
    assert found.auc is None
    assert (found.link_rank, found.average_precision) == (2.0, 1.0)


def test_pairs_are_ranked_among_those_of_their_source():
    rng = np.random.default_rng(2)
    linked, unlinked = rng.integers(2, 9, 40) / 8, rng.integers(0, 9, 300) / 8
    sources, other_sources = rng.integers(0, 10, 40) + 100, rng.integers(0, 12, 300) + 100
    found = score_link_pairs(linked, unlinked, sources, other_sources, hits=[1, 10])
    ranks = []
    for score, source in zip(linked, sources, strict=True):
        rivals = unlinked[other_sources == source]
        ranks.append(1 + (rivals > score).sum() + (rivals == score).sum() / 2)
    truth, scores = np.repeat([1, 0], [40, 300]), np.concatenate([linked, unlinked])
    assert found.link_rank == pytest.approx(np.mean(ranks))
    assert found.hits == {k: pytest.approx(np.mean(np.array(ranks) <= k)) for k in (1, 10)}
    assert found.auc == pytest.approx(roc_auc_score(truth, scores))
    assert found.average_precision == pytest.approx(average_precision_score(truth, scores))
    assert found.n_documents == len(set(sources) | set(other_sources))
    assert found.n_without_links == len(set(other_sources) - set(sources)) >= 2


@pytest.mark.usefixtures("block_rows")
def test_word_rank_is_a_mean_over_tokens():
    rng = np.random.default_rng(3)
    probabilities = rng.integers(1, 9, (12, 30)) / 40
    counts = rng.poisson(0.4, (12, 30))
    counts[5] = 0
    ranks = np.array([rankdata(-row) for row in probabilities])
    expected = (ranks * counts).sum() / counts.sum()
    assert score_word_ranks(probabilities, counts) == pytest.approx(expected)
    stored = sparse.csr_array(counts)
    stored.data[0] = 0  # a stored zero is no word
    before = stored.copy()
    without = (ranks * stored.toarray()).sum() / stored.sum()
    assert score_word_ranks(lambda rows: probabilities[rows], stored) == pytest.approx(without)
    np.testing.assert_array_equal(stored.indices, before.indices)
    np.testing.assert_array_equal(stored.data, before.data)


def test_mean_of_folds():
    one, other = LinkScores(5, 10, 1, 3.0, 0.5, 0.25, {1: 0.0}), LinkScores(7, 2, 0, 5.0, None, 0.75, {1: 1.0})
    assert mean_link_scores([one, other]) == LinkScores(12, 12, 1, 4.0, 0.5, 0.5, {1: 0.5})
    with pytest.raises(PlaitError, match="no folds"):
        mean_link_scores([])


def test_invalid_input_is_rejected(pairs):
    scores, true, absent = pairs
    with pytest.raises(PlaitError, match="none of the documents has a link"):
        score_link_ranks(scores, np.zeros((20, 30)))
    with pytest.raises(PlaitError, match=r"scores are of shape \(20, 29\), links of \(20, 30\)"):
        score_link_ranks(scores[:, 1:], true)
    with pytest.raises(PlaitError, match=r"scores of rows 0 to 19 are of shape \(3, 30\)"):
        score_link_ranks(lambda rows: scores[:3], true)
    with pytest.raises(PlaitError, match="some links are in leave_out"):
        score_link_ranks(scores, true, leave_out=absent | true)
    with pytest.raises(PlaitError, match=r"leave_out is of shape \(20, 29\)"):
        score_link_ranks(scores, true, leave_out=absent[:, 1:])
    with pytest.raises(PlaitError, match="k of hits must be a whole number"):
        score_link_ranks(scores, true, hits=[0])
    scores[7, 3] = np.nan
    with pytest.raises(PlaitError, match="scores of row 7 contain NaN"):
        score_link_ranks(scores, true)
    with pytest.raises(PlaitError, match="1 linked and 0 unlinked"):
        score_link_pairs([1.0], [], [0], [])
    with pytest.raises(PlaitError, match="unlinked_sources is of shape"):
        score_link_pairs([1.0], [1.0, 2.0], [0], [0])
    with pytest.raises(PlaitError, match="no words"):
        score_word_ranks(np.ones((2, 3)), np.zeros((2, 3)))


def test_every_document_is_held_out_once():
    folds = split_documents(23, n_folds=4, seed=7)
    assert sorted(np.concatenate([held_out for _, held_out in folds])) == list(range(23))
    for training, held_out in folds:
        assert len(training) + len(held_out) == len(np.union1d(training, held_out)) == 23
    again, other = split_documents(23, n_folds=4, seed=7), split_documents(23, n_folds=4, seed=8)
    assert all((one[1] == two[1]).all() for one, two in zip(folds, again, strict=True))
    assert not all(set(one[1]) == set(two[1]) for one, two in zip(folds, other, strict=True))
    with pytest.raises(PlaitError, match="3 documents cannot make 5 folds"):
        split_documents(3)


@pytest.fixture
def network():
    rng = np.random.default_rng(4)
    matrix = (rng.random((60, 60)) < 0.06) * rng.integers(1, 4, (60, 60)).astype(float)
    matrix[3, 3] = 2.0
    return sparse.csr_array(matrix)


@pytest.mark.parametrize("directed", [False, True])
def test_split_edges(network, directed):
    split = split_edges(network, 0.25, negatives_per_link=7, directed=directed, seed=5)
    before = network.toarray()
    assert split.n_self_links == (before.diagonal() != 0).sum() >= 1
    np.fill_diagonal(before, 0)
    training, both = split.training.toarray(), (before != 0) | (before.T != 0)
    n_links = (before != 0).sum() if directed else both.sum() // 2
    assert len(split.linked) == round(0.25 * n_links)
    known = before != 0 if directed else both
    assert known[tuple(split.linked.T)].all()
    assert not known[tuple(split.unlinked.T)].any()
    assert (split.unlinked[:, 0] != split.unlinked[:, 1]).all()
    np.testing.assert_array_equal(split.unlinked[:, 0], np.repeat(split.linked[:, 0], 7))
    source, target = split.linked.T
    expected = before.copy()
    expected[source, target] = 0
    if not directed:
        expected[target, source] = 0
        assert 0.2 < (source < target).mean() < 0.8
    np.testing.assert_array_equal(training, expected)


def test_split_edges_is_keyed_by_its_seed(network):
    one, same, other = (split_edges(network, seed=seed) for seed in (1, 1, 2))
    for first, second in zip(one[1:3], same[1:3], strict=True):
        np.testing.assert_array_equal(first, second)
    assert not np.array_equal(one.linked, other.linked)


def test_links_that_cannot_be_split_are_rejected(network):
    with pytest.raises(PlaitError, match=r"a share of 1\.0 holds out"):
        split_edges(network, 1.0)
    with pytest.raises(PlaitError, match="holds out 0 of 0 links"):
        split_edges(np.zeros((4, 4)))
    with pytest.raises(PlaitError, match="is linked with every other document"):
        split_edges(np.ones((5, 5)), 0.3)
    with pytest.raises(PlaitError, match=r"links are of shape \(2, 3\)"):
        split_edges(np.ones((2, 3)))


def test_undirected_links_does_not_change_its_argument(network):
    before = network.copy()
    either = undirected_links(network).toarray()
    full = network.toarray()
    expected = ((full != 0) | (full.T != 0)) & ~np.eye(60, dtype=bool)
    np.testing.assert_array_equal(either, expected)
    np.testing.assert_array_equal(network.toarray(), before.toarray())
    assert undirected_links([[0, 1], [-1, 0]]).nnz == 2


@pytest.mark.data
@pytest.mark.skipif(not DATA, reason="PLAIT_DATA names no folder of corpora")
def test_links_of_webkb_by_tfidf():
    """Measured on the same folds by other code: 122 and 0.827."""
    from plait import read_corpus
    from plait.baselines import TfidfCosine

    corpus = read_corpus(Path(DATA, "webkb"), on_error="skip")
    either, folds = undirected_links(corpus.links), []
    for training, held_out in split_documents(corpus.n_documents):
        known = corpus.select(training)
        scores = TfidfCosine().fit(known.counts, known.links).score_links(corpus.counts[held_out])
        folds.append(score_link_ranks(scores, either[held_out][:, training]))
    mean = mean_link_scores(folds)
    assert round(mean.link_rank) == 122
    assert round(mean.auc, 3) == 0.827
