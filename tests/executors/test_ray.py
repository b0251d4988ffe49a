"""Workers of Ray give the bits of threads, and a worker that is lost or hangs is an error that says what to do."""

from __future__ import annotations

import copy
import pickle
import re
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import clone

import plait
from plait import LDA, LabelResponse, OnlineLDA, PlaitError, RayExecutor
from plait.executors import WorkerError, as_executor, open_executor, ray_worker
from plait.executors.ray import group_shards
from plait.executors.ray_connection import check_reachable
from plait.executors.ray_worker import ShardWorker, StaleWorkerError, pack, unpack
from tests.executors.test_contract import CASES, COUNTS, LABELS, QUICK, assert_same_bits

ray = pytest.importorskip("ray", reason="plait[ray] is not installed")
pytestmark = pytest.mark.usefixtures("time_limit")

TIMEOUT = 60  # seconds until a worker is given up

RESUMABLE = LDA(**QUICK | {"n_sweeps": 8})


@pytest.fixture(scope="module")
def instance():
    """A local instance of Ray that plait did not start."""
    handler = signal.getsignal(signal.SIGTERM)
    ray.init(address="local", num_cpus=3, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    yield ray
    ray.shutdown()
    signal.signal(signal.SIGTERM, handler)


@pytest.fixture(scope="module", params=[1, 2, 3])
def workers(request, instance):
    # They hold few CPUs, because they may live until other tests of the file have run.
    with RayExecutor(workers=request.param, cpus_per_worker=0.01, timeout=TIMEOUT) as executor:
        yield executor


@pytest.mark.parametrize("case", CASES)
def test_ray_gives_the_bits_of_threads(case, workers):
    model, targets = CASES[case]
    on_ray = clone(model).set_params(executor=workers).fit(COUNTS, **targets)
    in_threads = clone(model).set_params(n_jobs=2).fit(COUNTS, **targets)
    assert_same_bits(on_ray, in_threads)
    if case not in ("linked", "linked, limit", "combined"):
        assert on_ray.transform(COUNTS[:9]).tobytes() == in_threads.transform(COUNTS[:9]).tobytes()
    if case == "MedLDA":
        assert on_ray.decision_function(COUNTS[:9]).tobytes() == in_threads.decision_function(COUNTS[:9]).tobytes()


def test_a_stream_on_ray_gives_the_bits_of_threads(workers):
    models = []
    for executor in (workers, "threads"):
        model = OnlineLDA(**QUICK, window=1, responses=[LabelResponse()], executor=executor)
        for first in (0, 10, 20):
            model.partial_fit(COUNTS[first : first + 10], LABELS[first : first + 10] % 2)
        models.append(model)
    assert_same_bits(*models)


@pytest.mark.parametrize("case", ["LDA", "MedLDA", "relational", "linked, limit", "combined"])
def test_arrays_that_are_read_in_the_object_store_give_the_same_bits(case, instance, monkeypatch):
    monkeypatch.setattr(ray_worker, "SHARED_BYTES", 0)  # else only tables of 1 MB and more
    model, targets = CASES[case]
    executor = RayExecutor(workers=1, cpus_per_worker=2, timeout=TIMEOUT)  # two threads in the worker
    on_ray = clone(model).set_params(executor=executor).fit(COUNTS, **targets)
    assert_same_bits(on_ray, clone(model).fit(COUNTS, **targets))


def test_large_arrays_of_a_sweep_are_read_only_and_others_are_copied():
    seen = []
    shard = SimpleNamespace(sweep=seen.append, set_priors=seen.append)
    worker = ShardWorker("plait shards 0-0", shared_bytes=100)
    worker._executor.place([shard])
    message = pack((np.zeros(100), np.zeros(3)))
    for buffer in message.buffers:
        buffer.flags.writeable = False
    worker._epoch = 1
    worker.call(1, 1, "sweep", message)
    worker.call(1, 2, "set_priors", message)
    assert [array.flags.writeable for arrays in seen for array in arrays] == [False, True, True, True]


def test_a_call_out_of_turn_is_refused():
    worker = ShardWorker("plait shards 0-1")
    with pytest.raises(
        StaleWorkerError, match=r"plait shards 0-1: call 1 .measure. of placement 1: .* holds no shards"
    ):
        worker.call(1, 1, "measure", pack(-3))
    worker.place(1, pack([SimpleNamespace(measure=abs), SimpleNamespace(measure=float)]))
    assert unpack(worker.call(1, 1, "measure", pack(-3))) == [3, -3.0]
    for number in (1, 3):
        with pytest.raises(StaleWorkerError, match=f"plait shards 0-1: call {number} .measure. follows call 1"):
            worker.call(1, number, "measure", pack(-3))
    worker.place(2, pack([SimpleNamespace(measure=abs)]))
    with pytest.raises(StaleWorkerError, match="of placement 1: the worker holds the shards of placement 2"):
        worker.call(1, 2, "measure", pack(-3))
    assert unpack(worker.call(2, 1, "measure", pack(-4))) == [4]


def test_a_worker_answers_no_more_after_an_error():
    worker = ShardWorker("plait shards 0-0")
    worker.place(1, pack([SimpleNamespace(measure=abs)]))
    with pytest.raises(TypeError):
        worker.call(1, 1, "measure", pack("three"))
    with pytest.raises(StaleWorkerError, match=r"call 2 .measure. follows call 0"):
        worker.call(1, 2, "measure", pack(3))


@pytest.mark.parametrize(("n_shards", "n_workers"), [(1, 1), (7, 3), (8, 8), (10, 4)])
def test_groups_are_contiguous_and_even(n_shards, n_workers):
    groups = group_shards(n_shards, n_workers)
    assert [shard for first, last in groups for shard in range(first, last)] == list(range(n_shards))
    sizes = [last - first for first, last in groups]
    assert len(sizes) == n_workers
    assert max(sizes) - min(sizes) <= 1


def test_workers_have_names_and_end_with_the_fit(instance):
    before = {one["namespace"] for one in ray.util.list_named_actors(all_namespaces=True)}

    def actor_names():
        found = ray.util.list_named_actors(all_namespaces=True)
        return sorted(one["name"] for one in found if one["namespace"] not in before)

    executor = RayExecutor(workers=2)
    with open_executor(executor) as opened:
        opened.place([SimpleNamespace(measure=abs)] * 3)
        assert actor_names() == ["plait shards 0-1", "plait shards 2-2"]
        assert opened.each("measure", -1) == [1, 1, 1]
        assert opened.traffic.sent > 0
        assert opened.traffic.received > 0
    with pytest.raises(RuntimeError, match="no shard to call sweep of"):
        executor.each("sweep")
    assert ray.is_initialized()  # as it was started by the test
    deadline = time.monotonic() + 20
    while actor_names() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert actor_names() == []


def test_an_error_of_a_shard_is_raised_as_in_threads(instance):
    with RayExecutor(workers=1) as executor:
        executor.place([SimpleNamespace(measure=abs)])
        with pytest.raises(TypeError, match="bad operand"):
            executor.each("measure", "three")
        with pytest.raises(RuntimeError, match="no shard to call measure of"):
            executor.each("measure", 3)


def test_a_worker_that_hangs_is_given_up(instance):
    with RayExecutor(workers=2, timeout=20) as executor:
        executor.place([SimpleNamespace(wait=abs), SimpleNamespace(wait=time.sleep)])
        executor.timeout = 0.5
        start = time.monotonic()
        with pytest.raises(WorkerError, match=r"^plait shards 1-1: no answer to wait in 0.5 s.*timeout="):
            executor.each("wait", 50)
        assert time.monotonic() - start < 20
        executor.timeout = 20
        executor.place([SimpleNamespace(wait=abs), SimpleNamespace(wait=abs)])  # another worker takes its place
        assert executor.each("wait", -3) == [3, 3]


def test_a_worker_that_cannot_start_is_given_up(instance):
    with RayExecutor(workers=2, cpus_per_worker=1.4, timeout=30) as holder:
        holder.place([SimpleNamespace(measure=abs)] * 2)
        waiting = RayExecutor(workers=1, timeout=0.5)
        with pytest.raises(
            PlaitError, match=r"no answer to place in 0.5 s; CPUs of the cluster may be in use"
        ) as raised:
            waiting.place([SimpleNamespace(measure=abs)])
        assert not isinstance(raised.value, WorkerError)  # a fit does not wait again
        waiting.close()


def test_a_fit_of_threads_resumes_on_ray(instance, tmp_path):
    path = tmp_path / "model.plait"
    clone(RESUMABLE).fit(COUNTS, checkpoint=path, checkpoint_every=3)
    unfinished = plait.load(path)
    assert unfinished.n_sweeps_ < clone(RESUMABLE).fit(COUNTS).n_sweeps_
    unfinished.set_params(executor=RayExecutor(workers=2, timeout=TIMEOUT))
    assert_same_bits(unfinished.resume(COUNTS), clone(RESUMABLE).fit(COUNTS))


def test_too_few_cpus(instance):
    with pytest.raises(PlaitError, match="3 workers with 2 CPUs each do not fit into a cluster of 3 CPUs"):
        LDA(**QUICK, executor=RayExecutor(workers=3, cpus_per_worker=2)).fit(COUNTS)


def test_another_address_than_that_of_the_process(instance):
    with pytest.raises(PlaitError, match=r"connected to Ray at .*, not at 10\.0\.0\.1:6379; leave address out"):
        RayExecutor("10.0.0.1:6379").__enter__()
    with RayExecutor(ray.get_runtime_context().gcs_address, workers=1) as executor:
        executor.place([SimpleNamespace(measure=abs)])
        assert executor.each("measure", -2) == [2]


@pytest.mark.parametrize("address", ["127.0.0.1:1", "127.0.0.1", "127.0.0.1:port"])
def test_an_address_without_ray(address):
    with pytest.raises(PlaitError, match=re.escape(f"no Ray at {address} (")):
        check_reachable(address)


def test_the_name_ray_is_enough(instance):
    on_ray = LDA(**QUICK, executor="ray", n_jobs=2).fit(COUNTS)
    assert_same_bits(on_ray, LDA(**QUICK).fit(COUNTS))
    assert as_executor("ray", 3).workers == 3
    assert as_executor("ray", -1).workers is None
    assert as_executor("ray").workers is None


def test_a_ray_that_was_shut_down_is_not_started_again():
    executor = RayExecutor(workers=1)
    executor._ray = SimpleNamespace(is_initialized=lambda: False)
    executor._group = SimpleNamespace(has_shards=True)
    with pytest.raises(WorkerError, match=r"Ray was shut down before sweep"):
        executor.each("sweep")


def test_the_executor_is_a_specification(instance):
    executor = RayExecutor("auto", 2, cpus_per_worker=0.5, timeout=None)
    with RayExecutor(workers=1) as connected:
        connected.place([SimpleNamespace(measure=abs)])
        copies = [copy.deepcopy(connected), pickle.loads(pickle.dumps(connected))]
        copies.append(clone(LDA(executor=connected)).executor)
    for one in copies:
        assert repr(one) == repr(connected)
        with pytest.raises(RuntimeError, match="no shard"):
            one.each("measure", 1)
    assert repr(pickle.loads(pickle.dumps(executor))) == (
        "RayExecutor(address='auto', workers=2, cpus_per_worker=0.5, gpus_per_worker=0, timeout=None)"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"address": 3}, "address must be None or a str"),
        ({"address": "ray://head:10001"}, "is that of a Ray client; run on a node of the cluster"),
        ({"workers": 0}, "workers must be None or a whole number, 1 or more, not 0"),
        ({"workers": 1.5}, "workers must be"),
        ({"workers": True}, "workers must be"),
        ({"timeout": 0}, "timeout must be a number above 0"),
        ({"cpus_per_worker": -1}, "cpus_per_worker must be a number above 0"),
        ({"cpus_per_worker": None}, "cpus_per_worker must be"),
    ],
)
def test_invalid_parameters(arguments, message):
    with pytest.raises(PlaitError, match=message):
        RayExecutor(**arguments)


