"""What becomes of every topic: groups that are merged, topics that are dropped or split, checked and numbered.

A merged topic has the smallest number of its group, the first part of a split topic keeps the number of the topic, the
other parts come after all topics. Gaps are closed: the other topics keep their order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from plait._utils.validation import check_whole
from plait._utils.wording import join_names
from plait.engine.editing import StateEdit
from plait.errors import PlaitError
from plait.models.naming import check_topic_number


@dataclass(frozen=True)
class TopicEdit:
    """An edit of the topics of a model.

    Parameters
    ----------
    record : dict of str to object
        The operation and its arguments, as `edits_` has them.
    n_before : int
        Number of topics before.
    origins : tuple of tuple of int
        The topics that each new topic is made of.
    """

    record: dict[str, Any]
    n_before: int
    origins: tuple[tuple[int, ...], ...]

    @property
    def n_topics(self) -> int:
        """Number of topics after the edit."""
        return len(self.origins)

    def new_topics(self, topic: int) -> list[int]:
        """Return the new topics that a topic is part of; several for a split one, none for a dropped one."""
        return [new for new, own in enumerate(self.origins) if topic in own]

    @property
    def changed(self) -> np.ndarray:
        """Whether each new topic is merged, or part of a split one."""
        return np.array([len(own) > 1 or len(self.new_topics(own[0])) > 1 for own in self.origins])

    @property
    def state_edit(self) -> StateEdit:
        """The edit as the engine takes it."""
        found = {topic: self.new_topics(topic) for topic in range(self.n_before)}
        labels = np.array([new[0] if new else -1 for new in found.values()])
        return StateEdit(labels, {topic: new for topic, new in found.items() if len(new) > 1}, self.n_topics)


def merge(groups: Any, n_topics: int) -> TopicEdit:
    """Return the edit that merges groups of topics.

    Parameters
    ----------
    groups : sequence of sequence of int
        The groups.
    n_topics : int
        Number of topics.

    Examples
    --------
    >>> merge([[3, 1]], 4).origins
    ((0,), (1, 3), (2,))
    """
    if not _is_list(groups) or not len(groups) or not all(map(_is_list, groups)):
        raise PlaitError(f"groups must be a list of lists of topics, such as [[1, 2], [4, 7]], not {groups!r}")
    checked = [[check_topic_number(topic, n_topics) for topic in group] for group in groups]
    for group in checked:
        if len(group) < 2:
            raise PlaitError(f"a group needs two topics or more, such as [1, 2], not {group}")
    times = Counter(topic for group in checked for topic in group)
    twice = [topic for topic, number in times.items() if number > 1]
    if twice:
        raise PlaitError(
            f"topic {twice[0]} is given twice; a topic belongs to one group: join the groups, or leave it out of one"
        )
    own = {min(group): tuple(sorted(group)) for group in checked}
    origins = tuple(own.get(topic, (topic,)) for topic in range(n_topics) if topic in own or topic not in times)
    return TopicEdit({"operation": "merge", "groups": checked}, n_topics, origins)


def drop(topics: Any, n_topics: int) -> TopicEdit:
    """Return the edit that drops topics.

    Parameters
    ----------
    topics : sequence of int
        The topics.
    n_topics : int
        Number of topics.

    Examples
    --------
    >>> drop([1], 3).origins
    ((0,), (2,))
    """
    if not _is_list(topics) or not len(topics):
        raise PlaitError(f"topics must be a list of topics, such as [4], not {topics!r}")
    checked = [check_topic_number(topic, n_topics) for topic in topics]
    twice = [topic for topic, number in Counter(checked).items() if number > 1]
    if twice:
        raise PlaitError(f"topic {twice[0]} is given twice; give each topic once")
    if len(checked) == n_topics:
        raise PlaitError(
            f"topics {join_names(map(str, checked))} are all topics of the model; keep at least one, whose tokens then "
            "come from all documents"
        )
    origins = tuple((topic,) for topic in range(n_topics) if topic not in checked)
    return TopicEdit({"operation": "drop", "topics": checked}, n_topics, origins)


def split(topic: Any, into: Any, n_topics: int) -> TopicEdit:
    """Return the edit that splits a topic.

    Parameters
    ----------
    topic : int
        The topic.
    into : int
        Number of its parts.
    n_topics : int
        Number of topics.

    Examples
    --------
    >>> split(0, 2, 2).origins
    ((0,), (1,), (0,))
    """
    checked = check_topic_number(topic, n_topics)
    check_whole("into", into, least=2)
    origins = (*((one,) for one in range(n_topics)), *[(checked,)] * (int(into) - 1))
    return TopicEdit({"operation": "split", "topic": checked, "into": int(into)}, n_topics, origins)


def _is_list(value: Any) -> bool:
    return isinstance(value, (Sequence, np.ndarray)) and not isinstance(value, str)
