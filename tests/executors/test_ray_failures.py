"""Failures of a cluster of several raylets: SIGKILL to a worker, a raylet and the driver; the bits stay the same."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest
from sklearn.base import clone

import plait
from plait import LDA, MedLDA, RayExecutor
from plait.executors.ray_group import describe_loss
from tests.executors.test_contract import CASES, COUNTS, LABELS, QUICK, assert_same_bits

ray = pytest.importorskip("ray", reason="plait[ray] is not installed")
pytestmark = pytest.mark.usefixtures("time_limit")

LONG = QUICK | {"n_sweeps": 12}
TIMEOUT = 50


@pytest.fixture(scope="module")
def cluster():
    """A cluster of three raylets with one CPU each, the first of which the driver is connected to."""
    from ray.cluster_utils import Cluster

    handler = signal.getsignal(signal.SIGTERM)
    # A raylet that is gone is noticed after 3 s rather than half a minute.
    system = {"health_check_initial_delay_ms": 0, "health_check_period_ms": 1000, "health_check_failure_threshold": 3}
    made = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 1, "include_dashboard": False, "_system_config": system},
    )
    for _ in range(2):
        made.add_node(num_cpus=1)
    ray.init(address=made.address, log_to_driver=False, logging_level="ERROR")
    yield made
    ray.shutdown()
    made.shutdown()
    signal.signal(signal.SIGTERM, handler)


class Disturbed(RayExecutor):
    """Calls a function before a given sweep."""

    disturb = None
    before_sweep = 6
    n_sweeps = 0

    def each(self, method, message=None):
        self.n_sweeps += method == "sweep"
        if method == "sweep" and self.n_sweeps == self.before_sweep:
            self.disturb(self)
        return super().each(method, message)

    def place(self, shards):
        self.timeout = TIMEOUT
        super().place(shards)


@pytest.fixture(scope="module")
def workers(cluster):
    """Three workers that all tests use: it is their start that takes time. They leave the CPUs to other workers."""
    with Disturbed(workers=3, cpus_per_worker=0.01, timeout=TIMEOUT) as executor:
        yield executor


@pytest.fixture
def disturbed(workers):
    """Return a function that has the workers disturbed in the next fit."""

    def disturb(function, before_sweep=6):
        workers.disturb, workers.before_sweep, workers.n_sweeps = function, before_sweep, 0
        return workers

    yield disturb
    workers.before_sweep = -1


def process_of(worker):
    return ray.get(worker.actor.__ray_call__.remote(lambda worker: os.getpid()), timeout=TIMEOUT)


def kill_worker(executor):
    os.kill(process_of(executor._group.workers[-1]), signal.SIGKILL)


def stop_worker(executor):
    os.kill(process_of(executor._group.workers[-1]), signal.SIGSTOP)
    executor.timeout = 3


def test_a_killed_worker_is_started_again(disturbed, tmp_path):
    model, targets = MedLDA(**QUICK, n_chains=2), {"y": LABELS}
    fitted = clone(model).set_params(executor=disturbed(kill_worker))
    with pytest.warns(UserWarning, match=r"plait shards 2-2: the worker was lost .*; the fit continues from sweep 4"):
        fitted.fit(COUNTS, **targets, checkpoint=tmp_path / "m.plait", checkpoint_every=2)
    assert_same_bits(fitted, clone(model).fit(COUNTS, **targets))


def test_a_worker_that_was_started_again_between_two_calls_refuses_to_sweep(disturbed):
    def kill_and_wait(executor):
        worker = executor._group.workers[-1]
        before = process_of(worker)
        os.kill(before, signal.SIGKILL)
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline:  # until Ray has started it again
            try:
                if process_of(worker) != before:
                    return
            except ray.exceptions.RayError:
                time.sleep(0.1)
        raise AssertionError("Ray has not started the worker again")

    with pytest.warns(UserWarning, match=r"plait shards 2-2: the worker was lost during sweep.*holds no shards"):
        fitted = LDA(**LONG, executor=disturbed(kill_and_wait)).fit(COUNTS)
    assert_same_bits(fitted, LDA(**LONG).fit(COUNTS))


def test_a_worker_that_hangs_is_replaced(disturbed, tmp_path):
    fitted = LDA(**LONG, executor=disturbed(stop_worker))
    with pytest.warns(UserWarning, match=r"plait shards 2-2: no answer to sweep in 3 s; it hangs.*continues from"):
        fitted.fit(COUNTS, checkpoint=tmp_path / "m.plait", checkpoint_every=2)
    assert_same_bits(fitted, LDA(**LONG).fit(COUNTS))


def test_the_shards_of_a_killed_raylet_move_to_other_nodes(cluster, tmp_path):
    node = cluster.add_node(num_cpus=1)

    def kill_raylet(executor):
        cluster.remove_node(node, allow_graceful=False)  # SIGKILL, with its workers

    executor = Disturbed(workers=4, cpus_per_worker=0.9, timeout=TIMEOUT)  # one per node
    executor.disturb = kill_raylet
    model = LDA(**LONG | {"n_shards": 4})
    fitted = clone(model).set_params(executor=executor)
    with executor:
        with pytest.warns(UserWarning, match=r"the worker was lost .*the fit continues from sweep 4"):
            fitted.fit(COUNTS, checkpoint=tmp_path / "m.plait", checkpoint_every=2)
        assert len(executor._group.workers) == 3  # as many as the CPUs that are left
    assert_same_bits(fitted, clone(model).fit(COUNTS))


DRIVER = """
    import os, signal, sys
    import plait
    from plait.engine.chain import Chain
    from tests.executors.test_contract import CASES, COUNTS

    sweep = Chain.sweep

    def killed(chain):
        if chain.n_sweeps == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return sweep(chain)

    Chain.sweep = killed
    case, path, address = sys.argv[1:]
    model, targets = CASES[case]
    model.set_params(executor=plait.RayExecutor(address, workers=2, cpus_per_worker=0.5))
    model.fit(COUNTS, **targets, checkpoint=path, checkpoint_every=2)
