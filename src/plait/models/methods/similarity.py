"""Methods about the similarity of topics."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy  # its submodules are imported when they are used
from sklearn.utils.validation import check_is_fitted

from plait.models.answers.listing import frame_kind, make_frame
from plait.models.answers.similarity import TopicHierarchy, make_hierarchy, topic_distances
from plait.models.methods.output import topic_labels


def topic_similarity(self: Any) -> Any:
    """Return how similar the words of the topics are: 1 − the Jensen–Shannon distance.

    Returns
    -------
    polars.DataFrame, or pandas.DataFrame after `set_output(transform="pandas")`
        Topics × topics, from 0 (no common word) to 1 (the same words). The first column, in pandas the index, is
        "topic"; columns are named by the names or first words of the topics.
    """
    check_is_fitted(self)
    labels = topic_labels(self)
    similarity = (
        1.0 - scipy.spatial.distance.squareform(topic_distances(self.topic_word_))
        if len(labels) > 1
        else np.ones((1, 1))
    )
    columns = {"topic": labels} | dict(zip(labels, similarity.T, strict=True))
    frame = make_frame(columns, frame_kind(self))
    return frame.set_index("topic") if frame_kind(self) == "pandas" else frame


def topic_hierarchy(self: Any, method: str = "average") -> TopicHierarchy:
    """Return a tree of the topics by similarity.

    Parameters
    ----------
    method : {"average", "complete", "single", "weighted"}, default "average"
        Distance between two groups of topics, as in `scipy.cluster.hierarchy.linkage`; that of two topics is the
        Jensen–Shannon distance of their words.

    Returns
    -------
    TopicHierarchy
        It prints as a tree. `linkage` is for scipy, `tree` has nested nodes, `groups(n)` lists n groups of similar
        topics, `to_frame()` returns a data frame of the joins.
    """
    check_is_fitted(self)
    return make_hierarchy(self.topic_word_, self.topic_share_, topic_labels(self), self._word_names(), method)
