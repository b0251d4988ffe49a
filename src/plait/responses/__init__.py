"""Responses: what a document's topics must explain besides its words; they reach the samplers as arrays."""

from __future__ import annotations

from plait.responses.base import DocTopics, Response, join_observations
from plait.responses.labels import Labels
from plait.responses.links import FORMS, Links, Negatives, Network
from plait.responses.losses import LOSSES, Hinge, Logistic, Loss, Squared

__all__ = [
    "FORMS",
    "LOSSES",
    "DocTopics",
    "Hinge",
    "Labels",
    "Links",
    "Logistic",
    "Loss",
    "Negatives",
    "Network",
    "Response",
    "Squared",
    "join_observations",
]
