"""The number of topics: several numbers compared by several fits each, on the same documents."""

from __future__ import annotations

import time
from collections.abc import Iterable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_array

from plait._utils.validation import check_whole
from plait.corpus import Corpus
from plait.engine.fold_in import halve_documents
from plait.errors import PlaitError
from plait.evaluation.choice import CTRL_C, Measured, TopicChoice, Trial, compare, find_best, recommend
from plait.evaluation.progress import ChoiceProgress
from plait.inputs.texts import as_documents
from plait.metrics import topic_stability
from plait.models.base import TopicEstimator
from plait.models.lda import LDA
from plait.priors import align_prior

# Default candidates: each about one and a half times the one before. The search ends at the first that is worse than
# the best by more than one standard error, and then tries the numbers between the recommended one and its neighbours.
_GRID = (2, 3, 5, 8, 12, 18, 27, 40, 60, 90)
_PRIORS = {"alpha": 0.1, "beta": 0.01, "tolerance": 1e-3}  # of LDA, in place of None: the rule was measured with them
_DOCUMENTS_PER_TOPIC, _TOKENS_PER_TOPIC = 5, 100  # at least, for the largest default candidate


class _Documents(NamedTuple):
    """The documents of all fits."""

    training: Any
    held_out: Any
    n_used: int
    n_available: int


class _StoppedError(Exception):
    """The comparison ends before all candidates were tried; the message says why."""


def choose_n_topics(
    X: Any,
    candidates: Iterable[int] | None = None,
    *,
    model: TopicEstimator | None = None,
    n_seeds: int = 5,
    holdout: float | int = 0.2,
    top: int = 10,
    max_tokens: int | None = 500_000,
    time_limit: float | None = 1800.0,
    random_state: int = 0,
    n_jobs: int | None = None,
    verbose: bool = True,
) -> TopicChoice:
    """Compare numbers of topics and recommend one.

    The same documents are held out for all candidates. With each number of topics, models with several seeds are
    fitted to the other documents and scored by

    - the likelihood of the held-out documents: one half of the tokens of each document, the same for all models,
      predicts the other half;
    - NPMI coherence of the top words in the training documents;
    - stability: the topics of two seeds are matched one to one (Hungarian assignment) by the cosine of their word
      distributions.

    Recommended is the smallest number whose likelihood is within one standard error of the best: more topics must gain
    more than other held-out documents or another seed would. Coherence and stability are shown for your own judgement.
    Include 1 in the candidates to see the scores of a model without topics.

    Ctrl-C returns the candidates that are finished.

    Parameters
    ----------
    X : list of str, Corpus, data frame or matrix of shape (documents, words)
        Documents, as `LDA.fit` takes them.
    candidates : iterable of int, optional
        Numbers of topics to try. None tries 2, 3, 5, 8, 12, 18, 27, … up to 90, at most one topic per 5 training
        documents and per 100 tokens, until the likelihood falls by more than one standard error, and then the numbers
        between the recommended one and its neighbours.
    model : TopicEstimator, default LDA()
        Model whose other parameters are used for all fits; it is not changed. Where an LDA would learn α and β, 0.1 and
        0.01 are used, so that candidates differ in nothing but the number of topics.
    n_seeds : int, default 5
        Number of fits per candidate, 2 or more. Their seeds are `random_state`, `random_state` + 1, ….
    holdout : float or int, default 0.2
        Share or number of held-out documents.
    top : int, default 10
        Words per topic for coherence.
    max_tokens : int, optional, default 500,000
        Documents are drawn at random from a corpus with more tokens than this, to bound the time. None uses all
        documents.
    time_limit : float, optional, default 1800
        Seconds. A candidate that would probably end later is not begun; the first one always is. The result then
        depends on the speed of the machine, and says so. None sets no limit.
    random_state : int, default 0
        Seed of the split and of the first fit of each candidate; it replaces the model's own. The same seed gives the
        same result.
    n_jobs : int, optional
        Threads of every fit, -1 for all cores; None for the model's own. Does not change the result.
    verbose : bool, default True
        Whether to show progress on a terminal.

    Returns
    -------
    TopicChoice
        One row per candidate, `recommended` and `reason`; it prints as a table.

    Examples
    --------
    >>> from plait import LDA, Corpus
    >>> corpus = Corpus.from_texts(["river stream water", "stream river", "money loan debt", "loan money money"] * 9)
    >>> choice = choose_n_topics(corpus, [1, 2], model=LDA(alpha=0.1), verbose=False)
    >>> choice.recommended
    2
    """
    for name, value, least in (("n_seeds", n_seeds, 2), ("top", top, 2), ("random_state", random_state, 0)):
        check_whole(name, value, least=least)
    documents = as_documents(X)
    if not isinstance(documents, Corpus):
        documents = check_array(documents, accept_sparse="csr", dtype="numeric")
    split = _split(documents, holdout, max_tokens, random_state)
    numbers = _default_candidates(split.training) if candidates is None else _checked_candidates(candidates)
    changes: dict[str, Any] = {"random_state": random_state, "verbose": False}
    if n_jobs is not None:
        changes["n_jobs"] = n_jobs
    for number in numbers:
        _prepare(model, documents, {**changes, "n_topics": number})
    total = len(numbers) + (2 if candidates is None else 0)
    with ChoiceProgress(verbose, total * n_seeds, time_limit) as progress:
        comparison = _Comparison(model, split, changes, n_seeds, top, _checked_limit(time_limit), progress)
        stopped = ""
        try:
            if candidates is None:
                _search(comparison, numbers)
            else:
                for number in numbers:
                    comparison.measure(number)
        except KeyboardInterrupt:
            stopped = CTRL_C
        except _StoppedError as reason:
            stopped = str(reason)
    return TopicChoice(comparison.trials(), n_seeds, split.n_used, split.n_available, stopped)


