"""The symmetric prior: every topic expects every word equally."""

from __future__ import annotations

from dataclasses import dataclass

from plait._utils.validation import check_positive


@dataclass(frozen=True)
class SymmetricPrior:
    """The same pseudo-count for every word and topic.

    Examples
    --------
    >>> SymmetricPrior(0.01).pseudo_counts(n_topics=2, n_words=5)
    0.01
    """

    value: float = 0.01

    def pseudo_counts(self, n_topics: int, n_words: int) -> float:
        """Return β."""
        return float(check_positive("beta", self.value))
