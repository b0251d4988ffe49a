"""Responses straight from their definition, and how far a chain may be from it by chance."""

from __future__ import annotations

import itertools

import numpy as np
from scipy.stats import chisquare

from plait.engine.chain import Chain
from plait.mixing import OwnDocument
from plait.priors import as_prior
from plait.responses import Hinge, Logistic
from plait.responses.base import serial_map
from plait.responses.joining import add_sums
from plait.responses.linear.pairs import ChainPairs, Negatives
from plait.responses.linear.targets import ChainTargets
from plait.responses.losses import Pseudo
from plait.samplers import Plain
from tests import naive
from tests.samplers.small import Inline, matrix


class Whole:
    """Adds to a chain's half of a response what tests ask of both halves together.

    The halves of the shards, one for all documents unless a chain cuts others, are kept and can be called directly.
    A response that is held keeps its weights, targets and auxiliary variables through a chain.
    """

    held = False

    def begin(self, n_topics, key):
        """Begin both halves."""
        if not self.held:
            super().begin(n_topics, key)
            self.cut([(0, self.n_documents)])

    def cut(self, runs):
        """Cut the halves of shards, and keep them."""
        self.halves, exported = super().cut(runs)
        self.runs = list(runs)
        if self.held:
            for half in self.halves:
                half.draw_auxiliaries = lambda *_: None
        return self.halves, exported

    def release(self):
        """Keep the auxiliary variables where the response is held."""
        if not self.held:
            super().release()

    def due(self):
        """Return whether the weights are drawn in this sweep: never where they are held."""
        return not self.held and super().due()

    def renew(self, key):
        """Draw new targets if it is time."""
        return not self.held and super().renew(key)

    def receive(self, messages):
        """Take over what the shards drew."""
        if not self.held:
            super().receive(messages)

    @property
    def pseudo(self):
        """The pseudo-observations of all shards, in their order."""
        parts = [half.arrays() for half in self.halves]
        return Pseudo(*(np.concatenate([part[name] for part in parts]) for name in Pseudo._fields))

    @pseudo.setter
    def pseudo(self, pseudo):
        self.load(self.arrays() | pseudo._asdict())
        self.cut(self.runs)

    def _sums(self, topics):
        return add_sums([half.statistics(topics, self.message(), serial_map) for half in self.halves])

    def draw_from(self, topics, key):
        """Draw the weights given the topics of all documents."""
        self.draw_weights(self._sums(topics), key, serial_map)

    def expect_from(self, topics):
        """Return the expected weights given the topics of all documents."""
        return self.mean_weights(self._sums(topics), serial_map)

    def draw_auxiliaries(self, topics, key):
        """Draw the auxiliary variables given the topics of all documents."""
        (half,) = self.halves
        half.draw_auxiliaries(topics, self.message(), key, serial_map)
        self.pseudo = self.pseudo  # from the shard's half to the chain's

    def observations(self, topics, width):
        """Return the pseudo-observations of all documents."""
        (half,) = self.halves
        return half.observations(topics, self.message(), width, serial_map)


class Labels(Whole, ChainTargets):
    """Both halves of a response of labels or values."""

    @property
    def n_documents(self):
        """Number of documents."""
        return self.documents.starts.size - 1

    documents = property(lambda self: self._rows.labelled())
    targets = property(lambda self: self._rows.known(self.documents).block(slice(None))[0].copy())
    costs = property(lambda self: self._rows.known(self.documents).block(slice(None))[1].copy())


class Links(Whole, ChainPairs):
    """Both halves of a response of links."""

    @property
    def n_documents(self):
        """Number of documents."""
        return self.network.n_documents

    signs = property(lambda self: self.pairs.signs)
    costs = property(lambda self: self.pairs.costs)


def log_augmented(loss, target, cost, value, precision):
    """Log of the loss's joint with its auxiliary variable, as the papers write it, as far as the value matters."""
    if isinstance(loss, Hinge):  # Zhu et al. (2013), section 3.1: exp(−(λ + cζ)² / (2λ)), and the precision is c² / λ
        lam = cost**2 / precision
        return -((lam + cost * (loss.ell - target * value)) ** 2) / (2 * lam)
    if isinstance(loss, Logistic):  # Chen et al. (2013): exp(κ m − λ m² / 2) with κ = c (y − ½), y of 0 or 1
        return cost * ((target + 1) / 2 - 0.5) * value - precision * value**2 / 2
    return -cost * (target - value) ** 2 / (2 * loss.sigma**2)


