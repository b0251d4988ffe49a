"""The estimator that all topic models share: fit, resume, transform, describe and score.

A model declares its parameters and says what they stand for: a mixing (`_make_mixing`), a prior (`_make_prior`) and
responses (`_make_responses`). Everything else exists once: chains are run by `fitting.py`, new documents are folded in
by `folding.py`, and what a fitted model answers are the objects of `answers/`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from plait.corpus import TextOptions
from plait.corpus.known_documents import KnownDocuments
from plait.engine.doc_topics import DocTopicSums, as_proportions
from plait.engine.interrupt import is_called_by_estimator
from plait.engine.run import Run
from plait.engine.sample import Sample
from plait.errors import PlaitError
from plait.executors import as_executor, open_executor
from plait.inputs.fingerprint import fingerprint
from plait.inputs.links import read_influence_links
from plait.inputs.texts import as_documents
from plait.inputs.words import Words, new_words
from plait.metrics import Perplexity
from plait.models import pair_learning, resuming
from plait.models.answers.listing import GroupedListing, Listing, frame_kind
from plait.models.answers.topics import Topic, TopicDescriptions, TypicalDocument
from plait.models.chain_loop import run_chains
from plait.models.fitted import FITTED, fitted_attributes
from plait.models.fitting import (
    ChainPlan,
    Checkpoints,
    CheckpointWriter,
    Fit,
    chain_settings,
    checkpoint_folder,
    make_seed,
    plan_chains,
)
from plait.models.folding import FittedChains, FoldInSettings, cached_tables, check_method
from plait.models.inputs import Documents, Inputs, read_new_links, read_training_words, reject_unused
from plait.models.methods import output
from plait.models.shared_docs import shared_docs
from plait.models.shared_methods import SharedMethods
from plait.priors import AnyPrior
from plait.responses.base import ChainResponse


class TopicEstimator(SharedMethods):
    """A topic model as a scikit-learn estimator; `LDA` documents the fitted attributes.

    Examples
    --------
    >>> from plait import LDA, MedLDA
    >>> issubclass(LDA, TopicEstimator), issubclass(MedLDA, TopicEstimator)
    (True, True)
    """

    # Fitted attributes, set by `_set_fitted`.
    seed_: int
    topic_word_: np.ndarray
    topic_share_: np.ndarray
    _doc_topics: DocTopicSums | np.ndarray
    vocabulary_: np.ndarray | None
    doc_ids_: np.ndarray | None
    text_options_: TextOptions | None
    documents_: KnownDocuments
    topic_names_: list[str]
    edits_: list[dict[str, Any]]
    interrupted_: bool
    topic_choice_: dict[str, Any]  # only of a model whose number of topics `plait fit` has chosen
    reading_options_: dict[str, Any]  # only of a model of `plait fit`: how the corpus was read
    _chain_samples: list[list[Sample]]
    _chain_groups: list[int]
    _unfinished: Any

    _y_kind: ClassVar[str | None] = None  # what `y` of `fit` is: "labels" or "values"; None: it is ignored
    _own_names: ClassVar[dict[str, str]] = {}  # of fitted attributes, by their names in `TopicModel`

    @property
    def doc_topic_(self) -> np.ndarray:
        """Topic proportions of the training documents, documents × topics; computed when it is first used."""
        return as_proportions(self._doc_topics)

    @doc_topic_.setter
    def doc_topic_(self, topics: DocTopicSums | np.ndarray) -> None:
        self._doc_topics = topics

    @shared_docs
    def fit(self, X: Any, y: Any = None, *, checkpoint: str | Path | None = None, checkpoint_every: int = 50) -> Self:
        """Learn topics from documents.

        <Parameters: training>
        y : array-like of shape (documents,), optional
            Labels or values of the documents, for a model that predicts them; other models ignore it. None: the labels
            of the Corpus.
        <checkpoint>

        Returns
        -------
        self
            The fitted model.
        """
        return self._fit(X, self._inputs_of(y), Checkpoints(checkpoint, checkpoint_every))

    def resume(
        self, X: Any, y: Any = None, *, checkpoint: str | Path | None = None, checkpoint_every: int = 50
    ) -> Self:
        """Resume an interrupted fit. The result is bit-identical to an uninterrupted one.

        The parameters are those of `fit`; the documents and targets must be the same.

        Returns
        -------
        self
            The fitted model.
        """
        return self._resume(X, self._inputs_of(y), Checkpoints(checkpoint, checkpoint_every))

    @shared_docs
    def transform(self, X: Any) -> np.ndarray:
        """Return the topic proportions of documents.

        Every document is folded in by itself: the model does not change, and the result for a document does not depend
        on the other documents.

        <Parameters: documents>

        Returns
        -------
        ndarray of shape (documents, topics)
            Rows sum to 1.
        """
        return output.with_ids(self, X, self._chains().doc_topic(self._documents(X, "transform")))

    @shared_docs
    def perplexity(self, X: Any, method: str = "completion") -> float:
        """Return the perplexity of the words of documents; lower is better.

        <Parameters: perplexity_documents>
        method : {"completion", "fold_in"}, default "completion"
            "completion" predicts one half of each document's tokens from the other half. "fold_in" is eq. (4) of Bíró
            and Szabó (2009): it predicts the tokens that the topics were inferred from, so it is lower.

        Returns
        -------
        float
            Perplexity per token.
        """
        return self._word_likelihood(X, method).perplexity

    @shared_docs
    def score(self, X: Any, y: Any = None) -> float:
        """Return the mean log-likelihood per token, by document completion; higher is better.

        <Parameters: documents, ignored_y>

        Returns
        -------
        float
            Log-likelihood per token.
        """
        return self._word_likelihood(X, "completion").log_likelihood

    @shared_docs
    def topics(
        self, top: int = 10, by: str = "probability", relevance_weight: float = 0.6, *, as_frame: bool = False
    ) -> list[Topic] | Any:
        """Return the top words of each topic, and its name if it has one.

        Parameters
        ----------
        top : int, default 10
            Number of words per topic.
        by : {"probability", "relevance"}, default "probability"
            Order of the words; "relevance" prefers words that are specific to a topic.
        relevance_weight : float, default 0.6
            With "relevance": 1 ranks by probability, 0 by how much more frequent a word is in the topic than elsewhere.
        <as_frame>

        Returns
        -------
        list of Topic, or data frame
            One per topic; the list prints as a table.
        """
        columns = ("index", "share", "name", "words", "weights")[: 5 if as_frame else 4]
        found = Listing(self._topics().describe(top, by, relevance_weight), columns, {"index": "topic"})
        return found.to_frame(frame_kind(self)) if as_frame else found

    @shared_docs
    def typical_documents(self, top: int = 5, *, as_frame: bool = False) -> list[list[TypicalDocument]] | Any:
        """Return the training documents with the largest proportion of each topic.

        Parameters
        ----------
        top : int, default 5
            Number of documents per topic.
        <as_frame>

        Returns
        -------
        list of list of TypicalDocument, or data frame
            For each topic, (id, share) with title and excerpt, largest share first.
        """
        topics = self._topics()
        typical = topics.typical_documents(self.doc_topic_, self.documents_, top)
        columns = ("id", "title", "share", "excerpt")
        found = GroupedListing(typical, columns, {"topic": range(len(typical))})
        return found.to_frame(frame_kind(self)) if as_frame else found

    def coherence(self, X: Any, measure: Literal["npmi", "c_v"] = "npmi", top: int = 10) -> np.ndarray:
        """Return the coherence of the top words of each topic.

        Parameters
        ----------
        X : list of str, Corpus, data frame or matrix of shape (documents, words)
            Reference documents: the training documents, or better a larger collection.
        measure : {"npmi", "c_v"}, default "npmi"
            Coherence measure.
        top : int, default 10
            Number of words per topic.

        Returns
        -------
        ndarray of shape (topics,)
            Coherence of each topic.
        """
        return self._topics().coherence(self._documents(X, "coherence").counts, measure, top)

    __sklearn_is_fitted__ = resuming.is_fitted

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags

    def _inputs_of(self, y: Any) -> Inputs:
        """Return the inputs that `y` stands for."""
        return Inputs() if self._y_kind is None else Inputs(**{self._y_kind: y})

    def _fit(self, X: Any, inputs: Inputs, checkpoints: Checkpoints) -> Self:
        """Fit the model to documents."""
        self._check_parameters()
        X = as_documents(X)
        return self._run_chains(self._new_fit(X, inputs, self._training_words(X)), None, checkpoints)

    def _resume(self, X: Any, inputs: Inputs, checkpoints: Checkpoints) -> Self:
        """Resume an interrupted fit."""
        if vars(self).get("_unfinished") is None:
            check_is_fitted(self)
            raise PlaitError("this fit is finished, so there is nothing to resume; fit again with other settings")
        state, runs = self._unfinished
        X = as_documents(X)
        fit = self._new_fit(X, inputs, self._training_words(X), seed=self.seed_)
        self._continue(fit, runs)
        return self._run_chains(fit, state, checkpoints)

    def _continue(self, fit: Fit, runs: list[Run]) -> None:
        """Set the runs so far of an interrupted fit; raise an error if it had other inputs or parameters."""
        resuming.check_same_fit(self, fit)
        resuming.check_runs(runs, fit)
        fit.runs = list(runs)
        self._keep_names(fit)

    def _training_words(self, X: Any) -> Words:
        return read_training_words(self, X, self._real)

    def _read_targets(self, X: Any, inputs: Inputs, words: Words) -> dict[str, Any]:
        """Return what the responses and the mixing are given, by kind."""
        responses, with_links = self._make_responses(), self._make_mixing().uses_links
        reject_unused(inputs, responses, with_links)
        by_kind = inputs._asdict()
        given = {one.kind: one.read(X, by_kind.get(one.kind), words, self.n_topics) for one in responses}
        if with_links:
            given["influence"] = read_influence_links(X, inputs.links, words.counts.shape[0])
        return given | pair_learning.read_matrices(inputs, responses, words.counts.shape[0])

    def _new_fit(
        self, X: Any, inputs: Inputs, words: Words, seed: int | None = None, prior: AnyPrior | None = None
    ) -> Fit:
        """Return a fit to documents; the seed is drawn and the prior made from the parameters if they are None."""
        given = self._read_targets(X, inputs, words)
        if seed is None:
            seed = make_seed(self.random_state)
            self._choose_settings(words, given, seed)
        responses = self._make_responses()
        targets = {one.kind: list(one.arrays(given[one.kind])) for one in responses}
        if "influence" in given:
            links = given["influence"]
            targets["influence"] = [links.indptr, links.indices, links.data]
        for name, matrix in given.get("pair_matrices", {}).items():
            targets[f"pair_matrices {name}"] = [matrix.indptr, matrix.indices, matrix.data]
        arrays = [array for own in targets.values() for array in own]
        averages = bool(responses) or "influence" in given
        n_chains = getattr(self, "n_chains", 1) if averages else 1
        return Fit(
            words,
            given,
            fingerprint(words.counts, *arrays, like=getattr(self, "_corpus_fingerprint", None)),
            chain_settings(self, self._make_prior() if prior is None else prior),
            plan_chains(n_chains, self._n_groups(given)),
            seed=seed,
            chain_seed=seed,
            make_responses=lambda plan: self._chain_responses(given, plan),
            target_arrays=targets,
        )

    def _chain_responses(self, given: dict[str, Any], plan: ChainPlan) -> list[ChainResponse]:
        """Return the chain halves of the responses for one chain."""
        options = self._response_options(plan.group)
        return [one.make(given[one.kind], exact=self._exact, **options) for one in self._make_responses()]

    def _run_chains(self, fit: Fit, state: dict[str, np.ndarray] | None, checkpoints: Checkpoints) -> Self:
        """Run the chains of a fit, and set the fitted attributes."""
        as_executor(self.executor, self.n_jobs).check(fit.settings.sampler)
        with checkpoints.lock():
            fit.learned = pair_learning.learn_pairs(self, fit)
            stopped = run_chains(
                fit,
                state,
                open_executor(self.executor, self.n_jobs),
                (self.verbose, type(self).__name__),
                self._checkpoint_writer(fit, checkpoints),
                checkpoints.every,
            )
        self._set_fitted(self._fitted_attributes(fit))
        if stopped and is_called_by_estimator():
            raise KeyboardInterrupt
        return self

    def _checkpoint_writer(self, fit: Fit, checkpoints: Checkpoints) -> CheckpointWriter | None:
        """Return what writes the checkpoints of a fit; None for no checkpoints."""
        if checkpoints.path is None:
            return None
        from plait.store.checkpoints import FolderWriter

        return FolderWriter(self, self._resume_attributes(fit), checkpoint_folder(checkpoints.path))

    def _resume_attributes(self, fit: Fit) -> dict[str, Any]:
        """Return the attributes that `resume` needs of a model that was loaded from a checkpoint."""
        names = {} if fit.names is None else {"topic_names_": list(fit.names), "edits_": list(fit.edits)}
        known = {"seed_": fit.seed, "_corpus_fingerprint": fit.fingerprint, "text_options_": fit.words.text_options}
        began = {"interrupted_": True, "_began_with": resuming.began_with(self, fit)}
        return {"edits_": [], **known, **names, **fit.learned, **began}

    def _fitted_attributes(self, fit: Fit) -> dict[str, Any]:
        """Return the fitted attributes by name."""
        runs = fit.kept_runs()
        groups = [plan.group for plan in fit.plans[: len(runs)]]
        settings = self._fold_in_settings(fit.seed)
        chains = FittedChains([list(run.samples) for run in runs], groups, settings)
        attributes = fitted_attributes(fit, runs, chains, self._make_responses(), self._task_layout())
        if attributes["_unfinished"] is not None:
            attributes["_began_with"] = resuming.began_with(self, fit)
        return {self._own_names.get(name, name): value for name, value in attributes.items()}

    def _set_fitted(self, attributes: dict[str, Any]) -> None:
        """Set the fitted attributes, and delete those that only an earlier fit had."""
        for name in FITTED - set(attributes):
            self.__dict__.pop(name, None)
        for name, value in attributes.items():
            setattr(self, name, value)

    def _fold_in_settings(self, seed: int) -> FoldInSettings:
        return FoldInSettings(seed, self.fold_in_sweeps, self._real, self._make_mixing(), self.executor, self.n_jobs)

    def _chains(self) -> FittedChains:
        """Return the chains of the fitted model."""
        check_is_fitted(self)
        tables = cached_tables(self, self._chain_samples)
        return FittedChains(self._chain_samples, self._chain_groups, self._fold_in_settings(self.seed_), tables)

    def _documents(self, X: Any, method: str, links: Any = None, features: Any = None) -> Documents:
        """Return new documents in the columns of the fitted model; `method` is named in error messages."""
        check_is_fitted(self)
        counts = new_words(self, X, self._real, method).counts
        n_training = self.influence_.shape[0] if self._make_mixing().uses_links else None
        return Documents(counts, read_new_links(links, counts.shape[0], n_training), features)

    def _word_likelihood(self, X: Any, method: str, links: Any = None) -> Perplexity:
        """Return how well the model predicts the words of documents."""
        check_is_fitted(self)
        check_method(method)
        return self._chains().perplexity(self._documents(X, "perplexity", links), method)

    def _topics(self) -> TopicDescriptions:
        """Return the descriptions of the topics."""
        check_is_fitted(self)
        return TopicDescriptions(self.topic_word_, self.topic_share_, self._word_names(), self.topic_names_)

    def _word_names(self) -> np.ndarray:
        """Return the vocabulary, or column names if the input had none."""
        if self.vocabulary_ is not None:
            return self.vocabulary_
        return np.array([f"x{column}" for column in range(self.n_features_in_)], dtype=object)
