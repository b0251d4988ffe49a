"""Targets that are sent to a worker: the same bits in fewer bytes."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from plait.responses.base import DocTopics, serial_map
from plait.responses.linear.target_rows import SignRows
from plait.responses.linear.targets import ChainTargets
from plait.responses.losses import LOSSES

N_DOCUMENTS, N_TASKS, N_TOPICS = 2000, 7, 4
RUNS = [(0, 1500), (1500, 2000)]


def make_signs():
    return np.random.default_rng(0).choice(np.array([-1, 0, 1], np.int8), size=(N_DOCUMENTS, N_TASKS))


def make_topics(rng):
    counts = rng.integers(0, 5, (1500, N_TOPICS)) + 1
    return DocTopics(counts, counts.sum(axis=1).astype(float))


@pytest.mark.parametrize("name", ["hinge", "logistic"])
def test_signs_give_the_bits_of_real_targets(name):
    signs, costs = make_signs(), np.random.default_rng(1).random((2, N_TASKS)) + 0.5
    targets = np.where(signs == 0, np.nan, signs.astype(float))
    dense = np.where(signs > 0, costs[1], costs[0])
    halves = []
    for chain in (
        ChainTargets(SignRows(signs, costs), LOSSES[name]()),
        ChainTargets(targets, LOSSES[name](), costs=dense),
    ):
        chain.begin(N_TOPICS, np.uint64(3))
        (half, _), _ = chain.cut(RUNS)
        halves.append(half)
    rng = np.random.default_rng(2)
    topics, weights = make_topics(rng), rng.standard_normal((N_TASKS, N_TOPICS))
    for _ in range(2):  # the pseudo-observations of the beginning, then drawn ones
        states = [[*half.statistics(topics, weights, serial_map), *half.arrays().values()] for half in halves]
        for one, two in zip(*states, strict=True):
            assert one.tobytes() == two.tobytes()
        for half in halves:
            half.draw_auxiliaries(topics, weights, np.uint64(5), serial_map)


@pytest.mark.parametrize("drawn", [False, True])
def test_a_shard_half_arrives_with_the_same_bits(drawn):
    chain = ChainTargets(SignRows(make_signs(), np.ones((2, N_TASKS))), LOSSES["hinge"]())
    chain.begin(N_TOPICS, np.uint64(3))
    if drawn:
        rng = np.random.default_rng(4)
        n_known = np.count_nonzero(make_signs())
        state = {"weights": chain.weights, "pull": rng.random(n_known), "precision": rng.random(n_known)}
        chain.load(state)
    halves, _ = chain.cut(RUNS)
    sent = [pickle.dumps(half) for half in halves]
    arrived = [pickle.loads(one).arrays() for one in sent]
    for name in ("pull", "precision"):
        joined = np.concatenate([one[name] for one in arrived])
        assert joined.tobytes() == np.concatenate([half.arrays()[name] for half in halves]).tobytes()
        if drawn:
            assert joined.tobytes() == state[name].tobytes()
    assert (len(sent[0]) < 1.2 * 1500 * N_TASKS) == (not drawn)  # one byte per target at the beginning


def test_costs_that_a_loss_does_not_take_are_rejected_before_shards_are_made():
    chain = ChainTargets(SignRows(make_signs(), np.full((2, N_TASKS), 1e12)), LOSSES["hinge"]())
    with pytest.raises(Exception, match=r"the cost 1e\+12 .* is too large for the hinge loss"):
        chain.begin(N_TOPICS, np.uint64(3))
