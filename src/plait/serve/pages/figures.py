"""Figures of pages: SVG in two widths, of which the style shows one, with links to the pages of topics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from plait import plots
from plait.errors import PlaitError
from plait.serve.catalogue import Catalogue
from plait.serve.errors import RequestError

_WIDE, _HALF, _NARROW = 1200, 640, 420  # pixels
_MOST_TOPICS = 500  # on a map


class Drawn:
    """A figure as SVG.

    Parameters
    ----------
    figure : plait.plots.Figure
        The figure.
    width : int
        Pixels on a wide screen.
    """

    def __init__(self, figure: Any, width: int) -> None:
        self.title: str = figure.title
        self.note: str = figure.note
        self.wide: str = figure.to_svg(width=width, standalone=False, link=_address)
        self.narrow: str = figure.to_svg(width=_NARROW, standalone=False, link=_address)


def draw_map(catalogue: Catalogue) -> Drawn | None:
    """Return the map of the topics; None for one topic, or for too many to be drawn.

    Parameters
    ----------
    catalogue : Catalogue
        The model.

    Returns
    -------
    Drawn or None
        The map; it is drawn once.
    """
    if not 2 <= catalogue.n_topics <= _MOST_TOPICS:
        return None
    drawn: Drawn | None = catalogue.drawn.get("map")
    if drawn is None:
        drawn = catalogue.drawn["map"] = Drawn(plots.topic_map(catalogue.model), _WIDE)
    return drawn


def draw_words(catalogue: Catalogue, topic: int, relevance_weight: float) -> Drawn:
    """Return the words of a topic.

    Parameters
    ----------
    catalogue : Catalogue
        The model.
    topic : int
        Number of the topic.
    relevance_weight : float
        1 for frequent words, 0 for distinctive ones.

    Returns
    -------
    Drawn
        The figure.
    """
    return Drawn(plots.topic_words(catalogue.model, topic, relevance_weight=relevance_weight), _HALF)


class _Choice(NamedTuple):
    """A figure of the page of figures: its name in the list, how it is drawn, and which models have it."""

    heading: str
    draw: Callable[[Any], Any]
    suits: Callable[[Catalogue], bool]


def _several(catalogue: Catalogue) -> bool:
    return 2 <= catalogue.n_topics <= _MOST_TOPICS


def _in_time(catalogue: Catalogue) -> bool:
    return hasattr(catalogue.model, "slices_") or catalogue.known.times is not None


_CHOICES = {
    "documents": _Choice("Map of documents", plots.document_map, _several),
    "hierarchy": _Choice("Hierarchy of topics", plots.topic_tree, _several),
    "similarity": _Choice("Similar topics", plots.topic_similarities, _several),
    "topics": _Choice("Network of topics", plots.topic_network, _several),
    "labels": _Choice("Topics and labels", plots.label_weights, lambda one: one.predicts_labels),
    "links": _Choice("Linked topics", plots.link_weights, lambda one: one.suggests_links),
    "influence": _Choice(
        "Network of documents", plots.document_network, lambda one: one.suggests_links or one.follows_links
    ),
    "time": _Choice("Topics over time", plots.topic_streams, _in_time),
    "fit": _Choice("Course of the fit", plots.perplexity_curve, lambda one: True),
}


def list_figures(catalogue: Catalogue) -> dict[str, str]:
    """Return the figures that a model has.

    Parameters
    ----------
    catalogue : Catalogue
        The model.

    Returns
    -------
    dict of str to str
        Headings by name.
    """
    return {name: choice.heading for name, choice in _CHOICES.items() if choice.suits(catalogue)}


def draw_figure(catalogue: Catalogue, name: str) -> Drawn | str:
    """Return a figure of the page of figures, or why it cannot be drawn; it is drawn once.

    Parameters
    ----------
    catalogue : Catalogue
        The model.
    name : str
        One of `list_figures`.

    Returns
    -------
    Drawn or str
        The figure.
    """
    if name not in list_figures(catalogue):
        raise RequestError(404, f"there is no figure {name[:50]!r}; there are {', '.join(list_figures(catalogue))}")
    if name not in catalogue.drawn:
        try:
            catalogue.drawn[name] = Drawn(_CHOICES[name].draw(catalogue.model), _WIDE)
        except PlaitError as error:
            catalogue.drawn[name] = str(error)
    found: Drawn | str = catalogue.drawn[name]
    return found


def _address(key: str) -> str | None:
    """Return the page of a mark."""
    for kind, folder in (("topic", "topics"), ("document", "documents")):
        if key.startswith(kind) and key.removeprefix(kind).isdigit():
            return f"/{folder}/{key.removeprefix(kind)}"
    return None
