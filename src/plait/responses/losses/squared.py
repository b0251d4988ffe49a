"""Squared loss: a real target is the value plus Gaussian noise, as in supervised LDA of Blei and McAuliffe (2007)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from plait._utils.validation import check_above_zero
from plait.responses.losses.base import SCALE_RANGE, Loss, Pseudo


@dataclass(frozen=True)
class Squared(Loss):
    """Squared loss of real targets with Gaussian noise. There is no auxiliary variable.

    Parameters
    ----------
    sigma : float, default 1.0
        Standard deviation of the noise.

    Examples
    --------
    >>> pseudo = Squared(sigma=0.5).begin(np.array([1.5]), np.array([1.0]))
    >>> pseudo.pull.tolist(), pseudo.precision.tolist()
    ([6.0], [4.0])
    """

    sigma: float = 1.0

    name: ClassVar[str] = "squared"
    targets: ClassVar[str] = "values"
    fixed_precision: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_above_zero("sigma, the standard deviation of the noise,", self.sigma, *SCALE_RANGE)

    def begin(self, targets: np.ndarray, costs: np.ndarray) -> Pseudo:
        """Return the pseudo-observations: the target and the inverse variance."""
        precision = costs / self.sigma**2
        return Pseudo(precision * targets, precision)

    def observe(
        self, targets: np.ndarray, values: np.ndarray, costs: np.ndarray, random: np.random.Generator
    ) -> Pseudo:
        """Return the same as `begin`: the pseudo-observations do not depend on the values."""
        return self.begin(targets, costs)

    def log_likelihood(self, targets: np.ndarray, values: np.ndarray, costs: np.ndarray) -> np.ndarray:
        """Return c times the log density of the noise."""
        return costs * (-0.5 * ((targets - values) / self.sigma) ** 2 - np.log(self.sigma * np.sqrt(2.0 * np.pi)))
