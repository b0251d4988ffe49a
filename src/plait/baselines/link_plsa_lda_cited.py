"""Compiled E step of the cited side of link-PLSA-LDA: one pass of PLSA over the words of cited documents."""

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
    """Add the expected tokens per topic to two tables, and return Σ n_cw log Σ_k π_k Ω_kc β_kw.

    The posterior of a token of word w in document c is q(k) ∝ π_k Ω_kc β_kw.

    Parameters
    ----------
    starts : ndarray of int
        Start of each document in `words` and `counts`.
    words : ndarray of int
        Words of the documents.
    counts : ndarray of float
        Their counts.
    joint : ndarray of shape (n_documents, n_topics)
        π_k Ω_kc.
    word_topic : ndarray of shape (n_words, n_topics)
        β.
    in_words : ndarray of shape (n_words, n_topics)
        Expected tokens of each word; changed in place.
    in_documents : ndarray of shape (n_documents, n_topics)
        Expected tokens of each document; changed in place.

    Returns
    -------
    float
        Log-likelihood of the cited side.
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
