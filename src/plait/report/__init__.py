"""Reports of fitted models. They read public results only, never the inside of a model.

A report is made in two steps: `summary/` reads a model into plain data and `pictures.py` into figures (`plait.plots`),
`page.py` renders them with `templates/` (`text.py` formats texts and numbers, `curves.py` computes small curves).
`trends.py` has topic shares over time for terminals and tables.
"""

from __future__ import annotations

from plait.report.page import Section, make_section, render_report, render_sections, write_report
from plait.report.summary import Summary, summarise

__all__ = ["Section", "Summary", "make_section", "render_report", "render_sections", "summarise", "write_report"]
