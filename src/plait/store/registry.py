"""Names of plait's classes in model files.

A file never contains a module name, so moving a class does not break existing files. Samplers, priors, mixings, losses
and responses are found through their registries; all other classes are listed in `RECORDS`.
"""

from __future__ import annotations

import importlib
from functools import cache

from plait import mixing, priors, samplers
from plait.pair_features import FEATURES
from plait.responses import LOSSES, RESPONSES

# Name in files → "module:class". Never change a name; when a class moves, change only its module.
RECORDS = {
    "chain.DocTopicSums": "plait.engine.doc_topics:DocTopicSums",
    "chain.Run": "plait.engine.run:Run",
    "chain.Sample": "plait.engine.sample:Sample",
    "knowledge.KnowledgePrior": "plait.knowledge.prior:KnowledgePrior",
    "knowledge.RejectedTitles": "plait.knowledge.rejected:RejectedTitles",
    "knowledge.RelatedArticles": "plait.knowledge.related:RelatedArticles",
    "knowledge.Search": "plait.knowledge.related:Search",
    "knowledge.StrengthTrial": "plait.knowledge.strength:StrengthTrial",
    "models.Carried": "plait.responses.carried:Carried",
    "models.LabelChoice": "plait.models.labelling.choice:LabelChoice",
    "models.FeatureScaling": "plait.inputs.features:FeatureScaling",
    "models.LabelFeatures": "plait.models.labelling.features:LabelFeatures",
    "models.LabelTrial": "plait.models.labelling.choice:Trial",
    "models.Consumed": "plait.models.online.consumed:Consumed",
    "models.KnownWords": "plait.models.online.record:KnownWords",
    "models.Slice": "plait.models.online.record:Slice",
    "models.Taken": "plait.models.online.consumed:Taken",
    "models.Waiting": "plait.models.online.consumed:Waiting",
    "pair_features.PairWeights": "plait.pair_features.combining:PairWeights",
    "recorder.Record": "plait.engine.history:Record",
}


@cache
def classes_by_name() -> dict[str, type]:
    """Return the classes that a model file may contain.

    Returns
    -------
    dict of str to type
        Class by name in files.
    """
    found: dict[str, type] = {f"samplers.{kind.__name__}": kind for kind in samplers.SAMPLERS.values()}
    found |= {f"priors.{kind.__name__}": kind for kind in priors.PRIORS.values()}
    found |= {f"mixing.{kind.__name__}": kind for kind in mixing.MIXINGS.values()}
    found |= {f"responses.{kind.__name__}": kind for kind in LOSSES.values()}
    found |= {f"models.{kind.__name__}": kind for kind in RESPONSES.values()}
    found |= {f"pair_features.{kind.__name__}": kind for kind in FEATURES.values()}
    for name, place in RECORDS.items():
        module, _, kind_name = place.partition(":")
        found[name] = getattr(importlib.import_module(module), kind_name)
    return found


@cache
def names_by_class() -> dict[type, str]:
    """Return the names of the classes that a model file may contain.

    Returns
    -------
    dict of type to str
        Name in files by class.
    """
    return {kind: name for name, kind in classes_by_name().items()}
