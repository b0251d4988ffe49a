"""Directions made of other documents' topics: live inside a shard, and fixed during a sweep for other shards."""

from __future__ import annotations

import numpy as np
import pytest

from plait.engine.shard import Shard
from plait.executors import Threads
from plait.responses import Hinge, Logistic
from plait.responses.base import DocTopics
from plait.responses.linear.pairs import ChainPairs, Negatives, Network
from plait.samplers import SAMPLERS, Plain
from plait.samplers.kernels.lanes import LANES
from plait.samplers.random import stream_key
from tests.responses.definitions import Labels, held_links, hold, link_chain, list_pairs, mean_topics
from tests.samplers.small import shards_of
from tests.samplers.test_counts import ShuffledThreads
from tests.samplers.test_random import numbers

# Sweeps of these samplers are compiled for few tests.
pytestmark = pytest.mark.slow_with("aggregated", "sparse", "limit", "synchronous")

N_DOCUMENTS, N_WORDS, N_TOPICS, WIDTH = 14, 9, 3, 16
BETA = 0.5
FORMS = ["full", "symmetric", "diagonal"]


def make_documents(seed):
    """Documents of up to nine words, some of them repeated; one document has none."""
    rng = np.random.default_rng(seed)
    documents = [sorted(rng.integers(N_WORDS, size=size).tolist()) for size in rng.integers(1, 10, N_DOCUMENTS)]
    documents[5] = []
    return documents


def make_network(seed):
    """Links of every document but the last, both ways between some."""
    rng = np.random.default_rng(seed)
    codes = np.unique(rng.integers((N_DOCUMENTS - 1) ** 2, size=40))
    sources, targets = codes // (N_DOCUMENTS - 1), codes % (N_DOCUMENTS - 1)
    apart = sources != targets
    sources, targets = np.append(sources[apart], [1, 0, 9]), np.append(targets[apart], [0, 1, 0])
    sources, targets = np.unique(np.column_stack([sources, targets]), axis=0).T
    return Network(N_DOCUMENTS, sources, targets, np.full(sources.size, 2.0), True)


def make_weights(form, n_topics, seed, size=2.0):
    weights = size * np.random.default_rng(seed).normal(size=(n_topics, n_topics))
    return {"full": weights, "symmetric": weights + weights.T, "diagonal": np.diag(np.diag(weights))}[form]


def make_links(form, n_topics=N_TOPICS, seed=0, exact=True):
    """Links with weights and auxiliary variables that stay."""
    rng = np.random.default_rng(seed)
    topics = rng.integers(1, 4, size=(N_DOCUMENTS, n_topics))
    doc_topics = DocTopics(topics, topics.sum(axis=1).astype(float))
    weights = make_weights(form, n_topics, seed)
    return held_links(make_network(seed), [], weights, doc_topics, Logistic(), form=form, exact=exact)


def make_labels(exact=True):
    rng = np.random.default_rng(3)
    labels = Labels(rng.choice([-1.0, 1.0, np.nan], size=(N_DOCUMENTS, 2)), Hinge(1.0), exact=exact)
    labels.begin(N_TOPICS, np.uint64(0))
    labels.weights = rng.normal(size=(2, N_TOPICS))
    return hold(labels)


def make_chain(responses, sampler=None, n_topics=N_TOPICS, n_shards=1, seed=0, started=True):
    alpha = np.full(n_topics, 0.7)
    return link_chain(
        make_documents(seed), responses, alpha=alpha, n_words=N_WORDS, sampler=sampler, beta=BETA, seed=seed,
        n_shards=n_shards, started=started,
    )  # fmt: skip


def watch_observations(chain):
    """Return a list per shard to which every sweep adds the observations that it works on."""
    return [watch_shard(shard) for shard in shards_of(chain)]


def watch_shard(shard):
    seen, make = [], shard._observations

    def watched(messages, linked):
        seen.append(make(messages, linked))
        return seen[-1]

    shard._observations = watched
    return seen


# ---------------------------------------------------------------- rows


def rows_of(links, doc_topic, lengths):
    """The directions of links, from the definition: U z̄ of every document, then Uᵀ z̄ where it is another."""
    mean = doc_topic / np.maximum(lengths, 1)[:, None]  # not by its sum, which is rounded where shares are
    maps = [mean @ links.weights.T] + [mean @ links.weights] * (links.form == "full")
    return np.pad(np.array(maps), ((0, 0), (0, 0), (0, WIDTH - N_TOPICS)))


