"""A RelationalTopicModel that is stopped at any sweep answers, is saved, and goes on to the same bits."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sparse

import plait
from plait import PlaitError, RelationalTopicModel
from plait.samplers import SAMPLERS
from tests.models.linked import QUICK, as_corpus, fitted, of_links, same_bits
from tests.models.small import press_ctrl_c_in_sweep
from tests.store.small import same

# Sweeps of these samplers are compiled for few tests.
pytestmark = pytest.mark.slow_with("aggregated", "sparse", "limit", "shares", "synchronous")

SHORT = {"n_sweeps": 3, "n_samples": 2, "sample_every": 1, "n_topics": 3, "weights_every": 3}  # 4 sweeps a chain
N_SWEEPS = 8
STOPPED = {
    "directed": {},
    "undirected": {"directed": False},
    "diagonal hinge": {"form": "diagonal", "loss": "hinge"},
    "low rank": {"form": "low_rank(2)", "n_shards": 2},
    "low rank, undirected": {"form": "low_rank(2)", "directed": False},
    "fresh negatives": {"fresh_negatives": 2, "n_shards": 3},
    "cached": {"cached": True},
    "shares": {"sampler": "limit"},
}


def same_answers(one, other, counts):
    """Assert that two models say the same of documents and links, to the bit, and for the same reasons."""
    same_bits(one, other, counts)
    assert one.suggest_links(counts[:4], top=3) == other.suggest_links(counts[:4], top=3)
    assert one.suggest_missing_links([1, 0], direction="to") == other.suggest_missing_links([1, 0], direction="to")
    assert same(one.score_pairs([(0, 1), (4, 2)]), other.score_pairs([(0, 1), (4, 2)]))
    partners = np.eye(3, len(counts))
    assert same(one.predict_words(None, partners), other.predict_words(None, partners))
    assert same(one.predict_words(counts[:3], partners), other.predict_words(counts[:3], partners))
    assert one.topic_links() == other.topic_links()
    assert one.weights_table().equals(other.weights_table())


def same_fit(one, other):
    """Assert that two models hold the same, but for the seconds that sweeps took."""
    assert sorted(vars(one)) == sorted(vars(other))
    for name, value in vars(one).items():
        if name != "history_":
            assert same(value, vars(other)[name]), name
    assert [record[:4] for record in one.history_] == [record[:4] for record in other.history_]


def stopped_at(sweep, monkeypatch, *given, **changes):
    with monkeypatch.context() as patched:
        press_ctrl_c_in_sweep(sweep, patched)
        return fitted(*given, **changes)


@pytest.mark.parametrize("case", STOPPED)
def test_a_fit_stopped_at_any_sweep_resumes_to_the_same_bits(case, tmp_path, monkeypatch):
    settings = SHORT | STOPPED[case]
    counts, links = of_links(30)
    straight = fitted(counts, links, **settings)
    assert straight.n_sweeps_ == N_SWEEPS
    assert not straight.interrupted_
    for sweep in range(N_SWEEPS - 1):
        stopped = stopped_at(sweep, monkeypatch, counts, links, **settings)
        assert stopped.interrupted_
        assert stopped.n_sweeps_ == sweep + 1
        assert np.isfinite(stopped.score_links(counts)).all()
        assert [len(own) for own in stopped.suggest_missing_links([0], top=2)] == [2]
        loaded = plait.load(plait.save(stopped, tmp_path / "model.plait"))
        same_bits(stopped, loaded, counts)
        for resumed in (stopped.resume(counts, links=links), loaded.resume(counts, links=links)):
            assert not resumed.interrupted_
            assert resumed.n_sweeps_ == N_SWEEPS
            same_bits(straight, resumed, counts)
            if sweep == N_SWEEPS - 2:
                same_fit(straight, resumed)
                same_answers(straight, resumed, counts)
    assert not stopped_at(N_SWEEPS - 1, monkeypatch, counts, links, **settings).interrupted_  # nothing was left to do


def test_resume_refuses_other_links(monkeypatch):
    counts, links = of_links(30)
    straight = fitted(counts, links)
    stopped = stopped_at(3, monkeypatch, counts, links)
    one_less, heavier, moved = links.copy(), links.copy(), links.toarray()
    one_less.data[0] = 0
    heavier.data[0] = 2
    moved[[0, 1]] = moved[[1, 0]]
    np.fill_diagonal(moved, 0)
    for other in (one_less, heavier, moved, sparse.csr_array(links.T), links + links.T):
        with pytest.raises(
            PlaitError, match=r"that the fit began with \(links was \w+, is \w+\); give the same corpus"
        ):
            stopped.resume(counts, links=other)
    with pytest.raises(PlaitError, match="not the documents that the fit began with"):
        stopped.resume(counts[::-1], links=links)
    with pytest.raises(PlaitError, match="a matrix of counts has no links; give links="):
        stopped.resume(counts)
    assert stopped.interrupted_
    same_bits(straight, stopped.resume(counts, links=links.toarray() + np.eye(30)), counts)  # loops say nothing
    with pytest.raises(PlaitError, match="this fit is finished"):
        stopped.resume(counts, links=links)


def test_links_without_direction_may_be_written_another_way_when_a_fit_goes_on(monkeypatch):
    counts, links = of_links(30)
    both = sparse.csr_array(links + links.T)
    both.data[:] = 1
    stopped = stopped_at(3, monkeypatch, counts, both)
    with pytest.raises(PlaitError, match="not the documents"):
        stopped.resume(counts, links=np.triu(both.toarray()))  # which looks directed
    stopped.directed = False
    same_bits(fitted(counts, both), stopped.resume(counts, links=np.tril(both.toarray())), counts)


@pytest.mark.parametrize("every", [3, 4, 5])  # the last one is in the second chain, or at the end of the first
@pytest.mark.parametrize("sampler", ["plain", "limit"])
def test_a_checkpoint_resumes_to_the_same_bits(tmp_path, every, sampler):
    corpus = as_corpus(*of_links(30))
    path = tmp_path / "model.plait"
    model = RelationalTopicModel(**(QUICK | SHORT), pair_features=None, fresh_negatives=3, sampler=sampler)
    straight = model.fit(corpus, checkpoint=path, checkpoint_every=every)
    kept = plait.load(path)
    assert kept.interrupted_
    assert kept.n_sweeps_ == 7 // every * every  # of 8
    other = tmp_path / "other.plait"
    kept.resume(corpus, checkpoint=other, checkpoint_every=1)
    same_fit(straight, kept)
    again = plait.load(other)  # a fit that goes on is kept, too
    assert again.n_sweeps_ == 7
    same_fit(straight, again.resume(corpus))


SAVED = {
    "undirected": {"directed": False},
    "diagonal": {"form": "diagonal", "c": np.float32(2.0)},
    "low rank": {"form": "low_rank(2)"},
    "hinge": {"loss": "hinge", "ell": 2, "nu": np.float64(0.5)},
    "a share of pairs": {"negative_share": 0.3, "fresh_negatives": 4},
    **{sampler: {"sampler": sampler} for sampler in SAMPLERS},
}


@pytest.mark.parametrize("way", ["file", "pickle"])
@pytest.mark.parametrize(
    "case", [pytest.param(name, marks=[pytest.mark.slow] * ("aggregated" in name)) for name in SAVED]
)
def test_a_model_comes_back_as_it_was(case, way, tmp_path):
    counts, links = of_links(30)
    links.data[:] = np.random.default_rng(0).integers(1, 4, size=links.nnz)
    model = fitted(as_corpus(counts, links, names="päper {}"), **SAVED[case])
    by_file = way == "file"
    again = plait.load(plait.save(model, tmp_path / "model")) if by_file else pickle.loads(pickle.dumps(model))
    assert type(again) is RelationalTopicModel
    assert same(vars(model), vars(again))
    assert again.get_params() == model.get_params()
    assert again.directed_ is (case != "undirected")
    np.testing.assert_array_equal(again.links_.toarray(), model.links_.toarray())
    assert again.links_.data.max() == 3
    assert (again.n_links_, again.n_negatives_) == (model.n_links_, model.n_negatives_)
    assert (again.n_self_links_, again.n_unlinked_) == (0, model.n_unlinked_)
    same_answers(model, again, counts)
    assert again.suggest_missing_links(["päper 3"]) == model.suggest_missing_links([3])
    assert again.suggest_missing_links([3])[0][0].id.startswith("päper ")


def test_a_loaded_model_of_a_matrix_has_numbers_for_ids(tmp_path):
    counts, links = of_links(30)
    links.setdiag(1.0)
    model = fitted(counts, links)
    again = plait.load(plait.save(model, tmp_path / "model"))
    assert again.doc_ids_ is None
    assert again.n_self_links_ == 30
    same_answers(model, again, counts)
    assert {suggestion.id for suggestion in again.suggest_links(counts, top=30)[0]} == {str(row) for row in range(30)}
