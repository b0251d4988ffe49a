"""Labels as a response: the loss of a wrong score, and how labels are read.

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
from plait.inputs.features import as_matrix
from plait.inputs.targets import Targets, read_targets
from plait.inputs.words import Words
from plait.responses.base import Response
from plait.responses.calibration import set_aside_labels
from plait.responses.carried import Carried
from plait.responses.linear.target_rows import SignRows
from plait.responses.linear.targets import ChainTargets
from plait.responses.losses import COST_RANGE, SCALE_RANGE, Loss, make_loss
from plait.responses.regressors import check_regressors, read_regressors


class GivenLabels(NamedTuple):
    """Labels of the training documents.

    Examples
    --------
    >>> targets = read_targets(["nature", "finance", "nature", "finance"], 4)
    >>> GivenLabels(targets, targets.signs).seen.ravel().tolist()
    [1, -1, 1, -1]
    """

    targets: Targets
    seen: np.ndarray  # signs, 0 where they are unknown or set aside for calibration


@dataclass(frozen=True)
class LabelResponse(Response):
    """Topics predict the labels of documents: one of several classes, or several labels per document.

    Parameters
    ----------
    c : float, default 16.0
        Cost of a wrong score, relative to the log-likelihood of the words. Larger values bind topics to labels.
    ell : float, default 1.0
        Margin ℓ of the hinge loss.
    nu : float, default 1.0
        Prior standard deviation of the weights.
    class_weight : None, float, dict or "balanced", default None
        Factor of c for the documents that have a label, so that rare labels are learned: a number for all labels, a
        dict by label, or "balanced": mean class size / size of the class; for several labels per document,
        √(documents without the label / documents with it).
    loss : {"hinge", "logistic", "probit"}, default "hinge"
        Loss of the scores; "hinge" is max margin. "probit" needs whole costs.
    threshold : float, default 0.0
        Score above which a document is given a label, where it may have several. Averages over several chains lie
        closer together than the scores of one chain, so a threshold below 0 finds more of many rare labels.
    calibrate : float, default 0.0
        Fraction of the labelled documents whose labels are set aside to fit the probabilities of `predict_proba`.
    min_documents : int, default 2
        Minimum number of documents per label.
    features : None or matrix of shape (documents, features), default None
        What is known of the documents beside their words, as in `ValueResponse`: the score of a label is
        η · z̄ + v · f, and its weights η of topics and v of features are drawn together in the chain. (`MedLDA` has a
        parameter of the same name that combines scores after the chains.)
    feature_nu : float, default 1.0
        Prior standard deviation of v · f; it does not depend on the number of features.

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
    features: Any = None
    feature_nu: float = 1.0

    kind = "labels"

    def __post_init__(self) -> None:
        object.__setattr__(self, "features", as_matrix(self.features))

    def check(self) -> None:
        """Reject invalid parameters."""
        check_above_zero("nu, the standard deviation of the weights' prior,", self.nu, *SCALE_RANGE)
        check_above_zero("c, the cost of a wrong value,", self.c, *COST_RANGE)
        if not (isinstance(self.threshold, (int, float, np.number)) and np.isfinite(self.threshold)):
            raise PlaitError(f"threshold must be a number, not {self.threshold!r}")
        if not isinstance(self.calibrate, (int, float, np.number)) or not 0 <= self.calibrate < 1:
            raise PlaitError(f"calibrate is a fraction of the documents, from 0 to below 1, not {self.calibrate!r}")
        check_regressors(self.features, self.feature_nu)
        self.make_loss()

    def make_loss(self) -> Loss:
        """Return the loss object."""
        return make_loss(self.loss, "signs", {"ell": self.ell})

    def read(self, X: Any, given: Any, words: Words, n_topics: int) -> GivenLabels:
        """Return the labels given to `fit`, or those of the Corpus."""
        corpus = X if isinstance(X, Corpus) else None
        targets = read_targets(given, words.counts.shape[0], corpus, min_documents=self.min_documents)
        if self.threshold != 0 and targets.kind != "multilabel":
            raise PlaitError(
                "threshold applies only to documents with several labels; of classes, the one with the highest score "
                "is predicted"
            )
        read_regressors(self.features, words.counts.shape[0])  # errors come before any work
        return GivenLabels(targets, set_aside_labels(targets.signs, self.calibrate))

    def arrays(self, given: GivenLabels) -> list[np.ndarray]:
        """Return the training signs."""
        return [given.seen]

    def make(
        self, given: GivenLabels, *, exact: bool, mean: np.ndarray | None = None, tasks: slice | list[int] = slice(None)
    ) -> ChainTargets:
        """Return the chain response of all tasks, or of some of them; `mean` has one row per task of all."""
        costs = self.c * weigh_classes(given.seen, self.class_weight, given.targets)
        rows = SignRows(given.seen[:, tasks], costs[:, tasks])
        expected = None if mean is None else mean[tasks]
        return ChainTargets(
            rows,
            self.make_loss(),
            nu=self.nu,
            mean=expected,
            exact=exact,
            features=read_regressors(self.features, len(given.seen)),
            feature_nu=self.feature_nu,
        )

    def carry(self, given: GivenLabels, weights: np.ndarray, before: Carried | None = None) -> Carried:
        """Return the weights of every label; labels that are not in the slice keep their earlier weights.

        Two classes a and b are one task with weights w, positive for b: as two labels, b has w and a has −w. The task
        does not determine the mean of both, so if a and b were two of several classes before, their earlier mean is
        kept.
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
        """Return the prior mean of the weights of the slice's tasks, 0 for new labels.

        With several classes, and with several labels per document, there is one task per label, so each label keeps
        its weights. Two classes a and b are one task: b has the higher score of the two if (w_b − w_a) · z̄ > 0, and
        half of w_b − w_a has the margins of a task. If only one of the two is known, a document without it has the
        other.
        """
        rows, known = carried.rows_of(given.targets.classes)
        if given.targets.kind != "binary":
            return rows
        return (rows[1:] - rows[:1]) / max(int(known.sum()), 1)
