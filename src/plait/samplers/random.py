"""Keyed random numbers: a uniform is a pure function of (seed, sweep, document, position).

There is no generator state, so the order in which threads or machines work does not change a draw, and a resumed run
uses the same numbers as an uninterrupted one. The function is SplitMix64 (Steele, Lea and Flood, 2014) used as a
counter: position i of a stream is its i-th output.
"""

from __future__ import annotations

import hashlib

import numpy as np

from plait.samplers.kernels.compiled import inline_kernel

_STEP = np.uint64(0x9E3779B97F4A7C15)  # 2⁶⁴ divided by the golden ratio
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_TO_UNIT = np.float32(2.0**-24)
_TO_UNIT_64 = np.float64(2.0**-53)


def stream_key(seed: int, purpose: str, sweep: int = 0) -> np.uint64:
    """Return the key of a stream of random numbers; different purposes and sweeps have different streams.

    Parameters
    ----------
    seed : int
        Seed of the run.
    purpose : str
        What the numbers are used for, such as "sweep" or "start".
    sweep : int, default 0
        Number of the sweep.

    Returns
    -------
    np.uint64
        The key.

    Examples
    --------
    >>> bool(stream_key(0, "sweep", 1) == stream_key(0, "sweep", 1))
    True
    >>> bool(stream_key(0, "sweep", 1) == stream_key(0, "start", 1))
    False
    """
    text = f"{seed}/{purpose}/{sweep}".encode()
    return np.uint64(int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little"))


def generator(key: np.uint64, block: int = 0) -> np.random.Generator:
    """Return NumPy's counter-based generator for one block of a stream, for distributions that NumPy draws.

    Parameters
    ----------
    key : np.uint64
        Key of the stream.
    block : int, default 0
        Number of the block.

    Returns
    -------
    np.random.Generator
        The generator.

    Examples
    --------
    >>> key = stream_key(0, "weights", 1)
    >>> bool(generator(key, 3).random() == generator(key, 3).random())
    True
    """
    return np.random.Generator(np.random.Philox(key=np.array([key, block], dtype=np.uint64)))


@inline_kernel
def scramble(bits):
    """Return a 64-bit hash of a 64-bit number (SplitMix64's finaliser)."""
    bits = (bits ^ (bits >> np.uint64(30))) * _FIRST
    bits = (bits ^ (bits >> np.uint64(27))) * _SECOND
    return bits ^ (bits >> np.uint64(31))


@inline_kernel
def document_key(key, document):
    """Return the key of one document's random numbers within a stream."""
    return scramble(key + np.uint64(document) * _STEP)


@inline_kernel
def uniform(key, position):
    """Return the float32 in [0, 1) at a position of a stream."""
    return np.float32(scramble(key + np.uint64(position) * _STEP) >> np.uint64(40)) * _TO_UNIT


@inline_kernel
def uniform64(key, position):
    """Return the float64 in [0, 1), of 53 random bits, that belongs to a position."""
    return np.float64(scramble(key + np.uint64(position) * _STEP) >> np.uint64(11)) * _TO_UNIT_64
