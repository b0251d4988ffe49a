"""The contract of a prior: a specification that says β, as one number or as a table topics × words."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np

from plait.errors import PlaitError


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


AnyPrior = Prior | NamedPrior


def laid_onto(prior: AnyPrior, vocabulary: np.ndarray | None, n_topics: int) -> Prior:
    """Return a prior as it stands for the words of a corpus; most do not ask which these are."""
    return prior.for_vocabulary(vocabulary, n_topics) if isinstance(prior, NamedPrior) else prior


def is_prior(value: Any) -> bool:
    """Whether a value is a prior, and not the class of one."""
    return isinstance(value, Prior | NamedPrior) and not isinstance(value, type)


def topic_names(prior: AnyPrior) -> tuple[str, ...]:
    """Return the names that a prior has for its topics, the first ones; most have none."""
    return tuple(getattr(prior, "topic_names", ()))


def columns_of_words(prior: AnyPrior, vocabulary: np.ndarray | None) -> dict[str, int]:
    """Return where each word of a vocabulary stands; refuse input whose words have no names.

    Examples
    --------
    >>> columns_of_words(None, np.array(["sea", "fox"]))
    {'sea': 0, 'fox': 1}
    """
    if vocabulary is None:
        raise PlaitError(
            f"{type(prior).__name__} knows words by their names, and the columns of this input have none; give a "
            "Corpus, or a data frame whose columns are named by words"
        )
    return {str(word): column for column, word in enumerate(vocabulary)}


def as_prior(beta: Any) -> AnyPrior:
    """Return the prior that a user's `beta` stands for: a number, an array, or a prior itself.

    Examples
    --------
    >>> as_prior(0.1)
    SymmetricPrior(value=0.1)
    """
    from plait.priors.symmetric import SymmetricPrior
    from plait.priors.table import TablePrior

    if is_prior(beta):
        prior: AnyPrior = beta
        return prior
    if np.ndim(beta) == 0:
        return SymmetricPrior(beta)
    return TablePrior(beta)
