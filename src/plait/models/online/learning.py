"""Learning one slice of a stream: its fit, the interrupted fit, and the state after it."""

from __future__ import annotations

import copy
import warnings
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np
import scipy.sparse as sparse

from plait._utils.text import printable
from plait.corpus import Corpus
from plait.corpus.known_documents import join_documents
from plait.engine.doc_topics import as_proportions
from plait.errors import PlaitError
from plait.inputs.texts import as_documents, check_same_reading
from plait.inputs.words import Words
from plait.models.any_responses import AnyResponses
from plait.models.editing.operations import TopicEdit
from plait.models.editing.run import edit_seed
from plait.models.editing.steps import other_documents
from plait.models.fitting import Checkpoints, Fit
from plait.models.inputs import Inputs
from plait.models.online.closing import carry_weights, close_empty_slice, close_slice
from plait.models.online.editing import edit_doc_topic, edit_stream, last_learned, reopen_last_slice, restore_stream
from plait.models.online.growing import align_slice, holds_no_words
from plait.models.online.pending import PendingSlice
from plait.models.online.record import Slice
from plait.models.online.state import SliceFit, StreamState
from plait.priors import AnyPrior, HistoryPrior, as_prior, spread_weights
from plait.responses.base import ChainResponse

_NO_CHECKPOINTS = Checkpoints()
_TOTAL_WEIGHT = 1.0  # of history, where `history_weights` is None


