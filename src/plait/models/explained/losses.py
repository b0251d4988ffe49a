"""Losses by their names, as users choose them."""

from __future__ import annotations

from collections.abc import Sequence

from plait._utils.validation import check_above_zero
from plait.errors import PlaitError
from plait.responses import Hinge, Logistic, Loss


def make_loss(name: str, ell: float, names: Sequence[str]) -> Loss:
    """Return the loss of a name; `names` are those to choose from, the usual one first."""
    if name == "hinge":
        check_above_zero("ell, the margin,", ell)
        return Hinge(ell)
    if name == "logistic":
        return Logistic()
    raise PlaitError(f"loss must be {' or '.join(map(repr, names))}, not {name!r}", parameter="loss")
