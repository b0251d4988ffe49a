"""Draws of the hinge loss by place: portable functions, their distribution, and no dependence on blocks."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2, kstest

from plait.responses import Hinge
from plait.responses.auxiliaries import KnownValues, draw_pseudo
from plait.responses.losses import Pseudo
from plait.responses.losses.portable import half_square, logarithm, sine_of_quarter
from plait.samplers.kernels.compiled import kernel
from plait.samplers.random import stream_key

KEY = stream_key(3, "auxiliaries", 0)


@kernel
def fill(first, second, logarithms, sines, halves):
    for place in range(first.size):
        logarithms[place] = logarithm(first[place])
        sines[place] = sine_of_quarter(second[place])
        halves[place] = half_square(first[place], second[place])


def test_portable_functions_are_those_of_numpy():
    rng = np.random.default_rng(0)
    first = np.concatenate([rng.random(20_000), 2.0 ** -np.arange(1, 54), [1.0, 1 - 2.0**-53, 0.9999, 0.7071]])
    second = np.linspace(0.0, 1.0, first.size)
    logarithms, sines, halves = (np.empty(first.size) for _ in range(3))
    fill(first, second, logarithms, sines, halves)
    np.testing.assert_allclose(logarithms, np.log(first), rtol=1e-13)
    np.testing.assert_allclose(sines, np.sin(0.5 * np.pi * second), rtol=1e-12)
    fill(rng.random(first.size), rng.random(first.size), logarithms, sines, halves)
    assert kstest(2.0 * halves, chi2(1).cdf).pvalue > 0.001


@pytest.mark.parametrize("distance", [0.0, 0.05, 3.0])
def test_draws_by_place_have_the_distribution_of_numpys(distance):
    cost, size = 2.0, 20_000
    costs, targets = np.full(size, cost), np.ones(size)
    found, expected = (Pseudo(np.empty(size), np.empty(size)) for _ in range(2))
    values = np.full(size, 1.0 - distance)
    Hinge().observe_at(targets, values, costs, KEY, 5, 0, found)
    Hinge().observe_into(targets, values, costs, np.random.default_rng(1), expected)
    assert kstest(found.precision, expected.precision).pvalue > 0.001
    np.testing.assert_allclose(found.pull, cost * (1.0 + found.precision / cost))


def test_a_draw_depends_on_its_place_and_its_shard_only():
    rng = np.random.default_rng(2)
    values, targets = rng.normal(size=40_000), rng.choice([-1.0, 1.0], 40_000)
    known = KnownValues(targets, np.full(values.size, 1.5))
    one, other = (Pseudo(np.empty(values.size), np.empty(values.size)) for _ in range(2))
    draw_pseudo(Hinge(), known, values, KEY, 1, lambda f, items: [f(item) for item in items], one)
    tail = slice(30_000, None)
    alone = Pseudo(other.pull[tail], other.precision[tail])
    Hinge().observe_at(targets[tail], values[tail], known.costs[tail], KEY, 1, 30_000, alone)
    np.testing.assert_array_equal(alone.pull, one.pull[tail])
    np.testing.assert_array_equal(alone.precision, one.precision[tail])
    Hinge().observe_at(targets[tail], values[tail], known.costs[tail], KEY, 2, 30_000, alone)
    assert (alone.precision != one.precision[tail]).mean() > 0.99
