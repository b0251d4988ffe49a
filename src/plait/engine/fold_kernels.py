"""Compiled loops over new documents: groups, sweeps, documents; the sweep itself is the samplers' own."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from plait.engine.source_groups import NEW
from plait.samplers.kernels.compiled import inline_kernel, kernel
from plait.samplers.kernels.lanes import LANES
from plait.samplers.kernels.share_state import spread_document
from plait.samplers.kernels.sources import expected_share, open_candidates, weigh_candidate
from plait.samplers.kernels.tilt import project
from plait.samplers.kernels.token_state import sweep_document
from plait.samplers.random import document_key, scramble, uniform, uniform64


class Folded(NamedTuple):
    """What is found of new documents under one sample."""

    proportions: np.ndarray  # documents × topics: ϑ, or Σ_c χ_dc ϑ_c with links
    own: np.ndarray  # documents × topics, with links: how often a document's own tokens hold each topic
    influence: np.ndarray  # with links: χ of every candidate


@kernel
def fold_tokens(
    group_starts, documents, topics, counts, factors, keys, first_sweep, last_sweep, n_sweeps,
    row_starts, row_documents, known, result, scratch,
):  # fmt: skip
    """Sweep the tokens of new documents, group by group, and average over the second half of the sweeps.

    Sweeps from `first_sweep` to `last_sweep` are made, of n_sweeps + 1 in all.
    """
    for group in range(group_starts.size - 1):
        _open_group(counts.sources, group, row_starts, row_documents, known, factors.alpha.size)
        n_kept = 0
        for sweep in range(first_sweep, last_sweep):
            for document in range(group_starts[group], group_starts[group + 1]):
                length = documents.offsets[document + 1] - documents.offsets[document]
                sweep_document(
                    documents, document, topics, counts, factors, keys[document], sweep * length, scratch
                )  # fmt: skip
                # The first half of the sweeps is burn-in.
                if 2 * sweep >= n_sweeps:
                    _keep(scratch.candidates, document, counts.sources, factors, scratch.doc_topic, 0, result)
            n_kept += 2 * sweep >= n_sweeps
        if last_sweep == n_sweeps + 1:
            for document in range(group_starts[group], group_starts[group + 1]):
                _average(scratch.candidates, counts.sources, document, result, n_kept)


@kernel
def fold_shares(
    group_starts, documents, state, counts, factors, n_sweeps, row_starts, row_documents, known, result, scratch
):
    """Spread the words of new documents over topics, group by group, and keep the last state."""
    width = factors.alpha.size
    for group in range(group_starts.size - 1):
        _open_group(counts.sources, group, row_starts, row_documents, known, width)
        for _ in range(n_sweeps + 1):
            for document in range(group_starts[group], group_starts[group + 1]):
                spread_document(documents, document, state, counts, factors, scratch)
        for document in range(group_starts[group], group_starts[group + 1]):
            _reopen(scratch.candidates, counts.sources, document, factors.alpha)
            _keep(scratch.candidates, document, counts.sources, factors, state.doc_topic, document * width, result)
            _average(scratch.candidates, counts.sources, document, result, 1)


@inline_kernel
def _open_group(sources, group, row_starts, row_documents, known, width):
    """Fill the rows that a group draws from: counts of training documents, 0 of new ones (nothing without links)."""
    if sources is not None:
        first = row_starts[group]
        for row in range(row_starts[group + 1] - first):
            document = row_documents[first + row]
            for topic in range(width):
                sources.source_topic[row * width + topic] = 0.0 if document == NEW else known[document * width + topic]


@inline_kernel
def _reopen(linked, sources, document, alpha):
    """Compute the weights of a document's candidates from the counts as they are (nothing without links)."""
    if linked is not None:
        open_candidates(linked, sources, document, alpha)


@inline_kernel
def _keep(linked, document, sources, factors, doc_topic, row, result):
    """Add what the present state says of a document."""
    n_topics = result.proportions.shape[1]
    if linked is None:
        for topic in range(n_topics):
            result.proportions[document, topic] += doc_topic[row + topic] + factors.alpha[topic]
    else:
        total = 0.0
        for candidate in range(linked.size[0]):
            weigh_candidate(linked, candidate)
            total += linked.taken[candidate] + linked.gamma[candidate]
        for topic in range(n_topics):
            result.proportions[document, topic] += expected_share(linked, sources, topic, factors.alpha) / total
            result.own[document, topic] += doc_topic[row + topic]
        for candidate in range(linked.size[0]):
            share = (linked.taken[candidate] + linked.gamma[candidate]) / total
            result.influence[sources.starts[document] + candidate] += share


@inline_kernel
def _average(linked, sources, document, result, n_kept):
    """Turn the sums over kept sweeps into means."""
    if linked is None:
        total = 0.0
        for topic in range(result.proportions.shape[1]):
            total += result.proportions[document, topic]
        for topic in range(result.proportions.shape[1]):
            result.proportions[document, topic] /= total
    else:
        for topic in range(result.proportions.shape[1]):
            result.proportions[document, topic] /= n_kept
            result.own[document, topic] /= n_kept
        for place in range(sources.starts[document], sources.starts[document + 1]):
            result.influence[place] /= n_kept


@inline_kernel
def content_key(key, first, last, words, counts):
    """Return a key made of a document's words and their counts alone."""
    for entry in range(first, last):
        if counts[entry] > 0:
            key = scramble(document_key(key, words[entry]) ^ np.uint64(np.int64(counts[entry])))
    return key


