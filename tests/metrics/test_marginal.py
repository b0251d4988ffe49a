"""Probability of whole documents: the sum over all assignments of topics."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from plait.errors import PlaitError
from plait.metrics import marginal_likelihoods
from tests.naive import log_dirichlet_multinomial

TOPIC_WORD = np.array([[0.6, 0.3, 0.1], [0.05, 0.15, 0.8], [0.3, 0.4, 0.3]])
ALPHA = np.array([0.3, 0.8, 0.1])
COUNTS = np.array([[2, 0, 1], [0, 1, 0], [1, 1, 2], [0, 0, 0]])


def enumerated(row):
    """log p(w): all assignments of topics to tokens, proportions integrated out."""
    tokens = np.repeat(np.arange(3), row)
    total = 0.0
    for topics in product(range(3), repeat=len(tokens)):
        counted = np.bincount(topics, minlength=3) if topics else np.zeros(3)
        total += np.exp(log_dirichlet_multinomial(counted, ALPHA)) * np.prod(TOPIC_WORD[list(topics), tokens])
    return np.log(total)


def test_the_estimate_is_unbiased():
    found = np.exp(
        [marginal_likelihoods(COUNTS, TOPIC_WORD, ALPHA, n_particles=500, random_state=s) for s in range(40)]
    )
    exact = np.exp([enumerated(row) for row in COUNTS])
    errors = found.std(axis=0, ddof=1) / np.sqrt(40)
    assert (np.abs(found.mean(axis=0) - exact) < 4.5 * errors + 1e-12).all()
    assert errors[2] < 0.01 * exact[2]
    np.testing.assert_allclose(found[:, [1, 3]], np.tile(exact[[1, 3]], (40, 1)))  # one token, or none: no error


def test_documents_do_not_depend_on_the_form_of_the_counts():
    expected = marginal_likelihoods(COUNTS, TOPIC_WORD, ALPHA)
    assert marginal_likelihoods(COUNTS.tolist(), TOPIC_WORD, ALPHA).tobytes() == expected.tobytes()
    assert marginal_likelihoods(COUNTS, TOPIC_WORD, ALPHA, random_state=1).tobytes() != expected.tobytes()


def test_what_has_no_probability():
    with pytest.raises(PlaitError, match="counts must be whole numbers"):
        marginal_likelihoods(COUNTS + 0.5, TOPIC_WORD, ALPHA)
    with pytest.raises(PlaitError, match="must be topics × words: 3 × 3"):
        marginal_likelihoods(COUNTS, TOPIC_WORD[:2], ALPHA)
