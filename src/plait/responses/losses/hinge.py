"""Hinge loss: a value on the wrong side of a margin costs 2c per unit.

Zhu, Zheng, Zhou and Zhang (2013), after Polson and Scott (2011): exp(−2c max(0, ζ)) with ζ = ℓ − y m is a mixture
over λ of exp(−(λ + cζ)² / (2λ)) / √(2πλ). Expanding the square, what depends on m is
exp(pull m − precision m² / 2) with

    pull = c y (1 + cℓ / λ)        precision = c² / λ

and 1/λ given m is inverse Gaussian with mean 1 / (c |ζ|) and shape 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from plait._utils.validation import check_above_zero
from plait.responses.losses.base import SCALE_RANGE, Loss, Pseudo, check_costs
from plait.responses.losses.inverse_gaussian import draw_numbers, half_of, inverse_gaussian
from plait.responses.losses.portable import half_square
from plait.samplers.kernels.compiled import inline_kernel, kernel
from plait.samplers.random import document_key, uniform64

_MAX_INITIAL_COST = 16.0  # cℓ up to which a chain starts with λ = 1


@dataclass(frozen=True)
class Hinge(Loss):
    """Hinge loss of targets ±1 with a margin ℓ, as in support vector machines.

    Parameters
    ----------
    ell : float, default 1.0
        Margin ℓ.

    Examples
    --------
    >>> pseudo = Hinge(ell=1.0).begin(np.array([1.0, -1.0]), np.array([2.0, 2.0]))
    >>> pseudo.pull.tolist(), pseudo.precision.tolist()
    ([6.0, -6.0], [4.0, 4.0])
    """

    ell: float = 1.0

    name: ClassVar[str] = "hinge"
    draws_by_place: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_above_zero("ell, the margin,", self.ell, *SCALE_RANGE)

    def begin(self, targets: np.ndarray, costs: np.ndarray) -> Pseudo:
        """Return the pseudo-observations for λ = 1, as in the paper, up to c = 16, the value of the paper.

        Large precisions at the start separate documents of different labels at once. But they grow with c, and with c
        (or class weights) of hundreds the chain would not leave its random start.
        """
        check_costs(costs, self.name)
        return self._pseudo(np.minimum(1.0, _MAX_INITIAL_COST / (costs * self.ell)), targets, costs)

    def observe(
        self, targets: np.ndarray, values: np.ndarray, costs: np.ndarray, random: np.random.Generator
    ) -> Pseudo:
        """Draw 1/λ given values."""
        result = Pseudo(np.empty(values.shape), np.empty(values.shape))
        self.observe_into(targets, values, costs, random, result)
        return result

    def observe_into(
        self, targets: np.ndarray, values: np.ndarray, costs: np.ndarray, random: np.random.Generator, result: Pseudo
    ) -> None:
        """Draw 1/λ given values; one pass over the observations, with working memory that is used again."""
        whole = (np.broadcast_to(one, values.shape) for one in (targets, values, costs))
        given = [np.ascontiguousarray(one, np.float64).reshape(-1) for one in whole]
        normals, uniforms = draw_numbers(values.shape, random)
        _fill_pseudo(*given, normals, uniforms, float(self.ell), *(one.reshape(-1) for one in result))

    def observe_at(
        self, targets: np.ndarray, values: np.ndarray, costs: np.ndarray, key: np.uint64, shard: int, first: int,
        result: Pseudo,
    ) -> None:  # fmt: skip
        """Draw 1/λ given values with the random numbers of places in a shard."""
        _fill_at(targets, values, costs, key, shard, first, float(self.ell), result.pull, result.precision)

    def _pseudo(self, inverse: np.ndarray, targets: np.ndarray, costs: np.ndarray) -> Pseudo:
        return Pseudo(costs * targets * (1.0 + costs * self.ell * inverse), costs * costs * inverse)

    def log_likelihood(self, targets: np.ndarray, values: np.ndarray, costs: np.ndarray) -> np.ndarray:
        """Return −2c max(0, ℓ − y m); it is not a normalised likelihood of y."""
        return -2.0 * costs * np.maximum(0.0, self.ell - targets * values)


@inline_kernel
def _set_pseudo(place, target, value, cost, half, uniform, ell, pull, precision):
    inverse = inverse_gaussian(cost * abs(ell - target * value), half, uniform)
    pull[place] = cost * target * (1.0 + cost * ell * inverse)
    precision[place] = cost * cost * inverse


@kernel
def _fill_pseudo(targets, values, costs, normals, uniforms, ell, pull, precision):
    for place in range(pull.size):
        _set_pseudo(
            place, targets[place], values[place], costs[place], half_of(normals[place]), uniforms[place], ell, pull,
            precision,
        )  # fmt: skip


@kernel
def _fill_at(targets, values, costs, key, shard, first, ell, pull, precision):
    """Draw observation i of a shard with numbers 3 i, 3 i + 1 and 3 i + 2 of its stream, as auxiliaries.cu does."""
    own_key = document_key(key, shard)
    for place in range(pull.size):
        number = 3 * (first + place)
        half = half_square(uniform64(own_key, number), uniform64(own_key, number + 1))
        uniform = uniform64(own_key, number + 2)
        _set_pseudo(place, targets[place], values[place], costs[place], half, uniform, ell, pull, precision)
