"""Edited states: tokens of merged, dropped and split topics, and the chains that start from them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sparse

from plait import PlaitError
from plait.engine.chain import Chain
from plait.engine.editing import (
    EditedPriors,
    StateEdit,
    counts_prior,
    edit_state,
    hold_sample,
    word_topic_counts,
)
from plait.executors import Threads
from plait.mixing import LinkedDocuments, OwnDocument
from plait.priors import SymmetricPrior
from plait.samplers import as_sampler
from tests.samplers.small import Inline

# Sweeps of these samplers are compiled for few tests.
pytestmark = pytest.mark.slow_with("aggregated", "sparse", "limit", "synchronous")

N_WORDS, N_TOPICS = 12, 4
MERGE = StateEdit(np.array([0, 1, 1, 2]), {}, 3)
DROP = StateEdit(np.array([0, -1, 1, 2]), {}, 3)
SPLIT = StateEdit(np.array([0, 1, 2, 3]), {2: [2, 4, 5]}, 6)
SAMPLERS = ["plain", "aggregated", "limit", "sparse(5)"]
# The sweeps of the other samplers over linked documents are compiled for these tests alone.
CASES = [
    *((sampler, False) for sampler in SAMPLERS),
    ("plain", True),
    *(pytest.param(sampler, True, marks=pytest.mark.slow) for sampler in SAMPLERS[1:]),
]


def corpus(seed=0):
    rng = np.random.default_rng(seed)
    topic_word = rng.dirichlet(np.full(N_WORDS, 0.2), size=N_TOPICS)
    shares = rng.dirichlet(np.full(N_TOPICS, 0.3), size=30)
    return sparse.csr_array(np.array([rng.multinomial(25, own @ topic_word) for own in shares]).astype(np.int32))


def links(seed=0):
    rng = np.random.default_rng(seed)
    return sparse.csr_array((rng.random((30, 30)) < 0.1).astype(float))


def make_chain(counts, n_topics, sampler, linked, prior=None, n_shards=2):
    given = {"links": links(), "mixing": LinkedDocuments()} if linked else {"mixing": OwnDocument(0.1)}
    return Chain(
        counts,
        n_topics,
        prior=SymmetricPrior(0.1) if prior is None else prior,
        sampler=as_sampler(sampler),
        seed=3,
        n_shards=n_shards,
        **given,
    )


def edited(edit, sampler="plain", linked=False, executor=None, n_shards=2):
    """Return the corpus, the assignments before and after an edit, and a chain that started from them."""
    counts, executor = corpus(), Inline() if executor is None else executor
    counts = counts if as_sampler(sampler).state_form == "tokens" else counts.astype(np.float32)
    first = make_chain(counts, N_TOPICS, sampler, linked)
    first.start(executor)
    for _ in range(20):
        first.sweep()
    sample = first.sample()
    holding = make_chain(counts, N_TOPICS, sampler, linked, counts_prior(sample), n_shards)
    held = hold_sample(holding, sample, executor)
    after = make_chain(counts, edit.n_topics, sampler, linked, n_shards=n_shards)
    priors = EditedPriors(after.alpha, after.beta, after.sampler, 5)
    found = edit_state(held, counts, after.candidates, N_TOPICS, edit, priors, executor)
    after.start(executor, found)
    return counts, sample, held, found, after


@pytest.mark.parametrize(("sampler", "linked"), CASES)
@pytest.mark.parametrize("edit", [MERGE, DROP, SPLIT], ids=["merge", "drop", "split"])
def test_counts_equal_a_recount_from_the_assignments(edit, sampler, linked):
    counts, _, _, _, chain = edited(edit, sampler, linked)
    for n_sweeps in range(3):
        state = chain.state()
        recounted = word_topic_counts(state, counts, chain.candidates, edit.n_topics)
        np.testing.assert_allclose(chain.word_topic().T, recounted, atol=2e-2 if "shares" in state else 0)
        np.testing.assert_allclose(recounted.sum(axis=0), counts.sum(axis=0), rtol=2e-3)
        np.testing.assert_allclose(chain.doc_topic().sum(axis=1), counts.sum(axis=1), rtol=2e-3)
        if n_sweeps < 2:
            chain.sweep()


@pytest.mark.parametrize(("sampler", "linked"), CASES)
def test_merged_counts_are_the_sum_and_the_others_do_not_change(sampler, linked):
    counts, _, held, found, chain = edited(MERGE, sampler, linked)
    before = word_topic_counts(held, counts, chain.candidates, N_TOPICS)
    after = word_topic_counts(found, counts, chain.candidates, 3)
    np.testing.assert_allclose(after, [before[0], before[1] + before[2], before[3]], atol=1e-4)


@pytest.mark.parametrize(("sampler", "linked"), CASES)
def test_a_dropped_topic_gives_its_tokens_to_the_others(sampler, linked):
    counts, _, held, found, chain = edited(DROP, sampler, linked)
    before = word_topic_counts(held, counts, chain.candidates, N_TOPICS)
    after = word_topic_counts(found, counts, chain.candidates, 3)
    gained = after - before[[0, 2, 3]]
    assert (gained > -1e-4).all()
    np.testing.assert_allclose(gained.sum(axis=0), before[1], atol=1e-3)
    assert before[1].sum() > 0


@pytest.mark.parametrize(("sampler", "linked"), CASES)
def test_only_tokens_of_the_split_topic_move(sampler, linked):
    counts, _, held, found, chain = edited(SPLIT, sampler, linked)
    before = word_topic_counts(held, counts, chain.candidates, N_TOPICS)
    after = word_topic_counts(found, counts, chain.candidates, 6)
    np.testing.assert_allclose(after[[0, 1, 3]], before[[0, 1, 3]], atol=1e-3)
    np.testing.assert_allclose(after[[2, 4, 5]].sum(axis=0), before[2], atol=1e-3)
    assert (after[[2, 4, 5]].sum(axis=1) > 0).all()


@pytest.mark.parametrize("edit", [MERGE, DROP, SPLIT], ids=["merge", "drop", "split"])
def test_tokens_of_untouched_topics_and_all_sources_stay(edit):
    _, _, held, found, _ = edited(edit, "plain", linked=True)
    assert np.array_equal(held["sources"], found["sources"])
    kept = edit.labels[held["topics"]]
    touched = (kept < 0) | np.isin(held["topics"], list(edit.parts))
    assert np.array_equal(found["topics"][~touched], kept[~touched])
    assert (found["topics"] >= 0).all()


def test_dropped_tokens_are_drawn_by_their_conditional():
    # One document, one word; topic 0 holds 30 tokens, topic 1 holds 10, and topic 2 is dropped.
    counts = sparse.csr_array(np.array([[4000, 1]], dtype=np.int32))
    topics = np.concatenate([np.zeros(30), np.ones(10), np.full(3961, 2)]).astype(np.uint8)
    alpha, beta = np.array([0.5, 2.0]), np.array([[0.2, 1.0], [0.7, 0.1]])
    edit = StateEdit(np.array([0, 1, -1]), {}, 2)
    priors = EditedPriors(alpha, beta, as_sampler("plain"), 1)
    found = edit_state({"topics": topics}, counts, None, 3, edit, priors, Inline())["topics"]
    weights = np.array([(30 + 0.5) * (30 + 0.2) / (30 + 1.2), (10 + 2.0) * (10 + 0.7) / (10 + 0.8)])
    expected = weights[0] / weights.sum()
    drawn = np.mean(found[40:4000] == 0)
    assert abs(drawn - expected) < 4 * np.sqrt(expected * (1 - expected) / 3960)


def test_a_topic_without_tokens_cannot_be_split():
    counts = sparse.csr_array(np.array([[3, 1]], dtype=np.int32))
    edit = StateEdit(np.array([0, 1]), {1: [1, 2]}, 3)
    priors = EditedPriors(np.full(3, 0.1), 0.1, as_sampler("plain"), 1)
    with pytest.raises(PlaitError, match="topic 1 has 0 tokens, too few for 2 parts"):
        edit_state({"topics": np.zeros(4, np.uint8)}, counts, None, 2, edit, priors, Inline())


@pytest.mark.parametrize("sampler", ["plain", "limit"])
@pytest.mark.parametrize("edit", [DROP, SPLIT], ids=["drop", "split"])
def test_the_number_of_threads_does_not_change_a_bit(edit, sampler):
    one = edited(edit, sampler, linked=True, n_shards=4)[4].state()
    with Threads(3) as executor:
        chain = edited(edit, sampler, linked=True, executor=executor, n_shards=4)[4]
        three = chain.state()
    assert one.keys() == three.keys()
    assert all(one[name].tobytes() == three[name].tobytes() for name in one)


def test_the_held_topics_are_those_of_the_sample():
    counts, sample, held, _, _ = edited(MERGE)
    found = word_topic_counts(held, counts, None, N_TOPICS)
    known = sample.word_topic.T.toarray().astype(float)
    cosines = (found * known).sum(axis=1) / np.linalg.norm(found, axis=1) / np.linalg.norm(known, axis=1)
    assert cosines.min() > 0.95
