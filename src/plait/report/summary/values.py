"""Predicted numbers in a report: the topics by the number that they predict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from plait.report.summary.topics import TopicName, WeightedTopic

_MAX_TOPICS = 20


@dataclass(frozen=True)
class Values:
    """The topics by predicted number.

    Attributes
    ----------
    topics : tuple of WeightedTopic
        Topics with the predicted number as weight, the highest first; the highest and lowest of many topics.
    n_left_out : int
        Number of topics between these.
    n_without_value : int
        Number of training documents without a number.
    """

    topics: tuple[WeightedTopic, ...]
    n_left_out: int
    n_without_value: int


def summarise_values(model: Any, names: Mapping[int, TopicName]) -> Values | None:
    """Return the topics by predicted number.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.
    names : mapping of int to TopicName
        Names of the topics.

    Returns
    -------
    Values or None
        Plain data; None if the model does not predict a number.
    """
    if not hasattr(model, "predict_values"):
        return None
    own = hasattr(model, "value_weights_")
    weights = np.asarray(model.value_weights_ if own else model.weights_)
    order = [int(topic) for topic in np.argsort(-weights, kind="stable")]
    n_left_out = max(0, len(order) - _MAX_TOPICS)
    if n_left_out:
        order = order[: _MAX_TOPICS // 2] + order[-_MAX_TOPICS // 2 :]
    found = tuple(WeightedTopic(names[topic], float(weights[topic])) for topic in order)
    return Values(found, n_left_out, int(model.n_without_value_ if own else model.n_unlabelled_))
