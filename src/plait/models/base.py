"""What all topic models share: fit, resume, transform, describe, score. A model adds its parameters and its parts."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any, Literal, Self
from weakref import WeakKeyDictionary

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from plait.chain import Chain, Run, Sample, Schedule, mean_topic_word, run
from plait.errors import PlaitError
from plait.evaluation import Perplexity, coherence, completion_perplexity, fold_in_perplexity
from plait.executors import Threads
from plait.fold_in import FoldIn
from plait.mixing import OwnDocument
from plait.models.description import Topic, describe_topics, typical_documents
from plait.models.inputs import Words, fingerprint, new_words, training_words
from plait.priors import as_prior
from plait.progress import FitProgress
from plait.recorder import Record
from plait.samplers import as_sampler
from plait.validation import check_whole

# Tables for folding in, made from a model's samples when they are first needed. They are no part of the model's
# state: scikit-learn wants `transform` to change nothing, and a saved model does not need them.
_FOLD_INS: WeakKeyDictionary[Any, tuple[list[Sample], FoldIn]] = WeakKeyDictionary()


class TopicEstimator(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A topic model as a scikit-learn estimator; `LDA` documents the parameters and attributes."""

    # Parameters, stored by the subclasses' constructors.
    n_topics: int
    alpha: Any
    beta: Any
    sampler: Any
    n_sweeps: int
    n_samples: int
    sample_every: int
    tolerance: float
    learn_alpha: bool
    learn_beta: bool
    fold_in_sweeps: int
    n_shards: int | None
    n_jobs: int | None
    random_state: Any
    verbose: bool

    def fit(self, X: Any, y: Any = None, *, checkpoint: str | Path | None = None, checkpoint_every: int = 50) -> Self:
        """Learn topics from documents.

        Parameters
        ----------
        X
            A Corpus, or counts documents × words (sparse, dense or a data frame).
        y
            Not used; scikit-learn's pipelines pass it.
        checkpoint, checkpoint_every
            A file that the unfinished model is saved to every so many sweeps. After a crash load it
            and `resume`.
        """
        self._check_parameters()
        words = training_words(self, X, self._real)
        self.seed_ = _seed(self.random_state)
        chain = self._make_chain(words)
        self._corpus_fingerprint = fingerprint(words.counts)
        with Threads(self.n_jobs) as executor:
            chain.start(executor)
            return self._go_on(chain, Run(), words, executor, checkpoint, checkpoint_every)

    def resume(self, X: Any, *, checkpoint: str | Path | None = None, checkpoint_every: int = 50) -> Self:
        """Go on with a fit that was stopped, on the same documents, to the bits of one that never was."""
        check_is_fitted(self)
        if self._unfinished is None:
            raise PlaitError("this fit is finished, so there is nothing to resume; fit again with other settings")
        words = training_words(self, X, self._real)
        if fingerprint(words.counts) != self._corpus_fingerprint:
            raise PlaitError("these are not the documents that the fit began with; give the same corpus to resume")
        state, progress = self._unfinished
        chain = self._make_chain(words)
        chain.restore(state)
        with Threads(self.n_jobs) as executor:
            return self._go_on(chain, progress, words, executor, checkpoint, checkpoint_every)

    def transform(self, X: Any) -> np.ndarray:
        """Return the share of each topic in each document (documents × topics).

        Documents are folded in one by one: the model stays as it is, and a document's topics do not
        depend on the documents beside it.
        """
        check_is_fitted(self)
        words = new_words(self, X, self._real, "transform")
        with Threads(self.n_jobs) as executor:
            proportions = self._fold_in().proportions(words.counts, self.fold_in_sweeps, executor)
        return np.mean(proportions, axis=0)

    def perplexity(self, X: Any, method: str = "completion") -> float:
        """Return the perplexity of documents' words; lower is better.

        Parameters
        ----------
        X
            Documents, best ones that the model was not fitted to.
        method
            "completion" predicts one half of each document's words from the other. "fold_in" is eq. (4) of Bíró and
            Szabó (2009): it predicts the words that the topics were inferred from, so it is lower.
        """
        return self._predict_words(X, method).perplexity

    def score(self, X: Any, y: Any = None) -> float:
        """Return the mean log probability of a word, by document completion; higher is better."""
        return self._predict_words(X, "completion").log_likelihood

    def topics(self, top: int = 10, by: str = "probability", relevance_weight: float = 0.6) -> list[Topic]:
        """Return the first words of each topic.

        Parameters
        ----------
        top
            How many words.
        by
            "probability", or "relevance" for the words that are telling of a topic.
        relevance_weight
            With "relevance": 1 ranks by probability, 0 by how much more frequent a word is than elsewhere.
        """
        check_is_fitted(self)
        check_whole("top", top, least=1)
        return describe_topics(self.topic_word_, self.topic_share_, self._word_names(), top, by, relevance_weight)

    def typical_documents(self, top: int = 5) -> list[list[tuple[str, float]]]:
        """Return, for each topic, the training documents with the largest share of it."""
        check_is_fitted(self)
        check_whole("top", top, least=1)
        ids = self.doc_ids_
        if ids is None:
            ids = np.array([str(number) for number in range(self.doc_topic_.shape[0])], dtype=object)
        return typical_documents(self.doc_topic_, ids, top)

    def coherence(self, X: Any, measure: Literal["npmi", "c_v"] = "npmi", top: int = 10) -> np.ndarray:
        """Return how well the first words of each topic go together in documents: NPMI or C_v.

        Parameters
        ----------
        X
            Documents to look the words up in: the training documents, or better a larger collection.
        """
        check_is_fitted(self)
        words = new_words(self, X, self._real, "coherence")
        names = [topic.words for topic in self.topics(top)]
        return coherence(names, words.counts, self._word_names().tolist(), measure=measure)

    @property
    def _real(self) -> bool:
        """Whether counts may be real numbers."""
        return as_sampler(self.sampler).state_form == "shares"

    @property
    def _n_features_out(self) -> int:
        """How many columns `transform` gives, for scikit-learn."""
        return self.n_topics

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags

    def _check_parameters(self) -> None:
        """Refuse what cannot work before any work is done."""
        check_whole("n_topics", self.n_topics, least=1)
        if self.n_topics > 65_535:
            raise PlaitError(f"n_topics must be at most 65,535, not {self.n_topics}")
        check_whole("n_sweeps", self.n_sweeps, least=1)
        check_whole("n_samples", self.n_samples, least=1)
        check_whole("sample_every", self.sample_every, least=1)
        check_whole("fold_in_sweeps", self.fold_in_sweeps, least=1)
        if self.n_shards is not None:
            check_whole("n_shards", self.n_shards, least=1)
        if not 0 <= self.tolerance < 1:
            raise PlaitError(f"tolerance must lie between 0 and 1, not {self.tolerance!r}")
        as_sampler(self.sampler)

    def _make_chain(self, words: Words) -> Chain:
        chain = Chain(
            words.counts,
            self.n_topics,
            mixing=OwnDocument(self.alpha),
            prior=as_prior(self.beta),
            sampler=as_sampler(self.sampler),
            seed=self.seed_,
            n_shards=self.n_shards,
        )
        if self.learn_beta and not isinstance(chain.beta, float):
            raise PlaitError("learn_beta fits one number; give beta as a number, not as a table")
        return chain

    def _go_on(
        self,
        chain: Chain,
        progress: Run,
        words: Words,
        executor: Threads,
        checkpoint: str | Path | None,
        checkpoint_every: int,
    ) -> Self:
        """Run the chain to its end, or until it is stopped, and take over what it learnt."""
        check_whole("checkpoint_every", checkpoint_every, least=1)
        schedule = Schedule(
            self.n_sweeps, self.n_samples, self.sample_every, self.tolerance, self.learn_alpha, self.learn_beta
        )
        sampling = (self.n_samples - 1) * self.sample_every
        with FitProgress(self.verbose, self.n_sweeps + sampling, type(self).__name__) as bar:

            def after_sweep(progress: Run, record: Record) -> None:
                settling = self.n_sweeps if progress.settled_at is None else progress.settled_at
                bar.show(record, settling + sampling)
                unfinished = len(progress.samples) < self.n_samples
                if checkpoint is not None and unfinished and record.sweep % checkpoint_every == 0:
                    from plait.store import save

                    self._take_over(chain, progress, words, finished=False)
                    save(self, checkpoint)

            finished = run(chain, schedule, progress, executor, after_sweep)
        self._take_over(chain, progress, words, finished)
        return self

    def _take_over(self, chain: Chain, progress: Run, words: Words, finished: bool) -> None:
        """Set the fitted attributes from the chain as it is now."""
        kept = progress
        if not progress.samples:  # stopped before the first sample: the present state must do
            kept = Run()
            kept.keep_sample(chain)
        assert kept.doc_topic_sum is not None
        self._samples = list(kept.samples)
        self.topic_word_ = mean_topic_word(kept.samples)
        self.doc_topic_ = kept.doc_topic_sum / len(kept.samples)
        self.topic_share_ = chain.lengths @ self.doc_topic_ / chain.n_tokens
        self.word_counts_ = np.asarray(words.counts.sum(axis=0)).ravel()
        self.vocabulary_ = words.vocabulary
        self.doc_ids_ = words.ids
        self.alpha_ = chain.alpha.copy()
        self.beta_ = chain.beta
        self.history_ = list(progress.history.records)
        self.n_sweeps_ = chain.n_sweeps
        self.settled_ = progress.settled_at is not None and progress.settled_at < self.n_sweeps
        self.interrupted_ = not finished
        self._unfinished = None if finished else (chain.state(), progress)

    def _fold_in(self) -> FoldIn:
        samples, fold_in = _FOLD_INS.get(self, (None, None))
        if fold_in is None or samples is not self._samples:
            fold_in = FoldIn(self._samples, self._real, self.seed_)
            _FOLD_INS[self] = (self._samples, fold_in)
        return fold_in

    def _predict_words(self, X: Any, method: str) -> Perplexity:
        check_is_fitted(self)
        measures = {"completion": completion_perplexity, "fold_in": fold_in_perplexity}
        if method not in measures:
            raise PlaitError(f"method must be 'completion' or 'fold_in', not {method!r}")
        words = new_words(self, X, self._real, "perplexity")
        with Threads(self.n_jobs) as executor:
            return measures[method](self._fold_in(), words.counts, self.fold_in_sweeps, executor)

    def _word_names(self) -> np.ndarray:
        if self.vocabulary_ is not None:
            return self.vocabulary_
        return np.array([f"x{column}" for column in range(self.n_features_in_)], dtype=object)


def _seed(random_state: Any) -> int:
    """Return a seed: the number given, a draw from a generator given, or one by chance."""
    if random_state is None:
        return secrets.randbits(62)
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        if random_state < 0:
            raise PlaitError(f"random_state must be 0 or more, not {random_state}")
        return int(random_state)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**62))
    return int(check_random_state(random_state).randint(2**31 - 1))
