"""Mean topic proportions of groups of documents: by the value of a field, or by time slice."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from plait.corpus.container.frozen import frozen_texts
from plait.corpus.container.slices import cut_times
from plait.corpus.known_documents import KnownDocuments
from plait.errors import PlaitError
from plait.models.answers.topics import Topic
from plait.models.shared_docs import shared_docs


@dataclass(frozen=True)
class GroupShares:
    """Mean topic proportions of groups of documents.

    Parameters
    ----------
    field : str
        What the groups differ in, such as "party" or "slice".
    labels : sequence of str or None
        Name of each group; None for documents without a value.
    n_documents : ndarray of shape (groups,)
        Number of documents of each group.
    shares : ndarray of shape (groups, topics)
        Mean proportion of each topic over the documents of a group; NaN for a group without documents.
    """

    field: str
    labels: Sequence[str | None]
    n_documents: np.ndarray
    shares: np.ndarray

    def columns(self, topics: Sequence[Topic]) -> dict[str, list[Any]]:
        """Return the columns of a data frame with one row per group and topic.

        Parameters
        ----------
        topics : sequence of Topic
            The topics, with names and words.

        Returns
        -------
        dict of str to list
            The field, documents, topic, name, share.
        """
        names = [topic.name or " ".join(topic.words) for topic in topics]
        n_groups, n_topics = self.shares.shape
        return {
            self.field: [label for label in self.labels for _ in range(n_topics)],
            "documents": np.repeat(self.n_documents, n_topics).tolist(),
            "topic": list(range(n_topics)) * n_groups,
            "name": names * n_groups,
            "share": [None if np.isnan(share) else share for share in self.shares.ravel().tolist()],
        }


@dataclass(frozen=True)
class TopicSlice:
    """One time slice of a model that was fitted to all documents at once: the shares of its topics.

    It has the attributes of a slice of a stream that `plait.report.trends` reads.
    """

    label: str
    n_documents: int
    topic_share: np.ndarray  # topics: mean proportion over the documents; NaN for an empty slice
    words: np.ndarray  # topics × words: the top words of the topics, the same in every slice

    @property
    def begins(self) -> str:
        """The first time of the slice, as its label has it."""
        return self.label.split(" to ")[0]

    @property
    def ends(self) -> str:
        """The last time of the slice, as its label has it."""
        return self.label.split(" to ")[-1]

    @property
    def empty(self) -> bool:
        """Whether the slice has no documents."""
        return self.n_documents == 0

    @property
    def drift(self) -> np.ndarray:
        """NaN: the words of the topics are the same in every slice."""
        return np.full(self.topic_share.size, np.nan)

    @property
    def topic_tokens(self) -> np.ndarray:
        """Weight of each topic in the slice: documents × share."""
        return np.nan_to_num(self.n_documents * self.topic_share)


@shared_docs
def shares_by_field(doc_topic: np.ndarray, documents: KnownDocuments, field: str) -> GroupShares:
    """Return the mean topic proportions of the documents with each value of a field, in the order of the values.

    <Parameters: known_proportions>
    field : str
        "label", "split", or a field of metadata.

    Returns
    -------
    GroupShares
        One group per value; a document with several labels is in several groups. Documents without a value are the
        last group.
    """
    values = documents.field(field)
    rows_of: dict[str | None, list[int]] = {name: [] for name in sorted({name for own in values for name in own})}
    rows_of[None] = []
    for row, own in enumerate(values):
        for name in own or (None,):
            rows_of[name].append(row)
    if not rows_of[None]:
        del rows_of[None]
    return _group_shares(field, doc_topic, list(rows_of), [np.array(rows, np.int64) for rows in rows_of.values()])


@shared_docs
def shares_over_time(doc_topic: np.ndarray, documents: KnownDocuments, by: Any) -> GroupShares:
    """Return the mean topic proportions of the documents of each time slice, oldest first.

    <Parameters: known_proportions>
    by : str, int or sequence of times
        As in `Corpus.slice_by_time`.

    Returns
    -------
    GroupShares
        One group per slice; a warning says how many documents are in none.
    """
    times = documents.times
    if times is None or np.isnat(times).all():
        raise PlaitError(
            "the model knows no time of its documents; name the field with date= when reading the corpus, and fit "
            "with keep='titles'"
        )
    dated = np.flatnonzero(~np.isnat(times))
    ids = frozen_texts(documents.id(int(row)) for row in dated)
    labels, slice_of = cut_times(times[dated], by, ids)
    outside = len(documents) - int((slice_of >= 0).sum())
    if outside:
        warnings.warn(
            f"{outside:,} of {len(documents):,} documents have no time, or one outside the slices, and are left out",
            stacklevel=4,
        )
    groups = [dated[slice_of == number] for number in range(len(labels))]
    return _group_shares("slice", doc_topic, labels, groups)


def _group_shares(
    field: str, doc_topic: np.ndarray, labels: Sequence[str | None], groups: Sequence[np.ndarray]
) -> GroupShares:
    nothing = np.full(doc_topic.shape[1], np.nan)
    shares = np.array([doc_topic[rows].mean(axis=0) if rows.size else nothing for rows in groups])
    return GroupShares(field, labels, np.array([rows.size for rows in groups]), shares)