def test_a_missing_package_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(PlaitError, match=r"RayExecutor needs Ray: pip install '\.\[ray\]'"):
        LDA(**QUICK, executor="ray").fit(COUNTS)


def test_the_command_line_starts_ray_without_output(tmp_path):
    from tests.cli.small import documents, write_lines

    corpus = write_lines(tmp_path / "corpus.jsonl", documents())
    command = [sys.executable, "-m", "plait", "fit", str(corpus), "--topics", "2", "--sweeps", "6", "--shards", "2"]
    printed = []
    for name, options in (("ray", ["--ray", "local", "--workers", "2"]), ("threads", ["--jobs", "2"])):
        done = subprocess.run(
            [*command, "-o", f"{name}.plait", *options],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
        )
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        printed.append([line for line in done.stdout.splitlines() if " s" not in line and "saved" not in line])
    assert printed[0] == printed[1]
    on_ray, in_threads = (plait.load(tmp_path / f"{name}.plait") for name in ("ray", "threads"))
    for name in ("topic_word_", "doc_topic_"):
        assert getattr(on_ray, name).tobytes() == getattr(in_threads, name).tobytes()
    assert on_ray.executor is None


@pytest.mark.parametrize(
    ("options", "message"),
    [(["--workers", "2"], "--workers is for --ray"), (["--ray", "local", "--jobs", "2"], "--jobs is the number of")],
)
def test_options_that_contradict_each_other(options, message, tmp_path):
    from typer.testing import CliRunner

    from plait.cli.app import app

    done = CliRunner().invoke(app, ["fit", "corpus.jsonl", "-o", str(tmp_path / "model.plait"), *options])
    assert done.exit_code != 0
    assert message in " ".join(done.output.replace("│", " ").split())
