"""RelationalTopicModel as a user meets it: planted links, links in every form, costs, samplers, threads."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sparse
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline

from plait import RelationalTopicModel
from plait.responses.linear.pairs import ChainPairs
from plait.samplers import SAMPLERS
from tests.models.linked import (
    FINANCE,
    NATURE,
    QUICK,
    RATES,
    SPORT,
    all_samples,
    as_corpus,
    fitted,
    groups_of,
    links_between,
    naive_scores,
    of_links,
    same_bits,
)
from tests.models.small import WORDS, counts_for, of_classes

# Sweeps of these samplers are compiled for few tests.
pytestmark = pytest.mark.slow_with("aggregated", "sparse", "limit", "synchronous")

TO_THEMSELVES = 0.4 * np.eye(3) + 0.01


def watched(X, links, **changes):
    """A fitted model and the response of its last chain, as the chain left it."""
    seen = []

    class Watched(RelationalTopicModel):
        def _chain_responses(self, given, plan):
            seen.append(super()._chain_responses(given, plan))
            return seen[-1]

    model = Watched(**(QUICK | {"pair_features": None} | changes)).fit(X, links=links)
    return model, seen[-1][0]


def by_groups(scores, rows, columns):
    """Mean score of links from each group to each other one."""
    return np.array([[scores[np.ix_(rows == one, columns == other)].mean() for other in range(3)] for one in range(3)])


def auc_of_new(model, rates=RATES, direction="to", links_go="to"):
    """How well the links of new documents, to or from the known ones, are told from pairs that are none."""
    new, groups = of_classes(45, 3, seed=1)
    known = groups_of(model.links_.shape[0])
    way = (groups, known) if links_go == "to" else (known, groups)
    truth = links_between(*way, 1, rates).toarray()
    truth = truth if links_go == "to" else truth.T
    return roc_auc_score(truth.ravel(), model.score_links(new, direction).ravel())


def test_planted_links_between_groups_are_learned():
    counts, links = of_links()
    model = fitted(counts, links)
    assert model.directed_
    assert model.weights_.shape == (4, 4)
    assert model.n_links_ == links.nnz
    np.testing.assert_array_equal(model.links_.toarray(), links.toarray())
    new, groups = of_classes(45, 3, seed=1)
    scores = by_groups(model.score_links(new, "to"), groups, groups_of(60))
    # The more often one group links to another, the higher their score.
    assert scores[RATES == 0.4].min() > 0.6 > scores[FINANCE, FINANCE]
    assert scores[FINANCE, FINANCE] > 0.3 > 0.2 > scores[RATES == 0.01].max()


def test_scores_are_probabilities_where_a_link_costs_what_a_pair_without_one_does():
    counts, links = of_links(90)
    known = groups_of(90)
    model = fitted(counts, links, c=1.0, negative_share=1, n_chains=4)
    new, groups = of_classes(90, 3, seed=1)
    there = by_groups(links.toarray(), known, known)
    # Of 900 pairs of two groups the share of links has a standard error of at most 0.016; 0.06 is about four.
    np.testing.assert_allclose(by_groups(model.score_links(new, "to"), groups, known), there, atol=0.06)
    pairs = np.argwhere(~np.eye(90, dtype=bool))
    assert model.score_pairs(pairs).mean() == pytest.approx(links.nnz / len(pairs), abs=0.02)
    hinge = fitted(counts, links, loss="hinge").score_links(new, "to")
    assert hinge.max() > 1  # which is a value and no probability
    assert hinge.min() < -1


def test_links_of_new_documents_are_found_in_their_direction():
    model = fitted(*of_links())
    assert auc_of_new(model) > 0.85
    assert auc_of_new(model, direction="from", links_go="from") > 0.85
    assert auc_of_new(model, direction="from") < 0.65
    assert auc_of_new(model, links_go="from") < 0.65


def test_links_held_out_are_ranked_far_above_pairs_without_one():
    counts, links = of_links(90)
    coo = links.tocoo()
    held_out = np.random.default_rng(0).random(coo.nnz) < 0.2
    training = sparse.csr_array((coo.data[~held_out], (coo.row[~held_out], coo.col[~held_out])), shape=links.shape)
    model = fitted(counts, training)
    linked = np.column_stack([coo.row, coo.col])[held_out]
    unlinked = np.argwhere((links.toarray() == 0) & ~np.eye(90, dtype=bool))
    truth = np.repeat([1, 0], [len(linked), len(unlinked)])
    assert roc_auc_score(truth, model.score_pairs(np.vstack([linked, unlinked]))) > 0.8


def test_links_have_a_direction_unless_each_has_its_reverse():
    counts, links = of_links()
    both_ways = sparse.csr_array(links + links.T)
    assert fitted(counts, links).directed_
    model = fitted(counts, both_ways)
    assert not model.directed_
    np.testing.assert_array_equal(model.weights_, model.weights_.T)
    upper = np.triu(both_ways.toarray() > 0)
    assert model.n_links_ == upper.sum()
    np.testing.assert_array_equal(model.links_.toarray() > 0, upper)
    same_bits(model, fitted(counts, both_ways, directed=False), counts)
    as_two = fitted(counts, both_ways, directed=True)
    assert as_two.directed_
    assert as_two.n_links_ == 2 * upper.sum()
    assert as_two.weights_.tobytes() != as_two.weights_.T.tobytes()


def test_without_direction_a_link_counts_once_with_its_larger_weight():
    counts, links = of_links()
    both_ways = (3.0 * links + 2.0 * links.T).toarray()
    model = fitted(counts, both_ways, directed=False)
    larger = np.triu(np.maximum(both_ways, both_ways.T))
    assert set(np.unique(larger)) == {0.0, 3.0, 5.0}
    np.testing.assert_array_equal(model.links_.toarray(), larger)
    assert model.n_links_ == np.count_nonzero(larger)
    same_bits(model, fitted(counts, both_ways), counts)  # that the two ways differ in weight gives no direction
    same_bits(model, fitted(counts, larger, directed=False), counts)
    same_bits(model, fitted(counts, larger.T, directed=False), counts)


def test_directed_links_say_more_than_the_same_without_direction():
    counts, links = of_links()
    undirected = fitted(counts, links, directed=False)
    assert auc_of_new(fitted(counts, links)) > auc_of_new(undirected) + 0.03
    assert undirected.score_links(counts, "to").tobytes() == undirected.score_links(counts, "from").tobytes()
    assert undirected.score_links(counts).tobytes() == undirected.score_links(counts, "to").tobytes()


def test_heavier_links_count_more():
    counts, links = of_links(own=0.3)
    heavy = links.toarray()
    groups = groups_of(60)
    heavy[groups == SPORT] *= 30  # sport to sport against finance to nature
    new, new_groups = of_classes(60, 3, seed=1, own=0.3)
    even, uneven = (by_groups(fitted(counts, y).score_links(new, "to"), new_groups, groups) for y in (links, heavy))
    assert uneven[SPORT, SPORT] > even[SPORT, SPORT] + 0.05
    assert uneven[FINANCE, NATURE] < even[FINANCE, NATURE] - 0.3


def test_weights_are_compared_with_their_mean():
    counts, links = of_links()
    links.data[:] = np.random.default_rng(0).integers(1, 5, size=links.nnz)
    model, response = watched(counts, links, c=3.0, c_negative=0.5)
    n_pairs = model.n_links_ + model.n_negatives_
    linked = response.pairs.signs > 0
    assert linked.sum() == links.nnz
    assert response.pairs.signs.size == response.pairs.costs.size == n_pairs
    weights = links.toarray()[response.pairs.sources, response.pairs.targets]
    np.testing.assert_allclose(response.pairs.costs[linked], 3.0 * weights[linked] / links.data.mean())
    np.testing.assert_array_equal(response.pairs.costs[~linked], 0.5)
    same_bits(model, fitted(counts, 4.0 * links, c=3.0, c_negative=0.5), counts)
    assert model.weights_.tobytes() != fitted(counts, links > 0, c=3.0, c_negative=0.5).weights_.tobytes()


def test_documents_without_links_are_counted_and_shape_the_topics():
    """A word that stands in documents without links only tells of links by the words that it stands with."""
    counts, links = of_links()
    more, _ = of_classes(60, 3, seed=1)
    counts[:, [0, 4]] = 0  # "money" and "river" in no document with a link
    together = np.vstack([counts, more])
    wider = sparse.csr_array(sparse.block_diag([links, sparse.csr_array((60, 60))]))
    settings = {"negatives_per_link": 0.5, "c": 0.5, "c_negative": 0.5, "n_chains": 3}
    model = fitted(together, wider, **settings)
    assert model.n_unlinked_ == 60
    assert model.doc_topic_.shape == (120, 4)
    linked_only = fitted(counts, links, **settings)
    assert linked_only.n_unlinked_ == 0
    alone = np.vstack([6 * counts_for("money"), 6 * counts_for("river")])
    to_nature = [by.score_links(alone, "to")[:, NATURE:60:3].mean(axis=1) for by in (model, linked_only)]
    assert to_nature[0][0] - to_nature[0][1] > 0.4
    assert abs(to_nature[1][0] - to_nature[1][1]) < 0.2


def test_a_document_with_links_but_without_words_does_no_harm():
    counts, links = of_links()
    counts[[0, 1]] = 0
    assert links[[0]].nnz > 0
    model = fitted(counts, links)
    assert np.isfinite(model.weights_).all()
    assert auc_of_new(model) > 0.8


def test_self_links_are_dropped_and_counted():
    counts, links = of_links()
    looped = links.toarray() + 5 * np.diag(groups_of(60) == SPORT)
    model, without = fitted(counts, looped), fitted(counts, links)
    assert (model.n_self_links_, without.n_self_links_) == (20, 0)
    assert model.n_links_ == links.nnz
    assert not model.links_.diagonal().any()
    same_bits(model, without, counts)
    # A document that links to itself only has no link; and loops do not make links look directed.
    links[[3], :] = 0
    links[:, [3]] = 0
    looped = sparse.csr_array(links + links.T + sparse.diags_array((np.arange(60) == 3).astype(float)))
    model = fitted(counts, looped)
    assert (model.n_self_links_, model.n_unlinked_, model.directed_) == (1, 1, False)


def test_repeated_links_are_one_link_of_their_weights_together():
    counts, links = of_links()
    coo = links.tocoo()
    rows, columns = np.concatenate([coo.row, coo.row[:50], [0]]), np.concatenate([coo.col, coo.col[:50], [8]])
    weights = np.concatenate([coo.data, 2 * coo.data[:50], [0.0]])
    assert links[0, 8] == 0
    repeated = sparse.coo_array((weights, (rows, columns)), shape=links.shape)
    summed = repeated.toarray()
    model = fitted(counts, repeated)
    assert model.n_links_ == links.nnz  # a weight of 0 is no link
    assert (model.links_.data == 3).sum() == 50
    np.testing.assert_array_equal(model.links_.toarray(), summed)
    assert model.links_.has_canonical_format
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=60))])
    order = np.argsort(rows, kind="stable")
    as_rows = sparse.csr_array((weights[order], columns[order], starts), shape=links.shape)
    assert not as_rows.has_canonical_format
    for form in (summed, as_rows, sparse.csc_array(repeated)):
        same_bits(model, fitted(counts, form), counts)


def test_links_in_every_form_are_the_same_model():
    counts, links = of_links()
    dense = links.toarray()
    model = fitted(counts, links)
    given = [dense, dense.tolist(), dense > 0, dense.astype(np.uint8), pd.DataFrame(dense), sparse.lil_array(links)]
    for form in [*given, sparse.csr_matrix(links), sparse.coo_array(links).astype(np.int8)]:
        same_bits(model, fitted(counts, form), counts)


def test_a_corpus_brings_its_links():
    counts, links = of_links()
    corpus = as_corpus(counts, links)
    model = fitted(corpus)
    assert model.doc_ids_.tolist()[:2] == ["doc 0", "doc 1"]
    same_bits(model, fitted(counts, links), counts)
    other = sparse.csr_array(links.T)
    same_bits(fitted(corpus, other), fitted(counts, other), counts)  # links= before the corpus's own
    part = corpus.select([f"doc {row}" for row in range(30)])  # links that lead outside are lost
    model = fitted(part)
    assert model.n_links_ == links[:30, :30].nnz < links[:30].nnz
    same_bits(model, fitted(counts[:30], links[:30, :30]), counts)


def test_what_is_given_stays_as_it_is():
    counts, links = of_links()
    links.setdiag(2.0)
    links.data[3] = 0.0
    before = links.copy()
    fitted(counts, links)
    fitted(counts, links, directed=False)
    for name in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(links, name), getattr(before, name))


@pytest.mark.parametrize("directed", [True, False])
def test_as_many_pairs_without_a_link_are_drawn_as_asked_for(directed):
    counts, links = of_links(rates=0.1 * RATES)
    n_links = links.nnz if directed else np.triu((links + links.T).toarray()).astype(bool).sum()
    there = (60 * 59 if directed else 60 * 59 // 2) - n_links
    assert 10 * n_links < there
    expected = {
        "10 a link": ({}, 10 * n_links),
        "2 a link": ({"form": "diagonal"}, 2 * n_links),
        "10 a link of low rank": ({"form": "low_rank(2)"}, 10 * n_links),
        "2.5 a link": ({"negatives_per_link": 2.5}, round(2.5 * n_links)),
        "one at least": ({"negatives_per_link": 1e-6}, 1),
        "no more than there are": ({"negatives_per_link": 1e6}, there),
        "a share": ({"negative_share": 0.3}, round(0.3 * there)),
        "one at least of a share": ({"negative_share": 1e-9}, 1),
        "all": ({"negative_share": 1}, there),
    }
    either = links.toarray() + (0 if directed else links.toarray().T)
    for changes, number in expected.values():
        model, response = watched(counts, links, directed=directed, **changes)
        assert model.n_negatives_ == number
        assert (response.pairs.signs < 0).sum() == number
        sources, targets = response._unlinked
        assert len(set(zip(sources, targets, strict=True))) == number
        assert (sources != targets).all()
        assert not either[sources, targets].any()


def test_pairs_without_a_link_are_drawn_anew_as_often_as_asked_for(monkeypatch):
    counts, links = of_links(rates=0.2 * RATES)
    drawn = []
    take = ChainPairs._set_negatives
    monkeypatch.setattr(ChainPairs, "_set_negatives", lambda self, *pairs: [drawn.append(pairs), take(self, *pairs)])
    for every, times in ((0, 1), (5, 5), (22, 2), (23, 1), (1, 23)):  # of 22 sweeps, and once before them
        drawn.clear()
        fitted(counts, links, fresh_negatives=every, n_chains=1)
        assert len({tuple(np.ravel(pairs)) for pairs in drawn}) == len(drawn) == times
    drawn.clear()
    fitted(counts, links, n_chains=3)
    assert len({tuple(np.ravel(pairs)) for pairs in drawn}) == 3  # every chain has its own


def test_weights_are_drawn_as_often_as_asked_for(monkeypatch):
    counts, links = of_links()
    draws = []
    weights = ChainPairs._solve_weights

    def counted(self, topics, random, executor):
        draws.append(random is not None)
        return weights(self, topics, random, executor)

    monkeypatch.setattr(ChainPairs, "_solve_weights", counted)
    for every, times in ((1, 22), (5, 5), (7, 4), (100, 1)):  # of 22 sweeps, the first one always
        draws.clear()
        fitted(counts, links, weights_every=every, n_chains=1)
        assert sum(draws) == times
    draws.clear()
    fitted(counts, links, n_chains=1)
    assert sum(draws) == 5


@pytest.mark.parametrize("loss", ["logistic", "hinge", "probit"])
def test_costs_and_the_prior_move_scores_their_way(loss):
    counts, links = of_links(own=0.3)
    linked = links.toarray() > 0

    def scores(**changes):
        return fitted(counts, links, loss=loss, n_chains=1, **changes).score_links(counts, "to")

    # The probit loss has whole costs, so that the smallest moves scores already.
    costs, least = ((1.0, 4.0, 40.0), 0.1) if loss == "probit" else ((0.05, 1.0, 20.0), 0.3)
    of_links_by_c = [scores(c=c)[linked].mean() for c in costs]
    assert of_links_by_c == sorted(of_links_by_c)
    assert of_links_by_c[2] > of_links_by_c[0] + least
    of_others = [scores(c_negative=c)[~linked].mean() for c in costs]
    assert of_others == sorted(of_others, reverse=True)
    assert of_others[2] < of_others[0] - least
    sizes = [np.abs(fitted(counts, links, loss=loss, n_chains=1, nu=nu).weights_).mean() for nu in (0.01, 0.3, 3.0)]
    assert sizes == sorted(sizes)
    assert sizes[2] > 10 * sizes[0]


def test_the_margin_of_the_hinge_loss_moves_values_apart():
    counts, links = of_links()
    spreads = [np.abs(fitted(counts, links, loss="hinge", ell=ell).score_links(counts)).mean() for ell in (0.1, 1, 5)]
    assert spreads == sorted(spreads)
    assert spreads[2] > 2 * spreads[0]
    logistic = fitted(counts, links)
    same_bits(logistic, fitted(counts, links, ell=5.0), counts)  # which the logistic loss has not
    assert logistic.weights_.tobytes() != fitted(counts, links, loss="hinge").weights_.tobytes()


def test_what_costs_are_where_none_is_given():
    counts, links = of_links()
    same_bits(fitted(counts, links), fitted(counts, links, c=4.0), counts)
    diagonal = fitted(counts, links, form="diagonal")
    same_bits(diagonal, fitted(counts, links, form="diagonal", c=25), counts)


@pytest.mark.parametrize("directed", [True, False])
def test_diagonal_weights_link_topics_to_themselves(directed):
    counts, links = of_links(rates=TO_THEMSELVES)
    model = fitted(counts, links, form="diagonal", directed=directed)
    assert not model.weights_[~np.eye(4, dtype=bool)].any()
    assert np.diag(model.weights_).all()
    assert auc_of_new(model, TO_THEMSELVES) > 0.8
    for sample in all_samples(model):
        assert not sample.weights[0][~np.eye(4, dtype=bool)].any()
    # Where a group links to another, full weights say it and diagonal ones cannot.
    across, n_documents = RATES * (1 - np.eye(3)) + 0.01, 60
    counts, links = of_links(n_documents, rates=across)
    full, diagonal = (fitted(counts, links, form=form) for form in ("full", "diagonal"))
    assert auc_of_new(full, across) > auc_of_new(diagonal, across) + 0.1


@pytest.mark.parametrize("directed", [True, False])
def test_low_rank_weights_learn_links_across_topics(directed):
    across = RATES * (1 - np.eye(3)) + 0.01
    counts, links = of_links(rates=across)
    model, diagonal = (fitted(counts, links, form=form, directed=directed) for form in ("low_rank(2)", "diagonal"))
    way, gain = ("to", 0.1) if directed else ("either", 0.05)
    assert auc_of_new(model, across, way) > auc_of_new(diagonal, across, way) + gain
    for sample in all_samples(model):
        weights = sample.weights[0]
        assert np.allclose(weights, weights.T) == (not directed)


@pytest.mark.slow  # compiles the sweep of a sampler other than plain
def test_exact_and_cached_differ_and_both_learn():
    counts, links = of_links()
    exact, cached = fitted(counts, links, cached=False), fitted(counts, links, cached=True)
    assert exact.weights_.tobytes() != cached.weights_.tobytes()
    assert auc_of_new(exact) > 0.85
    assert auc_of_new(cached) > 0.85
    same_bits(fitted(counts, links), exact, counts)
    limit = fitted(counts, links, sampler="limit")
    same_bits(limit, fitted(counts, links, sampler="limit", cached=True), counts)


@pytest.mark.parametrize(
    "changes", [{}, {"loss": "hinge"}, {"directed": False}, {"form": "diagonal"}, {"form": "low_rank(2)"}], ids=str
)
@pytest.mark.parametrize(
    "sampler",  # the sweeps of these for links take longest to compile
    [pytest.param(name, marks=[pytest.mark.slow] * ("aggregated" in name)) for name in [*SAMPLERS, "sparse(2)"]],
)
def test_every_sampler_learns_in_every_form(sampler, changes):
    to_themselves = changes.get("form") == "diagonal"
    rates = TO_THEMSELVES if to_themselves else RATES
    model = fitted(*of_links(rates=rates), sampler=sampler, **changes)
    assert auc_of_new(model, rates, "to" if model.directed_ else "either") > 0.78


@pytest.mark.slow  # compiles the sweep of a sampler other than plain
def test_samplers_that_spread_words_take_fractions():
    counts, links = of_links()
    model = fitted(0.5 * counts, links, sampler="limit")
    assert auc_of_new(model) > 0.8
    assert np.isfinite(model.score_links(counts / 3)).all()


@pytest.mark.parametrize(
    "changes",
    [
        {}, {"loss": "hinge"}, {"directed": False}, {"form": "diagonal"}, {"form": "low_rank(2)"},
        {"form": "low_rank(2)", "directed": False}, {"sampler": "limit"},
    ],
    ids=str,
)  # fmt: skip
def test_same_bits_for_any_number_of_threads(changes):
    counts, links = of_links(520, rates=0.03 * RATES)  # so many that weights are added up in parts
    short = {"n_shards": 4, "n_chains": 2, "n_sweeps": 5, "n_samples": 2, "sample_every": 1, "weights_every": 2}
    one, other = (fitted(counts, links, n_jobs=jobs, fresh_negatives=3, **short, **changes) for jobs in (1, 3))
    new, partners = counts[:20], links[:20]
    same_bits(one, other, new)
    assert one.predict_words(new, partners).tobytes() == other.predict_words(new, partners).tobytes()
    assert one.predict_words(None, partners).tobytes() == other.predict_words(None, partners).tobytes()
    assert one.suggest_missing_links([0, 7]) == other.suggest_missing_links([0, 7])
    assert one.suggest_links(new[:3]) == other.suggest_links(new[:3])
    assert one.score_pairs([(0, 1), (7, 3)]).tobytes() == other.score_pairs([(0, 1), (7, 3)]).tobytes()
    assert one.weights_.tobytes() != fitted(counts, links, random_state=1, **short).weights_.tobytes()


def test_more_chains_are_averaged():
    counts, links = of_links()
    one, three = fitted(counts, links, n_chains=1), fitted(counts, links, n_chains=3)
    np.testing.assert_array_equal(one.topic_word_, three.topic_word_)  # those of the first chain are shown
    np.testing.assert_array_equal(one.weights_, three.weights_)
    assert three.n_sweeps_ == 3 * one.n_sweeps_ == 3 * 22
    np.testing.assert_allclose(one.weights_, np.mean([sample.weights[0] for sample in one._chain_samples[0]], axis=0))
    by_chain = [naive_scores(three, counts, samples=samples) for samples in three._chain_samples]
    np.testing.assert_allclose(one.score_links(counts, "to"), by_chain[0])
    np.testing.assert_allclose(three.score_links(counts, "to"), np.mean(by_chain, axis=0))
    assert np.abs(by_chain[1] - by_chain[0]).mean() > 0.01


def test_two_documents_are_enough():
    counts = np.array([[3, 1], [0, 2]])
    model = fitted(counts, [[0, 1], [0, 0]], n_topics=2)
    assert (model.n_links_, model.n_negatives_, model.n_unlinked_) == (1, 1, 0)
    assert model.score_links(counts).shape == (2, 2)
    assert model.suggest_missing_links() == [[], []]


def test_y_is_for_pipelines_and_links_are_a_setting_of_fit():
    counts, links = of_links()
    alone = QUICK | {"pair_features": None}
    model = fitted(counts, links)
    same_bits(model, RelationalTopicModel(**alone).fit(counts, np.arange(60), links=links), counts)
    texts = [" ".join(np.repeat(WORDS, row)) for row in counts]
    pipeline = make_pipeline(CountVectorizer(vocabulary=WORDS), RelationalTopicModel(**alone))
    pipeline.fit(texts, relationaltopicmodel__links=links)
    same_bits(model, pipeline[-1], counts)
    assert pipeline.transform(texts).shape == (60, 4)


def test_clone_keeps_the_settings_only_and_a_second_fit_forgets_the_first():
    counts, links = of_links()
    model = fitted(counts, links, c=3.0, form="diagonal", cached=True, negative_share=0.2)
    twin = clone(model)
    assert twin.get_params() == model.get_params()
    assert not hasattr(twin, "links_")
    same_bits(model, twin.fit(counts, links=links), counts)
    other, fewer = of_links(30, seed=3)
    assert fewer.nnz != links.nnz
    twin.fit(other, links=sparse.csr_array(fewer + fewer.T))
    same_bits(twin, fitted(other, fewer + fewer.T, c=3.0, form="diagonal", cached=True, negative_share=0.2), other)
    assert not twin.directed_
    assert twin.links_.shape == (30, 30)
