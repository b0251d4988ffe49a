"""Words that draw from linked documents: every sampler against the exact posterior of documents and topics."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

from plait.samplers import SAMPLERS, AggregatedSparse, Plain
from plait.samplers.base import Candidates
from plait.samplers.kernels import token_state
from tests import naive
from tests.samplers.small import EVERY_SAMPLER, SmallChain

# Sweeps of these samplers are compiled for few tests.
pytestmark = pytest.mark.slow_with("aggregated", "sparse", "limit", "synchronous")

# Document 0 links to both others, document 1 back to 0, document 2 to nobody. Words of a document are sorted.
DOCUMENTS = [[0, 0], [1, 2], [2]]
GAMMA = [{0: 0.6, 1: 0.3, 2: 0.2}, {1: 0.5, 0: 0.9}, {2: 0.7}]
N_WORDS = 3
ALPHA = np.array([0.4, 0.9])
SYMMETRIC = np.full((2, N_WORDS), 0.5)
TABLE = np.array([[0.2, 1.5, 0.4], [0.9, 0.3, 0.6]])
# What labels say depends on the topics of a document's own words, whichever document these were drawn from.
PULLED = [
    [(2.0, 5.0, np.array([1.5, -0.5])), (-1.0, 9.0, np.array([0.4, 1.1]))],
    [(-3.0, 12.0, np.array([-0.8, 0.9]))],
    [],
]
CASES = {
    "symmetric": (SYMMETRIC, None),
    "table": (TABLE, None),
    "labels": (SYMMETRIC, PULLED),
    "table and labels": (TABLE, PULLED),
}
# Total variation distance from the exact posterior of all documents and topics together (occurrences), and of one
# word's (mean over words) where words are spread; docs/samplers.md states them.
STATED_DISTANCE = {
    "auto": 0.0, "aggregated": 0.08, "aggregated_sparse": 0.08, "limit": 0.05, "sparse": 0.05, "synchronous": 0.14,
}  # fmt: skip
# In documents of two words one of them moves a mean by half: where several are drawn at once that goes too far, with
# links or without. So labels say less here than where every word follows the others.
WEAKER = [[(pull / 8, precision / 8, direction) for pull, precision, direction in row] for row in PULLED]
APPROXIMATE_CASES = CASES | {"labels": (SYMMETRIC, WEAKER), "table and labels": (TABLE, WEAKER)}

TOKEN_SAMPLERS = [name for name, kind in SAMPLERS.items() if kind.state_form == "tokens"]


def flat_candidates(gamma):
    """Return candidates as tests/naive.py has them in the form that samplers take."""
    return Candidates(
        starts=np.cumsum([0, *map(len, gamma)]).astype(np.int64),
        documents=np.array([document for row in gamma for document in row], dtype=np.int64),
        gamma=np.array([value for row in gamma for value in row.values()]),
    )


def make_chain(sampler, beta, observations=None, seed=11, documents=DOCUMENTS, gamma=GAMMA, alpha=ALPHA, exact=True):
    return SmallChain(documents, sampler, alpha, beta, observations, seed, exact, flat_candidates(gamma))


def assignment(chain, documents=DOCUMENTS, gamma=GAMMA):
    """Return (document drawn from, topic) of all words."""
    places = chain.drawn().tolist()
    owners = [d for d, words in enumerate(documents) for _ in words]
    sources = [list(gamma[owner])[place] for owner, place in zip(owners, places, strict=True)]
    return tuple(zip(sources, chain.topics.tolist(), strict=True))


def frequencies(
    sampler, beta, observations=None, n_kept=12_000, every=4, documents=DOCUMENTS, gamma=GAMMA, alpha=ALPHA
):
    chain = make_chain(sampler, beta, observations, 11, documents, gamma, alpha)
    seen = Counter()
    for _ in range(n_kept):
        for _ in range(every):
            chain.sweep()
        seen[assignment(chain, documents, gamma)] += 1
    return seen


def chi_square(exact, seen):
    """Return the p-value of what was seen; rare assignments are put together, so that cells expect ten or more."""
    n_kept = seen.total()
    common = [state for state, probability in exact.items() if probability * n_kept >= 10]
    observed = [seen[state] for state in common] + [n_kept - sum(seen[state] for state in common)]
    expected = [exact[state] * n_kept for state in common]
    expected.append(n_kept - sum(expected))
    return chisquare(observed, expected).pvalue


def coarse(states, view):
    """Add up what was seen or expected of assignments that look the same in a view."""
    added = Counter()
    for state, amount in states.items():
        added[view(state)] += amount
    return added


# A thousand assignments hide what fewer cells show: documents alone, and how often each document has each topic.
VIEWS = [
    lambda state: state,
    lambda state: tuple(source for source, _ in state),
    lambda state: tuple(sorted(state)),
]


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_plain_draws_from_the_exact_posterior(case):
    beta, observations = CASES[case]
    exact = naive.linked_posterior(DOCUMENTS, GAMMA, ALPHA, beta, observations)
    seen = frequencies(Plain(), beta, observations)
    for view in VIEWS:
        assert chi_square(coarse(exact, view), coarse(seen, view)) > 0.001


@pytest.mark.slow
def test_plain_draws_from_the_exact_posterior_with_topics_in_two_blocks():
    rng = np.random.default_rng(0)
    alpha = rng.uniform(0.1, 1.5, size=19)
    beta = rng.uniform(0.1, 1.5, size=(19, 2))
    documents, gamma = [[0], [1]], [{0: 0.5, 1: 0.7}, {1: 0.4}]
    exact = naive.linked_posterior(documents, gamma, alpha, beta)
    seen = frequencies(Plain(), beta, None, 20_000, 1, documents, gamma, alpha)
    assert chi_square(exact, seen) > 0.001


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in TOKEN_SAMPLERS if name != "plain"])
@pytest.mark.parametrize("case", APPROXIMATE_CASES)
def test_token_samplers_keep_their_stated_distance(name, case):
    beta, observations = APPROXIMATE_CASES[case]
    exact = naive.linked_posterior(DOCUMENTS, GAMMA, ALPHA, beta, observations)
    # A lazy sweep leaves most words where they were, so there are more of them between two that count.
    sampler, every = (AggregatedSparse(2.0), 6) if name == "aggregated_sparse" else (SAMPLERS[name](), 2)
    seen = frequencies(sampler, beta, observations, 8000, every)
    distance = 0.5 * sum(abs(exact[state] - seen[state] / seen.total()) for state in exact)
    chance = 0.5 * sum(np.sqrt(2 / np.pi * p / seen.total()) for p in exact.values())
    assert distance < STATED_DISTANCE[name] + 1.3 * chance


def share_distance(name, beta, observations):
    """Mean difference between words' shares of (document, topic), over many starts, and their exact probabilities."""
    exact = naive.linked_posterior(DOCUMENTS, GAMMA, ALPHA, beta, observations)
    first_of_entry = [0, 2, 3, 4]
    owners = [0, 1, 1, 2]
    expected = []
    for position, owner in zip(first_of_entry, owners, strict=True):
        cells = dict.fromkeys([(source, topic) for source in GAMMA[owner] for topic in range(2)], 0.0)
        for state, probability in exact.items():
            cells[state[position]] += probability
        expected.append(list(cells.values()))
    shares = []
    for seed in range(100):  # a fixed point depends on the start, so many starts are averaged
        chain = make_chain(SAMPLERS[name](), beta, observations, seed)
        for _ in range(200 if name == "sparse" else 30):
            chain.sweep()
        shares.append(chain.shares()[:, :2].ravel())
    differences = np.abs(np.mean(shares, axis=0) - np.concatenate(expected))
    pieces = np.split(differences, np.cumsum([len(cells) for cells in expected])[:-1])
    return np.mean([0.5 * piece.sum() for piece in pieces])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["aggregated", "aggregated_sparse"])
