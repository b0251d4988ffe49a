"""WHAT is modelled: named combinations of mixing, prior and responses, as scikit-learn estimators."""

from __future__ import annotations

from plait.models.base import TopicEstimator
from plait.models.lda import LDA

MODELS: dict[str, type[TopicEstimator]] = {"LDA": LDA}

__all__ = ["LDA", "MODELS", "TopicEstimator"]
