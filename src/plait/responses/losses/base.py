"""The contract of a loss: it turns a target and a value into a pseudo-observation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from plait.errors import PlaitError

COST_RANGE = (1e-9, 1e9)  # c times the weight of a class or a link; its square must stay far from overflow
SCALE_RANGE = (1e-6, 1e6)  # of margins and standard deviations


class Pseudo(NamedTuple):
    """Pseudo-observations: each is a factor exp(pull m − precision m² / 2) of a value m."""

    pull: np.ndarray
    precision: np.ndarray


@dataclass(frozen=True)
class Loss:
    """Loss of a wrong value; given an auxiliary variable, its likelihood is a Gaussian in the value.

    A subclass is one small NumPy file. All methods take arrays with one entry per observation: `targets` (±1 or real
    numbers), `values` (the current values m) and `costs` (factors of the loss: c of the papers times a class weight).

    Examples
    --------
    >>> from plait.responses import LOSSES, Hinge
    >>> isinstance(Hinge(), Loss), LOSSES["hinge"] is Hinge
    (True, True)
    """

    name: ClassVar[str]
    targets: ClassVar[str] = "signs"  # "signs" (±1) or "values" (real numbers)
    gives_probabilities: ClassVar[bool] = False  # whether `score` turns values into probabilities
    whole_costs: ClassVar[bool] = False  # whether costs must be whole numbers
    fixed_precision: ClassVar[bool] = False  # whether there is no auxiliary variable, so that precisions never change
    draws_by_place: ClassVar[bool] = False  # whether it has `observe_at`

    def begin(self, targets: np.ndarray, costs: np.ndarray) -> Pseudo:
        """Return the initial pseudo-observations of a chain, before there is a value."""
        raise TypeError(f"{type(self).__name__} has no begin")

    def observe(
        self, targets: np.ndarray, values: np.ndarray, costs: np.ndarray, random: np.random.Generator
    ) -> Pseudo:
        """Draw the auxiliary variables given values; return the pseudo-observations."""
        raise TypeError(f"{type(self).__name__} has no observe")

    def observe_into(
        self, targets: np.ndarray, values: np.ndarray, costs: np.ndarray, random: np.random.Generator, result: Pseudo
    ) -> None:
        """Do the same as `observe` and write the pseudo-observations into given arrays."""
        result.pull[:], result.precision[:] = self.observe(targets, values, costs, random)

    def observe_at(
        self, targets: np.ndarray, values: np.ndarray, costs: np.ndarray, key: np.uint64, shard: int, first: int,
        result: Pseudo,
    ) -> None:  # fmt: skip
        """Do the same as `observe_into`; the random numbers of an observation depend on its place in the shard only.

        `first` is the place of the first of these observations. Other processors, such as GPUs, can draw the same
        numbers.
        """
        raise TypeError(f"{type(self).__name__} has no observe_at")

    def score(self, values: np.ndarray) -> np.ndarray:
        """Return the scores that predictions average: the values, or probabilities if the loss has them."""
        return values

    def log_likelihood(self, targets: np.ndarray, values: np.ndarray, costs: np.ndarray) -> np.ndarray:
        """Return the log (pseudo-)likelihood of targets, with the auxiliary variables integrated out."""
        raise TypeError(f"{type(self).__name__} has no log_likelihood")


def check_costs(costs: np.ndarray, loss: str, least: float = COST_RANGE[0], most: float = COST_RANGE[1]) -> None:
    """Raise an error if a cost is outside the range of a loss.

    Parameters
    ----------
    costs : ndarray
        Costs of all observations.
    loss : str
        Name of the loss for the message.
    least, most : float, default 1e-9 and 1e9
        Smallest and largest cost.
    """
    wrong = costs[~((costs >= least) & (costs <= most))]
    if wrong.size:
        size, bound = ("large", f"most {most:g}") if wrong[0] > most else ("small", f"least {least:g}")
        raise PlaitError(
            f"the cost {wrong[0]:.3g} (c times the weight of a class or a link) is too {size} for the {loss} loss; it "
            f"must be at {bound}",
            parameter="c",
        )
