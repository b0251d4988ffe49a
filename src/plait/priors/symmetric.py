"""The symmetric Dirichlet prior: one pseudo-count for every topic and word."""

from __future__ import annotations

from dataclasses import dataclass

from plait._utils.validation import check_positive


@dataclass(frozen=True)
class SymmetricPrior:
    """The same pseudo-count for every topic and word.

    Parameters
    ----------
    value : float, default 0.01
        The pseudo-count β.

    Examples
    --------
    >>> SymmetricPrior(0.01).pseudo_counts(n_topics=2, n_words=5)
    0.01
    """

    value: float = 0.01

    def pseudo_counts(self, n_topics: int, n_words: int) -> float:
        """Return the pseudo-count β.

        Parameters
        ----------
        n_topics : int
            Number of topics; ignored.
        n_words : int
            Size of the vocabulary; ignored.

        Returns
        -------
        float
            β.
        """
        return float(check_positive("beta", self.value))
