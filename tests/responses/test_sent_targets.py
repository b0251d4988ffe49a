"""Targets that are sent to a worker: the same bits in fewer bytes."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from plait.responses.linear.targets import ChainTargets
from plait.responses.losses import LOSSES


@pytest.mark.parametrize("continuous", [False, True])
def test_a_shard_half_arrives_with_the_same_bits(continuous):
    rng = np.random.default_rng(0)
    targets = rng.choice([-1.0, 1.0, np.nan], size=(2000, 7))
    costs = np.where(targets == 1, 3.0, 0.5) if not continuous else rng.random(targets.shape) + 0.1
    chain = ChainTargets(targets, LOSSES["hinge"](), costs=costs)
    chain.begin(4, np.uint64(3))
    (half, _), _ = chain.cut([(0, 1500), (1500, 2000)])
    sent = pickle.dumps(half)
    again = pickle.loads(sent)
    for mine, other in zip(half._known, again._known, strict=True):
        parts = zip(mine, other, strict=True) if isinstance(mine, tuple) else [(mine, other)]
        for one, two in parts:
            assert np.asarray(one).dtype == np.asarray(two).dtype
            assert np.asarray(one).tobytes() == np.asarray(two).tobytes()
    n_known = half._known.targets.size
    assert (len(sent) < 7 * n_known) == (not continuous)  # 36 bytes in memory
