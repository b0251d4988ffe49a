"""Responses cut into shards: the same sums, auxiliary variables and observations as in one shard, given the topics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from plait.engine.messages import ResponseRequest
from plait.responses import Hinge, Logistic, Loss
from plait.responses.base import DocTopics
from plait.responses.linear.pairs import FORMS, Negatives, Network
from plait.responses.losses import Pseudo
from plait.samplers import SAMPLERS, Plain
from tests.responses.definitions import Labels, Links, link_chain, list_pairs
from tests.samplers.small import shards_of

N_DOCUMENTS, N_TOPICS, N_WORDS, WIDTH = 18, 3, 7, 16
RNG = np.random.default_rng(5)
DOCUMENTS = [sorted(RNG.integers(N_WORDS, size=size).tolist()) for size in RNG.integers(1, 9, N_DOCUMENTS)]
DOCUMENTS[4] = []
TARGETS = RNG.choice([-1.0, 1.0, np.nan], size=(N_DOCUMENTS, 2))
COSTS = RNG.uniform(0.5, 3.0, size=TARGETS.shape)
CODES = RNG.permutation(N_DOCUMENTS**2)[:40]
SOURCES, ENDS = CODES // N_DOCUMENTS, CODES % N_DOCUMENTS
NETWORK = Network(
    N_DOCUMENTS, SOURCES[SOURCES != ENDS], ENDS[SOURCES != ENDS], RNG.uniform(1, 4, (SOURCES != ENDS).sum()), True
)


@dataclass(frozen=True)
class Steady(Loss):
    """Depends on targets, values and costs, and draws nothing."""

    name: ClassVar[str] = "steady"

    def begin(self, targets, costs):
        """Return pseudo-observations of values 0."""
        return self.observe(targets, np.zeros(targets.size), costs, None)

    def observe(self, targets, values, costs, random):
        """Return pseudo-observations that no random number changes."""
        return Pseudo(costs * (targets - np.tanh(values)), costs / (1 + values**2))


def make_labels(loss):
    return Labels(TARGETS, loss, costs=COSTS)


def make_links(loss, form="full", fresh_every=2):
    return Links(NETWORK, Negatives(25, 1.5, fresh_every), loss, form=form)


def make_chain(responses, sampler=None, n_shards=3):
    alpha = np.full(N_TOPICS, 0.6)
    chain = link_chain(DOCUMENTS, responses, alpha=alpha, n_words=N_WORDS, sampler=sampler, n_shards=n_shards)
    assert len(shards_of(chain)) == n_shards
    return chain


def topics_of(chain):
    return DocTopics(chain.doc_topic().toarray(), chain.lengths)


def in_one_shard(response, other):
    """Return another response with the state of a response that a chain uses, all documents in one shard."""
    other.load(response.arrays() | response.pseudo._asdict())
    other.cut([(0, N_DOCUMENTS)])
    return other


def said(observations, document):
    """Pull, precision and direction of a document's observations, one row for each, in a fixed order."""
    own = slice(observations.starts[document], observations.starts[document + 1])
    directions = observations.directions.reshape(-1, WIDTH)[observations.rows[own]]
    rows = np.column_stack([observations.pull[own], observations.precision[own], directions])
    return rows[np.lexsort(rows.T)]


def all_said(chain, number=0):
    """Return what the shards of a chain say of every document, from their own halves of one response."""
    found = []
    for shard in shards_of(chain):
        topics, message = shard._topics(chain._linked()), chain.responses[number].message()
        observations = shard.responses[number].observations(topics, message, WIDTH, shard.map)
        found += [said(observations, document) for document in range(shard.lengths.size)]
    return found


RESPONSES = {"labels": make_labels} | {form: lambda loss, form=form: make_links(loss, form) for form in FORMS}


