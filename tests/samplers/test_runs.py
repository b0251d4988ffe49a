"""Sixteen draws at a time select the same topics as one draw after the other."""

from __future__ import annotations

import numpy as np
import pytest

from plait.samplers.base import padded_width
from plait.samplers.conditional import draw, sum_across
from plait.samplers.kernels.compiled import kernel
from plait.samplers.kernels.lanes import LANES, lane_at, load
from plait.samplers.kernels.runs import _draw_topics
from plait.samplers.kernels.token_state import new_scratch, topic_type
from plait.samplers.random import uniform


@kernel
def draw_both(together, single, n_topics, key, scratch):
    across = sum_across(load(scratch.sums, scratch.mixture.size), scratch.below)
    total = lane_at(across, LANES - 1)
    for token in range(single.size):
        single[token] = draw(scratch.sums, across, scratch.below, uniform(key, 7 + token) * total, n_topics)
    _draw_topics(together, 0, together.size, total, key, 7, n_topics, scratch)


@pytest.mark.parametrize("n_topics", [5, 30, 300])
@pytest.mark.parametrize("n_tokens", [3, 16, 700])
def test_draws_of_a_run_are_those_of_single_tokens(n_topics, n_tokens):
    width = padded_width(n_topics)
    scratch = new_scratch(width)
    weights = np.zeros(width, np.float32)
    weights[:n_topics] = np.random.default_rng(0).dirichlet(np.full(n_topics, 0.2))
    scratch.sums[LANES:] = np.cumsum(weights.reshape(-1, LANES), axis=0, dtype=np.float32).ravel()
    together, single = np.zeros((2, n_tokens), topic_type(n_topics))
    draw_both(together, single, n_topics, np.uint64(3), scratch)
    assert together.tolist() == single.tolist()
    assert len(set(single.tolist())) > 1
