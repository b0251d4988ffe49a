"""Fold-in of new documents is a task of messages: wherever it runs, it gives the bits of threads."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sparse

from plait import PlaitError, RayExecutor
from plait.engine import fold_in, pair_fold_in
from plait.executors import WorkerError, ray_worker
from plait.executors import ray as ray_executor
from plait.executors.ray_tasks import cut_parts
from plait.executors.ray_worker import ShardWorker, pack, unpack
from tests.executors.processes import Pickled, Processes
from tests.executors.test_contract import CASES, COUNTS, LINKS

# Sweeps of these samplers are compiled for few tests.
pytestmark = pytest.mark.slow_with("linked, limit")

NEW_LINKS = sparse.csr_array(LINKS[:9])
QUESTIONS = {
    "LDA": lambda model: [model.transform(COUNTS[:9]), model.perplexity(COUNTS[:9])],
    "LDA, sparse": lambda model: [model.transform(COUNTS[:9])],
    "MedLDA": lambda model: [model.transform(COUNTS[:9]), model.decision_function(COUNTS[:9])],
    "relational": lambda model: [model.predict_words(COUNTS[:9], NEW_LINKS)],
    "linked": lambda model: [
        model.transform(COUNTS[:9], links=NEW_LINKS),
        model.infer_influence(COUNTS[:9], NEW_LINKS),
    ],
    "linked, limit": lambda model: [model.transform(COUNTS[:9], links=NEW_LINKS)],
}


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    monkeypatch.setattr(fold_in, "_CHUNK", 2)
    monkeypatch.setattr(pair_fold_in, "_CHUNK", 2)


@pytest.fixture(scope="module")
def fitted():
    from sklearn.base import clone

    known = {}

    def fit(case):
        if case not in known:
            model, targets = CASES[case]
            known[case] = clone(model).fit(COUNTS, **targets)
        return known[case]

    return fit


@pytest.fixture(scope="module")
def ray():
    found = pytest.importorskip("ray", reason="plait[ray] is not installed")
    found.init(address="local", num_cpus=3, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    yield found
    found.shutdown()


@pytest.fixture
def on_workers(monkeypatch):
    """All batches go to the workers."""
    monkeypatch.setattr(ray_executor, "LEAST_WORK", 0.0)


def answers(model, case, executor):
    """Return the bytes of a model's answers on an executor."""
    model.set_params(executor=executor)
    found = QUESTIONS[case](model)
    model.set_params(executor=None)
    return [(one.toarray() if sparse.issparse(one) else np.asarray(one)).tobytes() for one in found]


@pytest.mark.parametrize("case", QUESTIONS)
def test_chunks_as_messages_give_the_bits_of_threads(case, fitted):
    assert answers(fitted(case), case, Pickled()) == answers(fitted(case), case, None)


@pytest.mark.parametrize("case", ["LDA", "MedLDA"])
def test_new_documents_in_processes_get_the_bits_of_threads(case, fitted):
    model = fitted(case)
    with Processes() as processes:
        assert answers(model, case, processes) == answers(model, case, None)


@pytest.mark.parametrize("case", ["LDA", "MedLDA"])
def test_new_documents_on_ray_get_the_bits_of_threads(case, fitted, ray, on_workers):
    model = fitted(case)
    with RayExecutor(workers=2, timeout=60) as executor:
        assert answers(model, case, executor) == answers(model, case, None)
        assert executor.traffic.sent > 0
        assert [worker.name for worker in executor._group.workers] == ["plait worker 0", "plait worker 1"]


def test_small_batches_stay_in_the_driver(fitted, monkeypatch):
    monkeypatch.setattr(RayExecutor, "_connect", lambda self: pytest.fail("connected to Ray"))
    assert answers(fitted("LDA"), "LDA", RayExecutor(workers=2)) == answers(fitted("LDA"), "LDA", None)


def add(shared, part):
    return shared + part


def fail(shared, part):
    raise PlaitError(f"part {part}")


def die_once(path, part):
    """End the process the first time."""
    if part == 3 and not Path(path).exists():
        Path(path).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return part


def test_workers_that_hold_shards_run_batches_between_calls(ray, on_workers):
    with RayExecutor(workers=2, timeout=60) as executor:
        executor.place([SimpleNamespace(measure=abs)] * 3)
        assert executor.each("measure", -1) == [1, 1, 1]
        assert executor.spread(add, np.arange(3), list(range(40)), 1.0)[7].tolist() == [7, 8, 9]
        assert executor.each("measure", -2) == [2, 2, 2]


def test_the_batch_of_a_lost_worker_is_repeated(ray, on_workers, tmp_path):
    with RayExecutor(workers=2, timeout=60) as executor:
        assert executor.spread(die_once, str(tmp_path / "died"), list(range(6)), 1.0) == list(range(6))
    assert (tmp_path / "died").exists()


def test_an_error_in_a_batch_is_raised_as_in_threads(ray, on_workers):
    with RayExecutor(workers=1, timeout=60) as executor, pytest.raises(PlaitError, match="part"):
        executor.spread(fail, None, [1, 2], 1.0)


def sleep(shared, part):
    time.sleep(part)


def test_a_batch_that_takes_too_long(ray, on_workers):
    with RayExecutor(workers=1, timeout=60) as executor:
        assert executor.spread(add, 0, [1, 2], 1.0) == [1, 2]
        executor.timeout = 0.5
        with pytest.raises(WorkerError, match=r"plait worker 0: no answer to a batch of documents in 0.5 s"):
            executor.spread(sleep, None, [30, 30], 1.0)


def test_a_worker_unpacks_the_tables_of_a_batch_once(monkeypatch):
    seen = []
    monkeypatch.setattr(ray_worker, "fetch", lambda held: seen.append(held) or held)
    worker = ShardWorker("plait worker 0")
    tables = [pack(np.arange(4))]
    for part in (1, 2):
        assert unpack(worker.run_parts(pack(add), tables, pack([part])))[0].tolist() == [part + n for n in range(4)]
    assert len(seen) == 1
    worker.forget_shared()
    worker.run_parts(pack(add), tables, pack([1]))
    assert len(seen) == 2


@pytest.mark.parametrize(("n_parts", "n_workers"), [(1, 1), (2, 3), (100, 2), (7, 7)])
def test_runs_cover_all_parts(n_parts, n_workers):
    runs = cut_parts(n_parts, n_workers)
    assert [part for run in runs for part in range(n_parts)[run]] == list(range(n_parts))
