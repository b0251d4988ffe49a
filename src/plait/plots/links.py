"""Figures of links between topics, and of predicted links."""

from __future__ import annotations

from typing import Any

import numpy as np

from plait._utils.validation import check_whole
from plait.errors import PlaitError
from plait.plots.figure import MUTED, Axis, Cells, Figure, Line
from plait.plots.reading import check_model, describe_clipping, numbered_names, topic_names
from plait.plots.tree import topic_order

_MOST_TOPICS = 60
_MOST_DOCUMENTS = 1000
_CUTOFFS = (1, 2, 3, 5, 10, 20, 50, 100)


def link_weights(model: Any, *, top: int = _MOST_TOPICS) -> Figure:
    """Return a heat map of the link weights between topics.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model that predicts links.
    top : int, default 60
        Number of topics, those with the largest weights.

    Returns
    -------
    Figure
        Topics × topics, in the order of the hierarchy.

    Examples
    --------
    >>> from plait import Corpus, RelationalTopicModel
    >>> ids = [str(row) for row in range(20)]
    >>> links = list(zip(ids, ids[2:]))
    >>> corpus = Corpus.from_texts(["river stream", "money loan"] * 10, ids=ids, links=links)
    >>> model = RelationalTopicModel(2, n_sweeps=5, random_state=0, verbose=False).fit(corpus)
    >>> (within, between), _ = link_weights(model).marks[0].values
    >>> within > between
    True
    """
    check_model(model, "topic_links", "a figure of link weights")
    check_whole("top", top, least=1)
    weights = link_weight_matrix(model)
    size = np.abs(weights).max(axis=0) + np.abs(weights).max(axis=1)
    chosen = set(np.argsort(-size, kind="stable")[:top].tolist())
    order = [topic for topic in topic_order(model) if topic in chosen]
    names, numbered = topic_names(model), numbered_names(model)
    verb = "links to" if model.directed_ else "and"
    values = tuple(tuple(float(weights[row, column]) for column in order) for row in order)
    hovers = tuple(
        tuple(
            f"topic {row}: {names[row]}\n{verb} topic {column}: {names[column]}\nweight {weights[row, column]:+.2f}"
            for column in order
        )
        for row in order
    )
    limit = float(np.quantile(np.abs(weights), 0.99)) or float(np.abs(weights).max()) or 1.0
    n_rows = len(order)
    more = f" {len(weights) - n_rows} topics with smaller weights are left out." if len(weights) > n_rows else ""
    return Figure(
        "Link weights between topics",
        Axis(
            "topic of the linked document" if model.directed_ else "topic",
            low=-0.5,
            high=n_rows - 0.5,
            ticks=tuple((float(at), str(topic)) for at, topic in enumerate(order)),
            grid=False,
        ),
        Axis(
            "topic of the linking document" if model.directed_ else "topic",
            low=n_rows - 0.5,
            high=-0.5,
            ticks=tuple((float(at), numbered[topic]) for at, topic in enumerate(order)),
            grid=False,
        ),
        (Cells(values, hovers, "diverging", limit, "weight"),),
        note="Links between documents of two topics are likely where a cell is orange, unlikely where blue."
        + describe_clipping(weights[np.ix_(order, order)], limit)
        + more,
        row_height=18,
    )


def link_weight_matrix(model: Any) -> np.ndarray:
    """Return the link weights between topics, topics × topics; the other half of undirected links is filled in."""
    n_topics = len(model.topic_word_)
    weights = np.zeros((n_topics, n_topics))
    for one in model.topic_links(top=n_topics * n_topics):
        weights[one.source, one.target] = one.weight
        if not model.directed_:
            weights[one.target, one.source] = one.weight
    return weights


def link_precision(model: Any, new: Any, links: Any, *, direction: str = "to") -> Figure:
    """Return how many of the first k suggested links of new documents are right, and how many links they find.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model that predicts links.
    new : Corpus, list of str, data frame or matrix
        New documents; at most 1,000 are used.
    links : matrix of shape (new documents, training documents)
        Above 0 for their links.
    direction : {"either", "to", "from"}, default "to"
        As in `score_links`.

    Returns
    -------
    Figure
        Precision and recall at k, and the precision of chance.

    Examples
    --------
    >>> from plait import Corpus, RelationalTopicModel
    >>> ids = [str(row) for row in range(20)]
    >>> links = list(zip(ids, ids[2:]))
    >>> corpus = Corpus.from_texts(["river stream", "money loan"] * 10, ids=ids, links=links)
    >>> model = RelationalTopicModel(2, n_sweeps=5, random_state=0, verbose=False).fit(corpus)
    >>> chance, found, precision = link_precision(model, ["a stream"], [[1, 0] * 10]).marks
    >>> chance.y[0], found.y[0], precision.y[0]
    (0.5, 0.1, 1.0)
    """
    check_model(model, "score_links", "a figure of predicted links")
    from scipy.sparse import csr_array

    linked = csr_array(links)
    rows = np.flatnonzero(np.diff(linked.indptr))[:_MOST_DOCUMENTS]
    if not rows.size:
        raise PlaitError("the new documents have no links to training documents, so no suggestion can be right")
    chosen = (
        new.select(rows)
        if hasattr(new, "select")
        else [new[row] for row in rows]
        if isinstance(new, list)
        else new[rows]
    )
    scores = np.asarray(model.score_links(chosen, direction=direction))
    true = linked[rows].toarray() > 0
    cutoffs = [k for k in _CUTOFFS if k <= scores.shape[1]]
    order = np.argsort(-scores, axis=1, kind="stable")[:, : cutoffs[-1]]
    found = np.cumsum(np.take_along_axis(true, order, axis=1), axis=1)
    precision = [float((found[:, k - 1] / k).mean()) for k in cutoffs]
    recall = [float((found[:, k - 1] / true.sum(axis=1)).mean()) for k in cutoffs]
    chance = float(true.mean())
    xs = tuple(float(k) for k in cutoffs)
    return Figure(
        f"Suggested links of {len(rows):,} new documents",
        Axis("number of suggestions per document, k", ticks=tuple((float(k), f"{k}") for k in cutoffs), log=True),
        Axis("share", low=0.0, percent=True),
        (
            Line(xs, (chance,) * len(xs), MUTED, "precision by chance", dashed=True),
            Line(xs, tuple(recall), 1, "links found", _hovers(cutoffs, recall, "of the links are found"), markers=True),
            Line(
                xs,
                tuple(precision),
                0,
                "precision",
                _hovers(cutoffs, precision, "of the suggestions are right"),
                markers=True,
            ),
        ),
        note="Precision is the share of right ones among the first k suggestions; links found is the share of all "
        "links that are among them.",
        aspect=0.5,
    )


def _hovers(cutoffs: list[int], values: list[float], text: str) -> tuple[str, ...]:
    return tuple(f"first {k}: {value:.1%} {text}" for k, value in zip(cutoffs, values, strict=True))
