"""Documents drawn from topics whose words follow Zipf's law: what is measured on where no real corpus is at hand."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sparse

_TOKENS_AT_ONCE = 2_000_000  # keeps the working memory of millions of tokens small


def zipf_documents(
    lengths: np.ndarray, n_words: int, n_topics: int, exponent: float, concentration: float, seed: int
) -> sparse.csr_array:
    """Return counts, documents × words.

    Each topic orders the words at random and draws the r-th of them with a probability proportional to
    r ** -exponent; each document mixes the topics by Dirichlet(concentration).

    Parameters
    ----------
    lengths
        How many tokens each document has.
    """
    rng = np.random.default_rng(seed)
    rank_ends = np.cumsum(np.arange(1, n_words + 1, dtype=np.float64) ** -exponent)
    rank_ends /= rank_ends[-1]
    word_of_rank = np.array([rng.permutation(n_words) for _ in range(n_topics)], dtype=np.int32)
    parts = []
    for run in np.array_split(np.arange(len(lengths)), max(1, int(np.sum(lengths)) // _TOKENS_AT_ONCE)):
        in_topic = rng.multinomial(lengths[run], rng.dirichlet(np.full(n_topics, concentration), size=len(run)))
        document = np.repeat(np.repeat(np.arange(len(run)), n_topics), in_topic.ravel())
        topic = np.repeat(np.tile(np.arange(n_topics), len(run)), in_topic.ravel())
        rank = np.minimum(np.searchsorted(rank_ends, rng.random(topic.size)), n_words - 1)
        ones = np.ones(topic.size, dtype=np.int32)
        part = sparse.csr_array((ones, (document, word_of_rank[topic, rank])), shape=(len(run), n_words))
        part.sum_duplicates()
        parts.append(part)
    return sparse.csr_array(sparse.vstack(parts))
