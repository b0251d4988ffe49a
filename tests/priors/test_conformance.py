"""What every prior must be and do; a new one in plait.priors is found and tested."""

from __future__ import annotations

import numpy as np
import pytest

import plait.priors
from plait.errors import PlaitError
from plait.priors import HistoryPrior, Prior, SymmetricPrior, TablePrior, as_prior

EXAMPLES = {
    "HistoryPrior": HistoryPrior([np.arange(8).reshape(2, 4)], [0.5]),
    "SymmetricPrior": SymmetricPrior(0.3),
    "TablePrior": TablePrior(np.full((2, 5), 0.7)),
}
FOUND = [name for name in plait.priors.__all__ if name.endswith("Prior") and name not in ("Prior", "NamedPrior")]


@pytest.mark.parametrize("name", FOUND)
def test_a_prior_gives_positive_pseudo_counts_of_the_right_shape(name):
    prior = EXAMPLES[name]  # a new prior needs an example here
    assert isinstance(prior, Prior)
    assert as_prior(prior) is prior
    beta = np.asarray(prior.pseudo_counts(n_topics=2, n_words=5))
    assert beta.shape in ((), (2, 5))
    assert (beta > 0).all()


@pytest.mark.parametrize("name", FOUND)
def test_a_prior_cannot_be_changed(name):
    with pytest.raises(AttributeError):
        EXAMPLES[name].anything = 1


def test_one_number_a_word_is_the_same_for_every_topic():
    table = as_prior([0.1, 0.2]).pseudo_counts(3, 2)
    np.testing.assert_array_equal(table, [[0.1, 0.2]] * 3)


@pytest.mark.parametrize("beta", [0.0, -1.0, np.nan, np.inf, "much", 1e-30])
def test_a_number_that_is_no_dirichlet_parameter_is_refused(beta):
    with pytest.raises(PlaitError, match="beta must"):
        as_prior(beta).pseudo_counts(2, 3)


def test_a_table_of_the_wrong_shape_says_which_shape_is_right():
    with pytest.raises(PlaitError, match=r"\(5, 2\).*\(3,\) or \(2, 3\)"):
        as_prior(np.ones((5, 2))).pseudo_counts(2, 3)


def test_a_bad_entry_of_a_table_is_named():
    table = np.ones((2, 3))
    table[1, 2] = -4
    with pytest.raises(PlaitError, match=r"-4.0 at \(1, 2\)"):
        as_prior(table).pseudo_counts(2, 3)
