"""The result of a comparison of numbers of topics: scores per number, and the rule that recommends one.

The rule is that of one standard error (Breiman, Friedman, Olshen and Stone, 1984): the smallest number of topics whose
held-out likelihood is within one standard error of the best. The error is that of the *difference* from the best,
because all models predict the same held-out documents: whether one document is harder than another does not matter for
numbers of topics. It is the error of *one* fit of each number, because one fit is what will be used, and likelihoods of
two seeds may differ more than those of two numbers of topics. (A chain that is stuck has two topics merged and one
split. Spare topics soften this, so the mean over many seeds is highest above the true number; an error that shrinks
with the number of seeds would follow it there.) So two variances are added: that of the mean over held-out documents,
from the differences of single documents averaged over seeds, and that between seeds, of both numbers.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from plait._utils.wording import counted
from plait.errors import PlaitError

if TYPE_CHECKING:
    import polars

    from plait.plots import Panels


CTRL_C = "by Ctrl-C"  # value of `TopicChoice.stopped`


class Measured(NamedTuple):
    """What was measured of one number of topics."""

    n_topics: int
    likelihoods: np.ndarray  # seeds × held-out documents: sum over the predicted tokens of the document
    coherence: float
    stability: float
    seconds: float


@dataclass(frozen=True)
class Trial:
    """The scores of one number of topics, averaged over seeds.

    Parameters
    ----------
    n_topics : int
        Number of topics.
    log_likelihood : float
        Log-likelihood per token of the held-out documents, by document completion; higher is better.
    standard_error : float
        Standard error of the difference from the best number, for one fit of each: over held-out documents, and
        standard deviation over seeds. Of the best number itself: standard deviation over seeds.
    coherence : float
        Mean NPMI coherence of the topics in the training documents; higher is better.
    stability : float
        Mean similarity of the topics of two seeds, matched one to one, from 0 to 1.
    seconds : float
        Time of all fits with this number; the first fit of a session may include compilation.
    """

    n_topics: int
    log_likelihood: float
    standard_error: float
    coherence: float
    stability: float
    seconds: float


@dataclass(frozen=True, repr=False)
class TopicChoice:
    """The result of `choose_n_topics`; it prints as a table.

    Parameters
    ----------
    rows : tuple of Trial
        One trial per number of topics, smallest number first.
    n_seeds : int
        Number of fits per trial.
    n_documents : int
        Number of documents that were used, training and held-out.
    n_available : int
        Number of documents that were given.
    stopped : str, default ""
        Why not all candidates were tried, such as "by Ctrl-C"; empty if all were.
    """

    rows: tuple[Trial, ...]
    n_seeds: int
    n_documents: int
    n_available: int
    stopped: str = ""

    @property
    def complete(self) -> bool:
        """Whether all candidates were tried."""
        return not self.stopped

    @property
    def best(self) -> int:
        """The number of topics with the highest held-out likelihood; the smallest of several equal ones."""
        return self._best().n_topics

    @property
    def recommended(self) -> int:
        """The smallest number of topics whose held-out likelihood is within one standard error of the best."""
        return self._recommended().n_topics

    @property
    def reason(self) -> str:
        """Why the number is recommended, in one sentence."""
        best, recommended = self._best(), self._recommended()
        if recommended == best:
            text = (
                f"{counted(best.n_topics, 'topic')} had the highest held-out log-likelihood "
                f"({best.log_likelihood:.4f} per token), and no smaller number was within one standard error of it"
            )
        else:
            text = (
                f"{recommended.n_topics:,} is the smallest number of topics whose held-out log-likelihood "
                f"({recommended.log_likelihood:.4f} per token) was within one standard error "
                f"({recommended.standard_error:.4f}) of the best ({best.log_likelihood:.4f}, "
                f"{counted(best.n_topics, 'topic')})"
            )
        if best == self.rows[-1] and len(self.rows) > 1:
            text += "; the best was the largest number tried, so larger ones may be better still"
        if self.stopped:
            text += f"; the comparison was stopped {self.stopped}"
        return text + "."

    def table(self) -> str:
        """Return the trials as plain text, one line each, and the reason; `*` marks the recommended number.

        Returns
        -------
        str
            The table.

        Examples
        --------
        >>> rows = (Trial(10, -7.12, 0.02, 0.1, 0.8, 2.5), Trial(20, -7.02, 0.01, 0.12, 0.95, 5.0))
        >>> print(TopicChoice(rows, n_seeds=3, n_documents=900, n_available=900).table())
          topics  log-likelihood   error    NPMI  stability  seconds
              10         -7.1200  0.0200   0.100       0.80      2.5
        *     20         -7.0200  0.0100   0.120       0.95      5.0
        2 numbers of topics, 3 seeds each, 900 documents, 7.5 s.
        20 topics had the highest held-out log-likelihood (-7.0200 per token), and no smaller number was within one \
