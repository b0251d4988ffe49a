"""Topics of a document folded in by its links: the averages of every topic assignment, listed one by one."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sparse
from scipy.special import gammaln

from plait.engine.pair_fold_in import LinkedFoldIn, NewDocument
from plait.engine.sample import Sample
from plait.responses import Hinge, Logistic

N_WORDS = 3
UNKNOWN = N_WORDS
ALPHA = np.array([0.4, 0.9])
DOC_TOPIC = np.array([[3, 1], [0, 5], [2, 2], [0, 0], [6, 1]])  # the fourth document has no words
WEIGHTS = np.array([[4.0, -3.0], [1.0, -2.5]])
SAMPLE = Sample(
    sparse.csr_array(np.array([[5, 0], [2, 4], [1, 6]])), ALPHA, 0.3, [WEIGHTS], sparse.csr_array(DOC_TOPIC)
)
LENGTHS = DOC_TOPIC.sum(axis=1).astype(float)
N_KEYS = 400
N_SWEEPS = 30

CASES = {
    "two unknown words, a link": ([UNKNOWN], [2], [0], [1], [1]),
    "two unknown words, a pair without a link": ([UNKNOWN], [2], [0], [-1], [1]),
    "three unknown words, links and others": ([UNKNOWN], [3], [0, 1, 2, 4], [1, -1, 1, -1], [1, 1, 1, 1]),
    "known words and links": ([0, 2], [1, 2], [1, 4, 0], [-1, 1, 1], [1, 1, 1]),
    "known and unknown words": ([1, UNKNOWN], [1, 2], [4, 0], [1, 1], [1, 1]),
    "costs": ([UNKNOWN], [3], [0, 1, 4], [1, 1, -1], [4, 2, 1]),
    "a link with a document without words": ([UNKNOWN], [2], [3, 0], [1, 1], [1, 1]),
    "no pairs": ([0, UNKNOWN], [1, 1], [], [], []),
}


def document(words, counts, known, signs, costs, key=0):
    return NewDocument(
        np.array(words, np.int32),
        np.array(counts, np.int32),
        np.array(known, np.int64),
        np.array(signs, float),
        np.array(costs, float),
        np.uint64(key),
    )


def logistic(value, cost):
    return -cost * np.log1p(np.exp(-value))


def hinge(value, cost, ell=1.5):
    return -2 * cost * max(0.0, ell - value)


def enumerated(new, log_likelihood):
    """ϑ averaged over all assignments of topics to words, the auxiliary variables integrated out."""
    topic_word = SAMPLE.word_topic.toarray().T + 0.3
    topic_word /= topic_word.sum(axis=1, keepdims=True)
    tokens = np.repeat(new.words, new.counts)
    symmetric = (WEIGHTS + WEIGHTS.T) / 2  # which way the link goes is not asked
    total, mass = np.zeros(2), 0.0
    for topics in product(range(2), repeat=len(tokens)):
        counted = np.bincount(topics, minlength=2)
        log_weight = gammaln(counted + ALPHA).sum()
        log_weight += sum(np.log(topic_word[k, w]) for k, w in zip(topics, tokens, strict=True) if w != UNKNOWN)
        for known, sign, cost in zip(new.known, new.signs, new.costs, strict=True):
            its_topics = DOC_TOPIC[known] / max(DOC_TOPIC[known].sum(), 1)
            value = counted / len(tokens) @ symmetric @ its_topics
            log_weight += log_likelihood(sign * value, cost)
        total += np.exp(log_weight) * (counted + ALPHA) / (len(tokens) + ALPHA.sum())
        mass += np.exp(log_weight)
    return total / mass


@pytest.mark.parametrize("loss", ["logistic", "hinge"])
@pytest.mark.parametrize("case", CASES)
def test_average_proportions_are_those_of_every_assignment(case, loss):
    kind, log_likelihood = {"logistic": (Logistic(), logistic), "hinge": (Hinge(1.5), hinge)}[loss]
    fold_in = LinkedFoldIn(SAMPLE, LENGTHS, kind)
    drawn = np.array([fold_in.proportions(document(*CASES[case], key), N_SWEEPS) for key in range(N_KEYS)])
    np.testing.assert_allclose(drawn.sum(axis=1), 1)
    exact = enumerated(document(*CASES[case]), log_likelihood)
    standard_error = drawn[:, 0].std(ddof=1) / np.sqrt(N_KEYS)
    assert abs(drawn[:, 0].mean() - exact[0]) < 4.5 * standard_error


def test_the_cases_tell_links_from_none():
    """That the average of a test above is not the same whatever the links say."""
    for case in ("three unknown words, links and others", "known words and links", "costs"):
        new = document(*CASES[case])
        flipped = new._replace(signs=-new.signs)
        assert abs(enumerated(new, logistic)[0] - enumerated(flipped, logistic)[0]) > 0.08


def test_a_document_without_words_has_the_topics_of_the_prior():
    fold_in = LinkedFoldIn(SAMPLE, LENGTHS, Logistic())
    np.testing.assert_allclose(fold_in.proportions(document([], [], [0], [1], [1]), 5), ALPHA / ALPHA.sum())


def test_the_same_key_gives_the_same_topics_and_another_key_others():
    fold_in = LinkedFoldIn(SAMPLE, LENGTHS, Logistic())
    case = CASES["known and unknown words"]
    first = fold_in.proportions(document(*case, 1), 20)
    fold_in.proportions(document(*case, 2), 20)  # nothing of it stays behind
    assert first.tobytes() == fold_in.proportions(document(*case, 1), 20).tobytes()
    assert first.tobytes() != fold_in.proportions(document(*case, 2), 20).tobytes()


@pytest.mark.parametrize("n_topics", [1, 17])
def test_any_number_of_topics(n_topics):
    """Tables are as wide as blocks of topics: those that fill it up are never drawn."""
    rng = np.random.default_rng(0)
    doc_topic = rng.poisson(1.0, size=(6, n_topics)) + 1
    sample = Sample(
        sparse.csr_array(rng.poisson(2.0, size=(N_WORDS, n_topics))),
        np.full(n_topics, 0.3),
        0.1,
        [rng.normal(size=(n_topics, n_topics))],
        sparse.csr_array(doc_topic),
    )
    fold_in = LinkedFoldIn(sample, doc_topic.sum(axis=1).astype(float), Logistic())
    shares = fold_in.proportions(document([0, UNKNOWN], [2, 30], [1, 4], [1, -1], [1, 1]), 20)
    assert shares.shape == (n_topics,)
    assert (shares > 0).all()
    assert shares.sum() == pytest.approx(1)
