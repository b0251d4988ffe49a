"""What a fit has chosen for labels on held-out training documents, and why; kept in the model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from plait._utils.arrays import WHOLE, check_array
from plait.errors import PlaitError
from plait.models.labelling.features import LabelFeatures

CHOSEN = "auto"  # value of a parameter that is chosen
DEFAULTS = {"c": 16.0, "class_weight": None, "threshold": 0.0}  # where nothing can be chosen


@dataclass(frozen=True)
class Trial:
    """A cost and class weight that were tried, and how well labels of held-out documents were predicted.

    `score` is the accuracy, or where a document may have several labels the mean of micro and macro F1.
    """

    c: float
    class_weight: str | float | None
    score: float


@dataclass(frozen=True)
class LabelChoice:
    """Settings of labels that a fit used; those that were "auto" are chosen on held-out training documents.

    Attributes
    ----------
    c : float
        Cost of a wrong score.
    class_weight : None, float, dict or "balanced"
        Class weights.
    thresholds : ndarray of shape (labels,) or None
        Score above which a document has a label, where it may have several.
    topic_weight, feature_weight : float
        Weights of both parts of a score.
    topic_share : float
        Share of topics in the standard deviations of both parts of held-out scores.
    tasks : ndarray of int or None
        Labels that chains learn, by number in `classes_`, if there are very many; features score the others. None: all.
    features : LabelFeatures or None
        Machines that score labels by features.
    sigmoids : tuple of ndarray or None
        Slopes and offsets of the curves of `predict_proba`.
    trials : list of Trial
        What was tried, in the order of the trials.
    n_held_out : int
        Training documents that settings were chosen on; 0 if there were too few to choose anything.
    score : float
        Score of the settings on these documents, as in `Trial`.

    Examples
    --------
    >>> print(LabelChoice(c=4.0, trials=[Trial(16.0, None, 0.5), Trial(4.0, None, 0.6)], n_held_out=80, score=0.6))
    c 4 (held-out score 0.500 with 16, 0.600 with 4; 80 documents)
    """

    c: float
    class_weight: Any = None
    thresholds: np.ndarray | None = None
    topic_weight: float = 1.0
    feature_weight: float = 0.0
    features: LabelFeatures | None = None
    sigmoids: tuple[np.ndarray, np.ndarray] | None = None
    trials: list[Trial] | tuple[Trial, ...] = ()
    n_held_out: int = 0
    score: float = 0.0
    topic_share: float = 1.0
    tasks: np.ndarray | None = None

    @property
    def learned_tasks(self) -> tuple[int, ...] | None:
        """The labels that chains learn, by number; None for all."""
        return None if self.tasks is None else tuple(int(task) for task in self.tasks)

    def __str__(self) -> str:
        parts = [f"c {self.c:g}{self._reason()}"]
        if self.class_weight is not None:
            parts.append(f"class weights {self.class_weight}")
        if self.thresholds is not None:
            low, middle, high = np.quantile(self.thresholds, [0.0, 0.5, 1.0])
            parts.append(f"thresholds {low:.2f} to {high:.2f}, median {middle:.2f}")
        kind = "features"
        if self.features is not None:
            kind = "text" if self.features.kind == "text" else f"{self.features.factors.size:,} features"
            parts.append(f"topics {self.topic_share:.0%} and {kind} {1.0 - self.topic_share:.0%} of a score")
        if self.tasks is not None:
            parts.append(f"topics learn the {len(self.tasks)} most frequent labels, {kind} all")
        return "; ".join(parts)

    def _reason(self) -> str:
        if not self.trials:
            return "" if self.n_held_out else " (too few labelled documents to choose)"
        tried = ", ".join(
            f"{one.score:.3f} with {one.c:g}" + (f" and {one.class_weight}" if one.class_weight is not None else "")
            for one in self.trials
        )
        return f" (held-out score {tried}; {self.n_held_out:,} documents)"

    def check_sizes(self, n_tasks: int, n_words: int) -> None:
        """Raise an error unless the arrays have the sizes of a model: they may come from a file.

        Parameters
        ----------
        n_tasks, n_words : int
            Sizes of the model.
        """
        if self.thresholds is not None:
            check_array("thresholds", self.thresholds, (n_tasks,))
        if self.tasks is not None:
            check_array("tasks", self.tasks, (None,), WHOLE, least=0)
            ascending = bool((np.diff(self.tasks) > 0).all())
            if self.features is None or self.tasks.size == 0 or not ascending or self.tasks[-1] >= n_tasks:
                raise PlaitError("the labels that chains learn are not numbers of labels")
        if self.features is not None:
            self.features.check_sizes(n_tasks, n_words)
        if self.sigmoids is not None:
            for numbers in self.sigmoids:
                check_array("curves of probabilities", numbers, (n_tasks,))
        for name in ("c", "topic_weight", "feature_weight", "topic_share"):
            if not (np.isfinite(getattr(self, name)) and getattr(self, name) >= 0):
                raise PlaitError(f"{name} of the chosen settings is {getattr(self, name)}")
