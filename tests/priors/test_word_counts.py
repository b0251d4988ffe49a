"""Word counts as a prior: eq. (10.7) word by word, and the posterior that a chain draws from."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import scipy.sparse as sparse
from scipy.stats import chisquare

from plait import KnowledgePrior
from plait.engine.chain import Chain
from plait.errors import PlaitError
from plait.executors import Threads
from plait.mixing import LinkedDocuments, OwnDocument
from plait.priors import SeedPrior, WordCountsPrior, align_prior
from plait.samplers import Plain
from tests import naive
from tests.samplers.small import matrix

# Words by falling frequency, as a chain numbers them, so that assignments can be read off its state.
WORDS = np.array(["red", "fox", "sea"], dtype=object)
DOCUMENTS = [[0, 0, 1], [0, 1, 2]]
ALPHA = np.array([0.4, 0.9])
PRIORS = {
    "knowledge": KnowledgePrior(["sea", "oak", "red"], [[4, 2, 0.5], [0, 9, 1.5]], strength=0.6, base=0.2),
    "seeds": SeedPrior({"sea": ["sea"], "land": ["fox", "red"]}, strength=1.3, base=0.3),
}
# base + strength × counts, by hand: red, fox, sea
BETA = {
    "knowledge": np.array([[0.5, 0.2, 2.6], [1.1, 0.2, 0.2]]),
    "seeds": np.array([[0.3, 0.3, 1.6], [1.6, 1.6, 0.3]]),
}
LINKS = sparse.csr_array(np.array([[0.0, 1.0], [0.0, 0.0]]))


@pytest.mark.parametrize("name", PRIORS)
def test_pseudo_counts_are_base_and_strength_times_counts(name):
    table = PRIORS[name].for_vocabulary(WORDS, 2).pseudo_counts(2, 3)
    np.testing.assert_allclose(table, BETA[name], rtol=1e-12)


def check_frequencies(seen, exact):
    n_kept = seen.total()
    common = [state for state, probability in exact.items() if probability * n_kept >= 10]
    observed = [seen[state] for state in common] + [n_kept - sum(seen[state] for state in common)]
    expected = [exact[state] * n_kept for state in common]
    expected.append(n_kept - sum(expected))
    assert chisquare(observed, expected).pvalue > 0.001


def make_chain(name, mixing, links=None):
    prior = align_prior(PRIORS[name], WORDS, 2)
    chain = Chain(matrix(DOCUMENTS, 3), 2, mixing=mixing, prior=prior, sampler=Plain(), seed=5, n_shards=1, links=links)
    assert chain._word_order.tolist() == [0, 1, 2]
    return chain


@pytest.mark.slow
@pytest.mark.parametrize("name", PRIORS)
def test_a_chain_draws_from_the_posterior_with_these_pseudo_counts(name):
    chain = make_chain(name, OwnDocument(ALPHA))
    seen = Counter()
    with Threads() as executor:
        chain.start(executor)
        for _ in range(8_000):
            chain.sweep()
            chain.sweep()
            seen[tuple(executor._shards[0].state.topics.tolist())] += 1
    check_frequencies(seen, naive.posterior(DOCUMENTS, ALPHA, BETA[name]))


@pytest.mark.slow
def test_a_linked_chain_draws_from_the_posterior_with_these_pseudo_counts():
    chain = make_chain("knowledge", LinkedDocuments(ALPHA, p=1.5), LINKS)
    candidates = chain.candidates
    gamma = [
        dict(zip(candidates.documents[own].tolist(), candidates.gamma[own].tolist(), strict=True))
        for own in map(slice, candidates.starts[:-1], candidates.starts[1:])
    ]
    assert list(gamma[0]) == [0, 1]
    exact = Counter()
    for state, probability in naive.linked_posterior(DOCUMENTS, gamma, ALPHA, BETA["knowledge"]).items():
        exact[tuple(topic for _, topic in state)] += probability
    seen = Counter()
    with Threads() as executor:
        chain.start(executor)
        for _ in range(8_000):
            chain.sweep()
            chain.sweep()
            seen[tuple(executor._shards[0].state.topics.tolist())] += 1
    check_frequencies(seen, exact)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"counts": [1, 2]}, r"shape \(2,\); for 2 words"),
        ({"counts": [[1, 2, 3]]}, r"topics × 2"),
        ({"counts": [[1, -2]]}, "negative or not finite"),
        ({"counts": [[1, np.nan]]}, "negative or not finite"),
        ({"words": ["a", "a"]}, "same word twice"),
        ({"strength": -1.0}, "strength, the weight of a counted token, must"),
        ({"base": 0.0}, "base must lie"),
    ],
)
def test_invalid_parameters_are_rejected(given, message):
    with pytest.raises(PlaitError, match=message):
        WordCountsPrior(**({"words": ["a", "b"], "counts": [[1, 2]]} | given))


def test_equal_fields_make_equal_priors():
    one = WordCountsPrior(["a", "b"], [[1, 2]])
    assert one == WordCountsPrior(("a", "b"), np.array([[1.0, 2.0]]))
    assert one != WordCountsPrior(["a", "b"], [[1, 2]], strength=2.0)
    assert one != WordCountsPrior(["a", "b"], [[1, 3]])
    assert one != WordCountsPrior(["a", "c"], [[1, 2]])
    assert one != KnowledgePrior(["a", "b"], [[1, 2]])


def test_the_arrays_are_read_only_copies():
    counts = np.ones((1, 2))
    prior = WordCountsPrior(["a", "b"], counts)
    counts[0, 0] = 5
    assert prior.counts[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        prior.counts[0, 0] = 5
