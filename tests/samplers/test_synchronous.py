"""The synchronous sampler: its transition by enumeration, the same bits for any shards, and what it refuses."""

from __future__ import annotations

import gc
import itertools

import numpy as np
import pytest
import scipy.sparse as sparse
from scipy.stats import chisquare

from plait import LDA
from plait.engine.frozen_rows import add_moves
from plait.engine.messages import RowMoves
from plait.engine.topic_lists import ListedTable, make_lists, take_lists
from plait.samplers import Synchronous
from plait.samplers.base import Changes, Counts, Documents, Moves, padded_width
from plait.samplers.kernels import long_lists
from plait.samplers.kernels.lanes import LANES
from plait.samplers.kernels.listed import list_shift
from plait.samplers.kernels.long_lists import long_list, shared_long_lists
from plait.samplers.random import stream_key
from tests import naive
from tests.samplers.small import flat_observations, make_factors

WORDS = [0, 0, 1, 2]
TOPICS = [1, 0, 1, 2]
COPIES = 40_000
SAID = [(2.0, 5.0, np.array([1.5, -0.5, 0.3])), (-1.0, 9.0, np.array([0.4, 1.1, -0.7]))]
ALPHA = np.array([0.4, 0.9, 0.2])
SYMMETRIC = np.full((3, 3), 0.5)
TABLE = np.array([[0.2, 1.5, 0.4], [0.9, 0.3, 0.6], [0.5, 0.1, 0.8]])


def frozen_counts(n_topics, seed=0):
    """Return small counts, topics × words, that include the document: the token's own count matters."""
    rng = np.random.default_rng(seed)
    return naive.count([WORDS], [TOPICS], n_topics, 3)[1].astype(np.int32) + rng.integers(0, 3, (n_topics, 3))


def sweep_copies(alpha, beta, topic_word, said=None, *, exact=True, listed=False):
    """Resample many copies of one document, each with its own random numbers; return their topics and the changes."""
    n_topics, width = alpha.size, padded_width(alpha.size)
    factors, table = make_factors(alpha, beta)
    observations = None if said is None else flat_observations([said] * COPIES, width, exact)
    factors = factors._replace(prior_table=None if table is None else table.ravel(), observations=observations)
    words, counts = np.unique(WORDS, return_counts=True)
    documents = Documents(
        starts=np.arange(COPIES + 1, dtype=np.int64) * words.size,
        words=np.tile(words, COPIES).astype(np.int32),
        counts=np.tile(counts, COPIES).astype(np.int32),
        offsets=np.arange(COPIES + 1, dtype=np.int64) * len(WORDS),
        first=0,
    )
    dense = np.zeros((3, width), np.int32)
    dense[:, :n_topics] = topic_word.T
    held = make_lists(sparse.csr_array(dense)) if listed else dense.ravel()
    moves = Moves(np.empty(2 * len(WORDS) * COPIES, np.uint32), np.zeros(1, np.int64), np.zeros(3, np.uint8))
    changes = Changes(moves, np.zeros(width, np.int64))
    topics = np.tile(TOPICS, COPIES).astype(np.uint16 if listed else np.uint8)
    kept = held if listed else held.copy()
    Synchronous().sweep(
        documents, topics, Counts(kept, dense.sum(axis=0).astype(np.int64), None, changes), factors,
        stream_key(3, "sweep"), None,
    )  # fmt: skip
    if not listed:
        np.testing.assert_array_equal(kept, held)  # frozen
    return topics.reshape(COPIES, -1), changes


def check_frequencies(topics, expected):
    """Compare the assignments of independent documents with their exact probabilities."""
    found, times = np.unique(topics, axis=0, return_counts=True)
    seen = {tuple(row): count for row, count in zip(found.tolist(), times, strict=True)}
    assert set(seen) <= set(expected)
    common = [state for state, probability in expected.items() if probability * len(topics) >= 10]
    observed = [seen.get(state, 0) for state in common]
    counts = [expected[state] * len(topics) for state in common]
    rest = max(len(topics) - sum(counts), 0.0)
    if rest >= 10:
        observed, counts = [*observed, len(topics) - sum(observed)], [*counts, rest]
    counts = np.array(counts) * sum(observed) / sum(counts)
    assert chisquare(observed, counts).pvalue > 0.001


