"""The word-counts prior: what topics that were learnt elsewhere have seen of words, known by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from plait._utils.validation import check_above_zero, check_positive
from plait.errors import PlaitError
from plait.priors.base import columns_of_words
from plait.priors.table import TablePrior


@dataclass(frozen=True, eq=False, repr=False)
class WordCountsPrior:
    """Counts of words in topics that were learnt elsewhere, added to β: eq. (10.7) of AlSumait et al. (2010).

    β of topic k and word w is base + strength × counts. Words of a corpus that the prior does not know have the base
    alone, and so have all words of topics beyond those of the prior. The order of words does not matter.

    Parameters
    ----------
    words
        The words of the columns.
    counts
        How often each topic has seen each word, topics × words.
    strength
        What an earlier occurrence counts beside one in the documents; 1 is the paper's.
    base
        How often any topic has seen any word beforehand (β of the plain model).

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
            raise PlaitError("words holds the same word twice; add up its counts and name it once")
        if not (np.isfinite(counts).all() and (counts >= 0).all()):
            raise PlaitError("counts holds a number that is negative or not finite; a count is 0 or more")
        check_above_zero("strength, what an earlier occurrence counts beside one in the documents,", self.strength)
        check_positive("base", self.base)
        for array in (words, counts):
            array.flags.writeable = False
        object.__setattr__(self, "words", words)
        object.__setattr__(self, "counts", counts)

    @property
    def n_topics(self) -> int:
        """How many topics it has counts of."""
        return int(self.counts.shape[0])

    def for_vocabulary(self, vocabulary: np.ndarray | None, n_topics: int) -> TablePrior:
        """Return the same as a table topics × words of a vocabulary; see `plait.priors.NamedPrior`."""
        column_of = columns_of_words(self, vocabulary)
        if n_topics < self.n_topics:
            raise PlaitError(
                f"the {type(self).__name__} has {self.n_topics} topics, but the model has n_topics={n_topics}; give "
                f"n_topics={self.n_topics} (with more, the others are plain topics), or make the prior again with "
                f"n_topics={n_topics}"
            )
        known = np.array([word in column_of for word in self.words])
        if not known.any():
            ours, theirs = ", ".join(list(column_of)[:3]), ", ".join(self.words[:3])
            raise PlaitError(
                f"the documents have none of the {self.words.size:,} words of the {type(self).__name__} (theirs are "
                f"such as {ours}; the prior's such as {theirs}); make the prior for this corpus, and cut both into "
                "words in the same way (tokenizer, lower case, stems)"
            )
        table = np.full((n_topics, len(column_of)), float(self.base))
        columns = [column_of[word] for word in self.words[known]]
        table[: self.n_topics, columns] += self.strength * self.counts[:, known]
        return TablePrior(table)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        numbers = (self.strength, self.base) == (other.strength, other.base)
        return bool(numbers and np.array_equal(self.words, other.words) and np.array_equal(self.counts, other.counts))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        size = f"{self.n_topics} topics, {self.words.size:,} words"
        return f"{type(self).__name__}({size}, strength={self.strength:g}, base={self.base:g})"
