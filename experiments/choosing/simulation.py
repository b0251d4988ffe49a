"""Corpora with a known number of topics, drawn from latent Dirichlet allocation with sparse topics."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sparse


def planted_corpus(
    n_topics: int,
    seed: int,
    *,
    n_documents: int = 1000,
    n_words: int = 2000,
    shortest: int = 60,
    longest: int = 100,
    topics_per_document: float = 0.1,
    words_per_topic: float = 0.05,
    zipf: bool = True,
) -> sparse.csr_array:
    """Return word counts of documents (documents × words) whose topics are known to be `n_topics`.

    Parameters
    ----------
    n_topics
        Number of topics.
    seed
        Seed of the random numbers.
    n_documents, n_words
        Sizes; words that no document contains are left out.
    shortest, longest
        Smallest and largest number of tokens per document; all lengths between are equally likely.
    topics_per_document
        Dirichlet parameter of the topic proportions of a document.
    words_per_topic
        Mean Dirichlet parameter of the word distribution of a topic: small numbers give topics of few words.
    zipf
        Whether the Dirichlet parameter of a word falls with its rank, so that topics share frequent words; otherwise
        all words are alike.
    """
    random = np.random.default_rng([seed, n_topics])
    prior = np.arange(1, n_words + 1, dtype=np.float64) ** (-0.8 if zipf else 0.0)
    prior *= words_per_topic * n_words / prior.sum()
    topic_word = random.gamma(np.tile(prior, (n_topics, 1)))
    topic_word /= topic_word.sum(axis=1, keepdims=True)
    doc_topic = random.dirichlet(np.full(n_topics, topics_per_document), size=n_documents)
    lengths = random.integers(shortest, longest + 1, size=n_documents)
    counts = np.array([random.multinomial(n, own @ topic_word) for n, own in zip(lengths, doc_topic, strict=True)])
    return sparse.csr_array(counts[:, counts.sum(axis=0) > 0])