class _Comparison:
    """The candidates that were measured so far."""

    def __init__(
        self,
        model: TopicEstimator | None,
        split: _Documents,
        changes: dict[str, Any],
        n_seeds: int,
        top: int,
        time_limit: float | None,
        progress: ChoiceProgress,
    ) -> None:
        self._model = model
        self._split = split
        self._changes = changes
        self._n_seeds = n_seeds
        self._top = top
        self._time_limit = time_limit
        self._progress = progress
        self._start = time.perf_counter()
        self._measured: list[Measured] = []
        self._n_tokens = np.zeros(0)

    def trials(self) -> tuple[Trial, ...]:
        """Return the scores of the candidates so far."""
        return compare(self._measured, self._n_tokens) if self._measured else ()

    def measure(self, n_topics: int) -> None:
        """Fit models with a number of topics and keep their scores."""
        self._check_time(n_topics)
        start = time.perf_counter()
        likelihoods, coherences, topic_words = [], [], []
        for number in range(self._n_seeds):
            self._progress.begin(n_topics, number)
            seed = {"random_state": self._changes["random_state"] + number}
            model = _prepare(self._model, self._split.training, {**self._changes, **seed, "n_topics": n_topics})
            model.fit(self._split.training)
            if model.interrupted_:
                raise KeyboardInterrupt
            likelihoods.append(self._likelihood(model))
            coherences.append(float(model.coherence(self._split.training, top=self._top).mean()))
            topic_words.append(model.topic_word_)
        self._measured.append(
            Measured(
                n_topics,
                np.array(likelihoods),
                float(np.mean(coherences)),
                topic_stability(topic_words),
                time.perf_counter() - start,
            )
        )
        newest = next(one for one in self.trials() if one.n_topics == n_topics)
        self._progress.finish(newest)

    def _likelihood(self, model: TopicEstimator) -> np.ndarray:
        """Return the log-likelihood of each held-out document; the halves are those of the first seed for all fits."""
        counts = model._documents(self._split.held_out, "perplexity").counts
        observed, predicted = halve_documents(counts, model._real, self._changes["random_state"])
        self._n_tokens = np.asarray(predicted.sum(axis=1), dtype=np.float64).ravel()
        if not self._n_tokens.any():
            raise PlaitError("the held-out documents have no two words of the vocabulary; hold out more documents")
        return model._chains().completion_likelihoods(observed, predicted)

    def _check_time(self, n_topics: int) -> None:
        """Stop if a candidate would probably end after the time limit, judged by the one before."""
        if self._time_limit is None or not self._measured:
            return
        last = self._measured[-1]
        expected = last.seconds * max(1.0, n_topics / last.n_topics)
        if time.perf_counter() - self._start + expected > self._time_limit:
            raise _StoppedError(f"at the time limit of {self._time_limit:,.0f} s")


