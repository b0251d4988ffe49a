"""Pairs without a link: which they are, and that each is as likely as any other."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2

from plait.responses.negatives import UnlinkedPairs, n_unlinked_pairs

N_DOCUMENTS = 7
SOURCES = np.array([0, 5, 2, 3, 6, 4])
TARGETS = np.array([1, 0, 6, 2, 5, 1])  # some to a smaller number, some to a larger


def draw_unlinked(sources, targets, n_documents, n_wanted, directed, random):
    return UnlinkedPairs(sources, targets, n_documents, directed).draw(n_wanted, random)


def unlinked(directed):
    """Every pair without a link, by the definition."""
    links = set(zip(SOURCES.tolist(), TARGETS.tolist(), strict=True))
    if directed:
        return {(i, j) for i in range(N_DOCUMENTS) for j in range(N_DOCUMENTS) if i != j} - links
    return {(i, j) for j in range(N_DOCUMENTS) for i in range(j) if (i, j) not in links and (j, i) not in links}


def draw(n_wanted, directed, random):
    sources, targets = draw_unlinked(SOURCES, TARGETS, N_DOCUMENTS, n_wanted, directed, random)
    return list(zip(sources.tolist(), targets.tolist(), strict=True))


@pytest.mark.parametrize("directed", [True, False])
def test_there_are_as_many_as_the_definition_says(directed):
    assert n_unlinked_pairs(N_DOCUMENTS, SOURCES.size, directed) == len(unlinked(directed))


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("n_wanted", [0, 1, 5, 7, 8, 14, 15])
def test_pairs_are_different_sorted_and_without_a_link(directed, n_wanted):
    allowed = unlinked(directed)
    for seed in range(30):
        drawn = draw(n_wanted, directed, np.random.default_rng(seed))
        assert len(drawn) == n_wanted
        assert drawn == sorted(set(drawn))
        assert set(drawn) <= allowed


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("more", [0, 1, 1000])
def test_all_there_are_where_more_are_wanted(directed, more):
    allowed = unlinked(directed)
    assert draw(len(allowed) + more, directed, np.random.default_rng(0)) == sorted(allowed)


@pytest.mark.parametrize("directed", [True, False])
def test_a_complete_network_has_none(directed):
    sources, targets = np.nonzero(~np.eye(5, dtype=bool))
    if not directed:
        sources, targets = targets[sources > targets], sources[sources > targets]
    found = draw_unlinked(sources, targets, 5, 3, directed, np.random.default_rng(0))
    assert [ends.size for ends in found] == [0, 0]


def test_one_document_has_none():
    nothing = np.empty(0, np.int64)
    found = draw_unlinked(nothing, nothing, 1, 3, True, np.random.default_rng(0))
    assert [ends.size for ends in found] == [0, 0]


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("n_wanted", [1, 6, 12])  # few are found by trying, many are picked from all
def test_every_pair_is_equally_likely(directed, n_wanted):
    allowed = sorted(unlinked(directed))
    random, n_draws = np.random.default_rng(12), 3000
    seen = dict.fromkeys(allowed, 0)
    for _ in range(n_draws):
        for pair in draw(n_wanted, directed, random):
            seen[pair] += 1
    expected = n_draws * n_wanted / len(allowed)
    distance = sum((times - expected) ** 2 / expected for times in seen.values())
    # A pair is drawn once at most, so that numbers vary less than those of independent draws.
    distance *= (len(allowed) - 1) / (len(allowed) - n_wanted)
    assert 0.0005 < chi2.sf(distance, len(allowed) - 1) < 0.9995


def test_pairs_of_a_large_network_have_no_favourites():
    random = np.random.default_rng(13)
    n_documents = 3000
    codes = random.choice(n_documents**2, 6000, replace=False)
    sources, targets = codes // n_documents, codes % n_documents
    sources, targets = sources[sources != targets], targets[sources != targets]
    links = set(zip(sources.tolist(), targets.tolist(), strict=True))
    found = draw_unlinked(sources, targets, n_documents, 60_000, True, random)
    pairs = set(zip(found[0].tolist(), found[1].tolist(), strict=True))
    assert len(pairs) == 60_000
    assert not pairs & links
    for ends in found:  # each document is a source and a target 20 times on average
        times = np.bincount(ends, minlength=n_documents)
        assert 0.0005 < chi2.sf(((times - 20.0) ** 2 / 20.0).sum(), n_documents - 1) < 0.9995


def test_draws_depend_on_the_generator_alone():
    first = draw(6, True, np.random.default_rng(1))
    assert draw(6, True, np.random.default_rng(1)) == first
    assert draw(6, True, np.random.default_rng(2)) != first