@pytest.mark.parametrize("form", ["full", "diagonal"])
@pytest.mark.parametrize("n_shards", [1, 3])
@pytest.mark.parametrize("name", SAMPLERS)
def test_directions_follow_own_documents_and_those_of_other_shards_stay_as_the_sweep_began(name, n_shards, form):
    sampler = SAMPLERS[name]()
    exact = sampler.state_form == "tokens"
    links = make_links(form, exact=exact)
    chain = make_chain([links, make_labels(exact)], sampler, n_shards=n_shards)
    assert len(shards_of(chain)) == n_shards
    watched = watch_observations(chain)
    n_labels, n_maps = 2, 2 if form == "full" else 1
    for _ in range(3):
        before = chain.doc_topic().toarray()
        chain.sweep()
        after = chain.doc_topic().toarray()
        assert np.abs(after - before).max() > 0.01
        n_outside = 0
        for shard, seen, half in zip(shards_of(chain), watched, links.halves, strict=True):
            first, n_own, outside = shard.documents.first, shard.lengths.size, half._layout.outside
            moving, n_documents = seen[-1].moving, n_own + outside.size
            assert (moving.first_row, moving.n_documents) == (n_labels, n_documents)
            assert moving.n_rows == n_maps * n_documents
            directions = seen[-1].directions.reshape(-1, WIDTH)
            assert len(directions) == n_labels + n_maps * n_documents
            directions = directions[n_labels:].reshape(n_maps, n_documents, WIDTH)
            # A synchronous sampler freezes the topics of other documents, too.
            expected = rows_of(links, before if sampler.synchronous else after, chain.lengths)[:, first : first + n_own]
            np.testing.assert_allclose(directions[:, :n_own], expected, atol=1e-5)
            expected = rows_of(links, before, chain.lengths)[:, outside]
            np.testing.assert_allclose(directions[:, n_own:], expected, atol=1e-5)
            assert not ((outside >= first) & (outside < first + n_own)).any()
            n_outside += outside.size
        assert (n_outside > 5) == (n_shards > 1)


@pytest.mark.parametrize("form", FORMS)
def test_a_shard_sees_its_own_documents_as_they_are_and_others_as_they_were(form):
    links, labels = make_links(form), make_labels()
    chain = make_chain([labels, links], n_shards=3)
    halves, counts = list(links.halves), chain.doc_topic().toarray()
    parts = [shard._observations(chain._messages(), chain._linked()) for shard in shards_of(chain)]
    # The same for all documents in one shard.
    alone = make_chain([make_labels(), make_links(form)], n_shards=1, started=False)
    topics = DocTopics(counts, chain.lengths)
    (one,) = alone.plan.make_shards([response.cut([(0, N_DOCUMENTS)]) for response in alone.responses])
    one._topics = lambda linked: topics
    whole = one._observations(alone._messages(), None)
    n_labels, n_inside, n_outside = 2, 0, 0
    assert whole.moving.first_row == n_labels
    for shard, half, own in zip(shards_of(chain), halves, parts, strict=True):
        first, n_own = shard.documents.first, shard.lengths.size
        begin, end = whole.starts[first], whole.starts[first + n_own]
        np.testing.assert_array_equal(own.starts, whole.starts[first : first + n_own + 1] - begin)
        np.testing.assert_array_equal(own.pull, whole.pull[begin:end])
        np.testing.assert_array_equal(own.precision, whole.precision[begin:end])
        directions, others = (part.directions.reshape(-1, WIDTH) for part in (own, whole))
        np.testing.assert_array_equal(directions[own.rows], others[whole.rows[begin:end]])
        for row, moved in zip(whole.rows[begin:end], own.rows, strict=True):
            if row < n_labels:
                assert moved == row
                continue
            number, document = divmod(row - n_labels, N_DOCUMENTS)
            if first <= document < first + n_own:
                place = document - first
                n_inside += 1
            else:
                place = n_own + half._layout.outside.tolist().index(document)
                n_outside += 1
            assert moved == n_labels + number * own.moving.n_documents + place
    assert min(n_inside, n_outside) > 5


# ---------------------------------------------------------------- threads


def fitted(name, executor):
    """State after sweeps in which everything is drawn: weights, topics, auxiliary variables, pairs without a link."""
    sampler = SAMPLERS[name]()
    links = ChainPairs(make_network(0), Negatives(30, 1.0, 2), Logistic(), exact=sampler.state_form == "tokens")
    with executor:
        chain = make_chain([links], sampler, n_shards=3, started=False)
        chain.start(executor)
        infos = [chain.sweep() for _ in range(6)]
        return infos, {key: array.tobytes() for key, array in chain.state().items()}