def _search(comparison: _Comparison, grid: list[int]) -> None:
    """Try candidates in ascending order until the likelihood falls, then those beside the recommended one."""
    for number in grid:
        comparison.measure(number)
        trials = comparison.trials()
        best, last = find_best(trials), trials[-1]
        if last.log_likelihood + last.standard_error < best.log_likelihood:
            break
    tried = [trial.n_topics for trial in trials]
    place = tried.index(recommend(trials, best).n_topics)
    for low, high in pairwise(tried):
        between = round(float(np.sqrt(low * high)))
        if tried[place] in (low, high) and low < between < high:
            comparison.measure(between)


def _default_candidates(training: Any) -> list[int]:
    """Return the numbers of topics to try where none are given."""
    counts = training.counts if isinstance(training, Corpus) else training
    largest = min(counts.shape[0] // _DOCUMENTS_PER_TOPIC, int(counts.sum()) // _TOKENS_PER_TOPIC)
    return [number for number in _GRID if number <= max(largest, _GRID[1])]


def _checked_candidates(candidates: Iterable[int]) -> list[int]:
    if isinstance(candidates, (str, bytes)) or not isinstance(candidates, Iterable):
        raise PlaitError(f"candidates must be numbers of topics such as [10, 20, 50], not {candidates!r}")
    numbers = [check_whole("each of candidates", number, least=1) for number in candidates]
    if not numbers:
        raise PlaitError("candidates is empty; give numbers of topics such as [10, 20, 50]")
    repeated = sorted({number for number in numbers if numbers.count(number) > 1})
    if repeated:
        raise PlaitError(f"candidates holds {', '.join(map(str, repeated))} more than once; give each number once")
    return numbers


def _checked_limit(time_limit: float | None) -> float | None:
    number = isinstance(time_limit, (int, float, np.number)) and not isinstance(time_limit, bool)
    if time_limit is not None and not (number and time_limit > 0):
        raise PlaitError(f"time_limit must be a number of seconds above 0, or None for no limit, not {time_limit!r}")
    return time_limit


def _prepare(model: TopicEstimator | None, documents: Any, changes: dict[str, Any]) -> TopicEstimator:
    """Return a copy of the model with other parameters; invalid ones are errors before any fit."""
    if model is None:
        model = LDA()
    if not isinstance(model, TopicEstimator):
        raise PlaitError(f"model must be a model of plait such as LDA(alpha=0.1), not {model!r}")
    estimator: TopicEstimator = clone(model).set_params(**changes)
    if type(estimator) is LDA:
        estimator.set_params(**{name: value for name, value in _PRIORS.items() if getattr(estimator, name) is None})
    n_words = documents.n_words if isinstance(documents, Corpus) else documents.shape[1]
    if n_words < 2:
        raise PlaitError(f"the documents have {n_words} different word(s); coherence needs at least 2")
    estimator._check_parameters()
    estimator._make_mixing().alphas(estimator.n_topics)
    vocabulary = documents.vocabulary if isinstance(documents, Corpus) else None
    align_prior(estimator._make_prior(), vocabulary, estimator.n_topics).pseudo_counts(estimator.n_topics, n_words)
    return estimator


def _split(documents: Any, holdout: float | int, max_tokens: int | None, seed: int) -> _Documents:
    """Return the training documents and the held-out documents, each in their order in the corpus."""
    n_documents = len(documents) if isinstance(documents, Corpus) else documents.shape[0]
    order = np.random.default_rng(seed).permutation(n_documents)
    if max_tokens is not None:
        check_whole("max_tokens", max_tokens, least=1)
        counts = documents.counts if isinstance(documents, Corpus) else documents
        lengths = np.asarray(counts.sum(axis=1)).ravel()[order]
        order = order[: max(2, int((np.cumsum(lengths) <= max_tokens).sum()))]
    n_used = len(order)
    if isinstance(holdout, (float, np.floating)) and 0 < holdout < 1:
        n_held_out = max(1, round(holdout * n_used))
    elif isinstance(holdout, (int, np.integer)) and not isinstance(holdout, bool) and holdout >= 1:
        n_held_out = int(holdout)
    else:
        raise PlaitError(f"holdout must be a share between 0 and 1 or a number of documents, not {holdout!r}")
    if n_held_out >= n_used:
        raise PlaitError(
            f"holdout={holdout!r} takes {n_held_out:,} of {n_used:,} document(s) and leaves none to train on; "
            "hold out less, or give more documents"
        )
    held_out, training = np.sort(order[:n_held_out]), np.sort(order[n_held_out:])
    if isinstance(documents, Corpus):
        return _Documents(documents.select(training), documents.select(held_out), n_used, n_documents)
    return _Documents(documents[training], documents[held_out], n_used, n_documents)
