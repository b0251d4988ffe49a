"""Numbers in a report: what each topic says of the number that a model predicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from plait.report.summary.topics import TopicName, WeighedTopic

_MOST_TOPICS = 20


@dataclass(frozen=True)
class Values:
    """The topics by the number that they stand for, highest first; of many topics both ends."""

    topics: tuple[WeighedTopic, ...]
    n_left_out: int  # in the middle
    n_without: int  # documents without a number


def summarise_values(model: Any, names: Mapping[int, TopicName]) -> Values | None:
    """Read what topics say of a number; None where the model predicts none."""
    if not hasattr(model, "predict_values"):
        return None
    own = hasattr(model, "value_weights_")
    weights = np.asarray(model.value_weights_ if own else model.weights_)
    order = [int(topic) for topic in np.argsort(-weights, kind="stable")]
    n_left_out = max(0, len(order) - _MOST_TOPICS)
    if n_left_out:
        order = order[: _MOST_TOPICS // 2] + order[-_MOST_TOPICS // 2 :]
    found = tuple(WeighedTopic(names[topic], float(weights[topic])) for topic in order)
    return Values(found, n_left_out, int(model.n_without_value_ if own else model.n_unlabelled_))