@pytest.mark.parametrize("name", SAMPLERS)
def test_threads_and_their_timing_change_no_bit(name):
    alone = fitted(name, Threads(1))
    for executor in (Threads(2), Threads(3), ShuffledThreads(3, 1)):
        assert fitted(name, executor) == alone


# ---------------------------------------------------------------- one sweep from the definition


def words_and_topics(shard: Shard):
    """Words, numbered as the chain has them, and topics of a shard's documents, a list for each document."""
    documents = shard.documents
    words = np.repeat(shard.words[documents.words], documents.counts)
    edges = documents.offsets[1:-1]
    return np.split(words, edges), [row.astype(int) for row in np.split(shard.state.topics, edges)]


def link_exponents(links, mean, seen, document, n_topics, length, exact, own):
    """What links say of each topic for a word that leaves topic `own`, up to a constant.

    `mean` are the document's mean topics, with the word, and `seen` those of all others as the document sees them.
    Exact: the augmented likelihood with the word in each topic in turn. Cached: Chen et al. (2013), section 4, with the
    document as it was before its first word was drawn, less the share 1 / N of every projection.
    """
    total = np.zeros(n_topics)
    for (i, j, _, _), pull, precision in zip(list_pairs(links), *links.pseudo, strict=True):
        if document not in (i, j):
            continue
        direction = links.weights @ seen[j] if document == i else links.weights.T @ seen[i]
        if exact:
            values = direction @ mean + (direction - direction[own]) / length
            total += pull * values - precision * values**2 / 2
        else:
            value = direction @ mean * (length - 1) / length
            total += direction * (pull - precision * value) / length - precision * direction**2 / (2 * length**2)
    return total


def naive_sweep(chain, links, key, follows):
    """Return all topics after one sweep, and how near a random number came to another topic (of the total weight).

    `follows` says whether documents of the same shard see each other's topics as they are.
    """
    n_topics, alpha = chain.n_topics, chain.alpha[0]
    uniforms = numbers(key, N_DOCUMENTS, 10).astype(float)
    beginning = mean_topics(chain.doc_topic().toarray())
    turns = np.array(sorted(range(n_topics), key=lambda topic: (topic % LANES, topic // LANES)))
    state, nearest = [], 1.0
    for shard in shards_of(chain):
        counts = chain._ranked_word_topic()[:, :n_topics].astype(float)
        seen = beginning.copy()
        for local, (words, topics) in enumerate(zip(*words_and_topics(shard), strict=True)):
            document, length = shard.documents.first + local, max(topics.size, 1)
            in_document = np.bincount(topics, minlength=n_topics).astype(float)
            opened = in_document / length
            for position, (word, old) in enumerate(zip(words, topics.copy(), strict=True)):
                mean = in_document / length if links.exact else opened
                pulled = link_exponents(links, mean, seen, document, n_topics, length, links.exact, old)
                counts[word, old] -= 1
                in_document[old] -= 1
                weights = (in_document + alpha) * (counts[word] + BETA) / (counts.sum(axis=0) + N_WORDS * BETA)
                below = np.cumsum((weights * np.exp(pulled - pulled.max()))[turns])
                target = uniforms[document, position] * below[-1]
                new = turns[np.searchsorted(below, target, side="right")]
                nearest = min(nearest, np.abs(below[:-1] - target).min() / below[-1])
                counts[word, new] += 1
                in_document[new] += 1
                topics[position] = new
            if follows:
                seen[document] = in_document / length
            state.append(topics)
    return np.concatenate(state), nearest


@pytest.mark.parametrize("n_topics", [3, 19])
@pytest.mark.parametrize("n_shards", [1, 3])
@pytest.mark.parametrize("exact", [True, False], ids=["exact", "cached"])
@pytest.mark.parametrize("form", FORMS)
def test_topics_of_a_sweep_are_those_of_the_definition(form, exact, n_shards, n_topics):
    frozen_differ = 0
    for seed in range(4):
        links = make_links(form, n_topics, seed, exact)
        chain = make_chain([links], Plain(), n_topics, n_shards, seed)
        key = stream_key(seed, "sweep", 0)
        expected, nearest = naive_sweep(chain, links, key, follows=True)
        frozen, _ = naive_sweep(chain, links, key, follows=False)
        chain.sweep()
        found = np.concatenate([shard.state.topics for shard in shards_of(chain)])
        if nearest < 1e-5:  # rounding may pick a neighbour
            continue
        np.testing.assert_array_equal(found, expected)
        frozen_differ += (frozen != expected).any()
    assert frozen_differ >= 2
