"""The executor for a GPU, with its sources run on the CPU: the same bits as threads, and what it refuses."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest
from sklearn.base import clone

from plait import LDA, CudaExecutor, MedLDA, PlaitError, TablePrior, load
from plait.executors import cuda_lists
from plait.executors.cuda_device import CupyDevice
from plait.executors.cuda_memory import device_bytes
from plait.samplers.base import padded_width
from tests.cuda.cases import CASES, COUNTS, LABELS, QUICK, TABLE
from tests.cuda.host_device import COMPILER, HostDevice, HostExecutor

pytestmark = pytest.mark.slow  # compiles the sources for GPUs

needs_compiler = pytest.mark.skipif(COMPILER is None, reason="needs a C++ compiler")


def by_speed(names):
    """Return the names as parameters; all but "20 topics" compile sources for themselves and are slow."""
    return [name if name == "20 topics" else pytest.param(name, marks=pytest.mark.slow) for name in names]


def assert_same_bits(one, other):
    for first, second in zip(one._chain_samples[0], other._chain_samples[0], strict=True):
        np.testing.assert_array_equal(first.word_topic.toarray(), second.word_topic.toarray())
        assert first.alpha.tobytes() == second.alpha.tobytes()
        for mine, yours in zip(first.weights, second.weights, strict=True):
            assert mine.tobytes() == yours.tobytes()
    assert one.doc_topic_.tobytes() == other.doc_topic_.tobytes()
    found, expected = ([record.log_likelihood for record in model.history_] for model in (one, other))
    np.testing.assert_allclose(found, expected, rtol=1e-9)


@needs_compiler
@pytest.mark.parametrize("name", by_speed(CASES))
def test_a_gpu_gives_the_bits_of_threads(name):
    model, given = CASES[name]
    threads, gpu = (clone(model).set_params(executor=one).fit(COUNTS, **given) for one in (None, HostExecutor()))
    assert_same_bits(gpu, threads)


@needs_compiler
@pytest.mark.parametrize("name", by_speed(["20 topics", "labels, cached", "linked documents"]))
def test_a_fit_continues_on_another_executor(name, tmp_path):
    model, given = CASES[name]
    whole = clone(model).fit(COUNTS, **given)
    for first, second in ((HostExecutor(), None), (None, HostExecutor())):
        path = tmp_path / f"{first is None}.plait"
        clone(model).set_params(executor=first).fit(COUNTS, **given, checkpoint=path, checkpoint_every=3)
        unfinished = load(path)
        assert unfinished.n_sweeps_ < whole.n_sweeps_
        assert_same_bits(unfinished.set_params(executor=second).resume(COUNTS, **given), whole)


@needs_compiler
def test_tables_larger_than_the_device_are_refused_with_the_size():
    class Small(HostDevice):
        def memory(self):
            return 1 << 20, 1 << 30

    class SmallExecutor(HostExecutor):
        def _make_device(self):
            return Small()

    with pytest.raises(PlaitError, match=r"needs 0\.3 GiB on the device .* 0\.0 of 1\.0 GiB are free"):
        LDA(20, executor=SmallExecutor(), **QUICK).fit(COUNTS)


@needs_compiler
@pytest.mark.parametrize("name", by_speed(["20 topics", "lists of topics"]))
def test_tokens_larger_than_the_device_are_read_from_the_host(name):
    model, given = CASES[name]
    n_tokens, n_topics = int(COUNTS.sum()), model.n_topics
    sizes = (*COUNTS.shape, padded_width(n_topics))
    needed = device_bytes(n_tokens, *sizes, lists=n_topics > 256)

    class Small(HostDevice):
        on_host = 0

        def memory(self):
            return needed - 1, 1 << 30

        def host_zeros(self, size, dtype):
            self.on_host += 1
            assert size == n_tokens
            return super().host_zeros(size, dtype)

    class SmallExecutor(HostExecutor):
        def _make_device(self):
            devices.append(Small())
            return devices[-1]

    devices = []
    threads, gpu = (clone(model).set_params(executor=one).fit(COUNTS, **given) for one in (None, SmallExecutor()))
    assert [one.on_host for one in devices] == [2]  # words and topics
    assert_same_bits(gpu, threads)


@needs_compiler
def test_a_table_of_beta_larger_than_the_device_is_refused_with_the_size():
    class Small(HostDevice):
        asked = 0

        def memory(self):
            self.asked += 1
            return (1 << 40, 1 << 40) if self.asked == 1 else (1 << 10, 1 << 30)

    class SmallExecutor(HostExecutor):
        def _make_device(self):
            return Small()

    with pytest.raises(PlaitError, match=r"GiB more on the device for beta, a table of 30 words; 0\.0 of 1\.0 GiB"):
        LDA(20, beta=TablePrior(TABLE), executor=SmallExecutor(), **QUICK).fit(COUNTS)


class UnstartedExecutor(HostExecutor):
    """Initial topics must not be drawn."""

    def _make_device(self):
        class Unstarted(HostDevice):
            def launch(self, source, *given, **others):
                assert source != "start.cu"
                super().launch(source, *given, **others)

        return Unstarted()


@needs_compiler
def test_many_topics_with_labels_and_a_table_are_refused():
    model = MedLDA(300, beta=TablePrior(np.ones((300, 30))), executor=UnstartedExecutor(), **QUICK, n_chains=1)
    with pytest.raises(PlaitError, match="executor='cuda' takes up to 256 topics with labels, values or links where"):
        model.fit(COUNTS, LABELS)


@needs_compiler
def test_long_documents_with_many_topics_are_refused(monkeypatch):
    monkeypatch.setattr(cuda_lists, "_MAX_LENGTH", 10)
    with pytest.raises(PlaitError, match="executor='cuda' takes documents of up to 10 tokens with more than 256 topic"):
        LDA(300, executor=UnstartedExecutor(), **QUICK).fit(COUNTS)


def test_other_samplers_are_refused_before_any_work():
    with pytest.raises(PlaitError, match="a GPU draws topics with the sampler 'synchronous' only, not 'plain'"):
        LDA(3, sampler="plain", executor="cuda", verbose=False).fit(COUNTS)


def test_without_cupy_the_error_says_how_to_install_it():
    if importlib.util.find_spec("cupy") is not None:
        pytest.skip("CuPy is installed")
    with pytest.raises(PlaitError, match=r"needs CuPy: .*pip install '\.\[cuda\]' in a checkout"):
        LDA(3, executor="cuda", **QUICK).fit(COUNTS)


def has_device():
    try:
        CupyDevice(0)
    except PlaitError:
        return False
    return True


@pytest.mark.cuda
@pytest.mark.parametrize("name", CASES)
def test_a_device_gives_the_bits_of_threads(name):
    if not has_device():
        pytest.skip("needs CuPy and a GPU")
    model, given = CASES[name]
    threads, gpu = (clone(model).set_params(executor=one).fit(COUNTS, **given) for one in (None, "cuda"))
    assert_same_bits(gpu, threads)


def test_an_executor_is_a_specification():
    assert repr(CudaExecutor(1, n_jobs=2)) == "CudaExecutor(1, n_jobs=2)"
