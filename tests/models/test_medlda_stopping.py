"""A MedLDA that is stopped at any sweep predicts, is saved, and goes on to the same bits."""

from __future__ import annotations

import numpy as np
import pytest

import plait
from plait import MedLDA, PlaitError
from tests.models.small import NAMES, QUICK, fitted, of_classes, press_ctrl_c_in_sweep, same_bits

# Sweeps of these samplers are compiled for few tests.
pytestmark = pytest.mark.slow_with("shares")

SHORT = {"n_sweeps": 3, "n_samples": 2, "sample_every": 2, "n_topics": 3}  # 5 sweeps a chain
STOPPED = {
    "binary": (2, {}, 10),
    "multiclass": (3, {"loss": "logistic"}, 10),
    "one_vs_all": (3, {"one_vs_all": True}, 30),
    "shares": (3, {"sampler": "limit"}, 10),
    "calibrated": (3, {"one_vs_all": True, "calibrate": 0.3}, 30),
}


@pytest.mark.parametrize("case", STOPPED)
def test_a_fit_stopped_at_any_sweep_resumes_to_the_same_bits(case, tmp_path, monkeypatch):
    n_classes, changes, n_sweeps = STOPPED[case]
    counts, y = of_classes(45, n_classes)
    straight = fitted(counts, y, **SHORT, **changes)
    assert straight.n_sweeps_ == n_sweeps
    assert not straight.interrupted_
    for stop_at in range(n_sweeps - 1):
        with monkeypatch.context() as patched:
            press_ctrl_c_in_sweep(stop_at, patched)
            stopped = fitted(counts, y, **SHORT, **changes)
        assert stopped.interrupted_
        assert stopped.n_sweeps_ == stop_at + 1
        assert set(stopped.predict(counts)) <= set(y)
        assert not np.isnan(stopped.decision_function(counts)).any()
        loaded = plait.load(plait.save(stopped, tmp_path / "model.plait"))
        assert loaded.decision_function(counts).tobytes() == stopped.decision_function(counts).tobytes()
        for resumed in (stopped.resume(counts, y), loaded.resume(counts, y)):
            assert not resumed.interrupted_
            assert resumed.n_sweeps_ == n_sweeps
            same_bits(straight, resumed, counts)
    with monkeypatch.context() as patched:
        press_ctrl_c_in_sweep(n_sweeps - 1, patched)
        assert not fitted(counts, y, **SHORT, **changes).interrupted_  # nothing was left to do


@pytest.mark.parametrize("stop_at", [7, 9])  # in the first label's second chain, and at its end
def test_a_model_stopped_before_its_last_label_says_what_it_knows(stop_at, monkeypatch):
    counts, y = of_classes(60, 3)
    press_ctrl_c_in_sweep(stop_at, monkeypatch)
    model = fitted(counts, NAMES[y], one_vs_all=True, calibrate=0.3, **SHORT)
    assert set(model.predict(counts)) == {"finance"}
    assert (model.decision_function(counts)[:, 1:] == -np.inf).all()
    np.testing.assert_allclose(model.predict_proba(counts), np.eye(3)[np.zeros(60, dtype=int)])
    assert model.transform(counts).shape == (60, 3)
    assert model.weights_.shape == (3, 3)
    assert model.explain(counts[0], "finance").label == "finance"
    with pytest.raises(PlaitError, match="interrupted before label 'sport' was learned; resume it first"):
        model.explain(counts[0], "sport")


def test_resume_refuses_other_labels(monkeypatch):
    counts, y = of_classes(60, 3)
    with monkeypatch.context() as patched:
        press_ctrl_c_in_sweep(3, patched)
        stopped = fitted(counts, y)
    other = y.copy()
    other[:2] = other[1::-1]
    with pytest.raises(PlaitError, match="not the documents that the fit began with"):
        stopped.resume(counts, other)
    stopped.resume(counts, y)
    with pytest.raises(PlaitError, match="this fit is finished"):
        stopped.resume(counts, y)


@pytest.mark.parametrize("every", [3, 5, 7])
def test_a_checkpoint_resumes_to_the_same_bits(tmp_path, every):
    counts, y = of_classes(45, 3)
    path = tmp_path / "model.plait"
    straight = MedLDA(**(QUICK | SHORT | {"n_chains": 3})).fit(counts, y, checkpoint=path, checkpoint_every=every)
    kept = plait.load(path)
    assert kept.interrupted_
    assert kept.n_sweeps_ == 14 // every * every  # of 15; 5 and 10 are the ends of chains
    same_bits(straight, kept.resume(counts, y), counts)
