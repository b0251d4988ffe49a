"""Losses: draws of auxiliary variables against the distributions they must have, also where a value is extreme."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

import numpy as np
import pytest
from scipy.stats import invgauss, ks_2samp, kstest, levy, truncnorm

import plait.responses.losses
from plait.errors import PlaitError
from plait.responses.losses import LOSSES, Hinge, Logistic, Loss, Probit, Squared
from plait.responses.losses.inverse_gaussian import draw_inverse_gaussian
from plait.responses.losses.keyed import KeyedRandom
from plait.responses.losses.polya_gamma import draw_polya_gamma

N = 20_000


def random_of(kind, seed):
    """NumPy's generator, or keyed random numbers for N observations."""
    generator = np.random.default_rng(seed)
    return generator if kind == "NumPy" else KeyedRandom(generator.integers(0, 2**63, N).astype(np.uint64))


both_kinds = pytest.mark.parametrize("kind", ["NumPy", "keyed"])


def test_every_loss_of_the_folder_is_registered():
    found = set()
    for module in pkgutil.iter_modules(plait.responses.losses.__path__, "plait.responses.losses."):
        for _, value in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
            if issubclass(value, Loss) and value is not Loss:
                found.add(value)
    assert found == set(LOSSES.values())


@pytest.mark.parametrize("inverse_mean", [1e-6, 0.01, 0.5, 1.0, 4.0, 60.0, 1e5])
@both_kinds
def test_inverse_gaussian_draws_have_scipys_distribution(kind, inverse_mean):
    draws = draw_inverse_gaussian(np.full(N, inverse_mean), random_of(kind, 3))
    # SciPy loses digits in the far tail of very wide distributions, where its limit is known.
    law = levy() if inverse_mean < 1e-3 else invgauss(mu=1 / inverse_mean, scale=1.0)
    assert kstest(draws, law.cdf).pvalue > 0.001


@both_kinds
def test_inverse_gaussian_draws_without_a_finite_mean_are_inverse_chi_squares(kind):
    draws = draw_inverse_gaussian(np.zeros(N), random_of(kind, 4))
    assert kstest(draws, levy().cdf).pvalue > 0.001


@pytest.mark.parametrize("inverse_mean", [0.0, 1e-300, 1e-30, 1e30, 1e150])
@both_kinds
def test_inverse_gaussian_draws_are_finite_at_the_extremes(kind, inverse_mean):
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        draws = draw_inverse_gaussian(np.full(N, inverse_mean), random_of(kind, 5))
    assert np.isfinite(draws).all()
    assert (draws > 0).all()


def polya_gamma_moments(cost, value):
    """Mean and variance of Pólya-Gamma(c, m): Polson, Scott and Windle (2013), without overflow where m is large."""
    z = abs(value)
    if z < 1e-3:
        return cost / 4, cost / 24
    slope = np.tanh(z / 2)
    return cost / (2 * z) * slope, cost / (4 * z**3) * (2 * slope - z * (1 - slope**2))


@pytest.mark.parametrize("cost", [0.3, 1.0, 2.5, 4.0, 12.5, 25.0, 64.0, 160.0])
@pytest.mark.parametrize("value", [0.0, 0.3, -2.0, 5.0, 24.0, 26.0, -28.0, -29.0, 29.9, 31.0, 300.0])
@both_kinds
def test_polya_gamma_draws_have_the_right_mean_and_variance(kind, cost, value):
    pseudo = Logistic().observe(np.ones(N), np.full(N, value), np.full(N, cost), random_of(kind, 6))
    mean, variance = polya_gamma_moments(cost, value)
    away = pseudo.precision - mean
    assert abs(away.mean()) < 4 * np.sqrt(variance / N)
    assert abs((away**2).mean() - variance) < 4.5 * (away**2).std() / np.sqrt(N)
    assert (pseudo.pull == cost / 2).all()


@pytest.mark.parametrize("cost", [1.0, 4.0, 25.0])
@pytest.mark.parametrize("value", [0.0, 2.0, -30.0, 300.0])
@both_kinds
def test_polya_gamma_draws_have_the_right_laplace_transform(kind, cost, value):
    draws = Logistic().observe(-np.ones(N), np.full(N, value), np.full(N, cost), random_of(kind, 8)).precision
    mean, variance = polya_gamma_moments(cost, value)
    for rate in (0.5 / mean, 2.0 / np.sqrt(variance)):
        # E exp(−tλ) = (cosh(m/2) / cosh(√(m²/4 + t/2)))^c; both sides times exp(t E λ), so that neither is too small.
        half, tilted = abs(value) / 2, np.sqrt(value**2 / 4 + rate / 2)
        log_ratio = half - tilted + np.log1p(np.exp(-2 * half)) - np.log1p(np.exp(-2 * tilted))
        factors = np.exp(rate * (mean - draws))
        assert abs(factors.mean() - np.exp(cost * log_ratio + rate * mean)) < 4.5 * factors.std() / np.sqrt(N)


