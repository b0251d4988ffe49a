"""Topic models as scikit-learn estimators: combinations of a mixing, a prior and responses.

One file per named model, and `topic_model.py` for any combination. `base.py` is the estimator that all share,
`parameters/` declares and checks its parameters, `inputs.py` reads documents and targets, `fitting.py` runs chains,
`fitted.py` sets what they learned, `folding.py` folds in new documents. `answers/` has the answers of a fitted model as
objects, `methods/` the public methods that delegate to them, `online/` the model of a stream.
"""

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
