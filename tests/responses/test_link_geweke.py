"""Links as a response: a chain over words, topics, weights, auxiliary variables and links against the model itself.

Geweke (2004), *Getting it right*, where the loss is a likelihood: logistic, with c = 1. All pairs of documents are
observed, as links or without one.
"""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sparse

from plait.engine.chain import Chain
from plait.mixing import OwnDocument
from plait.priors import as_prior
from plait.responses import Logistic
from plait.responses.linear.pairs import Negatives, Network
from plait.samplers import Plain
from tests.responses.definitions import Links, batch_errors
from tests.samplers.small import Inline, shards_of

pytestmark = pytest.mark.slow

ALPHA = np.array([0.6, 1.1])
N_WORDS = 3
BETA = 0.5
ALL_OTHERS = 1000  # pairs without a link: more than there are

WORDS = [[0, 0, 1], [0, 1], [0, 1, 2]]  # of the beginning; numbered by falling frequency, as a chain keeps them
LENGTHS = np.array([3, 2, 3])
DOCUMENT_OF = np.repeat(np.arange(3), LENGTHS)
NU = 2.0
PAIRS = {
    "full": ~np.eye(3, dtype=bool),
    "diagonal": ~np.eye(3, dtype=bool),
    "symmetric": np.triu(np.ones((3, 3)), 1) > 0,
    "full, rank 1": ~np.eye(3, dtype=bool),
    "symmetric, rank 1": np.triu(np.ones((3, 3)), 1) > 0,
}


def draw_words(rng, topics):
    """Draw words given the topics of all occurrences: each topic's words from their prior, then each word."""
    below = np.cumsum(rng.dirichlet(np.full(N_WORDS, BETA), size=2), axis=1)
    return (rng.random(topics.size)[:, np.newaxis] > below[topics, :-1]).sum(axis=1)


def draw_weights(rng, form):
    if "rank" in form:
        left, right = np.sqrt(NU) * rng.normal(size=(2, 2, 1))
        product = left @ right.T
        product = 0.5 * (product + product.T) if "symmetric" in form else product
        return product + np.diag(NU * rng.normal(size=2)) + NU * rng.normal()
    weights = NU * rng.normal(size=(2, 2))
    if form == "symmetric":
        weights[0, 1] = weights[1, 0]
    return weights * np.eye(2) if form == "diagonal" else weights


def count_topics(topics):
    return np.bincount(2 * DOCUMENT_OF + topics, minlength=6).reshape(3, 2)


def values_of(topics, weights):
    mean = count_topics(topics) / LENGTHS[:, np.newaxis]
    return mean @ weights @ mean.T


def draw_links(rng, values, form):
    return PAIRS[form] & (rng.random((3, 3)) < 1 / (1 + np.exp(-values)))


def mean_auxiliary(values):
    """Mean of the auxiliary variables, Pólya-Gamma(1, m): Polson, Scott and Windle (2013)."""
    apart = np.where(values == 0, 1.0, values)
    return np.where(values == 0, 0.25, np.tanh(apart / 2) / (2 * apart))


def forward(rng, form):
    """Draw words, topics, weights and links from the model; of auxiliary variables return the mean."""
    shares = np.array([rng.dirichlet(ALPHA) for _ in LENGTHS])
    topics = (rng.random(DOCUMENT_OF.size) > shares[DOCUMENT_OF, 0]).astype(int)
    weights = draw_weights(rng, form)
    values = values_of(topics, weights)
    return draw_words(rng, topics), topics, weights, mean_auxiliary(values), draw_links(rng, values, form)


