"""Whose proportions a word draws its topic from: its own document's (`own_document.py`)."""

from __future__ import annotations

from plait.mixing.own_document import OwnDocument

__all__ = ["OwnDocument"]
