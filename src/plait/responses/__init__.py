"""Responses: labels, values and links that topics predict. Samplers receive them as arrays of pseudo-observations.

Read `base.py` first: it is the contract. `labels.py`, `values.py` and `links.py` are the specifications that users
write. `linear/` has the state of chains and shards and the regressions of the weights, `losses/` one file per loss.
`regressors.py` reads features of documents, `auxiliaries.py` draws auxiliary variables in blocks, `joining.py` joins
what shards return, `negatives.py` draws pairs without a link, `calibration.py` fits probabilities, `carried.py` and
`prior_mean.py` pass weights from one time slice to the next.
"""

from __future__ import annotations

from plait._utils.discovery import find_classes
from plait.responses.base import ChainResponse, DocTopics, Response, ShardResponse
from plait.responses.carried import Carried
from plait.responses.labels import GivenLabels, LabelResponse
from plait.responses.links import LinkResponse
from plait.responses.losses import LOSSES, Hinge, Logistic, Loss, Probit, Squared
from plait.responses.values import ValueResponse

RESPONSES: dict[str, type[Response]] = {
    kind.kind: kind for kind in find_classes("plait.responses", lambda kind: issubclass(kind, Response))
}

__all__ = [
    "LOSSES",
    "RESPONSES",
    "Carried",
    "ChainResponse",
    "DocTopics",
    "GivenLabels",
    "Hinge",
    "LabelResponse",
    "LinkResponse",
    "Logistic",
    "Loss",
    "Probit",
    "Response",
    "ShardResponse",
    "Squared",
    "ValueResponse",
]
