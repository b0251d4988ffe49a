"""Documents with planted links, quick models of them, and what they must answer, worked out one pair at a time."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sparse

from plait import Corpus, RelationalTopicModel
from plait.engine.fold_in import FoldIn
from plait.executors import Threads
from tests.models.small import WORDS, of_classes

QUICK = {
    "n_topics": 4,
    "n_chains": 2,
    "n_sweeps": 20,
    "n_samples": 2,
    "sample_every": 2,
    "fold_in_sweeps": 6,
    "random_state": 0,
    "verbose": False,
}
# How often a document of one group (rows) links to one of another: finance cites nature, and itself now and then;
# nature cites nobody, so that a link from it to finance is none.
FINANCE, NATURE, SPORT = 0, 1, 2
RATES = np.array([[0.15, 0.4, 0.01], [0.01, 0.01, 0.01], [0.01, 0.01, 0.4]])


def links_between(sources, targets, seed=0, rates=RATES):
    """Links by chance from documents of some groups to documents of others (0 or 1)."""
    chances = np.asarray(rates)[np.asarray(sources)[:, np.newaxis], np.asarray(targets)]
    return sparse.csr_array((np.random.default_rng(seed + 200).random(chances.shape) < chances).astype(float))


def of_links(n_documents=60, seed=0, rates=RATES, **options):
    """Documents of one group each (in turns), with links between them, none of a document to itself."""
    counts, groups = of_classes(n_documents, 3, seed, **options)
    links = links_between(groups, groups, seed, rates).toarray()
    np.fill_diagonal(links, 0)
    return counts, sparse.csr_array(links)


def groups_of(n_documents):
    return np.arange(n_documents) % 3


def fitted(X, links=None, **changes):
    return RelationalTopicModel(**(QUICK | {"pair_features": None} | changes)).fit(X, links=links)


def as_corpus(counts, links=None, names="doc {}"):
    ids = [names.format(row) for row in range(counts.shape[0])]
    return Corpus.from_matrix(sparse.csr_array(counts), vocabulary=WORDS, ids=ids, links=links)


def all_samples(model):
    """The samples of all chains; scores are averaged over them."""
    return [sample for samples in model._chain_samples for sample in samples]


def shares_of(sample):
    """Topics' shares among the words of the training documents under a sample; the prior's where there is no word."""
    counted = sample.doc_topic.toarray().astype(float)
    counted[counted.sum(axis=1) == 0] = sample.alpha
    return counted / counted.sum(axis=1, keepdims=True)


def new_shares_of(model, sample, counts):
    """The same of new documents, which are folded in."""
    counts = sparse.csr_array(counts)
    lengths = counts.sum(axis=1).reshape(-1, 1)
    real = model.sampler == "limit"
    (shares,) = FoldIn([sample], real, model.seed_).proportions(counts, model.fold_in_sweeps, Threads(1))
    return (shares * (lengths + sample.alpha.sum()) - sample.alpha) / lengths


def naive_values(model, sample, counts=None, direction="to"):
    """Values of links between given (or the training) documents and all training documents under one sample."""
    known = shares_of(sample)
    new = known if counts is None else new_shares_of(model, sample, counts)
    weights = sample.weights[0]
    turned = {"to": weights, "from": weights.T, "either": (weights + weights.T) / 2}[direction]
    return new @ turned @ known.T


def naive_scores(model, counts=None, direction="to", samples=None):
    """Probabilities of these links, or their values under the hinge loss, averaged over all samples."""
    values = np.array([naive_values(model, one, counts, direction) for one in samples or all_samples(model)])
    return np.mean(values if model.loss == "hinge" else 1 / (1 + np.exp(-values)), axis=0)


def same_bits(one, other, X):
    """Assert that two models have learned and answer the same, to the bit."""
    for name in ("topic_word_", "doc_topic_", "weights_"):
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes(), name
    assert one.score_links(X, "to").tobytes() == other.score_links(X, "to").tobytes()
