"""Topics of a stream of documents: one model that lives on from slice to slice."""

from __future__ import annotations

from plait.models.online.consumed import Consumed, Taken, Waiting
from plait.models.online.estimator import OnlineLDA
from plait.models.online.record import KnownWords, Slice

__all__ = ["Consumed", "KnownWords", "OnlineLDA", "Slice", "Taken", "Waiting"]
