"""Lazy samplers: how often a sweep visits the words of a document."""

from __future__ import annotations

import numpy as np
import pytest

from plait.samplers import AggregatedSparse, Sparse, as_sampler
from tests.samplers.small import SmallChain

DOCUMENTS = [[0] * 9 + [1], [1, 2, 2]]  # 4 distinct words, 13 tokens


def visits_per_sweep(sampler, n_sweeps=400):
    chain = SmallChain(DOCUMENTS, sampler, np.full(2, 0.5), np.full((2, 3), 0.5), None, seed=3)
    return np.mean([chain.sweep().n_tokens for _ in range(n_sweeps)])


@pytest.mark.parametrize(("per", "n_visits"), [("words", 4), ("tokens", 13)])
def test_sparse_sampling_divides_the_number_of_words_or_tokens(per, n_visits):
    # The number of a document is rounded up or down: a standard error of at most 0.5 per document and sweep.
    assert visits_per_sweep(Sparse(4, per=per)) == pytest.approx(n_visits / 4, abs=5 * 0.5 * np.sqrt(2 / 400))


def test_per_token_aggregated_sampling_resamples_more_tokens_per_sweep():
    # A word that is picked twice is resampled once, so that the number has no simple formula.
    assert visits_per_sweep(AggregatedSparse(4, per="tokens")) > 1.5 * visits_per_sweep(AggregatedSparse(4))


def test_the_form_can_be_named():
    assert as_sampler("sparse(4, tokens)") == Sparse(4.0, per="tokens")
    assert as_sampler("aggregated_sparse( 4 , words )") == AggregatedSparse(4.0)
