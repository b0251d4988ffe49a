"""Keyed random numbers: uniform, independent across keys, and the same for ever."""

from __future__ import annotations

import numpy as np
from scipy.stats import kstest

from plait.samplers.kernels.compiled import kernel
from plait.samplers.random import document_key, stream_key, uniform, uniform64


@kernel
def fill_numbers(key, out):
    for document in range(out.shape[0]):
        own = document_key(key, document)
        for position in range(out.shape[1]):
            out[document, position] = uniform(own, position)


def numbers(key, n_documents, n_positions):
    out = np.empty((n_documents, n_positions), np.float32)
    fill_numbers(key, out)
    return out


def test_numbers_are_uniform_within_and_across_documents():
    drawn = numbers(stream_key(3, "test"), 400, 400)
    assert kstest(drawn.ravel(), "uniform").pvalue > 0.01
    assert kstest(drawn[:, 0], "uniform").pvalue > 0.01
    assert (drawn >= 0).all()
    assert (drawn < 1).all()


def test_neighbouring_documents_positions_and_sweeps_do_not_correlate():
    first = numbers(stream_key(3, "test", 0), 300, 300)
    second = numbers(stream_key(3, "test", 1), 300, 300)
    limit = 4.5 / np.sqrt(first.size)
    assert abs(np.corrcoef(first[1:].ravel(), first[:-1].ravel())[0, 1]) < limit
    assert abs(np.corrcoef(first[:, 1:].ravel(), first[:, :-1].ravel())[0, 1]) < limit
    assert abs(np.corrcoef(first.ravel(), second.ravel())[0, 1]) < limit


def scramble_by_hand(bits):
    """SplitMix64's finaliser in whole numbers of any size."""
    bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) % 2**64
    bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) % 2**64
    return bits ^ (bits >> 31)


def test_numbers_are_those_of_the_definition():
    key, step = 987_654_321, 0x9E3779B97F4A7C15
    expected = []
    for document in range(3):
        own = scramble_by_hand((key + document * step) % 2**64)
        expected.append([(scramble_by_hand((own + i * step) % 2**64) >> 40) / 2**24 for i in range(4)])
    np.testing.assert_array_equal(numbers(np.uint64(key), 3, 4), np.array(expected, np.float32))


@kernel
def fill_numbers64(key, out):
    for position in range(out.size):
        out[position] = uniform64(key, position)


def test_numbers_of_53_bits_are_those_of_the_definition():
    key, step = 987_654_321, 0x9E3779B97F4A7C15
    drawn = np.empty(5)
    fill_numbers64(np.uint64(key), drawn)
    expected = [(scramble_by_hand((key + i * step) % 2**64) >> 11) / 2**53 for i in range(5)]
    np.testing.assert_array_equal(drawn, expected)


def test_keys_never_change_between_versions_and_machines():
    assert int(stream_key(7, "sweep", 12)) == 11703273696229865500
