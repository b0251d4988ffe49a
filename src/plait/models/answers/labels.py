"""Predicted labels: scores, classes, probabilities, and explanations of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from plait.errors import PlaitError
from plait.executors import open_executor
from plait.inputs.features import FeatureScaling
from plait.inputs.targets import Targets
from plait.models.answers.explanation import Explainer, Explanation
from plait.models.answers.tasks import TaskLayout, split_weights, task_values
from plait.models.answers.topics import TopicDescriptions
from plait.models.folding import FittedChains
from plait.models.inputs import Documents
from plait.models.labelling.choice import LabelChoice
from plait.responses import GivenLabels, LabelResponse
from plait.responses.calibration import fit_sigmoids

# Attributes of a fitted model that explains labels.
LABEL_ATTRIBUTES = (
    "classes_", "_kind", "multilabel_", "n_unlabelled_", "_sigmoids", "_linked_sigmoids", "label_weights_",
    "label_choice_", "_label_features", "label_feature_weights_",
)  # fmt: skip


@dataclass(frozen=True)
class LabelPredictions:
    """Predicts the labels of new documents."""

    chains: FittedChains  # of the fitted model
    place: int  # of the response among those of the model
    layout: TaskLayout  # which group of chains learns which tasks
    response: LabelResponse  # cost and threshold
    classes: np.ndarray  # the labels
    kind: Literal["binary", "multiclass", "multilabel"]
    # Slopes and offsets of the calibration curves, for documents without and with links.
    sigmoids: tuple[np.ndarray, np.ndarray] | None = None
    linked_sigmoids: tuple[np.ndarray, np.ndarray] | None = None
    choice: LabelChoice | None = None  # weights of topics and features, and thresholds
    scaling: FeatureScaling | None = None  # of features whose weights chains drew

    @property
    def n_tasks(self) -> int:
        """Number of tasks: one for two classes, else one per label."""
        return 1 if self.kind == "binary" else len(self.classes)

    def scores(self, documents: Documents) -> np.ndarray:
        """Return the score of every document and task, averaged over samples (documents × tasks)."""
        choice = self.choice
        blended = choice is not None and choice.features is not None
        known = documents._replace(features=None) if blended else documents
        topics = task_values(self.chains, known, self.place, self.n_tasks, self.layout, self.scaling)
        if choice is None or choice.features is None:
            return topics
        with open_executor(None, self.chains.settings.n_jobs) as executor:
            features = choice.features.scores(documents.counts, documents.features, executor.map)
        learned = np.isfinite(topics)  # an interrupted fit may not have reached every label
        both = choice.topic_weight * np.where(learned, topics, 0.0) + choice.feature_weight * features
        return np.where(learned, both, -np.inf)

    @property
    def thresholds(self) -> np.ndarray | None:
        """Score above which a document has a label, one per label; None where a document has one class."""
        if self.kind != "multilabel":
            return None
        if self.choice is not None and self.choice.thresholds is not None:
            return self.choice.thresholds
        return np.full(len(self.classes), float(self.response.threshold))

    def decision_function(self, documents: Documents) -> np.ndarray:
        """Return the scores; one-dimensional for two classes."""
        scores = self.scores(documents)
        return scores[:, 0] if self.kind == "binary" else scores

    def predict(self, documents: Documents) -> np.ndarray:
        """Return the label of every document; of a multilabel target, an indicator matrix documents × classes."""
        scores = self.scores(documents)
        if self.kind == "multilabel":
            return (scores > self.thresholds).astype(np.int64)
        chosen = (scores[:, 0] > 0).astype(np.int64) if self.kind == "binary" else scores.argmax(axis=1)
        return self.classes[chosen]

    def predict_labels(self, documents: Documents) -> list[tuple[Any, ...]]:
        """Return the labels of every document as a tuple."""
        return self.names_of(self.scores(documents))

    def names_of(self, scores: np.ndarray) -> list[tuple[Any, ...]]:
        """Return the labels of documents with these scores."""
        targets = Targets(self.kind, self.classes, np.zeros((0, scores.shape[1]), np.int8))
        return targets.names(scores if self.thresholds is None else scores - self.thresholds)

    def predict_proba(self, documents: Documents) -> np.ndarray:
        """Return the probability of each class (documents × classes)."""
        return self.probabilities_of(self.scores(documents), linked=documents.links is not None)

    def probabilities_of(self, scores: np.ndarray, *, linked: bool) -> np.ndarray:
        """Return the probability of each class for documents with these scores, which have links or have none."""
        learned = np.isfinite(scores)  # an interrupted fit may not have reached every label
        scores = np.where(learned, scores, 0.0)
        sigmoids = self.linked_sigmoids if linked else self.sigmoids
        if sigmoids is None and self.choice is not None:
            sigmoids = self.choice.sigmoids
        if sigmoids is not None:
            slopes, offsets = sigmoids
            scores = slopes * scores + offsets
        else:
            scores = self.response.c * scores
        chances = np.where(learned, 1.0 / (1.0 + np.exp(-np.clip(scores, -500, 500))), 0.0)
        if self.kind == "binary":
            return np.column_stack([1.0 - chances[:, 0], chances[:, 0]])
        if self.kind == "multiclass":
            chances /= np.maximum(chances.sum(axis=1, keepdims=True), 1e-300)
        return chances

    def explain(self, document: Documents, label: Any, top: int, topics: TopicDescriptions) -> Explanation:
        """Return the contributions of topics, words and features to the score of a label; None: the predicted label."""
        explainer = Explainer(self.chains, self.place, self.layout, topics, self.choice, self.scaling)
        scores = self.scores(document)[0]
        place = self._index_of(label, scores)
        if self.kind == "binary":
            explanation = explainer.explain(document, 0, self.classes[1], float(scores[0]), top)
            return explanation if place == 1 else explanation.negated(self.classes[0])
        if scores[place] == -np.inf:
            raise PlaitError(f"the fit was interrupted before label {label!r} was learned; resume it first")
        return explainer.explain(document, place, self.classes[place], float(scores[place]), top)

    def _index_of(self, label: Any, scores: np.ndarray) -> int:
        """Return the index of a label among the classes; for None, that of the highest score."""
        if label is None:
            return int(scores[0] > 0) if self.kind == "binary" else int(scores.argmax())
        found = np.flatnonzero(self.classes == label)
        if found.size == 0:
            known = ", ".join(str(name) for name in self.classes[:5]) + (" …" if len(self.classes) > 5 else "")
            raise PlaitError(f"{label!r} is not a label of the model, which has {len(self.classes)}: {known}")
        return int(found[0])


def label_attributes(
    given: GivenLabels,
    training: Documents,
    chains: FittedChains,
    place: int,
    layout: TaskLayout,
    calibrate: bool,
    scaling: FeatureScaling | None,
) -> dict[str, Any]:
    """Return the fitted attributes of a model that explains labels.

    Where the mixing uses links, scores of documents with links are calibrated apart from those without. The curves
    for documents with links are slightly optimistic for new documents: the words of the documents that were set aside
    took part in the chains, so the topics of their source documents depend on them.
    """
    targets, seen = given
    n_tasks = seen.shape[1]
    curves: list[Any] = [None, None]
    if calibrate:
        hidden = np.flatnonzero((seen != targets.signs).any(axis=1))
        links = None if training.links is None else training.links[hidden]
        for number, known in enumerate([None] if links is None else [None, links]):
            own = Documents(training.counts[hidden], known, None if scaling is None else training.features[hidden])
            scores = task_values(chains, own, place, n_tasks, layout, scaling)
            curves[number] = fit_sigmoids(scores, targets.signs[hidden])
    attributes = {
        "classes_": targets.classes,
        "_kind": targets.kind,
        "multilabel_": targets.kind == "multilabel",
        "n_unlabelled_": targets.n_unlabelled,
        "_sigmoids": curves[0],
        "_linked_sigmoids": curves[1],
        "label_weights_": mean_label_weights(chains, place, n_tasks, layout),
    }
    if scaling is None:
        return attributes
    of_features = split_weights(chains.mean_weights(place), layout.n_topics)[1]
    return attributes | {"_label_features": scaling, "label_feature_weights_": of_features * scaling.factors}


def mean_label_weights(chains: FittedChains, place: int, n_tasks: int, layout: TaskLayout) -> np.ndarray:
    """Return the weights of every task and topic (tasks × topics shown); 0 for topics of other tasks."""
    firsts, n_topics = chains.first_chains, layout.n_topics
    weights = np.zeros((n_tasks, len(firsts) * n_topics))
    for group, chain in enumerate(firsts):
        columns = slice(group * n_topics, (group + 1) * n_topics)
        weights[layout.of_group(group), columns] = split_weights(chains.mean_weights(place, chain), n_topics)[0]
    return weights
