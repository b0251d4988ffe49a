"""What every evaluation of predictions contains: scores of the model, with and without links, and of a baseline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from plait.errors import PlaitError
from plait.evaluation.training import BaselineTraining

Scores = TypeVar("Scores")


@dataclass(frozen=True, kw_only=True)
class PredictionEvaluation(Generic[Scores]):
    """Scores of a model's predictions beside those of a baseline, for the same documents.

    Parameters
    ----------
    model : object
        Scores of what the model predicts from words.
    linked : object, optional
        Scores of what it predicts from words and links; None without links.
    n_linked : int
        Evaluated documents with links to training documents.
    baseline : object, optional
        Scores of the baseline; None if it was not trained.
    training : BaselineTraining, optional
        Size of the baseline's training set.
    problem : PlaitError, optional
        Why the baseline could not be trained; None if it was, or if no training documents were given.
    """

    model: Scores
    linked: Scores | None = None
    n_linked: int = 0
    baseline: Scores | None = None
    training: BaselineTraining | None = None
    problem: PlaitError | None = None

    @property
    def best(self) -> Scores:
        """Scores of what is predicted from all that is known of the documents: words, and links if given."""
        return self.model if self.linked is None else self.linked
