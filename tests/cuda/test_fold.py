"""New documents on a GPU, with its sources run on the CPU: the same bits as threads."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sparse
from sklearn.base import clone

from plait import LDA, MedLDA, PlaitError
from plait.executors import cuda_fold
from tests.cuda.cases import COUNTS, LABELS, QUICK
from tests.cuda.host_device import COMPILER, HostDevice, HostExecutor
from tests.cuda.test_executor import has_device

pytestmark = pytest.mark.slow  # compiles the sources for GPUs

needs_compiler = pytest.mark.skipif(COMPILER is None, reason="needs a C++ compiler")

NEW = np.random.default_rng(3).poisson(0.6, size=(41, 30)).astype(np.int32)
NEW[4] = 0  # a document without words
NEW[9, 3] = 200  # a long one
NEW = sparse.csr_array(NEW)
MODELS = {
    "20 topics": (LDA(20, **QUICK), {}),
    "64 topics": (LDA(64, **QUICK), {}),
    "300 topics": (LDA(300, **QUICK | {"n_sweeps": 1}), {}),
    "learned priors": (LDA(20, **QUICK, learn_alpha=True, learn_beta=True), {}),
    "labels": (MedLDA(20, **QUICK, n_chains=2), {"y": LABELS}),
}


class Counting(HostExecutor):
    """Counts the calls that the device answers."""

    n_answers = 0

    def fold_in(self, documents):
        found = super().fold_in(documents)
        type(self).n_answers += found is not None
        return found


@pytest.fixture
def every_size(monkeypatch):
    """Let the device infer the topics of any number of documents."""
    monkeypatch.setattr(cuda_fold, "_LEAST_DRAWS", 0.0)
    Counting.n_answers = 0


@needs_compiler
@pytest.mark.parametrize("n_sweeps", [1, 5, 12])
@pytest.mark.parametrize("name", MODELS)
def test_new_documents_have_the_topics_of_threads(name, n_sweeps, every_size):
    model, given = MODELS[name]
    fitted = clone(model).set_params(fold_in_sweeps=n_sweeps).fit(COUNTS, **given)
    expected = fitted.transform(NEW)
    found = fitted.set_params(executor=Counting()).transform(NEW)
    assert Counting.n_answers > 0
    assert found.tobytes() == expected.tobytes()


@needs_compiler
def test_predictions_and_perplexity_are_those_of_threads(every_size):
    model, given = MODELS["labels"]
    fitted = clone(model).fit(COUNTS, **given)
    expected = fitted.decision_function(NEW), fitted.perplexity(NEW)
    fitted.set_params(executor=Counting())
    found = fitted.decision_function(NEW), fitted.perplexity(NEW)
    assert Counting.n_answers > 0
    assert found[0].tobytes() == expected[0].tobytes()
    assert found[1] == expected[1]


@needs_compiler
def test_documents_are_divided_where_results_would_be_too_large(every_size, monkeypatch):
    monkeypatch.setattr(cuda_fold, "_MOST_RESULTS", 7 * 20)
    fitted = LDA(20, **QUICK).fit(COUNTS)
    expected = fitted.transform(NEW)
    assert fitted.set_params(executor=Counting()).transform(NEW).tobytes() == expected.tobytes()


@needs_compiler
def test_documents_larger_than_the_device_are_refused_with_the_size(every_size):
    class Small(HostDevice):
        def memory(self):
            return 1 << 10, 1 << 30

    class SmallExecutor(HostExecutor):
        def _make_device(self):
            return Small()

    fitted = LDA(20, **QUICK).fit(COUNTS).set_params(executor=SmallExecutor())
    with pytest.raises(PlaitError, match=r"on the device for 9\d\d tokens of new documents .* give fewer documents"):
        fitted.transform(NEW)


def test_few_documents_and_many_topics_stay_on_the_cpu(monkeypatch):
    Counting.n_answers = 0
    fitted = LDA(20, **QUICK).fit(COUNTS).set_params(executor=Counting())
    fitted.transform(NEW[[4]])  # no tokens
    monkeypatch.setattr(cuda_fold, "_LEAST_DRAWS", 20.0)
    fitted.transform(NEW[:1])
    assert Counting.n_answers == 0
    monkeypatch.setattr(cuda_fold, "_LEAST_DRAWS", 0.0)
    many = LDA(1_040, **QUICK | {"n_sweeps": 1}).fit(COUNTS).set_params(executor=Counting())
    many.transform(NEW)
    assert Counting.n_answers == 0


@pytest.mark.cuda
@pytest.mark.parametrize("name", MODELS)
def test_a_device_gives_new_documents_the_topics_of_threads(name, every_size):
    if not has_device():
        pytest.skip("needs CuPy and a GPU")
    model, given = MODELS[name]
    fitted = clone(model).fit(COUNTS, **given)
    expected = fitted.transform(NEW)
    assert fitted.set_params(executor="cuda").transform(NEW).tobytes() == expected.tobytes()
