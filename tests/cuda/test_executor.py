"""The executor for a GPU, with its sources run on the CPU: the same bits as threads, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sparse
from sklearn.base import clone

from plait import LDA, CudaExecutor, MedLDA, PlaitError, RelationalTopicModel, TablePrior
from tests.cuda.host_device import COMPILER, HostExecutor

needs_compiler = pytest.mark.skipif(COMPILER is None, reason="needs a C++ compiler")
_RNG = np.random.default_rng(0)
_DENSE = _RNG.poisson(0.4, size=(23, 30)).astype(np.int32)
_DENSE[4] = 0  # an empty document
COUNTS = sparse.csr_array(_DENSE)
LABELS = _RNG.integers(0, 3, 23)
LINKS = sparse.csr_array((_RNG.random((23, 23)) < 0.1).astype(float))
TABLE = _RNG.uniform(0.01, 1.0, (20, 30))
QUICK = {"n_shards": 3, "n_sweeps": 3, "n_samples": 2, "sample_every": 1, "tolerance": 0.0, "random_state": 5,
         "verbose": False, "sampler": "synchronous"}  # fmt: skip

CASES = {
    "20 topics": (LDA(20, **QUICK), {}),
    "100 topics": (LDA(100, **QUICK | {"n_sweeps": 1}), {}),
    "a table of beta": (LDA(20, beta=TablePrior(TABLE), **QUICK), {}),
    "learned priors": (LDA(20, learn_alpha=True, learn_beta=True, **QUICK | {"n_sweeps": 10}), {}),
    "labels, exact": (MedLDA(20, **QUICK, n_chains=1), {"y": LABELS}),
    "labels, cached": (MedLDA(20, **QUICK, cached=True, n_chains=1), {"y": LABELS}),
    "links": (RelationalTopicModel(20, **QUICK, n_chains=1), {"links": LINKS}),
}


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
@pytest.mark.parametrize("name", CASES)
def test_a_gpu_gives_the_bits_of_threads(name):
    model, given = CASES[name]
    threads, gpu = (clone(model).set_params(executor=one).fit(COUNTS, **given) for one in (None, HostExecutor()))
    assert_same_bits(gpu, threads)


def test_other_samplers_are_refused_before_any_work():
    with pytest.raises(PlaitError, match="executor='cuda' draws topics with sampler='synchronous' only, not 'plain'"):
        LDA(3, sampler="plain", executor="cuda", verbose=False).fit(COUNTS)


def test_an_executor_is_a_specification():
    assert repr(CudaExecutor(1, n_jobs=2)) == "CudaExecutor(1, n_jobs=2)"
