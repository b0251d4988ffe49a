"""Fast Gibbs sampling: the exact posterior by enumeration, running counts, and fewer visits than topics."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import scipy.sparse as sparse
from scipy.stats import chisquare

from plait.baselines import FastGibbsLDA
from plait.errors import PlaitError
from tests import naive

pytestmark = pytest.mark.slow  # compiles a baseline

DOCUMENTS = [[0, 0, 1], [1, 2, 2]]
COUNTS = np.array([[2, 1, 0], [0, 1, 2]])


def zipf_counts(n_documents=60, n_words=80, length=100, seed=0):
    rng = np.random.default_rng(seed)
    frequency = 1 / np.arange(1, n_words + 1)
    return rng.multinomial(length, frequency / frequency.sum(), size=n_documents)


@pytest.mark.slow
@pytest.mark.parametrize("n_topics", [2, 3])
def test_topics_are_drawn_from_the_exact_posterior(n_topics):
    alpha, beta, n_kept = 0.4, 0.5, 40_000
    exact = naive.posterior(DOCUMENTS, np.full(n_topics, alpha), np.full((n_topics, 3), beta))
    model = FastGibbsLDA(n_topics, alpha=alpha, beta=beta, random_state=1).start(COUNTS)
    seen = Counter()
    for _ in range(n_kept):
        seen[tuple(model.sweep(3).topics_.tolist())] += 1
    common = [state for state, probability in exact.items() if probability * n_kept >= 10]
    observed = [seen[state] for state in common] + [n_kept - sum(seen[state] for state in common)]
    expected = [exact[state] * n_kept for state in common]
    expected.append(n_kept - sum(expected))
    assert chisquare(observed, expected).pvalue > 0.001


def test_running_counts_are_those_of_the_topics():
    counts = zipf_counts()
    counts[7] = 0  # a document without words
    model = FastGibbsLDA(12, random_state=0).start(sparse.csr_array(counts))
    model.sweep(5)
    documents, words = np.repeat(np.arange(60), counts.sum(axis=1)), []
    for row in counts:
        words.extend(np.repeat(np.arange(80), row))
    doc_topic, word_topic = np.zeros((60, 12)), np.zeros((80, 12))
    np.add.at(doc_topic, (documents, model.topics_), 1)
    np.add.at(word_topic, (words, model.topics_), 1)
    np.testing.assert_array_equal(model.doc_topic_counts_, doc_topic)
    np.testing.assert_array_equal(model.word_topic_counts_, word_topic)
    np.testing.assert_array_equal(counts.sum(axis=1), doc_topic.sum(axis=1))


def test_few_topics_are_visited_and_the_same_seed_gives_the_same_topics():
    counts = np.kron(np.eye(4, dtype=int), zipf_counts(20, 30))
    one, other, third = (FastGibbsLDA(40, random_state=seed).start(counts).sweep(20) for seed in (0, 0, 1))
    assert one.topics_.tobytes() == other.topics_.tobytes() != third.topics_.tobytes()
    assert 1 <= one.visited_ < 20


def test_counts_must_be_whole():
    with pytest.raises(PlaitError, match="counts must be whole numbers"):
        FastGibbsLDA(3).start(COUNTS + 0.5)