standard error of it; the best was the largest number tried, so larger ones may be better still.
        """
        lines = ["  topics  log-likelihood   error    NPMI  stability  seconds"]
        for row in self.rows:
            mark = "*" if row.n_topics == self.recommended else " "
            lines.append(
                f"{mark} {row.n_topics:6,}  {row.log_likelihood:14.4f}  {row.standard_error:6.4f}  "
                f"{row.coherence:6.3f}  {row.stability:9.2f}  {row.seconds:7,.1f}"
            )
        of_all = "" if self.n_documents == self.n_available else f" of {self.n_available:,}"
        lines.append(
            f"{counted(len(self.rows), 'number')} of topics, {counted(self.n_seeds, 'seed')} each, "
            f"{self.n_documents:,}{of_all} documents, {sum(row.seconds for row in self.rows):,.1f} s."
        )
        lines.append(self.reason if self.rows else f"The comparison was stopped {self.stopped}.")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.table()

    __repr__ = __str__

    def to_frame(self) -> polars.DataFrame:
        """Return the trials as a Polars data frame, one row per number of topics.

        Returns
        -------
        polars.DataFrame
            The table.
        """
        import polars

        types = {"int": polars.Int64, "float": polars.Float64}
        schema = {field.name: types[str(field.type)] for field in fields(Trial)}
        return polars.DataFrame([asdict(row) for row in self.rows], schema=schema)

    def to_dict(self) -> dict[str, Any]:
        """Return the choice as plain data; `plait fit` keeps it in the model as `topic_choice_`.

        Returns
        -------
        dict
            "recommended", "best", "reason" and "rows", one dictionary of scores per number of topics.
        """
        return {
            "recommended": self.recommended,
            "best": self.best,
            "reason": self.reason,
            "rows": [asdict(row) for row in self.rows],
        }

    def plot(self, path: str | Path) -> Path:
        """Plot likelihood with error bars, coherence and stability against the number of topics.

        Parameters
        ----------
        path : str or Path
            File to write: .svg, .html (by Plotly, works offline) or .png (by Matplotlib). Both packages come with
            the extra `plots`.

        Returns
        -------
        Path
            The file.
        """
        return self.figure().save(path)

    def figure(self) -> Panels:
        """Return the plot as a figure, which shows itself in a notebook.

        Returns
        -------
        Panels
            Likelihood, coherence and stability.
        """
        from plait.plots import topic_choice

        return topic_choice(self)

    def _repr_html_(self) -> str:
        return self.figure().to_svg() if self.rows else f"<pre>{html.escape(self.table())}</pre>"

    def _best(self) -> Trial:
        if not self.rows:
            raise PlaitError("no candidate was finished before the stop, so there is nothing to choose from")
        return find_best(self.rows)

    def _recommended(self) -> Trial:
        return recommend(self.rows, self._best())


def compare(measured: Sequence[Measured], n_tokens: np.ndarray) -> tuple[Trial, ...]:
    """Return the scores of several numbers of topics, smallest number first.

    Parameters
    ----------
    measured : sequence of Measured
        Likelihoods of the same documents.
    n_tokens : ndarray of shape (held-out documents,)
        Number of predicted tokens of each document.

    Returns
    -------
    tuple of Trial
        One per number.

    Examples
    --------
    >>> few, many = np.full((2, 3), -20.0), np.array([[-10.0, -11, -12], [-10, -11, -12]])
    >>> trials = compare([Measured(2, few, 0, 1, 1), Measured(4, many, 0, 1, 1)], np.array([10, 10, 10]))
    >>> [round(trial.log_likelihood, 3) for trial in trials], round(trials[0].standard_error, 3)
    ([-2.0, -1.1], 0.058)
    """
    in_order = sorted(measured, key=lambda one: one.n_topics)
    total = n_tokens.sum()
    best = max(in_order, key=lambda one: float(one.likelihoods.sum()) / len(one.likelihoods))
    return tuple(
        Trial(
            one.n_topics,
            float(one.likelihoods.sum()) / len(one.likelihoods) / float(total),
            _standard_error(one.likelihoods, best.likelihoods, n_tokens),
            one.coherence,
            one.stability,
            one.seconds,
        )
        for one in in_order
    )


def find_best(trials: Sequence[Trial]) -> Trial:
    """Return the trial with the highest likelihood; the smallest number of topics of several equal ones.

    Parameters
    ----------
    trials : sequence of Trial
        At least one trial.

    Returns
    -------
    Trial
        The best one.
    """
    return max(trials, key=lambda one: (one.log_likelihood, -one.n_topics))


def recommend(trials: Sequence[Trial], best: Trial) -> Trial:
    """Return the trial with the smallest number of topics within one standard error of the best.

    Parameters
    ----------
    trials : sequence of Trial
        Trials, the best among them.
    best : Trial
        The best one.

    Returns
    -------
    Trial
        The recommended one.
    """
    near = [one for one in trials if one.log_likelihood + one.standard_error >= best.log_likelihood]
    return min(near, key=lambda one: one.n_topics)


def _standard_error(likelihoods: np.ndarray, best: np.ndarray, n_tokens: np.ndarray) -> float:
    """Return the standard error of the likelihood per token of one fit, less that of the best number of topics."""
    if likelihoods is best:
        return float(np.sqrt(_seed_variance(best, n_tokens)))
    differences = best.mean(axis=0) - likelihoods.mean(axis=0)
    # The ratio of two sums over documents, differences and tokens: deviations are from the ratio times the tokens.
    deviations = differences - differences.sum() / n_tokens.sum() * n_tokens
    n_documents = len(n_tokens)
    of_documents = n_documents / max(1, n_documents - 1) * float(deviations @ deviations) / float(n_tokens.sum()) ** 2
    return float(np.sqrt(of_documents + _seed_variance(likelihoods, n_tokens) + _seed_variance(best, n_tokens)))


def _seed_variance(likelihoods: np.ndarray, n_tokens: np.ndarray) -> float:
    """Return the variance between seeds of the likelihood per token."""
    return float((likelihoods.sum(axis=1) / n_tokens.sum()).var(ddof=1))
