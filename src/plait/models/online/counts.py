"""What the kept states of a slice hold: counts of topics and words, and the same with fewer or more words known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sparse

from plait.engine.sample import Sample
from plait.inputs.words import Words


def mean_counts(samples: list[Sample]) -> np.ndarray:
    """Return how often topics hold words, topics × words, averaged over samples."""
    total = samples[0].word_topic.astype(np.float64)
    for sample in samples[1:]:
        total = total + sample.word_topic
    return np.ascontiguousarray((total.toarray() / len(samples)).T, dtype=np.float32)


def doc_repeats(words: Words, doc_topic: np.ndarray) -> np.ndarray:
    """Return how many words of each topic stand together in a document, on average over these words."""
    held = np.asarray(words.counts.sum(axis=1), dtype=np.float64).reshape(-1, 1) * doc_topic
    return (held**2).sum(axis=0) / held.sum(axis=0)


def without_words(sample: Sample, kept: np.ndarray) -> Sample:
    """Return a sample without some words."""
    beta = sample.beta if isinstance(sample.beta, float) else sample.beta[:, kept]
    return replace(sample, word_topic=sparse.csr_array(sample.word_topic[kept]), beta=beta)


def with_new_words(sample: Sample, n_words: int, expected: float | np.ndarray) -> Sample:
    """Return a sample that knows more words, of which no topic holds any yet."""
    known, n_topics = sample.word_topic.shape
    table = np.array(np.broadcast_to(np.asarray(expected, dtype=np.float64), (n_topics, n_words)))
    table[:, :known] = sample.beta
    word_topic = sparse.csr_array(sample.word_topic)
    word_topic.resize((n_words, n_topics))
    return replace(sample, word_topic=word_topic, beta=table)
