"""Similar topics: distances between topics, and a tree of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from plait._utils.tables import html_table
from plait._utils.text import cut, printable
from plait._utils.validation import check_whole
from plait.errors import PlaitError
from plait.models.answers.listing import make_frame
from plait.models.shared_docs import shared_docs

METHODS = ("average", "complete", "single", "weighted")
_WORDS = 5  # of a node


def topic_distances(topic_word: np.ndarray) -> np.ndarray:
    """Return the Jensen–Shannon distances between topics, from 0 (same words) to 1 (no common word).

    Parameters
    ----------
    topic_word : ndarray of shape (topics, words)
        Probability of each word in each topic.

    Returns
    -------
    ndarray of shape (topics · (topics − 1) / 2,)
        Condensed distance matrix of `scipy.spatial.distance`: the square root of the divergence in bits.

    Examples
    --------
    >>> topic_distances(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])).tolist()
    [1.0, 0.0, 1.0]
    """
    # Entropy of the mean less the mean entropy: one logarithm per word and pair, half the time of scipy's pdist.
    negative_entropies = _entropy_terms(topic_word)
    rows = []
    for topic in range(len(topic_word) - 1):
        joined = _entropy_terms((topic_word[topic] + topic_word[topic + 1 :]) / 2)
        rows.append((negative_entropies[topic] + negative_entropies[topic + 1 :]) / 2 - joined)
    divergences = np.concatenate(rows) if rows else np.empty(0)
    return np.sqrt(np.clip(divergences / np.log(2.0), 0.0, 1.0))  # rounding can leave a tiny negative divergence


def _entropy_terms(distributions: np.ndarray) -> np.ndarray:
    """Return Σ p log p of each row."""
    logarithms = np.log(np.maximum(distributions, np.finfo(np.float64).tiny))
    return np.einsum("kw,kw->k", distributions, logarithms)


@dataclass(frozen=True)
class TopicNode:
    """A node of the tree of topics: one topic, or the join of two nodes.

    Parameters
    ----------
    topics : tuple of int
        Topics below the node.
    distance : float
        Distance between its two children; 0 for one topic.
    words : tuple of str
        Top words of the topics below the node, weighted by their shares.
    children : tuple of TopicNode
        Two nodes; none for one topic.
    """

    topics: tuple[int, ...]
    distance: float
    words: tuple[str, ...]
    children: tuple[TopicNode, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class TopicHierarchy:
    """A tree of topics by similarity.

    Parameters
    ----------
    linkage : ndarray of shape (topics − 1, 4)
        Joins in the format of `scipy.cluster.hierarchy`, for its `dendrogram` and other functions.
    labels : sequence of str
        Name or first words of each topic.
    topic_word : ndarray of shape (topics, words)
        Probability of each word in each topic.
    shares : ndarray of shape (topics,)
        Share of each topic in all tokens.
    vocabulary : ndarray of str
        The words.
    """

    linkage: np.ndarray
    labels: Sequence[str]
    topic_word: np.ndarray
    shares: np.ndarray
    vocabulary: np.ndarray

    @cached_property
    def nodes(self) -> list[TopicNode]:
        """All nodes: the topics, then the joins in the order of their distance, as scipy numbers them."""
        nodes = [self._node((topic,), 0.0, ()) for topic in range(len(self.labels))]
        for first, second, distance, _ in self.linkage:
            children = nodes[int(first)], nodes[int(second)]
            nodes.append(self._node(children[0].topics + children[1].topics, float(distance), children))
        return nodes

    @property
    def tree(self) -> TopicNode:
        """The root of the tree."""
        return self.nodes[-1]

    def groups(self, n_groups: int) -> list[list[int]]:
        """Return the topics in so many groups of similar topics, for `merge_topics`.

        Parameters
        ----------
        n_groups : int
            Number of groups, at most the number of topics.

        Returns
        -------
        list of list of int
            Topics of each group, in the order of their first topics.
        """
        check_whole("n_groups", n_groups, least=1)
        if n_groups > len(self.labels):
            raise PlaitError(f"n_groups must be at most the number of topics, {len(self.labels)}, not {n_groups}")
        if len(self.labels) == 1:
            return [[0]]
        from scipy.cluster.hierarchy import fcluster

        group_of = fcluster(self.linkage, n_groups, criterion="maxclust")
        found: dict[int, list[int]] = {}
        for topic, group in enumerate(group_of.tolist()):
            found.setdefault(group, []).append(topic)
        return list(found.values())

    @shared_docs
    def to_frame(self, kind: str = "polars") -> Any:
        """Return the joins as a data frame.

        <frame_of_kind>
            One row per join: node, first, second (numbers of nodes), distance, topics, words.
        """
        joins = self.nodes[len(self.labels) :]
        return make_frame(
            {
                "node": list(range(len(self.labels), len(self.nodes))),
                "first": self.linkage[:, 0].astype(int).tolist(),
                "second": self.linkage[:, 1].astype(int).tolist(),
                "distance": [node.distance for node in joins],
                "topics": [list(node.topics) for node in joins],
                "words": [list(node.words) for node in joins],
            },
            kind,
        )

    def __repr__(self) -> str:
        return "\n".join(f"{'  ' * depth}{text}" for depth, text in self._lines())

    def _repr_html_(self) -> str:
        rows = [["\N{NO-BREAK SPACE}" * 4 * depth + text] for depth, text in self._lines()]
        return html_table(["topics by similarity"], rows, most_rows=600)

    def _lines(self) -> Iterator[tuple[int, str]]:
        """Yield the depth and the text of every node, from the root."""
        below = [(0, self.tree)]  # not by recursion, because a tree can be as deep as there are topics
        while below:
            depth, node = below.pop()
            if node.children:
                yield depth, printable(f"{node.distance:.2f}  {' '.join(node.words)}")
                below += [(depth + 1, child) for child in reversed(node.children)]
            else:
                yield depth, f"{node.topics[0]}  {cut(self.labels[node.topics[0]], 80)}"

    def _node(self, topics: tuple[int, ...], distance: float, children: tuple[TopicNode, ...]) -> TopicNode:
        rows = list(topics)
        joined = self.shares[rows] @ self.topic_word[rows]
        first = np.argsort(-joined, kind="stable")[:_WORDS]
        return TopicNode(topics, distance, tuple(str(self.vocabulary[word]) for word in first), children)


def make_hierarchy(
    topic_word: np.ndarray, shares: np.ndarray, labels: Sequence[str], vocabulary: np.ndarray, method: str
) -> TopicHierarchy:
    """Return the tree of topics.

    Parameters
    ----------
    topic_word : ndarray of shape (topics, words)
        Probability of each word in each topic.
    shares : ndarray of shape (topics,)
        Share of each topic in all tokens.
    labels : sequence of str
        Name or first words of each topic.
    vocabulary : ndarray of str
        The words.
    method : {"average", "complete", "single", "weighted"}
        Distance between two groups of topics, as in `scipy.cluster.hierarchy.linkage`.

    Returns
    -------
    TopicHierarchy
        The tree.
    """
    if method not in METHODS:
        raise PlaitError(f"method must be one of {', '.join(map(repr, METHODS))}, not {method!r}")
    from scipy.cluster.hierarchy import linkage

    joins = linkage(topic_distances(topic_word), method) if len(topic_word) > 1 else np.zeros((0, 4))
    return TopicHierarchy(joins, labels, topic_word, shares, vocabulary)