@pytest.mark.parametrize("listed", [False, True], ids=["dense", "lists"])
@pytest.mark.parametrize(
    "said",
    [
        None,
        pytest.param("exact", marks=pytest.mark.slow),
        pytest.param("cached", marks=pytest.mark.slow),
    ],
)
def test_a_document_is_drawn_from_the_exact_frozen_conditional(said, listed):
    topic_word = frozen_counts(3)
    given = None if said is None else SAID
    expected = naive.frozen_transition(
        WORDS, TOPICS, ALPHA, SYMMETRIC, topic_word, given, cached=said == "cached", metropolis=listed
    )
    topics, changes = sweep_copies(ALPHA, SYMMETRIC, topic_word, given, exact=said == "exact", listed=listed)
    check_frequencies(topics, expected)
    before, after = np.bincount(np.tile(TOPICS, COPIES), minlength=16), np.bincount(topics.ravel(), minlength=16)
    np.testing.assert_array_equal(changes.totals, after - before)


def test_a_table_of_beta_enters_the_frozen_conditional():
    topic_word = frozen_counts(3, seed=1)
    topics, _ = sweep_copies(ALPHA, TABLE, topic_word)
    check_frequencies(topics, naive.frozen_transition(WORDS, TOPICS, ALPHA, TABLE, topic_word))


def first_conditional(topic_word, others, own, alpha, beta):
    """Return the conditional of a token of word 0."""
    counts = topic_word.astype(float)
    counts[own, 0] -= 1
    chances = (np.bincount(others, minlength=alpha.size) + alpha) * (counts[:, 0] + beta[:, 0])
    chances /= (counts + beta).sum(axis=1)
    return chances / chances.sum()


# 200 topics: the document holds fewer topics than its words have blocks of sixteen, so its own topics are weighed.
@pytest.mark.parametrize(("n_topics", "listed"), [(19, False), (19, True), (200, True)])
def test_many_topics_have_the_frozen_conditional(n_topics, listed):
    rng = np.random.default_rng(2)
    alpha, beta = rng.uniform(0.1, 1.5, n_topics), np.full((n_topics, 3), 0.3)
    topic_word = frozen_counts(n_topics, seed=3)
    topics, _ = sweep_copies(alpha, beta, topic_word, listed=listed)
    first = first_conditional(topic_word, TOPICS[1:], TOPICS[0], alpha, beta)
    assert chisquare(np.bincount(topics[:, 0], minlength=n_topics), first * COPIES).pvalue > 0.001
    # The second token, of the same word, sees what was drawn for the first one in the document only.
    second = sum(
        chance * first_conditional(topic_word, [topic, *TOPICS[2:]], TOPICS[1], alpha, beta)
        for topic, chance in enumerate(first)
    )
    assert chisquare(np.bincount(topics[:, 1], minlength=n_topics), second * COPIES).pvalue > 0.001


@pytest.mark.slow  # compiles sweeps with responses
@pytest.mark.parametrize("exact", [True, False], ids=["exact", "cached"])
@pytest.mark.parametrize("n_topics", [19, 200])  # the topics of the word, of the document
def test_many_topics_are_accepted_by_the_change_of_the_tilt(n_topics, exact):
    rng = np.random.default_rng(4)
    alpha, beta = rng.uniform(0.1, 1.5, n_topics), np.full((n_topics, 3), 0.3)
    topic_word = frozen_counts(n_topics, seed=5)
    said = [(pull, precision, rng.normal(size=n_topics)) for pull, precision, _ in SAID]
    topics, _ = sweep_copies(alpha, beta, topic_word, said, exact=exact, listed=True)
    proposed = first_conditional(topic_word, TOPICS[1:], TOPICS[0], alpha, beta)
    tilt = np.zeros(n_topics)
    for pull, precision, direction in said:
        # A cached tilt has the share of all tokens in place of the other ones.
        others = direction[TOPICS[1:]].sum() if exact else direction[TOPICS].sum() * (1 - 1 / len(TOPICS))
        projected = (others + direction) / len(TOPICS)
        tilt += pull * projected - precision * projected**2 / 2
    expected = proposed * np.minimum(1.0, np.exp(tilt - tilt[TOPICS[0]]))
    expected[TOPICS[0]] += 1 - expected.sum()
    assert chisquare(np.bincount(topics[:, 0], minlength=n_topics), expected * COPIES).pvalue > 0.001


def random_lists(n_words, width, seed=0):
    rng = np.random.default_rng(seed)
    chances = rng.uniform(0.0, 0.6, (n_words, 1))
    return make_lists(sparse.csr_array((rng.random((n_words, width)) < chances) * rng.integers(1, 5, (n_words, width))))