@pytest.mark.parametrize(("case", "n_kept"), [("symmetric", 5000), ("table and labels", 12_000)])
def test_aggregated_sampling_is_exact_where_no_word_stands_twice(name, case, n_kept):
    documents = [[0, 1], [1, 2], [2]]
    beta, observations = CASES[case]
    exact = naive.linked_posterior(documents, GAMMA, ALPHA, beta, observations)
    sampler = AggregatedSparse(1.0) if name == "aggregated_sparse" else SAMPLERS[name]()
    seen = frequencies(sampler, beta, observations, n_kept, 4, documents)
    for view in VIEWS:
        assert chi_square(coarse(exact, view), coarse(seen, view)) > 0.001


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, kind in SAMPLERS.items() if kind.state_form == "shares"])
@pytest.mark.parametrize("case", CASES)
def test_share_samplers_keep_their_stated_distance(name, case):
    assert share_distance(name, *APPROXIMATE_CASES[case]) < STATED_DISTANCE[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY_SAMPLER)
@pytest.mark.parametrize("observations", [None, PULLED])
def test_without_links_every_sampler_does_what_it_does_in_lda(name, observations, monkeypatch):
    # Live sweeps of linked documents never propose with a shared tilt.
    monkeypatch.setattr(token_state, "few_directions", lambda *_: False)
    rng = np.random.default_rng(3)
    documents = [sorted(rng.integers(0, 12, size=n).tolist()) for n in (30, 1, 12)]
    alpha, beta = rng.uniform(0.2, 1.0, size=5), np.full((5, 12), 0.3)
    if observations is not None:
        observations = [[(pull, precision, rng.normal(size=5)) for pull, precision, _ in row] for row in observations]
    sampler = EVERY_SAMPLER[name]()
    alone = SmallChain(documents, sampler, alpha, beta, observations, seed=4)
    gamma = [{d: len(words) / 10} for d, words in enumerate(documents)]
    linked = SmallChain(documents, sampler, alpha, beta, observations, 4, True, flat_candidates(gamma))
    for _ in range(25):
        expected, seen = alone.sweep(), linked.sweep()
        # γ of the document itself is in the place of α in how much is expected of a document of so many words.
        assert seen.n_tokens == expected.n_tokens
        if alone.real:
            # In sixteen bits a share may fall to either side: one step of the last bit.
            near = 2e-5 if sampler.share_type is np.float32 else 1 / 2048
            np.testing.assert_allclose(linked.shares(), alone.shares(), atol=near)
        else:
            assert linked.topics.tolist() == alone.topics.tolist()
    np.testing.assert_allclose(linked.drawn_topics(), linked.doc_topic(), atol=1e-4)


