"""Label partition: weights that are drawn label by label at the workers have the bits of those drawn by the chain."""

from __future__ import annotations

import os

import numpy as np
import pytest

from plait import MedLDA, RayExecutor
from plait.engine import weights
from plait.executors import WorkerError
from plait.responses.linear.label_parts import LabelPart, cut_labels, cut_sums, draw_part
from plait.responses.linear.regression import Sums, draw_weights
from tests.executors.processes import Pickled
from tests.executors.test_contract import COUNTS, LABELS, QUICK, assert_same_bits


@pytest.fixture
def always(monkeypatch):
    """Labels are divided whatever their sums take."""
    monkeypatch.setattr(weights, "LEAST_EXCHANGED_BYTES", 0)


def fit(executor=None):
    return MedLDA(**QUICK, n_chains=1, executor=executor).fit(COUNTS, LABELS)


def test_divided_labels_have_the_same_bits(always):
    executor = Pickled()
    apart = fit(executor)
    methods = {method for method, _ in executor.sent}
    assert "label_statistics" in methods
    assert "statistics" not in methods
    assert_same_bits(apart, fit())


def test_few_sums_go_to_the_chain():
    executor = Pickled()
    fit(executor)
    assert "label_statistics" not in {method for method, _ in executor.sent}


def test_threads_do_not_divide_labels(always, monkeypatch):
    monkeypatch.setattr(weights, "cut_labels", lambda *sizes: pytest.fail("labels were divided"))
    fit()


@pytest.mark.parametrize("n_workers", [2, 3])
def test_divided_labels_on_ray_have_the_same_bits(n_workers, always):
    pytest.importorskip("ray", reason="plait[ray] is not installed")
    with RayExecutor(workers=n_workers, timeout=120) as executor:
        assert_same_bits(fit(executor), fit())


@pytest.mark.parametrize("lost", [{0, 1, 2}, {0, 1}, {2}])
def test_a_worker_that_is_lost_in_an_exchange_is_an_error(lost):
    pytest.importorskip("ray", reason="plait[ray] is not installed")
    with RayExecutor(workers=2, timeout=120) as executor:
        executor.place([Fragile(number in lost) for number in range(3)])
        assert executor.exchange("halves", 1, join, ["a", "b"]) == [("a", [1, 1, 1]), ("b", [2, 2, 2])]
        assert executor.exchange("halves", 1, join, ["a"]) == [("a", [1, 1, 1])]
        with pytest.raises(WorkerError, match="plait shards"):
            executor.exchange("halves", None, join, ["a", "b"])
        executor.place([Fragile(False)] * 3)
        assert executor.exchange("halves", 2, join, ["a"]) == [("a", [2, 2, 2])]


class Fragile:
    """A shard whose process may end when it is sent nothing."""

    def __init__(self, ends):
        self.ends = ends

    def halves(self, message):
        if message is None and self.ends:
            os._exit(1)
        return [0, 0] if message is None else [message, 2 * message]


def join(part, results):
    return part, list(results)


def test_weights_of_some_labels_are_those_of_all():
    random = np.random.default_rng(0)
    n_topics, n_labels, nu = 4, 7, 0.7
    shards = [
        (random.random((n_topics * (n_topics + 1) // 2, n_labels)) * 1e-3, random.random((n_topics, n_labels)))
        for _ in range(3)
    ]
    normals, mean = random.standard_normal((2, n_labels, n_topics))
    total = Sums(*(sum(parts[1:], start=parts[0]) for parts in zip(*shards, strict=True)))
    together = draw_weights(total, nu, normals, lambda function, items: [function(item) for item in items], mean)
    ranges = cut_labels(n_labels, 3)
    divided = [cut_sums(sums, ranges) for sums in shards]
    found = [
        draw_part(LabelPart(nu, normals[first:last], mean[first:last]), [one[place] for one in divided])
        for place, (first, last) in enumerate(ranges)
    ]
    assert np.concatenate(found).tobytes() == together.tobytes()


@pytest.mark.parametrize(("n_labels", "n_parts"), [(1, 4), (7, 3), (20, 20), (103, 12)])
def test_ranges_cover_all_labels(n_labels, n_parts):
    ranges = cut_labels(n_labels, n_parts)
    assert [label for first, last in ranges for label in range(first, last)] == list(range(n_labels))
    assert len(ranges) == min(n_labels, n_parts)
