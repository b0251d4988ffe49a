"""Numbers that topics must explain: how much noise they have, and how they are read and scaled.

Blei and McAuliffe (2007), *Supervised topic models*.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from plait._utils.validation import check_above_zero
from plait.inputs.targets import read_values
from plait.inputs.words import Words
from plait.responses.base import Response
from plait.responses.carried import Carried
from plait.responses.linear.targets import ChainTargets
from plait.responses.losses import Squared


@dataclass(frozen=True)
class ValueResponse(Response):
    """Topics must tell a number of each document: a rating, a year, a price.

    Parameters
    ----------
    sigma, nu
        As for `SupervisedLDA`, which documents them.

    Examples
    --------
    >>> ValueResponse(sigma=0.5)
    ValueResponse(sigma=0.5, nu=2.0)
    """

    sigma: float = 0.25
    nu: float = 2.0

    kind = "values"

    def check(self) -> None:
        """Refuse parameters that cannot work."""
        check_above_zero("nu, the standard deviation of the weights' prior,", self.nu)
        check_above_zero("sigma, the standard deviation of the noise,", self.sigma)

    def read(self, X: Any, given: Any, words: Words, n_topics: int, name: str = "values") -> np.ndarray:
        """Return one number a document, NaN where it is not known; `name` is what messages call them."""
        return read_values(given, words.counts.shape[0], name)

    def arrays(self, given: np.ndarray) -> list[np.ndarray]:
        """Return the numbers."""
        return [given]

    def make(self, given: np.ndarray, *, exact: bool, mean: np.ndarray | None = None) -> ChainTargets:
        """Return a chain's response to the numbers, scaled to mean 0 and standard deviation 1."""
        center, scale = center_and_scale(given)
        values = (given - center) / scale
        return ChainTargets(values[:, np.newaxis], Squared(self.sigma), nu=self.nu, mean=mean, exact=exact)

    def carry(self, given: np.ndarray, weights: np.ndarray, before: Carried | None = None) -> Carried:
        """Return what each topic says of the number in the number's own unit.

        A slice takes numbers as center + scale · η · z̄. Shares of topics add up to 1, so this is w · z̄ with
        w = center + scale · η, which means the same in every slice.
        """
        center, scale = center_and_scale(given)
        return Carried(center + scale * weights)

    def expected(self, carried: Carried, given: np.ndarray) -> np.ndarray:
        """Return what each topic says in the unit of this slice, (w − center) / scale.

        `nu` is in that unit, too: how far a slice may go from what it expects is a share of its own numbers' spread.
        """
        center, scale = center_and_scale(given)
        return np.asarray((carried.weights - center) / scale)


def center_and_scale(values: np.ndarray) -> tuple[float, float]:
    """Return mean and standard deviation of the known values (1 where all are equal).

    Examples
    --------
    >>> unit_of(np.array([1.0, 3.0, np.nan]))
    (2.0, 1.0)
    """
    spread = float(np.nanstd(values))
    return float(np.nanmean(values)), spread if spread > 0 else 1.0
