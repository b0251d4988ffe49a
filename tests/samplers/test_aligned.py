"""Tables of topics begin where a cache line does, in a new chain and in one that goes on from a kept state."""

from __future__ import annotations

import numpy as np
import pytest

from plait.samplers import SAMPLERS
from plait.samplers.kernels.aligned import aligned_copy, aligned_zeros
from tests.samplers.small import Inline, shards_of
from tests.samplers.test_linked_shards import make_chain


def begins_a_line(array: np.ndarray) -> bool:
    return array.ctypes.data % 64 == 0


@pytest.mark.parametrize("shape", [0, 1, 37, (5, 32), (0, 16)])
@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.uint8])
def test_zeros_begin_where_a_cache_line_does(shape, dtype):
    arrays = [aligned_zeros(shape, dtype) for _ in range(20)]
    for array in arrays:
        assert begins_a_line(array) or array.size == 0
        assert array.dtype == dtype
        np.testing.assert_array_equal(array, np.zeros(shape, dtype))


def test_a_copy_is_one_and_begins_where_a_cache_line_does():
    values = np.arange(33, dtype=np.float64)[1:].reshape(2, 16)
    copied = aligned_copy(values, np.float32)
    assert begins_a_line(copied)
    np.testing.assert_array_equal(copied, values)
    copied[:] = 0
    assert values[0, 0] == 1
    assert aligned_copy(values).dtype == np.float64


@pytest.mark.parametrize("n_shards", [1, 4])
@pytest.mark.parametrize("name", SAMPLERS)
def test_tables_of_a_chain_begin_where_a_cache_line_does(name, n_shards):
    chain = make_chain(name, n_shards)
    for _ in range(2):
        assert len(shards_of(chain)) == n_shards
        for shard in shards_of(chain):
            tables = [chain._tables.words, chain._tables.sources]  # a synchronous sampler reads the chain's own tables
            if not chain.sampler.synchronous:
                tables = [shard._word_rows.open(tables[0]), shard._source_rows.open(tables[1])]
            if shard.state.drifts:
                tables += [shard.state.state.shares, shard.state.state.doc_topic]
            assert all(map(begins_a_line, tables))
            assert all(table.size for table in tables)
        chain.restore(chain.state(), Inline())
