"""Simple strong models that a topic model must stand beside."""

from __future__ import annotations

from plait.baselines.tfidf_svm import TfidfSVM

__all__ = ["TfidfSVM"]
