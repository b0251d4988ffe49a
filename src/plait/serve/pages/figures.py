"""Figures of pages: SVG in two widths, of which the style shows one, with links to the pages of topics."""

from __future__ import annotations

from typing import Any

from plait.plots import topic_map, topic_words
from plait.serve.catalogue import Catalogue

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
        drawn = catalogue.drawn["map"] = Drawn(topic_map(catalogue.model), _WIDE)
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
    return Drawn(topic_words(catalogue.model, topic, relevance_weight=relevance_weight), _HALF)


def _address(key: str) -> str | None:
    """Return the page of a mark."""
    for kind, folder in (("topic", "topics"), ("document", "documents")):
        if key.startswith(kind) and key.removeprefix(kind).isdigit():
            return f"/{folder}/{key.removeprefix(kind)}"
    return None
