"""Exact tilt by proposals: a sweep leaves the conditional of a token unchanged, in runs of several tokens, too."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chisquare

from plait.samplers import Synchronous
from plait.samplers.base import Changes, Counts, Documents, Moves, padded_width
from plait.samplers.kernels.compiled import kernel
from plait.samplers.kernels.frozen import frozen_scratch
from plait.samplers.kernels.proposal import accepts, open_proposal, renew_tilt, run_length
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


def sweep_copies(topics, said, copies, seed):
    """Resample copies of a document that has one word only; return their topics."""
    width, n_tokens = padded_width(N_TOPICS), len(topics)
    factors, _ = make_factors(ALPHA, BETA)
    factors = factors._replace(observations=flat_observations([said] * copies, width, True))
    documents = Documents(
        starts=np.arange(copies + 1, dtype=np.int64),
        words=np.zeros(copies, np.int32),
        counts=np.full(copies, n_tokens, np.int32),
        offsets=np.arange(copies + 1, dtype=np.int64) * n_tokens,
        first=0,
    )
    table = np.zeros((2, width), np.int32)
    table[:, :N_TOPICS] = frozen_counts(topics).T
    moves = Moves(np.empty(2 * n_tokens * copies, np.uint32), np.zeros(1, np.int64), np.zeros(2, np.uint8))
    changes = Changes(moves, np.zeros(width, np.int64))
    found = np.tile(topics, copies).astype(np.uint8)
    totals = table.sum(axis=0).astype(np.int64)
    Synchronous().sweep(
        documents, found, Counts(table.ravel(), totals, None, changes), factors, stream_key(seed, "sweep"), None
    )
    return found.reshape(copies, -1)


def conditional(topics, said):
    """Return the conditional of the first token given the others, straight from the definition."""
    others, n_tokens = np.bincount(topics[1:], minlength=N_TOPICS), len(topics)
    counts = frozen_counts(topics[1:]).astype(float)
    weights = (others + ALPHA) * (counts[:, 0] + BETA[:, 0]) / (counts + BETA).sum(axis=1)
    for pull, precision, direction in said:
        value = (direction @ others + direction) / n_tokens
        weights = weights * np.exp(pull * value - precision * value**2 / 2)
    return weights / weights.sum()


@pytest.mark.parametrize(("n_tokens", "run"), [(12, 1), (20, 2), (70, 8), (150, 16)])
def test_the_conditional_of_a_token_is_unchanged(n_tokens, run):
    assert run_length.py_func(n_tokens) == run
    rng = np.random.default_rng(n_tokens)
    rest = rng.integers(0, N_TOPICS, n_tokens - 1)
    said = [(pull, precision * n_tokens / 70, direction) for pull, precision, direction in SAID]
    expected = conditional([0, *rest], said)
    found = np.zeros(N_TOPICS)
    for first, share in enumerate(expected):
        copies = round(COPIES * share)
        if copies:
            found += np.bincount(sweep_copies([first, *rest], said, copies, first)[:, 0], minlength=N_TOPICS)
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
