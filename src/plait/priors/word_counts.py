"""The word-counts prior: topic–word counts from another corpus, aligned by word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from plait._utils.topic_rows import Origins, sum_rows
from plait._utils.validation import check_above_zero, check_positive
from plait.errors import PlaitError
from plait.priors.base import column_by_word
from plait.priors.symmetric import SymmetricPrior
from plait.priors.table import TablePrior


@dataclass(frozen=True, eq=False, repr=False)
class WordCountsPrior:
    """Topic–word counts from another corpus as pseudo-counts: eq. (10.7) of AlSumait et al. (2010).

    β of topic k and word w is base + strength × counts. Words without counts, and all words of topics beyond those of
    the prior, have the pseudo-count `base`. Words are matched by name; their order does not matter.

    Parameters
    ----------
    words : sequence of str
        Words of the columns.
    counts : array-like of shape (n_topics, n_words)
        Topic–word counts.
    strength : float, default 1.0
        Weight of a counted token relative to a token of the documents; 1 in the paper, 0 for `base` alone.
    base : float, default 0.01
        Symmetric Dirichlet prior on topic–word distributions (β).

    Examples
    --------
    >>> prior = WordCountsPrior(["sea", "fox"], [[3, 0], [0, 5]], strength=0.5, base=0.1)
    >>> prior.for_vocabulary(np.array(["fox", "red"]), n_topics=3).pseudo_counts(3, 2)
    array([[0.1, 0.1],
           [2.6, 0.1],
           [0.1, 0.1]])
    """

    words: Any
    counts: Any
    strength: float = 1.0
    base: float = 0.01

    def __post_init__(self) -> None:
        words = np.array([str(word) for word in self.words], dtype=object)
        counts = np.array(self.counts, dtype=np.float64)
        if counts.ndim != 2 or counts.shape[1] != words.size or not counts.size:
            raise PlaitError(
                f"counts has the shape {counts.shape}; for {words.size} words it must be topics × {words.size}"
            )
        if len(set(words)) < words.size:
            raise PlaitError("words contains the same word twice; merge its columns and sum their counts")
        if not (np.isfinite(counts).all() and (counts >= 0).all()):
            raise PlaitError("counts contains a number that is negative or not finite; counts must be 0 or more")
        if self.strength != 0:
            check_above_zero("strength, the weight of a counted token,", self.strength)
        check_positive("base", self.base)
        for array in (words, counts):
            array.flags.writeable = False
        object.__setattr__(self, "words", words)
        object.__setattr__(self, "counts", counts)

    @property
    def n_topics(self) -> int:
        """Number of topics with counts."""
        return int(self.counts.shape[0])

    def for_vocabulary(self, vocabulary: np.ndarray | None, n_topics: int) -> TablePrior:
        """Return the prior aligned with a vocabulary.

        Parameters
        ----------
        vocabulary : ndarray of str or None
            Words of the columns. None raises an error.
        n_topics : int
            Number of topics of the model, at least the number of topics of the prior.

        Returns
        -------
        TablePrior
            Pseudo-counts topics × words.
        """
        column_of = column_by_word(self, vocabulary)
        if n_topics < self.n_topics:
            raise PlaitError(
                f"the {type(self).__name__} has {self.n_topics} topics, but the model has n_topics={n_topics}; set "
                f"n_topics={self.n_topics} or more (the others have the base prior), or build the prior with "
                f"n_topics={n_topics}"
            )
        known = np.array([word in column_of for word in self.words])
        if not known.any():
            ours, theirs = ", ".join(list(column_of)[:3]), ", ".join(self.words[:3])
            raise PlaitError(
                f"the vocabulary has none of the {self.words.size:,} words of the {type(self).__name__} (words of the "
                f"corpus: {ours}, …; words of the prior: {theirs}, …); build the prior for this corpus, and use the "
                "same tokenizer, case and stemming for both"
            )
        table = np.full((n_topics, len(column_of)), float(self.base))
        columns = [column_of[word] for word in self.words[known]]
        table[: self.n_topics, columns] += self.strength * self.counts[:, known]
        return TablePrior(table)

    def with_topics(self, origins: Origins) -> WordCountsPrior | SymmetricPrior:
        """Return the prior of edited topics: counts are added for merged topics and divided for split ones.

        Parameters
        ----------
        origins : sequence of sequence of int
            Topics that each new topic is made of.
        """
        n_topics = 1 + max(max(own) for own in origins)
        counts = np.zeros((max(n_topics, self.n_topics), self.words.size))
        counts[: self.n_topics] = self.counts
        edited = sum_rows(counts, origins)
        used = np.flatnonzero(edited.any(axis=1))
        if not used.size:
            return SymmetricPrior(self.base)
        return WordCountsPrior(self.words, edited[: used[-1] + 1], self.strength, self.base)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        numbers = (self.strength, self.base) == (other.strength, other.base)
        return bool(numbers and np.array_equal(self.words, other.words) and np.array_equal(self.counts, other.counts))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        size = f"{self.n_topics} topics, {self.words.size:,} words"
        return f"{type(self).__name__}({size}, strength={self.strength:g}, base={self.base:g})"
