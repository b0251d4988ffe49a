"""OLDA: topics of a stream, learned slice by slice; past topic–word counts are the prior of the next slice.

AlSumait, Wang, Domeniconi and Barbará (2010), *Embedding semantics in LDA topic models*, sections 10.3.3 and 10.5.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, Literal, Self

from sklearn.utils.validation import check_is_fitted

from plait.corpus import Corpus
from plait.errors import PlaitError
from plait.inputs.texts import as_documents, check_same_reading
from plait.inputs.vocabulary import pipeline_words
from plait.metrics import Perplexity
from plait.models.fitting import Checkpoints, make_seed
from plait.models.folding import FittedChains, check_method
from plait.models.inputs import Documents, Inputs
from plait.models.online import methods
from plait.models.online.counts import with_new_words
from plait.models.online.growing import align_slice, holds_no_words
from plait.models.online.learning import SliceLearner
from plait.models.online.pending import PendingSlice, cut_into_slices
from plait.models.online.state import StreamState
from plait.models.parameters import declare_parameters
from plait.models.shared_docs import shared_docs
from plait.priors import align_prior, as_prior
from plait.responses import Response


@declare_parameters
class OnlineLDA(SliceLearner):
    """Topics of a stream of documents: each slice continues the topics of the slices before it.

    A topic keeps its number over time. The prior of a slice is the topic–word counts of the last `window` slices, times
    `history_weights`, plus `beta`, which makes new words possible. No slice is learned twice, and of the past only the
    counts of the window are kept.

    What changed: `emerging`, `fading`, `drift`, `trend`, `words_over_time`, `evolution` (docs/online.md).

    `perplexity(next_slice)` before `partial_fit(next_slice)` measures how well the stream predicts it. Words that the
    model does not know are included, with the probability that `beta` gives them.

    Parameters
    ----------
    n_topics : int, default 50
        Number of topics; it is the same for all slices.
    window : int, default 3
        δ: number of past slices that a slice builds on; 0 learns every slice alone, with the fixed prior `beta`.
    history_weights : float, sequence of float or None, default None
        Weight of the past relative to the present: the total over the window, or one number per slice of the window,
        oldest first (ω). None is a total of 1, which balances slices of equal size.
    decay : float, default 1.0
        With a total: weight of a slice relative to the slice after it; 1 spreads the total evenly.
    history_form : {"counts", "distributions", "smoothed"}, default "counts"
        "counts": topic–word counts; "distributions": counts divided by the sum of each topic, as in the formulas of the
        paper; "smoothed": the same with `beta` within the distributions and, by itself, for new words only. Counts
        predict the next slice far better (docs/online.md).
    beta : float, array-like or prior, default 0.01
        Dirichlet prior on topic–word distributions without history (b in the paper): one number, one per word, an array
        topics × words, or a prior.
    responses : sequence of LabelResponse, ValueResponse and LinkResponse, default ()
        What topics explain besides words, as in `TopicModel`. The weights that a slice learns are the prior mean of
        those of the next slice; labels are matched by name. Predicted labels are those of the last slice.
    forget_after : int or None, default None
        Words that this many slices did not have are removed; None keeps all. With a number at least as large as the
        window, the prior loses nothing.
    n_sweeps : int, default 200
        Maximum number of burn-in sweeps per slice.

    Attributes
    ----------
    slices_ : list of Slice
        A record of every slice: label, sizes, new words, tokens and drift of each topic, its top words.
    new_words_ : list of str
        Words of the last slice that no earlier slice had, most frequent first.
    topic_word_, vocabulary_, alpha_, history_ …
        As in `LDA`, after the last slice; `vocabulary_` has the words of all slices, and `history_` has no seconds.
    consumed_ : Consumed
        The documents that `plait stream` has read; only that command sets it.
    doc_topic_, doc_ids_, documents_
        Topic proportions, ids and titles of the documents of the last slice; after `fit`, of all slices, in order.

    Examples
    --------
    >>> from plait import Corpus, OnlineLDA
    >>> model = OnlineLDA(n_topics=2, window=1, random_state=0, verbose=False)
    >>> monday = Corpus.from_texts(["river stream bank", "stream river", "money loan bank", "loan money money"] * 9)
    >>> model = model.partial_fit(monday, label="Monday")
    >>> tuesday = Corpus.from_texts(["river delta", "stream delta river", "loan money", "money loan loan"] * 9)
    >>> model = model.partial_fit(tuesday, label="Tuesday")
    >>> model.new_words_
    ['delta']
    >>> [one.label for one in model.slices_]
    ['Monday', 'Tuesday']
    """

    n_topics: int = field(default=50, kw_only=False)
    window: int = 3
    history_weights: Any = None
    decay: float = 1.0
    history_form: Literal["counts", "distributions", "smoothed"] = "counts"
    alpha: Any = 0.1
    beta: Any = 0.01
    responses: Sequence[Response] = ()
    cached: bool | None = None
    forget_after: int | None = None

    def partial_fit(
        self, X: Any, y: Any = None, *, links: Any = None, values: Any = None, label: str | None = None,
        in_order: bool = True, ahead: bool = False,
    ) -> Self:  # fmt: skip
        """Learn the next slice of the stream.

        After an error the model is as it was before. Ctrl-C stops at the end of a sweep; `resume` with the same slice
        continues. A slice without words is recorded and changes nothing else.

        Parameters
        ----------
        X : list of str, Corpus, data frame or matrix of shape (documents, words)
            The slice; texts are read as those of the slices before. New words are added to the vocabulary.
        y, links, values : array-like or matrix, optional
            What the responses explain, as in `TopicModel.fit`.
        label : str, optional
            Label of the slice; None: the days of its documents, or its number.
        in_order : bool, default True
            Reject a slice with documents from before the end of the slice learned last.
        ahead : bool, default False
            Predict the words of the slice before it is learned, and record their perplexity in `slices_`.

        Returns
        -------
        self
            The model.
        """
        self._check_parameters()
        self._check_stream()
        state = StreamState.of(self) if hasattr(self, "slices_") else StreamState(make_seed(self.random_state))
        X = self._read_slice(X, state)
        return self._learn_slice(state, PendingSlice(label, X, Inputs(y, values, links)), in_order, ahead)

    @shared_docs
    def fit(
        self, X: Any, y: Any = None, *, times: Any = None, links: Any = None, values: Any = None, ahead: bool = False,
        on_error: Literal["raise", "skip"] = "raise", checkpoint: str | Path | None = None, checkpoint_every: int = 50,
    ) -> Self:  # fmt: skip
        """Start over, and learn the slices of a collection one after the other.

        Parameters
        ----------
        X : list of str, Corpus, data frame or matrix of shape (documents, words)
            A Corpus or data frame whose documents have times; texts and counts are one slice.
        y, links, values : array-like or matrix, optional
            What the responses explain, as in `TopicModel.fit`, for all documents.
        times : str, int, sequence or None
            How to cut: "day", "week", "month" or "year"; a number of slices with about equal numbers of documents; or
            the edges between slices. None learns all documents as one slice.
        ahead : bool, default False
            Predict the words of each slice before it is learned, and record their perplexity in `slices_`.
        on_error : {"raise", "skip"}, default "raise"
            Whether a document without a time, or outside the edges, is an error or left out.
        <checkpoint>

        Returns
        -------
        self
            The fitted model.
        """
        self._check_parameters()
        pending = list(cut_into_slices(as_documents(X), Inputs(y, values, links), times, on_error))
        checkpoints = Checkpoints(checkpoint, checkpoint_every)
        state = StreamState(make_seed(self.random_state), gathered=[])
        with checkpoints.lock():
            self._learn_slice(state, pending[0], checkpoints=checkpoints)
            self._learn_rest(pending, ahead, checkpoints)
        if self.vocabulary_ is None:
            self.vocabulary_ = pipeline_words(self, self.topic_word_.shape[1])
        return self

    def resume(
        self, X: Any, y: Any = None, *, times: Any = None, links: Any = None, values: Any = None, ahead: bool = False,
        on_error: Literal["raise", "skip"] = "raise", checkpoint: str | Path | None = None, checkpoint_every: int = 50,
    ) -> Self:  # fmt: skip
        """Resume an interrupted slice. The result is bit-identical to that of an uninterrupted fit.

        Give what was being learned: the slice of `partial_fit`, or the whole collection of `fit` with its `times`.

        Returns
        -------
        self
            The model.
        """
        if vars(self).get("_unfinished") is None:
            check_is_fitted(self)
        if self._unfinished is None and (times is None or self._gathered is None):
            raise PlaitError("no slice was interrupted, so there is nothing to resume; give the next to partial_fit")
        X = as_documents(X) if times is not None else self._read_slice(X, StreamState.of(self))
        pending = list(cut_into_slices(X, Inputs(y, values, links), times, on_error))
        checkpoints = Checkpoints(checkpoint, checkpoint_every)
        if times is not None:
            self._check_same_slices(pending)
        with checkpoints.lock():
            if self._unfinished is not None:
                self._resume_slice(pending[0 if times is None else len(self.slices_)], checkpoints)
            return self if times is None else self._learn_rest(pending, ahead, checkpoints)

    emerging, fading = methods.emerging, methods.fading
    drift, trend = methods.drift, methods.trend
    words_over_time, evolution = methods.words_over_time, methods.evolution

    def _word_likelihood(self, X: Any, method: str, links: Any = None) -> Perplexity:
        check_is_fitted(self)
        X = as_documents(X, like=self)
        if isinstance(X, Corpus):
            check_same_reading(self, X)
        if self._known_words is None or self._unfinished is not None or holds_no_words(X):
            return super()._word_likelihood(X, method, links)
        check_method(method)
        words, _ = align_slice(copy.copy(self), X, self._real, self._known_words)
        n_words, samples = words.counts.shape[1], self._chain_samples
        if n_words == self._known_words.size:
            return self._chains().perplexity(Documents(words.counts), method)
        base = align_prior(as_prior(self.beta), words.vocabulary, self.n_topics)
        beta = base.pseudo_counts(self.n_topics, n_words)
        wider = [[with_new_words(sample, n_words, beta) for sample in own] for own in samples]
        chains = FittedChains(wider, self._chain_groups, self._fold_in_settings(self.seed_))
        return chains.perplexity(Documents(words.counts), method)
