"""Networks of topics and of documents; positions are computed here, so that a picture needs no script."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from plait._utils.validation import check_whole
from plait.errors import PlaitError
from plait.plots.figure import Axis, Edges, Figure, Points
from plait.plots.layout import place_network, spread_points
from plait.plots.links import link_weight_matrix
from plait.plots.reading import (
    check_model,
    document_name,
    group_legend,
    largest_topics,
    topic_hovers,
    topic_names,
)
from plait.plots.tree import topic_distances, topic_groups

_MOST_NODES = 150
_EDGES_PER_TOPIC = 2.0
_INFLUENCED = 12  # documents per influential one
_HIDDEN = ()  # ticks of an axis without a scale


class _Graph(NamedTuple):
    """Edges between numbered nodes."""

    first: np.ndarray
    second: np.ndarray
    weights: np.ndarray


def topic_network(model: Any) -> Figure:
    """Return a network of the topics.

    Edges are the largest positive link weights of a model that predicts links, the tokens borrowed between topics of a
    model with influence, and the most similar words of other models.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.

    Returns
    -------
    Figure
        Circles with the keys "topic0", "topic1" …

    Examples
    --------
    >>> from plait import LDA
    >>> model = LDA(2, n_sweeps=5, random_state=0, verbose=False).fit(["river stream bank", "money loan bank"] * 5)
    >>> edges, points = topic_network(model).marks
    >>> len(edges.width), points.keys
    (1, ('topic0', 'topic1'))
    """
    check_model(model, what="a network of topics")
    n_topics = len(model.topic_share_)
    if hasattr(model, "topic_links"):
        weights, directed = link_weight_matrix(model), bool(model.directed_)
        what, form = "link weight", "{:+.2f}"
    elif hasattr(model, "influence_"):
        weights, directed = _borrowed_tokens(model), True
        what, form = "borrowed tokens", "{:,.0f}"
    else:
        weights, directed = 1.0 - topic_distances(model), False
        what, form = "similarity of words", "{:.2f}"
    graph = _strongest(weights, directed, int(_EDGES_PER_TOPIC * n_topics))
    positions = place_network(n_topics, graph.first, graph.second, graph.weights)
    shares = np.asarray(model.topic_share_)
    radii = np.clip(26 * np.sqrt(shares / shares.max()) * min(1.0, 4.0 / n_topics**0.35), 4, 26)
    positions = spread_points(positions, radii / 380, strength=1.1)
    group_of, names, hovers = topic_groups(model), topic_names(model), topic_hovers(model)
    order = largest_topics(model, n_topics)
    edge_hovers = [
        f"{first} {names[first]}\n{'→' if directed else '–'} {second} {names[second]}\n{what} {form.format(weight)}"
        for first, second, weight in zip(*(part.tolist() for part in graph), strict=True)
    ]
    points = Points(
        tuple(float(positions[topic, 0]) for topic in order),
        tuple(float(positions[topic, 1]) for topic in order),
        tuple(float(radii[topic]) for topic in order),
        tuple(group_of[topic] for topic in order),
        tuple(hovers[topic] for topic in order),
        text=tuple(names[topic] for topic in order),
        inner=tuple(map(str, order)),
        keys=tuple(f"topic{topic}" for topic in order),
    )
    kind = {
        "link weight": "links between their documents",
        "borrowed tokens": "borrowed tokens (arrows: who borrows from whom)",
    }
    widest = f" (the widest one: {what} {form.format(graph.weights.max())})" if graph.weights.size else ""
    return Figure(
        "Network of the topics",
        Axis("positions: topics with edges are close", ticks=_HIDDEN),
        Axis("", ticks=_HIDDEN),
        (_edges(graph, positions, [group_of[node] for node in graph.first], edge_hovers, directed), points),
        note=f"Edges are the strongest {kind.get(what, 'similarities of their words')}. "
        f"Wider edges are stronger{widest}, larger circles are larger topics.",
        legend=group_legend(group_of, model),
        aspect=0.66,
        square=True,
    )


def _borrowed_tokens(model: Any) -> np.ndarray:
    """Return the tokens that documents of one topic borrow from documents of another, by their main topics."""
    lengths_and_sources = model.strongest_links(top=max(1, model.influence_.nnz))
    row_of = _row_of(model)
    main = np.asarray(model.doc_topic_).argmax(axis=1)
    n_topics = len(model.topic_share_)
    borrowed = np.zeros((n_topics, n_topics))
    for link in lengths_and_sources:
        borrowed[main[row_of(link.document)], main[row_of(link.source)]] += link.words
    np.fill_diagonal(borrowed, 0.0)
    return borrowed


def _row_of(model: Any) -> Any:
    if model.doc_ids_ is None:
        return int
    rows = {str(name): row for row, name in enumerate(model.doc_ids_)}
    return lambda name: rows[name]


def _strongest(weights: np.ndarray, directed: bool, most: int) -> _Graph:
    """Return the largest positive weights between different nodes."""
    strong = np.where(np.eye(len(weights), dtype=bool), 0.0, weights)
    if not directed:
        strong = np.triu(np.maximum(strong, strong.T))
    order = np.argsort(-strong, axis=None, kind="stable")[:most]
    first, second = np.unravel_index(order, strong.shape)
    found = strong[first, second]
    kept = found > 0
    return _Graph(first[kept], second[kept], found[kept])


def _edges(graph: _Graph, positions: np.ndarray, colours: list[int], hovers: list[str], directed: bool) -> Edges:
    strongest = float(graph.weights.max()) if graph.weights.size else 1.0
    weighted = np.ptp(graph.weights) > 0 if graph.weights.size else False
    x0, y0, x1, y1 = (
        tuple(float(value) for value in positions[ends, axis])
        for ends in (graph.first, graph.second)
        for axis in (0, 1)
    )
    return Edges(
        x0,
        y0,
        x1,
        y1,
        width=tuple(float(0.8 + 4 * weight / strongest) if weighted else 1.2 for weight in graph.weights),
        colour=tuple(colours),
        hover=tuple(hovers),
        directed=directed,
    )


def document_network(model: Any, links: Any = None, *, top: int = _MOST_NODES) -> Figure:
    """Return a network of documents along the strongest influences or links.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model. With influence, edges are the links along which most tokens are borrowed; else they are the
        links among the documents with most links.
    links : matrix of shape (documents, documents), optional
        Links of the training documents; None for those of a model that predicts links.
    top : int, default 150
        Number of documents.

    Returns
    -------
    Figure
        Circles with the keys "document0", "document1" … (rows of `doc_topic_`), coloured by the group of their main
        topic.

    Examples
    --------
    >>> from plait import Corpus, RelationalTopicModel
    >>> ids = [str(row) for row in range(20)]
    >>> links = list(zip(ids, ids[2:]))
    >>> corpus = Corpus.from_texts(["river stream", "money loan"] * 10, ids=ids, links=links)
    >>> model = RelationalTopicModel(2, n_sweeps=5, random_state=0, verbose=False).fit(corpus)
    >>> figure = document_network(model)
    >>> figure.title, len(figure.marks[0].width)
    ('20 documents along the strongest links', 18)
    """
    check_model(model, what="a network of documents")
    check_whole("top", top, least=2)
    if hasattr(model, "influence_"):
        graph, what = _influence_graph(model, top), "borrowed tokens"
    else:
        graph, what = _link_graph(model, links, top), ""
    rows, compact = np.unique(np.concatenate([graph.first, graph.second]), return_inverse=True)
    n_edges = len(graph.first)
    placed = _Graph(compact[:n_edges], compact[n_edges:], graph.weights)
    positions = place_network(len(rows), placed.first, placed.second, np.ones(n_edges))
    received = np.bincount(placed.second, graph.weights, minlength=len(rows))
    radii = np.clip(3.5 + 13 * np.sqrt(received / max(received.max(), 1e-9)), 3.5, 16)
    positions = spread_points(positions, radii / 400, strength=1.05)
    main = np.asarray(model.doc_topic_)[rows].argmax(axis=1)
    group_of, names = topic_groups(model), topic_names(model)
    colours = [group_of[topic] for topic in main]
    titles = [document_name(model, int(row)) for row in rows]
    gave = "{:,.0f} tokens borrowed by these" if what else "{:,.0f} links from these"
    hovers = [
        f"{title}\n{gave.format(size)}\ntopic {topic}: {names[topic]}"
        for title, size, topic in zip(titles, received, main, strict=True)
    ]
    edge_hovers = [
        f"{titles[source]}\n→ {titles[target]}" + (f"\n{weight:,.0f} {what}" if what else "")
        for source, target, weight in zip(*(part.tolist() for part in placed), strict=True)
    ]
    order = np.argsort(-radii, kind="stable").tolist()
    points = Points(
        tuple(float(positions[at, 0]) for at in order),
        tuple(float(positions[at, 1]) for at in order),
        tuple(float(radii[at]) for at in order),
        tuple(colours[at] for at in order),
        tuple(hovers[at] for at in order),
        text=tuple(titles[at] if number < 24 else "" for number, at in enumerate(order)),
        keys=tuple(f"document{rows[at]}" for at in order),
    )
    kind = "influences" if what else "links"
    return Figure(
        f"{len(rows)} documents along the strongest {kind}",
        Axis("positions: linked documents are close", ticks=_HIDDEN),
        Axis("", ticks=_HIDDEN),
        (_edges(placed, positions, [colours[node] for node in placed.first], edge_hovers, True), points),
        note="An arrow goes from a document to the one that it "
        + ("borrows words from" if what else "links to")
        + "; larger circles are "
        + ("borrowed from" if what else "linked to")
        + " more. The colour is the group of the main topic.",
        legend=group_legend(group_of, model),
        aspect=0.72,
        square=True,
    )


def _influence_graph(model: Any, top: int) -> _Graph:
    """Return influences between at most `top` documents: the most influential ones and those they influence."""
    row_of = _row_of(model)
    nodes: set[int] = set()
    for one in model.most_influential(top=top):
        source = one.document if model.doc_ids_ is not None else int(one.document)
        group = {row_of(one.document)}
        group |= {row_of(link.document) for link in model.strongest_links(_INFLUENCED, source=source) if link.words > 0}
        if len(group) > 1 and len(nodes | group) <= top:
            nodes |= group
    edges = [
        (row_of(link.document), row_of(link.source), link.words)
        for link in model.strongest_links(top=max(1, model.influence_.nnz))
        if link.words > 0 and {row_of(link.document), row_of(link.source)} <= nodes
    ]
    if not edges:
        raise PlaitError("no document borrows words from another one, so there is no network to draw")
    first, second, words = zip(*edges, strict=True)
    return _Graph(np.array(first), np.array(second), np.array(words, dtype=np.float64))


def _link_graph(model: Any, links: Any, top: int) -> _Graph:
    """Return the links among the `top` documents with most links."""
    from scipy.sparse import csr_array

    given = getattr(model, "links_", None) if links is None else links
    if given is None:
        raise PlaitError("the model keeps no links; give links=, such as corpus.links")
    matrix = csr_array(given)
    if matrix.shape[0] != len(model.doc_topic_):
        raise PlaitError(f"links are of {matrix.shape[0]:,} documents, but the model has {len(model.doc_topic_):,}")
    coordinates = matrix.tocoo()
    apart = coordinates.row != coordinates.col
    first, second = coordinates.row[apart], coordinates.col[apart]
    degree = np.bincount(first, minlength=matrix.shape[0]) + np.bincount(second, minlength=matrix.shape[0])
    chosen = np.zeros(matrix.shape[0], dtype=bool)
    chosen[np.argsort(-degree, kind="stable")[:top]] = True
    kept = chosen[first] & chosen[second]
    if not kept.any():
        raise PlaitError("the documents with most links are not linked with each other, so there is no network to draw")
    return _Graph(first[kept], second[kept], np.ones(int(kept.sum())))
