"""Suggested links among many training documents: the best values without all values, and the scores of candidates."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sparse

from plait.executors import Threads
from plait.models.answers import links as link_answers
from plait.responses.base import serial_map
from plait.responses.linear.partners import BestPartners
from tests.models.linked import fitted, of_links
from tests.models.small import of_classes

N_SOURCES, N_KNOWN, N_COLUMNS = 150, 700, 9


def make_case(seed, whole=False):
    rng = np.random.default_rng(seed)
    known = rng.random((N_KNOWN, N_COLUMNS)) * (rng.random((N_KNOWN, N_COLUMNS)) < 0.4)
    queries = rng.normal(size=(N_SOURCES, N_COLUMNS))
    if whole:  # many equal values
        known, queries = np.ceil(2 * known), np.round(queries)
    left_out = sparse.csr_array(rng.random((N_SOURCES, N_KNOWN)) < 0.1)
    return queries.astype(np.float32), known.astype(np.float32), left_out


def kept(queries, known, left_out, number, map=serial_map, block=64):
    best = BestPartners(queries, number, left_out)
    for first in range(0, len(known), block):
        best.add(first, known[first : first + block], map)
    return best.documents()


@pytest.mark.parametrize("number", [1, 10, N_KNOWN])
@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("leaves_out", [False, True])
def test_the_highest_values_are_kept_and_of_equal_ones_the_first(number, whole, leaves_out):
    queries, known, left_out = make_case(number, whole)
    values = (queries.astype(float) @ known.T.astype(float)).astype(np.float32)
    values[np.abs(values) < 1e-6] = 0.0
    if leaves_out:
        values[left_out.nonzero()] = -np.inf
    found = kept(queries, known, left_out if leaves_out else None, number)
    for row, documents in zip(values, found, strict=True):
        order = np.lexsort((np.arange(N_KNOWN), -row))[:number]
        expected = np.sort(order[np.isfinite(row[order])])
        if whole:
            np.testing.assert_array_equal(documents, expected)
        else:  # values in another order of additions differ by rounding
            np.testing.assert_allclose(np.sort(row[documents]), np.sort(row[expected]), atol=1e-5)


def test_threads_and_blocks_change_no_document():
    case = make_case(3)
    alone = kept(*case, 20)
    with Threads(3) as executor:
        for runner, block in ((executor.map, 64), (serial_map, 700), (serial_map, 1)):
            for one, other in zip(alone, kept(*case, 20, runner, block), strict=True):
                np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("changes", [{}, {"form": "diagonal"}, {"form": "low_rank(2)"}, {"directed": False}], ids=str)
@pytest.mark.parametrize("direction", ["either", "to", "from"])
def test_suggestions_among_all_documents_are_those_of_exact_scores(changes, direction, monkeypatch):
    model, (new, _) = fitted(*of_links(), **changes), of_classes(9, 3, seed=1)
    exact = model.suggest_links(new, 5, direction), model.suggest_missing_links([3, 0, 17], 5, direction)
    monkeypatch.setattr(link_answers, "_MOST_SCORED", 10)
    monkeypatch.setattr(link_answers, "_SEARCHED", 4)  # several blocks of documents
    assert model.suggest_links(new, 5, direction) == exact[0]
    assert model.suggest_missing_links([3, 0, 17], 5, direction) == exact[1]


def test_few_candidates_have_the_highest_scores_and_exact_ones(monkeypatch):
    model, (new, _) = fitted(*of_links(400, rates=0.1 * np.eye(3))), of_classes(30, 3, seed=1)
    exact, scores = model.suggest_links(new, 5), model.score_links(new)
    monkeypatch.setattr(link_answers, "_MOST_SCORED", 10)
    monkeypatch.setattr(link_answers, "_CANDIDATES", 60)
    found = model.suggest_links(new, 5)
    for row, suggestions in enumerate(found):
        assert [one.score for one in suggestions] == [scores[row, int(one.id)] for one in suggestions]
    common = [len({one.id for one in row} & {one.id for one in other}) for row, other in zip(exact, found, strict=True)]
    assert np.mean(common) > 4.5


def test_a_direction_that_does_not_exist_is_refused(monkeypatch):
    model, (new, _) = fitted(*of_links()), of_classes(3, 3, seed=1)
    monkeypatch.setattr(link_answers, "_MOST_SCORED", 10)
    with pytest.raises(ValueError, match="direction must be one of"):
        model.suggest_links(new, direction="up")
