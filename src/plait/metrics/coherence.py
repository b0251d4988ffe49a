"""Topic coherence (NPMI; C_v of Röder, Both and Hinneburg, 2015) and topic diversity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import scipy.sparse as sp

from plait.errors import PlaitError

if TYPE_CHECKING:
    from plait.corpus import Corpus

Measure = Literal["npmi", "c_v"]

# ε in Röder, Both and Hinneburg (2015): keeps the logarithm finite for a pair that never occurs together.
C_V_EPSILON = 1e-12


def coherence(
    topics: Sequence[Sequence[str]],
    corpus_or_counts: Corpus | sp.sparray | sp.spmatrix | np.ndarray,
    vocabulary: Sequence[str] | None = None,
    *,
    measure: Measure = "npmi",
) -> np.ndarray:
    """Say how well the top words of each topic belong together in a reference corpus.

    Probabilities are shares of documents: a word, or a pair of words, occurs in a document or does not.

    Parameters
    ----------
    topics : sequence of sequences of str
        The top words of each topic, at least two distinct words a topic.
    corpus_or_counts : Corpus, array or sparse matrix
        The reference: a :class:`~plait.corpus.Corpus`, or counts (documents × words, sparse or dense).
    vocabulary : sequence of str, optional
        The word of each column of the counts. A corpus brings its own, so give it with counts only.
    measure : {"npmi", "c_v"}
        ``"npmi"``: the mean over a topic's pairs of words of the normalised pointwise mutual information,
        between -1 and 1. A pair that never occurs together gives -1, and a pair that is in every document
        gives 1 (the limits of the formula). ``"c_v"``: the mean over a topic's words of the cosine between
        the word's context vector and the sum of the context vectors of all the topic's words, where a
        context vector holds a word's NPMI with each word of the topic (one-set segmentation, γ = 1,
        ε = 1e-12). A word that occurs in no document has an empty context vector: its cosine counts as 0.

    Returns
    -------
    ndarray of shape (topics,)
        One value a topic (float64), in the order of `topics`.

    Notes
    -----
    Röder, Both and Hinneburg (2015) count C_v in windows of 110 tokens that slide over the text, as gensim
    does. A bag of words has no order, so the window here is the whole document: for documents of at most 110
    tokens the two are the same, for longer ones the figures differ and should not be compared. gensim also
    adds ε in its own NPMI, which lifts a pair that never occurs together above -1, and gives -1 to a pair
    that is in every document; a topic's word that no document holds it leaves out.

    Examples
    --------
    >>> counts = np.array([[1, 2, 0, 0], [3, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 0]])
    >>> words = ["cat", "dog", "bond", "share"]
    >>> coherence([["cat", "dog"], ["bond", "share"], ["cat", "bond"]], counts, words).round(3)
    array([ 1. ,  0.5, -1. ])
    """
    if measure not in ("npmi", "c_v"):
        raise PlaitError(f'measure={measure!r} is not known; give "npmi" or "c_v"')
    score = _mean_npmi if measure == "npmi" else _c_v
    counts, words = _reference(corpus_or_counts, vocabulary)
    columns = _columns(_checked_topics(topics, fewest=2), words)
    return np.array([score(joint) for joint in _joint_probabilities(columns, counts)], dtype=np.float64)


def topic_diversity(topics: Sequence[Sequence[str]]) -> float:
    """Return the share of distinct words among the top words of all topics (Dieng, Ruiz and Blei, 2020).

    Parameters
    ----------
    topics : sequence of sequences of str
        The top words of each topic.

    Returns
    -------
    float
        1 when no two topics share a word; one over the number of topics when all are alike.

    Examples
    --------
    >>> topic_diversity([["cat", "dog"], ["cat", "fish"]])
    0.75
    """
    words = [word for topic in _checked_topics(topics, fewest=1) for word in topic]
    return len(set(words)) / len(words)


def _checked_topics(topics: Sequence[Sequence[str]], fewest: int) -> list[list[str]]:
    """Return the topics as lists, refusing what is not a list of lists of distinct words."""
    checked = []
    for number, topic in enumerate(topics):
        if isinstance(topic, str):
            raise PlaitError(f'topics[{number}] is the single word "{topic}"; give one list of words a topic')
        words = [str(word) for word in topic]
        if len(words) < fewest:
            raise PlaitError(f"topics[{number}] has {len(words)} word(s); give at least {fewest}")
        if len(set(words)) < len(words):
            twice = next(word for word in words if words.count(word) > 1)
            raise PlaitError(f'topics[{number}] names "{twice}" more than once; give each word once a topic')
        checked.append(words)
    if not checked:
        raise PlaitError("topics is empty; give the top words of at least one topic")
    return checked


def _reference(corpus_or_counts: Any, vocabulary: Sequence[str] | None) -> tuple[sp.csc_array, list[str]]:
    """Return the counts by column and their words, from a corpus or from counts with a vocabulary."""
    from plait.corpus import Corpus

    if isinstance(corpus_or_counts, Corpus):
        if vocabulary is not None:
            raise PlaitError("vocabulary is given with a corpus, which has its own; leave vocabulary out")
        counts, words = corpus_or_counts.counts, list(corpus_or_counts.vocabulary)
    else:
        if vocabulary is None:
            raise PlaitError("counts need their words; give vocabulary=, one word a column, or pass a Corpus")
        counts, words = corpus_or_counts, list(vocabulary)
        if np.ndim(counts) != 2 and not sp.issparse(counts):
            raise PlaitError(f"counts have {np.ndim(counts)} dimension(s); give documents × words")
    by_column = sp.csc_array(counts)
    if by_column.shape[1] != len(words):
        raise PlaitError(
            f"counts have {by_column.shape[1]:,} columns, vocabulary has {len(words):,} words; give one word a column"
        )
    if by_column.shape[0] == 0:
        raise PlaitError("the reference has no documents, so nothing can be counted; give at least one document")
    return by_column, words


def _columns(topics: list[list[str]], words: list[str]) -> list[np.ndarray]:
    """Return the column of each word of each topic; words that have none are an error that names them."""
    column_of = {word: column for column, word in enumerate(words)}
    if len(column_of) < len(words):
        twice = next(word for column, word in enumerate(words) if column_of[word] != column)
        raise PlaitError(f'vocabulary names "{twice}" more than once; give each column a word of its own')
    unknown = [
        f'"{word}" (topics[{number}])' for number, topic in enumerate(topics) for word in topic if word not in column_of
    ]
    if unknown:
        more = f" and {len(unknown) - 10:,} more" if len(unknown) > 10 else ""
        raise PlaitError(
            f"not in the reference vocabulary of {len(column_of):,} words: {', '.join(unknown[:10])}{more}; "
            "leave these words out of the topics, or take a reference that holds them"
        )
    return [np.array([column_of[word] for word in topic]) for topic in topics]


def _joint_probabilities(columns: list[np.ndarray], counts: sp.csc_array) -> Iterator[np.ndarray]:
    """Yield, for each topic, the share of documents that hold each pair of its words (diagonal: each word).

    A product a topic is quicker than one over the words of all topics, which computes pairs nobody asked
    for, and its memory does not grow with the number of topics.
    """
    for topic in columns:
        present = counts[:, topic]
        present.sum_duplicates()
        present.data = (present.data > 0).astype(np.int64)
        yield (present.T @ present).toarray() / counts.shape[0]


def _mean_npmi(joint: np.ndarray) -> float:
    """Return the mean NPMI over the pairs of words, with -1 for pairs that never occur together."""
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
    """Return C_v: the mean cosine of each word's context vector with the sum of them all."""
    single = joint.diagonal()
    expected = np.outer(single, single)
    context = np.zeros_like(joint)
    context[joint == 1] = 1.0
    inside = (expected > 0) & (joint < 1)
    smoothed = joint[inside] + C_V_EPSILON
    context[inside] = np.log(smoothed / expected[inside]) / -np.log(smoothed)
    whole = context.sum(axis=0)
    norms = np.linalg.norm(context, axis=1) * np.linalg.norm(whole)
    cosines = np.divide(context @ whole, norms, out=np.zeros(len(joint)), where=norms > 0)
    return float(cosines.mean())
