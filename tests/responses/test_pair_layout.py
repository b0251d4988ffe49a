"""Pairs of the shards against the definition: sorting by comparison, shard by shard."""

from __future__ import annotations

import numpy as np
import pytest

from plait.responses.base import DocTopics, serial_map
from plait.responses.linear import bilinear, diagonal, regression
from plait.responses.linear.pair_layout import AllPairs, cut_pairs, starts_of

N_DOCUMENTS = 97


def make_pairs(seed, n_pairs=800):
    rng = np.random.default_rng(seed)
    sources = np.sort(rng.integers(N_DOCUMENTS, size=n_pairs)).astype(np.int32)
    targets = rng.integers(N_DOCUMENTS, size=n_pairs).astype(np.int32)
    signs, costs = rng.normal(size=(2, n_pairs))
    return AllPairs(starts_of(sources, N_DOCUMENTS), sources, targets, signs, costs)


def naive_observations(pairs, first, last):
    """For every document of a shard: the other document, whether it is the source, and the number of the pair."""
    found = [[] for _ in range(first, last)]
    for document in range(first, last):
        own = np.flatnonzero(pairs.sources == document)
        arriving = np.flatnonzero(pairs.targets == document)
        found[document - first] += [(pairs.targets[number], True, number) for number in own]
        found[document - first] += [(pairs.sources[number], False, number) for number in arriving]
    return found


@pytest.mark.parametrize("runs", [[(0, 97)], [(0, 20), (20, 21), (21, 60), (60, 97)]], ids=["one shard", "four shards"])
@pytest.mark.parametrize("n_pairs", [0, 3, 800])
def test_shards_have_the_pairs_of_their_documents(runs, n_pairs):
    pairs = make_pairs(n_pairs, n_pairs)
    for layout, (first, last) in zip(cut_pairs(pairs, runs), runs, strict=True):
        begin, end = pairs.starts[first], pairs.starts[last]
        own = np.arange(begin, end)
        assert layout.first_pair == begin
        np.testing.assert_array_equal(layout.signs, pairs.signs[own])
        np.testing.assert_array_equal(layout.costs, pairs.costs[own])
        document_of = np.concatenate([np.arange(first, last), layout.outside])
        assert (np.diff(layout.outside) > 0).all()
        np.testing.assert_array_equal(document_of[layout.pairs.targets], pairs.targets[own])
        is_outside = (pairs.targets[own] < first) | (pairs.targets[own] >= last)
        np.testing.assert_array_equal(layout.outgoing, np.flatnonzero(is_outside))
        pair_of = np.concatenate([own, layout.incoming])
        np.testing.assert_array_equal(layout.pairs.starts, pairs.starts[first : last + 1] - begin)
        for number, expected in enumerate(naive_observations(pairs, first, last)):
            here = slice(layout.starts[number], layout.starts[number + 1])
            others, numbers = document_of[layout.others[here]], pair_of[layout.pair_of[here]]
            assert list(zip(others, layout.from_source[here], numbers, strict=True)) == expected


def test_sums_of_diagonal_weights_are_a_regression_on_products_of_mean_topics():
    pairs, rng = make_pairs(1, 3000), np.random.default_rng(2)
    counts = rng.poisson(0.8, size=(N_DOCUMENTS, 6))
    counts[3:6] = 0  # documents without words
    topics = DocTopics(counts, counts.sum(axis=1).astype(float))
    (layout,) = cut_pairs(pairs, [(0, N_DOCUMENTS)])
    pull, precision = rng.normal(size=3000), rng.gamma(1.0, size=3000)
    found = diagonal.sum_statistics(layout.pairs, bilinear.list_topics(topics), 6, pull, precision, serial_map)
    means = counts / np.maximum(topics.lengths, 1e-30)[:, np.newaxis]
    both = DocTopics(means[pairs.sources] * means[pairs.targets], np.ones(3000))
    each = regression.LabelledDocuments(np.arange(3001), np.zeros(3000, np.int32), 1)
    expected = regression.sum_statistics(each, both, pull, precision, serial_map)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)  # to the bit
