"""New documents that link to each other: groups, and topics drawn together against every assignment listed."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.special import gammaln

from plait.engine.source_groups import NEW, group_documents
from plait.executors import Threads
from plait.mixing import LinkedDocuments
from tests.engine.test_source_fold_in import ALPHA, DRAWN, N_KNOWN, answers, folding, many, matrix, topic_word

# Counts of three words in two or three new documents; weights of links to four known documents, then to new ones.
CASES = {
    "one cites the other": ([[1, 0, 1], [0, 2, 0]], [[2, 0, 0, 0, 0, 1], [0, 0, 1, 0, 0, 0]], 2.0),
    "each cites the other, both a known one": ([[1, 0, 1], [0, 1, 1]], [[0, 1, 0, 0, 0, 2], [0, 1, 0, 0, 1, 0]], 1.0),
    "through a third": (
        [[1, 0, 0], [0, 1, 0], [0, 0, 2]],
        [[0, 0, 0, 0, 0, 1, 0], [1, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1, 0]],
        1.0,
    ),
    "the same twice": ([[1, 0, 1], [1, 0, 1]], [[0, 0, 1, 0, 0, 5], [0, 0, 1, 0, 5, 0]], 1.0),
}


def by_hand(counts, links, p):
    """Return for each new document the rows that it draws from, itself first, with γ; known documents come first."""
    rows = []
    for number, (words, weights) in enumerate(zip(counts, links, strict=True)):
        others = np.flatnonzero(weights)
        gamma = np.array([1.0 + np.sum(weights), *np.asarray(weights, float)[others]])
        rows.append(([N_KNOWN + number, *others.tolist()], gamma / gamma.sum() * np.sum(words) / p))
    return rows


def described(drawn, taken, topics, candidates):
    """Return Σ_c χ_c ϑ_c, shares of topics among the words, and χ over all documents, of each new document."""
    theta = (drawn + ALPHA) / (drawn + ALPHA).sum(axis=1, keepdims=True)
    found = []
    for (others, gamma), held, own in zip(candidates, taken, topics, strict=True):
        chi = np.zeros(len(drawn))
        chi[others] = (held + gamma) / (held + gamma).sum()
        found.append(np.concatenate([chi @ theta, own / own.sum(), chi]))
    return np.array(found)


def enumerated(counts, links, p):
    """Return these averaged over all assignments of documents and topics to the words of all new documents."""
    candidates = by_hand(counts, links, p)
    words = [(owner, word) for owner, row in enumerate(counts) for word in np.repeat(np.arange(3), row)]
    choices = [list(product(range(len(candidates[owner][0])), range(2))) for owner, _ in words]
    phi, mass, total = topic_word(), 0.0, 0.0
    for state in product(*choices):
        drawn = np.vstack([DRAWN, np.zeros((len(counts), 2))])
        taken, topics = [np.zeros(len(gamma)) for _, gamma in candidates], np.zeros((len(counts), 2))
        log_weight = 0.0
        for (owner, word), (place, topic) in zip(words, state, strict=True):
            drawn[candidates[owner][0][place], topic] += 1
            taken[owner][place] += 1
            topics[owner, topic] += 1
            log_weight += np.log(phi[topic, word])
        for held, (_, gamma) in zip(taken, candidates, strict=True):
            log_weight += gammaln(held + gamma).sum()
        log_weight += (gammaln(drawn + ALPHA).sum(axis=1) - gammaln((drawn + ALPHA).sum(axis=1))).sum()
        mass += np.exp(log_weight)
        total = total + np.exp(log_weight) * described(drawn, taken, topics, candidates)
    return total / mass


def folded(fold_in, counts, n_sweeps):
    """Return the same as a fold-in finds it; what is drawn from the document itself is what is missing to 1."""
    executor = Threads(1)
    (proportions,) = fold_in.proportions(matrix(counts), n_sweeps, executor)
    (own,) = fold_in.mean_topics(matrix(counts), n_sweeps, executor)
    chi = fold_in.influence(matrix(counts), n_sweeps, executor).toarray()
    for number in range(len(counts)):
        chi[number, N_KNOWN + number] = 1 - chi[number].sum()
    return np.concatenate([proportions, own, chi], axis=1)


@pytest.mark.parametrize("case", CASES)
def test_a_long_fold_in_averages_over_every_assignment_of_a_group(case):
    counts, links, p = CASES[case]
    exact = enumerated(counts, links, p)
    seen = [folded(folding(links, p, seed=seed), counts, 8000) for seed in range(20)]
    error = np.std(seen, axis=0, ddof=1) / np.sqrt(len(seen)) + 1e-6
    assert (np.abs(np.mean(seen, axis=0) - exact) < 4.5 * error).all()
    assert (error < 0.006).all()


@pytest.mark.parametrize("case", CASES)
def test_the_cases_can_tell_whether_documents_are_folded_in_together(case):
    counts, links, p = CASES[case]
    alone = np.array(links)
    alone[:, N_KNOWN:] = 0
    assert np.abs(enumerated(counts, links, p) - enumerated(counts, alone, p))[:, :2].max() > 0.01


def slow_twin(counts, links, p, n_sweeps):
    """Spread the words of a group over documents and topics, document after document in the order given."""
    candidates = by_hand(counts, links, p)
    phi = topic_word()
    drawn = np.vstack([DRAWN, np.zeros((len(counts), 2))]).astype(float)
    taken = [np.zeros(len(gamma)) for _, gamma in candidates]
    shares = [[np.zeros((len(gamma), 2)) for _ in range(3)] for _, gamma in candidates]
    for _ in range(n_sweeps + 1):
        for owner, (others, gamma) in enumerate(candidates):
            for word, count in enumerate(counts[owner]):
                if count == 0:
                    continue
                out = min(count, 1.0) * shares[owner][word]
                ratios = (taken[owner] - out.sum(axis=1) + gamma) / (
                    drawn[others].sum(axis=1) - out.sum(axis=1) + ALPHA.sum()
                )
                weights = ratios[:, np.newaxis] * (drawn[others] - out + ALPHA) * phi[:, word]
                change = count * (weights / weights.sum() - shares[owner][word])
                shares[owner][word] = weights / weights.sum()
                drawn[others] += change
                taken[owner] += change.sum(axis=1)
    topics = np.array(
        [sum(c * s.sum(axis=0) for c, s in zip(row, own, strict=True)) for row, own in zip(counts, shares, strict=True)]
    )
    return described(drawn, taken, topics, candidates)


@pytest.mark.parametrize("n_sweeps", [0, 1, 12])
@pytest.mark.parametrize("case", CASES)
def test_words_of_a_group_are_spread_as_the_slow_twin_spreads_them(case, n_sweeps):
    counts, links, p = CASES[case]
    seen = folded(folding(links, p, real=True), counts, n_sweeps)
    np.testing.assert_allclose(seen, slow_twin(counts, links, p, n_sweeps), atol=1e-5, rtol=2e-4)


def linked_many():
    """Samples, counts and links of many new documents, some of which link to each other."""
    samples, counts, links = many()
    rng = np.random.default_rng(5)
    among = np.zeros((len(counts), len(counts)))
    for one, other in rng.integers(0, len(counts), size=(60, 2)):
        among[one, other] = one != other
    return samples, counts, np.hstack([links, among])


@pytest.mark.parametrize("real", [False, True])
def test_same_bits_for_any_number_of_threads(real):
    samples, counts, links = linked_many()
    together = answers(folding(links, real=real, samples=samples), counts)
    for jobs in (2, 3):
        with Threads(jobs) as executor:
            again = answers(folding(links, real=real, samples=samples), counts, executor)
        assert [table.tobytes() for table in again] == [table.tobytes() for table in together]


@pytest.mark.parametrize("real", [False, True])
def test_documents_that_link_to_no_new_one_are_as_they_are_alone(real):
    samples, counts, links = linked_many()
    together = answers(folding(links, real=real, samples=samples), counts)
    free = np.flatnonzero((links[:, 40:].sum(axis=0) == 0) & (links[:, 40:].sum(axis=1) == 0))
    assert 20 < len(free) < 120
    alone = answers(folding(links[free][:, :40], real=real, samples=samples), counts[free])
    for one, table in zip(alone[:-1], together[:-1], strict=True):
        np.testing.assert_array_equal(one, table[free])
    bound = np.setdiff1d(np.arange(len(counts)), free)
    others = answers(folding(links[:, :40], real=real, samples=samples), counts)
    assert (np.abs(others[0][bound] - together[0][bound]).max(axis=1) > 0).mean() > 0.9


def test_groups_and_their_rows():
    links = np.zeros((5, 3 + 5))
    links[0, 1], links[0, 3 + 2] = 1, 2  # 0 draws from known 1 and from new 2
    links[4, 3 + 2], links[4, 1] = 1, 1
    links[1, 0] = 1
    candidates = LinkedDocuments().new_candidates(folding(links).links, np.full(5, 10.0))
    groups = group_documents(candidates, 3)
    found = [groups.order[a:b].tolist() for a, b in zip(groups.starts[:-1], groups.starts[1:], strict=True)]
    assert found == [[0, 2, 4], [1], [3]]
    rows = [
        groups.row_documents[a:b].tolist() for a, b in zip(groups.row_starts[:-1], groups.row_starts[1:], strict=True)
    ]
    assert rows == [[1, NEW, NEW, NEW], [0, NEW], [NEW]]
    own = groups.rows[candidates.starts[:-1]]
    assert own.tolist() == [1, 1, 2, 0, 3]
    assert groups.rows[candidates.starts[0] + 1 : candidates.starts[1]].tolist() == [0, 2]
    assert groups.rows[candidates.starts[4] + 1 :].tolist() == [0, 2]


@pytest.mark.parametrize("real", [False, True])
def test_no_documents(real):
    samples, counts, _ = linked_many()
    fold_in = folding(np.zeros((0, 40)), real=real, samples=samples)
    assert fold_in.proportions(matrix(counts)[:0], 3, Threads(1))[0].shape == (0, 19)
