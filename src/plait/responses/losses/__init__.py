"""Losses, each its own file: how a target and a value become a pseudo-observation."""

from __future__ import annotations

from plait._utils.discovery import find_classes
from plait.responses.losses.base import Loss, Pseudo
from plait.responses.losses.hinge import Hinge
from plait.responses.losses.logistic import Logistic
from plait.responses.losses.squared import Squared

LOSSES: dict[str, type[Loss]] = {
    kind.name: kind for kind in find_classes("plait.responses.losses", lambda kind: issubclass(kind, Loss))
}

__all__ = ["LOSSES", "Hinge", "Logistic", "Loss", "Pseudo", "Squared"]
