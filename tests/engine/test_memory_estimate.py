"""The memory estimate of a fit: changes of shared counts in the first sweep."""

import numpy as np
import pytest
import scipy.sparse as sparse

import plait
from plait.engine import tables
from plait.engine.memory import _changed_counts


@pytest.mark.parametrize(("n_topics", "rate"), [(5, 3.0), (40, 3.0), (40, 0.2)])
def test_changes_of_the_first_sweep_are_about_those_that_are_expected(n_topics, rate, monkeypatch):
    rng = np.random.default_rng(0)
    counts = sparse.csr_array(rng.poisson(rate * rng.gamma(0.5, 2, size=200), size=(400, 200)).astype(np.int32))
    found = []
    add = tables.add_deltas

    def note(table, deltas, *others):
        found.append(sum(one.positions.size for one in deltas))
        add(table, deltas, *others)

    monkeypatch.setattr(tables, "add_deltas", note)
    plait.LDA(n_topics, alpha=0.5, beta=0.5, n_shards=4, n_sweeps=1, n_samples=1, random_state=0).fit(counts)
    expected = _changed_counts(np.asarray(counts.sum(axis=0), dtype=float), 4, n_topics)
    # Tokens that keep their topic, and changes that cancel, make them fewer.
    assert 0.6 * expected < found[0] < 1.05 * expected


def test_a_corpus_in_several_shards_needs_room_for_the_changes_of_a_sweep(monkeypatch):
    counts = sparse.csr_array(np.random.default_rng(0).poisson(20.0, size=(300, 200)).astype(np.int32))
    several = plait.estimate_memory(counts, 50)
    monkeypatch.setattr("plait.engine.memory._changed_counts", lambda *given: 1e9)
    assert plait.estimate_memory(counts, 50) > several + 8e9
    assert plait.estimate_memory(counts, 50, "synchronous") < several + 8e9  # lists the moves of tokens instead
