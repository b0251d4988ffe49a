"""Topic models as scikit-learn estimators: combinations of a mixing, a prior and responses.

One file per named model (`lda`, `linked_lda`, `medlda`, `supervised_lda`, `relational`), and `topic_model` for any
combination. `base` is the estimator that all share, `shared_methods` its methods that `methods/` defines, `supervised`
what models of one target share, `any_responses` the methods of models with any responses. `parameters/` declares and
checks parameters, `specification` turns them into parts of a model, `inputs` reads documents and targets, `fitting` is
a fit with its chains, `chain_loop` runs them and survives lost workers, `resuming` compares a resumed fit with its
start, `fitted` sets what chains learned, `pair_learning` learns weights of pair features, `folding` folds in new
documents, `naming` names topics, `editing/` merges, drops and splits them, `labelling/` has features beside topics and
chooses the settings of labels. `answers/` has the answers of a fitted model as objects, `methods/` the public methods
that delegate to them, `registry` names all models, `shared_docs` has the paragraphs that their docstrings share,
`online/` the model of a stream.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plait._utils.lazy import import_on_use
from plait._utils.stand_ins import import_without

if TYPE_CHECKING:
    from plait.models.base import TopicEstimator
    from plait.models.lda import LDA
    from plait.models.linked_lda import LinkedLDA
    from plait.models.medlda import MedLDA
    from plait.models.online import OnlineLDA
    from plait.models.registry import MODELS
    from plait.models.relational import RelationalTopicModel
    from plait.models.supervised_lda import SupervisedLDA
    from plait.models.topic_model import TopicModel
    from plait.responses import LabelResponse, LinkResponse, ValueResponse

# Half of the time that scikit-learn takes to load is that of packages that its estimators do not use.
import_without("sklearn.base", ("scipy.stats", "scipy.special", "pandas"))

# Imported when first used: most programs use one model.
_HOMES = {
    "LDA": "plait.models.lda",
    "LabelResponse": "plait.responses",
    "LinkResponse": "plait.responses",
    "LinkedLDA": "plait.models.linked_lda",
    "MODELS": "plait.models.registry",
    "MedLDA": "plait.models.medlda",
    "OnlineLDA": "plait.models.online",
    "RelationalTopicModel": "plait.models.relational",
    "SupervisedLDA": "plait.models.supervised_lda",
    "TopicEstimator": "plait.models.base",
    "TopicModel": "plait.models.topic_model",
    "ValueResponse": "plait.responses",
}
__getattr__ = import_on_use(__name__, _HOMES)

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
