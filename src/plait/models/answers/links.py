"""Predicted links: scores of pairs, suggested links, words predicted from links, and links between topics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.sparse as sparse

from plait._utils.validation import check_whole
from plait.corpus.known_documents import KnownDocuments
from plait.engine.pair_fold_in import EITHER, KnownLinks
from plait.engine.sample import Sample
from plait.errors import PlaitError
from plait.inputs.links import GivenLinks
from plait.models.answers.candidates import find_candidates, orient_weights
from plait.models.answers.known_documents import find_rows, known_topics, list_topics, mean_topics
from plait.models.answers.new_documents import make_documents
from plait.models.answers.pairs import NO_FIELDS, NewFields, PairScorer, probabilities
from plait.models.answers.suggestions import BestLinks, FirstChain, Suggestion, best_columns, make_suggestions
from plait.models.answers.topic_links import TopicLink, list_topic_links, weights_table
from plait.models.answers.topics import TopicDescriptions
from plait.models.folding import FittedChains
from plait.models.inputs import Documents
from plait.pair_features import KnownNetwork, PairBlock
from plait.responses import LinkResponse
from plait.responses.linear.bilinear import all_values, pair_values
from plait.responses.linear.link_sums import Pairs
from plait.responses.linear.selected_pairs import SelectedPairs

if TYPE_CHECKING:
    import polars as pl

# Attributes of a fitted model that explains links.
LINK_ATTRIBUTES = (
    "links_", "directed_", "n_links_", "n_negatives_", "n_self_links_", "n_unlinked_", "link_weights_",
    "pair_weights_", "known_pair_weights_", "_pair_counts", "_pair_matrices",
)  # fmt: skip
_WORDS_PER_TOPIC = 3
_DIRECTIONS = ("either", "to", "from")
_MOST_SCORES = 4_000_000  # that suggestions hold at once, with their values: 64 MB
_MOST_SCORED = 10_000  # training documents that all have scores; of more, only candidates have
_CANDIDATES = 250  # per document, or five for each suggestion
_SEARCHED = 2_048  # documents whose candidates are found at once


class _BlockScores(NamedTuple):
    """What topics say of a block of pairs, and what explains it."""

    values: np.ndarray  # mean of z̄ᵀ U z̄ over samples
    scores: np.ndarray  # mean of the score of the loss over samples
    first: FirstChain


@dataclass(frozen=True)
class LinkPredictions:
    """Scores and suggests links of training documents and of new documents."""

    chains: FittedChains  # of the fitted model
    response: LinkResponse  # loss and costs
    place: int  # of the response among those of the model
    links: sparse.csr_array  # documents × documents: the training links
    directed: bool
    documents: KnownDocuments  # the training documents; in a stream, the last ones are those of the last slice
    pairs: PairScorer | None = None  # of a model with pair features

    @property
    def n_documents(self) -> int:
        """Number of training documents whose links are known."""
        return int(self.links.shape[0])

    @property
    def ids(self) -> np.ndarray | None:
        """Ids of the training documents."""
        return self.documents.ids

    @property
    def linked_documents(self) -> KnownDocuments:
        """The training documents whose links are known: in a stream, those of the last slice."""
        first = len(self.documents) - self.n_documents
        return self.documents if first == 0 else self.documents.select(slice(first, None))

    def score(self, documents: Documents, direction: str, fields: NewFields = NO_FIELDS) -> np.ndarray:
        """Return the scores of links between new and training documents.

        Parameters
        ----------
        documents : Documents
            New documents.
        direction : {"either", "to", "from"}
            Direction of the links.
        fields : NewFields, optional
            What pair features read of the new documents beside their words.

        Returns
        -------
        ndarray of shape (new documents, training documents)
            Averaged over samples.
        """
        if self.pairs is None:
            return self._new_scores(documents, direction).scores
        blocks = []
        for rows in self._blocks(documents.counts.shape[0]):
            own = Documents(documents.counts[rows])
            block = self.pairs.network.new(own.counts, *fields.rows(rows))
            blocks.append(probabilities(self.pairs.values(self._new_scores(own, direction).values, block).odds))
        return np.concatenate(blocks) if blocks else np.zeros((0, self.n_documents))

    def topic_values(self, documents: Documents) -> np.ndarray:
        """Return the values of links between new and training documents in either direction."""
        return self._new_scores(documents, "either").values

    def known_topic_values(self, rows: np.ndarray, direction: str = "either") -> np.ndarray:
        """Return the values of links between some training documents and all."""
        return self._scores(self._training_topics(rows), rows.size, direction).values

    def suggest(
        self, documents: Documents, top: int, direction: str, fields: NewFields = NO_FIELDS
    ) -> list[list[Suggestion]]:
        """Return the training documents that each new document should be linked with, best first."""
        check_whole("top", top, least=1)
        suggestions: list[list[Suggestion]] = []
        if self._searches:
            for begin in range(0, documents.counts.shape[0], _SEARCHED):
                some = Documents(documents.counts[begin : begin + _SEARCHED])
                suggestions += self._search(self.chains.mean_topics(some), direction, top)
            return suggestions
        for rows in self._blocks(documents.counts.shape[0]):
            own = Documents(documents.counts[rows])
            found = self._new_scores(own, direction)
            block = None if self.pairs is None else self.pairs.network.new(own.counts, *fields.rows(rows))
            suggestions += self._best(found, block, top)
        return suggestions

    def suggest_missing(self, documents: Iterable[Any] | None, top: int, direction: str) -> list[list[Suggestion]]:
        """Return, for training documents (None: all), the unlinked documents with the highest scores, best first."""
        check_whole("top", top, least=1)
        rows = np.arange(self.n_documents) if documents is None else find_rows(documents, self.ids, self.n_documents)
        linked = KnownNetwork(self.links, self.links)
        suggestions: list[list[Suggestion]] = []
        if self._searches:
            for begin in range(0, rows.size, _SEARCHED):
                own = rows[begin : begin + _SEARCHED]
                suggestions += self._search(self._training_topics(own), direction, top, linked.linked_or_same(own))
            return suggestions
        for block in self._blocks(rows.size):
            own = rows[block]
            found = self._scores(self._training_topics(own), own.size, direction)
            left_out = linked.linked_or_same(own)
            pairs = None if self.pairs is None else self.pairs.network.known(own)
            suggestions += self._best(found, pairs, top, left_out)
        return suggestions

    def score_pairs(self, pairs: Iterable[tuple[Any, Any]]) -> np.ndarray:
        """Return the scores of links for pairs of training documents, (source, target) by ids or row numbers."""
        ends = list(pairs) if isinstance(pairs, Iterable) else [pairs]
        if any(np.shape(np.asarray(pair, dtype=object)) != (2,) for pair in ends):
            raise PlaitError("pairs must be (source, target) tuples of ids or row numbers")
        if not ends:
            return np.zeros(0)
        sources = find_rows([source for source, _ in ends], self.ids, self.n_documents)
        targets = find_rows([target for _, target in ends], self.ids, self.n_documents)
        if self.pairs is not None:
            way = "to" if self.directed else "either"
            values = self.pairs.pair_values(lambda rows: self.known_topic_values(rows, way), sources, targets)
            return probabilities(values)
        order = np.argsort(sources, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(sources, minlength=self.n_documents))])
        sorted_pairs = Pairs(starts.astype(np.int64), targets[order].astype(np.int32))
        total = np.zeros(sources.size)
        loss = self.response.make_loss()
        n_samples = 0
        for _, sample in self.chains.each_sample():
            total[order] += loss.score(pair_values(sorted_pairs, list_topics(sample), sample.weights[self.place]))
            n_samples += 1
        return total / n_samples

    def predict_words(
        self, counts: sparse.csr_array | None, linked: dict[int, sparse.csr_array], n_words: int, n_negatives: int
    ) -> np.ndarray:
        """Return the word probabilities of new documents, predicted from their links.

        Parameters
        ----------
        counts : csr_array of shape (new documents, words) or None
            Known words of the documents; None if no words are known.
        linked : dict of int to csr_array of shape (new documents, training documents)
            Links of the documents by direction: EITHER, or TO and FROM, one or both.
        n_words : int
            Size of the vocabulary.
        n_negatives : int
            Number of pairs without a link in training.

        Returns
        -------
        ndarray of shape (new documents, words)
            Averaged over samples; rows sum to 1.
        """
        if not self.directed:
            linked = {EITHER: sparse.csr_array(sum(linked.values()))}
        # As many pairs without a link as training documents have: each such pair is one of its source and its target.
        per_side = n_negatives / self.n_documents
        links = [
            KnownLinks(side, matrix, round(per_side * (2 if side == EITHER else 1))) for side, matrix in linked.items()
        ]
        costs = self.response.cost, self.response.c_negative
        first_sample = self.chains.samples[0][0]
        documents = make_documents(counts, links, n_words, costs, first_sample, self.chains.settings.seed)
        return self.chains.word_probabilities(documents, n_words, self.response.make_loss(), self.place)

    def topic_links(self, top: int, topics: TopicDescriptions) -> list[TopicLink]:
        """Return the pairs of topics with the highest link weights, with the words of the topics."""
        check_whole("top", top, least=1)
        weights = self.chains.mean_weights(self.place)
        return list_topic_links(weights, topics.describe(_WORDS_PER_TOPIC), self.directed, top)

    def weights_table(self, topics: TopicDescriptions) -> pl.DataFrame:
        """Return the link weights between topics as a table, with the words of the topics."""
        return weights_table(self.chains.mean_weights(self.place), topics.describe(_WORDS_PER_TOPIC))

    def _training_topics(self, rows: np.ndarray) -> Iterator[tuple[int, Sample, np.ndarray]]:
        """Yield what `FittedChains.mean_topics` does, for training documents."""
        for group, sample in self.chains.each_sample():
            yield group, sample, mean_topics(sample, rows).toarray()

    def _new_scores(self, documents: Documents, direction: str) -> _BlockScores:
        """Return what topics say of links between new and training documents."""
        return self._scores(self.chains.mean_topics(documents), documents.counts.shape[0], direction)

    def _scores(
        self, documents: Iterator[tuple[int, Sample, np.ndarray]], n_documents: int, direction: str
    ) -> _BlockScores:
        """Return scores and values of links between documents and training documents, and what explains them."""
        _check_direction(direction)
        total, total_value = np.zeros((2, n_documents, self.n_documents))
        first: list[tuple[np.ndarray, Sample, np.ndarray]] = []
        loss = self.response.make_loss()
        n_samples = 0
        for _, sample, own_topics in documents:
            weights = orient_weights(sample.weights[self.place], direction)
            listed = list_topics(sample)
            values = all_values(own_topics, listed, weights)
            total += loss.score(values)
            total_value += values
            if n_samples < len(self.chains.samples[0]):
                first.append((own_topics, sample, weights))
            n_samples += 1
        return _BlockScores(total_value / n_samples, total / n_samples, _join_first(first))

    @property
    def _searches(self) -> bool:
        """Whether only candidates have scores. With pair features, all training documents have."""
        return self.pairs is None and self.n_documents > _MOST_SCORED

    def _search(
        self,
        documents: Iterator[tuple[int, Sample, np.ndarray]],
        direction: str,
        top: int,
        left_out: sparse.csr_array | None = None,
    ) -> list[list[Suggestion]]:
        """Return the candidates with the highest scores."""
        _check_direction(direction)
        chains = self.chains.samples
        found = iter([own_topics for _, _, own_topics in documents])
        topics = [[next(found) for _ in samples] for samples in chains]
        number = min(max(_CANDIDATES, 5 * top), self.n_documents)
        with self.chains.open_executor() as executor:
            columns = find_candidates(chains, self.place, topics, direction, number, left_out, executor.map)
        pairs = SelectedPairs(columns)
        scores, values = np.zeros((2, pairs.size))
        first: list[tuple[np.ndarray, Sample, np.ndarray]] = []
        loss = self.response.make_loss()
        with self.chains.open_executor() as executor:
            for chain, samples in enumerate(chains):
                for sample, own_topics in zip(samples, topics[chain], strict=True):
                    weights = orient_weights(sample.weights[self.place], direction)
                    value = pairs.values(own_topics, known_topics(sample), weights, executor.map)
                    scores += loss.score(value)
                    values += value
                    if chain == 0:
                        first.append((own_topics, sample, weights))
        n_samples = sum(len(samples) for samples in chains)
        best = []
        found_scores, found_values = pairs.by_document(scores / n_samples), pairs.by_document(values / n_samples)
        for own, score, value in zip(columns, found_scores, found_values, strict=True):
            (order,) = best_columns(score[np.newaxis], top, value[np.newaxis])
            best.append(BestLinks(own[order], score[order], value[order]))
        with self.chains.open_executor() as executor:
            return make_suggestions(best, self.linked_documents, _join_first(first), executor.map)

    def _blocks(self, n_documents: int) -> Iterator[slice]:
        """Yield blocks of documents whose scores with all training documents fit into memory."""
        height = max(1, _MOST_SCORES // self.n_documents)
        return (slice(begin, begin + height) for begin in range(0, n_documents, height))

    def _best(
        self, found: _BlockScores, block: PairBlock | None, top: int, left_out: sparse.csr_array | None = None
    ) -> list[list[Suggestion]]:
        """Return the training documents with the highest scores."""
        topics, scores, first = found
        values, together = topics, None
        if self.pairs is not None and block is not None:
            together = self.pairs.values(topics, block, left_out)
            values, scores = together.odds, probabilities(together.odds)
        if left_out is not None:
            scores[left_out.nonzero()] = -np.inf
        chosen = best_columns(scores, top, values)
        parts = None
        if self.pairs is not None and block is not None and together is not None:
            parts = [self.pairs.parts(topics, block, together, row, columns) for row, columns in enumerate(chosen)]
        best = [BestLinks(own, scores[row, own], values[row, own]) for row, own in enumerate(chosen)]
        with self.chains.open_executor() as executor:
            return make_suggestions(best, self.linked_documents, first, executor.map, parts)


def _check_direction(direction: str) -> None:
    if direction not in _DIRECTIONS:
        raise PlaitError(f"direction must be one of {', '.join(map(repr, _DIRECTIONS))}, not {direction!r}")


def _join_first(first: Sequence[tuple[np.ndarray, Sample, np.ndarray]]) -> FirstChain:
    new, known, weights = zip(*first, strict=True)
    return FirstChain(np.array(new), known, np.array(weights))


def link_attributes(given: GivenLinks, response: LinkResponse, chains: FittedChains, place: int) -> dict[str, Any]:
    """Return the fitted attributes of a model that explains links; the response is at `place` of the model's."""
    return {
        "links_": given.adjacency,
        "directed_": given.directed,
        "n_links_": given.n_links,
        "n_negatives_": response.n_negatives(given),
        "n_self_links_": given.n_self_links,
        "n_unlinked_": given.n_unlinked,
        "link_weights_": chains.mean_weights(place),
    }
