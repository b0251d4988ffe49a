"""Responses inside a sweep: the tilt, the factor exp τ(k) of topic k from a document's pseudo-observations.

With n_d the topic counts of a document of N tokens, observation r is a factor exp(pull m − precision m² / 2) of
m = u · n_d / N. For a token that leaves topic j, the exponent depends on its new topic k by

    τ(k)  =  Σ_r  u_rk (pull_r − precision_r m_r⁻) / N  −  precision_r u_rk² / (2 N²),      m_r⁻ = m_r − u_rj / N

which is eq. (14) of Zhu, Zheng, Zhou and Zhang (2013) with its missing factor c; docs/medlda.md derives it from the
joint. With A_jk = Σ_r precision_r u_rj u_rk / N² and τ° the same sum with m_r instead of m_r⁻, it is
τ(k) = τ°(k) + A_jk, and a move from j to k subtracts A_k from τ° and adds A_j.

*Exact*: τ° is updated after every move. The rows of A are computed when a token of the document first needs them.
proposal.py has another exact form, for directions that all documents share.
*Cached*: τ is computed once per document, with m_r⁻ = m_r (N − 1) / N, its mean over the document's tokens: the fast
approximation of Chen, Zhu, Xia and Zhang (2013).

If two documents are linked, the direction of one depends on the topics of the other. These directions are in one table
with one row per document. The row of a document is recomputed after its tokens were resampled, so later documents of
the same shard see its new topics, as Gibbs sampling requires.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from plait.samplers.base import Observations
from plait.samplers.kernels.aligned import aligned_zeros
from plait.samplers.kernels.compiled import inline_kernel, kernel
from plait.samplers.kernels.lanes import (
    LANES,
    add,
    exponential,
    first_bit,
    lane_max,
    lane_sum,
    larger,
    load,
    multiply,
    positive_lanes,
    prefetch,
    splat,
    store,
    subtract,
)

_ZERO = np.float32(0.0)
_LOWEST = np.float32(-1e38)
_AHEAD = 8  # number of observations by which directions are prefetched; tuned by measurement
_NONE = -2  # no topic; −1 is that of a token of a new document


class ExactTilt(NamedTuple):
    """Exact tilt of the current document: τ° and the rows of A that were needed so far."""

    log_tilt: np.ndarray  # τ°, width
    pairs: np.ndarray  # A, flat, width × width
    owner: np.ndarray  # int64: the document for which each row of A was computed
    places: np.ndarray  # int64, working memory: where the direction of each observation with u_rj ≠ 0 begins
    products: np.ndarray  # working memory: precision_r u_rj of each such observation
    shares: np.ndarray  # working memory: precision_r u_rj / N² of each such observation
    factors: np.ndarray  # exp τ of the last token
    factors_of: np.ndarray  # int64, one number: the topic of that token, or _NONE if τ° has changed since
    document: np.ndarray  # int64, one number: the current document
    length: np.ndarray  # float32, one number: number of its tokens
    untilted: np.ndarray  # float32, one number: weight of the last token without the tilt
    shift: np.ndarray  # float32, one number: subtracted from every τ, so that exp τ does not overflow


def make_tilt(observations: Observations | None, width: int) -> np.ndarray | None:
    """Return the working memory for exp τ of one document (None without responses, or with an exact tilt).

    Parameters
    ----------
    observations : Observations or None
        Pseudo-observations of the shard.
    width : int
        Padded number of topics.
    """
    return None if observations is None or observations.exact else aligned_zeros(width)


def make_exact_tilt(observations: Observations | None, width: int) -> ExactTilt | None:
    """Return the working memory for the exact tilt of one document (None without responses, or with a cached tilt).

    Parameters
    ----------
    observations : Observations or None
        Pseudo-observations of the shard.
    width : int
        Padded number of topics.
    """
    if observations is None or not observations.exact:
        return None
    most = int(np.diff(observations.starts).max(initial=0))
    return ExactTilt(
        log_tilt=aligned_zeros(width),
        pairs=aligned_zeros(width * width),
        owner=np.full(width, -1, np.int64),
        places=np.zeros(most + 1, np.int64),
        products=np.zeros(most + 1),
        shares=np.zeros(most + 1, np.float32),
        factors=aligned_zeros(width),
        factors_of=np.full(1, _NONE, np.int64),
        document=np.zeros(1, np.int64),
        length=np.zeros(1, np.float32),
        untilted=np.zeros(1, np.float32),
        shift=np.zeros(1, np.float32),
    )


@inline_kernel
def project(directions, row, doc_topic, place, width):
    """Return Σ_k u_k n_dk of one direction."""
    total = splat(_ZERO)
    for block in range(0, width, LANES):
        total = add(total, multiply(load(directions, row + block), load(doc_topic, place + block)))
    return lane_sum(total)


@inline_kernel
def fill_log_tilt(observations, document, doc_topic, place, length, left_out, n_topics, result):
    """Fill `result` with τ of every topic, with each projection multiplied by 1 − `left_out`."""
    width = result.size
    for block in range(0, width, LANES):
        store(result, block, splat(_ZERO))
    last_row = observations.rows.size - 1
    for number in range(observations.starts[document], observations.starts[document + 1]):
        soon = np.int64(observations.rows[min(number + _AHEAD, last_row)]) * width
        for block in range(0, width, LANES):
            prefetch(observations.directions, soon + block)
        row = np.int64(observations.rows[number]) * width
        precision = observations.precision[number]
        value = project(observations.directions, row, doc_topic, place, width) / length * (1.0 - left_out)
        slope = splat(np.float32((observations.pull[number] - precision * value) / length))
        bend = splat(np.float32(0.5 * precision / (length * length)))
        for block in range(0, width, LANES):
            direction = load(observations.directions, row + block)
            change = multiply(direction, subtract(slope, multiply(bend, direction)))
            store(result, block, add(load(result, block), change))
    for topic in range(n_topics, width):
        result[topic] = _LOWEST  # padding must never be the largest


@inline_kernel
def largest(exponents):
    """Return the largest of all topics' numbers."""
    most = splat(_LOWEST)
    for block in range(0, exponents.size, LANES):
        most = larger(most, load(exponents, block))
    return lane_max(most)


