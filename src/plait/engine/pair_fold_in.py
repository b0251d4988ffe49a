"""Folding in by links: the topics of a document that a model has not seen, from what it is linked with.

What the model learnt is kept as it is. The document's words may be known, too; where they are not, it has a number of
words of which nothing is known but that topics were drawn for them. Topics and auxiliary variables are drawn in turns.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from plait.engine.sample import Sample
from plait.responses.losses import Loss, Pseudo
from plait.samplers.base import Observations, padded_width
from plait.samplers.conditional import draw
from plait.samplers.kernels.compiled import kernel
from plait.samplers.kernels.lanes import LANES, lane_at
from plait.samplers.kernels.tilt import map_documents, open_exact_tilt, update_tilt
from plait.samplers.kernels.token_state import Scratch, new_scratch, weigh_with_exact_tilt
from plait.samplers.random import generator


class NewDocument(NamedTuple):
    """What is known of a document: some of its words, and documents that it is linked with or not."""

    words: np.ndarray  # int32: columns of the model; the number of columns itself for words that are not known
    counts: np.ndarray  # int32: how often each occurs
    known: np.ndarray  # int64: training documents
    signs: np.ndarray  # +1 linked, −1 not
    costs: np.ndarray
    key: np.uint64  # of its random numbers


class LinkedFoldIn:
    """Topics of new documents under one sample of a chain.

    Parameters
    ----------
    sample
        What the chain kept; it has the topics of the training documents.
    lengths
        Words of each training document.
    loss
        How links and values become pseudo-observations.
    place
        At which place of the sample's weights those for links stand.
    """

    def __init__(self, sample: Sample, lengths: np.ndarray, loss: Loss, place: int = 0) -> None:
        assert sample.doc_topic is not None
        self.loss = loss
        self.n_topics = sample.alpha.size
        width = padded_width(self.n_topics)
        self.alpha = np.zeros(width, np.float32)
        self.alpha[: self.n_topics] = sample.alpha
        self.topic_word = sample.topic_word()
        # The last row is that of words of which nothing is known.
        words = np.zeros((self.topic_word.shape[1] + 1, width), np.float32)
        words[:-1, : self.n_topics] = self.topic_word.T
        words[-1, : self.n_topics] = 1.0
        self.words = words.ravel()
        # Which of the two documents links to the other is not asked: a link counts half for each way.
        weights = sample.weights[place]
        maps = np.zeros((width, width), np.float32)
        maps[: self.n_topics, : self.n_topics] = 0.5 * (weights + weights.T)
        counts = np.zeros((lengths.size, width), np.float32)
        counts[:, : self.n_topics] = sample.doc_topic.toarray()
        self.directions = np.empty(lengths.size * width, np.float32)
        map_documents(maps.ravel(), self.directions, lengths.size, 0, lengths.size, counts.ravel(), lengths, width)

    def proportions(self, document: NewDocument, n_sweeps: int) -> np.ndarray:
        """Return ϑ of a document, averaged over the second half of the sweeps."""
        rows = document.known.astype(np.int32)
        starts = np.array([0, rows.size], np.int64)
        random = generator(document.key)
        length = int(document.counts.sum())
        topics = random.choice(self.n_topics, length, p=self._prior()).astype(np.int64)
        pseudo = self.loss.begin(document.signs, document.costs)
        width = self.alpha.size
        table = self.directions.reshape(-1, width)[rows, : self.n_topics].astype(np.float64)
        total = np.zeros(self.n_topics)
        seen = np.zeros(width, np.float32)
        scratch: Scratch | None = None
        for sweep in range(n_sweeps + 1):
            observations = Observations(starts, rows, *pseudo, self.directions, True)
            scratch = scratch or new_scratch(width, observations)
            numbers = random.random(length, dtype=np.float32)
            _sweep(
                document.words, document.counts, self.words, self.alpha, self.n_topics, observations, topics, numbers,
                scratch, seen,
            )  # fmt: skip
            counted = seen[: self.n_topics].astype(np.float64)
            values = np.einsum("rk,k->r", table, counted / max(length, 1))
            pseudo = Pseudo(*self.loss.observe(document.signs, values, document.costs, random))
            if 2 * sweep >= n_sweeps:
                total += counted + self.alpha[: self.n_topics]
        return total / total.sum()

    def _prior(self) -> np.ndarray:
        alpha = self.alpha[: self.n_topics].astype(np.float64)
        return alpha / alpha.sum()


@kernel
def _sweep(words, counts, table, alpha, n_topics, observations, topics, numbers, scratch, seen):
    """Draw the topics of one document's words anew; `seen` receives how often each topic was drawn."""
    width = alpha.size
    nothing = np.float32(0.0)
    scratch.doc_topic[:] = 0.0
    for token in range(topics.size):
        scratch.doc_topic[topics[token]] += np.float32(1.0)
    for topic in range(width):
        scratch.mixture[topic] = scratch.doc_topic[topic] + alpha[topic]
    scratch.exact_tilt.owner[:] = -1  # the auxiliary variables are others than in the last sweep
    length = np.float32(max(topics.size, 1))
    open_exact_tilt(scratch.exact_tilt, observations, 0, scratch.doc_topic, length, n_topics)
    token = 0
    for entry in range(words.size):
        row = np.int64(words[entry]) * width
        for _ in range(counts[entry]):
            old = topics[token]
            own_mixture = scratch.doc_topic[old] - np.float32(1.0) + alpha[old]
            across = weigh_with_exact_tilt(
                scratch.exact_tilt, observations, table, row, nothing, None, scratch.mixture, old, own_mixture, nothing,
                scratch.sums, scratch.below,
            )  # fmt: skip
            new = draw(scratch.sums, across, scratch.below, numbers[token] * lane_at(across, LANES - 1), n_topics)
            if new != old:
                topics[token] = new
                scratch.doc_topic[old] -= np.float32(1.0)
                scratch.mixture[old] = own_mixture
                scratch.doc_topic[new] += np.float32(1.0)
                scratch.mixture[new] = scratch.doc_topic[new] + alpha[new]
                update_tilt(scratch.exact_tilt, observations, old, new)
            token += 1
    for topic in range(width):
        seen[topic] = scratch.doc_topic[topic]