def statistics(words, topics, weights, auxiliaries, linked, form):
    counts, values, there = count_topics(topics), values_of(topics, weights), PAIRS[form]
    signs = np.where(linked, 1.0, -1.0) * there
    found = [
        counts[0, 0],
        (counts**2).sum(),
        (np.bincount(3 * topics + words, minlength=6) ** 2).sum(),
        weights[0, 0],
        weights[0, 0] ** 2,
        weights[0, 0] * weights[1, 1],
        values[0, 1] ** 2,
        (signs * values).sum(),
        signs[0, 2],
        signs[0, 1] * signs[1, 2],
        (auxiliaries * there).sum(),
        (auxiliaries * values**2 * there).sum(),
        signs[0, 1] * weights[0, 0] * counts[0, 0],
        signs.sum() * weights[1, 1] * counts[1, 1],
    ]
    if form.startswith("full"):  # which way a link goes
        apart = counts[0, 0] * counts[1, 1] - counts[0, 1] * counts[1, 0]
        found += [weights[0, 1] * weights[1, 0], (signs[0, 1] - signs[1, 0]) * apart * (weights[0, 1] - weights[1, 0])]
    return found


def begin_chain(form):
    """Return a chain and its links; each occurrence is an entry of its own, so that its word can change in place."""
    starts = np.concatenate([[0], np.cumsum(LENGTHS)])
    words = np.concatenate(WORDS)
    counts = sparse.csr_array((np.ones(words.size, np.int32), words, starts), shape=(3, N_WORDS))
    nothing = np.empty(0, np.int64)
    network = Network(3, nothing, nothing, np.empty(0), directed="symmetric" not in form)
    kind, _, rank = form.partition(", rank ")
    links = Links(network, Negatives(ALL_OTHERS), Logistic(), form=kind, rank=int(rank) if rank else None, nu=NU)
    chain = Chain(
        counts, 2, mixing=OwnDocument(ALPHA), prior=as_prior(BETA), sampler=Plain(), seed=7, n_shards=1,
        responses=[links],
    )  # fmt: skip
    chain.start(Inline())
    return chain, links


def observe_links(chain, links, linked, auxiliaries):
    """Give a response other links; weights and auxiliary variables, which set the precision, stay."""
    weights, parts = links.weights, links._parts
    sources, targets = np.nonzero(linked)
    links.network = links.network._replace(sources=sources, targets=targets, costs=np.ones(sources.size))
    links.begin(2, np.uint64(0))
    links.weights, links._parts = weights, parts
    links.pseudo = links.pseudo._replace(precision=auxiliaries[pair_sources(links), links.pairs.targets])
    chain._executor.each("set_response", (0, links.halves, [None]))


def pair_sources(links):
    return np.repeat(np.arange(3), np.diff(links.pairs.starts))


def chain_step(rng, chain, links, form):
    """Return the state after one sweep: weights, topics, auxiliary variables; then draw links and words anew."""
    (shard,) = shards_of(chain)
    words, linked = shard.documents.words.copy(), np.zeros((3, 3), dtype=bool)
    linked[links.network.sources, links.network.targets] = True
    chain.sweep()
    topics = shard.state.topics.astype(int)
    auxiliaries = np.zeros((3, 3))
    auxiliaries[pair_sources(links), links.pairs.targets] = links.pseudo.precision
    state = words, topics, links.weights, auxiliaries, linked
    observe_links(chain, links, draw_links(rng, values_of(topics, links.weights), form), auxiliaries)
    shard.documents.words[:] = draw_words(rng, topics)
    chain._recount()
    return state


@pytest.mark.parametrize("form", PAIRS)
def test_chain_over_words_topics_weights_and_links_has_the_models_own_moments(form):
    rng = np.random.default_rng(8)
    drawn = np.array([statistics(*forward(rng, form), form) for _ in range(6000)])
    chain, links = begin_chain(form)
    seen = np.array([statistics(*chain_step(rng, chain, links, form), form) for _ in range(4000)])
    means, errors = batch_errors(seen, 50)
    z_scores = (means - drawn.mean(axis=0)) / np.sqrt(drawn.var(axis=0) / len(drawn) + errors**2)
    assert np.abs(z_scores).max() < 4, z_scores