@pytest.mark.parametrize("name", SAMPLERS)
def test_running_counts_equal_a_recount(name):
    rng = np.random.default_rng(8)
    documents = [sorted(rng.integers(0, 40, size=n).tolist()) for n in (60, 25, 1, 40, 90)]
    gamma = [
        {0: 3.0, 1: 1.0, 4: 0.5},
        {1: 1.0, 0: 2.0},
        {2: 0.1, 0: 0.2, 1: 0.1, 3: 0.2, 4: 0.1},
        {3: 4.0},
        {4: 2.0, 0: 1.0},
    ]
    chain = make_chain(SAMPLERS[name](), np.full((20, 40), 0.1), None, 2, documents, gamma, np.full(20, 0.2))
    for _ in range(12):
        chain.sweep()
    running = [chain.drawn_topics(), chain.taken(), chain.word_topic(), chain.doc_topic()]
    chain.recount()
    again = [chain.drawn_topics(), chain.taken(), chain.word_topic(), chain.doc_topic()]
    for before, after in zip(running, again, strict=True):
        np.testing.assert_allclose(before, after, atol=1e-3 if chain.real else 0)
    lengths = [len(words) for words in documents]
    np.testing.assert_allclose(np.add.reduceat(again[1], chain.candidates.starts[:-1]), lengths, rtol=1e-4)
    assert again[0].sum() == pytest.approx(sum(lengths), rel=1e-4)
    assert np.abs(again[0] - again[3]).max() > 1  # words were drawn from other documents than their own


