"""The synchronous sampler in NumPy, lane by lane, as samplers/synchronous.py and kernels/listed.py define it."""

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
    sums, across = add_weights(weights)
    return draw_target(sums, across, number * across[-1], n_topics)


def add_weights(weights):
    """Return the running sums of weights, blocks × lanes, and the cumulative sums of the last ones over the lanes."""
    sums = np.zeros_like(weights)
    running = np.zeros(LANES, F)
    for block, own in enumerate(weights):
        running = running + own
        sums[block] = running
    across = running.copy()
    for step in (1, 2, 4, 8):
        across = across + np.concatenate([np.zeros(step, F), across[:-step]])
    return sums, across


def draw_target(sums, across, target, n_topics):
    """Return the place of a target in [0, total)."""
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


def in_blocks(weights):
    """Return weights padded to whole blocks with zeros, blocks × lanes."""
    padded = np.zeros(-(-weights.size // LANES) * LANES, F)
    padded[: weights.size] = weights
    return padded.reshape(-1, LANES)


def first_above(sums, target):
    """Return the number of the first sum above a target, or of the last one."""
    return min(int((sums <= target).sum()), sums.size - 1)


def sweep_listed_document(
    words, topics, table, totals, alpha, beta, prior_sums, key, document, n_topics, least, margin
):
    """Resample the tokens of a document against frozen counts, with lists; return their topics and how they were drawn.

    Lists are long from `least` blocks on; `margin` is that of kernels/held.py. The second result counts the draws by
    form and part.
    """
    double = np.float64
    with np.errstate(divide="ignore"):
        scale = F(1) / (totals.astype(F) + prior_sums)
        less = F(1) / ((totals - 1).astype(F) + prior_sums)
    key = scramble((key + document * _STEP) & _MASK)
    base = alpha * scale
    cumulative = np.cumsum(base[:n_topics], dtype=double)
    counts = np.bincount(topics, minlength=alpha.size).astype(F)
    held = list(dict.fromkeys(topics.tolist()))
    lanes = np.zeros(LANES, F)
    for block in in_blocks(counts[held] * scale[held]):
        lanes = lanes + block
    for size in (8, 4, 2, 1):
        lanes = lanes[:size] + lanes[size:]
    reach = double(lanes[0])
    found, drawn = list(topics), {}
    for position, (word, old) in enumerate(zip(words, topics, strict=True)):
        row, number = table[word], uniform(key, position)
        listed = np.flatnonzero(row)
        n_blocks = -(-listed.size // LANES)
        by_document = n_blocks >= least and margin * len(held) <= 2 * LANES * (n_blocks - 1)
        own, counted = (counts[old] - F(1)) * less[old], row[old].astype(F)
        factors = counts[held] * scale[held]
        excess = double(alpha[old]) * (double(less[old]) - double(scale[old]))
        list_excess = double(alpha[old]) * (
            double(less[old]) * (double(counted) - 1.0) - double(scale[old]) * double(counted)
        )
        of_all = F(double(beta) * (cumulative[-1] + excess))
        if by_document:
            list_sums = np.cumsum(base[listed].astype(double) * row[listed])
            weights = factors * (row[held].astype(F) + beta)
            weights[held.index(old)] = own * ((counted - F(1)) + beta)
            second = F(max(list_sums[-1] + list_excess, 0.0))
        else:
            weights = (counts[listed] + alpha[listed]) * scale[listed] * row[listed].astype(F)
            weights[listed == old] = ((counts[old] - F(1)) + alpha[old]) * less[old] * (counted - F(1))
            second = beta * max((F(reach) - counts[old] * scale[old]) + own, F(0))
        named = held if by_document else listed
        sums, across = add_weights(in_blocks(weights))
        target = number * ((across[-1] + second) + of_all)
        beyond = target - across[-1]
        if target < across[-1]:
            part, new = "weights", named[draw_target(sums, across, target, len(named))]
        elif beyond < second and by_document:
            place = first_above(list_sums, double(beyond))
            if listed[place] >= old:
                place = max(place, first_above(list_sums, double(beyond) - list_excess))
            part, new = "list", listed[place]
        elif beyond < second:
            factors[held.index(old)] = own
            part, new = "document", held[draw_target(*add_weights(in_blocks(factors)), beyond / beta, len(held))]
        else:
            wanted = double(beyond - second) / double(beta)
            part, new = "all", first_above(cumulative, wanted)
            if new >= old:
                new = max(old, first_above(cumulative, wanted - excess))
        drawn[by_document, part] = drawn.get((by_document, part), 0) + 1
        if new != old:
            found[position] = new
            reach += double(scale[new]) - double(scale[old])
            counts[old] -= F(1)
            counts[new] += F(1)
            if counts[old] == 0:
                held[held.index(old)] = held[-1]
                held.pop()
            if counts[new] == 1:
                held.append(int(new))
    return np.array(found, np.int64), drawn
