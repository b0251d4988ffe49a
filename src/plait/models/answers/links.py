"""Predictions of links: scores of pairs, suggestions, words of documents that are only linked, links between topics."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sparse
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from plait._utils.validation import check_whole
from plait.engine.pair_fold_in import LinkedFoldIn, NewDocument
from plait.engine.sample import Sample
from plait.errors import PlaitError
from plait.executors import Threads
from plait.inputs.links import GivenLinks, read_new_links
from plait.inputs.words import new_words
from plait.models.answers.availability import explains
from plait.models.answers.known_documents import document_names, find_rows, lengths, list_topics, mean_topics
from plait.models.answers.new_documents import NewPairs, make_document, words_of
from plait.models.answers.suggestions import FirstChain, Suggestion, best_columns, make_suggestions
from plait.models.answers.topic_links import TopicLink, list_topic_links, weights_table
from plait.models.responding import RespondingEstimator
from plait.responses.linear.bilinear import Pairs, all_values, pair_values

if TYPE_CHECKING:
    import polars as pl

_WORDS_A_TOPIC = 3
_DIRECTIONS = ("either", "to", "from")
_MOST_SCORES = 8_000_000  # that suggestions hold at once: 64 MB


class LinkPredictions(RespondingEstimator):
    """A model whose topics explain links scores and suggests them; `RelationalTopicModel` documents the attributes."""

    @available_if(explains("links"))
    def score_links(self, new: Any, direction: str = "either") -> np.ndarray:
        """Return how likely a link is between every new document and every training document.

        Parameters
        ----------
        new
            Documents: a Corpus or counts.
        direction
            "to": links from the new documents to the known ones; "from": the other way; "either": as if U were the
            mean of U and Uᵀ. It makes no difference where links have no direction.

        Returns
        -------
        array (new documents, training documents)
            Averaged over samples. With the logistic loss a probability: that of a link among as many pairs without
            one as the model was trained with, links weighed by their cost. With the hinge loss the value, and above 0
            speaks for a link.
        """
        counts = self._new_counts(new, "score_links")
        scores, _ = self._scores(self._folded(counts), counts.shape[0], direction)
        return scores

    @available_if(explains("links"))
    def suggest_links(self, new: Any, top: int = 10, direction: str = "either") -> list[list[Suggestion]]:
        """Return the training documents that each new document should be linked with, best first.

        Parameters
        ----------
        new
            Documents: a Corpus or counts.
        top
            How many to suggest for each.
        direction
            As in `score_links`.
        """
        check_whole("top", top, least=1)
        counts = self._new_counts(new, "suggest_links")
        suggestions = []
        for rows in self._blocks(counts.shape[0]):
            own = counts[rows]
            scores, first = self._scores(self._folded(own), own.shape[0], direction)
            suggestions += self._best(scores, top, first)
        return suggestions

    @available_if(explains("links"))
    def suggest_missing_links(
        self, documents: Iterable[Any] | None = None, top: int = 10, direction: str = "either"
    ) -> list[list[Suggestion]]:
        """Return for training documents the others that they should be linked with and are not, best first.

        Parameters
        ----------
        documents
            Their ids, or numbers of rows; None for all.
        top, direction
            As in `suggest_links`.
        """
        check_is_fitted(self)
        check_whole("top", top, least=1)
        n_documents = self.links_.shape[0]
        rows = np.arange(n_documents) if documents is None else find_rows(documents, self.doc_ids_, n_documents)
        linked = sparse.csr_array(self.links_ + self.links_.T)
        suggestions = []
        for block in self._blocks(rows.size):
            own = rows[block]
            scores, first = self._scores(self._known(own), own.size, direction)
            scores[linked[own].nonzero()] = -np.inf
            scores[np.arange(own.size), own] = -np.inf
            suggestions += self._best(scores, top, first)
        return suggestions

    @available_if(explains("links"))
    def score_pairs(self, pairs: Iterable[tuple[Any, Any]]) -> np.ndarray:
        """Return how likely a link is for pairs of training documents, as `score_links` does.

        Parameters
        ----------
        pairs
            (source, target), each an id or a number of a row.
        """
        check_is_fitted(self)
        ends = list(pairs) if isinstance(pairs, Iterable) else [pairs]
        if any(np.shape(np.asarray(pair, dtype=object)) != (2,) for pair in ends):
            raise PlaitError("pairs must be (source, target) tuples of ids or row numbers")
        if not ends:
            return np.zeros(0)
        sources = find_rows([source for source, _ in ends], self.doc_ids_, self.links_.shape[0])
        targets = find_rows([target for _, target in ends], self.doc_ids_, self.links_.shape[0])
        order = np.argsort(sources, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(sources, minlength=self.links_.shape[0]))])
        sorted_pairs = Pairs(starts.astype(np.int64), targets[order].astype(np.int32))
        total = np.zeros(sources.size)
        place = self._place("links")
        loss = self._specification("links").make_loss()
        n_samples = 0
        for samples in self._chain_samples:
            for sample in samples:
                total[order] += loss.score(pair_values(sorted_pairs, list_topics(sample), sample.weights[place]))
                n_samples += 1
        return total / n_samples

    @available_if(explains("links"))
    def predict_words(self, new: Any, links: Any) -> np.ndarray:
        """Return the probability of every word in new documents, from what they are linked with.

        Parameters
        ----------
        new
            What is known of their words: a Corpus or counts; None for nothing. They tell of topics, too.
        links
            A matrix new documents × training documents, above 0 where they are linked, whichever way.

        Returns
        -------
        array (new documents, words)
            Averaged over samples; rows add up to 1.
        """
        check_is_fitted(self)
        counts = None if new is None else new_words(self, new, False, "predict_words").counts
        linked = read_new_links(links, None if counts is None else counts.shape[0], self.links_.shape[0])
        documents = list(self._new_documents(counts, linked))
        place, loss = self._place("links"), self._specification("links").make_loss()
        total = np.zeros((linked.shape[0], self.n_features_in_))
        n_samples = 0
        with Threads(self.n_jobs) as executor:
            for samples in self._chain_samples:
                for sample in samples:
                    fold_in = LinkedFoldIn(sample, lengths(sample), loss, place)
                    shares = executor.map(partial(fold_in.proportions, n_sweeps=self.fold_in_sweeps), documents)
                    total += np.einsum("dk,kw->dw", np.reshape(shares, (-1, self.n_topics)), fold_in.topic_word)
                    n_samples += 1
        return total / n_samples

    @available_if(explains("links"))
    def topic_links(self, top: int = 10) -> list[TopicLink]:
        """Return the pairs of topics whose documents are linked most readily, with their words."""
        check_is_fitted(self)
        check_whole("top", top, least=1)
        return list_topic_links(self._mean_link_weights(), self.topics(_WORDS_A_TOPIC), self.directed_, top)

    @available_if(explains("links"))
    def weights_table(self) -> pl.DataFrame:
        """Return U as a table with the topics' words: a row a topic that links, a column a topic that is linked to."""
        check_is_fitted(self)
        return weights_table(self._mean_link_weights(), self.topics(_WORDS_A_TOPIC))

    def _new_counts(self, new: Any, method: str) -> sparse.csr_array:
        check_is_fitted(self)
        counts = new_words(self, new, self._real, method).counts
        empty = int((np.diff(counts.indptr) == 0).sum())
        if empty:
            warnings.warn(
                f"{empty:,} of {counts.shape[0]:,} documents have no word that the model knows; their links are "
                "guessed from the prior alone",
                stacklevel=3,
            )
        return counts

    def _known(self, rows: np.ndarray) -> Iterator[tuple[int, Sample, np.ndarray]]:
        """Yield for every sample what `_folded` does, of training documents."""
        for group, samples in zip(self._chain_groups, self._chain_samples, strict=True):
            for sample in samples:
                yield group, sample, mean_topics(sample)[rows].toarray()

    def _scores(
        self, documents: Iterator[tuple[int, Sample, np.ndarray]], n_documents: int, direction: str
    ) -> tuple[np.ndarray, FirstChain]:
        """Return the scores of links between given and training documents, and what the first chain says of them."""
        if direction not in _DIRECTIONS:
            raise PlaitError(f"direction must be one of {', '.join(map(repr, _DIRECTIONS))}, not {direction!r}")
        total = np.zeros((n_documents, self.links_.shape[0]))
        first: list[tuple[np.ndarray, sparse.csr_array, np.ndarray]] = []
        loss = self._specification("links").make_loss()
        place = self._place("links")
        n_samples = 0
        for _, sample, own_topics in documents:
            weights = sample.weights[place]
            if direction != "to":
                weights = weights.T if direction == "from" else 0.5 * (weights + weights.T)
            listed = list_topics(sample)
            total += loss.score(all_values(own_topics, listed, weights))
            if n_samples < len(self._chain_samples[0]):
                shape = (self.links_.shape[0], self.n_topics)
                known = sparse.csr_array((listed.shares, listed.topics, listed.starts), shape=shape)
                first.append((own_topics, known, weights))
            n_samples += 1
        new, known_ones, all_weights = zip(*first, strict=True)
        return total / n_samples, FirstChain(np.array(new), known_ones, np.array(all_weights))

    def _blocks(self, n_documents: int) -> Iterator[slice]:
        """Yield runs of documents whose scores with all training documents can be held at once."""
        height = max(1, _MOST_SCORES // self.links_.shape[0])
        return (slice(begin, begin + height) for begin in range(0, n_documents, height))

    def _best(self, scores: np.ndarray, top: int, first: FirstChain) -> list[list[Suggestion]]:
        """Return the training documents with the highest scores."""
        names = document_names(self.doc_ids_, self.links_.shape[0])
        return make_suggestions(scores, best_columns(scores, top), names, first)

    def _new_documents(self, counts: sparse.csr_array | None, linked: sparse.csr_array) -> Iterator[NewDocument]:
        """Yield what is known of new documents, with as many pairs without a link as training documents have."""
        links = self._specification("links")
        n_unlinked = round(2 * self.n_negatives_ / linked.shape[1])
        usual_length = max(1, round(float(np.median(lengths(self._chain_samples[0][0])))))
        nothing_known = np.array([self.n_features_in_], np.int32), np.array([usual_length], np.int32)
        for row in range(linked.shape[0]):
            words = nothing_known if counts is None else words_of(counts, row) or nothing_known
            partners = linked.indices[linked.indptr[row] : linked.indptr[row + 1]].astype(np.int64)
            pairs = NewPairs(partners, linked.shape[1], n_unlinked, links.cost, links.c_negative)
            yield make_document(words, pairs, self.seed_)

    def _take_over(self, fit: Any, *chain_and_plans: Any, finished: bool) -> None:
        super()._take_over(fit, *chain_and_plans, finished=finished)
        if self._explains("links"):
            given: GivenLinks = fit.given["links"]
            self.links_ = given.adjacency
            self.directed_ = given.directed
            self.n_links_ = given.n_links
            self.n_negatives_ = self._specification("links").n_negatives(given)
            self.n_self_links_ = given.n_self_links
            self.n_unlinked_ = given.n_unlinked

    def _mean_link_weights(self) -> np.ndarray:
        """Return U, averaged over the first chain's samples."""
        here = self._place("links")
        return np.mean([sample.weights[here] for sample in self._chain_samples[0]], axis=0)
