"""Exact tilt by proposals: a sweep leaves the conditional of a token unchanged, in runs of several tokens, too."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chisquare

from plait.samplers import Plain, Synchronous
from plait.samplers.base import Changes, Counts, Documents, Moves, padded_width
from plait.samplers.kernels.compiled import kernel
from plait.samplers.kernels.frozen import frozen_scratch
from plait.samplers.kernels.proposal import accepts, open_proposal, renew_tilt, run_length
from plait.samplers.kernels.token_state import new_scratch
from plait.samplers.random import stream_key
from tests.samplers.small import flat_observations, make_factors

N_TOPICS, COPIES = 3, 30_000
SAID = [(2.0, 90.0, np.array([1.5, -0.5, 0.3])), (-4.0, 150.0, np.array([0.4, 1.1, -0.7]))]
ALPHA = np.array([0.4, 0.9, 0.2])
BETA = np.full((N_TOPICS, 2), 0.5)


def frozen_counts(topics):
    """Return counts, topics × words: those of the document, all of word 0, and others."""
    counts = np.array([[3, 1], [2, 2], [4, 1]], np.int32)
    counts[:, 0] += np.bincount(topics, minlength=N_TOPICS).astype(np.int32)
    return counts


def make_copies(topics, said, copies):
    """Return copies of a document that has one word only, topic–word counts, and factors."""
    width = padded_width(N_TOPICS)
    factors, _ = make_factors(ALPHA, BETA)
    documents = Documents(
        starts=np.arange(copies + 1, dtype=np.int64),
        words=np.zeros(copies, np.int32),
        counts=np.full(copies, len(topics), np.int32),
        offsets=np.arange(copies + 1, dtype=np.int64) * len(topics),
        first=0,
    )
    table = np.zeros((2, width), np.int32)
    table[:, :N_TOPICS] = frozen_counts(topics).T
    return documents, table, factors._replace(observations=flat_observations([said] * copies, width, True))


def sweep_copies(topics, said, copies, seed):
    """Resample copies of a document that has one word only; return their topics."""
    width, n_tokens = padded_width(N_TOPICS), len(topics)
    documents, table, factors = make_copies(topics, said, copies)
    moves = Moves(np.empty(2 * n_tokens * copies, np.uint32), np.zeros(1, np.int64), np.zeros(2, np.uint8))
    changes = Changes(moves, np.zeros(width, np.int64))
    found = np.tile(topics, copies).astype(np.uint8)
    totals = table.sum(axis=0).astype(np.int64)
    Synchronous().sweep(
        documents, found, Counts(table.ravel(), totals, None, changes), factors, stream_key(seed, "sweep"), None
    )
    return found.reshape(copies, -1)


def sweep_alone(topics, said, copies, seed):
    """Resample copies of the document with the plain sampler, each against the same counts; return their topics."""
    documents, table, factors = make_copies(topics, said, 1)
    found = np.tile(topics, (copies, 1)).astype(np.uint8)
    for number in range(copies):  # live counts: every copy needs its own
        counts = Counts(table.ravel().copy(), table.sum(axis=0).astype(np.int64))
        Plain().sweep(documents, found[number], counts, factors, stream_key(seed, "sweep", number), None)
    return found


def conditional(topics, said):
    """Return the conditional of the first token given the others, straight from the definition."""
    others, n_tokens = np.bincount(topics[1:], minlength=N_TOPICS), len(topics)
    counts = frozen_counts(topics[1:]).astype(float)
    weights = (others + ALPHA) * (counts[:, 0] + BETA[:, 0]) / (counts + BETA).sum(axis=1)
    for pull, precision, direction in said:
        value = (direction @ others + direction) / n_tokens
        weights = weights * np.exp(pull * value - precision * value**2 / 2)
    return weights / weights.sum()


@pytest.mark.parametrize(("sweep", "total"), [(sweep_copies, COPIES), (sweep_alone, 6_000)])
@pytest.mark.parametrize(("n_tokens", "run"), [(12, 1), (20, 2), (70, 8), (150, 16)])
def test_the_conditional_of_a_token_is_unchanged(n_tokens, run, sweep, total):
    assert run_length.py_func(n_tokens) == run
    rng = np.random.default_rng(n_tokens)
    rest = rng.integers(0, N_TOPICS, n_tokens - 1)
    said = [(pull, precision * n_tokens / 70, direction) for pull, precision, direction in SAID]
    expected = conditional([0, *rest], said)
    found = np.zeros(N_TOPICS)
    for first, share in enumerate(expected):
        copies = round(total * share)
        if copies:
            found += np.bincount(sweep([first, *rest], said, copies, first)[:, 0], minlength=N_TOPICS)
    assert expected.min() > 0.001
    assert chisquare(found, expected * found.sum()).pvalue > 0.001


@kernel
def count_accepted(proposal, tilt, observations, doc_topic, topics, width, n_topics, key):
    open_proposal(proposal, observations, 0, doc_topic, topics.size)
    renew_tilt(proposal, tilt, observations, 0, topics, 0, topics.size, topics.size, n_topics)
    accepted = 0
    for position in range(200):
        accepted += accepts(proposal, observations, 0, 0, 1, width, key, position)
    return accepted


def test_proposals_can_be_rejected():
    width = padded_width(N_TOPICS)
    factors, _ = make_factors(ALPHA, BETA)
    observations = flat_observations([[(0.0, 60.0, np.array([3.0, -3.0, 0.0]))]], width, True)
    factors = factors._replace(observations=observations)
    scratch, proposal = frozen_scratch(Counts(np.zeros(width, np.int32), np.zeros(width, np.int64)), factors)
    topics = np.repeat(np.array([1, 0], np.uint8), 80)
    scratch.doc_topic[:2] = 80
    key = stream_key(0, "sweep")
    given = (proposal, scratch.tilt, observations, scratch.doc_topic, topics, width, N_TOPICS, key)
    assert 0 < count_accepted(*given) < 200


def test_a_live_sweep_proposes_with_few_directions_that_do_not_move():
    width = padded_width(N_TOPICS)
    exact, cached = (flat_observations([SAID], width, kind) for kind in (True, False))
    many = exact._replace(directions=np.zeros(513 * width, np.float32))
    assert new_scratch(width, exact, None, proposes=True).proposal is not None
    assert new_scratch(width, exact, None, proposes=True).exact_tilt is None
    for observations in (None, cached, many):
        assert new_scratch(width, observations, None, proposes=True).proposal is None
    assert new_scratch(width, many, None, proposes=True).exact_tilt is not None
