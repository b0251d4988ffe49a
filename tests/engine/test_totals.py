"""Totals of topics with real-valued counts: no move is lost beside a very large total."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sparse

from plait.engine.chain import Chain
from plait.executors import Threads
from plait.mixing import OwnDocument
from plait.priors import SymmetricPrior
from plait.samplers import as_sampler


@pytest.mark.parametrize("sampler", ["limit", "sparse(2)"])
def test_moves_beside_a_large_total_are_counted(sampler):
    counts = sparse.csr_array(np.random.default_rng(0).poisson(0.5, size=(40, 30)).astype(np.int32))
    chain = Chain(
        counts, 4, mixing=OwnDocument(0.1), prior=SymmetricPrior(0.1), sampler=as_sampler(sampler), seed=0, n_shards=2
    )
    chain.start(Threads())
    chain.sweep()
    before = chain.word_topic().sum(axis=0, dtype=np.float64)
    offset = 2.0**27  # float32 holds multiples of 16 there
    chain._tables.totals += offset
    chain.sweep()
    after = chain.word_topic().sum(axis=0, dtype=np.float64)
    assert np.abs(after - before).max() > 0.1
    np.testing.assert_allclose(chain._tables.totals[:4] - offset, after, atol=1e-3)
