"""Predictions of labels: values, classes, probabilities, and what in a document speaks for a label."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sparse
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from plait.errors import PlaitError
from plait.inputs.targets import Targets
from plait.inputs.words import Words, new_words
from plait.models.answers.availability import explains
from plait.models.answers.explanation import Explanation, explain_document
from plait.models.answers.weighed import WeighedPredictions
from plait.responses import GivenLabels
from plait.responses.calibration import fit_sigmoids


def _gives_probabilities(model: LabelPredictions) -> bool:
    explains("labels")(model)
    labels = model._specification("labels")
    if labels.loss == "logistic" or labels.calibrate > 0:
        return True
    raise AttributeError(
        "the hinge loss gives no probabilities: set calibrate=0.1, say, to learn them from labels that are set "
        "aside, or use loss='logistic'"
    )


class LabelPredictions(WeighedPredictions):
    """A model whose topics explain labels says which labels new documents have; `MedLDA` documents the attributes."""

    @available_if(explains("labels"))
    def decision_function(self, X: Any, *, links: Any = None) -> np.ndarray:
        """Return every label's value for every document, averaged over samples; above 0 speaks for the label.

        Two classes have one value, for ``classes_[1]``: the result is then one-dimensional.

        Parameters
        ----------
        X
            Documents: a Corpus or counts.
        links
            Their links, where the model follows links: as in `LinkedLDA.transform`.
        """
        values = self._task_values(X, "decision_function", links)
        return values[:, 0] if self._kind == "binary" else values

    @available_if(explains("labels"))
    def predict(self, X: Any, *, links: Any = None) -> np.ndarray:
        """Return the label of every document; with several labels each, which of `classes_` it has (0 or 1)."""
        values = self._task_values(X, "predict", links)
        if self._kind == "multilabel":
            return (values > self._specification("labels").threshold).astype(np.int64)
        chosen = (values[:, 0] > 0).astype(np.int64) if self._kind == "binary" else values.argmax(axis=1)
        return self.classes_[chosen]

    @available_if(explains("labels"))
    def predict_labels(self, X: Any, *, links: Any = None) -> list[tuple[Any, ...]]:
        """Return the labels of every document as a tuple: one label, or any number of them."""
        values = self._task_values(X, "predict_labels", links)
        targets = Targets(self._kind, self.classes_, np.zeros((0, values.shape[1]), np.int8))
        return targets.names(values - self._specification("labels").threshold)

    @available_if(_gives_probabilities)
    def predict_proba(self, X: Any, *, links: Any = None) -> np.ndarray:
        """Return the probability of each label, documents × classes; rows add up to 1 unless there are several each.

        With `calibrate`, by sigmoid curves fitted to labels that were set aside, where `links` are given to values
        with links; otherwise as the logistic loss says, which with c above 1 is too sure of itself.
        """
        values = self._task_values(X, "predict_proba", links)
        learnt = np.isfinite(values)  # a fit that was stopped early may not have come to every label
        values = np.where(learnt, values, 0.0)
        sigmoids = self._sigmoids if links is None else self._linked_sigmoids
        if sigmoids is not None:
            slopes, offsets = sigmoids
            values = slopes * values + offsets
        else:
            values = self._specification("labels").c * values
        chances = np.where(learnt, 1.0 / (1.0 + np.exp(-np.clip(values, -500, 500))), 0.0)
        if self._kind == "binary":
            return np.column_stack([1.0 - chances[:, 0], chances[:, 0]])
        if self._kind == "multiclass":
            chances /= np.maximum(chances.sum(axis=1, keepdims=True), 1e-300)
        return chances

    @available_if(explains("labels"))
    def explain(self, document: Any, label: Any = None, top: int = 10) -> Explanation:
        """Say which topics and words of a document speak for a label, and which against it.

        Parameters
        ----------
        document
            A text, a Corpus of one document, or a row of counts.
        label
            One of `classes_`; by default the one with the highest value.
        top
            How many topics and words to name.
        """
        counts = self._one_document(document)
        values = self._values(counts, "labels", self._n_tasks)[0]
        place = self._number_of(label, values)
        if self._kind == "binary":
            explanation = explain_document(self, counts, "labels", 0, self.classes_[1], float(values[0]), top)
            return explanation if place == 1 else explanation.turned(self.classes_[0])
        if values[place] == -np.inf:
            raise PlaitError(f"the fit was stopped before it came to {label!r}; resume it first")
        return explain_document(self, counts, "labels", place, self.classes_[place], float(values[place]), top)

    def _number_of(self, label: Any, values: np.ndarray) -> int:
        """Return the number of a label among `classes_`; of the one with the highest value where it is None."""
        if label is None:
            return int(values[0] > 0) if self._kind == "binary" else int(values.argmax())
        found = np.flatnonzero(self.classes_ == label)
        if found.size == 0:
            known = ", ".join(str(name) for name in self.classes_[:5]) + (" …" if len(self.classes_) > 5 else "")
            raise PlaitError(f"{label!r} is not a label of the model, which has {len(self.classes_)}: {known}")
        return int(found[0])

    @property
    def _n_tasks(self) -> int:
        return 1 if self._kind == "binary" else len(self.classes_)

    def _task_values(self, X: Any, method: str, links: Any = None) -> np.ndarray:
        check_is_fitted(self)
        words = new_words(self, X, self._real, method)
        known = self._new_links(links, words.counts.shape[0])
        return self._values(words.counts, "labels", self._n_tasks, known)

    def _take_over(self, fit: Any, *chain_and_plans: Any, finished: bool) -> None:
        super()._take_over(fit, *chain_and_plans, finished=finished)
        if self._explains("labels"):
            self._take_labels(fit.given["labels"], fit.words, self._drawn_along(fit.given))

    def _take_labels(self, given: GivenLabels, words: Words, links: sparse.csr_array | None) -> None:
        """Set what there is to know of labels once chains have run.

        Where words draw along links, values of documents with their links are of another kind than those without,
        so each kind has its curves. Those with links are not quite for new documents: words of the documents that
        were set aside took part in the chains, so what is drawn from those that they link to includes words of
        their own.
        """
        targets, seen = given
        self.classes_ = targets.classes
        self._kind = targets.kind
        self.multilabel_ = targets.kind == "multilabel"
        self.n_unlabelled_ = targets.n_unlabelled
        self._sigmoids, self._linked_sigmoids = None, None
        if self._specification("labels").calibrate > 0:
            hidden = np.flatnonzero((seen != targets.signs).any(axis=1))
            counts, signs = words.counts[hidden], targets.signs[hidden]
            self._sigmoids = fit_sigmoids(self._values(counts, "labels", self._n_tasks), signs)
            if links is not None:
                values = self._values(counts, "labels", self._n_tasks, links[hidden])
                self._linked_sigmoids = fit_sigmoids(values, signs)

    def _mean_label_weights(self) -> np.ndarray:
        """Return the weights of every task for every topic that is shown; 0 for topics of other tasks."""
        here = self._place("labels")
        firsts = self._first_chains()
        weights = np.zeros((self._n_tasks, len(firsts) * self.n_topics))
        for place, number in enumerate(firsts):
            means = np.mean([sample.weights[here] for sample in self._chain_samples[number]], axis=0)
            weights[self._tasks_of(place), place * self.n_topics : (place + 1) * self.n_topics] = means
        return weights
