"""Documents whose tokens come in part from one of the documents that they cite, with the true source known.

Bíró and Szabó (2009) evaluate influence along links by classification, because the true influence in their corpus is
unknown. Here it is known.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sparse

from plait.errors import PlaitError

_EVENNESS_OF_TOPICS = 0.05  # Dirichlet parameter of each word in a topic: a topic has few frequent words


class PlantedInfluence(NamedTuple):
    """Documents with a known influence.

    Parameters
    ----------
    counts
        Word counts (documents × words).
    links
        1 if the row's document cites the column's (documents × documents). The first half of the documents are
        only cited, the others only cite.
    sources
        True source of each document among those it cites; -1 if it cites none.
    doc_topic
        Each document's own topic distribution ϑ (documents × topics).
    topic_word
        φ (topics × words).
    """

    counts: sparse.csr_array
    links: sparse.csr_array
    sources: np.ndarray
    doc_topic: np.ndarray
    topic_word: np.ndarray


def planted_influence(
    n_documents: int = 500,
    n_topics: int = 10,
    n_words: int = 2000,
    words_a_document: int = 100,
    links_a_document: int = 5,
    strength: float = 0.5,
    seed: int = 0,
    *,
    alpha: float = 0.1,
) -> PlantedInfluence:
    """Draw documents whose tokens come from the topics of a cited document or from their own.

    Parameters
    ----------
    links_a_document
        Number of documents that a citing document cites: one true source, and decoys without influence.
    strength
        Probability that a token of a citing document comes from its source's topics.
    alpha
        Dirichlet parameter of a document's own topic distribution.

    Examples
    --------
    >>> drawn = planted_influence(n_documents=20, n_topics=4, n_words=50, links_a_document=3, strength=1.0)
    >>> drawn.counts.sum(axis=1).tolist() == [100] * 20, drawn.links.sum(axis=1).astype(int).tolist()
    (True, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3])
    >>> bool(drawn.links[np.arange(10, 20), drawn.sources[10:]].all()), drawn.sources[:10].tolist() == [-1] * 10
    (True, True)

    With strength 1, a document's words are close to the source's expected words and far from its own.

    >>> words, expected = drawn.counts.toarray()[10:] / 100, drawn.doc_topic @ drawn.topic_word
    >>> to_source, to_itself = (np.abs(words - expected[of]).sum(axis=1) for of in (drawn.sources[10:], range(10, 20)))
    >>> bool(to_source.mean() < 0.5 * to_itself.mean())
    True
    """
    n_cited = n_documents // 2
    if not 1 <= links_a_document <= n_cited:
        raise PlaitError(f"links_a_document must be from 1 to {n_cited}, half of the documents, not {links_a_document}")
    if not 0 <= strength <= 1:
        raise PlaitError(f"strength must be a probability from 0 to 1, not {strength}")
    rng = np.random.default_rng(seed)
    topic_word = rng.dirichlet(np.full(n_words, _EVENNESS_OF_TOPICS), n_topics)
    doc_topic = rng.dirichlet(np.full(n_topics, alpha), n_documents)
    citing = np.arange(n_cited, n_documents)
    cited = np.array([rng.choice(n_cited, links_a_document, replace=False) for _ in citing])
    sources = np.full(n_documents, -1)
    sources[citing] = cited[:, 0]  # in random order, so this is a random one
    proportions = doc_topic.copy()
    proportions[citing] = strength * doc_topic[sources[citing]] + (1 - strength) * doc_topic[citing]
    counts = rng.multinomial(words_a_document, proportions @ topic_word)
    ends = (np.repeat(citing, links_a_document), cited.ravel())
    links = sparse.csr_array((np.ones(cited.size), ends), shape=(n_documents, n_documents))
    return PlantedInfluence(sparse.csr_array(counts), links, sources, doc_topic, topic_word)
