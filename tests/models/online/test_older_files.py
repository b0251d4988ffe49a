"""Streams that were saved when parameters had other names."""

from __future__ import annotations

import numpy as np
import pytest

import plait
from plait import OnlineLDA

QUICK = {"n_topics": 2, "n_sweeps": 5, "n_samples": 1, "random_state": 0, "verbose": False}
OLD_NAMES = {"history_weights": "weights", "history_form": "history"}


@pytest.fixture
def old_file(tmp_path, monkeypatch):
    """A stream in a file with the old names of its parameters, and the stream."""
    slices = np.random.default_rng(0).poisson(2.0, size=(2, 12, 6))
    model = OnlineLDA(window=1, history_weights=0.25, history_form="distributions", **QUICK)
    model.partial_fit(slices[0])
    settings = {OLD_NAMES.get(name, name): value for name, value in model.get_params(deep=False).items()}
    with monkeypatch.context() as patch:
        patch.setattr(OnlineLDA, "get_params", lambda self, deep: dict(settings))
        patch.delattr(model, "history_weights")
        patch.delattr(model, "history_form")
        patch.setattr("plait.store.check_parameters", lambda model: None)  # the earlier version had no such check
        path = plait.save(model, tmp_path / "old.plait")
    return path, model, slices


def test_parameters_have_their_new_names_after_loading(old_file):
    path, model, slices = old_file
    assert b"history_weights" not in path.read_bytes()
    again = plait.load(path)
    assert (again.history_weights, again.history_form) == (0.25, "distributions")
    assert again.get_params().keys() == model.get_params().keys()
    again.partial_fit(slices[1])
    np.testing.assert_array_equal(again.topic_word_, model.partial_fit(slices[1]).topic_word_)
