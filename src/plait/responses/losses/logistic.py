"""Logistic loss: the probability of a target ±1 is a logistic curve of the value, to the power c.

Chen, Zhu, Xia and Zhang (2013), after Polson, Scott and Windle (2013): (e^{ym/2} / (e^{m/2} + e^{−m/2}))^c is a mixture
over a Pólya-Gamma variable λ of exp(c y m / 2 − λ m² / 2), and λ given m is Pólya-Gamma(c, m).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy  # its submodules are imported when they are used

from plait.responses.losses.base import Loss, Pseudo, check_costs
from plait.responses.losses.polya_gamma import draw_polya_gamma

_MIN_COST = 1e-3  # Pólya-Gamma draws are verified from here on


@dataclass(frozen=True)
class Logistic(Loss):
    """Logistic loss of targets ±1, as in logistic regression; it gives probabilities.

    Examples
    --------
    >>> Logistic().begin(np.array([1.0, -1.0]), np.array([2.0, 2.0])).pull.tolist()
    [1.0, -1.0]
    >>> Logistic().score(np.array([0.0])).tolist()
    [0.5]
    """

    name: ClassVar[str] = "logistic"
    gives_probabilities: ClassVar[bool] = True

    def begin(self, targets: np.ndarray, costs: np.ndarray) -> Pseudo:
        """Return the pseudo-observations for the mean of λ at m = 0, c / 4."""
        check_costs(costs, self.name, least=_MIN_COST)
        return Pseudo(0.5 * costs * targets, 0.25 * costs)

    def observe(
        self, targets: np.ndarray, values: np.ndarray, costs: np.ndarray, random: np.random.Generator
    ) -> Pseudo:
        """Draw λ given values."""
        return Pseudo(0.5 * costs * targets, draw_polya_gamma(costs, values, random))

    def score(self, values: np.ndarray) -> np.ndarray:
        """Return the probability of a target +1, for c = 1."""
        return np.asarray(scipy.special.expit(values))

    def log_likelihood(self, targets: np.ndarray, values: np.ndarray, costs: np.ndarray) -> np.ndarray:
        """Return c log(1 / (1 + exp(−y m))); a normalised likelihood of y for c = 1."""
        return -costs * np.logaddexp(0.0, -targets * values)
