"""Evaluation of fitted models beside baselines, and the choice of the number of topics.

`topics`, `labels`, `values` and `links` have one function each that returns a dataclass of scores; `base` has what
these share; `training` finds the training documents of a baseline; `predictions` applies thresholds to scores; `choose`
compares numbers of topics; `choice` has its result and rule, `progress` its bar; `linked` and `problems` are helpers.
"""

from __future__ import annotations

from plait.evaluation.labels import LabelEvaluation, confused_pairs, evaluate_labels
from plait.evaluation.links import LinkEvaluation, evaluate_links
from plait.evaluation.predictions import LabelPredictions, label_thresholds, predict_with_scores
from plait.evaluation.problems import NotEvaluableError
from plait.evaluation.topics import TopicEvaluation, evaluate_topics
from plait.evaluation.training import BaselineTraining, find_training_documents
from plait.evaluation.values import ValueEvaluation, ValueScores, evaluate_values

__all__ = [
    "BaselineTraining",
    "LabelEvaluation",
    "LabelPredictions",
    "LinkEvaluation",
    "NotEvaluableError",
    "TopicEvaluation",
    "ValueEvaluation",
    "ValueScores",
    "confused_pairs",
    "evaluate_labels",
    "evaluate_links",
    "evaluate_topics",
    "evaluate_values",
    "find_training_documents",
    "label_thresholds",
    "predict_with_scores",
]
