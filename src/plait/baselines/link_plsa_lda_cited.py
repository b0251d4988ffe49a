"""The cited side of link-PLSA-LDA, compiled: one pass of PLSA over words of cited documents."""

from __future__ import annotations

import math

import numpy as np

from plait.samplers.kernels.compiled import kernel


@kernel
def count_cited(
    starts: np.ndarray,
    words: np.ndarray,
    counts: np.ndarray,
    joint: np.ndarray,
    word_topic: np.ndarray,
    in_words: np.ndarray,
    in_documents: np.ndarray,
) -> float:
    """Add expected tokens to the two tables, and return Σ n_cw log Σ_k π_k Ω_kc β_kw.

    `joint` holds π_k Ω_kc, documents × topics; `word_topic` holds β, words × topics. A token of word w in document c
    has q(k) ∝ π_k Ω_kc β_kw, which is its posterior.
    """
    n_topics = joint.shape[1]
    total = 0.0
    for document in range(starts.size - 1):
        prior, document_sums = joint[document], in_documents[document]
        for entry in range(starts[document], starts[document + 1]):
            row, word_sums = word_topic[words[entry]], in_words[words[entry]]
            normaliser = 0.0
            for topic in range(n_topics):
                normaliser += prior[topic] * row[topic]
            total += counts[entry] * math.log(normaliser)
            scale = counts[entry] / normaliser
            for topic in range(n_topics):
                share = scale * prior[topic] * row[topic]
                word_sums[topic] += share
                document_sums[topic] += share
    return total
