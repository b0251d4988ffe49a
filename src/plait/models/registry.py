"""All models by name, for saved files and the command line."""

from __future__ import annotations

from plait.models.base import TopicEstimator
from plait.models.lda import LDA
from plait.models.linked_lda import LinkedLDA
from plait.models.medlda import MedLDA
from plait.models.online import OnlineLDA
from plait.models.relational import RelationalTopicModel
from plait.models.supervised_lda import SupervisedLDA
from plait.models.topic_model import TopicModel

MODELS: dict[str, type[TopicEstimator]] = {
    kind.__name__: kind for kind in (LDA, LinkedLDA, MedLDA, SupervisedLDA, RelationalTopicModel, OnlineLDA, TopicModel)
}
