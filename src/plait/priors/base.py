"""The contract of a prior: a specification that says β, as one number or as a table topics × words."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np


@runtime_checkable
class Prior(Protocol):
    """Pseudo-counts β_kw that a topic k holds of a word w before it sees any."""

    def pseudo_counts(self, n_topics: int, n_words: int) -> float | np.ndarray:
        """Return β: one number for all, or an array topics × words."""


@runtime_checkable
class NamedPrior(Protocol):
    """A prior that knows words by their names, and must be laid onto a vocabulary before it says β."""

    def for_vocabulary(self, vocabulary: np.ndarray | None, n_topics: int) -> Prior:
        """Return what it says of these words (None where words have no names, which it may refuse)."""


def laid_onto(prior: Prior, vocabulary: np.ndarray | None, n_topics: int) -> Prior:
    """Return a prior as it stands for the words of a corpus; most do not ask which these are."""
    return prior.for_vocabulary(vocabulary, n_topics) if isinstance(prior, NamedPrior) else prior


def as_prior(beta: Any) -> Prior:
    """Return the prior that a user's `beta` stands for: a number, an array, or a prior itself.

    Examples
    --------
    >>> as_prior(0.1)
    SymmetricPrior(value=0.1)
    """
    from plait.priors.symmetric import SymmetricPrior
    from plait.priors.table import TablePrior

    if isinstance(beta, Prior) and not isinstance(beta, type):
        return beta
    if np.ndim(beta) == 0:
        return SymmetricPrior(beta)
    return TablePrior(beta)
