"""Learning the prior of a corpus: topics of its documents, and what knowledge makes of their words.

Chains find topics with a learned symmetric prior, a regression predicts the words of the most coherent ones from word
vectors (`regression.py`), and chains with these pseudo-counts find better topics for a second regression. Topics of few
documents differ much between chains, and their coherence in these documents tells which ones hold for other documents.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from plait.corpus import Corpus
from plait.knowledge.regression import fit_word_regression
from plait.knowledge.vectors import WordFeatures
from plait.metrics import coherence
from plait.models import LDA
from plait.priors import TablePrior
from plait.samplers.random import stream_key

FLOOR = 1e-4  # smallest pseudo-count of a learned table
_START = 0.05  # β before it is learned
_BETWEEN = 2.0  # strength between the regressions; maximum likelihood gives too little where words come in bursts
# Of the chains in between; long enough for the words of topics, and averages are not needed.
_SHORT_CHAIN = {"n_sweeps": 80, "n_samples": 3, "sample_every": 5}
_MOST_CHAINS = 16  # of which the most coherent is taken
_MOST_TOKENS = 1_000_000  # of all these chains: more documents have fewer chains, which also differ less
_TOP_WORDS = 10  # of a topic, for its coherence


class Learned(NamedTuple):
    """A prior that was learned from documents.

    Attributes
    ----------
    words : ndarray of str
        Words of the columns.
    counts : ndarray of shape (n_topics, n_words)
        Pseudo-counts for strength 1.
    base : float
        Pseudo-count that is added to all words.
    plain : LDA
        The model with a learned symmetric prior.
    """

    words: np.ndarray
    counts: np.ndarray
    base: float
    plain: LDA


Learn = Callable[[Corpus], Learned]


def fit_model(model: LDA, corpus: Corpus, beta: Any, **changes: Any) -> LDA:
    """Return a short chain of the model with another prior.

    Parameters
    ----------
    model : LDA
        Unfitted model; it is cloned.
    corpus : Corpus
        The documents.
    beta : float or prior
        The prior.
    **changes : object
        Other parameters.

    Returns
    -------
    LDA
        The fitted model.
    """
    shorter = {name: min(getattr(model, name), most) for name, most in _SHORT_CHAIN.items()}
    fitted: LDA = clone(model).set_params(**{"beta": beta, "learn_beta": False, **shorter, **changes}).fit(corpus)
    if fitted.interrupted_:
        raise KeyboardInterrupt("the fits that learn the prior were interrupted")
    return fitted


def fit_plain(model: LDA, corpus: Corpus) -> LDA:
    """Return a short chain of the model with a learned symmetric prior.

    Parameters
    ----------
    model : LDA
        Unfitted model; it is cloned.
    corpus : Corpus
        The documents.

    Returns
    -------
    LDA
        The fitted model.
    """
    return fit_model(model, corpus, _START, learn_beta=True)


def fit_most_coherent(model: LDA, corpus: Corpus, beta: Any, **changes: Any) -> LDA:
    """Return the short chain, of several with different seeds, whose topics are most coherent in the documents.

    Parameters
    ----------
    model : LDA
        Unfitted model; it is cloned. Its `random_state` is an int.
    corpus : Corpus
        The documents.
    beta : float or prior
        The prior.
    **changes : object
        Other parameters.

    Returns
    -------
    LDA
        The fitted model; of equally coherent ones, the first.
    """
    n_chains = max(1, min(_MOST_CHAINS, _MOST_TOKENS // max(int(corpus.counts.sum()), 1)))
    if n_chains == 1 or corpus.n_words <= _TOP_WORDS:
        return fit_model(model, corpus, beta, **changes)
    seeds = [model.random_state, *(_chain_seed(model.random_state, number) for number in range(1, n_chains))]
    chains = (fit_model(model, corpus, beta, **changes, random_state=seed) for seed in seeds)
    return max(chains, key=lambda chain: _mean_coherence(chain, corpus))  # no other chain stays in memory


def _chain_seed(seed: int, number: int) -> int:
    """Return the seed of a further chain."""
    return int(stream_key(seed, "coherent chains", number)) % 2**31


def _mean_coherence(model: LDA, corpus: Corpus) -> float:
    """Return the mean NPMI of the topics' most probable words in the documents."""
    order = np.argsort(-model.topic_word_, axis=1, kind="stable")[:, :_TOP_WORDS]
    return float(coherence(corpus.vocabulary[order].tolist(), corpus).mean())


def learn_from_vectors(model: LDA, corpus: Corpus, features: WordFeatures) -> Learned:
    """Return the prior of documents by regressions of their topics on word vectors.

    Parameters
    ----------
    model : LDA
        Unfitted model; it is cloned.
    corpus : Corpus
        The documents.
    features : WordFeatures
        Features of the words of the corpus.

    Returns
    -------
    Learned
        Pseudo-counts of each topic and word.
    """
    plain = fit_most_coherent(model, corpus, _START, learn_beta=True)
    beta = float(plain.beta_)
    first = fit_word_regression(last_counts(plain), features, beta)
    between = fit_most_coherent(model, corpus, TablePrior(_BETWEEN * first + FLOOR))
    found = last_counts(between)
    counts = limit_unseen(fit_word_regression(found, features, beta), found)
    return Learned(corpus.vocabulary, counts, FLOOR, plain)


def limit_unseen(beta: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return pseudo-counts in which words that no document has are limited to the mean over the tokens of the topic.

    The regression predicts the words of a topic well on average. Single words that are much more frequent in the
    articles than in the documents get large pseudo-counts, and nothing in the documents corrects them.

    Parameters
    ----------
    beta : ndarray of shape (n_topics, n_words)
        Pseudo-counts.
    counts : ndarray of shape (n_topics, n_words)
        Topic–word counts of the documents.

    Returns
    -------
    ndarray of shape (n_topics, n_words)
        Pseudo-counts; those of topics without tokens are not limited.
    """
    tokens = counts.sum(axis=1)
    total = (counts * beta).sum(axis=1)
    limit = np.divide(total, tokens, out=np.full(len(beta), np.inf), where=tokens > 0)
    unseen = counts.sum(axis=0) == 0
    return np.where(unseen, np.minimum(beta, limit[:, None]), beta)


def last_counts(model: LDA) -> np.ndarray:
    """Return the topic–word counts, topics × words, of the last sample.

    Parameters
    ----------
    model : LDA
        Fitted model.

    Returns
    -------
    ndarray of shape (n_topics, n_words)
        Counts.
    """
    return np.ascontiguousarray(model._chain_samples[0][-1].word_topic.toarray().T)
