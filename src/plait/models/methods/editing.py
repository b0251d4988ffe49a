"""The methods `merge_topics`, `drop_topics` and `split_topic` of all models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from plait.models.editing import operations
from plait.models.editing.run import check_editable, edit_topics
from plait.models.inputs import Inputs
from plait.models.shared_docs import shared_docs

_SWEEPS = 50  # that settle an edited model


@shared_docs
def merge_topics(
    self: Any, groups: Sequence[Sequence[int]], X: Any = None, y: Any = None, *, links: Any = None, values: Any = None,
    n_sweeps: int = _SWEEPS,
) -> Any:  # fmt: skip
    """Return a new model in which each group of topics is one topic; this model does not change.

    The tokens of the group hold one topic, which gets the smallest number of the group. Sweeps under the model with
    fewer topics then settle all topics (docs/editing.md).

    Parameters
    ----------
    groups : sequence of sequence of int
        Groups of two topics or more, such as ``[[1, 2], [4, 7]]``.
    <edited>

    <edited_model>
    >>> model.merge_topics([[0, 2]], corpus).topic_word_.shape[0]
    2
    """
    check_editable(self)
    edit = operations.merge(groups, self.n_topics)
    return edit_topics(self, edit, X, _inputs(self, y, links, values), n_sweeps)


@shared_docs
def drop_topics(
    self: Any, topics: Sequence[int], X: Any = None, y: Any = None, *, links: Any = None, values: Any = None,
    n_sweeps: int = _SWEEPS,
) -> Any:  # fmt: skip
    """Return a new model without some topics; this model does not change.

    The tokens of the topics are resampled among the remaining topics. Sweeps under the model with fewer topics then
    settle all topics (docs/editing.md).

    Parameters
    ----------
    topics : sequence of int
        Topics to drop; at least one topic must remain.
    <edited>

    <edited_model>
    >>> model.drop_topics([1], corpus).topic_word_.shape[0]
    2
    """
    check_editable(self)
    edit = operations.drop(topics, self.n_topics)
    return edit_topics(self, edit, X, _inputs(self, y, links, values), n_sweeps)


@shared_docs
def split_topic(
    self: Any, topic: int, X: Any = None, y: Any = None, *, into: int = 2, links: Any = None, values: Any = None,
    n_sweeps: int = _SWEEPS,
) -> Any:  # fmt: skip
    """Return a new model in which a topic is split into several; this model does not change.

    The tokens of the topic are divided among its parts by sweeps in which only they move. The first part keeps the
    number of the topic, the others come last. Sweeps under the model with more topics then settle all topics
    (docs/editing.md).

    Parameters
    ----------
    topic : int
        The topic to split.
    <edited>
    into : int, default 2
        Number of parts.

    <edited_model>
    >>> model.split_topic(0, corpus).topic_word_.shape[0]
    4
    """
    check_editable(self)
    edit = operations.split(topic, into, self.n_topics)
    return edit_topics(self, edit, X, _inputs(self, y, links, values), n_sweeps)


def _inputs(model: Any, y: Any, links: Any, values: Any) -> Inputs:
    """Return the inputs of `fit`; `y` stands for values in a model of values alone."""
    if model._y_kind == "values" and values is None:
        return Inputs(None, y, links)
    return Inputs(y, values, links)
