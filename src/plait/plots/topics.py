"""Figures of topics: the map, the words of a topic, the hierarchy, and how similar topics are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from plait._utils.validation import check_whole
from plait.errors import PlaitError
from plait.plots.figure import MUTED, Axis, Bars, Cells, Figure, Line, Points
from plait.plots.layout import principal_coordinates, spread_points
from plait.plots.reading import check_model, group_legend, largest_topics, numbered_names, topic_hovers, topic_names
from plait.plots.tree import topic_distances, topic_groups, topic_nodes, topic_order

_METHODS = ("average", "complete", "single", "weighted")
_LARGEST = 46.0  # pixels, the radius of the largest circle
_SMALLEST = 2.5  # pixels, the radius of a circle that can still be pointed at
_INKED = 60_000.0  # square pixels of all circles
_BOX = (700.0, 430.0)  # pixels of the map
_MANY = 40  # topics, from which the middle of the map is stretched
_MOST_ROWS = 40


def topic_map(model: Any) -> Figure:
    """Return a map of the topics: similar topics are close, larger circles have more tokens.

    Positions are principal coordinates of the Jensen–Shannon distances between the topics' words; circles that would
    hide each other are pushed apart. Of more than 40 topics, the crowded middle of the map is stretched.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.

    Returns
    -------
    Figure
        Circles with the keys "topic0", "topic1" …, coloured by group of the hierarchy.

    Examples
    --------
    >>> from plait import LDA, Corpus
    >>> corpus = Corpus.from_texts(["river stream bank", "money loan bank"] * 5)
    >>> figure = topic_map(LDA(n_topics=2, random_state=0, verbose=False).fit(corpus))
    >>> figure.title, sorted(figure.marks[0].keys)
    ('Map of 2 topics', ['topic0', 'topic1'])
    """
    check_model(model, what="a map of topics")
    shares = np.asarray(model.topic_share_, dtype=np.float64)
    positions, explained = principal_coordinates(topic_distances(model))
    largest = float(shares.max()) or 1.0
    exact = min(_LARGEST, np.sqrt(largest * _INKED / np.pi)) * np.sqrt(shares / largest)
    radii = np.maximum(exact, _SMALLEST)
    positions = spread_points(_fill(positions), radii, strength=1.03, n_sweeps=300)
    group_of = topic_groups(model)
    order = largest_topics(model, len(shares))  # small circles come last, on top
    names, hovers = topic_names(model), topic_hovers(model)
    points = Points(
        tuple(float(positions[topic, 0]) for topic in order),
        tuple(float(positions[topic, 1]) for topic in order),
        tuple(float(radii[topic]) for topic in order),
        tuple(group_of[topic] for topic in order),
        tuple(hovers[topic] for topic in order),
        text=tuple(names[topic] for topic in order),
        inner=tuple(str(topic) for topic in order),
        keys=tuple(f"topic{topic}" for topic in order),
    )
    few = f" (at least {_SMALLEST:g} pixels of radius)" if (exact < _SMALLEST).any() else ""
    labels = [f"principal coordinate {axis + 1} ({explained[axis]:.0%} of the variance)" for axis in range(2)]
    return Figure(
        f"Map of {len(shares)} topics" if len(shares) != 1 else "Map of 1 topic",
        Axis(labels[0], ticks=()),
        Axis(labels[1], ticks=()),
        (points,),
        note="Close topics use similar words. The area of a circle is proportional to the topic's share of all tokens"
        f"{few}; its colour is its group in the hierarchy, named by the first words of its largest topics.",
        legend=group_legend(group_of, model),
        aspect=0.62,
        square=True,
    )


def _fill(positions: np.ndarray) -> np.ndarray:
    """Return positions in pixels of the map. Of many topics, the crowded middle is stretched and the rim compressed."""
    if len(positions) > _MANY:
        middle = np.median(positions, axis=0)
        away = positions - middle
        lengths = np.sqrt((away**2).sum(axis=1, keepdims=True))
        positions = away * np.where(lengths > 0, lengths, 1.0) ** -0.45
    extent = np.maximum(np.ptp(positions, axis=0), 1e-9)
    return positions / extent.max() * min(_BOX) if len(positions) < 4 else positions * (min(_BOX / extent))


def topic_words(model: Any, topic: int, *, relevance_weight: float = 0.6, top: int = 20) -> Figure:
    """Return the words of a topic, ordered between frequent and distinctive (Sievert and Shirley, 2014).

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.
    topic : int
        Number of the topic.
    relevance_weight : float, default 0.6
        λ: 1 orders words by their probability in the topic, 0 by how much more probable they are than in all topics.
    top : int, default 20
        Number of words.

    Returns
    -------
    Figure
        Bars: tokens of the word in the topic, and in all topics.

    Examples
    --------
    >>> from plait import LDA
    >>> model = LDA(2, n_sweeps=5, random_state=0, verbose=False).fit(["river stream bank", "money loan bank"] * 5)
    >>> [word for _, word in topic_words(model, 1, top=2).y.ticks]
    ['loan', 'money']
    """
    check_model(model, what="a figure of words")
    check_whole("top", top, least=1)
    n_topics = len(model.topic_word_)
    if not 0 <= topic < n_topics:
        raise PlaitError(f"there is no topic {topic}; the model has topics 0 to {n_topics - 1}")
    if not 0 <= relevance_weight <= 1:
        raise PlaitError(f"relevance_weight must lie between 0 and 1, not {relevance_weight!r}")
    row, share = np.asarray(model.topic_word_[topic], dtype=np.float64), float(model.topic_share_[topic])
    with np.errstate(divide="ignore", invalid="ignore"):
        everywhere = np.log(np.asarray(model.topic_share_) @ model.topic_word_)
        relevance = np.nan_to_num(np.log(row) - (1 - relevance_weight) * everywhere, nan=-np.inf)
    chosen = np.argsort(-relevance, kind="stable")[:top].tolist()
    words = [f"x{word}" if model.vocabulary_ is None else str(model.vocabulary_[word]) for word in chosen]
    total = float(model.word_counts_.sum())
    overall = [float(model.word_counts_[word]) for word in chosen]
    inside = [min(tokens, float(row[word]) * share * total) for word, tokens in zip(chosen, overall, strict=True)]
    rows = tuple(float(at) for at in range(len(words)))
    hovers = tuple(
        f"{name}\n{part:,.0f} of {tokens:,.0f} tokens are of this topic\nprobability in the topic {row[word]:.2%}"
        for name, word, part, tokens in zip(words, chosen, inside, overall, strict=True)
    )
    name = f" {model.topic_names_[topic]}" if model.topic_names_[topic] else ""
    return Figure(
        f"Words of topic {topic}{name} (λ = {relevance_weight:g})",
        Axis("tokens", low=0.0),
        Axis("", low=len(rows) - 0.5, high=-0.5, ticks=tuple(zip(rows, words, strict=True)), grid=False),
        (
            Bars(rows, tuple(overall), (MUTED,) * len(rows), hovers, width=0.75),
            Bars(rows, tuple(inside), (0,) * len(rows), hovers, width=0.75),
        ),
        note="λ = 1 orders words by their frequency in the topic, λ = 0 by how specific they are to it.",
        legend=(("in this topic", 0), ("in all topics", MUTED)),
        row_height=20,
    )


def topic_tree(model: Any, *, method: str = "complete") -> Figure:
    """Return the hierarchy of the topics as a dendrogram: topics that join far left are similar.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.
    method : {"average", "complete", "single", "weighted"}, default "complete"
        As in `topic_hierarchy`. Complete linkage gives groups of similar size, which colours need.

    Returns
    -------
    Figure
        One row per topic.

    Examples
    --------
    >>> from plait import LDA
    >>> model = LDA(2, alpha=0.1, n_sweeps=5, random_state=0, verbose=False).fit(
    ...     ["river stream bank", "money loan bank"] * 5
    ... )
    >>> [name for _, name in topic_tree(model).y.ticks]
    ['0 bank river stream', '1 loan money bank']
    """
    check_model(model, what="a tree of topics")
    if method not in _METHODS:
        raise PlaitError(f"method must be one of {', '.join(map(repr, _METHODS))}, not {method!r}")
    nodes = topic_nodes(model, method)
    n_topics = len(model.topic_share_)
    group_of = topic_groups(model)
    order = nodes[-1].topics
    row_of = {topic: float(row) for row, topic in enumerate(order)}
    place = [row_of[topic] for topic in range(n_topics)]
    lines, joins = [], []
    for node in nodes[n_topics:]:
        ends = [(nodes[child].distance, place[child]) for child in node.children]
        place.append((ends[0][1] + ends[1][1]) / 2)
        groups = {group_of[topic] for topic in node.topics}
        colour = groups.pop() if len(groups) == 1 else MUTED
        xs = (ends[0][0], node.distance, node.distance, ends[1][0])
        lines.append(Line(xs, (ends[0][1], ends[0][1], ends[1][1], ends[1][1]), colour, thin=True))
        text = f"{len(node.topics)} topics join at distance {node.distance:.2f}\n{' '.join(node.words)}"
        joins.append((node.distance, place[-1], text, colour))
    hovers, names = topic_hovers(model), numbered_names(model)
    nearest, farthest = min((join[0] for join in joins), default=0.0), max((join[0] for join in joins), default=1.0)
    start = max(0.0, nearest - 0.15 * (farthest - nearest))
    lines = [replace(line, x=tuple(max(x, start) for x in line.x)) for line in lines]
    leaves = Points(
        (start,) * n_topics,
        tuple(place[topic] for topic in order),
        (4.5,) * n_topics,
        tuple(group_of[topic] for topic in order),
        tuple(hovers[topic] for topic in order),
        keys=tuple(f"topic{topic}" for topic in order),
    )
    dots = Points(
        tuple(join[0] for join in joins),
        tuple(join[1] for join in joins),
        (3.5,) * len(joins),
        tuple(join[3] for join in joins),
        tuple(join[2] for join in joins),
    )
    return Figure(
        "Hierarchy of the topics",
        Axis(
            "Jensen–Shannon distance", low=start - 0.02 * (farthest - start), high=farthest + 0.03 * (farthest - start)
        ),
        Axis(
            "topic",
            low=n_topics - 0.5,
            high=-0.5,
            ticks=tuple((place[topic], names[topic]) for topic in order),
            grid=False,
        ),
        (*lines, dots, leaves),
        note="Topics are joined from the left, the most similar ones first; the axis begins near the first join. "
        "Colours are those of the map.",
        row_height=19,
    )


def topic_similarities(model: Any, *, top: int = _MOST_ROWS) -> Figure:
    """Return a heat map of how similar the words of the topics are, in the order of the hierarchy.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.
    top : int, default 40
        Number of topics, the largest ones.

    Returns
    -------
    Figure
        Topics × topics: 1 − the Jensen–Shannon distance.

    Examples
    --------
    >>> from plait import LDA
    >>> model = LDA(2, n_sweeps=5, random_state=0, verbose=False).fit(["river stream bank", "money loan bank"] * 5)
    >>> cells = topic_similarities(model).marks[0]
    >>> len(cells.values), cells.values[0][1] < 0.5
    (2, True)
    """
    check_model(model, what="a figure of similar topics")
    check_whole("top", top, least=1)
    similarity = 1.0 - topic_distances(model)
    chosen = set(largest_topics(model, top))
    order = [topic for topic in topic_order(model) if topic in chosen]
    names = numbered_names(model)
    values = tuple(
        tuple(float(similarity[row, column]) if row != column else float("nan") for column in order) for row in order
    )
    hovers = tuple(
        tuple(f"{names[row]}\n{names[column]}\nsimilarity {similarity[row, column]:.2f}" for column in order)
        for row in order
    )
    known = [value for row in values for value in row if value == value]
    n_rows = len(order)
    return Figure(
        "Similar topics",
        Axis(
            "topic",
            low=-0.5,
            high=n_rows - 0.5,
            ticks=tuple((float(at), str(topic)) for at, topic in enumerate(order)),
            grid=False,
        ),
        Axis(
            "topic",
            low=n_rows - 0.5,
            high=-0.5,
            ticks=tuple((float(at), names[topic]) for at, topic in enumerate(order)),
            grid=False,
        ),
        (Cells(values, hovers, "sequential", max(known, default=1.0) or 1.0, "similarity of words"),),
        note="Similarity is 1 − the Jensen–Shannon distance of the words; topics are in the order of the hierarchy.",
        row_height=16,
    )
