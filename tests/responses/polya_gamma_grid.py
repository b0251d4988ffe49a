"""Pólya-Gamma draws compared with the exact distribution over a grid of shapes b and tilts z.

    python tests/responses/polya_gamma_grid.py --draws 1000000

prints the ten largest distances from the exact mean, variance and Laplace transform, in standard errors, for NumPy's
generator and for keyed random numbers. Thousands of statistics are compared, and one of 16,000 normal numbers is above
4 by chance. Statistics above 4 are therefore computed again from the draws of three other seeds together, which decide.

The exact distribution PG(b, z), Polson, Scott and Windle (2013), section 2.2, is Σ_k s_k g_k with gamma variables g_k
of shape b and s_k = 1 / (2π² (k − ½)² + z² / 2). So

- its cumulant of order n is (n − 1)! b Σ_k s_kⁿ; the mean is b tanh(z/2) / (2z), the variance
  b (sinh z − z) sech²(z/2) / (4z³);
- E exp(−tω) = (cosh(z/2) / cosh √(z²/4 + t/2))^b.
"""

from __future__ import annotations

import argparse
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

import numpy as np

from plait.responses.losses.keyed import KeyedRandom
from plait.responses.losses.polya_gamma import draw_polya_gamma

SHAPES = (
    *(0.001, 0.002, 0.01, 0.03, 0.1, 0.3, 0.5, 0.9, 0.999, 1.0, 1.001, 1.5, 2.0, 3.7, 8.5, 15.999, 16.0, 16.001, 20.0),
    *(32.0, 36.0, 49.0, 60.25, 100.0, 170.5, 400.0, 1000.0, 2000.0, 1e4, 2e4),
)
TILTS = (
    *(0.0, 0.05, 0.0999, 0.1001, 0.5, 1.0, 2.0, 3.0, 3.2, 5.0, 8.0, 12.0, 16.0, 20.0, 24.0, 24.999, 25.0, 26.0, 27.15),
    *(27.95, 28.5, 29.25, 29.5, 29.999, 30.0, 32.0, 40.0, 60.0, 100.0, 200.0, 350.0, 600.0, 1000.0),
)
KINDS = ("NumPy", "keyed")
LIMIT = 4.0  # standard errors
_MOST_AT_ONCE = 250_000  # draws, to bound the memory


class Distance(NamedTuple):
    """Distance of a statistic of draws from its exact value."""

    kind: str
    shape: float
    tilt: float
    statistic: str
    errors: float  # in standard errors

    def __str__(self) -> str:
        return (
            f"{self.kind:6} PG({self.shape:g}, {self.tilt:g})  {self.statistic:22} {self.errors:+6.2f} standard errors"
        )


def cumulant(order: int, shape: float, tilt: float) -> float:
    """Cumulant of order 1 to 4 of PG(shape, tilt)."""
    z = abs(tilt)
    if order == 1 and z > 1e-4:
        return shape * np.tanh(z / 2) / (2 * z)
    halves = np.arange(100_000) + 0.5
    scales = 1.0 / (2 * np.pi**2 * halves**2 + z * z / 2)
    rest = 1.0 / (2 * np.pi**2 * halves.size) if order == 1 else 0.0  # integral over the terms that are left out
    return (1, 1, 2, 6)[order - 1] * shape * ((scales**order)[::-1].sum() + rest)


def log_laplace(shape: float, tilt: float, rate: float) -> float:
    """Log E exp(−rate ω) for ω ~ PG(shape, tilt), without overflow and without cancellation where the tilt is large."""
    half = abs(tilt) / 2
    tilted = np.sqrt(half * half + rate / 2)
    # log cosh(a) − log cosh(b) with cosh(a) = e^a (1 + e^{−2a}) / 2 and b − a = (b² − a²) / (a + b)
    return shape * (-rate / 2 / (half + tilted) + np.log1p(np.exp(-2 * half)) - np.log1p(np.exp(-2 * tilted)))


