"""Probit loss: the probability of a target ±1 is the normal distribution function of the value, to the power c.

Chang and Blei (2009) use it as a link function; the augmentation is that of Albert and Chib (1993): y is the sign of a
latent utility s ~ N(m, 1). Given y and m, s is a truncated normal variable; given s, the factor of m is
exp(s m − m² / 2). The power Φ(y m)^c of the pseudo-likelihood has c such utilities, so that c must be a whole number:
pull = Σ s, precision = c. No such mixture of Gaussians is known for other powers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy  # its submodules are imported when they are used

from plait.errors import PlaitError
from plait.responses.losses.base import Loss, Pseudo, check_costs

_MAX_COST = 1000.0  # so many utilities are drawn per observation
_LEAST_UNIFORM = 1e-300  # replaces 0, whose logarithm is not a number
_FAR = -1e4  # below it the utility is nearly exponential


@dataclass(frozen=True)
class Probit(Loss):
    """Probit loss of targets ±1, as in probit regression; it gives probabilities, and costs must be whole numbers.

    Examples
    --------
    >>> Probit().score(np.array([0.0])).tolist()
    [0.5]
    >>> Probit().begin(np.array([1.0, -1.0]), np.array([4.0, 4.0])).precision.tolist()
    [4.0, 4.0]
    """

    name: ClassVar[str] = "probit"
    gives_probabilities: ClassVar[bool] = True
    whole_costs: ClassVar[bool] = True

    def begin(self, targets: np.ndarray, costs: np.ndarray) -> Pseudo:
        """Return the pseudo-observations for the mean utility at m = 0."""
        check_costs(costs, self.name, least=1.0, most=_MAX_COST)
        broken = costs[costs != np.rint(costs)]
        if broken.size:
            raise PlaitError(
                f"the cost {broken[0]:.3g} (c times the weight of a class or a link) is not a whole number, which the "
                "probit loss needs; use the logistic loss, or weights that give whole costs",
                parameter="c",
            )
        return Pseudo(np.sqrt(2 / np.pi) * costs * targets, 1.0 * costs)

    def observe(
        self, targets: np.ndarray, values: np.ndarray, costs: np.ndarray, random: np.random.Generator
    ) -> Pseudo:
        """Draw the utilities given values."""
        total = np.zeros(costs.shape)
        # One utility of all observations at a time, so that the order of a sum does not depend on other observations.
        for number in range(int(costs.max(initial=0.0))):
            drawn = _positive_normal(targets * values, random.random(costs.shape))
            total += np.where(number < costs, drawn, 0.0)
        return Pseudo(targets * total, 1.0 * costs)

    def score(self, values: np.ndarray) -> np.ndarray:
        """Return the probability of a target +1, for c = 1."""
        return np.asarray(scipy.special.ndtr(values))

    def log_likelihood(self, targets: np.ndarray, values: np.ndarray, costs: np.ndarray) -> np.ndarray:
        """Return c log Φ(y m); a normalised likelihood of y for c = 1."""
        return np.asarray(costs * scipy.special.log_ndtr(targets * values))


def _positive_normal(means: np.ndarray, uniform: np.ndarray) -> np.ndarray:
    """Return draws of N(mean, 1) that are above 0, by inversion; in logarithms, so that no tail is lost.

    X = mean − Z with Z ~ N(0, 1) below the mean, and Φ(Z) = u Φ(mean) for a uniform u. Far in the tail X is exponential
    with rate −mean; there the difference would lose its digits.
    """
    log_uniform = np.log(np.maximum(uniform, _LEAST_UNIFORM))
    near = means - scipy.special.ndtri_exp(log_uniform + scipy.special.log_ndtr(means))
    far = means < _FAR
    return np.maximum(np.where(far, log_uniform / np.where(far, means, -1.0), near), 0.0)
