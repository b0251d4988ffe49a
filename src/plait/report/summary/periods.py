"""Topics over calendar time in a report, of a model that was fitted to all documents at once."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from plait.plots.over_time import time_shares
from plait.report.summary.topics import TopicName
from plait.report.trends import average_groups, longest_unit

_MAX_TOPICS = 100
_MAX_POINTS = 120  # per curve


@dataclass(frozen=True)
class PeriodTrend:
    """The share of a topic by period.

    Attributes
    ----------
    topic : TopicName
        The topic.
    shares : tuple of float or None
        Mean proportion in the documents of each period; None for periods without documents.
    first, last : float
        Share in the first and in the last period with documents.
    peak : float
        Largest share.
    peak_period : str
        Period with the largest share.
    """

    topic: TopicName
    shares: tuple[float | None, ...]
    first: float
    last: float
    peak: float
    peak_period: str


@dataclass(frozen=True)
class Periods:
    """Topics by calendar period.

    Attributes
    ----------
    unit : {"year", "month", "week", "day"}
        Length of a period.
    n_periods : int
        Number of periods.
    first, last : str
        The first and the last period with documents.
    n_undated : int
        Number of documents without a date.
    trends : tuple of PeriodTrend
        Shares of the topics, the largest topics first.
    n_topics_left_out : int
        Number of further topics.
    """

    unit: str
    n_periods: int
    first: str
    last: str
    n_undated: int
    trends: tuple[PeriodTrend, ...]
    n_topics_left_out: int


def period_unit(model: Any) -> str | None:
    """Return the unit in which the report cuts the time of a model's documents, as `plait trends` does.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.

    Returns
    -------
    str or None
        Such as "year"; None if documents have no dates, all have the same one, or the model has time slices of its own.
    """
    times = getattr(model.documents_, "times", None)
    if getattr(model, "slices_", None) or times is None or not hasattr(model, "topics_over"):
        return None
    known = times[~np.isnat(times)]
    return longest_unit(known) if np.unique(known.astype("datetime64[D]")).size > 1 else None


def summarise_periods(model: Any, names: Mapping[int, TopicName]) -> Periods | None:
    """Return the topics by calendar period.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.
    names : mapping of int to TopicName
        Names of the topics.

    Returns
    -------
    Periods or None
        Plain data; None if `period_unit` is None.
    """
    unit = period_unit(model)
    if unit is None:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # documents without a date are counted below
        labels, shares, _ = time_shares(model, unit)
    dated = np.flatnonzero(~np.isnan(shares).all(axis=1))
    order = np.argsort(-np.asarray(model.topic_share_), kind="stable").tolist()
    trends = []
    for topic in order[:_MAX_TOPICS]:
        course = shares[:, topic]
        peak = int(np.nanargmax(course))
        points = tuple(None if np.isnan(share) else float(share) for share in average_groups(course, _MAX_POINTS))
        ends = float(course[dated[0]]), float(course[dated[-1]])
        trends.append(PeriodTrend(names[topic], points, *ends, float(course[peak]), labels[peak]))
    return Periods(
        unit,
        len(labels),
        labels[dated[0]],
        labels[dated[-1]],
        int(np.isnat(model.documents_.times).sum()),
        tuple(trends),
        max(0, len(order) - _MAX_TOPICS),
    )
