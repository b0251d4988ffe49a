"""The sampler that a corpus decides."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sparse

from plait import LDA, estimate_memory, load, save
from plait.engine.chain import Chain
from plait.mixing import OwnDocument
from plait.priors import SymmetricPrior, TablePrior
from plait.samplers import Auto, Plain, Synchronous, auto


def made_counts(n_documents=40, n_words=25):
    """Return a small corpus."""
    return sparse.csr_array(np.random.default_rng(0).poisson(0.5, (n_documents, n_words)).astype(np.int32))


@pytest.mark.parametrize(
    ("n_tokens", "n_topics", "lists", "chosen"),
    [
        (99_999, 1000, True, Plain()),
        (100_000, 257, True, Synchronous()),
        (100_000, 256, True, Plain()),
        (100_000, 1000, False, Plain()),
        (100_000, 70_000, True, Plain()),  # more topics than a list can name
    ],
)
def test_the_rule(n_tokens, n_topics, lists, chosen):
    assert Auto().for_corpus(n_tokens, n_topics, lists=lists) == chosen
    assert Plain().for_corpus(n_tokens, n_topics, lists=lists) == Plain()


def make_chain(prior, n_topics=300):
    return Chain(
        made_counts(), n_topics, mixing=OwnDocument(0.1), prior=prior, sampler=Auto(), seed=0,
    )  # fmt: skip


def test_a_chain_has_the_sampler_of_its_corpus(monkeypatch):
    assert make_chain(SymmetricPrior(0.1)).sampler == Plain()
    monkeypatch.setattr(auto, "LEAST_TOKENS", 100)
    assert make_chain(SymmetricPrior(0.1)).sampler == Synchronous()
    assert make_chain(SymmetricPrior(0.1), 20).sampler == Plain()
    assert make_chain(TablePrior(np.full((300, 25), 0.1))).sampler == Plain()


@pytest.mark.parametrize(("least", "same_as"), [(100_000, "plain"), (100, "synchronous")])
def test_results_are_those_of_the_chosen_sampler(monkeypatch, tmp_path, least, same_as):
    monkeypatch.setattr(auto, "LEAST_TOKENS", least)
    settings = {"n_topics": 260, "n_sweeps": 2, "n_samples": 1, "random_state": 1, "verbose": False}
    counts = made_counts()
    first, second = (LDA(**settings, sampler=sampler).fit(counts) for sampler in ("auto", same_as))
    np.testing.assert_array_equal(first.topic_word_, second.topic_word_)
    assert estimate_memory(counts, 260, "auto") == estimate_memory(counts, 260, same_as)
    save(first, tmp_path / "model")
    assert load(tmp_path / "model").sampler == "auto"
