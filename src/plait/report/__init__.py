"""Views of results: tables, pictures, HTML; they read result objects and public answers, never a model's inside."""

from __future__ import annotations

from plait.report.page import Part, render_parts, render_report, write_report
from plait.report.summary import Summary, summarise

__all__ = ["Part", "Summary", "render_parts", "render_report", "summarise", "write_report"]
