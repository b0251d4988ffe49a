"""Everything that the models compute is what it was: digests in table.json, made by compute.py.

Topics, counts and what follows from them without NumPy's sums are compared to the bit, other numbers to ten digits
(`ROUNDED`), because these depend on the processor. Threads change no bit of anything.

Where a change of results is meant, `python tests/digests/compute.py --compare tests/digests/table.json` shows what
changed and by how much, and `--write` takes it over.
"""

from __future__ import annotations

import json

import pytest

from tests.digests.compute import CASES, TABLE, differences

EXPECTED = json.loads(TABLE.read_text(encoding="utf-8"))
IN_THREADS = (
    "LDA, learned alpha and beta, limit, 3 shards",
    "MedLDA, large, 1 shard",
    "MedLDA, large, 3 shards",
    "RelationalTopicModel, large, full, 1 shard",
    "RelationalTopicModel, large, full, 3 shards",
    "RelationalTopicModel, large, diagonal, cached, 3 shards",
    "LinkedLDA, both, plain, 3 shards",
    "OnlineLDA, all, 3 shards",
    "TopicModel, LinkedDocuments, labels+values+links, plain, 3 shards",
    "TopicModel, LinkedDocuments, labels+values+links, sparse(10), 3 shards",
)
# Each sampler compiles its sweep for each kind of response and prior. All are compiled for `plain`; of the others, only
# LDA's without a table here and the rest by `make test-slow`.
COMPILED_ELSEWHERE = (", aggregated", ", limit", ", sparse(", ", aggregated_sparse(", ", synchronous")


def compiles(name):
    """Return whether a case has a sweep of its own."""
    if name.startswith("TopicModel, LinkedDocuments") and ", cached" in name:
        return True
    usual = name.startswith("LDA") and not any(prior in name for prior in ("table", "seed prior"))
    return not usual and any(sampler in name for sampler in COMPILED_ELSEWHERE)


def by_speed(names):
    """Return the names as parameters, marked as slow where they compile rare sweeps."""
    return [pytest.param(name, marks=pytest.mark.slow) if compiles(name) else name for name in names]


def check(name, expected, found):
    lines = differences(expected, found)
    assert not lines, "\n    ".join([f"{name}: {len(lines)} outputs differ", *lines])


def test_the_table_has_the_cases_that_there_are():
    assert list(EXPECTED) == list(CASES)


@pytest.mark.parametrize("name", by_speed(CASES))
def test_results_are_what_they_were(name):
    check(name, EXPECTED[name], CASES[name].compute())


@pytest.mark.parametrize("name", by_speed(IN_THREADS))
def test_threads_change_nothing(name):
    check(name, CASES[name].compute(rounded=()), CASES[name].compute(n_jobs=2, rounded=()))
