"""Relational topic model: topics that also predict links; own-document mixing, a prior on words, links as response.

Chen, Zhu, Xia and Zhang (2013), *Generalized relational topic models with data augmentation*, after Chang and Blei
(2009), *Relational topic models for document networks*.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import scipy.sparse as sparse
from sklearn.utils.validation import check_is_fitted

from plait.chain import Sample
from plait.errors import PlaitError
from plait.executors import Threads
from plait.linked_fold_in import LinkedFoldIn, NewDocument
from plait.models.explained import LinkResponse
from plait.models.inputs import new_words
from plait.models.known_documents import document_names, find_rows, lengths, list_topics, mean_topics
from plait.models.link_inputs import GivenLinks, read_new_links
from plait.models.responding import RespondingEstimator
from plait.models.suggestions import FirstChain, Suggestion, best_columns, make_suggestions
from plait.models.topic_links import TopicLink, list_topic_links, weights_table
from plait.responses.bilinear import Pairs, all_values, pair_values
from plait.samplers import Sampler
from plait.samplers.random import generator, stream_key
from plait.validation import check_whole

if TYPE_CHECKING:
    import polars as pl

_WORDS_A_TOPIC = 3
_DIRECTIONS = ("either", "to", "from")
_MOST_SCORES = 8_000_000  # that suggestions hold at once: 64 MB


class RelationalTopicModel(RespondingEstimator):
    """Topics that explain the words of documents and the links between them: citations, hyperlinks, imports.

    A link from document i to document j has the value z̄_iᵀ U z̄_j, where z̄ are the shares of topics among a document's
    words and U says how much each topic links to each other one. Pairs without a link are drawn by chance, and U tells
    the linked from them.

    Parameters
    ----------
    n_topics
        How many topics to learn.
    weights
        "full": every topic may link to every other. "diagonal": topics link to themselves only, as in Chang and Blei
        (2009).
    directed
        Whether a link from i to j differs from one from j to i. None: unless every link has its reverse. Without
        direction U is symmetric.
    loss
        "logistic" or "hinge" (max margin).
    ell
        The margin ℓ that the value of a pair must keep (hinge loss).
    c
        What a wrong value of a link costs, beside the likelihood of the words. Where links have weights, a link's cost
        is c times its weight by the mean weight. None: 4, or 25 with diagonal weights.
    c_negative
        The same of a pair without a link.
    negatives_per_link, negative_share
        How many pairs without a link are drawn: a multiple of the links, or a share of all pairs without one. At most
        one of the two. Where both are None, 10 a link, or 2 with diagonal weights.
    fresh_negatives
        Sweeps after which other pairs are drawn; 0 keeps the first ones.
    nu
        Standard deviation of the weights' Gaussian prior.
    weights_every
        Sweeps between two draws of the weights, which with many topics take longer than anything else.
    cached
        Compute what links say of a document once a sweep instead of with every word: faster, approximate. None does so
        only with samplers that cannot do otherwise ("limit" and "sparse").
    n_chains, n_sweeps, n_samples, sample_every
        As for `MedLDA`: scores of links are averaged over the samples of all chains.
    alpha, beta, sampler, tolerance, learn_alpha, learn_beta, fold_in_sweeps, n_shards, n_jobs, random_state, verbose
        As for `LDA`.

    Attributes
    ----------
    weights_ : array (topics, topics)
        U, averaged over the first chain's samples: row k says which topics a document about topic k links to.
        `topic_links` and `weights_table` name the topics.
    directed_ : bool
        Whether links have a direction.
    links_ : csr_array (documents, documents)
        The links that were learnt from; only above the diagonal where they have no direction.
    n_links_, n_negatives_ : int
        Links, and pairs without one, that were learnt from.
    n_self_links_, n_unlinked_ : int
        Links of documents to themselves, which are left out; documents without any link, which shape the topics only
        (and are among the pairs without one).

    The attributes of `LDA` are there too (`topic_word_`, `doc_topic_` …).

    Examples
    --------
    >>> from plait import Corpus, RelationalTopicModel
    >>> texts = ["river stream water", "water river bank", "money loan bank", "loan money credit"] * 5
    >>> links = [(str(i), str(i + 4)) for i in range(16)] + [(str(i), str(i + 1)) for i in range(0, 20, 2)]
    >>> corpus = Corpus.from_texts(texts, ids=[str(i) for i in range(20)], links=links)
    >>> model = RelationalTopicModel(n_topics=2, random_state=0, verbose=False).fit(corpus)
    >>> scores = model.score_links(Corpus.from_texts(["stream of water"]))[0]
    >>> bool(scores[0::4].mean() > scores[3::4].mean())
    True
    """

    def __init__(
        self,
        n_topics: int = 30,
        *,
        weights: str = "full",
        directed: bool | None = None,
        loss: str = "logistic",
        ell: float = 1.0,
        c: float | None = None,
        c_negative: float = 1.0,
        negatives_per_link: float | None = None,
        negative_share: float | None = None,
        fresh_negatives: int = 0,
        nu: float = 3.0,
        weights_every: int = 5,
        cached: bool | None = None,
        alpha: Any = 0.25,
        beta: Any = 0.1,
        sampler: str | Sampler = "plain",
        n_chains: int = 4,
        n_sweeps: int = 100,
        n_samples: int = 10,
        sample_every: int = 5,
        tolerance: float = 0.0,
        learn_alpha: bool = False,
        learn_beta: bool = False,
        fold_in_sweeps: int = 20,
        n_shards: int | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: bool = True,
    ) -> None:
        self.n_topics = n_topics
        self.weights = weights
        self.directed = directed
        self.loss = loss
        self.ell = ell
        self.c = c
        self.c_negative = c_negative
        self.negatives_per_link = negatives_per_link
        self.negative_share = negative_share
        self.fresh_negatives = fresh_negatives
        self.nu = nu
        self.weights_every = weights_every
        self.cached = cached
        self.alpha = alpha
        self.beta = beta
        self.sampler = sampler
        self.n_chains = n_chains
        self.n_sweeps = n_sweeps
        self.n_samples = n_samples
        self.sample_every = sample_every
        self.tolerance = tolerance
        self.learn_alpha = learn_alpha
        self.learn_beta = learn_beta
        self.fold_in_sweeps = fold_in_sweeps
        self.n_shards = n_shards
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        links: Any = None,
        checkpoint: str | Path | None = None,
        checkpoint_every: int = 50,
    ) -> Self:
        """Learn topics from documents and links.

        Parameters
        ----------
        X
            A Corpus, or counts documents × words (sparse, dense or a data frame).
        y
            Not used; scikit-learn's pipelines pass it.
        links
            A matrix documents × documents, sparse or dense, whose entry (i, j) is above 0 where document i links to
            document j; it is the weight of the link. None: the links of the Corpus.
        checkpoint, checkpoint_every
            A file that the unfinished model is saved to every so many sweeps. After a crash load it and `resume`.
        """
        return super().fit(X, links, checkpoint=checkpoint, checkpoint_every=checkpoint_every)

    def resume(
        self,
        X: Any,
        y: Any = None,
        *,
        links: Any = None,
        checkpoint: str | Path | None = None,
        checkpoint_every: int = 50,
    ) -> Self:
        """Go on with a fit that was stopped, on the same documents and links, to the bits of one that never was."""
        return super().resume(X, links, checkpoint=checkpoint, checkpoint_every=checkpoint_every)

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
        loss = self._explained[0].make_loss()
        n_samples = 0
        for samples in self._chain_samples:
            for sample in samples:
                total[order] += loss.score(pair_values(sorted_pairs, list_topics(sample), sample.weights[0]))
                n_samples += 1
        return total / n_samples

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
        documents = [self._new_document(row, counts, linked) for row in range(linked.shape[0])]
        total = np.zeros((linked.shape[0], self.n_features_in_))
        n_samples = 0
        with Threads(self.n_jobs) as executor:
            for samples in self._chain_samples:
                for sample in samples:
                    fold_in = LinkedFoldIn(sample, lengths(sample), self._explained[0].make_loss())
                    shares = executor.map(partial(fold_in.proportions, n_sweeps=self.fold_in_sweeps), documents)
                    total += np.einsum("dk,kw->dw", np.reshape(shares, (-1, self.n_topics)), fold_in.topic_word)
                    n_samples += 1
        return total / n_samples

    def topic_links(self, top: int = 10) -> list[TopicLink]:
        """Return the pairs of topics whose documents are linked most readily, with their words."""
        check_is_fitted(self)
        check_whole("top", top, least=1)
        return list_topic_links(self.weights_, self.topics(_WORDS_A_TOPIC), self.directed_, top)

    def weights_table(self) -> pl.DataFrame:
        """Return U as a table with the topics' words: a row a topic that links, a column a topic that is linked to."""
        check_is_fitted(self)
        return weights_table(self.weights_, self.topics(_WORDS_A_TOPIC))

    @property
    def _explained(self) -> tuple[LinkResponse]:
        links = LinkResponse(
            weights=self.weights,
            directed=self.directed,
            loss=self.loss,
            ell=self.ell,
            c=self.c,
            c_negative=self.c_negative,
            negatives_per_link=self.negatives_per_link,
            negative_share=self.negative_share,
            fresh_negatives=self.fresh_negatives,
            nu=self.nu,
            weights_every=self.weights_every,
        )
        return (links,)

    def _take_over(self, fit: Any, *chain_and_plans: Any, finished: bool) -> None:
        super()._take_over(fit, *chain_and_plans, finished=finished)
        given: GivenLinks = fit.given["links"]
        self.links_ = given.adjacency
        self.directed_ = given.directed
        self.n_links_ = given.n_links
        self.n_negatives_ = self._explained[0].n_negatives(given)
        self.n_self_links_ = given.n_self_links
        self.n_unlinked_ = given.n_unlinked
        self.weights_ = np.mean([sample.weights[0] for sample in self._chain_samples[0]], axis=0)

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
        loss = self._explained[0].make_loss()
        n_samples = 0
        for _, sample, own_topics in documents:
            weights = sample.weights[0]
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

    def _new_document(self, row: int, counts: sparse.csr_array | None, linked: sparse.csr_array) -> NewDocument:
        """Return what is known of a new document, with as many pairs without a link as training documents have."""
        n_known = linked.shape[1]
        partners = linked.indices[linked.indptr[row] : linked.indptr[row + 1]].astype(np.int64)
        if counts is None or counts.indptr[row] == counts.indptr[row + 1]:
            length = max(1, round(float(np.median(lengths(self._chain_samples[0][0])))))
            words, occurrences = np.array([self.n_features_in_], np.int32), np.array([length], np.int32)
        else:
            own = slice(counts.indptr[row], counts.indptr[row + 1])
            words, occurrences = counts.indices[own].astype(np.int32), counts.data[own].astype(np.int32)
        # The key is made of the document alone, so that those beside it change nothing.
        content = f"fold in {partners.tolist()} {words.tolist()} {occurrences.tolist()}"
        key = stream_key(self.seed_, content)
        others = np.setdiff1d(np.arange(n_known), partners, assume_unique=True)
        n_others = min(others.size, round(2 * self.n_negatives_ / n_known))
        others = generator(key, 1).choice(others, n_others, replace=False)
        return NewDocument(
            words,
            occurrences,
            np.concatenate([partners, others]),
            np.repeat([1.0, -1.0], [partners.size, n_others]),
            np.repeat([self._explained[0].cost, self.c_negative], [partners.size, n_others]),
            key,
        )