@inline_kernel
def fill_tilt(tilt, observations, document, doc_topic, place, length, n_topics):
    """Compute the factor exp τ of every topic once for a document, up to a constant (nothing without responses)."""
    if tilt is not None:
        fill_log_tilt(observations, document, doc_topic, place, length, 1.0 / length, n_topics, tilt)
        shift = splat(largest(tilt))
        for block in range(0, tilt.size, LANES):
            store(tilt, block, exponential(subtract(load(tilt, block), shift)))


@inline_kernel
def open_exact_tilt(exact_tilt, observations, document, doc_topic, length, n_topics):
    """Compute τ° of a document (no effect without an exact tilt)."""
    if exact_tilt is not None:
        exact_tilt.document[0] = document
        exact_tilt.length[0] = length
        exact_tilt.factors_of[0] = _NONE
        fill_log_tilt(observations, document, doc_topic, 0, length, 0.0, n_topics, exact_tilt.log_tilt)
        exact_tilt.shift[0] = largest(exact_tilt.log_tilt)


@inline_kernel
def recompute_exact_tilt(exact_tilt, observations, doc_topic, n_topics):
    """Recompute τ° after many tokens were moved at once (no effect without an exact tilt)."""
    if exact_tilt is not None:
        exact_tilt.factors_of[0] = _NONE
        fill_log_tilt(
            observations, exact_tilt.document[0], doc_topic, 0, exact_tilt.length[0], 0.0, n_topics, exact_tilt.log_tilt
        )


