"""The names that model files use for plait's own data classes.

A file never names a module, so moving a class does not break files that were written before. Samplers, priors,
mixings, losses and responses are found through their registries; everything else is listed in `RECORDS`.
"""

from __future__ import annotations

import importlib
from functools import cache

from plait import mixing, priors, samplers
from plait.models.explained import EXPLAINED
from plait.responses import LOSSES

# Name in files → "module:class". A name stays as it is when a class moves; a new record is added here.
RECORDS = {
    "chain.Run": "plait.engine.chain:Run",
    "chain.Sample": "plait.engine.chain:Sample",
    "knowledge.KnowledgePrior": "plait.knowledge.prior:KnowledgePrior",
    "knowledge.RelatedArticles": "plait.knowledge.related:RelatedArticles",
    "knowledge.Search": "plait.knowledge.related:Search",
    "knowledge.StrengthTrial": "plait.knowledge.strength:StrengthTrial",
    "models.Carried": "plait.models.explained.carried:Carried",
    "models.Consumed": "plait.models.online.consumed:Consumed",
    "models.KnownWords": "plait.models.online.record:KnownWords",
    "models.Slice": "plait.models.online.record:Slice",
    "models.Taken": "plait.models.online.consumed:Taken",
    "models.Waiting": "plait.models.online.consumed:Waiting",
    "recorder.Record": "plait.engine.history:Record",
}


@cache
def classes_by_name() -> dict[str, type]:
    """Return every class that a model file may hold, by its name in files."""
    found: dict[str, type] = {f"samplers.{kind.__name__}": kind for kind in samplers.SAMPLERS.values()}
    found |= {f"priors.{kind.__name__}": kind for kind in priors.PRIORS.values()}
    found |= {f"mixing.{kind.__name__}": kind for kind in mixing.MIXINGS.values()}
    found |= {f"responses.{kind.__name__}": kind for kind in LOSSES.values()}
    found |= {f"models.{kind.__name__}": kind for kind in EXPLAINED.values()}
    for name, place in RECORDS.items():
        module, _, kind_name = place.partition(":")
        found[name] = getattr(importlib.import_module(module), kind_name)
    return found


@cache
def names_by_class() -> dict[type, str]:
    """Return the name in files of every class that a model file may hold."""
    return {kind: name for name, kind in classes_by_name().items()}
