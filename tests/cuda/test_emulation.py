"""Three implementations of one arithmetic: NumPy lane by lane, the compiled sampler, CUDA sources on the CPU."""

from __future__ import annotations

import re
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sparse

from plait.engine.topic_lists import make_lists
from plait.executors import cuda_lists
from plait.executors.cuda_lists import ListedSweep
from plait.executors.cuda_observations import DeviceObservations
from plait.executors.cuda_regression import DeviceRegression, can_regress
from plait.executors.cuda_sweep import DenseSweep
from plait.executors.cuda_tokens import DeviceTokens
from plait.responses import Hinge
from plait.responses.base import DocTopics, serial_map
from plait.responses.linear.regression import project_documents
from plait.responses.linear.target_rows import SignRows
from plait.responses.linear.targets import ShardTargets
from plait.samplers import Synchronous, conditional
from plait.samplers.base import Changes, Counts, Documents, Factors, Moves, padded_width
from plait.samplers.cuda.source import FOLDER
from plait.samplers.kernels.held import MARGIN
from plait.samplers.kernels.long_lists import long_list
from plait.samplers.random import stream_key
from tests.cuda.emulation import sweep_document, sweep_listed_document
from tests.cuda.host_device import COMPILER, HostDevice

pytestmark = pytest.mark.slow  # compiles the sources for GPUs

KEY = stream_key(3, "sweep", 2)


def made(n_topics, with_table, seed=0):
    """Return documents, topics of tokens, counts and priors."""
    rng = np.random.default_rng(seed)
    width, n_words = padded_width(n_topics), 12
    lengths = np.array([17, 0, 40, 1, 33])
    words = [np.sort(rng.integers(0, n_words, size)) for size in lengths]
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    flat = np.concatenate(words).astype(np.int32)
    documents = Documents(offsets, flat, np.ones(flat.size, np.int32), offsets, 4)
    topics = rng.integers(0, n_topics, flat.size).astype(np.uint8)
    table = np.zeros((n_words, width), np.int32)
    table[:, :n_topics] = rng.poisson(2.0, (n_words, n_topics))
    np.add.at(table, (flat, topics), 1)
    alpha, beta = np.zeros(width, np.float32), rng.uniform(0.01, 1.0, (n_words, width)).astype(np.float32)
    alpha[:n_topics] = rng.uniform(0.05, 1.0, n_topics)
    sums = np.ones(width, np.float32)
    sums[:n_topics] = beta[:, :n_topics].sum(axis=0) if with_table else 0.1 * n_words
    prior = beta.ravel() if with_table else None
    factors = Factors(n_topics, alpha, np.float32(0.0 if with_table else 0.1), prior, sums, None)
    return documents, topics, table, factors


def emulate(documents, topics, table, factors):
    beta = factors.prior_value if factors.prior_table is None else factors.prior_table.reshape(table.shape)
    parts = []
    for number in range(documents.starts.size - 1):
        own = slice(documents.offsets[number], documents.offsets[number + 1])
        parts.append(
            sweep_document(
                documents.words[own], topics[own], table, table.sum(axis=0).astype(np.int64), factors.alpha, beta,
                factors.prior_sums, int(KEY), documents.first + number, factors.n_topics,
            )
        )  # fmt: skip
    return np.concatenate(parts)


@pytest.mark.parametrize("with_table", [False, True])
@pytest.mark.parametrize("n_topics", [5, 40])
def test_the_emulation_draws_the_topics_of_the_compiled_sampler(n_topics, with_table):
    documents, topics, table, factors = made(n_topics, with_table)
    expected = emulate(documents, topics, table, factors)
    moves = Moves(np.empty(2 * topics.size, np.uint32), np.zeros(1, np.int64), np.zeros(len(table), np.uint8))
    totals = table.sum(axis=0).astype(np.int64)
    changes = Changes(moves, np.zeros(totals.size, np.int64))
    found = topics.copy()
    Synchronous().sweep(documents, found, Counts(table.ravel(), totals, None, changes), factors, KEY, None)
    np.testing.assert_array_equal(found, expected)
    assert (found != topics).any()


