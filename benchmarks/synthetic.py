"""Synthetic documents drawn from topics whose words follow Zipf's law."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sparse

_TOKENS_AT_ONCE = 2_000_000  # limits the working memory
_EVENNESS = 0.1  # shape of the Gamma factors: small numbers make topics more different


def zipf_documents(
    lengths: np.ndarray,
    n_words: int,
    n_topics: int,
    exponent: float,
    concentration: float,
    seed: int,
    apart: bool = False,
) -> sparse.csr_array:
    """Return counts, documents × words.

    The r-th word has an overall frequency proportional to r ** -exponent, as in real text, and each topic multiplies
    it by its own factor, drawn from a Gamma distribution. Each document mixes the topics by
    Dirichlet(concentration).

    Parameters
    ----------
    lengths
        Tokens per document.
    apart
        Permute the words per topic instead: no word is frequent in all topics.
    """
    rng = np.random.default_rng(seed)
    frequency = np.arange(1, n_words + 1, dtype=np.float64) ** -exponent
    if apart:
        topic_word = np.array([rng.permutation(frequency) for _ in range(n_topics)])
    else:
        topic_word = frequency * rng.gamma(_EVENNESS, size=(n_topics, n_words))
    ends = np.cumsum(topic_word / topic_word.sum(axis=1, keepdims=True), axis=1)
    parts = []
    for run in np.array_split(np.arange(len(lengths)), max(1, int(np.sum(lengths)) // _TOKENS_AT_ONCE)):
        in_topic = rng.multinomial(lengths[run], rng.dirichlet(np.full(n_topics, concentration), size=len(run)))
        document, word = [], []
        for topic in range(n_topics):
            document.append(np.repeat(np.arange(len(run)), in_topic[:, topic]))
            drawn = np.searchsorted(ends[topic], rng.random(document[-1].size))
            word.append(np.minimum(drawn, n_words - 1))
        places = (np.concatenate(document), np.concatenate(word))
        part = sparse.csr_array((np.ones(places[0].size, dtype=np.int32), places), shape=(len(run), n_words))
        part.sum_duplicates()
        parts.append(part)
    return sparse.csr_array(sparse.vstack(parts))
