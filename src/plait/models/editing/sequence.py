"""Several edits in one call, all with the numbers that the topics had before: merge, drop, split, then names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from plait.errors import PlaitError
from plait.models.editing import operations
from plait.models.editing.operations import TopicEdit
from plait.models.editing.run import check_editable
from plait.models.naming import check_topic_number, rename


def apply_edits(
    model: Any,
    X: Any = None,
    *,
    merge: Sequence[Sequence[int]] = (),
    drop: Sequence[int] = (),
    split: Mapping[int, int] | None = None,
    names: Mapping[int, str | None] | None = None,
    **given: Any,
) -> Any:
    """Return a model with edited and renamed topics. All numbers are those of the topics of the given model.

    Topics are merged, then dropped, then split, and named last. The name of a merged topic is that of its group, the
    name of a split one that of its first part.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model, which does not change.
    X : object, optional
        Documents, as in `merge_topics`; not needed to name topics.
    merge : sequence of sequence of int, default ()
        Groups to merge.
    drop : sequence of int, default ()
        Topics to drop.
    split : mapping of int to int, optional
        Number of parts by topic to split.
    names : mapping of int to str or None, optional
        Names by topic; None removes a name.
    **given : object
        Labels, values, links and `n_sweeps`, as in `merge_topics`.

    Returns
    -------
    TopicEstimator
        The edited model.

    Examples
    --------
    >>> from plait import LDA, Corpus
    >>> corpus = Corpus.from_texts(["river stream bank", "stream river", "money loan bank", "loan money money"] * 9)
    >>> model = LDA(n_topics=4, random_state=0, verbose=False).fit(corpus)
    >>> edited = apply_edits(model, corpus, merge=[[0, 3]], drop=[1], names={2: "two"})
    >>> edited.topic_names_
    ['', 'two']
    """
    parts = dict(split or {})
    changes = dict(names or {})
    _check(model, merge, drop, parts, changes, X)
    edits: list[TopicEdit] = []

    def now(topic: int) -> int:
        """Return the number that a topic has after the edits so far."""
        for edit in edits:
            topic = edit.new_topics(topic)[0]
        return topic

    edited = model
    if merge:
        edited = edited.merge_topics([list(group) for group in merge], X, **given)
        edits.append(operations.merge(merge, model.n_topics))
    if drop:
        dropped = [now(topic) for topic in drop]
        edits.append(operations.drop(dropped, edited.n_topics))
        edited = edited.drop_topics(dropped, X, **given)
    for topic, into in parts.items():
        number = now(topic)
        edits.append(operations.split(number, into, edited.n_topics))
        edited = edited.split_topic(number, X, into=into, **given)
    return edited.name_topics({now(topic): name for topic, name in changes.items()}) if changes else edited


def _check(
    model: Any,
    merge: Sequence[Sequence[int]],
    drop: Sequence[int],
    split: Mapping[int, int],
    names: Mapping[int, str | None],
    X: Any,
) -> None:
    """Raise an error for edits that contradict each other, before any work is done."""
    if not (merge or drop or split or names):
        raise PlaitError("there is nothing to do; give topics to merge, drop, split or name")
    for topic in names:
        check_topic_number(topic, len(model.topic_names_))
    if merge or drop or split:
        check_editable(model)
        if X is None:
            raise PlaitError("give the documents that the model was fitted to; only names can be changed without them")
    else:
        rename(model.topic_names_, names)
        return
    n_topics = model.n_topics
    groups = [list(group) for group in merge]
    if merge:
        operations.merge(groups, n_topics)
    if drop:
        operations.drop(list(drop), n_topics)
    for topic, into in split.items():
        operations.split(topic, into, n_topics)
    used = Counter([*(topic for group in groups for topic in group), *drop, *split])
    twice = [topic for topic, times in used.items() if times > 1]
    if twice:
        raise PlaitError(
            f"topic {twice[0]} is given for two of merge, drop and split; choose one, or edit the result again"
        )
    gone = [topic for topic in names if topic in drop]
    if gone:
        raise PlaitError(f"topic {gone[0]} is dropped, so it cannot have a name; leave one of the two out")
    for group in groups:
        named = [topic for topic in group if topic in names]
        if len(named) > 1:
            raise PlaitError(f"topics {named[0]} and {named[1]} become one topic; give it one name")