def laplace_rates(shape: float, tilt: float) -> dict[str, float]:
    """Rates t of the Laplace transforms that are compared, by name."""
    mean, variance = cumulant(1, shape, tilt), cumulant(2, shape, tilt)
    rates = {"t = 1/mean": 1 / mean, "t = 10/mean": 10 / mean, "t = 1/deviation": 1 / np.sqrt(variance)}
    if shape < 1:
        rates["t = 1/b²"] = 1 / (shape * shape)  # b² is the scale of the smallest draws
    # A mean of exp(−tω) over draws is nearly normal only if it does not depend on a few of them.
    return {name: t for name, t in rates.items() if _relative_variance(shape, tilt, t) < 20}


def _relative_variance(shape: float, tilt: float, rate: float) -> float:
    """Var exp(−tω) / (E exp(−tω))²."""
    return float(np.expm1(min(log_laplace(shape, tilt, 2 * rate) - 2 * log_laplace(shape, tilt, rate), 700.0)))


def draw(kind: str, shape: float, tilt: float, n_draws: int, seed: int) -> np.ndarray:
    """Draws from PG(shape, tilt)."""
    numpys = np.random.default_rng([seed, int(1e6 * shape), int(1e6 * tilt), KINDS.index(kind)])
    parts = []
    for first in range(0, n_draws, _MOST_AT_ONCE):
        n = min(_MOST_AT_ONCE, n_draws - first)
        random = numpys if kind == "NumPy" else KeyedRandom(numpys.integers(0, 2**63, n).astype(np.uint64))
        parts.append(draw_polya_gamma(np.full(n, shape), np.full(n, tilt), random))
    return np.concatenate(parts)


def distances(kind: str, shape: float, tilt: float, n_draws: int, seed: int) -> list[Distance]:
    """Distances of mean, variance and Laplace transforms of draws from the exact values."""
    draws = draw(kind, shape, tilt, n_draws, seed)
    mean, variance = cumulant(1, shape, tilt), cumulant(2, shape, tilt)
    away = draws - mean
    found = {
        "mean": away.mean() / np.sqrt(variance / n_draws),
        "variance": ((away * away).mean() - variance)
        / np.sqrt((cumulant(4, shape, tilt) + 2 * variance * variance) / n_draws),
    }
    for name, rate in laplace_rates(shape, tilt).items():
        ratio = np.exp(-rate * draws - log_laplace(shape, tilt, rate)).mean()
        found[f"Laplace, {name}"] = (ratio - 1) / np.sqrt(_relative_variance(shape, tilt, rate) / n_draws)
    return [Distance(kind, shape, tilt, name, float(errors)) for name, errors in found.items()]


def _at_point(arguments: tuple[str, float, float, int, int]) -> list[Distance]:
    return distances(*arguments)


def repeat(first: Distance, n_draws: int, seeds: range) -> Distance:
    """The distance of the same statistic over the draws of other seeds together."""
    again = [distances(first.kind, first.shape, first.tilt, n_draws, seed) for seed in seeds]
    every = [one.errors for several in again for one in several if one.statistic == first.statistic]
    return first._replace(errors=float(np.sum(every) / np.sqrt(len(every))))


def main() -> int:
    """Compare all points; the exit code is 1 if a distance stays above the limit."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    points = [(kind, shape, tilt, options.draws, options.seed) for kind in KINDS for shape in SHAPES for tilt in TILTS]
    start, found = time.perf_counter(), []
    with ProcessPoolExecutor(options.jobs) as pool:
        for number, several in enumerate(pool.map(_at_point, points, chunksize=4), start=1):
            found += several
            if number % 200 == 0:
                print(f"{number:,} of {len(points):,} points, {time.perf_counter() - start:.0f} s", flush=True)
    found.sort(key=lambda one: -abs(one.errors))
    above = [one for one in found if not abs(one.errors) <= LIMIT]
    print(
        f"{len(points):,} points, {options.draws:,} draws each, {len(found):,} statistics; "
        f"{len(found) * 6.3e-5:.1f} of as many normal numbers are above {LIMIT:g}, and {len(above)} are"
    )
    print("worst ten:")
    for one in found[:10]:
        print(" ", one)
    wrong = 0
    for one in above:
        again = repeat(one, options.draws, range(options.seed + 1, options.seed + 4))
        wrong += not abs(again.errors) <= LIMIT
        print(f"  with three other seeds together: {again}")
    print(f"{wrong} statistics are wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
