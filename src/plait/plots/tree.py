"""Distances between the topics of a model, and their tree, for figures.

`topic_similarity` and `topic_hierarchy` of a model compare all words of all pairs of topics, which takes a minute with
500 topics and 50,000 words. Figures compare the words that matter: the 4,000 words with the highest probability in some
topic, and all others as one word. Distances are then a little smaller than exact ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from plait.plots.reading import remember

_WORDS = 4000
_NODE_WORDS = 5


@dataclass(frozen=True)
class Node:
    """A node of the tree: one topic, or the join of two nodes.

    Attributes
    ----------
    topics : tuple of int
        Topics below the node, in the order of the tree.
    distance : float
        Distance between its two children; 0 for one topic.
    children : tuple of int
        Numbers of the two nodes; () for one topic.
    words : tuple of str
        Top words of the topics below the node, weighted by their shares.
    """

    topics: tuple[int, ...]
    distance: float
    children: tuple[int, ...]
    words: tuple[str, ...]


def topic_distances(model: Any) -> np.ndarray:
    """Return the Jensen–Shannon distances between the topics of a model, from 0 to 1.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.

    Returns
    -------
    ndarray of shape (topics, topics)
        Symmetric distances.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> model = type("Model", (), {})()
    >>> model.topic_word_, model.documents_, model.topic_names_ = np.eye(3)[[0, 1, 0]], None, []
    >>> topic_distances(model).tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    """
    found: np.ndarray = remember(model, "distances", lambda: _distances(_main_words(model)[1]))
    return found


def topic_nodes(model: Any, method: str = "complete") -> tuple[Node, ...]:
    """Return the nodes of the tree of the topics: the topics, then the joins in the order of their distance.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.
    method : {"average", "complete", "single", "weighted"}, default "complete"
        Distance between two groups of topics. Complete linkage gives groups of similar size, which colours need.

    Returns
    -------
    tuple of Node
        The last node is the root.
    """
    found: tuple[Node, ...] = remember(model, f"nodes {method}", lambda: tuple(_make_nodes(model, method)))
    return found


def topic_order(model: Any) -> list[int]:
    """Return the topics in the order of the tree, similar ones beside each other."""
    return list(topic_nodes(model)[-1].topics)


def _main_words(model: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the words that matter, and their probabilities in each topic with those of all others as a last column."""
    probabilities = np.asarray(model.topic_word_, dtype=np.float64)
    if probabilities.shape[1] <= _WORDS:
        return np.arange(probabilities.shape[1]), probabilities
    chosen = np.sort(np.argpartition(-probabilities.max(axis=0), _WORDS)[:_WORDS])
    kept = probabilities[:, chosen]
    return chosen, np.column_stack([kept, np.clip(1.0 - kept.sum(axis=1), 0.0, None)])


def _distances(rows: np.ndarray) -> np.ndarray:
    """Return the square roots of the divergences in bits: the entropy of the mean less the mean entropy."""
    negative = _negative_entropies(rows)
    squared = np.zeros((len(rows), len(rows)))
    for at in range(len(rows) - 1):
        joined = _negative_entropies((rows[at] + rows[at + 1 :]) / 2)
        squared[at, at + 1 :] = (negative[at] + negative[at + 1 :]) / 2 - joined
    squared = np.clip((squared + squared.T) / np.log(2.0), 0.0, 1.0)
    return np.sqrt(squared)


def _negative_entropies(rows: np.ndarray) -> np.ndarray:
    return np.einsum("kw,kw->k", rows, np.log(np.maximum(rows, np.finfo(np.float64).tiny)))


def _make_nodes(model: Any, method: str) -> list[Node]:
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    chosen, rows = _main_words(model)
    names = [f"x{word}" if model.vocabulary_ is None else str(model.vocabulary_[word]) for word in chosen]
    weighted = np.asarray(model.topic_share_)[:, np.newaxis] * rows[:, : len(chosen)]
    sums = list(weighted)
    n_topics = len(rows)
    joins = linkage(squareform(topic_distances(model), checks=False), method) if n_topics > 1 else np.zeros((0, 4))
    nodes = [Node((topic,), 0.0, (), _top(sums[topic], names)) for topic in range(n_topics)]
    for first, second, distance, _ in joins:
        children = (int(first), int(second))
        sums.append(sums[children[0]] + sums[children[1]])
        topics = nodes[children[0]].topics + nodes[children[1]].topics
        nodes.append(Node(topics, float(distance), children, _top(sums[-1], names)))
    return nodes


def _top(weights: np.ndarray, names: list[str]) -> tuple[str, ...]:
    few = np.argpartition(-weights, min(_NODE_WORDS, len(weights) - 1))[:_NODE_WORDS]
    return tuple(names[word] for word in sorted(few.tolist(), key=lambda word: (-weights[word], word)))


def topic_groups(model: Any, most: int = 8) -> list[int]:
    """Return the group of similar topics of each topic, the group with most tokens first.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.
    most : int, default 8
        Number of groups. The part of the tree with most tokens is cut at its join until there are so many parts.

    Returns
    -------
    list of int
        Number of the group of each topic.
    """
    nodes = topic_nodes(model)
    shares = np.asarray(model.topic_share_)
    parts = [len(nodes) - 1]
    size = [float(shares[list(node.topics)].sum()) if node.children else 0.0 for node in nodes]
    while len(parts) < min(most, len(shares)):
        largest = max(parts, key=lambda number: size[number])
        parts.remove(largest)
        parts += nodes[largest].children
    order = sorted(parts, key=lambda number: (-float(shares[list(nodes[number].topics)].sum()), number))
    group_of = {topic: group for group, number in enumerate(order) for topic in nodes[number].topics}
    return [group_of[topic] for topic in range(len(shares))]
