"""What every sampler must be and do; a new one is found and tested before its author writes a test."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pickle
import pkgutil

import numpy as np
import pytest

import plait.samplers
from plait.errors import PlaitError
from plait.executors import Threads
from plait.samplers import SAMPLERS, Sampler, as_sampler
from tests.samplers.test_counts import make_chain, random_counts


def test_every_sampler_of_the_folder_is_registered():
    found = set()
    for module in pkgutil.iter_modules(plait.samplers.__path__, "plait.samplers."):
        for _, value in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
            if issubclass(value, Sampler) and value is not Sampler and not inspect.isabstract(value):
                found.add(value)
    assert found == set(SAMPLERS.values())


@pytest.mark.parametrize("name", SAMPLERS)
def test_a_sampler_is_a_specification(name):
    sampler = SAMPLERS[name]()
    assert sampler == SAMPLERS[name]()
    assert pickle.loads(pickle.dumps(sampler)) == sampler
    assert as_sampler(name) == sampler
    assert as_sampler(sampler) is sampler
    assert sampler.state_form in ("tokens", "shares")
    assert sampler.__doc__
    with pytest.raises(dataclasses.FrozenInstanceError):
        sampler.anything = 1


@pytest.mark.parametrize("name", SAMPLERS)
def test_likelihood_rises_from_a_start_by_chance(name):
    rng = np.random.default_rng(0)
    counts = random_counts(2)
    # Two kinds of documents over two halves of the words.
    dense = counts.toarray()
    kinds = rng.integers(2, size=dense.shape[0])
    dense[kinds == 0, :15] = 0
    dense[kinds == 1, 15:] = 0
    chain = make_chain(type(counts)(dense), SAMPLERS[name](), n_topics=2, n_shards=1)
    executor = Threads(1)
    chain.start(executor)
    infos = [chain.sweep() for _ in range(60)]
    means = [info.log_likelihood / info.n_tokens for info in infos]
    assert np.mean(means[-10:]) > np.mean(means[:3]) + 0.05


@pytest.mark.parametrize("name", SAMPLERS)
def test_documents_without_words_and_single_words_are_swept(name):
    counts = random_counts(1, n_documents=4, n_words=3)
    dense = np.zeros_like(counts.toarray())
    dense[2, 1] = 1
    chain = make_chain(type(counts)(dense), SAMPLERS[name](), n_topics=3, n_shards=2)
    executor = Threads(1)
    chain.start(executor)
    for _ in range(5):
        info = chain.sweep()
        assert np.isfinite(info.log_likelihood)
    assert chain.word_topic().sum() == 1


@pytest.mark.parametrize(
    "name", ["nonsense", "sparse(0)", "sparse(x)", "sparse(5, lines)", "plain(3)", "sparse(", 7, None]
)
def test_an_unknown_sampler_is_refused_by_name(name):
    with pytest.raises(PlaitError, match=r"sampler|sparsity"):
        as_sampler(name)
