"""The table prior: an array with one pseudo-count per word, or per topic and word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from plait._utils.topic_rows import Origins, largest_rows
from plait._utils.validation import check_positive
from plait.errors import PlaitError


@dataclass(frozen=True, eq=False)
class TablePrior:
    """Pseudo-counts from an array.

    Parameters
    ----------
    table : array-like of shape (n_words,) or (n_topics, n_words)
        Pseudo-count of each word, or of each topic and word.

    Examples
    --------
    >>> TablePrior([0.1, 0.2, 0.1]).pseudo_counts(n_topics=2, n_words=3)
    array([[0.1, 0.2, 0.1],
           [0.1, 0.2, 0.1]])
    """

    table: Any

    def pseudo_counts(self, n_topics: int, n_words: int) -> np.ndarray:
        """Return the pseudo-counts β.

        Parameters
        ----------
        n_topics : int
            Number of topics of the model.
        n_words : int
            Size of the vocabulary.

        Returns
        -------
        ndarray of shape (n_topics, n_words)
            β.
        """
        table = check_positive("beta", self.table)
        if table.shape not in ((n_words,), (n_topics, n_words)):
            raise PlaitError(
                f"beta has the shape {table.shape}; for {n_topics} topics and {n_words} words it must be "
                f"({n_words},) or ({n_topics}, {n_words})"
            )
        return np.array(np.broadcast_to(table, (n_topics, n_words)))

    def with_topics(self, origins: Origins) -> TablePrior:
        """Return the prior of edited topics: the larger pseudo-counts for merged topics, copies for split ones.

        Parameters
        ----------
        origins : sequence of sequence of int
            Topics that each new topic is made of.
        """
        table = np.asarray(self.table, dtype=np.float64)
        return self if table.ndim < 2 else TablePrior(largest_rows(table, origins))