@pytest.mark.parametrize("kind", RESPONSES)
@pytest.mark.parametrize("n_shards", [2, 3, 6])
def test_shards_compute_what_one_shard_computes_from_the_same_topics(kind, n_shards):
    response = RESPONSES[kind](Steady())
    chain = make_chain([response], n_shards=n_shards)
    for _ in range(5):
        chain.sweep()
        topics, alone = topics_of(chain), in_one_shard(response, RESPONSES[kind](Steady()))
        before = alone.pseudo
        np.testing.assert_array_equal(response.weights, alone.weights)
        for document, found in enumerate(all_said(chain)):
            np.testing.assert_array_equal(found, said(alone.observations(topics, WIDTH), document))
        ((_, sums),) = chain._weight_draws()._sums(ResponseRequest([0], chain._messages(), chain._linked()), [0])
        for found, expected in zip(sums, alone._sums(topics), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
        # The auxiliary variables of the chain's sweep are those of these topics and weights.
        alone.draw_auxiliaries(topics, np.uint64(0))
        for found, expected in zip(before, alone.pseudo, strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-13)
    assert np.ptp(before.precision) > 0.1


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("loss", [Logistic(), Hinge(1.0)], ids=["logistic", "hinge"])
@pytest.mark.parametrize("name", ["plain", pytest.param("limit", marks=pytest.mark.slow)])  # a sweep compiled only here
def test_both_ends_of_a_pair_have_the_same_pseudo_observation_wherever_they_lie(form, loss, name):
    links = make_links(loss, form)
    chain = make_chain([links], SAMPLERS[name]())
    shard_of = np.repeat(np.arange(3), [shard.lengths.size for shard in shards_of(chain)])
    for _ in range(5):  # with pairs without a link that change
        chain.sweep()
        mean = chain.doc_topic().toarray() / np.maximum(chain.lengths, 1)[:, np.newaxis]
        expected, n_crossing = [[] for _ in range(N_DOCUMENTS)], 0
        assert len(set(links.pseudo.precision)) == links.pseudo.precision.size  # so that it tells pairs apart
        for (i, j, _, _), *strength in zip(list_pairs(links), *links.pseudo, strict=True):
            expected[i].append([*strength, *(links.weights @ mean[j])])
            expected[j].append([*strength, *(links.weights.T @ mean[i])])
            n_crossing += shard_of[i] != shard_of[j]
        assert 10 < n_crossing < len(list_pairs(links))
        for found, wanted in zip(all_said(chain), expected, strict=True):
            assert sorted(found[:, :2].tolist()) == sorted(row[:2] for row in wanted)
            found = found[found[:, 1].argsort(), : 2 + N_TOPICS]
            wanted = np.array(wanted).reshape(-1, 2 + N_TOPICS)
            np.testing.assert_allclose(found, wanted[wanted[:, 1].argsort()], atol=1e-5)


@pytest.mark.parametrize("kind", RESPONSES)
@pytest.mark.parametrize("n_before", [3, 4])
def test_a_restored_chain_with_shards_goes_on_to_the_same_bits(kind, n_before):
    straight, other = (make_chain([RESPONSES[kind](Logistic())], Plain()) for _ in range(2))
    for _ in range(n_before):
        straight.sweep()
    kept = {name: array.copy() for name, array in straight.state().items()}
    other.restore(kept, type(other._executor)())
    for _ in range(4):
        assert straight.sweep() == other.sweep()
        states = [chain.state() for chain in (straight, other)]
        assert states[0].keys() == states[1].keys()
        for name in states[0]:
            assert states[0][name].tobytes() == states[1][name].tobytes(), name


def test_auxiliary_variables_of_shards_have_random_numbers_of_their_own():
    targets, n_documents = np.ones((N_DOCUMENTS, 1)), N_DOCUMENTS
    labels = Labels(targets, Logistic())
    labels.begin(N_TOPICS, np.uint64(0))
    halves, exported = labels.cut([(0, n_documents // 2), (n_documents // 2, n_documents)])
    assert exported is None
    topics = DocTopics(np.ones((n_documents // 2, N_TOPICS)), np.full(n_documents // 2, 3.0))
    for half in halves:
        half.draw_auxiliaries(topics, labels.message(), np.uint64(3), lambda task, items: list(map(task, items)))
    first, second = (half.arrays()["precision"] for half in halves)
    assert (first != second).all()


@pytest.mark.parametrize("form", FORMS)
def test_pairs_may_stop_and_start_to_cross_shards(form):
    """With few pairs without a link, which are drawn again in every sweep, some sweeps have no pair in two shards."""
    network = Network(N_DOCUMENTS, np.array([0, 16]), np.array([1, 17]), np.ones(2), True)
    links = Links(network, Negatives(2, 1.0, 1), Steady(), form=form)
    chain = make_chain([links], n_shards=2)
    seen = set()
    for _ in range(25):
        chain.sweep()
        exported = [shard.exported for shard in shards_of(chain)]
        first = shards_of(chain)[0].lengths.size
        crosses = any((i < first) != (j < first) for i, j, _, _ in list_pairs(links))
        assert all((documents is None) != crosses for documents in exported)
        alone = in_one_shard(links, Links(network, Negatives(2, 1.0, 1), Steady(), form=form))
        for document, found in enumerate(all_said(chain)):
            np.testing.assert_array_equal(found, said(alone.observations(topics_of(chain), WIDTH), document))
        assert (chain._linked() is None) != crosses
        seen.add(crosses)
    assert seen == {True, False}
