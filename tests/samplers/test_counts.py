"""Counts always equal a recount; threads, their timing and shards change nothing they must not change."""

from __future__ import annotations

import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from plait.engine.chain import Chain
from plait.engine.cut import cut_documents
from plait.executors import Threads
from plait.mixing import OwnDocument
from plait.priors import SymmetricPrior
from plait.samplers import SAMPLERS
from tests.samplers.small import Inline, mean_topics_of, shards_of


def random_counts(seed, n_documents=40, n_words=30, often=False):
    rng = np.random.default_rng(seed)
    counts = rng.poisson(0.6, size=(n_documents, n_words)) * rng.integers(1, 9, size=(n_documents, n_words))
    if often:
        counts[rng.integers(n_documents, size=3)] *= 60
    counts[rng.integers(n_documents, size=3)] = 0  # some documents have no words
    return sparse.csr_array(counts.astype(np.int32))


def make_chain(counts, sampler, n_topics=7, seed=0, n_shards=3):
    return Chain(
        counts,
        n_topics,
        mixing=OwnDocument(0.3),
        prior=SymmetricPrior(0.1),
        sampler=sampler,
        seed=seed,
        n_shards=n_shards,
    )


class ShuffledThreads(Threads):
    """Threads that take the shards in another order each time and stop for a moment before each."""

    def __init__(self, n_jobs, seed):
        super().__init__(n_jobs)
        self._random = random.Random(seed)

    def map(self, function, items):
        items = list(items)
        results = [None] * len(items)
        turns = list(range(len(items)))
        self._random.shuffle(turns)
        pauses = [self._random.random() * 0.002 for _ in items]

        def work(turn):
            time.sleep(pauses[turn])
            results[turn] = function(items[turn])

        with ThreadPoolExecutor(self.n_jobs) as pool:
            list(pool.map(work, turns))
        return results


def final_state(counts, sampler, executor, n_sweeps=4, n_shards=3):
    """Return topic–word counts, document–topic counts, the whole state and the infos after some sweeps."""
    chain = make_chain(counts, sampler, n_shards=n_shards)
    with executor:
        chain.start(executor)
        infos = [chain.sweep() for _ in range(n_sweeps)]
        state = {name: array.tobytes() for name, array in chain.state().items()}
        return chain.word_topic(), chain.doc_topic().toarray(), state, infos


@pytest.mark.parametrize("name", SAMPLERS)
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10**6), n_topics=st.sampled_from([1, 2, 16, 19, 300]), n_shards=st.integers(1, 6))
def test_counts_equal_a_recount(name, seed, n_topics, n_shards):
    # Words that stand very often take a way of their own where occurrences hold topics.
    counts = random_counts(seed, often=SAMPLERS[name].state_form == "tokens")
    chain = make_chain(counts, SAMPLERS[name](), n_topics, seed, n_shards)
    chain.start(Inline())
    real = shards_of(chain)[0].state.drifts
    for _ in range(3):
        chain.sweep()
        kept_words, kept_totals, kept_documents = chain.word_topic(), chain._tables.totals.copy(), mean_topics_of(chain)
        chain._recount()
        np.testing.assert_allclose(chain.word_topic(), kept_words, atol=1e-3 if real else 0)
        np.testing.assert_allclose(chain._tables.totals, kept_totals, atol=1e-2 if real else 0)
        np.testing.assert_allclose(mean_topics_of(chain), kept_documents, atol=1e-4 if real else 0)
    np.testing.assert_allclose(chain.word_topic().sum(axis=1), np.asarray(counts.sum(axis=0)).ravel(), rtol=1e-4)


@pytest.mark.parametrize("name", SAMPLERS)
@pytest.mark.parametrize("executor", [lambda: Threads(2), lambda: Threads(3), lambda: ShuffledThreads(3, 1)])
def test_threads_and_their_timing_change_no_bit(name, executor):
    counts = random_counts(5, n_documents=120)
    alone = final_state(counts, SAMPLERS[name](), Threads(1), n_shards=5)
    together = final_state(counts, SAMPLERS[name](), executor(), n_shards=5)
    assert alone[0].tobytes() == together[0].tobytes()
    assert alone[1].tobytes() == together[1].tobytes()
    assert alone[2:] == together[2:]


def test_shuffled_threads_really_use_several_threads():
    seen = set()
    ShuffledThreads(3, 1).map(lambda _: seen.add(threading.get_ident()), range(30))
    assert len(seen) > 1


@pytest.mark.parametrize("name", SAMPLERS)
def test_a_restored_chain_goes_on_to_the_same_bits(name):
    counts = random_counts(8)
    straight = make_chain(counts, SAMPLERS[name]())
    straight.start(Threads(1))
    for _ in range(13):
        straight.sweep()
    kept = {key: value.copy() for key, value in straight.state().items()}
    other = make_chain(counts, SAMPLERS[name]())
    other.restore(kept, Threads(1))
    for chain in (straight, other):
        for _ in range(12):
            chain.sweep()
    assert straight.word_topic().tobytes() == other.word_topic().tobytes()
    assert straight.doc_topic().toarray().tobytes() == other.doc_topic().toarray().tobytes()
    assert mean_topics_of(straight).tobytes() == mean_topics_of(other).tobytes()


@given(lengths=st.lists(st.integers(0, 50), min_size=1, max_size=60), n_shards=st.integers(1, 9))
def test_shards_hold_every_document_once_and_in_order(lengths, n_shards):
    runs = cut_documents(np.array(lengths), n_shards)
    documents = [document for first, last in runs for document in range(first, last)]
    assert documents == list(range(len(lengths)))
    assert len(runs) <= n_shards


def test_word_numbers_and_their_order_of_frequency_do_not_mix():
    counts = sparse.csr_array(np.array([[0, 9, 1, 0], [0, 9, 2, 1]], dtype=np.int32))
    word_topic, *_ = final_state(counts, SAMPLERS["plain"](), Threads(1), n_shards=2)
    assert word_topic.sum(axis=1).tolist() == [0, 18, 3, 1]