@pytest.mark.skipif(COMPILER is None, reason="needs a C++ compiler")
@pytest.mark.parametrize("with_table", [False, True])
def test_the_sources_draw_the_topics_of_the_emulation(with_table):
    documents, topics, table, factors = made(40, with_table)
    device = HostDevice()
    tokens = DeviceTokens(device, [SimpleNamespace(documents=documents, n_topics=40, width=table.shape[1])])
    tokens.put_topics(0, topics)
    counted, totals = device.put(table.ravel()), table.sum(axis=0).astype(np.int64)
    swept = DenseSweep(device, tokens).sweep(counted, totals, [factors], KEY)
    expected = emulate(documents, topics, table, factors)
    np.testing.assert_array_equal(tokens.get_topics(0), expected)
    after = table.copy()
    np.add.at(after, (documents.words, topics), -1)
    np.add.at(after, (documents.words, expected), 1)
    np.testing.assert_array_equal(counted.reshape(table.shape), after)
    np.testing.assert_array_equal(swept.totals, after.sum(axis=0) - totals)


def made_lists(seed=0):
    """Return documents and counts for lists: words with few and with many topics, documents with few and with many."""
    rng = np.random.default_rng(seed)
    n_topics, n_words = 300, 40
    width = padded_width(n_topics)
    lengths = np.array([17, 0, 140, 1, 33, 300, 90, 60])
    likely = 1.0 / np.arange(1, n_words + 1)
    words = [np.sort(rng.choice(n_words, size, p=likely / likely.sum())) for size in lengths]
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    flat = np.concatenate(words).astype(np.int32)
    documents = Documents(offsets, flat, np.ones(flat.size, np.int32), offsets, 4)
    topics = rng.integers(0, n_topics, flat.size).astype(np.uint16)
    topics[-60:] %= 7
    table = np.zeros((n_words, width), np.int32)
    table[:, :n_topics] = rng.poisson(0.02 + 0.5 * (np.arange(n_words) % 3 == 0)[:, None], (n_words, n_topics))
    np.add.at(table, (flat, topics), 1)
    alpha, sums = np.zeros(width, np.float32), np.ones(width, np.float32)
    alpha[:n_topics] = rng.uniform(0.05, 0.3, n_topics)
    sums[:n_topics] = 0.1 * n_words
    return documents, topics, table, Factors(n_topics, alpha, np.float32(0.1), None, sums, None)


def emulate_lists(documents, topics, table, factors):
    parts, drawn = [], {}
    for number in range(documents.starts.size - 1):
        own = slice(documents.offsets[number], documents.offsets[number + 1])
        found, how = sweep_listed_document(
            documents.words[own], topics[own], table, table.sum(axis=0).astype(np.int64), factors.alpha,
            factors.prior_value, factors.prior_sums, int(KEY), documents.first + number, factors.n_topics,
            long_list(table.shape[1]), MARGIN,
        )  # fmt: skip
        parts.append(found)
        drawn = {name: drawn.get(name, 0) + how.get(name, 0) for name in drawn.keys() | how.keys()}
    return np.concatenate(parts), drawn


LIST_PARTS = {(by_document, part) for by_document in (False, True) for part in ("weights", "all")}
LIST_PARTS |= {(False, "document"), (True, "list")}


@pytest.mark.parametrize("seed", [0, 1])
def test_the_emulation_of_lists_draws_the_topics_of_the_compiled_sampler(seed):
    documents, topics, table, factors = made_lists(seed)
    expected, drawn = emulate_lists(documents, topics, table, factors)
    assert drawn.keys() == LIST_PARTS  # both forms, with all their parts
    moves = Moves(np.empty(2 * topics.size, np.uint32), np.zeros(1, np.int64), np.zeros(len(table), np.uint8))
    totals = table.sum(axis=0).astype(np.int64)
    changes = Changes(moves, np.zeros(totals.size, np.int64))
    found, lists = topics.copy(), make_lists(sparse.csr_array(table))
    Synchronous().sweep(documents, found, Counts(lists, totals, None, changes), factors, KEY, None)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.skipif(COMPILER is None, reason="needs a C++ compiler")