@pytest.mark.parametrize("cost", [0.3, 1.0, 3.7, 16.0, 16.5, 64.0, 1000.0])
@pytest.mark.parametrize("value", [0.0, 0.05, 1.0, 3.0, 4.0, 20.0, 27.0, 40.0])
def test_keyed_polya_gamma_draws_have_the_distribution_of_numpys(cost, value):
    """Around values of 3.1 the method for a whole cost takes another proposal."""
    shapes, tilts = np.full(N, cost), np.full(N, value)
    keyed = draw_polya_gamma(shapes, tilts, random_of("keyed", 9))
    assert ks_2samp(keyed, draw_polya_gamma(shapes, -tilts, np.random.default_rng(10))).pvalue > 0.001


@pytest.mark.parametrize("inverse_mean", [0.0, 0.01, 1.0, 60.0])
def test_keyed_inverse_gaussian_draws_have_the_distribution_of_numpys(inverse_mean):
    means = np.full(N, inverse_mean)
    keyed = draw_inverse_gaussian(means, random_of("keyed", 11))
    assert ks_2samp(keyed, draw_inverse_gaussian(means, np.random.default_rng(12))).pvalue > 0.001


def test_keyed_numbers_have_their_distributions():
    random = random_of("keyed", 13)
    normals, uniforms = random.standard_normal((N, 2)), random.random(N)
    assert kstest(normals.ravel(), "norm").pvalue > 0.001
    assert kstest(uniforms, "uniform").pvalue > 0.001
    for first, second in ((normals[:, 0], normals[:, 1]), (normals[:, 0], uniforms), (uniforms[1:], uniforms[:-1])):
        assert abs(np.corrcoef(first, second)[0, 1]) < 4.5 / np.sqrt(N)
    assert kstest(KeyedRandom(np.arange(N)).random(N), "uniform").pvalue > 0.001  # keys may be close to each other
    assert kstest(KeyedRandom(np.array([5])).random((1, N)).ravel(), "uniform").pvalue > 0.001


@pytest.mark.parametrize("loss", [Hinge(1.0), Logistic(), Probit(), Squared(0.7)])
def test_keyed_draws_do_not_depend_on_other_observations(loss):
    rng = np.random.default_rng(14)
    keys = rng.integers(0, 2**63, 300).astype(np.uint64)
    targets, values, costs = rng.choice([-1.0, 1.0], 300), rng.normal(0, 20, 300), rng.gamma(1.0, 15.0, 300) + 0.1
    costs = np.ceil(costs) if loss.name == "probit" else costs
    together = loss.observe(targets, values, costs, KeyedRandom(keys))
    some = rng.permutation(300)[:40]
    alone = loss.observe(targets[some], values[some], costs[some], KeyedRandom(keys[some]))
    assert np.array(alone).tobytes() == np.array(together)[:, some].tobytes()


def test_selected_observations_go_on_with_their_own_streams():
    keys = np.arange(6)
    expected = KeyedRandom(keys).random((6, 3))
    random = KeyedRandom(keys)
    mask = np.array([True, False, True, True, False, False])
    np.testing.assert_array_equal(random.random(6), expected[:, 0])
    np.testing.assert_array_equal(random.select(mask).random(3), expected[mask, 1])
    np.testing.assert_array_equal(random.random(6), np.where(mask, expected[:, 2], expected[:, 1]))


def test_a_value_that_is_not_a_number_gives_no_draw():
    draws = draw_polya_gamma(np.array([1.0, 40.0, 1.0]), np.array([np.nan, np.nan, 0.5]), KeyedRandom(np.arange(3)))
    np.testing.assert_array_equal(np.isnan(draws), [True, True, False])


def test_keyed_numbers_that_a_loss_cannot_have():
    random = KeyedRandom(np.arange(4))
    with pytest.raises(AttributeError, match=r"random\.standard_gamma is not available .* random\.standard_normal"):
        random.standard_gamma(np.ones(4))
    with pytest.raises(AttributeError, match="'KeyedRandom' object has no attribute 'nothing'"):
        random.nothing()
    for size in ((), 3, (3, 4)):
        with pytest.raises(PlaitError, match=r"of shape \(.*the first number must be 4, the number of observations"):
            random.random(size)


