"""OLDA: topics that live on from slice to slice of a stream, what they held before being the prior of what comes.

AlSumait, Wang, Domeniconi and Barbará (2010), *Embedding semantics in LDA topic models*, sections 10.3.3 and 10.5.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
import scipy.sparse as sparse
from sklearn.utils.validation import check_is_fitted

from plait._utils.validation import check_whole
from plait.corpus import Corpus
from plait.errors import PlaitError
from plait.inputs.words import Words, fingerprint
from plait.metrics import Perplexity
from plait.mixing import Mixing, OwnDocument
from plait.models.base import ChainPlan, Fit, _seed
from plait.models.online.answers import StreamAnswers
from plait.models.online.consumed import Consumed
from plait.models.online.counts import doc_repeats, mean_counts, with_new_words, without_words
from plait.models.online.evolution import compare, find_risen, first_risen, novelty_of
from plait.models.online.growing import holds_no_words, lay_onto, seen_in
from plait.models.online.parts import Part, cut_into_parts, named_by_days, time_span
from plait.models.online.record import KnownWords, Slice
from plait.models.topic_model import Inputs, TopicModel
from plait.priors import AnyPrior, HistoryPrior, align_prior, as_prior, spread_weights
from plait.responses.base import ChainResponse
from plait.responses.carried import Carried
from plait.samplers import Sampler
from plait.samplers.random import stream_key

_TOTAL_WEIGHT = 1.0  # of history, where `weights` is None
_KEPT_WORDS = 20  # first words of each topic that are kept of every slice


class OnlineLDA(StreamAnswers, TopicModel):
    """Topics of a stream of documents: each slice goes on with the topics of the slices before it.

    A topic keeps its number through time. Before a slice is learnt, its topics expect of words what they held in the
    last `window` slices, times `weights`; words that are new are possible by `beta`. Nothing is learnt twice, and the
    past is kept as counts of the window only.

    What changed: `emerging`, `fading`, `drift`, `trend`, `words_over_time`, `evolution` (docs/online.md).

    `perplexity(next_slice)` before `partial_fit(next_slice)` tells how well the stream foresees it. Words that the
    model does not know are words that may come: they count, with what `beta` expects of them.

    Parameters
    ----------
    n_topics
        How many topics to learn; it stays the same for all slices.
    window
        δ: how many past slices a slice builds on; 0 learns every slice alone, with the fixed prior `beta`.
    weights
        How much history counts for beside the present: the total over the window, or one number for each of its
        slices, oldest first (ω). None is a total of 1, which balances slices of equal sizes.
    decay
        With a total: how much a slice counts for relative to the one after it; 1 spreads the total evenly.
    history
        "counts": how often topics held words; "distributions": the same divided by each topic's sum, as the paper's
        formulas have it. Counts predict the next slice far better (docs/online.md).
    alpha, beta
        How evenly a document spreads over topics, and a topic over words that it does not know from its window (b in
        the paper): numbers, arrays or, for beta, a prior.
    responses
        What topics must explain besides words, as in `TopicModel`. What a slice learns of their weights is what the
        next one expects of them; labels are known by their names, and predicted are those of the last slice.
    cached
        As for `TopicModel`.
    forget_after
        Words that so many slices did not hold are known no more; None keeps all. A number at least as large as the
        window loses nothing that the prior knows.
    n_sweeps, n_samples, sample_every, tolerance, sampler, learn_alpha, fold_in_sweeps, n_shards, n_jobs
        As for `LDA`; sweeps are those of each slice.
    random_state, verbose
        As for `LDA`.

    Attributes
    ----------
    slices_ : list of Slice
        What is kept of every slice: label, sizes, new words, tokens and drift of each topic, its first words.
    new_words_ : list of str
        Words of the last slice that no slice before held, most frequent first.
    topic_word_, vocabulary_, alpha_, history_ …
        As for `LDA`, after the last slice; `vocabulary_` has the words of all slices, and `history_` no seconds.
    consumed_ : Consumed
        Which documents `plait stream` has taken from where; no other learning sets it.
    doc_topic_, doc_ids_
        Topics of the documents of the last slice; after `fit`, of all its slices, one after the other.

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

    # Words draw from their own document, and β is a table as soon as there is history.
    mixing: None = None
    prior: None = None
    n_chains = 1
    learn_beta = False
    consumed_: Consumed

    def __init__(
        self,
        n_topics: int = 50,
        *,
        window: int = 3,
        weights: Any = None,
        decay: float = 1.0,
        history: Literal["counts", "distributions"] = "counts",
        alpha: Any = 0.1,
        beta: Any = 0.01,
        responses: Any = (),
        cached: bool | None = None,
        forget_after: int | None = None,
        sampler: str | Sampler = "plain",
        n_sweeps: int = 200,
        n_samples: int = 5,
        sample_every: int = 5,
        tolerance: float = 1e-3,
        learn_alpha: bool = False,
        fold_in_sweeps: int = 20,
        n_shards: int | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: bool = True,
    ) -> None:
        self.n_topics = n_topics
        self.window = window
        self.weights = weights
        self.decay = decay
        self.history = history
        self.alpha = alpha
        self.beta = beta
        self.responses = responses
        self.cached = cached
        self.forget_after = forget_after
        self.sampler = sampler
        self.n_sweeps = n_sweeps
        self.n_samples = n_samples
        self.sample_every = sample_every
        self.tolerance = tolerance
        self.learn_alpha = learn_alpha
        self.fold_in_sweeps = fold_in_sweeps
        self.n_shards = n_shards
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def partial_fit(
        self,
        X: Any,
        y: Any = None,
        *,
        links: Any = None,
        values: Any = None,
        label: str | None = None,
        in_order: bool = True,
        ahead: bool = False,
    ) -> Self:
        """Learn the next slice of the stream.

        It is learnt whole or not at all: after an error the model is as it was before. Ctrl-C stops it at the end of a
        sweep; `resume` with the same slice goes on. A slice without words is noted, and changes nothing else.

        Parameters
        ----------
        X
            The slice: a Corpus, or counts documents × words. Words that are new are added.
        y, links, values
            What the responses explain, as in `TopicModel.fit`.
        label
            What to call the slice; by default the days of its documents, or its number.
        in_order
            Refuse a slice with documents from before the end of the slice that was learnt last.
        ahead
            Predict the slice's words before they are learnt, and note their perplexity in `slices_`.
        """
        self._check_parameters()
        self._check_stream()
        trial = copy.copy(self)
        if not hasattr(self, "slices_"):
            trial._begin()
        trial._learn(Part(label, X, Inputs(y, values, links)), in_order=in_order, ahead=ahead)
        self.__dict__ = trial.__dict__
        return self

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        times: Any = None,
        links: Any = None,
        values: Any = None,
        ahead: bool = False,
        on_error: Literal["raise", "skip"] = "raise",
        checkpoint: str | Path | None = None,
        checkpoint_every: int = 50,
    ) -> Self:
        """Forget everything, and learn the slices of a collection one after the other.

        Parameters
        ----------
        X
            A Corpus whose documents have times, or counts documents × words, which are one slice.
        y, links, values
            What the responses explain, as in `TopicModel.fit`, for all documents.
        times
            How to cut: "day", "week", "month" or "year"; a number of slices with about as many documents each; or
            the edges between slices. None learns all documents as one slice.
        ahead
            Predict each slice's words before they are learnt, and note their perplexity in `slices_`.
        on_error
            Whether a document without a time, or outside the edges, is an error or left out.
        checkpoint, checkpoint_every
            A file that the unfinished model is saved to every so many sweeps. After a crash load it and `resume`.
        """
        self._check_parameters()
        parts = list(cut_into_parts(X, Inputs(y, values, links), times, on_error))
        fresh = copy.copy(self)
        fresh._begin()
        fresh._gathered = []
        fresh._learn(parts[0], checkpoint=checkpoint, checkpoint_every=checkpoint_every)
        self.__dict__ = fresh.__dict__
        self._learn_rest(parts, ahead, checkpoint, checkpoint_every)
        return self

    def resume(
        self,
        X: Any,
        y: Any = None,
        *,
        times: Any = None,
        links: Any = None,
        values: Any = None,
        ahead: bool = False,
        on_error: Literal["raise", "skip"] = "raise",
        checkpoint: str | Path | None = None,
        checkpoint_every: int = 50,
    ) -> Self:
        """Go on where Ctrl-C or a crash stopped the learning of a slice, to the bits of a fit that never was stopped.

        Give what was being learnt: the slice of `partial_fit`, or the whole collection of `fit` with its `times`.
        """
        check_is_fitted(self)
        if self._unfinished is None and (times is None or self._gathered is None):
            raise PlaitError("no slice was stopped, so there is nothing to resume; give the next one to partial_fit")
        parts = list(cut_into_parts(X, Inputs(y, values, links), times, on_error))
        if times is not None:
            self._check_learnt(parts)
        if self._unfinished is not None:
            trial = copy.copy(self)
            trial._finish(parts[0 if times is None else len(self.slices_)], checkpoint, checkpoint_every)
            self.__dict__ = trial.__dict__
        if times is not None:
            self._learn_rest(parts, ahead, checkpoint, checkpoint_every)
        return self

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_whole("window", self.window, least=0)
        if self.history not in ("counts", "distributions"):
            raise PlaitError(f"history must be 'counts' or 'distributions', not {self.history!r}", parameter="history")
        if self.forget_after is not None:
            check_whole("forget_after", self.forget_after, least=1)
        self._weights_of(self.window)

    def _check_stream(self) -> None:
        """Refuse to go on with a stream that cannot be gone on with."""
        if getattr(self, "_unfinished", None) is not None:
            raise PlaitError(
                f"slice {len(self.slices_)} was stopped before it was learnt; resume it with the same documents first"
            )
        if hasattr(self, "topic_word_") and self.topic_word_.shape[0] != self.n_topics:
            raise PlaitError(
                f"the stream has {self.topic_word_.shape[0]} topics, and n_topics is {self.n_topics} now: topics live "
                "on from slice to slice, so their number stays; set it back, or fit a new model"
            )

    def _weights_of(self, n_past: int) -> list[float]:
        total = _TOTAL_WEIGHT if self.weights is None else self.weights
        return spread_weights(total, self.decay, self.window, n_past)

    def _begin(self) -> None:
        """Forget what was learnt."""
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)
        self._unfinished = None
        self.seed_ = _seed(self.random_state)
        self.slices_: list[Slice] = []
        self._known_words: KnownWords | None = None
        self._past: list[np.ndarray] = []  # topics × words of the last slices, as many as the window needs and one more
        self._opened: tuple[str, str | None, str | None] = ("", None, None)  # label, first and last time
        self.new_words_: list[str] = []
        self._ahead: float | None = None
        self._carried: dict[str, Carried] = {}  # weights of responses, by what they explain
        self._gathered: list[tuple[np.ndarray, np.ndarray | None]] | None = None  # θ and ids of each slice, in a fit

    def _learn_rest(self, parts: list[Part], ahead: bool, checkpoint: str | Path | None, checkpoint_every: int) -> None:
        """Learn the slices of a collection that are still to be learnt, until one is stopped."""
        while not self.interrupted_ and len(self.slices_) < len(parts):
            trial = copy.copy(self)
            trial._learn(parts[len(self.slices_)], True, ahead, checkpoint, checkpoint_every)
            self.__dict__ = trial.__dict__
        if not self.interrupted_ and self._gathered is not None:
            self.doc_topic_ = np.concatenate([shares for shares, _ in self._gathered])
            ids = [names for _, names in self._gathered if names is not None]
            self.doc_ids_ = np.concatenate(ids) if ids else None
            self._gathered = None

    def _check_learnt(self, parts: list[Part]) -> None:
        """Make sure that the slices which were learnt are the first of those that are given."""
        learnt = [one.label for one in self.slices_]
        if learnt != [part.label for part in parts[: len(learnt)]]:
            raise PlaitError("these are not the slices that the fit began with; give the same collection and times")

    def _learn(
        self,
        part: Part,
        in_order: bool = True,
        ahead: bool = False,
        checkpoint: str | Path | None = None,
        checkpoint_every: int = 50,
    ) -> None:
        begun = self._known_words is not None
        if holds_no_words(part.X) and (begun or isinstance(part.X, Corpus)):
            self._note_empty(part)
            return
        self._open(part, in_order)
        self._ahead = self.perplexity(part.X) if ahead else None
        words = self._training_words(part.X)
        if self._known_words is not None and words.counts.indices.min() >= self._known_words.size:
            warnings.warn(
                f"no word of {self._opened[0]} was in any slice before, so it cannot go on with their topics; are "
                "these documents of the same language, and cut into words alike?",
                stacklevel=3,
            )
        given = self._read_targets(part.X, part.inputs, words)
        self._corpus_fingerprint = fingerprint(words.counts, *self._target_arrays(given))
        self._go_on(Fit(words, given), None, checkpoint, checkpoint_every)

    def _finish(self, part: Part, checkpoint: str | Path | None, checkpoint_every: int) -> None:
        """Go on with the slice that was stopped."""
        opened = self._opened
        self._open(part, in_order=False)
        self._opened = opened
        super().resume(
            part.X,
            part.inputs.labels,
            links=part.inputs.links,
            values=part.inputs.values,
            checkpoint=checkpoint,
            checkpoint_every=checkpoint_every,
        )

    def _open(self, part: Part, in_order: bool) -> None:
        """Note what the slice is called and when it was, before it is learnt."""
        number = len(self.slices_)
        begins, ends = time_span(part.X)
        if in_order and begins is not None:
            before = [one.ends for one in self.slices_ if one.ends is not None]
            if before and begins < before[-1]:
                raise PlaitError(
                    f"this slice begins on {begins}, before the end of the slice learnt last ({before[-1]}); give "
                    "slices in their order, or in_order=False to learn late documents with the present",
                    parameter="in_order",
                )
        self._opened = (part.label or named_by_days(begins, ends) or f"slice {number}", begins, ends)

    def _note_empty(self, part: Part) -> None:
        if not hasattr(self, "topic_word_"):
            raise PlaitError(
                "the first slice holds no words, so there is nothing to begin with; begin with one that does"
            )
        nothing = np.full(self.n_topics, np.nan)
        last = next(one for one in reversed(self.slices_) if not one.empty)
        record = Slice(
            number=len(self.slices_),
            label=f"slice {len(self.slices_)}" if part.label is None else part.label,
            begins=None,
            ends=None,
            n_documents=part.X.shape[0] if sparse.issparse(part.X) else len(part.X),
            n_tokens=0.0,
            n_new_words=0,
            n_forgotten_words=0,
            seed=self._slice_seed(),
            topic_tokens=np.zeros(self.n_topics),
            topic_repeats=np.zeros(self.n_topics),
            drift=nothing,
            noise=nothing,
            novelty=nothing,
            risen=last.risen[:, :0],
            words=last.words[:, :0],
            probabilities=last.probabilities[:, :0],
        )
        self.slices_ = [*self.slices_, record]
        self.new_words_ = []

    def _slice_seed(self) -> int:
        number = len(self.slices_)
        return self.seed_ if number == 0 else int(stream_key(self.seed_, "slice", number))

    def _chain_seed(self, plan: ChainPlan) -> int:
        return self._slice_seed()

    def _training_words(self, X: Any) -> Words:
        words = lay_onto(self, X, self._real, self._known_words)
        if self.forget_after is not None and words.vocabulary is None:
            raise PlaitError(
                "forget_after takes words out of the vocabulary, but columns of a matrix keep their places; give a "
                "Corpus or a data frame with names of words, or leave forget_after out",
                parameter="forget_after",
            )
        return words

    def _window_past(self) -> list[np.ndarray]:
        """Return the past slices that the next one builds on, oldest first."""
        past: list[np.ndarray] = getattr(self, "_past", [])  # none before the first slice
        return past[max(len(past) - self.window, 0) :] if self.window else []

    def _make_mixing(self) -> Mixing:
        return OwnDocument(self.alpha)

    def _make_prior(self) -> AnyPrior:
        past = self._window_past()
        if not past:
            return as_prior(self.beta)
        return HistoryPrior(past, self._weights_of(len(past)), self.beta, self.history)

    def _plans(self, given: Any) -> list[ChainPlan]:
        return [ChainPlan(0, 0)]

    def _responses(self, given: Mapping[str, Any], plan: ChainPlan) -> list[ChainResponse]:
        responses = []
        for one in self._explained:
            carried = self._carried.get(one.kind)
            mean = None if carried is None else one.expected(carried, given[one.kind])
            responses.append(one.make(given[one.kind], exact=self._exact, mean=mean))
        return responses

    def _take_over(self, fit: Fit, *chain_and_plans: Any, finished: bool) -> None:
        super()._take_over(fit, *chain_and_plans, finished=finished)
        if finished:
            self._close(fit)

    def _close(self, fit: Fit) -> None:
        """Keep what the next slices need of the one that was just learnt."""
        number, n_before = len(self.slices_), 0 if self._known_words is None else self._known_words.size
        now, past = mean_counts(self._chain_samples[0]), self._window_past()
        weights = self._weights_of(len(past))
        drift, noise = compare(now, past, weights)
        squares = np.asarray(fit.words.counts.astype(np.float64).power(2).sum(axis=0)).ravel()
        risen = find_risen(now, past, weights, squares)
        names, known = self._word_names(), seen_in(fit.words, self._known_words, number)
        new = n_before + np.argsort(-self.word_counts_[n_before:], kind="stable")
        new = new[self.word_counts_[new] > 0]
        kept = np.ones(known.size, dtype=bool)
        if self.forget_after is not None:
            kept = known.last_seen > number - self.forget_after
        first = np.argsort(-self.topic_word_, axis=1, kind="stable")[:, :_KEPT_WORDS]
        label, begins, ends = self._opened
        record = Slice(
            number=number,
            label=label,
            begins=begins,
            ends=ends,
            n_documents=fit.words.counts.shape[0],
            n_tokens=float(fit.words.counts.sum(dtype=np.float64)),
            n_new_words=new.size,
            n_forgotten_words=int((~kept).sum()),
            seed=self._slice_seed(),
            topic_tokens=now.sum(axis=1, dtype=np.float64),
            topic_repeats=doc_repeats(fit.words, self.doc_topic_),
            drift=drift,
            noise=noise,
            novelty=novelty_of(risen, now),
            risen=first_risen(risen, names, self.n_topics),
            words=np.array([[str(names[word]) for word in row] for row in first], dtype=object),
            probabilities=np.take_along_axis(self.topic_word_, first, axis=1).astype(np.float32),
            perplexity=self._ahead,
        )
        self.slices_ = [*self.slices_, record]
        # The clock's time would tell apart the files of a stream that was stopped and of one that never was.
        self.history_ = [sweep._replace(seconds=0.0) for sweep in self.history_]
        self.new_words_ = [str(names[word]) for word in new]
        self._known_words = known
        self._past = [*past, now]
        if self.window:  # weights say nothing of topics that do not go on
            for place, one in enumerate(self._explained):
                learnt = np.mean([sample.weights[place] for sample in self._chain_samples[0]], axis=0)
                carried = one.carry(fit.given[one.kind], learnt, self._carried.get(one.kind))
                self._carried = self._carried | {one.kind: carried}
        if self._gathered is not None:
            self._gathered = [*self._gathered, (self.doc_topic_, self.doc_ids_)]
        if not kept.all():
            self._forget(kept)

    def _forget(self, kept: np.ndarray) -> None:
        """Take words out of everything that lists them."""
        assert self._known_words is not None
        assert self._known_words.names is not None
        self._known_words = KnownWords(self._known_words.names[kept], self._known_words.last_seen[kept])
        self._past = [counts[:, kept[: counts.shape[1]]] for counts in self._past]
        self._chain_samples = [[without_words(sample, kept) for sample in samples] for samples in self._chain_samples]
        self.topic_word_ = self.topic_word_[:, kept] / self.topic_word_[:, kept].sum(axis=1, keepdims=True)
        self.word_counts_ = self.word_counts_[kept]
        self.vocabulary_ = self._known_words.names
        self.beta_ = self._chain_samples[0][-1].beta
        self.n_features_in_ = self._known_words.size
        if hasattr(self, "feature_names_in_"):
            self.feature_names_in_ = self._known_words.names

    def _predict_words(self, X: Any, method: str, links: Any = None) -> Perplexity:
        check_is_fitted(self)
        if self._known_words is None or self._unfinished is not None or holds_no_words(X):
            return super()._predict_words(X, method, links)
        wider = copy.copy(self)
        words = lay_onto(wider, X, self._real, self._known_words)
        if words.counts.shape[1] > self._known_words.size:
            base = align_prior(as_prior(self.beta), words.vocabulary, self.n_topics)
            beta = base.pseudo_counts(self.n_topics, words.counts.shape[1])
            wider._chain_samples = [
                [with_new_words(sample, words.counts.shape[1], beta) for sample in samples]
                for samples in self._chain_samples
            ]
        return super(OnlineLDA, wider)._predict_words(words.counts, method, links)
