"""Several GPUs: workers that have a device each, whose sources run on the CPU, give the bits of threads."""

from __future__ import annotations

import signal

import numpy as np
import pytest
from sklearn.base import clone

from plait import LDA, PlaitError, RayExecutor, load
from plait.executors import Executor
from plait.executors.base import TableChanges
from plait.executors.cuda_worker import CudaWorker
from plait.executors.ray import group_shards
from plait.executors.ray_worker import ShardWorker, pack, unpack
from tests.cuda.cases import CASES, COUNTS, LABELS, QUICK
from tests.cuda.host_device import COMPILER, HostDevice
from tests.cuda.test_executor import assert_same_bits

pytestmark = [
    pytest.mark.slow,  # compiles the sources for GPUs
    pytest.mark.skipif(COMPILER is None, reason="needs a C++ compiler"),
]


class HostWorker(CudaWorker):
    """The executor of a worker with a GPU, with a device that runs on the CPU."""

    def _make_device(self):
        return HostDevice()


class TwoWorkers(Executor):
    """Two workers in this process, with messages as they travel."""

    def place(self, shards):
        shards = list(shards)
        self.n_calls = 0
        self.swept = []
        self.workers = []
        for first, last in group_shards(len(shards), 2):
            worker = ShardWorker(f"shards {first}-{last - 1}", HostWorker())
            worker.place(1, pack(shards[first:last]))
            self.workers.append(worker)

    def each(self, method, message=None):
        self.n_calls += 1
        packed = pack(message)
        results = [one for worker in self.workers for one in unpack(worker.call(1, self.n_calls, method, packed))]
        if method == "sweep":
            self.swept.append(results)
        return results


@pytest.mark.parametrize("name", CASES)
def test_two_devices_give_the_bits_of_threads(name):
    model, given = CASES[name]
    executor = TwoWorkers()
    devices, threads = (clone(model).set_params(executor=one).fit(COUNTS, **given) for one in (executor, None))
    assert_same_bits(devices, threads)
    changes = [one.word_topic for one in executor.swept[0]]
    assert all(isinstance(one, TableChanges) for one in changes)
    assert [one.positions.size > 0 for one in changes] == [True, False, True]  # one table per worker


@pytest.mark.parametrize("name", ["20 topics", "labels, exact"])
def test_a_fit_continues_on_two_devices(name, tmp_path):
    model, given = CASES[name]
    whole = clone(model).fit(COUNTS, **given)
    for first, second in ((TwoWorkers(), None), (None, TwoWorkers())):
        path = tmp_path / f"{first is None}.plait"
        clone(model).set_params(executor=first).fit(COUNTS, **given, checkpoint=path, checkpoint_every=3)
        assert_same_bits(load(path).set_params(executor=second).resume(COUNTS, **given), whole)


class HostRay(RayExecutor):
    """Workers of Ray with devices that run on the CPU."""

    def _make_executor(self):
        return HostWorker()


@pytest.fixture(scope="module")
def instance():
    """A local instance of Ray that believes that it has a GPU."""
    ray = pytest.importorskip("ray", reason="plait[ray] is not installed")
    handler = signal.getsignal(signal.SIGTERM)
    ray.init(
        address="local", num_cpus=2, num_gpus=1, include_dashboard=False, log_to_driver=False, logging_level="ERROR"
    )
    yield ray
    ray.shutdown()
    signal.signal(signal.SIGTERM, handler)


@pytest.mark.usefixtures("instance")
def test_workers_of_ray_with_a_device_each_give_the_bits_of_threads():
    model, given = CASES["20 topics"]
    with HostRay(cpus_per_worker=0.1, gpus_per_worker=0.5, timeout=300) as executor:
        devices = clone(model).set_params(executor=executor).fit(COUNTS, **given)
        assert len(executor.loads()) == 2  # as many workers as the GPU can take
    assert_same_bits(devices, clone(model).fit(COUNTS, **given))


@pytest.mark.usefixtures("instance")
def test_more_workers_than_gpus_are_an_error():
    model = LDA(20, **QUICK, executor=RayExecutor(workers=2, cpus_per_worker=0.1, gpus_per_worker=1))
    with pytest.raises(
        PlaitError, match=r"2 workers with 0\.1 CPUs and 1 GPUs each do not fit into .* 2 CPUs and 1 GPU"
    ):
        model.fit(COUNTS)


@pytest.mark.parametrize("sampler", ["plain", "auto"])  # few tokens: "auto" is plain
def test_other_samplers_are_refused(sampler):
    model = LDA(3, **QUICK | {"sampler": sampler}, executor=RayExecutor(gpus_per_worker=1))
    with pytest.raises(PlaitError, match="with a GPU draw topics with the sampler 'synchronous' only, not 'plain'"):
        model.fit(COUNTS)


@pytest.mark.parametrize("wrong", [-1, 2, "1", True, None, np.nan])
def test_a_wrong_number_of_gpus_is_refused(wrong):
    with pytest.raises(PlaitError, match="gpus_per_worker must be a number from 0 to 1"):
        RayExecutor(gpus_per_worker=wrong)


def test_labels_draw_their_weights_on_the_cpu_of_the_workers():
    worker = HostWorker()
    model, given = CASES["labels, exact"]
    alone = clone(model).set_params(executor=worker).fit(COUNTS, y=LABELS)
    assert_same_bits(alone, clone(model).fit(COUNTS, **given))
