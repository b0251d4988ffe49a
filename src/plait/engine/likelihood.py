"""Log-likelihood of a shard's tokens given counts, for samplers that do not get it as a by-product of a sweep."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sparse

from plait.samplers.base import Counts, Documents, Factors, Sources, SweepInfo
from plait.samplers.kernels.compiled import kernel


def log_likelihood(documents: Documents, doc_topic: np.ndarray, counts: Counts, factors: Factors) -> SweepInfo:
    """Return Σ log Σ_k ϑ_dk φ_kw over the tokens of a shard, eq. (4) of Bíró and Szabó (2009).

    Parameters
    ----------
    documents : Documents
        The shard's words.
    doc_topic : array (documents, topics)
        Document–topic counts.
    counts : Counts
        Topic–word counts, totals and, with linked documents, counts per source.
    factors : Factors
        α and β.
    """
    n_topics = factors.n_topics
    alpha = factors.alpha[:n_topics].astype(np.float64)
    shares = doc_topic + alpha if counts.sources is None else _mixed(counts.sources, alpha, factors.alpha.size)
    shares = shares / shares.sum(axis=1, keepdims=True)
    assert counts.totals is not None
    scale = 1.0 / (counts.totals[:n_topics].astype(np.float64) + factors.prior_sums[:n_topics])
    table = np.zeros(0, np.float32) if factors.prior_table is None else factors.prior_table
    total = _sum_logs(
        documents.starts, documents.words, documents.counts, counts.word_topic, factors.alpha.size,
        float(factors.prior_value), table, shares, scale,
    )  # fmt: skip
    return SweepInfo(float(total), float(documents.offsets[-1]))


def _mixed(sources: Sources, alpha: np.ndarray, width: int) -> np.ndarray:
    """Return Σ_c χ_dc ϑ_c of every document."""
    drawn = sources.source_topic.reshape(-1, width)[:, : alpha.size] + alpha
    drawn = drawn / drawn.sum(axis=1, keepdims=True)
    shape = (sources.starts.size - 1, drawn.shape[0])
    return sparse.csr_array((sources.taken + sources.gamma, sources.rows // width, sources.starts), shape=shape) @ drawn


@kernel
def _sum_logs(starts, words, counts, word_topic, width, prior_value, prior_table, shares, scale):
    total = 0.0
    for document in range(starts.size - 1):
        for entry in range(starts[document], starts[document + 1]):
            row = np.int64(words[entry]) * width
            chance = 0.0
            for topic in range(scale.size):
                prior = prior_value if prior_table.size == 0 else np.float64(prior_table[row + topic])
                chance += shares[document, topic] * (word_topic[row + topic] + prior) * scale[topic]
            total += counts[entry] * np.log(chance)
    return total
