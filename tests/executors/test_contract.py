"""The executor contract: where shards live cannot change a bit of a model."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sparse

from plait import (
    LDA,
    LabelResponse,
    LinkedDocuments,
    LinkedLDA,
    LinkResponse,
    MedLDA,
    OnlineLDA,
    PlaitError,
    RelationalTopicModel,
    TopicModel,
    ValueResponse,
)
from plait.executors import Executor, Threads, as_executor, open_executor
from tests.executors.processes import Processes

# Sweeps of these samplers are compiled for few tests.
pytestmark = pytest.mark.slow_with("linked, limit")

QUICK = {"n_topics": 3, "n_shards": 3, "n_sweeps": 4, "n_samples": 2, "sample_every": 2, "tolerance": 0.0,
         "random_state": 0, "verbose": False}  # fmt: skip
TOPICS_ALONE = QUICK | {"n_chains": 1, "pair_features": None}
_RNG = np.random.default_rng(0)
COUNTS = sparse.csr_array(_RNG.poisson(0.5, size=(30, 25)).astype(np.int32))
LABELS = _RNG.integers(0, 3, 30)
LINKS = sparse.csr_array((_RNG.random((30, 30)) < 0.1).astype(float))
FEATURES = _RNG.normal(size=(30, 4))

CASES = {
    "LDA": (LDA(**QUICK), {}),
    "LDA, sparse": (LDA(**QUICK, sampler="sparse(2)"), {}),
    "LDA, synchronous": (LDA(**QUICK, sampler="synchronous"), {}),
    "LDA, synchronous, lists": (LDA(**QUICK | {"n_topics": 300}, sampler="synchronous"), {}),
    "linked, synchronous": (LinkedLDA(**QUICK, sampler="synchronous"), {"links": LINKS}),
    "LDA, defaults": (LDA(**QUICK | {"n_sweeps": 10}), {}),
    "LDA, learned priors": (LDA(**QUICK | {"n_sweeps": 10}, learn_alpha=True, learn_beta=True), {}),
    "MedLDA": (MedLDA(**QUICK, n_chains=2), {"y": LABELS}),
    "relational": (RelationalTopicModel(**TOPICS_ALONE, weights_every=2, fresh_negatives=3), {"links": LINKS}),
    "relational, diagonal": (RelationalTopicModel(**TOPICS_ALONE, form="diagonal"), {"links": LINKS}),
    "relational, low rank": (RelationalTopicModel(**TOPICS_ALONE, form="low_rank(2)"), {"links": LINKS}),
    "linked": (LinkedLDA(**QUICK), {"links": LINKS}),
    "linked, limit": (LinkedLDA(**QUICK, sampler="limit"), {"links": LINKS}),
    "features": (
        TopicModel(**QUICK, n_chains=2, responses=[LabelResponse(c=1.0, loss="logistic", features=FEATURES),
                                                   ValueResponse(features=sparse.csr_array(FEATURES))]),
        {"y": LABELS, "values": FEATURES[:, 0] + LABELS},
    ),
    "combined": (
        TopicModel(**QUICK, n_chains=1, mixing=LinkedDocuments(), responses=[LabelResponse(), LinkResponse()]),
        {"y": LABELS, "links": LINKS},
    ),
}  # fmt: skip


def fitted_arrays(model):
    """Return the arrays that a fit sets."""
    found = {"doc_topic_": model.doc_topic_}
    for name, value in sorted(vars(model).items()):
        value = value.toarray() if sparse.issparse(value) else value
        if name.endswith("_") and isinstance(value, np.ndarray):
            found[name] = value
    return found


def assert_same_bits(one, other):
    """Compare all fitted arrays to the last bit."""
    arrays, others = fitted_arrays(one), fitted_arrays(other)
    assert "topic_word_" in arrays
    assert arrays.keys() == others.keys()
    for name in arrays:
        mine, other = (one.tolist() if one.dtype == object else one.tobytes() for one in (arrays[name], others[name]))
        assert mine == other, name


@pytest.mark.parametrize("case", CASES)
def test_processes_give_the_bits_of_threads(case):
    from sklearn.base import clone

    model, targets = CASES[case]
    with Processes() as processes:
        apart = clone(model).set_params(executor=processes).fit(COUNTS, **targets)
    assert_same_bits(apart, clone(model).set_params(n_jobs=2).fit(COUNTS, **targets))


def test_a_stream_in_processes_gives_the_bits_of_threads():
    models = []
    with Processes() as processes:
        for executor in (processes, "threads"):
            model = OnlineLDA(**QUICK, window=1, responses=[LabelResponse()], executor=executor)
            for first in (0, 10, 20):
                model.partial_fit(COUNTS[first : first + 10], LABELS[first : first + 10] % 2)
            models.append(model)
    assert_same_bits(*models)


def test_an_error_in_a_process_reaches_the_caller():
    with Processes() as processes:
        processes.place(["a shard"])
        with pytest.raises(RuntimeError, match="no attribute 'sweep'"):
            processes.each("sweep")


def test_threads_may_ask_for_tasks_inside_tasks():
    with Threads(3) as threads:
        tables = threads.map(lambda row: threads.map(lambda column: 10 * row + column, range(5)), range(7))
    assert tables == [[10 * row + column for column in range(5)] for row in range(7)]


def test_an_error_inside_a_nested_task_stops_all():
    def fail(value):
        return [1 / (value - item) for item in range(4)]

    with Threads(3) as threads:
        with pytest.raises(ZeroDivisionError):
            threads.map(lambda value: threads.map(fail, [value, value]), range(8))
        assert threads.map(abs, [-1, -2]) == [1, 2]


def test_an_executor_is_chosen_by_name_or_given():
    assert as_executor(None, 2).n_jobs == 2
    assert as_executor("threads", 3).n_jobs == 3
    given = Threads(1)
    assert as_executor(given, 2) is given
    with pytest.raises(PlaitError, match="executor must be None, 'threads', 'ray', 'cuda' or an Executor"):
        as_executor("cluster")
    with pytest.raises(PlaitError, match="executor must be"):
        LDA(**QUICK, executor=4).fit(COUNTS)


def test_only_an_executor_that_was_made_here_is_closed():
    class Noted(Executor):
        closed = False

        def place(self, shards):
            self.shards = shards

        def each(self, method, message=None):
            return [getattr(shard, method)(message) for shard in self.shards]

        def close(self):
            self.closed = True

    noted = Noted()
    with open_executor(noted) as chosen:
        assert chosen is noted
    assert not noted.closed
    assert_same_bits(LDA(**QUICK, executor=noted).fit(COUNTS), LDA(**QUICK).fit(COUNTS))
    assert not noted.closed


def test_a_closed_executor_does_not_answer_for_shards():
    with Threads(2) as threads:
        threads.place([LDA()])
    with pytest.raises(RuntimeError, match="no shard to call sweep of"):
        threads.each("sweep")
