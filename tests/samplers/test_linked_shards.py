"""Words that draw from documents of other shards: counts equal a recount, threads change nothing, and who sees what."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import scipy.sparse as sparse

from plait.engine.chain import Chain
from plait.executors import Threads
from plait.mixing import LinkedDocuments
from plait.priors import SymmetricPrior
from plait.samplers import SAMPLERS
from tests.samplers.small import EVERY_SAMPLER, Inline, mean_topics_of, shards_of
from tests.samplers.test_counts import ShuffledThreads, random_counts

# Sweeps of these samplers are compiled for few tests.
pytestmark = pytest.mark.slow_with("aggregated", "sparse", "limit", "synchronous")

N_DOCUMENTS = 40


def random_links(seed):
    """Links of every document to about five others, most of them in other shards; some documents have none."""
    rng = np.random.default_rng(seed)
    links = rng.poisson(0.13, size=(N_DOCUMENTS, N_DOCUMENTS)).astype(float)
    links[[3, 20]] = 0
    return sparse.csr_array(links)


def make_chain(name, n_shards, seed=0, n_topics=7, executor=None):
    chain = Chain(
        random_counts(seed), n_topics, mixing=LinkedDocuments(0.3, p=4.0), prior=SymmetricPrior(0.1),
        sampler=EVERY_SAMPLER[name](), seed=seed, n_shards=n_shards, links=random_links(seed),
    )  # fmt: skip
    chain.start(executor or Inline())
    return chain


def counts_of(chain):
    """Return copies of all counts of a chain, as dense arrays."""
    return {
        "drawn_topics": chain.drawn_topics().toarray(),
        "taken": np.concatenate(chain._executor.each("taken")),
        "word_topic": chain._ranked_word_topic(),
        "doc_topic": chain.doc_topic().toarray(),
        "totals": chain._tables.totals.copy(),
    }


def after(name, n_shards, executor, n_sweeps=12):
    with executor:
        chain = make_chain(name, n_shards, executor=executor)
        for _ in range(n_sweeps):
            chain.sweep()
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
@pytest.mark.parametrize("name", [*SAMPLERS, pytest.param("sparse in float32", marks=pytest.mark.slow)])
def test_counts_equal_a_recount(name, n_topics, n_shards):
    chain = make_chain(name, n_shards, seed=1, n_topics=n_topics)
    assert len(shards_of(chain)) == n_shards
    for _ in range(7):
        chain.sweep()
    running = counts_of(chain)
    chain._recount()
    again = counts_of(chain)
    # Shares in sixteen bits never stay quite as they were, so that more little changes are added to float32 counts.
    near = 0 if not shards_of(chain)[0].state.drifts else 2e-3 if chain.sampler.share_type is np.float32 else 4e-3
    for what, counted in again.items():
        np.testing.assert_allclose(running[what].astype(float), counted.astype(float), atol=near, err_msg=what)
    drawn, taken, words, own, totals = (counted.astype(float) for counted in again.values())
    near = {"rtol": 1e-4, "atol": 1e-3}
    np.testing.assert_allclose(own.sum(axis=1), chain.lengths, **near)
    np.testing.assert_allclose(np.add.reduceat(taken, chain.candidates.starts[:-1]), chain.lengths, **near)
    # How much was drawn from a document is what all that may draw from it took.
    by_source = np.bincount(chain.candidates.documents, weights=taken, minlength=N_DOCUMENTS)
    np.testing.assert_allclose(drawn.sum(axis=1), by_source, **near)
    np.testing.assert_allclose(drawn.sum(axis=0), totals[:n_topics], rtol=1e-4, atol=1e-2)
    np.testing.assert_allclose(words.sum(axis=0), totals, rtol=1e-4, atol=1e-2)
    assert np.abs(drawn.sum(axis=1) - chain.lengths).max() > 1


class Ordered(Inline):
    """Calls the shards in a chosen order, keeps the results of the last sweep, and checks that no message changes."""

    def __init__(self, order):
        super().__init__()
        self.order = order
        self.results = []

    def each(self, method, message=None):
        results = [None] * len(self.shards)
        sent = [array.copy() for array in message if isinstance(array, np.ndarray)] if method == "sweep" else []
        for number in self.order:
            results[number] = getattr(self.shards[number], method)(message)
            if sent:
                now = [array for array in message if isinstance(array, np.ndarray)]
                assert len(now) == 3
                for before, after in zip(sent, now, strict=True):
                    np.testing.assert_array_equal(after, before)
        if method == "sweep":
            self.results = copy.deepcopy(results)
        return results


@pytest.mark.parametrize("name", [name for name, kind in SAMPLERS.items() if not kind.synchronous])
def test_other_shards_are_seen_as_they_were_when_the_sweep_began(name):
    """A shard's sweep depends neither on whether others were swept before it nor touches what they see."""
    first, second = (make_chain(name, 2, executor=Ordered(order)) for order in ([0, 1], [1, 0]))
    begun = first._all_sources()
    np.testing.assert_array_equal(second._all_sources(), begun)
    for chain in (first, second):
        chain.sweep()
    across = 0
    for number, (one, other) in enumerate(zip(shards_of(first), shards_of(second), strict=True)):
        tables = [shard._source_rows._kept for shard in (one, other)]
        assert tables[0].tobytes() == tables[1].tobytes()
        assert one.taken().tobytes() == other.taken().tobytes()
        results = [chain._executor.results[number] for chain in (first, second)]
        assert results[0].info == results[1].info
        for table in ("word_topic", "source_topic"):
            for values, others in zip(*(getattr(result, table) for result in results), strict=True):
                assert (values is None and others is None) or values.tobytes() == others.tobytes()
        assert results[0].totals.tobytes() == results[1].totals.tobytes()
        end = one.documents.first + one.lengths.size
        across += ((one.source_documents < one.documents.first) | (one.source_documents >= end)).sum()
        # Inside a shard rows are live: what its own words drew has moved its copy.
        before = begun[one.source_documents]
        assert np.abs(tables[0].reshape(before.shape) - before).max() > 0
    assert across > 10


@pytest.mark.parametrize("n_shards", [1, 3])
@pytest.mark.parametrize("name", SAMPLERS)
def test_a_restored_chain_goes_on_to_the_same_bits(name, n_shards):
    straight = make_chain(name, n_shards)
    for _ in range(5):
        straight.sweep()
    kept = {array: values.copy() for array, values in straight.state().items()}
    other = make_chain(name, n_shards)
    other.restore(kept, Inline())
    for chain in (straight, other):
        for _ in range(8):
            chain.sweep()
    for array, values in straight.state().items():
        assert values.tobytes() == other.state()[array].tobytes(), array
    assert straight.influence().tobytes() == other.influence().tobytes()
    assert straight.doc_topic().toarray().tobytes() == other.doc_topic().toarray().tobytes()
    assert mean_topics_of(straight).tobytes() == mean_topics_of(other).tobytes()


def test_shards_change_the_chain_and_the_number_of_them_is_what_counts():
    one, two = after("plain", 1, Threads(1)), after("plain", 2, Threads(1))
    assert one["topics"].tobytes() != two["topics"].tobytes()
