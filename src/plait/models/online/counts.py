"""Topic–word counts of the samples of a slice, and samples with fewer or more words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sparse

from plait.engine.sample import Sample
from plait.inputs.words import Words


def mean_counts(samples: list[Sample]) -> np.ndarray:
    """Return topic–word counts (topics × words), averaged over samples."""
    total = samples[0].word_topic.astype(np.float64)
    for sample in samples[1:]:
        total = total + sample.word_topic
    return np.ascontiguousarray((total.toarray() / len(samples)).T, dtype=np.float32)


def doc_repeats(words: Words, doc_topic: np.ndarray) -> np.ndarray:
    """Return, for each topic, the mean number of its tokens in the document of one of its tokens."""
    held = np.asarray(words.counts.sum(axis=1), dtype=np.float64).reshape(-1, 1) * doc_topic
    return (held**2).sum(axis=0) / held.sum(axis=0)


def without_words(sample: Sample, kept: np.ndarray) -> Sample:
    """Return a sample with the words of a mask only."""
    beta = sample.beta if isinstance(sample.beta, float) else sample.beta[:, kept]
    return replace(sample, word_topic=sparse.csr_array(sample.word_topic[kept]), beta=beta)


def with_new_words(sample: Sample, n_words: int, expected: float | np.ndarray) -> Sample:
    """Return a sample with more words, of which no topic has any tokens; `expected` is β of the new words."""
    known, n_topics = sample.word_topic.shape
    table = np.array(np.broadcast_to(np.asarray(expected, dtype=np.float64), (n_topics, n_words)))
    table[:, :known] = sample.beta
    word_topic = sparse.csr_array(sample.word_topic)
    word_topic.resize((n_words, n_topics))
    return replace(sample, word_topic=word_topic, beta=table)
