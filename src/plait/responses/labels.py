"""Labels that topics must explain: what a wrong value of a label costs, and how labels are read.

Zhu, Zheng, Zhou and Zhang (2013), *Scalable inference in max-margin topic models*.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from plait._utils.validation import check_above_zero
from plait.corpus import Corpus
from plait.errors import PlaitError
from plait.inputs.class_weights import weigh_classes
from plait.inputs.targets import Targets, read_targets
from plait.inputs.words import Words
from plait.responses.base import Response
from plait.responses.calibration import set_aside_labels
from plait.responses.carried import Carried
from plait.responses.linear.targets import ChainTargets
from plait.responses.losses import Loss, make_loss


class GivenLabels(NamedTuple):
    """The labels of a fit."""

    targets: Targets
    seen: np.ndarray  # signs without those that are set aside for calibration


@dataclass(frozen=True)
class LabelResponse(Response):
    """Topics must tell the labels of documents: one class of many, or several labels each.

    Parameters
    ----------
    c, ell, nu, class_weight, loss, threshold, calibrate, min_documents
        As for `MedLDA`, which documents them.

    Examples
    --------
    >>> LabelResponse(c=4.0, loss="logistic").make_loss()
    Logistic()
    """

    c: float = 16.0
    ell: float = 1.0
    nu: float = 1.0
    class_weight: Any = None
    loss: str = "hinge"
    threshold: float = 0.0
    calibrate: float = 0.0
    min_documents: int = 2

    kind = "labels"

    def check(self) -> None:
        """Refuse parameters that cannot work."""
        check_above_zero("nu, the standard deviation of the weights' prior,", self.nu)
        check_above_zero("c, the cost of a wrong value,", self.c)
        if not (isinstance(self.threshold, (int, float, np.number)) and np.isfinite(self.threshold)):
            raise PlaitError(f"threshold must be a number, not {self.threshold!r}")
        if not isinstance(self.calibrate, (int, float, np.number)) or not 0 <= self.calibrate < 1:
            raise PlaitError(f"calibrate is a share of the documents, from 0 to below 1, not {self.calibrate!r}")
        self.make_loss()

    def make_loss(self) -> Loss:
        """Return how labels and values become pseudo-observations."""
        return make_loss(self.loss, "signs", {"ell": self.ell})

    def read(self, X: Any, given: Any, words: Words, n_topics: int) -> GivenLabels:
        """Return the labels that are given, or those of the Corpus."""
        corpus = X if isinstance(X, Corpus) else None
        targets = read_targets(given, words.counts.shape[0], corpus, min_documents=self.min_documents)
        if self.threshold != 0 and targets.kind != "multilabel":
            raise PlaitError("threshold is for documents with several labels; of classes, the highest value is taken")
        return GivenLabels(targets, set_aside_labels(targets.signs, self.calibrate))

    def arrays(self, given: GivenLabels) -> list[np.ndarray]:
        """Return the signs that are learnt from."""
        return [given.seen]

    def make(
        self, given: GivenLabels, *, exact: bool, mean: np.ndarray | None = None, tasks: slice = slice(None)
    ) -> ChainTargets:
        """Return a chain's response to the labels, or to some of their tasks; `mean` has a row for each of them all."""
        signs = given.seen.astype(np.float64)
        costs = self.c * weigh_classes(signs, self.class_weight, given.targets)
        targets = np.where(signs == 0, np.nan, signs)
        expected = None if mean is None else mean[tasks]
        return ChainTargets(
            targets[:, tasks], self.make_loss(), costs=costs[:, tasks], nu=self.nu, mean=expected, exact=exact
        )

    def carry(self, given: GivenLabels, weights: np.ndarray, before: Carried | None = None) -> Carried:
        """Return the weights of every label by its name, those that the slice has not as they were before.

        Two classes a and b have one task, whose weights w speak for b and against a: as two labels, b has w and a
        has −w. It says nothing of what is for both or against both, so where a and b were two of several classes
        before, that stays as it was.
        """
        classes = given.targets.classes
        if given.targets.kind == "binary":
            weights = np.concatenate([-weights, weights])
            if before is not None:
                rows, known = before.rows_of(classes)
                weights = weights + (rows.mean(axis=0) if known.all() else 0.0)
        carried = Carried(weights, classes)
        return carried if before is None else before.followed_by(carried)

    def expected(self, carried: Carried, given: GivenLabels) -> np.ndarray:
        """Return the weights of the slice's tasks, 0 of labels that are new.

        One class of several and several labels a document have the same tasks, whether a document has a label or
        not, so each label's weights go over by name. Two classes a and b have one task: b has the higher value of the
        two where (w_b − w_a) · z̄ > 0, and half of w_b − w_a has the margins of a task. Where only one of them is
        known, not to have it is to have the other.
        """
        rows, known = carried.rows_of(given.targets.classes)
        if given.targets.kind != "binary":
            return rows
        return (rows[1:] - rows[:1]) / max(int(known.sum()), 1)
