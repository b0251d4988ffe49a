"""Large tables travel as the rows in use of each group of shards, and the model is the same."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from plait import LDA, RayExecutor
from plait.engine import narrowing
from plait.engine.counts import ShardRows, add_deltas
from plait.engine.cut import lay_out_table
from plait.executors import Threads
from tests.executors.processes import Pickled
from tests.executors.test_contract import CASES, COUNTS, QUICK, assert_same_bits

# Sweeps of these samplers are compiled for few tests.
pytestmark = pytest.mark.slow_with("linked, limit")


@pytest.fixture
def small_limit(monkeypatch):
    monkeypatch.setattr(narrowing, "MOST_WHOLE_BYTES", 0)


def sent_rows(executor):
    """Return the row numbers that were sent with the counts of every sweep."""
    return [message.word_rows for method, message in executor.sent if method == "sweep"]


SYNCHRONOUS = ["LDA, synchronous", "LDA, synchronous, lists", "linked, synchronous"]


@pytest.mark.parametrize("case", ["LDA", "linked", "linked, limit", *SYNCHRONOUS])
def test_rows_in_use_give_the_same_bits(case, small_limit):
    model, targets = CASES[case]
    executor = Pickled()
    apart = clone(model).set_params(executor=executor).fit(COUNTS, **targets)
    assert all(rows is not None for rows in sent_rows(executor))
    assert_same_bits(apart, clone(model).fit(COUNTS, **targets))


@pytest.mark.parametrize("sampler", ["plain", "synchronous"])
def test_rows_of_a_prior_table_give_the_same_bits(sampler, small_limit):
    beta = np.random.default_rng(0).gamma(1.0, size=(3, COUNTS.shape[1])) + 0.01
    apart = LDA(**QUICK, beta=beta, sampler=sampler, executor=Pickled()).fit(COUNTS)
    assert_same_bits(apart, LDA(**QUICK, beta=beta, sampler=sampler).fit(COUNTS))


def test_real_counts_resume_from_rows_in_use(small_limit, tmp_path):
    import plait

    model = LDA(**QUICK | {"n_sweeps": 8}, sampler="limit")
    path = tmp_path / "model.plait"
    whole = clone(model).fit(COUNTS, checkpoint=path, checkpoint_every=3)
    unfinished = plait.load(path)
    assert unfinished.n_sweeps_ < whole.n_sweeps_
    assert_same_bits(unfinished.set_params(executor=Pickled()).resume(COUNTS), whole)


def test_small_tables_travel_whole():
    executor = Pickled()
    LDA(**QUICK, executor=executor).fit(COUNTS)
    assert all(rows is None for rows in sent_rows(executor))


def test_ray_sends_each_worker_its_rows(small_limit):
    pytest.importorskip("ray", reason="plait[ray] is not installed")
    with RayExecutor(workers=2, timeout=60) as executor:
        on_ray = LDA(**QUICK, executor=executor).fit(COUNTS)
        narrowed = executor.traffic
    assert_same_bits(on_ray, LDA(**QUICK).fit(COUNTS))
    assert narrowed.sent > 0


@pytest.mark.parametrize("kind", [np.int32, np.float32])
def test_changes_of_some_rows_are_those_of_the_whole_table(kind):
    random = np.random.default_rng(1)
    width = 16
    shared = random.integers(0, 9, 6 * width).astype(kind)
    own, sent_rows = np.array([1, 4]), np.array([1, 3, 4])
    found = []
    for sent, rows in ((shared, None), (shared.reshape(-1, width)[sent_rows].ravel(), sent_rows)):
        one = ShardRows(own, 1, width, kind, 1000)
        table = one.open(sent, rows).copy()
        table[::3] += 1
        deltas = one.close(table, sent, rows)
        total = shared.copy()
        with Threads() as threads:
            add_deltas(total, [deltas], width, threads.map)
        found.append(total)
    assert found[0].tobytes() == found[1].tobytes()
    assert (found[0] != shared).any()


def test_rows_in_use_are_those_of_all_shards_of_a_group():
    layout = lay_out_table([np.array([0, 2, 5]), np.array([2, 3]), np.array([3, 5, 7])], 8)
    assert layout.shared.tolist() == [2, 3, 5]
    assert narrowing.rows_in_use(layout, 0, 1).tolist() == [0, 2]
    assert narrowing.rows_in_use(layout, 1, 3).tolist() == [0, 1, 2]
