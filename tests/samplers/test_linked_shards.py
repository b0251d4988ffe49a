"""Words that draw from documents of other shards: counts equal a recount, threads change nothing, and who sees what."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sparse

from plait.engine.chain import Chain
from plait.executors import Threads
from plait.mixing import LinkedDocuments
from plait.priors import SymmetricPrior
from plait.samplers import SAMPLERS
from plait.samplers.random import stream_key
from tests.samplers.small import EVERY_SAMPLER
from tests.samplers.test_counts import ShuffledThreads, random_counts

N_DOCUMENTS = 40


def random_links(seed):
    """Links of every document to about five others, most of them in other shards; some documents have none."""
    rng = np.random.default_rng(seed)
    links = rng.poisson(0.13, size=(N_DOCUMENTS, N_DOCUMENTS)).astype(float)
    links[[3, 20]] = 0
    return sparse.csr_array(links)


def make_chain(name, n_shards, seed=0, n_topics=7):
    chain = Chain(
        random_counts(seed), n_topics, mixing=LinkedDocuments(0.3, p=4.0), prior=SymmetricPrior(0.1),
        sampler=EVERY_SAMPLER[name](), seed=seed, n_shards=n_shards, links=random_links(seed),
    )  # fmt: skip
    chain.start(Threads())
    return chain


def after(name, n_shards, executor, n_sweeps=12):
    chain = make_chain(name, n_shards)
    with executor:
        for _ in range(n_sweeps):
            chain.sweep(executor)
    return chain.state()


@pytest.mark.parametrize("n_shards", [2, 4])
@pytest.mark.parametrize("name", SAMPLERS)
def test_threads_and_their_timing_change_no_bit(name, n_shards):
    one = after(name, n_shards, Threads(1))
    for executor in (Threads(2), Threads(3), ShuffledThreads(3, seed=5)):
        other = after(name, n_shards, executor)
        assert list(one) == list(other)
        for array in one:
            assert one[array].tobytes() == other[array].tobytes(), array


@pytest.mark.parametrize("n_shards", [1, 2, 4])
@pytest.mark.parametrize("n_topics", [1, 7, 19])
@pytest.mark.parametrize("name", EVERY_SAMPLER)
def test_counts_equal_a_recount(name, n_topics, n_shards):
    chain = make_chain(name, n_shards, seed=1, n_topics=n_topics)
    assert len(chain.sharded.shards) == n_shards
    for _ in range(7):
        chain.sweep(Threads())
    read = ("drawn_topics", "taken", "word_topic", "doc_topic")
    running = [getattr(chain.sharded, name)().astype(float) for name in read] + [chain.sharded.totals.astype(float)]
    chain.sharded.recount()
    again = [getattr(chain.sharded, name)().astype(float) for name in read] + [chain.sharded.totals.astype(float)]
    # Shares in sixteen bits never stay quite as they were, so that more little changes are added to float32 counts.
    near = 0 if not chain.sharded.real else 2e-3 if chain.sampler.share_type is np.float32 else 4e-3
    for what, before, counted in zip([*read, "totals"], running, again, strict=True):
        np.testing.assert_allclose(before, counted, atol=near, err_msg=what)
    drawn, taken, words, own, totals = again
    near = {"rtol": 1e-4, "atol": 1e-3}
    np.testing.assert_allclose(own.sum(axis=1), chain.lengths, **near)
    np.testing.assert_allclose(np.add.reduceat(taken, chain.candidates.starts[:-1]), chain.lengths, **near)
    # How much was drawn from a document is what all that may draw from it took.
    by_source = np.bincount(chain.candidates.documents, weights=taken, minlength=N_DOCUMENTS)
    np.testing.assert_allclose(drawn.sum(axis=1), by_source, **near)
    np.testing.assert_allclose(drawn.sum(axis=0), totals[:n_topics], rtol=1e-4, atol=1e-2)
    np.testing.assert_allclose(words.sum(axis=0), totals, rtol=1e-4, atol=1e-2)
    assert np.abs(drawn.sum(axis=1) - chain.lengths).max() > 1


@pytest.mark.parametrize("name", SAMPLERS)
def test_other_shards_are_seen_as_they_were_when_the_sweep_began(name):
    """A shard's sweep depends neither on whether others were swept before it nor touches what they see."""
    first, second = make_chain(name, 2), make_chain(name, 2)
    key = stream_key(0, "sweep", 0)
    for chain, order in ((first, [0, 1]), (second, [1, 0])):
        factors = chain._make_factors()
        shared = chain.sharded.source_topic.copy()
        for number in order:
            chain.sharded.sweep_shard(chain.sharded.shards[number], factors, key)
            np.testing.assert_array_equal(chain.sharded.source_topic, shared)
    across = 0
    for one, other in zip(first.sharded.shards, second.sharded.shards, strict=True):
        assert one.counts.sources.source_topic.tobytes() == other.counts.sources.source_topic.tobytes()
        assert one.counts.sources.taken.tobytes() == other.counts.sources.taken.tobytes()
        outside = (one.source_rows < one.documents.first) | (one.source_rows >= one.documents.first + one.n_documents)
        across += outside.sum()
    assert across > 10
    # Inside a shard rows are live: what its own words drew has moved its copy.
    for shard in first.sharded.shards:
        begun = first.sharded.source_topic.reshape(-1, first.sharded.width)[shard.source_rows]
        assert np.abs(shard.counts.sources.source_topic.reshape(begun.shape) - begun).max() > 0


@pytest.mark.parametrize("n_shards", [1, 3])
@pytest.mark.parametrize("name", SAMPLERS)
def test_a_restored_chain_goes_on_to_the_same_bits(name, n_shards):
    straight = make_chain(name, n_shards)
    for _ in range(5):
        straight.sweep(Threads())
    kept = {array: values.copy() for array, values in straight.state().items()}
    other = make_chain(name, n_shards)
    other.restore(kept)
    for chain in (straight, other):
        for _ in range(8):
            chain.sweep(Threads())
    for array, values in straight.state().items():
        assert values.tobytes() == other.state()[array].tobytes(), array
    assert straight.influence().tobytes() == other.influence().tobytes()
    assert straight.doc_topic().tobytes() == other.doc_topic().tobytes()


def test_shards_change_the_chain_and_the_number_of_them_is_what_counts():
    one, two = after("plain", 1, Threads(1)), after("plain", 2, Threads(1))
    assert one["topics"].tobytes() != two["topics"].tobytes()