"""


@pytest.mark.parametrize(("case", "resumed_on"), [("LDA", "Ray"), ("combined", "threads")])
def test_a_killed_driver_resumes_from_disk(case, resumed_on, cluster, workers, tmp_path):
    path = tmp_path / "m.plait"
    script = tmp_path / "driver.py"
    script.write_text(textwrap.dedent(DRIVER))
    paths = {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    done = subprocess.run(
        [sys.executable, str(script), case, str(path), cluster.address],
        env={**os.environ, **paths},
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    model, targets = CASES[case]
    kept = plait.load(path)
    assert kept.n_sweeps_ == 2
    if resumed_on == "Ray":
        kept.set_params(executor=workers)
    with pytest.warns(UserWarning, match="which has ended without removing"):  # the lock of the killed driver
        kept.resume(COUNTS, **targets, checkpoint=path, checkpoint_every=2)
    assert_same_bits(kept, clone(model).fit(COUNTS, **targets))


def test_out_of_memory_names_the_shards_and_what_to_set():
    error = ray.exceptions.OutOfMemoryError("Task was killed due to the node running low on memory.")
    text = describe_loss("plait shards 0-3", "sweep", error)
    assert text.startswith("plait shards 0-3: the worker was lost during sweep; it was out of memory: set workers=")
    assert "Ray: " in text


def test_workers_of_a_fit_end_with_it(cluster, workers):
    def other_actors():
        found = [one["name"] for one in ray.util.list_named_actors(all_namespaces=True)]
        for worker in workers._group.workers if workers._group is not None else []:
            found.remove(worker.name)
        return found

    deadline = time.monotonic() + TIMEOUT
    while other_actors() and time.monotonic() < deadline:  # those of all other tests, and of killed drivers
        time.sleep(0.1)
    assert other_actors() == []
