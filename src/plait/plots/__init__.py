"""Figures of fitted models: plain data first, then SVG, Plotly or PNG.

`figure.py` is the contract: a `Figure` has axes and marks and knows nothing of models. Functions make figures from the
public results of a model: `topics.py` (map, words, hierarchy), `labels.py`, `links.py`, `network.py`, `documents.py`,
`over_time.py`, `fit.py`; `reading.py` has what they share, `layout.py` computes positions. Renderers: `svg.py` with
`frame.py`, `svg_marks.py`, `svg_text.py` and `placing.py`; `plotly.py`; `png.py`; `files.py` selects one by a file
name. `colours.py` has the colours; `static/` has the style and the script of pages with figures.
"""

from __future__ import annotations

from plait.plots.figure import Axis, Figure, Panels
from plait.plots.svg import figure_script, figure_style
from plait.plots.topics import topic_map, topic_similarities, topic_tree, topic_words

__all__ = [
    "Axis",
    "Figure",
    "Panels",
    "figure_script",
    "figure_style",
    "topic_map",
    "topic_similarities",
    "topic_tree",
    "topic_words",
]