def test_long_lists_have_rows_that_shards_share():
    width = 320
    lists, base = random_lists(50, width), np.random.default_rng(1).random(width).astype(np.float32)
    found = shared_long_lists(lists, base)
    has_row = np.diff(lists.starts) >= LANES * long_list(width)
    assert 0 < has_row.sum() < 50
    np.testing.assert_array_equal(found.row_of >= 0, has_row)
    for word in np.flatnonzero(has_row):
        own = slice(lists.starts[word], lists.starts[word] + lists.sizes[word])
        row = np.zeros(width, np.float32)
        row[lists.topics[own]] = lists.counts[own]
        np.testing.assert_array_equal(found.rows[found.row_of[word] :][:width], row)
        sums = np.cumsum(base[lists.topics[own]].astype(np.float64) * lists.counts[own])
        np.testing.assert_array_equal(found.sums[own], sums)
    assert shared_long_lists(lists, base) is found
    assert shared_long_lists(lists, 2 * base) is not found
    assert shared_long_lists(random_lists(50, width), base) is not found


def test_rows_of_long_lists_end_with_the_lists():
    before = len(long_lists._made)
    lists = random_lists(20, 320)
    shared_long_lists(lists, np.ones(320, np.float32))
    assert len(long_lists._made) == before + 1
    del lists
    gc.collect()
    assert len(long_lists._made) == before


def small_corpus(seed=0):
    rng = np.random.default_rng(seed)
    return sparse.csr_array(rng.poisson(0.4, size=(60, 50)).astype(np.int32))


QUICK = {"n_sweeps": 6, "n_samples": 2, "sample_every": 2, "tolerance": 0.0, "random_state": 5, "verbose": False}


@pytest.mark.parametrize("n_topics", [5, 300])
def test_shards_and_threads_change_no_bit(n_topics):
    models = [
        LDA(n_topics, sampler="synchronous", n_shards=shards, n_jobs=jobs, **QUICK).fit(small_corpus())
        for shards, jobs in ((1, 1), (4, 2), (7, 1))
    ]
    for other in models[1:]:
        assert other.topic_word_.tobytes() == models[0].topic_word_.tobytes()
        assert other.doc_topic_.tobytes() == models[0].doc_topic_.tobytes()


def test_learned_priors_do_not_depend_on_shards():
    options = QUICK | {"n_sweeps": 12, "learn_alpha": True, "learn_beta": True}
    models = [LDA(300, sampler="synchronous", n_shards=n, **options).fit(small_corpus()) for n in (1, 3)]
    assert models[0].alpha_.tobytes() == models[1].alpha_.tobytes()
    assert models[0].topic_word_.tobytes() == models[1].topic_word_.tobytes()
    assert np.ptp(models[0].alpha_) > 0


def random_moves(counts, n_moves, shift, rng, edges):
    """Move tokens one by one; return the counts after the moves, and the moves by range of words."""
    after = counts.copy()
    pairs = []
    for _ in range(n_moves):
        word = rng.choice(np.flatnonzero(after.sum(axis=1)))
        old = rng.choice(np.flatnonzero(after[word]))
        new = rng.integers(counts.shape[1] - 4)
        after[word, old] -= 1
        after[word, new] += 1
        pairs.append((word, old, new))
    ranges = [
        np.array([(w << shift) + k for w, *ends in pairs if first <= w < last for k in ends], np.uint32)
        for first, last in itertools.pairwise(edges)
    ]
    return after, RowMoves(ranges)


@pytest.mark.parametrize("n_topics", [20, 300])
def test_merged_lists_are_those_of_the_counts(n_topics):
    rng = np.random.default_rng(n_topics)
    width = padded_width(n_topics)
    counts = np.zeros((40, width), np.int32)
    counts[:, :n_topics] = rng.poisson(0.1, (40, n_topics))
    counts[7] = 0
    table = ListedTable(40, width)
    table.lists = make_lists(sparse.csr_array(counts))
    for _ in range(3):
        counts, moves = random_moves(counts, 200, list_shift(width), rng, table._edges)
        table.add([moves], lambda function, items: [function(item) for item in items])
        for found, expected in zip(table.lists, make_lists(sparse.csr_array(counts)), strict=True):
            np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(table.to_csr().toarray(), counts)
    rows = np.array([1, 7, 30])
    for found, expected in zip(take_lists(table.lists, rows), make_lists(sparse.csr_array(counts[rows])), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_moves_are_added_to_a_dense_table():
    table = np.array([2, 0, 1, 5], np.int32)
    add_moves(
        table,
        [RowMoves([np.array([0, 1], np.uint32), np.array([3, 2], np.uint32)])] * 2,
        lambda f, items: [*map(f, items)],
    )
    assert table.tolist() == [0, 2, 3, 3]
