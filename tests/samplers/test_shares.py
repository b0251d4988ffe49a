"""Shares in sixteen bits: every one comes back, what is lost is as little as stated, and no count is lost with it."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sparse
from numba.core.errors import TypingError

from plait.errors import PlaitError
from plait.mixing import LinkedDocuments
from plait.samplers import Sparse
from plait.samplers.kernels.lanes import WHOLE_SHARE
from plait.samplers.kernels.share_state import shares_as
from tests.samplers.small import ExactSparse, Inline, SmallChain, mean_topics_of
from tests.samplers.test_linked_shards import counts_of, make_chain

LEAST = 2.0**-30  # smaller shares become 0


def value_of(bits):
    """A share from its sixteen bits, by definition: five of an exponent that is 31 for 1, eleven of a fraction."""
    bits = bits.astype(np.int64)
    value = np.ldexp(1 + (bits & 2047) / 2048, (bits >> 11) - 31)
    return np.where(bits == 0, 0.0, value)


def test_every_pattern_of_bits_means_what_it_says_and_comes_back():
    bits = np.r_[np.zeros(16), np.arange(2048, 1 << 16)].astype(np.uint16)
    shares = shares_as(bits, np.float32)
    np.testing.assert_array_equal(shares, value_of(bits))
    np.testing.assert_array_equal(shares_as(shares, np.uint16), bits)


def test_shares_are_rounded_to_the_nearest():
    rng = np.random.default_rng(0)
    given = np.r_[rng.random(4096), np.exp(-rng.uniform(0, 20, 4096))].astype(np.float32)
    kept = shares_as(shares_as(given, np.uint16), np.float32).astype(np.float64)
    assert np.abs(kept / given - 1).max() <= 1 / 4096
    bits = shares_as(given, np.uint16)
    for neighbour in (bits - 1, bits + 1):
        assert np.all(np.abs(kept - given) <= np.abs(value_of(neighbour) - given))


def test_one_is_kept_and_hardly_anything_is_nothing():
    given = np.zeros(16, np.float32)
    given[:6] = [1.0, 0.0, LEAST, np.nextafter(np.float32(LEAST), np.float32(0)), 1e-20, 1e-45]
    bits = shares_as(given, np.uint16)
    assert bits[0] == WHOLE_SHARE
    np.testing.assert_array_equal(shares_as(bits, np.float32)[:6], [1.0, 0.0, LEAST, 0.0, 0.0, 0.0])


def test_a_copy_in_the_same_type_is_the_same():
    given = np.random.default_rng(1).random(64).astype(np.float32)
    np.testing.assert_array_equal(shares_as(given, np.float32), given)


@pytest.mark.parametrize("linked", [False, pytest.param(True, marks=pytest.mark.slow)])  # compiles two sweeps
def test_rounded_shares_stay_near_exact_ones(linked):
    rng = np.random.default_rng(0)
    documents = [sorted(rng.integers(0, 30, size=40).tolist()) for _ in range(20)]
    alpha, beta = np.full(4, 0.5), np.full((4, 30), 0.5)
    candidates = None
    if linked:
        links = sparse.csr_array((rng.random((20, 20)) < 0.15).astype(float))
        candidates = LinkedDocuments(0.5, p=4.0).candidates(links, np.full(20, 40.0))
    rounded, exact = (
        SmallChain(documents, kind(2.0), alpha, beta, seed=3, candidates=candidates) for kind in (Sparse, ExactSparse)
    )
    assert rounded.shard.state.state.shares.nbytes * 2 == exact.shard.state.state.shares.nbytes
    for _ in range(6):
        seen, expected = rounded.sweep(), exact.sweep()
        assert seen.n_tokens == expected.n_tokens
        assert abs(seen.log_likelihood / expected.log_likelihood - 1) < 1e-3
    np.testing.assert_allclose(rounded.shares(), exact.shares(), atol=5e-3)
    assert np.abs(rounded.shares() - exact.shares()).max() > 1e-6


def test_what_rounding_keeps_back_does_not_grow():
    """Words of candidates are added up on the way, ten visits a word before a recount after a hundred sweeps."""
    chain = make_chain("sparse", 1)
    for _ in range(95):
        chain.sweep()
    read = ("taken", "drawn_topics", "doc_topic")
    running = counts_of(chain)
    chain._recount()
    recounted = counts_of(chain)
    for name in read:
        np.testing.assert_allclose(running[name], recounted[name], atol=5e-5, err_msg=name)


@pytest.mark.parametrize("n_shards", [1, 4])
def test_a_state_that_was_kept_in_another_type_is_taken_over_and_counted_anew(n_shards):
    kept = make_chain("sparse", n_shards)
    for _ in range(5):
        kept.sweep()
    state = kept.state()
    assert state["shares"].dtype == np.uint16
    noise = np.random.default_rng(0).uniform(1 - 1 / 4500, 1 + 1 / 4500, state["shares"].size)
    state["shares"] = (shares_as(state["shares"], np.float32) * noise).astype(np.float32)
    chain = make_chain("sparse", n_shards)
    chain.restore(state, Inline())
    found = counts_of(chain)
    chain._recount()
    recounted = counts_of(chain)
    assert set(found) == {"taken", "drawn_topics", "word_topic", "doc_topic", "totals"}
    for name in found:
        np.testing.assert_array_equal(found[name], recounted[name], err_msg=name)
    np.testing.assert_allclose(mean_topics_of(chain), mean_topics_of(kept), atol=1e-3)
    assert np.isfinite(chain.sweep().log_likelihood)


def test_a_state_in_a_type_that_no_version_kept_is_refused():
    chain = make_chain("limit", 1)
    state = chain.state()
    with pytest.raises(PlaitError, match="the checkpoint is damaged: shares of words are float64"):
        chain.restore(state | {"shares": state["shares"].astype(np.float64)}, Inline())


def test_shares_are_read_from_no_other_type():
    with pytest.raises(TypingError):
        shares_as(np.zeros(16), np.float32)