class SliceLearner(AnyResponses):
    """An estimator that learns slices one after the other; `OnlineLDA` documents its parameters and attributes."""

    # Parameters, declared by `OnlineLDA`.
    window: int
    history_weights: Any
    decay: float
    history_form: Literal["counts", "distributions", "smoothed"]
    forget_after: int | None
    # Fitted attributes, set from the state of the stream.
    slices_: list[Slice]

    def _make_prior(self) -> AnyPrior:
        return self._slice_prior(StreamState.of(self)) if hasattr(self, "slices_") else as_prior(self.beta)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._weights_of(self.window)
        if any(getattr(one, "pair_features", None) is not None for one in self._make_responses()):
            raise PlaitError(
                "pair features compare documents with all known ones, and a stream keeps the words of none; set "
                "pair_features=None, or fit a TopicModel",
                parameter="pair_features",
            )
        if any(getattr(one, "features", None) is not None for one in self._make_responses()):
            raise PlaitError(
                "features= is one matrix for all training documents, and a stream learns slice by slice; leave "
                "features out, or fit a TopicModel",
                parameter="features",
            )

    def _check_stream(self) -> None:
        """Raise an error if the stream cannot be continued."""
        if getattr(self, "_unfinished", None) is not None:
            raise PlaitError(
                f"slice {len(self.slices_)} was interrupted before it was learned; resume it with the same documents "
                "first"
            )
        if hasattr(self, "topic_word_") and self.topic_word_.shape[0] != self.n_topics:
            raise PlaitError(
                f"the stream has {self.topic_word_.shape[0]} topics, and n_topics is {self.n_topics} now: topics "
                "continue from slice to slice, so their number cannot change; set it back, or fit a new model"
            )

    def _check_same_slices(self, pending: list[PendingSlice]) -> None:
        """Raise an error unless the learned slices are the first of those given."""
        learned = [one.label for one in self.slices_]
        if learned != [one.label for one in pending[: len(learned)]]:
            raise PlaitError("these are not the slices that the fit began with; give the same collection and times")

    def _weights_of(self, n_past: int) -> list[float]:
        """Return the weights of a number of past slices, oldest first."""
        total = _TOTAL_WEIGHT if self.history_weights is None else self.history_weights
        return spread_weights(total, self.decay, self.window, n_past)

    def _slice_prior(self, state: StreamState) -> AnyPrior:
        """Return the prior of the next slice."""
        past = state.window_past(self.window)
        if not past:
            return as_prior(self.beta)
        return HistoryPrior(past, self._weights_of(len(past)), self.beta, self.history_form)

    def _read_slice(self, X: Any, state: StreamState) -> Any:
        """Return the next slice; texts are read as those of the slices before."""
        X = as_documents(X, like=self if state.slices and self.text_options_ is not None else None)
        if isinstance(X, Corpus) and state.slices:
            check_same_reading(self, X)
        return X

    def _learn_rest(self, pending: list[PendingSlice], ahead: bool, checkpoints: Checkpoints) -> Self:
        """Learn the remaining slices of a collection, until one is interrupted."""
        while not self.interrupted_ and len(self.slices_) < len(pending):
            self._learn_slice(StreamState.of(self), pending[len(self.slices_)], True, ahead, checkpoints)
        state = StreamState.of(self)
        if not self.interrupted_ and state.gathered is not None:
            self.doc_topic_ = np.concatenate([shares for shares, _ in state.gathered])
            self.documents_ = join_documents([documents for _, documents in state.gathered])
            self.doc_ids_ = self.documents_.ids
            self._set_state(replace(state, gathered=None))
        return self

    def _learn_slice(
        self,
        state: StreamState,
        pending: PendingSlice,
        in_order: bool = True,
        ahead: bool = False,
        checkpoints: Checkpoints = _NO_CHECKPOINTS,
    ) -> Self:
        """Learn a slice after a state; this object changes only when it was learned or interrupted."""
        if holds_no_words(pending.X) and (state.known_words is not None or isinstance(pending.X, Corpus)):
            n_documents = pending.X.shape[0] if sparse.issparse(pending.X) else len(pending.X)
            self._set_state(close_empty_slice(state, pending.label, n_documents))
            return self
        state = state.open_slice(pending, in_order)
        state = replace(state, ahead=self.perplexity(pending.X) if ahead else None)
        fit = self._new_slice_fit(state, pending)
        if state.slices:
            self._keep_names(fit)
        if state.known_words is not None and fit.words.counts.indices.min() >= state.known_words.size:
            warnings.warn(
                f"no word of {printable(state.opened[0])} was in any slice before, so it cannot continue their topics; "
                "are these documents of the same language, and tokenized alike?",
                stacklevel=3,
            )
        return self._run_chains(fit, None, checkpoints)

    def _resume_slice(self, pending: PendingSlice, checkpoints: Checkpoints) -> Self:
        """Resume the interrupted slice."""
        chain_state, runs = self._unfinished
        fit = self._new_slice_fit(StreamState.of(self), pending)
        self._continue(fit, runs)
        return self._run_chains(fit, chain_state, checkpoints)

    def _fit_again(self, X: Any, inputs: Inputs, before: Fit | None = None) -> SliceFit:
        state = reopen_last_slice(StreamState.of(self))
        assert before is None or isinstance(before, SliceFit)
        known = None if before is None else (before.words, before.has_feature_names)
        fit = self._new_slice_fit(state, PendingSlice(state.opened[0], X, inputs), known)
        # Without forgotten words, columns are as they were when the fingerprint was made.
        same = np.array_equal(np.asarray(fit.words.counts.sum(axis=0)).ravel(), self.word_counts_)
        if not same or (self.forget_after is None and fit.fingerprint != self._corpus_fingerprint):
            raise other_documents("the stream learned last")
        return fit

    def _with_topics(self, edit: TopicEdit, counts: np.ndarray | None) -> Self:
        edited = super()._with_topics(edit, counts)
        edited._set_state(edit_stream(StreamState.of(self), edit, counts))
        return edited

    def _finish_edit(self, before: Self, edit: TopicEdit) -> None:
        self._set_state(restore_stream(StreamState.of(before), StreamState.of(self), edit, edit_seed(before)))
        n_earlier = len(before.doc_topic_) - len(self.doc_topic_)
        if n_earlier:  # after `fit`, documents of all slices are known
            tokens = self.slices_[last_learned(self.slices_)].topic_tokens
            earlier = edit_doc_topic(before.doc_topic_[:n_earlier], edit, tokens)
            self.doc_topic_ = np.concatenate([earlier, self.doc_topic_])
            self.doc_ids_ = before.doc_ids_
            if "documents_" in vars(before):
                self.__dict__["documents_"] = vars(before)["documents_"]

    def _new_slice_fit(
        self, state: StreamState, pending: PendingSlice, known: tuple[Words, bool] | None = None
    ) -> SliceFit:
        """Return the fit of a slice after a state; `known` has its words and whether columns have names."""
        words, has_names = self._slice_words(pending.X, state) if known is None else known
        fit = self._new_fit(pending.X, pending.inputs, words, state.seed, self._slice_prior(state))
        slice_fit = SliceFit(**vars(fit), state=state, has_feature_names=has_names)
        slice_fit.chain_seed = state.slice_seed
        slice_fit.make_responses = lambda plan: self._slice_responses(state, fit.given)
        return slice_fit

    def _slice_words(self, X: Any, state: StreamState) -> tuple[Words, bool]:
        """Return the words of a slice, and whether its columns have names."""
        words, has_names = align_slice(copy.copy(self), X, self._real, state.known_words)
        if self.forget_after is not None and words.vocabulary is None:
            raise PlaitError(
                "forget_after takes words out of the vocabulary, but columns of a matrix keep their places; give a "
                "Corpus or a data frame with names of words, or leave forget_after out",
                parameter="forget_after",
            )
        return words, has_names

    def _slice_responses(self, state: StreamState, given: dict[str, Any]) -> list[ChainResponse]:
        """Return the engine's responses for a slice; what earlier slices learned is the prior mean of the weights."""
        responses = []
        for one in self._make_responses():
            carried = state.carried.get(one.kind)
            mean = None if carried is None else one.expected(carried, given[one.kind])
            responses.append(one.make(given[one.kind], exact=self._exact, mean=mean))
        return responses

    def _fitted_attributes(self, fit: Fit) -> dict[str, Any]:
        assert isinstance(fit, SliceFit)
        attributes = super()._fitted_attributes(fit) | {"n_features_in_": fit.words.counts.shape[1]}
        attributes["doc_topic_"] = as_proportions(attributes["doc_topic_"])
        if attributes["text_options_"] is None and fit.state.slices:  # a slice of counts
            attributes["text_options_"] = self.text_options_
        if fit.has_feature_names:
            attributes["feature_names_in_"] = fit.words.vocabulary
        state = fit.state
        if fit.finished:
            names = fit.words.vocabulary
            if names is None:
                names = np.array([f"x{column}" for column in range(fit.words.counts.shape[1])], dtype=object)
            past, samples = state.window_past(self.window), attributes["_chain_samples"][0]
            weights = self._weights_of(len(past))
            state, attributes = close_slice(fit, attributes, names, past, weights, self.forget_after)
            if self.window:  # weights are not carried to topics that are not continued
                state = carry_weights(state, fit, samples, self._make_responses())
        return attributes | state.attributes()

    def _resume_attributes(self, fit: Fit) -> dict[str, Any]:
        assert isinstance(fit, SliceFit)
        attributes = super()._resume_attributes(fit)
        if attributes["text_options_"] is None and fit.state.slices:  # a slice of counts
            attributes["text_options_"] = self.text_options_
        return attributes | fit.state.attributes()

    def _set_fitted(self, attributes: dict[str, Any]) -> None:
        for name in {"consumed_", "feature_names_in_"} - set(attributes):
            self.__dict__.pop(name, None)
        super()._set_fitted(attributes)

    def _set_state(self, state: StreamState) -> None:
        """Set the attributes of the state; the topics do not change."""
        for name, value in state.attributes().items():
            setattr(self, name, value)
