"""The errors that plait raises on purpose: each names the thing, the place and the way out."""

from __future__ import annotations


class PlaitError(ValueError):
    """Something the user can put right: the message says what, where and how."""
