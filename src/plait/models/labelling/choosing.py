"""Choosing the settings of labels: cost, class weights, weights of features, thresholds and curves of probabilities.

Everything is judged by scores of training documents that come from chains and machines without their labels. One fold
tries every cost; the other folds are scored with the best one only, so that all short chains together take less time
than the chains of the fit.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from plait.executors import open_executor
from plait.inputs.words import Words
from plait.metrics.thresholds import choose_thresholds, mean_f1
from plait.models.labelling.blending import blend_by_f1, blend_weights
from plait.models.labelling.choice import CHOSEN, DEFAULTS, LabelChoice, Trial
from plait.models.labelling.features import Learned, learn_features
from plait.models.labelling.folds import make_folds
from plait.models.labelling.held_out import HeldOutChains
from plait.responses import GivenLabels, LabelResponse
from plait.responses.calibration import fit_many_sigmoids, fit_shared_sigmoid, fit_sigmoids

_N_FOLDS = 3
_LEAST_DOCUMENTS = 60  # labelled documents, below which nothing is chosen
_MANY_LABELS, _LEARNED_LABELS = 200, 50  # with more labels, chains learn the most frequent ones
_COSTS_OF_MANY = (4.0, 1.0)
_COSTS = {"binary": (16.0, 4.0), "multiclass": (16.0, 4.0), "multilabel": (16.0, 4.0, 1.0, 0.25)}


def chooses(model: Any) -> bool:
    """Return whether a model has parameters that are chosen in its fit, or features.

    Parameters
    ----------
    model : MedLDA
        The model.

    Returns
    -------
    bool
        Whether `choose_settings` has anything to do.
    """
    return model.features is not None or any(_is_chosen(getattr(model, name)) for name in DEFAULTS)


def learned_tasks(model: Any, given: GivenLabels) -> np.ndarray | None:
    """Return the labels that chains learn: of very many labels the most frequent ones, because features score all.

    The time of a sweep grows with documents × labels, and topics cannot tell hundreds of rare labels apart.

    Parameters
    ----------
    model : MedLDA
        The model that is fitted.
    given : GivenLabels
        Labels of the training documents.

    Returns
    -------
    ndarray of int or None
        Numbers of the labels, ascending; None for all.
    """
    n_having = (given.seen > 0).sum(axis=0)
    if model.features is None or model.one_vs_all or n_having.size <= _MANY_LABELS:
        return None
    return np.sort(np.argsort(-n_having, kind="stable")[:_LEARNED_LABELS])


def choose_settings(model: Any, response: LabelResponse, words: Words, given: GivenLabels, seed: int) -> LabelChoice:
    """Choose the settings of labels of a fit.

    Parameters
    ----------
    model : MedLDA
        The model that is fitted.
    response : LabelResponse
        Its response, with defaults in place of "auto".
    words : Words
        Words of the training documents.
    given : GivenLabels
        Their labels.
    seed : int
        Seed of the fit.

    Returns
    -------
    LabelChoice
        What was chosen.
    """
    n_labelled = int((given.seen != 0).any(axis=1).sum())
    folds = make_folds(given.seen, _N_FOLDS) if n_labelled >= _LEAST_DOCUMENTS else None
    learned = None
    if model.features is not None:
        with open_executor(None, model.n_jobs) as executor:  # text is scored in this process
            several = given.targets.kind == "multilabel"
            learned = learn_features(model.features, words.counts, given.seen, folds, executor.map, several=several)
    if folds is not None:
        return _Choosing(model, HeldOutChains(model, words, given, folds, seed), learned).choose(response)
    chosen = LabelChoice(response.c, response.class_weight)
    if learned is not None:  # both parts count as much; naive Bayes does not
        machines = learned.joined([1.0] + [0.0] * (len(learned.machines) - 1))
        tasks = learned_tasks(model, given)
        chosen = replace(chosen, topic_weight=0.5, feature_weight=0.5, topic_share=0.5, features=machines, tasks=tasks)
    return chosen


class _Choosing:
    """Tries settings on the first fold, and scores the others with the best ones."""

    def __init__(self, model: Any, chains: HeldOutChains, learned: Learned | None) -> None:
        self._model = model
        self._chains = chains
        self._learned = learned
        self._signs = chains.given.seen
        self._kind = chains.given.targets.kind
        tasks = learned_tasks(model, chains.given)
        self._tasks: Any = slice(None) if tasks is None else tasks  # that chains learn
        self._first: dict[tuple[float, Any], np.ndarray] = {}  # values of the first fold by settings
        self._trials: list[Trial] = []

    def choose(self, response: LabelResponse) -> LabelChoice:
        """Return what was chosen."""
        model = self._model
        whole = response.make_loss().whole_costs
        if _is_chosen(model.c):
            costs = _COSTS[self._kind] if isinstance(self._tasks, slice) else _COSTS_OF_MANY
            tried = [replace(response, c=c) for c in costs if not whole or c.is_integer()]
            response = max(tried, key=self._try)
        several = self._kind == "multilabel" and isinstance(self._tasks, slice)
        if _is_chosen(model.class_weight) and several and not whole:
            response = max((response, replace(response, class_weight="balanced")), key=self._try)
        rows = np.flatnonzero(self._chains.folds >= 0)
        topics, signs = self._topics(response)[rows], self._signs[rows]
        weights, values = self._blend(topics, rows)
        of_features = float(weights[1:].sum())
        thresholds = None
        if self._kind == "multilabel" and _is_chosen(model.threshold):
            thresholds = choose_thresholds(values, signs)
        return LabelChoice(
            response.c,
            response.class_weight,
            thresholds,
            float(weights[0]),
            of_features,
            None if self._learned is None else self._learned.joined((weights[1:] / max(of_features, 1e-12)).tolist()),
            _fit_curves(values, signs, self._kind),
            self._trials,
            rows.size,
            self._score(values, signs, thresholds),
            _share(weights[0] * topics, values - weights[0] * topics),
            None if isinstance(self._tasks, slice) else self._tasks,
        )

    def _topics(self, response: LabelResponse) -> np.ndarray:
        """Return held-out values of all documents; the first fold may be known from the trials."""
        folds, topics = self._chains.folds, np.zeros(self._signs.shape)
        for fold in np.unique(folds[folds >= 0]).tolist():
            known = self._first.get((response.c, _hashable(response.class_weight))) if fold == 0 else None
            topics[folds == fold] = self._chains.values(response, fold) if known is None else known
        return topics

    def _try(self, response: LabelResponse) -> float:
        """Return the score of the first fold with some settings."""
        key = (response.c, _hashable(response.class_weight))
        rows = np.flatnonzero(self._chains.folds == 0)
        if key not in self._first:
            # Topics alone, because cost and class weights change nothing else.
            self._first[key] = self._chains.values(response, 0)
            score = self._score(self._first[key][:, self._tasks], self._signs[rows][:, self._tasks])
            self._trials.append(Trial(response.c, response.class_weight, score))
            return score
        return next(one.score for one in self._trials if (one.c, _hashable(one.class_weight)) == key)

    def _blend(self, topics: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the weights of topics and of every learner, and the values of documents with these weights."""
        if self._learned is None:
            return np.ones(1), topics
        parts, signs = [topics, *(scores[rows] for scores in self._learned.held_out)], self._signs[rows]

        def values(weights: np.ndarray) -> np.ndarray:
            return np.asarray(sum(weight * part for weight, part in zip(weights, parts, strict=True)))

        if self._kind == "multilabel":
            own, scores, known = (part[:, self._tasks] for part in (parts[0], parts[1], signs))
            weights = blend_by_f1(own, scores, known, self._chains.folds[rows])
            return weights, values(weights)
        weights, alone = blend_weights(parts, signs, self._kind), np.eye(len(parts))[1]
        # The likelihood may prefer a blend whose labels are worse than those of the support vector machines alone.
        if self._score(values(alone), signs) > self._score(values(weights), signs):
            weights = alone
        return weights, values(weights)

    def _score(self, values: np.ndarray, signs: np.ndarray, thresholds: np.ndarray | None = None) -> float:
        """Return the accuracy of held-out values; of several labels, the mean of micro and macro F1."""
        known = signs != 0
        if self._kind == "binary":
            return float(np.mean((values > 0) == (signs > 0), where=known))
        if self._kind == "multiclass":
            rows = known.any(axis=1)
            return float(np.mean(values[rows].argmax(axis=1) == signs[rows].argmax(axis=1)))
        if thresholds is None:
            chosen = _is_chosen(self._model.threshold)
            thresholds = choose_thresholds(values, signs) if chosen else self._model.threshold
        return mean_f1(values > thresholds, signs)


def _fit_curves(values: np.ndarray, signs: np.ndarray, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Return slopes and offsets of probabilities. They keep the order of classes, so that the best one is predicted."""
    if kind == "multilabel":
        return fit_many_sigmoids(values, signs)
    if kind == "binary":  # of both classes, so that the curve has no offset
        slopes, offsets = fit_sigmoids(np.concatenate([values, -values]), np.concatenate([signs, -signs]))
        return np.maximum(slopes, 1e-6), np.zeros_like(offsets)
    rows = (signs > 0).any(axis=1)
    slope, offset = fit_shared_sigmoid(values[rows], signs[rows].argmax(axis=1))
    return np.full(signs.shape[1], slope), np.full(signs.shape[1], offset)


def _share(topics: np.ndarray, features: np.ndarray) -> float:
    """Return the share of topics in the standard deviations of both parts."""
    spreads = float(topics.std()), float(features.std())
    return spreads[0] / max(sum(spreads), 1e-300)


def _is_chosen(value: Any) -> bool:
    return isinstance(value, str) and value == CHOSEN


def _hashable(class_weight: Any) -> Any:
    return tuple(class_weight.items()) if isinstance(class_weight, dict) else class_weight