@pytest.mark.parametrize("value", [0.0, 0.4, -3.0, 9.0, -40.0, 300.0])
@both_kinds
def test_utilities_of_the_probit_loss_are_truncated_normal_variables(kind, value):
    for target in (-1.0, 1.0):
        law = truncnorm(-target * value, np.inf, loc=target * value)
        pull, precision = Probit().observe(np.full(N, target), np.full(N, value), np.ones(N), random_of(kind, 15))
        assert (precision == 1).all()
        assert kstest(target * pull, law.cdf).pvalue > 0.001  # the utility is on the side of the target
        pull, precision = Probit().observe(np.full(N, target), np.full(N, value), np.full(N, 3.0), random_of(kind, 16))
        assert (precision == 3).all()
        away = target * pull - 3 * law.mean()
        assert abs(away.mean()) < 4.5 * np.sqrt(3 * law.var() / N)
        assert abs((away**2).mean() - 3 * law.var()) < 4.5 * (away**2).std() / np.sqrt(N)


@pytest.mark.parametrize("value", [-1e3, -1e5, -1e8, 1e8])
def test_utilities_are_finite_in_the_tails(value):
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        pull, _ = Probit().observe(np.ones(N), np.full(N, value), np.ones(N), np.random.default_rng(16))
    expected = -1 / value if value < 0 else value  # far in the tail the utility is nearly exponential
    assert pull.mean() == pytest.approx(expected, rel=0.05)


def test_costs_of_the_probit_loss_are_whole_numbers():
    with pytest.raises(
        PlaitError, match=r"the cost 1\.5 .* is not a whole number, which the probit loss needs; use the log"
    ):
        Probit().begin(np.ones(2), np.array([1.0, 1.5]))
    with pytest.raises(PlaitError, match=r"the cost 0\.5 .* is too small for the probit loss; it must be at least 1"):
        Probit().begin(np.ones(2), np.array([0.5, 1.0]))


def averaged_factor(loss, target, cost, value, at):
    """E over the auxiliary variable given `at` of the pseudo-observation's factor at `value`, relative to `at`.

    With λ drawn from p(λ | at), the mean of p(value, λ) / p(at, λ) is p(value) / p(at): the loss's likelihood ratio.
    """
    rng = np.random.default_rng(7)
    ones = np.ones(400_000)
    pull, precision = loss.observe(target * ones, at * ones, cost * ones, rng)
    return np.mean(np.exp(pull * (value - at) - precision * (value**2 - at**2) / 2))


@pytest.mark.parametrize("loss", [Hinge(1.0), Hinge(0.5), Logistic(), Probit(), Squared(0.7)])
@pytest.mark.parametrize("cost", [1.0, 2.0])
@pytest.mark.parametrize("target", [-1.0, 1.0])
def test_the_auxiliary_variable_integrates_to_the_loss(loss, cost, target):
    # Moving away from the margin the ratio has a finite variance, so that its mean can be measured.
    at, value = (0.45, 0.2) if target > 0 else (0.2, 0.45)
    exact = np.exp(
        loss.log_likelihood(np.array(target), np.array(value), np.array(cost))
        - loss.log_likelihood(np.array(target), np.array(at), np.array(cost))
    )
    assert averaged_factor(loss, target, cost, value, at) == pytest.approx(exact, rel=0.01)


@pytest.mark.parametrize("ell", [0.0, -1.0, np.inf, np.nan])
def test_a_margin_must_be_positive(ell):
    with pytest.raises(PlaitError, match="ell, the margin, must be a number above 0"):
        Hinge(ell)


def test_noise_must_be_positive():
    with pytest.raises(
        PlaitError, match=r"sigma, the standard deviation of the noise, must be a number above 0, not 0\.0"
    ):
        Squared(0.0)


def test_a_chain_with_hinge_loss_begins_as_the_paper_but_no_stiffer_than_its_own_cost():
    targets, costs = np.array([1.0, -1.0, 1.0]), np.array([2.0, 16.0, 160.0])
    pull, precision = Hinge(1.0).begin(targets, costs)
    np.testing.assert_allclose(precision, [4.0, 256.0, 2560.0])
    np.testing.assert_allclose(pull, [6.0, -16.0 * 17, 160.0 * 17])


def test_a_cost_too_small_for_the_logistic_loss_is_refused():
    with pytest.raises(PlaitError, match=r"the cost 1e-05 .* is too small .* at least 0.001"):
        Logistic().begin(np.ones(2), np.array([1.0, 1e-5]))