@inline_kernel
def pairs_row(exact_tilt, observations, topic):
    """Return where row `topic` of A begins; compute the row if this is its first use in the document."""
    width = exact_tilt.log_tilt.size
    start = topic * width
    document = exact_tilt.document[0]
    if exact_tilt.owner[topic] != document:
        exact_tilt.owner[topic] = document
        square = exact_tilt.length[0] * exact_tilt.length[0]
        n_present = _list_present(exact_tilt, observations, document, topic, width)
        for number in range(n_present):  # a separate loop, so that it is vectorised
            exact_tilt.shares[number] = np.float32(exact_tilt.products[number] / square)
        for block in range(0, width - LANES, 2 * LANES):
            total, other = splat(_ZERO), splat(_ZERO)
            for number in range(n_present):
                place = exact_tilt.places[number] + block
                share = splat(exact_tilt.shares[number])
                total = add(total, multiply(share, load(observations.directions, place)))
                other = add(other, multiply(share, load(observations.directions, place + LANES)))
            store(exact_tilt.pairs, start + block, total)
            store(exact_tilt.pairs, start + block + LANES, other)
        if width % (2 * LANES) != 0:
            block = width - LANES
            total = splat(_ZERO)
            for number in range(n_present):
                share = splat(exact_tilt.shares[number])
                direction = load(observations.directions, exact_tilt.places[number] + block)
                total = add(total, multiply(share, direction))
            store(exact_tilt.pairs, start + block, total)
    return start


@inline_kernel
def _list_present(exact_tilt, observations, document, topic, width):
    """List the observations of a document with u_rj ≠ 0 and their products precision_r u_rj; return their number.

    Directions of diagonal weights are 0 for most topics.
    """
    n_present = 0
    for number in range(observations.starts[document], observations.starts[document + 1]):
        row = np.int64(observations.rows[number]) * width
        direction = observations.directions[row + topic]
        exact_tilt.places[n_present] = row
        exact_tilt.products[n_present] = observations.precision[number] * direction
        n_present += direction != _ZERO
    return n_present


@inline_kernel
def open_factors(exact_tilt, observations, topic):
    """Compute exp τ for a token of a topic, unless it was computed for the last one and nothing has moved since."""
    if exact_tilt.factors_of[0] != topic:
        pairs_row(exact_tilt, observations, topic)
        _fill_factors(exact_tilt, topic)


@inline_kernel
def shift_factors(exact_tilt, topic):
    """Compute exp τ again, with a shift that fits: the largest exponent."""
    most = splat(_LOWEST)
    for block in range(0, exact_tilt.log_tilt.size, LANES):
        row = topic * exact_tilt.log_tilt.size
        most = larger(most, add(load(exact_tilt.log_tilt, block), load(exact_tilt.pairs, row + block)))
    exact_tilt.shift[0] = lane_max(most)
    _fill_factors(exact_tilt, topic)


@inline_kernel
def _fill_factors(exact_tilt, topic):
    width = exact_tilt.log_tilt.size
    shift = splat(exact_tilt.shift[0])
    for block in range(0, width, LANES):
        exponent = subtract(load(exact_tilt.log_tilt, block), shift)
        exponent = add(exponent, load(exact_tilt.pairs, topic * width + block))
        store(exact_tilt.factors, block, exponential(exponent))
    exact_tilt.factors_of[0] = topic


@inline_kernel
def update_tilt(exact_tilt, observations, old, new):
    """Update τ° for one token that moves from topic `old` to `new` (no effect without an exact tilt)."""
    if exact_tilt is not None:
        exact_tilt.factors_of[0] = _NONE
        left = pairs_row(exact_tilt, observations, old)
        came = pairs_row(exact_tilt, observations, new)
        for block in range(0, exact_tilt.log_tilt.size, LANES):
            change = subtract(load(exact_tilt.pairs, left + block), load(exact_tilt.pairs, came + block))
            store(exact_tilt.log_tilt, block, add(load(exact_tilt.log_tilt, block), change))


@inline_kernel
def update_directions(observations, document, doc_topic, place, length, width):
    """Update the directions that depend on a document's topics (no effect if there are none)."""
    if observations is not None:
        _update_directions(observations.moving, observations.directions, document, doc_topic, place, length, width)