@kernel
def make_keys(stream, starts, words, counts, group_starts, candidate_starts, candidates, n_known, keys):
    """Fill `keys` from each document's words, the training documents it may draw from, and its place in its group."""
    for group in range(group_starts.size - 1):
        for document in range(group_starts[group], group_starts[group + 1]):
            key = content_key(stream, starts[document], starts[document + 1], words, counts)
            if candidates.size > 0:
                for place in range(candidate_starts[document] + 1, candidate_starts[document + 1]):
                    if candidates[place] < n_known:
                        key = scramble(document_key(key, candidates[place]))
            # Two documents of the same words must not draw alike where one depends on the other.
            if document > group_starts[group]:
                key = scramble(document_key(key, document - group_starts[group]))
            keys[document] = key


@kernel
def make_pair_keys(stream, starts, words, counts, partner_starts, partners, keys):
    """Fill `keys` from each document's words and the training documents that it is linked with."""
    for document in range(starts.size - 1):
        key = content_key(stream, starts[document], starts[document + 1], words, counts)
        for place in range(partner_starts[document], partner_starts[document + 1]):
            key = scramble(document_key(key, partners[place]))
        keys[document] = key


@kernel
def draw_pairs(stream, keys, partner_starts, partners, n_known, pair_starts, known, signs):
    """Fill in the pairs of new documents: first their partners, then training documents drawn from the others.

    Partners are sorted. The others are drawn without replacement: Floyd's algorithm, Bentley and Floyd (1987).
    """
    for document in range(keys.size):
        key = scramble(keys[document] ^ stream)
        first, last = partner_starts[document], partner_starts[document + 1]
        begin = pair_starts[document]
        for place in range(first, last):
            known[begin + place - first] = partners[place]
            signs[begin + place - first] = 1.0
        begin += last - first
        n_drawn = pair_starts[document + 1] - begin
        n_others = n_known - (last - first)
        for number in range(n_drawn):
            most = n_others - n_drawn + number
            drawn = min(np.int64(uniform64(key, number) * (most + 1)), most)
            _insert(known, begin, begin + number, drawn, most)
            signs[begin + number] = -1.0
        # So far the others are counted without the partners.
        place = first
        for number in range(begin, begin + n_drawn):
            while place < last and partners[place] <= known[number] + place - first:
                place += 1
            known[number] += place - first


@inline_kernel
def _insert(values, first, last, value, instead):
    """Insert `value` into a sorted run, or `instead`, which is larger than all of it, where it has the value."""
    place = last
    while place > first and values[place - 1] > value:
        place -= 1
    if place > first and values[place - 1] == value:
        values[last] = instead
    else:
        for moved in range(last, place, -1):
            values[moved] = values[moved - 1]
        values[place] = value


@kernel
def start_topics(stream, offsets, keys, alpha, n_topics, topics):
    """Draw the topics that the tokens of new documents start with from the prior."""
    total = 0.0
    for topic in range(n_topics):
        total += alpha[topic]
    for document in range(keys.size):
        key = scramble(keys[document] ^ stream)
        for token in range(offsets[document], offsets[document + 1]):
            left = uniform64(key, token - offsets[document]) * total
            topic = 0
            while topic < n_topics - 1 and left >= alpha[topic]:
                left -= alpha[topic]
                topic += 1
            topics[token] = topic


@kernel
def observe_pairs(stream, sweep, offsets, topics, keys, observations, doc_topic, values, pair_keys):
    """Fill `values` with the projection of every pair, and `pair_keys` with the keys of its random numbers."""
    width = doc_topic.size
    for document in range(keys.size):
        doc_topic[:] = 0.0
        for token in range(offsets[document], offsets[document + 1]):
            doc_topic[topics[token]] += np.float32(1.0)
        length = max(offsets[document + 1] - offsets[document], 1)
        key = document_key(scramble(keys[document] ^ stream), sweep)
        first = observations.starts[document]
        for place in range(first, observations.starts[document + 1]):
            row = np.int64(observations.rows[place]) * width
            values[place] = project(observations.directions, row, doc_topic, 0, width) / length
            pair_keys[place] = document_key(key, place - first)


@kernel
def predict_words(starts, words, word_weights, doc_topic, result):
    """Add Σ_k φ_kw ϑ_dk of every entry to `result`."""
    n_topics = doc_topic.shape[1]
    width = LANES * ((n_topics + LANES - 1) // LANES)
    for document in range(starts.size - 1):
        for entry in range(starts[document], starts[document + 1]):
            row = np.int64(words[entry]) * width
            for topic in range(n_topics):
                result[entry] += doc_topic[document, topic] * word_weights[row + topic]


@kernel
def halve(starts, words, counts, stream, first):
    """Fill `first` with the tokens of every entry that belong to the first half."""
    for document in range(starts.size - 1):
        key = content_key(stream, starts[document], starts[document + 1], words, counts)
        position = 0
        for entry in range(starts[document], starts[document + 1]):
            occurrences = np.int64(counts[entry])
            if occurrences != counts[entry]:  # a fractional count goes to one half whole
                if uniform(key, position) < 0.5:
                    first[entry] = counts[entry]
                position += 1
                continue
            for _ in range(occurrences):
                if uniform(key, position) < 0.5:
                    first[entry] += 1
                position += 1
