"""WHAT is modelled: combinations of mixing, prior and responses, as scikit-learn estimators; the named ones by name."""

from __future__ import annotations

from plait.models.base import TopicEstimator
from plait.models.lda import LDA
from plait.models.linked_lda import LinkedLDA
from plait.models.medlda import MedLDA
from plait.models.online import OnlineLDA
from plait.models.relational import RelationalTopicModel
from plait.models.supervised_lda import SupervisedLDA
from plait.models.topic_model import TopicModel
from plait.responses import LabelResponse, LinkResponse, ValueResponse

MODELS: dict[str, type[TopicEstimator]] = {
    kind.__name__: kind for kind in (LDA, LinkedLDA, MedLDA, SupervisedLDA, RelationalTopicModel, OnlineLDA, TopicModel)
}

__all__ = [
    "LDA",
    "MODELS",
    "LabelResponse",
    "LinkResponse",
    "LinkedLDA",
    "MedLDA",
    "OnlineLDA",
    "RelationalTopicModel",
    "SupervisedLDA",
    "TopicEstimator",
    "TopicModel",
    "ValueResponse",
]
