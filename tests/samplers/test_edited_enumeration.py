"""A chain that starts from an edited state, run long, against the exact posterior of the model with other topics."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

from plait.engine.chain import Chain
from plait.engine.editing import EditedPriors, StateEdit, counts_prior, edit_state, hold_sample
from plait.mixing import OwnDocument
from plait.priors import SymmetricPrior, TablePrior
from plait.samplers import Plain
from tests import naive
from tests.samplers.small import Inline, matrix

pytestmark = pytest.mark.slow

DOCUMENTS = [[0, 0, 0, 1], [1, 2, 2]]  # words by falling frequency, as chains number them
N_WORDS = 3
ALPHA = np.array([0.4, 0.9, 0.6])
TABLE = np.array([[0.2, 1.5, 0.4], [0.9, 0.3, 0.6], [0.5, 0.5, 0.8]])
EDITS = {
    # The edit, α and β of the edited model.
    "merge": (StateEdit(np.array([0, 1, 1]), {}, 2), np.array([0.4, 1.5]), np.array([TABLE[0], TABLE[1:].max(axis=0)])),
    "drop": (StateEdit(np.array([0, -1, 1]), {}, 2), ALPHA[[0, 2]], TABLE[[0, 2]]),
    "split": (StateEdit(np.arange(3), {0: [0, 3]}, 4), ALPHA[[0, 1, 2, 0]] * [0.5, 1, 1, 0.5], TABLE[[0, 1, 2, 0]]),
}  # fmt: skip


def frequencies(edit, alpha, beta, n_kept=15_000, every=3):
    counts, executor = matrix(DOCUMENTS, N_WORDS), Inline()
    options = {"sampler": Plain(), "seed": 7}
    first = Chain(counts, 3, mixing=OwnDocument(ALPHA), prior=TablePrior(TABLE), **options)
    first.start(executor)
    first.sweep()
    sample = first.sample()
    holding = Chain(counts, 3, mixing=OwnDocument(ALPHA), prior=counts_prior(sample), **options)
    held = hold_sample(holding, sample, executor)
    n_topics = edit.n_topics
    prior = TablePrior(beta) if np.ptp(beta) else SymmetricPrior(float(beta.flat[0]))
    chain = Chain(counts, n_topics, mixing=OwnDocument(alpha), prior=prior, sampler=Plain(), seed=8)
    # A split needs as many tokens as parts.
    held["topics"][:2] = 0
    priors = EditedPriors(chain.alpha, chain.beta, Plain(), 9)
    chain.start(executor, edit_state(held, counts, None, 3, edit, priors, executor))
    seen = Counter()
    for _ in range(n_kept):
        for _ in range(every):
            chain.sweep()
        seen[tuple(chain.state()["topics"].tolist())] += 1
    return seen


@pytest.mark.parametrize("name", EDITS)
def test_an_edited_chain_draws_from_the_posterior_of_the_edited_model(name):
    edit, alpha, beta = EDITS[name]
    exact = naive.posterior(DOCUMENTS, alpha, beta, None)
    seen = frequencies(edit, alpha, beta)
    n_kept = seen.total()
    common = [state for state, probability in exact.items() if probability * n_kept >= 10]
    observed = [seen[state] for state in common] + [n_kept - sum(seen[state] for state in common)]
    expected = [exact[state] * n_kept for state in common]
    expected.append(n_kept - sum(expected))
    assert chisquare(observed, expected).pvalue > 0.001