@pytest.mark.parametrize(("seed", "shared"), [(0, 227 << 10), (1, 227 << 10), (1, 20 << 10)])
def test_the_sources_of_lists_draw_the_topics_of_the_emulation(seed, shared, monkeypatch):
    monkeypatch.setattr(cuda_lists, "_SHARED", shared)  # long documents do not fit into 20 KiB
    documents, topics, table, factors = made_lists(seed)
    device = HostDevice()
    tokens = DeviceTokens(device, [SimpleNamespace(documents=documents, n_topics=300, width=table.shape[1])])
    tokens.put_topics(0, topics)
    counted, totals = device.put(table.ravel()), table.sum(axis=0).astype(np.int64)
    swept = ListedSweep(device, tokens).sweep(counted, totals, [factors], KEY)
    expected, _ = emulate_lists(documents, topics, table, factors)
    np.testing.assert_array_equal(tokens.get_topics(0), expected)
    after = table.copy()
    np.add.at(after, (documents.words, topics), -1)
    np.add.at(after, (documents.words, expected), 1)
    np.testing.assert_array_equal(counted.reshape(table.shape), after)
    np.testing.assert_array_equal(swept.totals, after.sum(axis=0) - totals)


@pytest.mark.skipif(COMPILER is None, reason="needs a C++ compiler")
@pytest.mark.parametrize("known", [1.0, 0.7])
@pytest.mark.parametrize("n_labels", [9, 40])  # lanes are topics, or labels
def test_the_sources_add_the_sums_of_regressions_in_the_order_of_the_cpu(known, n_labels):
    rng = np.random.default_rng(1)
    n_topics, sizes = 5, (520, 3)  # the first shard has two chunks
    signs = np.where(rng.random((sum(sizes), n_labels)) < known, rng.choice([-1, 1], (sum(sizes), n_labels)), 0)
    lengths = rng.integers(0, 7, sum(sizes))
    shards, expected, begin = [], None, 0
    weights = rng.normal(size=(n_labels, n_topics))
    device, topics, values = HostDevice(), [], []
    for number, size in enumerate(sizes):
        own = slice(begin, begin + size)
        offsets = np.concatenate([[0], np.cumsum(lengths[own])]).astype(np.int64)
        words = np.zeros(offsets[-1], np.int32)
        half = ShardTargets(number, SignRows(signs[own].astype(np.int8), np.ones((2, n_labels))), Hinge(), True)
        half._pseudo.pull[:], half._pseudo.precision[:] = rng.normal(size=half.n_known()), rng.random(half.n_known())
        shards.append(
            SimpleNamespace(
                documents=Documents(offsets, words, np.ones_like(words), offsets, begin), n_topics=n_topics, width=16,
                responses=[half], map=serial_map,
            )
        )  # fmt: skip
        topics.append(rng.integers(0, n_topics, offsets[-1]).astype(np.uint8))
        counts = np.zeros((size, n_topics), np.int32)
        np.add.at(counts, (np.repeat(np.arange(size), lengths[own]), topics[-1]), 1)
        present = DocTopics(counts, lengths[own].astype(np.float64))
        sums = half.statistics(present, weights, serial_map)
        expected = sums if expected is None else [one + other for one, other in zip(expected, sums, strict=True)]
        values.append(project_documents(half._documents, present, weights, serial_map))
        begin += size
    tokens = DeviceTokens(device, shards)
    for number, own in enumerate(topics):
        tokens.put_topics(number, own)
    regression = DeviceRegression(device, tokens, DeviceObservations(device, tokens), shards)
    assert can_regress(shards)
    for one, other in zip(regression.sum_statistics(weights), expected, strict=True):
        np.testing.assert_array_equal(one, other)
    for one, other in zip(regression.project_documents(weights), values, strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_conditional_for_gpus_has_the_functions_of_the_cpu():
    text = "".join((FOLDER / name).read_text(encoding="utf-8") for name in ("conditional.cuh", "sources.cuh"))
    there = set(re.findall(r"__forceinline__ \w+ (\w+)\(", text))
    shared = {"tilt_of", "frozen_mixture_of", "weigh_token", "sum_across", "draw", "source_ratio"}
    assert shared <= there
    assert all(hasattr(conditional, name) for name in shared)
