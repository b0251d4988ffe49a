"""Figures of fitted models: plain data first, then SVG, Plotly or PNG.

`figure.py` is the contract: a `Figure` has axes and marks and knows nothing of models. Functions make figures from the
public results of a model: `topics.py` (map, words, hierarchy), `labels.py`, `links.py`, `network.py`, `documents.py`,
`over_time.py`, `fit.py`; `reading.py` has what they share, `tree.py` the distances between topics,
`layout.py` positions. Renderers: `svg.py` with
`frame.py`, `svg_marks.py`, `svg_text.py` and `placing.py`; `plotly.py`; `png.py`; `files.py` selects one by a file
name. `colours.py` has the colours; `static/` has the style and the script of pages with figures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plait._utils.lazy import import_on_use

if TYPE_CHECKING:
    from plait.plots.documents import ColouredText, coloured_text, document_map, document_topics
    from plait.plots.figure import Axis, Figure, Panels
    from plait.plots.fit import perplexity_curve, topic_choice, topic_coherence
    from plait.plots.labels import label_calibration, label_confusion, label_scores, label_weights
    from plait.plots.links import link_precision, link_weights
    from plait.plots.network import document_network, topic_network
    from plait.plots.over_time import change_calendar, topic_streams, topic_trends, words_over_time
    from plait.plots.svg import figure_script, figure_style
    from plait.plots.topics import topic_map, topic_similarities, topic_tree, topic_words

__all__ = [
    "Axis",
    "ColouredText",
    "Figure",
    "Panels",
    "change_calendar",
    "coloured_text",
    "document_map",
    "document_network",
    "document_topics",
    "figure_script",
    "figure_style",
    "label_calibration",
    "label_confusion",
    "label_scores",
    "label_weights",
    "link_precision",
    "link_weights",
    "perplexity_curve",
    "topic_choice",
    "topic_coherence",
    "topic_map",
    "topic_network",
    "topic_similarities",
    "topic_streams",
    "topic_tree",
    "topic_trends",
    "topic_words",
    "words_over_time",
]

__getattr__ = import_on_use(
    __name__,
    {
        "Axis": "plait.plots.figure",
        "ColouredText": "plait.plots.documents",
        "Figure": "plait.plots.figure",
        "Panels": "plait.plots.figure",
        "change_calendar": "plait.plots.over_time",
        "coloured_text": "plait.plots.documents",
        "document_map": "plait.plots.documents",
        "document_network": "plait.plots.network",
        "document_topics": "plait.plots.documents",
        "figure_script": "plait.plots.svg",
        "figure_style": "plait.plots.svg",
        "label_calibration": "plait.plots.labels",
        "label_confusion": "plait.plots.labels",
        "label_scores": "plait.plots.labels",
        "label_weights": "plait.plots.labels",
        "link_precision": "plait.plots.links",
        "link_weights": "plait.plots.links",
        "perplexity_curve": "plait.plots.fit",
        "topic_choice": "plait.plots.fit",
        "topic_coherence": "plait.plots.fit",
        "topic_map": "plait.plots.topics",
        "topic_network": "plait.plots.network",
        "topic_similarities": "plait.plots.topics",
        "topic_streams": "plait.plots.over_time",
        "topic_tree": "plait.plots.topics",
        "topic_trends": "plait.plots.over_time",
        "topic_words": "plait.plots.topics",
        "words_over_time": "plait.plots.over_time",
    },
)
