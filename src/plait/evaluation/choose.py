"""The number of topics: several numbers compared on the same documents."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_array

from plait._utils.validation import check_whole
from plait.corpus import Corpus
from plait.errors import PlaitError
from plait.metrics import topic_diversity
from plait.models.base import TopicEstimator
from plait.models.lda import LDA
from plait.priors import align_prior

if TYPE_CHECKING:
    import polars


@dataclass(frozen=True)
class Trial:
    """The scores of one number of topics.

    Parameters
    ----------
    n_topics : int
        Number of topics.
    perplexity : float
        Perplexity of the held-out documents; lower is better.
    npmi : float
        Mean NPMI coherence of the topics in the training documents; higher is better.
    c_v : float
        Mean C_v coherence of the topics in the training documents; higher is better.
    diversity : float
        Share of distinct words among the top words of all topics.
    seconds : float
        Time of the fit; the first fit of a session may include compilation.
    """

    n_topics: int
    perplexity: float
    npmi: float
    c_v: float
    diversity: float
    seconds: float


@dataclass(frozen=True)
class TopicChoice:
    """The result of `choose_n_topics`.

    Parameters
    ----------
    rows : tuple of Trial
        One trial per candidate, in the order of the candidates.
    complete : bool
        Whether all candidates were tried; False after Ctrl-C, when `rows` holds the finished trials.
    """

    rows: tuple[Trial, ...]
    complete: bool

    @property
    def best(self) -> int:
        """The number of topics with the lowest held-out perplexity; the smallest of several equal ones.

        Perplexity tends to favour more topics than people can distinguish. Compare coherence and diversity, too: a
        number with slightly higher perplexity and better coherence may be more useful.
        """
        return min(self._finished(), key=lambda row: (row.perplexity, row.n_topics)).n_topics

    def table(self) -> str:
        """Return the trials as plain text, one line each; `*` marks the best.

        Returns
        -------
        str
            The table.

        Examples
        --------
        >>> print(TopicChoice((Trial(10, 1234.5, 0.1, 0.5, 1, 2.5), Trial(20, 1100, 0.12, 0.4, 0.95, 5)), True).table())
          topics  perplexity    NPMI    C_v  diversity  seconds
              10     1,234.5   0.100  0.500       1.00      2.5
        *     20     1,100.0   0.120  0.400       0.95      5.0
        """
        lines = ["  topics  perplexity    NPMI    C_v  diversity  seconds"]
        for row in self.rows:
            mark = "*" if row.n_topics == self.best else " "
            lines.append(
                f"{mark} {row.n_topics:6,}  {row.perplexity:10,.1f}  {row.npmi:6.3f}  {row.c_v:5.3f}  "
                f"{row.diversity:9.2f}  {row.seconds:7,.1f}"
            )
        if not self.complete:
            lines.append("stopped before all candidates were tried")
        return "\n".join(lines)

    def to_frame(self) -> polars.DataFrame:
        """Return the trials as a Polars data frame, one row each.

        Returns
        -------
        polars.DataFrame
            The table.
        """
        import polars

        types = {"int": polars.Int64, "float": polars.Float64}
        schema = {field.name: types[str(field.type)] for field in fields(Trial)}
        return polars.DataFrame([asdict(row) for row in self.rows], schema=schema)

    def plot(self, path: str | Path) -> Path:
        """Plot perplexity and coherence against the number of topics.

        Parameters
        ----------
        path : str or Path
            File to write: .html (by Plotly, works offline), .png or .svg (by Matplotlib). Both packages come with
            `pip install plait[plots]`.

        Returns
        -------
        Path
            The file.
        """
        from plait._utils.atomic import replace_file
        from plait.report.choice import draw_choice

        place = Path(path)
        drawn = draw_choice(self, place)
        replace_file(place, lambda file: file.write(drawn))
        return place

    def _finished(self) -> tuple[Trial, ...]:
        if not self.rows:
            raise PlaitError("no candidate was finished before the stop, so there is nothing to choose from")
        return self.rows


def choose_n_topics(
    X: Any,
    candidates: Iterable[int],
    *,
    model: TopicEstimator | None = None,
    holdout: float | int = 0.2,
    top: int = 10,
    random_state: int = 0,
    n_jobs: int | None = None,
    verbose: bool = True,
) -> TopicChoice:
    """Return the scores of models with several numbers of topics, and the best number.

    The same documents are held out for all candidates. Each model is fitted to the other documents. Perplexity: one
    half of the tokens of each held-out document predicts the other half. Coherence: co-occurrence of the top words of
    the topics in the training documents. Include 1 in the candidates to see the scores of a model without topics.

    Ctrl-C returns the finished trials.

    Parameters
    ----------
    X : Corpus, array or data frame
        A Corpus, or counts documents × words (sparse, dense or a data frame).
    candidates : iterable of int
        Numbers of topics to try.
    model : TopicEstimator, default LDA()
        Model whose other parameters are used for all fits; it is not changed.
    holdout : float or int, default 0.2
        Share or number of held-out documents.
    top : int, default 10
        Words per topic for coherence and diversity.
    random_state : int, default 0
        Seed of the split and of every fit; it replaces the model's own.
    n_jobs : int, optional
        Threads of every fit, -1 for all cores; None for the model's own. Does not change the result.
    verbose : bool, default True
        Whether to show progress on a terminal.

    Returns
    -------
    TopicChoice
        One row per candidate, and the best number; `print(choice.table())` shows them.

    Examples
    --------
    >>> from plait import LDA, Corpus
    >>> corpus = Corpus.from_texts(["river stream water", "stream river", "money loan debt", "loan money money"] * 9)
    >>> choice = choose_n_topics(corpus, [1, 2], model=LDA(alpha=0.1), verbose=False)
    >>> choice.best
    2
    """
    check_whole("top", top, least=2)
    check_whole("random_state", random_state, least=0)
    documents = X if isinstance(X, Corpus) else check_array(X, accept_sparse="csr", dtype="numeric")
    numbers = _checked_candidates(candidates)
    changes: dict[str, Any] = {"random_state": random_state, "verbose": verbose}
    if n_jobs is not None:
        changes["n_jobs"] = n_jobs
    estimators = [_prepare(model, documents, {**changes, "n_topics": number}) for number in numbers]
    training, held_out = _split(documents, holdout, random_state)
    rows: list[Trial] = []
    try:
        for estimator in estimators:
            trial = _try(estimator, training, held_out, top)
            if trial is None:
                break
            rows.append(trial)
            _print_trial(trial, len(rows), len(numbers), verbose)
    except KeyboardInterrupt:
        pass  # between two fits, or a second Ctrl-C during a fit: the finished trials are returned
    return TopicChoice(tuple(rows), complete=len(rows) == len(numbers))


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


def _prepare(model: TopicEstimator | None, documents: Any, changes: dict[str, Any]) -> TopicEstimator:
    """Return a copy of the model with other parameters; invalid ones are errors before any fit."""
    if model is None:
        model = LDA()
    if not isinstance(model, TopicEstimator):
        raise PlaitError(f"model must be a model of plait such as LDA(alpha=0.1), not {model!r}")
    estimator: TopicEstimator = clone(model).set_params(**changes)
    n_words = documents.n_words if isinstance(documents, Corpus) else documents.shape[1]
    if n_words < 2:
        raise PlaitError(f"the documents have {n_words} different word(s); coherence needs at least 2")
    estimator._check_parameters()
    estimator._make_mixing().alphas(estimator.n_topics)
    vocabulary = documents.vocabulary if isinstance(documents, Corpus) else None
    align_prior(estimator._make_prior(), vocabulary, estimator.n_topics).pseudo_counts(estimator.n_topics, n_words)
    return estimator


def _split(documents: Any, holdout: float | int, seed: int) -> tuple[Any, Any]:
    """Return the training documents and the held-out documents, each in their order in the corpus."""
    n_documents = len(documents) if isinstance(documents, Corpus) else documents.shape[0]
    if isinstance(holdout, (float, np.floating)) and 0 < holdout < 1:
        n_held_out = max(1, round(holdout * n_documents))
    elif isinstance(holdout, (int, np.integer)) and not isinstance(holdout, bool) and holdout >= 1:
        n_held_out = int(holdout)
    else:
        raise PlaitError(f"holdout must be a share between 0 and 1 or a number of documents, not {holdout!r}")
    if n_held_out >= n_documents:
        raise PlaitError(
            f"holdout={holdout!r} takes {n_held_out:,} of {n_documents:,} document(s) and leaves none to train on; "
            "hold out less, or give more documents"
        )
    order = np.random.default_rng(seed).permutation(n_documents)
    held_out, training = np.sort(order[:n_held_out]), np.sort(order[n_held_out:])
    if isinstance(documents, Corpus):
        return documents.select(training), documents.select(held_out)
    return documents[training], documents[held_out]


def _try(estimator: TopicEstimator, training: Any, held_out: Any, top: int) -> Trial | None:
    """Fit one model and return its scores; None if it was interrupted."""
    start = time.perf_counter()
    estimator.fit(training)
    seconds = time.perf_counter() - start
    if estimator.interrupted_:
        return None
    return Trial(
        n_topics=estimator.n_topics,
        perplexity=estimator.perplexity(held_out),
        npmi=float(estimator.coherence(training, measure="npmi", top=top).mean()),
        c_v=float(estimator.coherence(training, measure="c_v", top=top).mean()),
        diversity=topic_diversity([topic.words for topic in estimator.topics(top)]),
        seconds=seconds,
    )


def _print_trial(trial: Trial, number: int, total: int, verbose: bool) -> None:
    """Print a finished trial above the progress bar of the next fit."""
    if verbose and sys.stderr.isatty():
        scores = f"perplexity {trial.perplexity:,.1f}, NPMI {trial.npmi:.3f}, C_v {trial.c_v:.3f}"
        print(f"{number} of {total}: {trial.n_topics:,} topics, {scores}, {trial.seconds:,.1f} s", file=sys.stderr)
