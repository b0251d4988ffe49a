"""When α and β are fitted during burn-in."""

from __future__ import annotations

import numpy as np
import pytest

from plait import LDA
from plait.engine.chain import Chain

COUNTS = np.random.default_rng(0).poisson(0.5, size=(40, 30))
_SHORT = {"n_samples": 1, "random_state": 0, "verbose": False}


@pytest.fixture
def fitted_after(monkeypatch):
    """Return a function that fits a model and returns after which sweeps its priors were fitted."""
    sweeps = []
    monkeypatch.setattr(Chain, "learn", lambda chain, alpha, beta: sweeps.append(chain.n_sweeps))

    def fit(**parameters):
        sweeps.clear()
        model = LDA(4, **_SHORT | parameters).fit(COUNTS)
        return list(sweeps), len(model.history_)

    return fit


@pytest.mark.parametrize(
    ("sampler", "n_sweeps", "expected"),
    [
        ("plain", 80, [10, 20, 30, 40, 50, 60, 70, 80]),
        ("synchronous", 80, [20, 30, 40, 50, 60, 70, 80]),  # from a quarter of the sweeps on
        ("synchronous", 400, list(range(50, 401, 10))),
        ("synchronous", 10, [10]),
    ],
)
def test_priors_of_a_synchronous_chain_are_fitted_later(fitted_after, sampler, n_sweeps, expected):
    assert fitted_after(sampler=sampler, n_sweeps=n_sweeps, tolerance=0.0)[0] == expected


@pytest.mark.parametrize(("sampler", "least"), [("plain", 20), ("synchronous", 50)])
def test_burn_in_does_not_end_before_the_priors_are_fitted(fitted_after, sampler, least):
    _, n_sweeps = fitted_after(sampler=sampler, n_sweeps=400, tolerance=0.99)
    assert n_sweeps == least
    fixed = {"alpha": 0.1, "beta": 0.1}
    assert fitted_after(sampler=sampler, n_sweeps=400, tolerance=0.99, **fixed) == ([], 20)
