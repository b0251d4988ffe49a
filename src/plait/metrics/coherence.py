"""Topic coherence (NPMI, and C_v of Röder, Both and Hinneburg, 2015) and topic diversity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import scipy.sparse as sp

from plait._utils.wording import join_names
from plait.errors import PlaitError

if TYPE_CHECKING:
    from plait.corpus import Corpus

Measure = Literal["npmi", "c_v"]

# ε in Röder, Both and Hinneburg (2015): keeps the logarithm finite for words that never co-occur.
C_V_EPSILON = 1e-12


def coherence(
    topics: Sequence[Sequence[str]],
    corpus_or_counts: Corpus | sp.sparray | sp.spmatrix | np.ndarray,
    vocabulary: Sequence[str] | None = None,
    *,
    measure: Measure = "npmi",
) -> np.ndarray:
    """Return the coherence of each topic: how often its top words co-occur in a reference corpus.

    Probabilities are document frequencies: the share of documents that contain a word or a pair of words.

    Parameters
    ----------
    topics : sequence of sequences of str
        Top words of each topic, at least two distinct words per topic.
    corpus_or_counts : Corpus, array or sparse matrix
        Reference: a `Corpus`, or counts (documents × words, sparse or dense).
    vocabulary : sequence of str, default None
        Word of each column of the counts. Only used with counts; a corpus has its own vocabulary.
    measure : {"npmi", "c_v"}, default "npmi"
        ``"npmi"``: normalised pointwise mutual information, averaged over the pairs of words of a topic, between -1
        and 1. A pair that never co-occurs gives -1, and a pair that is in every document gives 1 (the limits of the
        formula). ``"c_v"``: cosine between the context vector of a word and the sum of the context vectors of all
        words of the topic, averaged over the words. A context vector holds the NPMI of a word with each word of the
        topic (one-set segmentation, γ = 1, ε = 1e-12). The cosine of a word that no document contains is 0.

    Returns
    -------
    ndarray of shape (n_topics,)
        Coherence of each topic (float64), in the order of `topics`.

    Notes
    -----
    Röder, Both and Hinneburg (2015) and gensim compute C_v in sliding windows of 110 tokens. A bag of words has no
    order, so the window here is the whole document. For documents of at most 110 tokens the results are the same; for
    longer documents they differ and must not be compared. gensim also adds ε in its NPMI, which gives a pair that
    never co-occurs a value above -1 and a pair that is in every document -1, and it leaves out words of a topic that
    no document contains.

    Examples
    --------
    >>> counts = np.array([[1, 2, 0, 0], [3, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 0]])
    >>> words = ["cat", "dog", "bond", "share"]
    >>> coherence([["cat", "dog"], ["bond", "share"], ["cat", "bond"]], counts, words).round(3)
    array([ 1. ,  0.5, -1. ])
    """
    if measure not in ("npmi", "c_v"):
        raise PlaitError(f'measure={measure!r} is unknown; give "npmi" or "c_v"')
    score = _mean_npmi if measure == "npmi" else _c_v
    counts, words = _reference(corpus_or_counts, vocabulary)
    columns = _columns(_check_topics(topics, fewest=2), words)
    return np.array([score(joint) for joint in _joint_probabilities(columns, counts)], dtype=np.float64)


def topic_diversity(topics: Sequence[Sequence[str]]) -> float:
    """Return the share of distinct words among the top words of all topics (Dieng, Ruiz and Blei, 2020).

    Parameters
    ----------
    topics : sequence of sequences of str
        Top words of each topic.

    Returns
    -------
    float
        1 if no two topics share a word; 1 / (number of topics) if all topics have the same words.

    Examples
    --------
    >>> topic_diversity([["cat", "dog"], ["cat", "fish"]])
    0.75
    """
    words = [word for topic in _check_topics(topics, fewest=1) for word in topic]
    return len(set(words)) / len(words)


def _check_topics(topics: Sequence[Sequence[str]], fewest: int) -> list[list[str]]:
    """Return topics as lists of words; raise an error if a topic has too few words or a word twice."""
    checked = []
    for number, topic in enumerate(topics):
        if isinstance(topic, str):
            raise PlaitError(f'topics[{number}] is the single word "{topic}"; give one list of words per topic')
        words = [str(word) for word in topic]
        if len(words) < fewest:
            raise PlaitError(f"topics[{number}] has {len(words)} word(s); give at least {fewest}")
        if len(set(words)) < len(words):
            twice = next(word for word in words if words.count(word) > 1)
            raise PlaitError(f'topics[{number}] contains "{twice}" more than once; give distinct words')
        checked.append(words)
    if not checked:
        raise PlaitError("topics is empty; give the top words of at least one topic")
    return checked


def _reference(corpus_or_counts: Any, vocabulary: Sequence[str] | None) -> tuple[sp.csc_array, list[str]]:
    """Return the counts in column order and the vocabulary, from a corpus or from counts with a vocabulary."""
    from plait.corpus import Corpus

    if isinstance(corpus_or_counts, Corpus):
        if vocabulary is not None:
            raise PlaitError("vocabulary= is only used with counts, and a Corpus is given; leave vocabulary out")
        counts, words = corpus_or_counts.counts, list(corpus_or_counts.vocabulary)
    else:
        if vocabulary is None:
            raise PlaitError("counts need a vocabulary; give vocabulary=, one word per column, or pass a Corpus")
        counts, words = corpus_or_counts, list(vocabulary)
        if np.ndim(counts) != 2 and not sp.issparse(counts):
            raise PlaitError(f"counts have {np.ndim(counts)} dimension(s); give documents × words")
    by_column = sp.csc_array(counts)
    if by_column.shape[1] != len(words):
        raise PlaitError(
            f"counts have {by_column.shape[1]:,} columns, vocabulary has {len(words):,} words; give one word per column"
        )
    if by_column.shape[0] == 0:
        raise PlaitError("the reference has no documents; give at least one document")
    return by_column, words


def _columns(topics: list[list[str]], words: list[str]) -> list[np.ndarray]:
    """Return the columns of the words of each topic; raise an error that lists unknown words."""
    column_of = {word: column for column, word in enumerate(words)}
    if len(column_of) < len(words):
        twice = next(word for column, word in enumerate(words) if column_of[word] != column)
        raise PlaitError(f'vocabulary contains "{twice}" more than once; give distinct words')
    unknown = [
        f'"{word}" (topics[{number}])' for number, topic in enumerate(topics) for word in topic if word not in column_of
    ]
    if unknown:
        raise PlaitError(
            f"not in the reference vocabulary of {len(column_of):,} words: {join_names(unknown)}; "
            "leave these words out of the topics, or use a reference that contains them"
        )
    return [np.array([column_of[word] for word in topic]) for topic in topics]


def _joint_probabilities(columns: list[np.ndarray], counts: sp.csc_array) -> Iterator[np.ndarray]:
    """Yield, for each topic, the share of documents that contain each pair of its words (diagonal: each word).

    One product per topic is faster than one over the words of all topics, which computes pairs across topics, and its
    memory does not grow with the number of topics.
    """
    for topic in columns:
        present = counts[:, topic]
        present.sum_duplicates()
        present.data = (present.data > 0).astype(np.int64)
        yield (present.T @ present).toarray() / counts.shape[0]


def _mean_npmi(joint: np.ndarray) -> float:
    """Return the mean NPMI over pairs of words, with -1 for pairs that never co-occur."""
    single = joint.diagonal()
    first, second = np.triu_indices(len(joint), k=1)
    pair = joint[first, second]
    npmi = np.full(len(pair), -1.0)
    npmi[pair == 1] = 1.0
    inside = (pair > 0) & (pair < 1)
    expected = single[first[inside]] * single[second[inside]]
    npmi[inside] = np.log(pair[inside] / expected) / -np.log(pair[inside])
    return float(npmi.mean())


def _c_v(joint: np.ndarray) -> float:
    """Return C_v: the mean cosine of each word's context vector with the sum of all context vectors."""
    single = joint.diagonal()
    expected = np.outer(single, single)
    context = np.zeros_like(joint)
    context[joint == 1] = 1.0
    inside = (expected > 0) & (joint < 1)
    smoothed = joint[inside] + C_V_EPSILON
    context[inside] = np.log(smoothed / expected[inside]) / -np.log(smoothed)
    total = context.sum(axis=0)
    norms = np.linalg.norm(context, axis=1) * np.linalg.norm(total)
    cosines = np.divide(context @ total, norms, out=np.zeros(len(joint)), where=norms > 0)
    return float(cosines.mean())
