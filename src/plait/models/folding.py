"""Folding new documents into the samples of a fitted model: the only place where models call the engine's fold-ins."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import scipy.sparse as sparse

from plait.engine.fold_in import FoldIn
from plait.engine.pair_fold_in import NewDocuments, PairFoldIn
from plait.engine.sample import Sample
from plait.errors import PlaitError
from plait.executors import Executor, open_executor
from plait.metrics import Perplexity, completion_likelihoods, completion_perplexity, fold_in_perplexity
from plait.mixing import Mixing
from plait.models.answers.known_documents import lengths
from plait.models.inputs import Documents
from plait.responses import Loss

_MOST_NUMBERS = 4_000_000  # in tables of words and of documents, over the samples that are folded in at once
_MEASURES = {"completion": completion_perplexity, "fold_in": fold_in_perplexity}

# Fold-in tables of fitted models, made when they are first needed. They are not part of a model's state: scikit-learn
# wants `transform` to change nothing, and a saved model does not need them.
_TABLES: WeakKeyDictionary[Any, tuple[list[list[Sample]], dict[int, FoldIn]]] = WeakKeyDictionary()


class FoldInSettings(NamedTuple):
    """How new documents are folded in."""

    seed: int
    n_sweeps: int
    real: bool  # whether counts may be real numbers
    mixing: Mixing
    executor: Any = None
    n_jobs: int | None = None


class FittedChains:
    """The samples of a fitted model's chains, and fold-in of new documents under them.

    Parameters
    ----------
    samples : list of list of Sample
        The samples of every chain.
    groups : list of int
        The group of every chain; chains of a group learn the same topics.
    settings : FoldInSettings
        How documents are folded in.
    tables : dict of int to FoldIn, optional
        Cache of fold-in tables by chain.
    """

    def __init__(
        self,
        samples: list[list[Sample]],
        groups: list[int],
        settings: FoldInSettings,
        tables: dict[int, FoldIn] | None = None,
    ) -> None:
        self.samples = samples
        self.groups = groups
        self.settings = settings
        self._tables = {} if tables is None else tables

    @property
    def first_chains(self) -> list[int]:
        """The first chain of every group; the model shows the topics of these."""
        return [self.groups.index(group) for group in sorted(set(self.groups))]

    def each_sample(self) -> Iterator[tuple[int, Sample]]:
        """Yield the group of its chain and the sample, for every sample."""
        for group, samples in zip(self.groups, self.samples, strict=True):
            for sample in samples:
                yield group, sample

    def mean_weights(self, place: int, chain: int = 0) -> np.ndarray:
        """Return the weights of a response, averaged over the samples of a chain.

        Parameters
        ----------
        place : int
            Index of the response among those of the model.
        chain : int, default 0
            Index of the chain.

        Returns
        -------
        ndarray
            Mean weights.
        """
        return np.mean([sample.weights[place] for sample in self.samples[chain]], axis=0)

    def doc_topic(self, documents: Documents) -> np.ndarray:
        """Return the topic proportions of documents, averaged over samples; topics of several groups side by side.

        Parameters
        ----------
        documents : Documents
            New documents.

        Returns
        -------
        ndarray of shape (documents, topics)
            Rows sum to 1.
        """
        fold_ins = [self._fold_in(chain, documents.links) for chain in self.first_chains]
        with self.open_executor() as executor:
            means = [
                np.mean(fold_in.proportions(documents.counts, self.settings.n_sweeps, executor), axis=0)
                for fold_in in fold_ins
            ]
        return np.concatenate(means, axis=1) / len(fold_ins)

    def mean_topics(self, documents: Documents) -> Iterator[tuple[int, Sample, np.ndarray]]:
        """Yield, for every sample, the group of its chain, the sample, and z̄ of every document.

        A document without known words has the topic proportions of the prior. Tables are made for the words of the
        documents and, unless these are few, for one sample at a time, because a model may have many samples.

        Parameters
        ----------
        documents : Documents
            New documents.

        Yields
        ------
        tuple of (int, Sample, ndarray of shape (documents, topics))
            Group, sample, mean topic assignments.
        """
        vocabulary = np.unique(documents.counts.indices)
        numbered = list(self.each_sample())
        rows = max(1, documents.counts.shape[0], vocabulary.size)
        n_at_once = max(1, _MOST_NUMBERS // (rows * max(1, numbered[0][1].alpha.size)))
        with self.open_executor() as executor:
            for begin in range(0, len(numbered), n_at_once):
                block = numbered[begin : begin + n_at_once]
                fold_in = self._new_fold_in([sample for _, sample in block], documents.links, vocabulary)
                means = fold_in.mean_topics(documents.counts, self.settings.n_sweeps, executor)
                for (group, sample), mean_topics in zip(block, means, strict=True):
                    yield group, sample, mean_topics

    def perplexity(self, documents: Documents, method: str) -> Perplexity:
        """Return the perplexity of the words of documents under the first chain.

        Parameters
        ----------
        documents : Documents
            New documents.
        method : {"completion", "fold_in"}
            What the words are predicted from.

        Returns
        -------
        Perplexity
            Perplexity and log-likelihood.
        """
        check_method(method)
        fold_in = self._fold_in(0, documents.links)
        with self.open_executor() as executor:
            return _MEASURES[method](fold_in, documents.counts, self.settings.n_sweeps, executor)

    def completion_likelihoods(self, observed: sparse.csr_array, predicted: sparse.csr_array) -> np.ndarray:
        """Return the log-likelihood of some tokens of each document under the first chain, given its other tokens.

        Parameters
        ----------
        observed : csr_array of shape (documents, words)
            Counts of the tokens that the topics of the documents are inferred from.
        predicted : csr_array of shape (documents, words)
            Counts of the predicted tokens.

        Returns
        -------
        ndarray of shape (documents,)
            Sum over the predicted tokens of each document.
        """
        fold_in = self._fold_in(0, None)
        with self.open_executor() as executor:
            return completion_likelihoods(fold_in, observed, predicted, self.settings.n_sweeps, executor)

    def influence(self, documents: Documents) -> sparse.csr_array:
        """Return the share of each document's tokens that is drawn from each document that it is linked with.

        Parameters
        ----------
        documents : Documents
            New documents with links.

        Returns
        -------
        csr_array
            χ, of the shape of the links.
        """
        assert documents.links is not None
        samples = [sample for _, sample in self.each_sample()]
        fold_in = self._source_fold_in(samples, documents.links)
        with self.open_executor() as executor:
            return fold_in.influence(documents.counts, self.settings.n_sweeps, executor)

    def word_probabilities(self, documents: NewDocuments, n_words: int, loss: Loss, place: int) -> np.ndarray:
        """Return the word probabilities of new documents, given pairs with training documents.

        Parameters
        ----------
        documents : NewDocuments
            Known words and pairs of the documents.
        n_words : int
            Size of the vocabulary.
        loss : Loss
            Loss of the link response.
        place : int
            Index of the link response among those of the model.

        Returns
        -------
        ndarray of shape (documents, words)
            Averaged over samples; rows sum to 1.
        """
        total = np.zeros((documents.keys.size, n_words))
        n_samples = 0
        with self.open_executor() as executor:
            for _, sample in self.each_sample():
                fold_in = PairFoldIn(sample, lengths(sample), loss, place)
                proportions = fold_in.proportions(documents, self.settings.n_sweeps, executor)
                total += np.einsum("dk,kw->dw", proportions, fold_in.topic_word)
                n_samples += 1
        return total / n_samples

    def open_executor(self) -> AbstractContextManager[Executor]:
        """Return the executor that new documents are folded in with."""
        return open_executor(self.settings.executor, self.settings.n_jobs)

    def _fold_in(self, chain: int, links: sparse.csr_array | None) -> FoldIn:
        """Return the fold-in tables of a chain's samples; those for documents without links are cached."""
        if links is not None:
            return self._source_fold_in(self.samples[chain], links)
        if chain not in self._tables:
            self._tables[chain] = self._new_fold_in(self.samples[chain], None)
        return self._tables[chain]

    def _new_fold_in(
        self, samples: list[Sample], links: sparse.csr_array | None, vocabulary: np.ndarray | None = None
    ) -> FoldIn:
        if links is not None:
            return self._source_fold_in(samples, links, vocabulary)
        return FoldIn(samples, self.settings.real, self.settings.seed, vocabulary)

    def _source_fold_in(
        self, samples: list[Sample], links: sparse.csr_array, vocabulary: np.ndarray | None = None
    ) -> FoldIn:
        settings = self.settings
        return FoldIn(samples, settings.real, settings.seed, vocabulary, settings.mixing, links)


def cached_tables(model: Any, samples: list[list[Sample]]) -> dict[int, FoldIn]:
    """Return the cache of fold-in tables of a fitted model, empty after it was fitted again.

    Parameters
    ----------
    model : TopicEstimator
        The fitted model.
    samples : list of list of Sample
        Its samples.

    Returns
    -------
    dict of int to FoldIn
        Tables by chain.
    """
    known, tables = _TABLES.get(model, (None, {}))
    if known is not samples:
        tables = {}
        _TABLES[model] = (samples, tables)
    return tables


def check_method(method: str) -> None:
    """Raise an error for an unknown way to compute perplexity."""
    if method not in _MEASURES:
        raise PlaitError(f"method must be {' or '.join(map(repr, _MEASURES))}, not {method!r}")
