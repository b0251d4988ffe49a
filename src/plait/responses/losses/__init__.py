"""Losses, one file each: they turn a target and a value into a pseudo-observation.

Read `base` first: it is the contract. `hinge`, `logistic`, `probit` and `squared` are the losses; `inverse_gaussian`
and `polya_gamma` draw their auxiliary variables, `keyed` does so with one random stream per observation. `portable`
has functions whose bits are the same on GPUs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from plait._utils.discovery import find_classes
from plait.errors import PlaitError
from plait.responses.losses.base import COST_RANGE, SCALE_RANGE, Loss, Pseudo
from plait.responses.losses.hinge import Hinge
from plait.responses.losses.logistic import Logistic
from plait.responses.losses.probit import Probit
from plait.responses.losses.squared import Squared

LOSSES: dict[str, type[Loss]] = {
    kind.name: kind for kind in find_classes("plait.responses.losses", lambda kind: issubclass(kind, Loss))
}

__all__ = [
    "COST_RANGE",
    "LOSSES",
    "SCALE_RANGE",
    "Hinge",
    "Logistic",
    "Loss",
    "Probit",
    "Pseudo",
    "Squared",
    "make_loss",
]


def make_loss(name: str, kind: str, parameters: Mapping[str, Any]) -> Loss:
    """Return the loss of a name.

    Parameters
    ----------
    name : str
        Name of the loss in `LOSSES`.
    kind : {"signs", "values"}
        Type of the targets; a loss for other targets is rejected.
    parameters : mapping
        Parameters of the specification; those with the name of a field of the loss, such as `ell`, are passed on.

    Returns
    -------
    Loss
        The loss.

    Examples
    --------
    >>> make_loss("hinge", "signs", {"ell": 2.0})
    Hinge(ell=2.0)
    """
    choice = [each for each, loss in LOSSES.items() if loss.targets == kind]
    if name not in choice:
        raise PlaitError(f"loss must be {' or '.join(map(repr, choice))}, not {name!r}", parameter="loss")
    wanted = {field.name for field in fields(LOSSES[name])}
    return LOSSES[name](**{key: value for key, value in parameters.items() if key in wanted})
