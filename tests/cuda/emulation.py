"""The dense form of the synchronous sampler in NumPy, lane by lane, as samplers/synchronous.py defines it."""

from __future__ import annotations

import numpy as np

LANES = 16
F = np.float32
_MASK = (1 << 64) - 1
_STEP = 0x9E3779B97F4A7C15


def scramble(bits):
    bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & _MASK
    return bits ^ (bits >> 31)


def uniform(key, position):
    return F(scramble((key + position * _STEP) & _MASK) >> 40) * F(2.0**-24)


def draw(weights, number, n_topics):
    """Draw a topic from weights, blocks × lanes, by running sums down the blocks and a scan across the lanes."""
    sums = np.zeros_like(weights)
    running = np.zeros(LANES, F)
    for block, own in enumerate(weights):
        running = running + own
        sums[block] = running
    across = running.copy()
    for step in (1, 2, 4, 8):
        across = across + np.concatenate([np.zeros(step, F), across[:-step]])
    target = number * across[-1]
    lane = min(int((across <= target).sum()), LANES - 1)
    rest = target - (across[lane - 1] if lane else F(0))
    block = int((sums[:-1, lane] <= rest).sum())
    return min(LANES * block + lane, n_topics - 1)


def sweep_document(words, topics, table, totals, alpha, beta, prior_sums, key, document, n_topics):
    """Resample the tokens of a document against frozen counts; return their topics.

    `words` are those of the tokens, `table` counts words × width, `beta` one number or a table of that shape.
    """
    width = alpha.size
    with np.errstate(divide="ignore"):
        scale = F(1) / (totals.astype(F) + prior_sums)
        less = F(1) / ((totals - 1).astype(F) + prior_sums)
    key = scramble((key + document * _STEP) & _MASK)
    counts = np.bincount(topics, minlength=width).astype(F)
    mixture = (counts + alpha) * F(1) * scale
    found = list(topics)
    for position, (word, old) in enumerate(zip(words, topics, strict=True)):
        prior = beta if np.ndim(beta) == 0 else beta[word]
        row = table[word].astype(F)
        weights = mixture * (row + prior)
        own_prior = prior if np.ndim(beta) == 0 else prior[old]
        own = (counts[old] - F(1) + alpha[old]) * F(1) * less[old]
        weights[old] = own * ((row[old] - F(1)) + own_prior)
        new = draw(weights.reshape(-1, LANES), uniform(key, position), n_topics)
        if new != old:
            counts[old] -= F(1)
            counts[new] += F(1)
            for topic in (old, new):
                mixture[topic] = (counts[topic] + alpha[topic]) * F(1) * scale[topic]
            found[position] = new
    return np.array(found, np.int64)
