"""Influence, labels and links at once: documents drawn from and topics of a chain, against every assignment listed.

Labels and links say something of the topics of a document's own words, whichever documents these were drawn from.
"""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sparse

from plait.engine.chain import Chain
from plait.mixing import LinkedDocuments
from plait.priors import as_prior
from plait.responses import Hinge, Logistic
from plait.responses.base import DocTopics
from plait.responses.linear.pairs import Network
from plait.samplers import Aggregated, AggregatedSparse, Plain
from tests import naive
from tests.responses.definitions import Labels, chance_of, held_links, hold, log_labels, log_links
from tests.samplers.small import Inline, matrix, shards_of

pytestmark = pytest.mark.slow

DOCUMENTS = [[0, 1], [1, 2], [0]]
N_WORDS = 3
ALPHA = np.array([0.6, 1.1])
BETA = 0.5
# Influence flows along other links than those that are to be predicted. Document 1 is drawn from by both others.
INFLUENCE = sparse.csr_array(np.array([[0, 2, 0], [1, 0, 0], [0, 1, 0]], dtype=float))
MIXING = LinkedDocuments(ALPHA, p=1.5)
TOPICS = DocTopics(np.array([[1, 1], [0, 2], [1, 0]]), np.array([2.0, 2.0, 1.0]))
NETWORK = Network(3, np.array([2, 0]), np.array([0, 1]), np.array([1.5, 1.0]), True)


def make_labels():
    labels = Labels(np.array([[1.0], [-1.0], [np.nan]]), Hinge(1.0), costs=1.5)
    labels.begin(2, np.uint64(0))
    labels.weights = np.array([[1.6, -1.1]])
    labels.draw_auxiliaries(TOPICS, np.uint64(6))
    return hold(labels)


def make_links():
    return held_links(NETWORK, [(1, 2)], np.array([[0.9, -1.8], [1.2, 0.6]]), TOPICS, Logistic(), form="full")


def gamma_of(candidates):
    return [
        dict(zip(candidates.documents[own].tolist(), candidates.gamma[own].tolist(), strict=True))
        for own in map(slice, candidates.starts[:-1], candidates.starts[1:])
    ]


def posterior(gamma, log_response):
    """Return the probability of every assignment of (document drawn from, topic) to all words in a row."""
    choices = [list(product(gamma[d], range(2))) for d, words in enumerate(DOCUMENTS) for _ in words]
    logs = {}
    for flat in product(*choices):
        pieces = iter(flat)
        pairs = [[next(pieces) for _ in words] for words in DOCUMENTS]
        sources, topics = ([[pair[part] for pair in row] for row in pairs] for part in (0, 1))
        own, _ = naive.count(DOCUMENTS, topics, 2, N_WORDS)
        joint = naive.linked_log_joint(DOCUMENTS, topics, sources, gamma, ALPHA, np.full((2, N_WORDS), BETA))
        logs[flat] = joint + log_response(own)
    most = max(logs.values())
    mass = sum(np.exp(value - most) for value in logs.values())
    return {flat: float(np.exp(value - most) / mass) for flat, value in logs.items()}


def assignment(chain, gamma):
    """Return (document drawn from, topic) of all words, as the chain holds them: words by falling frequency."""
    (shard,) = shards_of(chain)
    places, topics = (shard.arrays()[name].tolist() for name in ("sources", "topics"))
    held, start = [], 0
    rank = np.argsort(chain._word_order)
    for d, words in enumerate(DOCUMENTS):
        for position in np.argsort(np.argsort(rank[words], kind="stable"), kind="stable"):
            token = start + int(position)
            held.append((list(gamma[d])[places[token]], topics[token]))
        start += len(words)
    return tuple(held)


RESPONSES = {
    "influence alone": lambda: [],
    "labels": lambda: [make_labels()],
    "links": lambda: [make_links()],
    "labels and links": lambda: [make_labels(), make_links()],
}
SAMPLERS = {"plain": Plain(), "aggregated": Aggregated(), "aggregated_sparse": AggregatedSparse(1.0)}  # no word repeats


CASES = [*((case, "plain") for case in RESPONSES), ("labels and links", "aggregated"), ("labels", "aggregated_sparse")]


@pytest.mark.parametrize(("case", "sampler"), CASES)
def test_documents_and_topics_are_drawn_from_the_joint(case, sampler):
    responses = RESPONSES[case]()
    chain = Chain(
        matrix(DOCUMENTS, N_WORDS), 2, mixing=MIXING, prior=as_prior(BETA), sampler=SAMPLERS[sampler], seed=4,
        n_shards=1, responses=responses, links=INFLUENCE,
    )  # fmt: skip
    gamma = gamma_of(chain.candidates)
    logs = {Labels: log_labels}
    exact = posterior(gamma, lambda own: sum(logs.get(type(one), log_links)(one, own) for one in responses))
    chain.start(Inline())
    seen = Counter()
    for _ in range(5000):
        for _ in range(3):
            chain.sweep()
        seen[assignment(chain, gamma)] += 1
    assert chance_of(exact, seen) > 0.001


def test_the_cases_can_tell_apart():
    """That what was compared above depends on the responses and on the weights of the links that carry influence."""
    gamma = gamma_of(MIXING.candidates(INFLUENCE, np.array([2.0, 2.0, 1.0])))
    labels, links = make_labels(), make_links()
    alone = posterior(gamma, lambda own: 0.0)
    for other in (
        posterior(gamma, lambda own: log_labels(labels, own)),
        posterior(gamma, lambda own: log_links(links, own)),
        posterior(gamma_of(MIXING.candidates(INFLUENCE > 0, np.array([2.0, 2.0, 1.0]))), lambda own: 0.0),
    ):
        assert 0.5 * sum(abs(alone[state] - other[state]) for state in alone) > 0.02
