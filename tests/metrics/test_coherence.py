"""Coherence compared with values computed by hand and with its definition; diversity; invalid input."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sp

from plait.corpus import Corpus
from plait.errors import PlaitError
from plait.metrics.coherence import C_V_EPSILON, Measure, coherence, topic_diversity

# P(a) = 3/4, P(b) = P(c) = 1/2, P(a, b) = 1/2, P(a, c) = P(b, c) = 1/4; z never occurs.
WORDS = ["a", "b", "c", "z"]
COUNTS = np.array([[1, 2, 0, 0], [5, 1, 1, 0], [1, 0, 0, 0], [0, 0, 3, 0]])


def npmi_by_definition(texts: list[set[str]], first: str, second: str) -> float:
    together = sum(first in text and second in text for text in texts) / len(texts)
    if together in (0, 1):
        return 2.0 * together - 1
    apart = math.prod(sum(word in text for text in texts) / len(texts) for word in (first, second))
    return math.log(together / apart) / -math.log(together)


def c_v_by_definition(texts: list[set[str]], topic: list[str]) -> float:
    def share(*words: str) -> float:
        return sum(text.issuperset(words) for text in texts) / len(texts)

    def context(word: str) -> list[float]:
        together = [share(word, other) + C_V_EPSILON for other in topic]
        apart = [share(word) * share(other) for other in topic]
        return [math.log(both / chance) / -math.log(both) for both, chance in zip(together, apart, strict=True)]

    vectors = [context(word) for word in topic]
    whole = [math.fsum(entries) for entries in zip(*vectors, strict=True)]
    cosines = [np.dot(vector, whole) / (math.hypot(*vector) * math.hypot(*whole)) for vector in vectors]
    return math.fsum(cosines) / len(cosines)


def test_npmi_equals_the_value_computed_by_hand() -> None:
    a_with_b = math.log(4 / 3) / math.log(2)
    a_with_c = math.log(2 / 3) / math.log(4)
    b_with_c = 0.0
    expected = [(a_with_b + a_with_c + b_with_c) / 3, a_with_b]
    np.testing.assert_allclose(coherence([["a", "b", "c"], ["b", "a"]], COUNTS, WORDS), expected, rtol=1e-14)


def test_c_v_equals_the_value_computed_by_hand() -> None:
    # Context vectors a: (1, 0.41504, -0.29248), b: (0.41504, 1, 0), c: (-0.29248, 0, 1);
    # their sum (1.12256, 1.41504, 0.70752); cosines 0.69081, 0.89556, 0.18761.
    value = coherence([["a", "b", "c"]], COUNTS, WORDS, measure="c_v")
    np.testing.assert_allclose(value, [0.5913274], atol=1e-7)


def test_npmi_equals_its_definition_on_random_documents() -> None:
    rng = np.random.default_rng(3)
    words = [f"w{column}" for column in range(12)]
    counts = rng.poisson(0.4, size=(40, 12))
    texts = [{words[column] for column in np.flatnonzero(row)} for row in counts]
    topics = [list(rng.choice(words, size=size, replace=False)) for size in (2, 3, 5, 12)]
    expected = [
        np.mean([npmi_by_definition(texts, x, y) for place, x in enumerate(topic) for y in topic[:place]])
        for topic in topics
    ]
    np.testing.assert_allclose(coherence(topics, counts, words), expected, rtol=1e-12)


def test_c_v_equals_its_definition_on_many_sparse_documents() -> None:
    rng = np.random.default_rng(0)
    rows = np.repeat(np.arange(300), 30)
    columns = np.minimum(rng.geometric(0.01, size=rows.size), 499)  # some words are frequent, most are rare
    counts = sp.csr_array((np.ones(rows.size, dtype=np.int32), (rows, columns)), shape=(300, 500))
    words = [f"w{column}" for column in range(500)]
    texts = [{words[column] for column in columns[rows == row]} for row in range(300)]
    topics = [[words[column] for column in 1 + rng.choice(150, size=12, replace=False)] for _ in range(10)]
    joint = (counts.T @ counts).toarray()[1:151, 1:151]
    assert (joint.diagonal() > 0).all()  # every word occurs,
    assert (joint == 0).any()  # and some pairs never do
    expected = [c_v_by_definition(texts, topic) for topic in topics]
    np.testing.assert_allclose(coherence(topics, counts, words, measure="c_v"), expected, rtol=1e-10)


def test_pairs_that_never_or_always_occur_together_take_the_limits() -> None:
    counts = np.array([[1, 1, 1, 0], [2, 1, 0, 1]])
    topics = [["x", "y"], ["p", "q"]]
    np.testing.assert_array_equal(coherence(topics, counts, ["x", "y", "p", "q"]), [1.0, -1.0])


def test_c_v_of_words_that_are_in_every_document_is_one() -> None:
    np.testing.assert_allclose(coherence([["x", "y"]], np.ones((3, 2)), ["x", "y"], measure="c_v"), [1.0])


def test_a_word_that_never_occurs_gives_minus_one_to_npmi_and_nothing_to_c_v() -> None:
    assert coherence([["a", "z"]], COUNTS, WORDS)[0] == -1
    with_absent = coherence([["a", "b", "z"]], COUNTS, WORDS, measure="c_v")
    without = coherence([["a", "b"]], COUNTS, WORDS, measure="c_v")
    np.testing.assert_allclose(with_absent, without * 2 / 3)


@pytest.mark.parametrize("measure", ["npmi", "c_v"])
def test_every_kind_of_reference_agrees_and_only_presence_counts(measure: Measure) -> None:
    topics = [["a", "b", "c"]]
    corpus = Corpus.from_matrix(sp.csr_array(COUNTS), vocabulary=WORDS)
    expected = coherence(topics, COUNTS > 0, WORDS, measure=measure)
    np.testing.assert_array_equal(coherence(topics, corpus, measure=measure), expected)
    np.testing.assert_array_equal(coherence(topics, sp.csr_matrix(COUNTS), WORDS, measure=measure), expected)


def test_repeated_entries_of_a_sparse_matrix_count_a_document_once() -> None:
    repeated = sp.csr_array(([1, 1, 1, 1], [0, 0, 1, 0], [0, 3, 4]), shape=(2, 2))
    expected = coherence([["x", "y"]], np.array([[2, 1], [1, 0]]), ["x", "y"])
    np.testing.assert_array_equal(coherence([["x", "y"]], repeated, ["x", "y"]), expected)


@pytest.mark.parametrize(
    ("topics", "reference", "vocabulary", "measure", "message"),
    [
        (
            [["a", "b"], ["a", "x", "y"]],
            COUNTS,
            WORDS,
            "npmi",
            r'4 words: "x" \(topics\[1\]\), "y" \(topics\[1\]\);',
        ),
        ([["a", "b"]], COUNTS, WORDS, "umass", "'umass' is unknown"),
        ([["a"]], COUNTS, WORDS, "npmi", r"topics\[0\] has 1 word"),
        ([["a", "b", "a"]], COUNTS, WORDS, "npmi", 'contains "a" more than once'),
        (["a", "b"], COUNTS, WORDS, "npmi", 'single word "a"; give one list of words'),
        ([], COUNTS, WORDS, "npmi", "topics is empty"),
        ([["a", "b"]], COUNTS, None, "npmi", "give vocabulary="),
        ([["a", "b"]], COUNTS, ["a", "b", "c", "b"], "npmi", 'vocabulary contains "b" more than once'),
        ([["a", "b"]], COUNTS, ["a", "b"], "npmi", "4 columns, vocabulary has 2 words"),
        ([["a", "b"]], COUNTS[0], WORDS, "npmi", r"1 dimension\(s\)"),
        ([["a", "b"]], COUNTS[:0], WORDS, "npmi", "no documents"),
        ([["a", "b"]], Corpus.from_matrix(COUNTS, vocabulary=WORDS), WORDS, "npmi", "leave vocabulary out"),
    ],
)
def test_invalid_input_is_rejected(topics, reference, vocabulary, measure, message) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(PlaitError, match=message):
        coherence(topics, reference, vocabulary, measure=measure)


def test_many_unknown_words_are_counted_beyond_the_first_ten() -> None:
    with pytest.raises(PlaitError, match=r'"u9" \(topics\[0\]\) and 5 more; leave'):
        coherence([[f"u{number}" for number in range(15)]], COUNTS, WORDS)


def test_diversity_is_the_share_of_distinct_words() -> None:
    assert topic_diversity([["a", "b"], ["c", "d"]]) == 1
    assert topic_diversity([["a", "b"], ["b", "a"], ["a", "b"]]) == pytest.approx(1 / 3)


def test_diversity_rejects_topics_without_words() -> None:
    with pytest.raises(PlaitError, match=r"topics\[1\] has 0 word"):
        topic_diversity([["a"], []])