@inline_kernel
def _update_directions(moving, directions, document, doc_topic, place, length, width):
    # Numba prunes a branch only if its condition tests an argument of the function.
    if moving is not None:
        row = moving.first_row + document
        _map_document(moving.maps, moving.n_documents, directions, row, doc_topic, place, length, width)


@inline_kernel
def _map_document(maps, n_documents, directions, row, doc_topic, place, length, width):
    """Fill the rows row, row + n_documents … of `directions` with M z̄ of each map M."""
    for number in range(maps.size // (width * width)):
        start, first = (row + number * n_documents) * width, number * width
        for block in range(0, width - LANES, 2 * LANES):
            total, other = splat(_ZERO), splat(_ZERO)
            for group in range(0, width, LANES):
                present = positive_lanes(load(doc_topic, place + group))
                while present != 0:
                    topic = group + first_bit(present)
                    present &= present - 1
                    share = splat(np.float32(doc_topic[place + topic]) / length)
                    column = (first + topic) * width + block
                    total = add(total, multiply(share, load(maps, column)))
                    other = add(other, multiply(share, load(maps, column + LANES)))
            store(directions, start + block, total)
            store(directions, start + block + LANES, other)
        if width % (2 * LANES) != 0:
            block = width - LANES
            total = splat(_ZERO)
            for group in range(0, width, LANES):
                present = positive_lanes(load(doc_topic, place + group))
                while present != 0:
                    topic = group + first_bit(present)
                    present &= present - 1
                    share = splat(np.float32(doc_topic[place + topic]) / length)
                    total = add(total, multiply(share, load(maps, (first + topic) * width + block)))
            store(directions, start + block, total)


@kernel
def map_documents(maps, directions, n_documents, first, last, doc_topic, lengths, width):
    """Fill the rows of documents first to last of `directions`, maps × documents × width, with M z̄ of every map M.

    `doc_topic` and `lengths` begin with document `first`.
    """
    for number in range(last - first):
        length = np.float32(max(lengths[number], 1e-30))
        _map_document(maps, n_documents, directions, first + number, doc_topic, number * width, length, width)


@inline_kernel
def _share_of(count, length):
    """Return the share of a topic in a document; a real-valued count may be below 0 by rounding."""
    return max(np.float32(count), _ZERO) / length


@kernel
def map_listed(maps, is_diagonal, directions, n_documents, first, rows, listed, lengths, width):
    """Fill the rows of documents `first` up to `first` + rows.size of `directions` with M z̄ of every map M.

    `listed` are indptr, indices and data of document–topic counts; the documents have the rows `rows` of it. The
    numbers are those of `map_documents`. If all maps are diagonal, only their diagonals are read.
    """
    starts, topics, counts = listed
    for number in range(rows.size):
        begin, end = starts[rows[number]], starts[rows[number] + 1]
        length = np.float32(max(lengths[rows[number]], 1e-30))
        for map_number in range(maps.size // (width * width)):
            place = (first + number + map_number * n_documents) * width
            table = map_number * width * width
            if is_diagonal:
                for block in range(0, width, LANES):
                    store(directions, place + block, splat(_ZERO))
                for entry in range(begin, end):
                    topic = np.int64(topics[entry])
                    share = _share_of(counts[entry], length)
                    directions[place + topic] = share * maps[table + topic * (width + 1)]
            else:
                for block in range(0, width - LANES, 2 * LANES):
                    total, other = splat(_ZERO), splat(_ZERO)
                    for entry in range(begin, end):
                        share = splat(_share_of(counts[entry], length))
                        column = table + np.int64(topics[entry]) * width + block
                        total = add(total, multiply(share, load(maps, column)))
                        other = add(other, multiply(share, load(maps, column + LANES)))
                    store(directions, place + block, total)
                    store(directions, place + block + LANES, other)
                if width % (2 * LANES) != 0:
                    block = width - LANES
                    total = splat(_ZERO)
                    for entry in range(begin, end):
                        share = splat(_share_of(counts[entry], length))
                        column = table + np.int64(topics[entry]) * width + block
                        total = add(total, multiply(share, load(maps, column)))
                    store(directions, place + block, total)
