"""New documents with links: their topics and whom they draw from, against every assignment listed one by one."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sparse
from scipy.special import gammaln

from plait.engine.fold_in import FoldIn
from plait.engine.sample import Sample
from plait.executors import Threads
from plait.mixing import LinkedDocuments

ALPHA = np.array([0.4, 0.9])
BETA = 0.3
WORD_TOPIC = np.array([[5, 0], [2, 4], [1, 6]])
DRAWN = np.array([[9, 1], [0, 4], [2, 3], [0, 0]])  # how often the model drew each topic from the known documents
OWN = np.array([[7, 2], [1, 4], [1, 3], [0, 0]])  # topics of their own words, which are something else
SAMPLE = Sample(
    sparse.csr_array(WORD_TOPIC), ALPHA, BETA, [], sparse.csr_array(OWN), drawn_topics=sparse.csr_array(DRAWN)
)
N_KNOWN = len(DRAWN)

# Counts of the new document's three words, and weights of its links to known documents.
CASES = {
    "two words, two links": ([1, 0, 1], [2, 1, 0, 0], 1.0),
    "three words, a word twice": ([2, 0, 1], [1, 0, 1, 0], 2.0),
    "one link": ([0, 1, 2], [0, 3, 0, 0], 10.0),
    "a link to a document that nothing was drawn from": ([1, 1, 0], [0, 0, 0, 2], 1.0),
    "no link": ([1, 2, 0], [0, 0, 0, 0], 1.0),
}


def folding(links, p=1.0, *, real=False, seed=0, most_links=10, vocabulary=None, samples=(SAMPLE,)):
    mixing = LinkedDocuments(ALPHA, p, most_links)
    return FoldIn(list(samples), real, seed, vocabulary, mixing, sparse.csr_array(np.atleast_2d(links).astype(float)))


def matrix(counts):
    return sparse.csr_array(np.atleast_2d(counts))


def candidates_by_hand(counts, links, p, known=DRAWN):
    """Return γ and what was drawn from each candidate of a new document, which is the first."""
    others = np.flatnonzero(links)
    weights = np.array([1.0 + np.sum(links), *np.asarray(links, dtype=float)[others]])
    gamma = weights / weights.sum() * np.sum(counts) / p
    return others, gamma, np.vstack([np.zeros(known.shape[1]), known[others]])


def topic_word(sample=SAMPLE):
    smoothed = sample.word_topic.toarray().T + sample.beta
    return smoothed / smoothed.sum(axis=1, keepdims=True)


def enumerated(counts, links, p):
    """Return Σ_c χ_c ϑ_c, topics of the document's words and χ, averaged over all assignments of documents and topics.

    Eq. (5) of Bíró and Szabó (2009) as far as it depends on the new document: φ is known, and what was drawn from
    the known documents is given.
    """
    others, gamma, before = candidates_by_hand(counts, links, p)
    words = np.repeat(np.arange(len(counts)), counts)
    phi = topic_word()
    mass, proportions, own, chi = 0.0, 0.0, 0.0, 0.0
    for state in product(product(range(len(gamma)), range(2)), repeat=len(words)):
        drawn, taken, topics = before.copy(), np.zeros(len(gamma)), np.zeros(2)
        log_weight = 0.0
        for word, (source, topic) in zip(words, state, strict=True):
            drawn[source, topic] += 1
            taken[source] += 1
            topics[topic] += 1
            log_weight += np.log(phi[topic, word])
        log_weight += gammaln(taken + gamma).sum()
        log_weight += (gammaln(drawn + ALPHA).sum(axis=1) - gammaln((drawn + ALPHA).sum(axis=1))).sum()
        shares = (taken + gamma) / (taken + gamma).sum()
        theta = (drawn + ALPHA) / (drawn + ALPHA).sum(axis=1, keepdims=True)
        weight = np.exp(log_weight)
        mass += weight
        proportions = proportions + weight * (shares @ theta)
        own = own + weight * topics / topics.sum()
        chi = chi + weight * shares
    return proportions / mass, own / mass, dict(zip(others.tolist(), (chi / mass)[1:].tolist(), strict=True))


@pytest.mark.parametrize("case", CASES)
def test_a_long_fold_in_averages_over_every_assignment(case):
    counts, links, p = CASES[case]
    exact_proportions, exact_own, exact_influence = enumerated(counts, links, p)
    folded = [[], [], []]
    for seed in range(20):
        fold_in = folding(links, p, seed=seed)
        folded[0].append(fold_in.proportions(matrix(counts), 20_000, Threads(1))[0][0])
        folded[1].append(fold_in.mean_topics(matrix(counts), 20_000, Threads(1))[0][0])
        folded[2].append(fold_in.influence(matrix(counts), 20_000, Threads(1)).toarray()[0])
    influence = [exact_influence.get(known, 0.0) for known in range(N_KNOWN)]
    for seen, exact in zip(folded, (exact_proportions, exact_own, influence), strict=True):
        error = np.std(seen, axis=0, ddof=1) / np.sqrt(len(seen)) + 1e-6  # averages are of float32 counts
        assert (np.abs(np.mean(seen, axis=0) - exact) < 4.5 * error).all()
        assert (error < 0.004).all()


def test_the_cases_can_tell_apart():
    """That the averages above depend on the links, on γ and on what was drawn from the known documents."""
    counts, links, p = CASES["two words, two links"]
    proportions, own, influence = enumerated(counts, links, p)
    for other in (
        enumerated(counts, [1, 2, 0, 0], p),
        enumerated(counts, [0, 0, 0, 0], p),
        enumerated(counts, links, 9),
    ):
        assert abs(other[0][0] - proportions[0]) > 0.02
    assert abs(own[0] - proportions[0]) > 0.02
    assert abs(influence[0] - 2 / 7) > 0.02  # γ alone would say 2 of 7 parts


def slow_twin(counts, links, p, n_sweeps, sample=SAMPLE, known=DRAWN):
    """Spread words over documents and topics, one word after the other, straight from eq. (7) without an occurrence."""
    alpha = sample.alpha
    others, gamma, drawn = candidates_by_hand(counts, links, p, known)
    phi = topic_word(sample)
    taken = np.zeros(len(gamma))
    words = np.flatnonzero(counts)
    shares = np.zeros((len(words), len(gamma), alpha.size))
    for _ in range(n_sweeps + 1):
        for number, word in enumerate(words):
            out = min(counts[word], 1.0) * shares[number]
            ratios = (taken - out.sum(axis=1) + gamma) / (drawn.sum(axis=1) - out.sum(axis=1) + alpha.sum())
            weights = ratios[:, np.newaxis] * (drawn - out + alpha) * phi[:, word]
            new = weights / weights.sum()
            drawn += counts[word] * (new - shares[number])
            taken += counts[word] * (new - shares[number]).sum(axis=1)
            shares[number] = new
    chi = (taken + gamma) / (taken + gamma).sum()
    theta = (drawn + alpha) / (drawn + alpha).sum(axis=1, keepdims=True)
    own = np.tensordot(np.asarray(counts)[words], shares.sum(axis=1), 1) / np.sum(counts)
    return chi @ theta, own, dict(zip(others.tolist(), chi[1:].tolist(), strict=True))


SPREAD = CASES | {
    "fractions": ([0.5, 0.0, 2.25], [2, 1, 0, 0], 3.0),
    "less than a word": ([0.2, 0.1, 0], [1, 1, 0, 0], 1),
}


@pytest.mark.parametrize("n_sweeps", [0, 1, 12])
@pytest.mark.parametrize("case", SPREAD)
def test_words_are_spread_as_the_slow_twin_spreads_them(case, n_sweeps):
    counts, links, p = SPREAD[case]
    proportions, own, influence = slow_twin(counts, links, p, n_sweeps)
    fold_in = folding(links, p, real=True)
    near = {"rtol": 2e-4, "atol": 1e-5}
    np.testing.assert_allclose(fold_in.proportions(matrix(counts), n_sweeps, Threads(1))[0][0], proportions, **near)
    np.testing.assert_allclose(fold_in.mean_topics(matrix(counts), n_sweeps, Threads(1))[0][0], own, **near)
    seen = fold_in.influence(matrix(counts), n_sweeps, Threads(1))
    assert dict(zip(seen.indices.tolist(), seen.data.tolist(), strict=True)) == pytest.approx(influence, rel=2e-4)


# Many documents at once.


def many(n_documents=150, n_topics=19, seed=0):
    """Samples of a made-up chain (topics in two blocks); documents with links, some without words or without links."""
    rng = np.random.default_rng(seed)
    samples = [
        Sample(
            sparse.csr_array(rng.poisson(2.0, size=(30, n_topics))),
            rng.uniform(0.1, 0.5, size=n_topics),
            0.1,
            drawn_topics=sparse.csr_array(rng.poisson(1.0, size=(40, n_topics))),
        )
        for _ in range(2)
    ]
    counts = rng.poisson(0.4, size=(n_documents, 30))
    links = rng.poisson(0.1, size=(n_documents, 40)).astype(float)
    counts[[3, 70]] = 0
    links[[5, 3]] = 0
    return samples, counts, links


def answers(fold_in, counts, executor=None):
    executor = executor or Threads(1)
    return [
        *fold_in.proportions(matrix(counts), 10, executor),
        *fold_in.mean_topics(matrix(counts), 10, executor),
        fold_in.influence(matrix(counts), 10, executor).toarray(),
    ]


@pytest.mark.parametrize("real", [False, True])
def test_a_document_has_the_same_topics_alone_in_company_and_for_any_number_of_threads(real):
    samples, counts, links = many()
    together = answers(folding(links, real=real, samples=samples), counts)
    for table in together:
        assert np.isfinite(table).all()
    for jobs in (2, 3):
        with Threads(jobs) as executor:
            again = answers(folding(links, real=real, samples=samples), counts, executor)
        assert [table.tobytes() for table in again] == [table.tobytes() for table in together]
    for row in (0, 3, 5, 70, 149):
        alone = answers(folding(links[[row]], real=real, samples=samples), counts[[row]])
        for one, table in zip(alone, together, strict=True):
            np.testing.assert_array_equal(one[0], table[row])
    turned = answers(folding(links[::-1], real=real, samples=samples), counts[::-1])
    for one, table in zip(turned, together, strict=True):
        np.testing.assert_array_equal(one[::-1], table)


@pytest.mark.parametrize("real", [False, True])
def test_tables_of_some_words_only_give_the_same(real):
    samples, counts, links = many()
    counts[:, ::3] = 0
    vocabulary = np.flatnonzero(counts.sum(axis=0))
    whole = folding(links, real=real, samples=samples)
    some = folding(links, real=real, samples=samples, vocabulary=vocabulary)
    assert some.words[0].size < whole.words[0].size
    for one, other in zip(answers(some, counts), answers(whole, counts), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)


@pytest.mark.parametrize("real", [False, True])
def test_rows_are_distributions_and_influence_stays_on_the_links(real):
    samples, counts, links = many()
    fold_in = folding(links, real=real, samples=samples)
    *tables, influence = answers(fold_in, counts)
    for table in tables:
        np.testing.assert_allclose(table.sum(axis=1), 1, rtol=1e-5)
        assert (table > -1e-6).all()
    assert ((influence > 0) == (links > 0)).all()
    assert (influence.sum(axis=1) < 1).all()


@pytest.mark.parametrize("real", [False, True])
def test_a_document_without_words_has_what_is_expected_beforehand(real):
    counts, links = [0, 0, 0], [2, 1, 0, 0]
    fold_in = folding(links, real=real)
    theta = (np.vstack([[0, 0], DRAWN[:2]]) + ALPHA) / (np.array([0, *DRAWN[:2].sum(axis=1)]) + ALPHA.sum())[:, None]
    expected = np.array([4, 2, 1]) / 7 @ theta
    np.testing.assert_allclose(fold_in.proportions(matrix(counts), 5, Threads(1))[0][0], expected, rtol=1e-5)
    np.testing.assert_allclose(fold_in.mean_topics(matrix(counts), 5, Threads(1))[0][0], expected, rtol=1e-5)
    np.testing.assert_allclose(fold_in.influence(matrix(counts), 5, Threads(1)).toarray(), [[2 / 7, 1 / 7, 0, 0]])


def test_without_links_words_are_spread_as_in_lda():
    samples, counts, links = many()
    fold_in = folding(0 * links, real=True, samples=samples)
    alone = FoldIn(samples, True, 0)
    for answer in ("proportions", "mean_topics"):
        tables = (getattr(one, answer)(matrix(counts), 10, Threads(1)) for one in (fold_in, alone))
        for one, other in zip(*tables, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-5)
    assert fold_in.influence(matrix(counts), 10, Threads(1)).nnz == 0


@pytest.mark.parametrize("real", [False, True])
def test_only_the_heaviest_links_are_followed(real):
    samples, counts, _ = many()
    links = np.random.default_rng(1).permuted(np.tile(np.arange(40.0), (len(counts), 1)), axis=1)
    fold_in = folding(links, real=real, samples=samples, most_links=3)
    *tables, influence = answers(fold_in, counts)
    assert ((influence > 0) == (links > 36)).all()
    cut = answers(folding(np.where(links > 36, links, 0), real=real, samples=samples, most_links=None), counts)
    for one, other in zip([*tables, influence], cut, strict=True):
        np.testing.assert_array_equal(one, other)
    assert ((answers(folding(links, real=real, samples=samples, most_links=None), counts)[-1] > 0) == (links > 0)).all()


def test_other_links_and_another_seed_give_other_topics():
    samples, counts, links = many()
    first = answers(folding(links, samples=samples), counts)[0]
    assert first.tobytes() != answers(folding(links, samples=samples, seed=1), counts)[0].tobytes()
    assert first.tobytes() != answers(folding(links[:, ::-1], samples=samples), counts)[0].tobytes()
