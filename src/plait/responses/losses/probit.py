"""Probit loss: the probability of a target ±1 is the normal distribution function of the value.

Chang and Blei (2009) use it as a link function; the augmentation is that of Albert and Chib (1993): y is the sign of a
latent utility s ~ N(m, 1/c). Given y and m, s is a truncated normal variable; given s, the factor of m is
exp(c s m − c m² / 2). So the likelihood is Φ(√c y m): c is the precision of the utility, not a power of the likelihood.
A power Φ^c has such an augmentation for whole c only (c utilities), while the cost of a weighted link or of a class is
any number. Far on the wrong side both are alike: −log Φ(√c y m) ≈ c m² / 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import log_ndtr, ndtr, ndtri_exp

from plait.responses.losses.base import Loss, Pseudo, check_costs

_LEAST_UNIFORM = 1e-300  # replaces 0, whose logarithm is not a number


@dataclass(frozen=True)
class Probit(Loss):
    """Probit loss of targets ±1, as in probit regression; it gives probabilities.

    The cost c of an observation is the precision of its latent utility: the likelihood is Φ(√c y m).

    Examples
    --------
    >>> Probit().score(np.array([0.0])).tolist()
    [0.5]
    >>> Probit().begin(np.array([1.0, -1.0]), np.array([4.0, 4.0])).precision.tolist()
    [4.0, 4.0]
    """

    name: ClassVar[str] = "probit"
    gives_probabilities: ClassVar[bool] = True

    def begin(self, targets: np.ndarray, costs: np.ndarray) -> Pseudo:
        """Return the pseudo-observations for the mean utility at m = 0."""
        check_costs(costs, self.name)
        return Pseudo(np.sqrt(2 * costs / np.pi) * targets, 1.0 * costs)

    def observe(
        self, targets: np.ndarray, values: np.ndarray, costs: np.ndarray, random: np.random.Generator
    ) -> Pseudo:
        """Draw the utilities given values."""
        scales = np.sqrt(costs)
        utilities = _positive_normal(scales * targets * values, random)
        return Pseudo(scales * targets * utilities, 1.0 * costs)

    def score(self, values: np.ndarray) -> np.ndarray:
        """Return the probability of a target +1, for c = 1."""
        return np.asarray(ndtr(values))

    def log_likelihood(self, targets: np.ndarray, values: np.ndarray, costs: np.ndarray) -> np.ndarray:
        """Return log Φ(√c y m), a normalised likelihood of y."""
        return np.asarray(log_ndtr(np.sqrt(costs) * targets * values))


def _positive_normal(means: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Return draws of N(mean, 1) that are above 0, by inversion; in logarithms, so that no tail is lost.

    X = mean − Z with Z ~ N(0, 1) below the mean, and Φ(Z) = u Φ(mean) for a uniform u.
    """
    uniform = np.maximum(random.random(means.shape), _LEAST_UNIFORM)
    below = ndtri_exp(np.log(uniform) + log_ndtr(means))
    # Far in the tail X is nearly exponential with rate −mean, and the difference of two large numbers loses its digits.
    far = means < -1e4
    return np.maximum(np.where(far, np.log(uniform) / np.where(far, means, -1.0), means - below), 0.0)
