"""Responses straight from their definition, and how far a chain may be from it by chance."""

from __future__ import annotations

import itertools

import numpy as np
from scipy.stats import chisquare

from plait.engine.chain import Chain
from plait.executors import Threads
from plait.mixing import OwnDocument
from plait.priors import as_prior
from plait.responses import Hinge, Links, Logistic, Negatives
from plait.samplers import Plain
from tests import naive
from tests.samplers.small import matrix


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
        chain.start(Threads())
    return chain


def held_links(network, unlinked, weights, topics, loss, **options):
    """Return links with chosen pairs without a link, weights and auxiliary variables that no chain changes."""
    sources, targets = np.array(unlinked, dtype=np.int64).reshape(-1, 2).T
    links = Links(network, Negatives(sources.size), loss, **options)
    nothing = {"n_sweeps": np.array(0), "pull": np.empty(0), "precision": np.empty(0)}
    links.restore(nothing | {"sources": sources, "targets": targets, "weights": weights})
    links.draw_auxiliaries(topics, np.uint64(5), Threads())
    return hold(links)


def hold(response):
    """Let a response keep its weights and auxiliary variables through a chain."""
    response.begin = response.draw_weights = response.draw_auxiliaries = lambda *_: None
    return response
