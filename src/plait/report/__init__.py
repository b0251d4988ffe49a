"""Reports and drawings of fitted models. They read public results only, never the inside of a model.

A report is made in two steps: `summary/` reads a model into plain data, `page.py` renders the data with `templates/`
(`text.py` formats texts and numbers, `curves.py` computes curves). `trends.py` and `choice.py` draw topic shares over
time and the choice of the number of topics, with `drawing.py`.
"""

from __future__ import annotations

from plait.report.page import Section, render_report, render_sections, write_report
from plait.report.summary import Summary, summarise

__all__ = ["Section", "Summary", "render_report", "render_sections", "summarise", "write_report"]
