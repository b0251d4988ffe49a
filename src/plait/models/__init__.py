"""WHAT is modelled: named combinations of mixing, prior and responses, as scikit-learn estimators."""

from __future__ import annotations

from plait.models.base import TopicEstimator
from plait.models.lda import LDA
from plait.models.medlda import MedLDA
from plait.models.relational import RelationalTopicModel
from plait.models.supervised_lda import SupervisedLDA

MODELS: dict[str, type[TopicEstimator]] = {
    kind.__name__: kind for kind in (LDA, MedLDA, SupervisedLDA, RelationalTopicModel)
}

__all__ = ["LDA", "MODELS", "MedLDA", "RelationalTopicModel", "SupervisedLDA", "TopicEstimator"]