def mean_topics(doc_topic):
    """Return z̄ of every document; 0 of one without words."""
    return doc_topic / np.maximum(doc_topic.sum(axis=1, keepdims=True), 1)


def list_pairs(links: Links):
    """Return source, target, sign and cost of every pair of documents that a response holds, in its own order."""
    sources = np.repeat(np.arange(links.network.n_documents), np.diff(links.pairs.starts))
    return list(zip(sources.tolist(), links.pairs.targets.tolist(), links.signs, links.costs, strict=True))


def log_links(links: Links, doc_topic):
    """Return what links say of the topics given weights and auxiliary variables: Chen et al. (2013), section 3.2."""
    mean = mean_topics(doc_topic)
    return sum(
        log_augmented(links.loss, sign, cost, mean[i] @ links.weights @ mean[j], precision)
        for (i, j, sign, cost), precision in zip(list_pairs(links), links.pseudo.precision, strict=True)
    )


def log_labels(labels, doc_topic):
    """Return what labels say of the topics given weights and auxiliary variables."""
    mean = mean_topics(doc_topic)
    starts, numbers, _ = labels.documents
    total = 0.0
    for d, row in enumerate(mean):
        for r in range(starts[d], starts[d + 1]):
            value = labels.weights[numbers[r]] @ row
            total += log_augmented(labels.loss, labels.targets[r], labels.costs[r], value, labels.pseudo.precision[r])
    return total


def posterior(documents, alpha, beta, log_response):
    """Return every assignment's probability, `log_response` being what responses say of documents' topics."""
    log_weights = {}
    for topics in naive.all_assignments(documents, alpha.size):
        doc_topic, _ = naive.count(documents, topics, *beta.shape)
        total = naive.log_joint(documents, topics, alpha, beta) + log_response(doc_topic)
        log_weights[tuple(itertools.chain(*topics))] = total
    logs = np.array(list(log_weights.values()))
    weights = np.exp(logs - logs.max())
    return dict(zip(log_weights, weights / weights.sum(), strict=True))


def chance_of(exact, seen):
    """Return the p-value of how often assignments were seen; rare ones are put together."""
    n_kept = sum(seen.values())
    expected = np.array(list(exact.values())) * n_kept
    observed = np.array([seen.get(state, 0) for state in exact])
    assert observed.sum() == n_kept
    often = expected >= 10
    observed = np.append(observed[often], observed[~often].sum())
    return chisquare(observed, np.append(expected[often], expected[~often].sum())).pvalue


def batch_errors(chain, n_batches):
    """Return the means of a chain's statistics and their standard errors, from means of batches."""
    batches = chain.reshape(n_batches, -1, chain.shape[1]).mean(axis=1)
    return batches.mean(axis=0), np.sqrt(batches.var(axis=0, ddof=1) / n_batches)


def link_chain(documents, responses, *, alpha, n_words, sampler=None, beta=0.5, seed=0, n_shards=1, started=True):
    """Return a chain over a tiny corpus; where words matter, number them by falling frequency, as chains keep them."""
    chain = Chain(
        matrix(documents, n_words), alpha.size, mixing=OwnDocument(alpha), prior=as_prior(beta),
        sampler=sampler or Plain(), seed=seed, n_shards=n_shards, responses=responses,
    )  # fmt: skip
    if started:
        chain.start(Inline())
    return chain


def held_links(network, unlinked, weights, topics, loss, **options):
    """Return links with chosen pairs without a link, weights and auxiliary variables that no chain changes."""
    sources, targets = np.array(unlinked, dtype=np.int64).reshape(-1, 2).T
    links = Links(network, Negatives(sources.size), loss, **options)
    nothing = np.empty(network.sources.size + sources.size)  # until auxiliary variables are drawn
    state = {"n_sweeps": np.array(0), "pull": nothing, "precision": nothing}
    links.load(state | {"sources": sources, "targets": targets, "weights": weights})
    links.cut([(0, network.n_documents)])
    links.draw_auxiliaries(topics, np.uint64(5))
    return hold(links)


def hold(response):
    """Let a response keep its weights and auxiliary variables through a chain."""
    response.held = True
    return response
