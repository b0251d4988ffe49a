"""The history prior: its forms, and words that appear for the first time."""

from __future__ import annotations

import numpy as np
import pytest

from plait import OnlineLDA
from plait.errors import PlaitError
from plait.priors import HistoryPrior

PAST = [np.array([[4.0, 0, 0], [1, 1, 0]]), np.array([[0, 2.0, 0, 0], [0, 0, 0, 3]])]
WEIGHTS = [0.25, 0.5]
B = 0.1


def test_smoothed_history_has_b_for_new_words_only():
    table = HistoryPrior(PAST, WEIGHTS, B, "smoothed").pseudo_counts(2, 5)
    expected = np.full((2, 5), B)  # columns 2 and 4 do not occur in the past
    for counts, weight in zip(PAST, WEIGHTS, strict=True):
        full = np.zeros((2, 5))
        full[:, : counts.shape[1]] = counts
        phi = (full + B) / (full + B).sum(axis=1, keepdims=True)  # eq. 10.3
        expected[:, [0, 1, 3]] = expected[:, [0, 1, 3]] * (weight != WEIGHTS[0]) + weight * phi[:, [0, 1, 3]]
    np.testing.assert_allclose(table, expected)
    np.testing.assert_array_equal(table[:, [2, 4]], B)


def test_a_slice_without_weight_is_not_the_past():
    table = HistoryPrior(PAST, [0.25, 0.0], B, "smoothed").pseudo_counts(2, 5)
    np.testing.assert_array_equal(table[:, 3], B)


def test_forms_differ_and_all_are_positive():
    tables = [
        HistoryPrior(PAST, WEIGHTS, B, form).pseudo_counts(2, 5) for form in ("counts", "distributions", "smoothed")
    ]
    for number, table in enumerate(tables):
        assert (table > 0).all()
        assert not any(np.allclose(table, other) for other in tables[:number])
    with pytest.raises(PlaitError, match="form must be 'counts', 'distributions' or 'smoothed', not 'words'"):
        HistoryPrior(PAST, WEIGHTS, B, "words").pseudo_counts(2, 5)


def test_a_stream_is_learned_with_b_for_new_words_only():
    counts = np.kron(np.eye(2, dtype=int), np.full((10, 4), 2))
    model = OnlineLDA(2, history_form="smoothed", n_sweeps=20, random_state=0, verbose=False)
    model.partial_fit(np.hstack([counts, np.zeros((20, 2), dtype=int)])).partial_fit(np.hstack([counts, counts[:, :2]]))
    np.testing.assert_allclose(model.topic_word_.sum(axis=1), 1)
    assert (model.topic_word_ > 0).all()
    assert set(model.topic_word_[:, :8].argmax(axis=1) // 4) == {0, 1}
