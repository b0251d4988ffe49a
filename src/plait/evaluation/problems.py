"""The error about a model or corpus that lacks what an evaluation needs."""

from __future__ import annotations

from plait.errors import PlaitError


class NotEvaluableError(PlaitError):
    """The corpus or the model lacks what an evaluation needs; the message says what."""
