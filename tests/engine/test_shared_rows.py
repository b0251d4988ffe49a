"""Rows of count tables that shards share: deltas are exact differences, and they are added in the order of shards."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from plait.engine.chain import Chain
from plait.engine.counts import ShardRows, add_deltas
from plait.engine.cut import default_shards, lay_out_table
from plait.engine.messages import RowDeltas
from plait.executors import Threads
from plait.mixing import OwnDocument
from plait.priors import SymmetricPrior
from plait.responses.base import serial_map
from plait.samplers import Plain

WIDTH = 32


def random_table(rng, n_rows, dtype):
    """Counts with about a third of zeros, or real numbers."""
    table = rng.integers(0, 40, size=(n_rows, WIDTH)) * (rng.random((n_rows, WIDTH)) < 0.7)
    return (table * (rng.random(table.shape) if np.dtype(dtype).kind == "f" else 1)).astype(dtype)


def change(rng, table, n_changes):
    """Add to some entries of a flat table; return how many differ now."""
    before = table.copy()
    for place in rng.integers(table.size, size=n_changes if table.size else 0):
        table[place] += rng.integers(-30, 30) * (rng.random() if table.dtype.kind == "f" else 1)
    return int((table != before).sum())


def expanded(deltas, size, dtype):
    """Return deltas as a flat table of the size of the shared one."""
    table = np.zeros(size, dtype)
    if deltas.positions is not None:
        assert (np.diff(deltas.positions.astype(np.int64)) > 0).all()
        assert (deltas.values != 0).all()
        table[deltas.positions] = deltas.values
    else:
        table.reshape(-1, WIDTH)[deltas.rows] = deltas.values.reshape(-1, WIDTH)
    return table


@settings(max_examples=80, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n_table=st.integers(0, 9),
    n_private=st.integers(0, 4),
    dtype=st.sampled_from([np.int32, np.float32]),
    resident=st.booleans(),
    n_changes=st.sampled_from([0, 1, 20, 400]),
)
def test_deltas_are_the_differences_of_shared_rows(seed, n_table, n_private, dtype, resident, n_changes):
    rng = np.random.default_rng(seed)
    shared = random_table(rng, n_table, dtype)
    used = np.flatnonzero(rng.random(n_table) < 0.6).astype(np.int64)
    private = random_table(rng, n_private, dtype)
    rows = ShardRows(used, n_private, WIDTH, dtype, 2 * n_changes, resident=resident)
    rows.load(np.concatenate([shared[used], private]))
    np.testing.assert_array_equal(rows.private(), private)
    flat = shared.ravel().copy()
    for _ in range(2):  # the second time from where the first ended
        before = flat.copy()
        table = rows.open(flat)
        np.testing.assert_array_equal(table, np.concatenate([flat.reshape(-1, WIDTH)[used], private]).ravel())
        assert table.dtype == dtype
        n_shared = used.size * WIDTH
        n_differ = change(rng, table[:n_shared], n_changes)
        change(rng, table[n_shared:], n_changes)
        now = table.copy().reshape(-1, WIDTH)
        deltas = rows.close(table, flat)
        np.testing.assert_array_equal(flat, before)  # the chain's table is not touched
        expected = np.zeros_like(shared)
        expected[used] = now[: used.size] - flat.reshape(-1, WIDTH)[used]
        np.testing.assert_array_equal(expanded(deltas, flat.size, dtype), expected.ravel())
        if dtype is np.int32:
            assert deltas.values.size == deltas.positions.size == n_differ
        else:
            assert deltas.positions is None
        private = now[used.size :]
        np.testing.assert_array_equal(rows.private(), private)
        add_deltas(flat, [deltas], WIDTH, serial_map)
        np.testing.assert_allclose(flat.reshape(-1, WIDTH)[used], now[: used.size], rtol=1e-6, atol=1e-4)


def test_deltas_outlive_the_sweep_of_the_next_shard_in_the_same_thread():
    rng = np.random.default_rng(0)
    for dtype in (np.int32, np.float32):
        shared = random_table(rng, 3, dtype).ravel()
        one, other = (ShardRows(np.arange(3), 2, WIDTH, dtype, 100) for _ in range(2))
        table = one.open(shared)
        table[:5] += 3
        deltas = one.close(table, shared)
        kept = deltas.values.copy()
        table = other.open(shared)
        np.testing.assert_array_equal(table[: shared.size], shared)  # nothing is left of the first shard
        table[:] = 99
        other.close(table, shared)
        np.testing.assert_array_equal(deltas.values, kept)


@pytest.mark.parametrize("kind", ["sparse", "rows"])
def test_deltas_are_added_in_the_order_of_the_shards(kind):
    """In float32 the sum depends on the order: small numbers vanish beside a large one that comes first."""
    n_rows = 41
    rng = np.random.default_rng(1)
    deltas = []
    for size in (1.0, 3e7, -3e7, 1.0):
        rows = np.sort(rng.permutation(n_rows)[:30]).astype(np.int64)
        values = (size * rng.uniform(0.5, 1.0, rows.size * WIDTH)).astype(np.float32)
        positions = (rows[:, np.newaxis] * WIDTH + np.arange(WIDTH)).ravel().astype(np.uint32)
        deltas.append(RowDeltas(values, positions if kind == "sparse" else None, rows))
    start = rng.uniform(0, 5, n_rows * WIDTH).astype(np.float32)
    expected, turned = start.copy(), start.copy()
    for one in deltas:
        expected += expanded(one, start.size, np.float32)
    for one in deltas[::-1]:
        turned += expanded(one, start.size, np.float32)
    assert (expected != turned).any()
    with Threads(3) as threads:
        for run in (serial_map, threads.map):
            found = start.copy()
            add_deltas(found, deltas, WIDTH, run)
            np.testing.assert_array_equal(found, expected)


def test_a_table_without_shared_rows_takes_no_deltas():
    table = np.zeros(0, np.int32)
    add_deltas(table, [RowDeltas(np.zeros(0, np.int32), np.zeros(0, np.uint32), np.zeros(0, np.int64))], 16, serial_map)
    assert table.size == 0


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), n_shards=st.integers(1, 5), n_rows=st.integers(1, 12))
def test_a_row_is_shared_where_two_shards_use_it(seed, n_shards, n_rows):
    rng = np.random.default_rng(seed)
    used = [np.flatnonzero(rng.random(n_rows) < 0.4) for _ in range(n_shards)]
    layout = lay_out_table(used, n_rows)
    shared = [row for row in range(n_rows) if sum(row in rows for rows in used) > 1]
    assert layout.shared.tolist() == shared
    for number, rows in enumerate(used):
        own, n_shared = layout.own[number].tolist(), layout.n_shared[number]
        assert sorted(own) == rows.tolist()
        assert own[:n_shared] == [row for row in rows.tolist() if row in shared]
        assert [shared[place] for place in layout.rows_of(number)] == own[:n_shared]


def test_the_number_of_shards_depends_on_tokens_alone():
    assert [default_shards(n_tokens) for n_tokens in (0, 1, 4e5, 1e6, 3e6, 1e9)] == [1, 1, 1, 2, 8, 64]
    counts = sparse.csr_array(np.full((40, 5), 50_000, dtype=np.int32))
    options = {"mixing": OwnDocument(0.1), "prior": SymmetricPrior(0.1), "sampler": Plain(), "seed": 0}
    assert [Chain(counts, n_topics, **options).n_shards for n_topics in (2, 100, 5000)] == [32, 32, 32]
