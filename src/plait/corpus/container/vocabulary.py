"""The vocabulary of a corpus: replaced, restricted or filtered."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array

from plait.corpus.container.frozen import frozen_texts, release
from plait.corpus.problems import CorpusError, Problems
from plait.corpus.text.frequencies import Limit, WordFrequencies, check_limits
from plait.corpus.text.stop_words import load_stop_words
from plait.corpus.values import shown

if TYPE_CHECKING:
    from plait.corpus.container.corpus import Corpus


OUTSIDE = "token outside the vocabulary"


def align_counts(
    counts: csr_array, words: np.ndarray, vocabulary: np.ndarray
) -> tuple[csr_array, np.ndarray, np.ndarray]:
    """Return counts in the columns of another vocabulary, and what is outside it.

    Parameters
    ----------
    counts : csr_array of shape (documents, words)
        The counts.
    words : object array of str
        The words of the columns.
    vocabulary : object array of str
        The vocabulary to align the columns with.

    Returns
    -------
    aligned : csr_array of shape (documents, len(vocabulary))
        Counts of the words in the vocabulary.
    outside : object array of str
        Words that are not in the vocabulary.
    tokens : float64 array
        Number of tokens of each of these words.
    """
    column_of = {word: column for column, word in enumerate(vocabulary)}
    new_column = np.array([column_of.get(word, -1) for word in words], dtype=np.int32)
    kept = new_column[counts.indices] >= 0
    # The new start of a row is the number of kept entries before it.
    starts = np.concatenate(([0], np.cumsum(kept)))[counts.indptr]
    matrix = csr_array(
        (counts.data[kept], new_column[counts.indices[kept]], starts),
        shape=(counts.shape[0], len(vocabulary)),
    )
    matrix.sort_indices()
    outside = np.flatnonzero(new_column < 0)
    tokens = np.bincount(counts.indices, weights=counts.data, minlength=len(words))[outside]
    return matrix, words[outside], tokens


def with_vocabulary(corpus: Corpus, vocabulary: Iterable[str]) -> Corpus:
    """Return the documents over another vocabulary; see `Corpus.with_vocabulary`."""
    if isinstance(vocabulary, str):
        raise CorpusError(f"vocabulary is {shown(vocabulary)}; give a list of words")
    new = frozen_texts(vocabulary)
    counts, outside, tokens = align_counts(corpus.counts, corpus.vocabulary, new)
    problems = Problems("skip")
    if tokens.any():
        most_frequent = outside[np.argsort(-tokens, kind="stable")]
        problems.note(
            OUTSIDE,
            *(f"word {shown(word)}" for word in most_frequent[:3]),
            count=int(np.ceil(tokens.sum())),
        )
    return corpus._with(counts=release(counts), vocabulary=new, skipped=corpus.skipped + problems.skipped())


def restrict(corpus: Corpus, words: Iterable[str]) -> Corpus:
    """Return the documents with only these words; see `Corpus.restrict`."""
    if isinstance(words, str):
        raise CorpusError(f"words is {shown(words)}; give a list of words")
    wanted = set(words)
    unknown = sorted(wanted - set(corpus.vocabulary), key=str)
    if unknown:
        raise CorpusError(
            f"{len(unknown):,} of the {len(wanted):,} words are not in the vocabulary, the first is "
            f"{shown(unknown[0])}; leave them out, or use with_vocabulary() to add columns for them"
        )
    return with_vocabulary(corpus, [word for word in corpus.vocabulary if word in wanted])


def filter_words(
    corpus: Corpus, stop_words: Any, min_df: Limit, max_df: Limit, max_words: int | None, even_words: str
) -> Corpus:
    """Return the documents without stop words, rare words and common words; see `Corpus.filter_words`."""
    check_limits(min_df, max_df, max_words, even_words)
    found = frequencies(corpus.counts, corpus.vocabulary)
    min_df, max_df, even_words = found.resolve(min_df, max_df, even_words, corpus.text_options is not None)
    kept = found.keep(load_stop_words(stop_words), min_df, max_df, max_words, even_words)
    columns = np.flatnonzero(kept)
    options = corpus.text_options
    if options is not None:
        options = replace(options, min_df=min_df, max_df=max_df, max_words=max_words, even_words=even_words)
    return corpus._with(
        counts=release(corpus.counts[:, columns]), vocabulary=corpus.vocabulary[columns], text_options=options
    )


def frequencies(counts: csr_array, vocabulary: np.ndarray) -> WordFrequencies:
    """Return the number of tokens and of documents of each word.

    Parameters
    ----------
    counts : csr_array of shape (documents, words)
        The counts.
    vocabulary : object array of str
        The words of the columns.

    Returns
    -------
    WordFrequencies
        The frequencies.
    """
    return WordFrequencies(
        words=vocabulary,
        totals=np.bincount(counts.indices, weights=counts.data, minlength=len(vocabulary)),
        documents=np.bincount(counts.indices, minlength=len(vocabulary)),
        n_documents=counts.shape[0],
    )
