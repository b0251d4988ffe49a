"""Pólya-Gamma draws over the whole range of shapes and tilts; polya_gamma_grid.py has the exact values."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import ks_2samp

from plait.responses.losses.keyed import KeyedRandom, fill_series_ratios
from plait.responses.losses.polya_gamma import draw_polya_gamma
from tests.responses.polya_gamma_grid import KINDS, SHAPES, TILTS, cumulant, distances, draw, log_laplace, repeat

both_kinds = pytest.mark.parametrize("kind", KINDS)


def wrong_statistics(kinds, shapes, tilts, n_draws, limit=4.0):
    """Statistics that are beyond the limit with one seed, and again with three other seeds together."""
    every = [
        one
        for kind in kinds
        for shape in shapes
        for tilt in tilts
        for one in distances(kind, shape, tilt, n_draws, seed=1)
    ]
    assert len(every) >= 4 * len(kinds) * len(shapes) * len(tilts)
    above = [repeat(one, n_draws, range(2, 5)) for one in every if not abs(one.errors) <= limit]
    return [str(one) for one in above if not abs(one.errors) <= limit]


@pytest.mark.parametrize("shape", [0.3, 1.0, 7.5, 60.25, 2000.0])
@pytest.mark.parametrize("tilt", [0.0, 0.2, 3.0, 29.5, 1000.0])
def test_the_exact_values_agree_with_each_other(shape, tilt):
    """Closed forms, sums over gamma variables and the Laplace transform are three formulas of one distribution."""
    if tilt > 0:
        half = tilt / 2
        share = 2 * np.tanh(half) - tilt * (1 - np.tanh(half) ** 2)  # (sinh z − z) sech²(z/2)
        assert cumulant(2, shape, tilt) == pytest.approx(shape * share / (4 * tilt**3), rel=1e-9)
    else:
        assert (cumulant(1, shape, 0.0), cumulant(2, shape, 0.0)) == pytest.approx((shape / 4, shape / 24), rel=1e-9)
    for rate in (1e-3, 0.7, 40.0):
        halves = np.arange(2_000_000) + 0.5
        terms = np.log1p(rate / (2 * np.pi**2 * halves**2 + tilt**2 / 2))
        rest = rate / (2 * np.pi**2 * halves.size)
        assert log_laplace(shape, tilt, rate) == pytest.approx(-shape * (terms.sum() + rest), rel=1e-8)


@pytest.mark.parametrize(("shape", "tilt"), [(36.0, 29.25), (49.0, 27.95), (60.25, 29.5), (100.0, 27.15)])
@both_kinds
def test_large_shapes_with_tilts_from_27_to_30_have_the_right_mean(kind, shape, tilt):
    """The saddle point method of the package returns means that are 2.75 times too large."""
    assert not wrong_statistics([kind], [shape], [tilt], 20_000)


@pytest.mark.parametrize("shape", [0.001, 0.002, 0.03, 0.2])
@pytest.mark.parametrize("tilt", [0.0, 5.0, 29.5])
@both_kinds
def test_small_shapes_have_the_right_laplace_transform(kind, shape, tilt):
    """A sum of 16 gamma variables, with one for the rest, gives 0.819 in place of 0.806 at PG(0.002, 29.5)."""
    assert not wrong_statistics([kind], [shape], [tilt], 20_000)


@both_kinds
def test_draws_with_a_small_shape_are_above_0(kind):
    assert draw(kind, 0.001, 3.0, 20_000, seed=1).min() > 1e-9


@pytest.mark.parametrize("shape", [0.001, 0.1, 0.5, 0.999])
def test_the_series_gives_the_density_for_small_shapes(shape):
    """The first term times the ratio must integrate to 1, and the ratio must be a probability."""
    values = np.geomspace(1e-9, 50.0, 4_000)
    ratios = np.empty(values.size)
    fill_series_ratios(np.full(values.size, shape), values, ratios)
    assert ratios.max() <= 1.0
    assert ratios.min() >= -1e-12
    assert (np.diff(ratios) <= 1e-12).all()

    def density(log_value):
        value, ratio = np.exp(log_value), np.empty(1)
        fill_series_ratios(np.array([shape]), np.array([value]), ratio)
        first = 2.0**shape * shape / 2 / np.sqrt(2 * np.pi * value) * np.exp(-(shape**2) / 8 / value)
        return first * ratio[0]

    middle = np.log(shape * shape / 8)
    total = quad(density, middle - 6, middle, limit=200)[0] + quad(density, middle, 3.0, limit=200)[0]
    assert total == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("shape", [1e5, 1e9, 1e12])
@pytest.mark.parametrize("tilt", [0.0, 10.0, 24.0, 26.0])
@both_kinds
def test_draws_of_huge_shapes_return_and_have_the_right_mean_and_variance(kind, shape, tilt):
    variance = cumulant(2, shape, tilt)
    away = (draw(kind, shape, tilt, 20_000, seed=1) - cumulant(1, shape, tilt)) / np.sqrt(variance)
    assert abs(away.mean()) < 4 / np.sqrt(away.size)
    assert abs((away**2).mean() - 1) < 4 * np.sqrt(2 / away.size)


def test_a_tilt_that_is_not_a_number_gives_no_draw():
    shapes = np.array([0.5, 1.0, 40.0, 1e6, 1.0])
    draws = draw_polya_gamma(shapes, np.array([np.nan] * 4 + [0.5]), np.random.default_rng(1))
    np.testing.assert_array_equal(np.isnan(draws), [True] * 4 + [False])


@pytest.mark.parametrize("shape", [0.01, 0.5])
@pytest.mark.parametrize("tilt", [0.0, 29.0])
def test_keyed_draws_of_small_shapes_have_the_distribution_of_numpys(shape, tilt):
    assert ks_2samp(draw("keyed", shape, tilt, 20_000, 1), draw("NumPy", shape, tilt, 20_000, 2)).pvalue > 0.001


def test_keyed_draws_of_small_shapes_do_not_depend_on_other_observations():
    keys, shapes, tilts = np.arange(50, dtype=np.uint64), np.linspace(0.01, 1.2, 50), np.linspace(0, 35, 50)
    together = draw_polya_gamma(shapes, tilts, KeyedRandom(keys))
    alone = [draw_polya_gamma(shapes[[i]], tilts[[i]], KeyedRandom(keys[[i]]))[0] for i in range(50)]
    assert together.tobytes() == np.array(alone).tobytes()


def test_draws_are_right_over_a_coarse_grid():
    assert not wrong_statistics(KINDS, SHAPES[::3], TILTS[::3], 10_000)


@pytest.mark.slow
def test_draws_are_right_over_the_grid():
    assert not wrong_statistics(KINDS, SHAPES, TILTS, 20_000)
