"""Extreme numbers in parameters and inputs: refused before the first sweep, or finite results; no endless loop."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sparse

from plait import LDA, MedLDA, RelationalTopicModel, SeedPrior, SupervisedLDA
from plait.errors import PlaitError
from tests.inputs.extremes import (
    N_WORDS,
    NUMBERS,
    QUICK,
    fit,
    inputs,
    models,
    parameters,
    run_case,
    with_count,
    with_link,
    with_value,
)

# Sweeps of these samplers are compiled for few tests.
pytestmark = pytest.mark.slow_with("MedLDA, limit", "LinkedLDA, limit")

SECONDS = 60  # per case, on a busy machine; a case takes some hundredths of a second
SECONDS_TO_COMPILE = 900
COUNTS = (1e-300, 1e-12, 2.0**24, 2.0**31 - 1, 2.0**31, 1e13, 1e300)
WEIGHTS = (1e-300, 1e-12, 1e12, 1e300)
VALUES = (1e-300, 1e-99, 1e99, 1e200, 1e300)


class Worker:
    """A process that runs cases, and is ended if one does not return."""

    def __init__(self):
        self._pool = ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))
        self._compiled = set()

    def run(self, name, changes=None, replaced=None):
        """Return what happened to a case; "endless" if it did not return in time."""
        if name not in self._compiled:
            assert self._pool.submit(run_case, name, {}, {}).result(SECONDS_TO_COMPILE) == ("finite", "")
            self._compiled.add(name)
        try:
            return self._pool.submit(run_case, name, changes or {}, replaced or {}).result(SECONDS)
        except TimeoutError:
            self.close()
            self.__init__()
            return "endless", f"more than {SECONDS} s"

    def close(self):
        for process in list((self._pool._processes or {}).values()):
            process.kill()
        self._pool.shutdown(cancel_futures=True)


@pytest.fixture(scope="module")
def worker():
    process = Worker()
    yield process
    process.close()


def is_right(happened, why):
    """Whether results are finite, or the numbers are refused before the first sweep."""
    return happened == "finite" or (happened == "refused" and not why.startswith("sweep"))


@pytest.mark.slow  # starts a process and fits many models
@pytest.mark.parametrize("name", models())
def test_extreme_parameters_are_refused_or_give_finite_results(worker, name):
    cases = [(parameter, number) for parameter in parameters(models()[name]) for number in NUMBERS]
    assert len(cases) > 50
    results = [(parameter, number, *worker.run(name, {parameter: number})) for parameter, number in cases]
    assert [result for result in results if not is_right(*result[2:])] == []
    assert {result[2] for result in results} == {"finite", "refused"}


@pytest.mark.slow  # starts a process and fits many models
def test_extreme_priors_and_sparsities_are_refused_or_give_finite_results(worker):
    results = []
    for number in NUMBERS:
        table = np.full((3, N_WORDS), number)
        for changes in ({"beta": table}, {"alpha": [0.1, 0.1, number]}, {"sampler": f"sparse({number})"}):
            results.append((number, list(changes), *worker.run("LDA, sparse", changes)))
    assert [result for result in results if not is_right(*result[2:])] == []


@pytest.mark.slow  # starts a process and fits many models
@pytest.mark.parametrize("strength", [1e-12, 1e11])
def test_extreme_strengths_of_seed_words_give_finite_results(worker, strength):
    changes = {"vocabulary": [f"w{column}" for column in range(N_WORDS)], "beta": SeedPrior({"a": ["w0"]}, strength)}
    assert worker.run("LDA", changes) == ("finite", "")


@pytest.mark.parametrize("strength", [0.0, 1e-300, 1e300, np.nan, np.inf])
def test_strengths_of_seed_words_outside_of_the_range_are_refused(strength):
    with pytest.raises(PlaitError, match="strength, the pseudo-count of each seed word, must"):
        SeedPrior({"a": ["w0"]}, strength)


@pytest.mark.slow  # starts a process and fits many models
@pytest.mark.parametrize("everywhere", [False, True])
@pytest.mark.parametrize("name", ["LDA", "LDA, limit", "LDA, sparse", "MedLDA, limit", "LinkedLDA, limit"])
def test_extreme_counts_are_refused_or_give_finite_results(worker, name, everywhere):
    # A sampler that draws a topic per token would need gigabytes for the larger counts in range.
    numbers = [number for number in COUNTS if name != "LDA" or number != 2.0**24]
    results = [(number, *worker.run(name, replaced=with_count(number, everywhere))) for number in numbers]
    assert [result for result in results if not is_right(*result[1:])] == []


@pytest.mark.slow  # starts a process and fits many models
@pytest.mark.parametrize("everywhere", [False, True])
@pytest.mark.parametrize("name", [name for name in models() if "Link" in name or "Relational" in name])
def test_extreme_weights_of_links_are_refused_or_give_finite_results(worker, name, everywhere):
    results = [(weight, *worker.run(name, replaced=with_link(weight, everywhere))) for weight in WEIGHTS]
    assert [result for result in results if not is_right(*result[1:])] == []


@pytest.mark.slow  # starts a process and fits many models
@pytest.mark.parametrize("everywhere", [False, True])
def test_extreme_values_are_refused_or_give_finite_results(worker, everywhere):
    results = [(value, *worker.run("SupervisedLDA", replaced=with_value(value, everywhere))) for value in VALUES]
    assert [result for result in results if not is_right(*result[1:])] == []


@pytest.mark.parametrize(
    ("model", "replaced", "message"),
    [
        (MedLDA(loss="logistic", c=1e10), {}, r"c, the cost of a wrong value, must lie between 1e-09 and 1e\+09, not"),
        (MedLDA(c=1e300), {}, r"c, the cost of a wrong value, must lie between 1e-09 and 1e\+09, not 1e\+300"),
        (MedLDA(c=1e6, class_weight=1e6), {}, r"the cost 1e\+12 .* is too large .* at most 1e\+09"),
        (SupervisedLDA(sigma=1e-300), {}, r"sigma, .*, must lie between 1e-06 and 1e\+06"),
        (SupervisedLDA(), with_value(1e200, True), r"y: document .* values must lie between -1e\+100 and 1e\+100"),
        (SupervisedLDA(), with_value(1e-200, True), "y: the values differ by .* less than 1e-100; scale them"),
        (LDA(sampler="limit"), with_count(2.0**31 - 1, False), "document 0 has 2147483.* more than .* 16,777,216"),
        (LDA(sampler="limit"), with_count(1e-300, True), "is .*e-300, below the minimum of 1e-12; scale"),
        (
            RelationalTopicModel(),
            with_link(1e300, False),
            r"links\[\d+, \d+\] is 1e\+300; the weight of a link must be 0 or lie between 1e-12 and 1e\+12",
        ),
        (RelationalTopicModel(c_negative=1e-300), {}, r"c_negative, .*, must lie between 1e-09 and 1e\+09"),
        (RelationalTopicModel(), with_link(1e9, False), "is too small for the logistic loss; it must be at least"),
    ],
)
def test_errors_name_the_range(model, replaced, message):
    with pytest.raises(PlaitError, match=message):
        fit(model.set_params(**QUICK), inputs(**replaced))


def test_small_integers_do_not_overflow_when_repeated_entries_are_summed():
    repeated = sparse.csr_array((np.full(4, 100, np.int8), [0, 0, 0, 1], [0, 2, 4]), shape=(2, 2))
    model = LDA(**QUICK).fit(repeated)
    assert model._chain_samples[0][0].word_topic.toarray().sum() == 400