def test_a_sweep_says_how_likely_each_word_was_given_all_others():
    """With one word a document, the likelihood of the first sweep's words is that of the state before each draw."""
    documents, gamma = [[0], [1], [0]], [{0: 0.6, 1: 0.3, 2: 0.2}, {1: 0.5, 0: 0.9}, {2: 0.7}]
    chain = make_chain(Plain(), TABLE, documents=documents, gamma=gamma)
    for _ in range(5):
        expected = 0.0
        state = assignment(chain, documents, gamma)
        info = chain.sweep()
        after = assignment(chain, documents, gamma)
        for d, words in enumerate(documents):
            given = list(after[:d]) + list(state[d:])
            rows = [[pair] for pair in given]
            weights = {}
            for word in range(N_WORDS):
                for source in gamma[d]:
                    for topic in range(2):
                        rows[d] = [(source, topic)]
                        changed = [list(row) for row in documents]
                        changed[d] = [word]
                        logs = naive.linked_log_joint(
                            changed, [[t for _, t in row] for row in rows], [[s for s, _ in row] for row in rows],
                            gamma, ALPHA, TABLE,
                        )  # fmt: skip
                        weights[word] = weights.get(word, 0.0) + np.exp(logs)
            expected += np.log(weights[words[0]] / sum(weights.values()))
        assert info.log_likelihood == pytest.approx(expected, rel=1e-5)


@pytest.mark.slow
def test_geweke_words_topics_and_documents():
    """Draws from the model itself against a chain over words, topics and documents (Geweke, 2004)."""
    rng = np.random.default_rng(5)
    alpha, beta = rng.uniform(0.3, 1.0, size=3), rng.uniform(0.3, 1.0, size=(3, 4))
    lengths = [4, 3, 2]
    forward = np.array([_statistics(*_draw_forward(rng, lengths, alpha, beta)) for _ in range(4000)])
    words, topics, sources = _draw_forward(rng, lengths, alpha, beta)
    kept = []
    for step in range(6000):
        words, topics, sources = _chain_step(rng, words, topics, sources, alpha, beta, step)
        kept.append(_statistics(words, topics, sources))
    batches = np.array(kept).reshape(100, 60, -1).mean(axis=1)
    error = np.sqrt(forward.var(axis=0) / len(forward) + batches.var(axis=0, ddof=1) / len(batches))
    z_scores = (batches.mean(axis=0) - forward.mean(axis=0)) / error
    assert np.abs(z_scores).max() < 3.5, z_scores


def _draw_forward(rng, lengths, alpha, beta):
    theta = rng.dirichlet(alpha, size=len(lengths))
    phi = np.array([rng.dirichlet(row) for row in beta])
    sources = []
    for row, length in zip(GAMMA, lengths, strict=True):
        chi = rng.dirichlet(list(row.values()))
        sources.append(rng.choice(list(row), size=length, p=chi).tolist())
    topics = [[int(rng.choice(alpha.size, p=theta[source])) for source in row] for row in sources]
    words = [[int(rng.choice(beta.shape[1], p=phi[topic])) for topic in row] for row in topics]
    return words, topics, sources


def _statistics(words, topics, sources):
    own, topic_word = naive.count(words, topics, 3, 4)
    drawn = np.zeros((3, 3))
    for source_row, topic_row in zip(sources, topics, strict=True):
        np.add.at(drawn, (source_row, topic_row), 1)
    return [
        (own**2).sum(),
        (drawn**2).sum(),
        (topic_word**2).sum(),
        drawn[0, 1],
        drawn[1].sum(),
        sources[0].count(1) ** 2,
        sources[1].count(0) ** 2,
        own[0, 0],
        topic_word[0, 0],
    ]


def _chain_step(rng, words, topics, sources, alpha, beta, seed):
    order = [np.argsort(row, kind="stable") for row in words]
    turn = lambda rows: [[row[i] for i in by] for row, by in zip(rows, order, strict=True)]  # noqa: E731
    documents, topics, sources = turn(words), turn(topics), turn(sources)
    chain = make_chain(Plain(), beta, seed=seed, documents=documents, alpha=alpha)
    places = [list(GAMMA[d]).index(source) for d, row in enumerate(sources) for source in row]
    chain.set_topics(np.concatenate(topics), places)
    chain.sweep()
    flat = iter(assignment(chain, documents))
    pairs = [[next(flat) for _ in row] for row in documents]
    topics = [[topic for _, topic in row] for row in pairs]
    phi = np.array([rng.dirichlet(row) for row in beta])
    words = [[int(rng.choice(beta.shape[1], p=phi[topic])) for topic in row] for row in topics]
    return words, topics, [[source for source, _ in row] for row in pairs]
