"""Documents that are resampled in turns: the same bits as one document after the other."""

from __future__ import annotations

import numpy as np
import pytest

from plait.samplers.base import Changes, Counts, Documents, Moves, padded_width
from plait.samplers.kernels.frozen import freeze, frozen_scratch
from plait.samplers.kernels.interleaved import SLOTS, make_slots
from plait.samplers.random import stream_key
from plait.samplers.synchronous import _sweep_dense, _sweep_interleaved
from tests.samplers.small import flat_observations, make_factors

N_WORDS = 30


def made_documents(lengths, seed):
    """Return documents of some numbers of tokens, with words that occur up to five times."""
    rng = np.random.default_rng(seed)
    words, counts, starts = [], [], [0]
    for length in lengths:
        drawn = []
        while sum(drawn) < length:
            drawn.append(min(int(rng.integers(1, 6)), length - sum(drawn)))
        words.extend(np.sort(rng.choice(N_WORDS, size=len(drawn), replace=False)))
        counts.extend(drawn)
        starts.append(len(words))
    return Documents(
        np.array(starts), np.array(words, np.int32), np.array(counts, np.int32), np.cumsum([0, *lengths]), first=7
    )


def sweep(run, documents, n_topics, seed, said):
    """Return the topics, moves, totals and log-likelihood of one sweep."""
    rng = np.random.default_rng(seed)
    width, n_tokens = padded_width(n_topics), int(documents.offsets[-1])
    factors, _ = make_factors(rng.uniform(0.1, 1.0, n_topics), np.full((n_topics, N_WORDS), 0.1))
    n_documents = documents.starts.size - 1
    observations = None if said is None else flat_observations([said] * n_documents, width, exact=False)
    factors = factors._replace(observations=observations)
    topics = rng.integers(0, n_topics, n_tokens).astype(np.uint8)
    table = np.zeros((N_WORDS, width), np.int32)
    np.add.at(table, (np.repeat(documents.words, documents.counts), topics), 1)
    moves = Moves(np.zeros(2 * n_tokens, np.uint32), np.zeros(1, np.int64), np.zeros(N_WORDS, np.uint8))
    counts = Counts(table.ravel(), table.sum(axis=0), None, Changes(moves, np.zeros(width, np.int64)))
    counts, frozen = freeze(counts, factors)
    key = stream_key(seed, "sweep")
    if run is _sweep_dense:
        found = run(documents, topics, counts, factors, frozen, key, *frozen_scratch(counts, factors))
    else:
        slots = make_slots(documents, counts, factors)
        found = run(documents, topics, counts, factors, frozen, key, slots, np.empty(n_documents))
    pairs = moves.positions[: moves.ends[0]].reshape(-1, 2)
    return topics, pairs[np.lexsort(pairs.T)], counts.changes.totals, found


@pytest.mark.parametrize("said", [None, pytest.param("cached", marks=pytest.mark.slow)])
@pytest.mark.parametrize("n_topics", [3, 40])
@pytest.mark.parametrize("lengths", [[], [0], [5], [0, 0, 9, 1, 0, 14, 2], [3, 40, 1, 1, 7, 0, 12, 25, 2, 0]])
def test_draws_are_those_of_one_document_after_the_other(lengths, n_topics, said):
    assert len(lengths) < SLOTS or len(lengths) > SLOTS  # fewer documents than slots, and more
    documents = made_documents(lengths, seed=len(lengths))
    pulled = None if said is None else [(1.5, 4.0, np.linspace(-1, 1, n_topics))]
    one, several = (sweep(run, documents, n_topics, 3, pulled) for run in (_sweep_dense, _sweep_interleaved))
    for first, second in zip(one, several, strict=True):
        np.testing.assert_array_equal(first, second)
    if sum(lengths) > 20:
        assert one[1].size  # some tokens move
