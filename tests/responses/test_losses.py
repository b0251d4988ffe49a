"""Losses: draws of auxiliary variables against the distributions they must have, also where a value is extreme."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

import numpy as np
import pytest
from scipy.stats import invgauss, kstest, levy

import plait.responses.losses
from plait.errors import PlaitError
from plait.responses.losses import LOSSES, Hinge, Logistic, Loss, Squared
from plait.responses.losses.inverse_gaussian import draw_inverse_gaussian

N = 20_000


def test_every_loss_of_the_folder_is_registered():
    found = set()
    for module in pkgutil.iter_modules(plait.responses.losses.__path__, "plait.responses.losses."):
        for _, value in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
            if issubclass(value, Loss) and value is not Loss:
                found.add(value)
    assert found == set(LOSSES.values())


@pytest.mark.parametrize("inverse_mean", [1e-6, 0.01, 0.5, 1.0, 4.0, 60.0, 1e5])
def test_inverse_gaussian_draws_have_scipys_distribution(inverse_mean):
    draws = draw_inverse_gaussian(np.full(N, inverse_mean), np.random.default_rng(3))
    # SciPy loses digits in the far tail of very wide distributions, where its limit is known.
    law = levy() if inverse_mean < 1e-3 else invgauss(mu=1 / inverse_mean, scale=1.0)
    assert kstest(draws, law.cdf).pvalue > 0.001


def test_inverse_gaussian_draws_without_a_finite_mean_are_inverse_chi_squares():
    draws = draw_inverse_gaussian(np.zeros(N), np.random.default_rng(4))
    assert kstest(draws, levy().cdf).pvalue > 0.001


@pytest.mark.parametrize("inverse_mean", [0.0, 1e-300, 1e-30, 1e30, 1e150])
def test_inverse_gaussian_draws_are_finite_at_the_extremes(inverse_mean):
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        draws = draw_inverse_gaussian(np.full(N, inverse_mean), np.random.default_rng(5))
    assert np.isfinite(draws).all()
    assert (draws > 0).all()


def polya_gamma_moments(cost, value):
    """Mean and variance of Pólya-Gamma(c, m): Polson, Scott and Windle (2013), without overflow where m is large."""
    z = abs(value)
    if z < 1e-3:
        return cost / 4, cost / 24
    slope = np.tanh(z / 2)
    return cost / (2 * z) * slope, cost / (4 * z**3) * (2 * slope - z * (1 - slope**2))


@pytest.mark.parametrize("cost", [0.3, 1.0, 2.5, 4.0, 12.5, 25.0])
@pytest.mark.parametrize("value", [0.0, 0.3, -2.0, 5.0, -29.0, 31.0, 300.0])
def test_polya_gamma_draws_have_the_right_mean_and_variance(cost, value):
    pseudo = Logistic().observe(np.ones(N), np.full(N, value), np.full(N, cost), np.random.default_rng(6))
    mean, variance = polya_gamma_moments(cost, value)
    away = pseudo.precision - mean
    assert abs(away.mean()) < 4 * np.sqrt(variance / N)
    assert abs((away**2).mean() - variance) < 4.5 * (away**2).std() / np.sqrt(N)
    assert (pseudo.pull == cost / 2).all()


@pytest.mark.parametrize("cost", [1.0, 4.0, 25.0])
@pytest.mark.parametrize("value", [0.0, 2.0, -30.0, 300.0])
def test_polya_gamma_draws_have_the_right_laplace_transform(cost, value):
    draws = Logistic().observe(-np.ones(N), np.full(N, value), np.full(N, cost), np.random.default_rng(8)).precision
    mean, variance = polya_gamma_moments(cost, value)
    for rate in (0.5 / mean, 2.0 / np.sqrt(variance)):
        # E exp(−tλ) = (cosh(m/2) / cosh(√(m²/4 + t/2)))^c; both sides times exp(t E λ), so that neither is too small.
        half, tilted = abs(value) / 2, np.sqrt(value**2 / 4 + rate / 2)
        log_ratio = half - tilted + np.log1p(np.exp(-2 * half)) - np.log1p(np.exp(-2 * tilted))
        factors = np.exp(rate * (mean - draws))
        assert abs(factors.mean() - np.exp(cost * log_ratio + rate * mean)) < 4.5 * factors.std() / np.sqrt(N)


def averaged_factor(loss, target, cost, value, at):
    """E over the auxiliary variable given `at` of the pseudo-observation's factor at `value`, relative to `at`.

    With λ drawn from p(λ | at), the mean of p(value, λ) / p(at, λ) is p(value) / p(at): the loss's likelihood ratio.
    """
    rng = np.random.default_rng(7)
    ones = np.ones(400_000)
    pull, precision = loss.observe(target * ones, at * ones, cost * ones, rng)
    return np.mean(np.exp(pull * (value - at) - precision * (value**2 - at**2) / 2))


@pytest.mark.parametrize("loss", [Hinge(1.0), Hinge(0.5), Logistic(), Squared(0.7)])
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
