"""The contract of a prior: `pseudo_counts` returns β as one number or as an array topics × words."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np

from plait._utils.topic_rows import Origins
from plait.errors import PlaitError


@runtime_checkable
class Prior(Protocol):
    """A prior defined on the columns of a count matrix.

    Examples
    --------
    >>> from plait import SymmetricPrior
    >>> isinstance(SymmetricPrior(0.01), Prior), SymmetricPrior(0.01).pseudo_counts(2, 3)
    (True, 0.01)
    """

    def pseudo_counts(self, n_topics: int, n_words: int) -> float | np.ndarray:
        """Return the pseudo-counts β of all topics and words.

        Parameters
        ----------
        n_topics : int
            Number of topics of the model.
        n_words : int
            Size of the vocabulary.

        Returns
        -------
        float or ndarray of shape (n_topics, n_words)
            One number for all, or β_kw of each topic k and word w.
        """


@runtime_checkable
class WordPrior(Protocol):
    """A prior defined on words; `for_vocabulary` aligns it with a corpus.

    Examples
    --------
    >>> from plait import SeedPrior
    >>> isinstance(SeedPrior({"nature": ["river"]}), WordPrior)
    True
    """

    def for_vocabulary(self, vocabulary: np.ndarray | None, n_topics: int) -> Prior:
        """Return the prior aligned with a vocabulary.

        Parameters
        ----------
        vocabulary : ndarray of str or None
            Words of the columns; None if the input has no words, which a prior may reject.
        n_topics : int
            Number of topics of the model.

        Returns
        -------
        Prior
            A prior defined on the columns of the vocabulary.
        """


AnyPrior = Prior | WordPrior


def align_prior(prior: AnyPrior, vocabulary: np.ndarray | None, n_topics: int) -> Prior:
    """Align a prior with a vocabulary; a prior that is not defined on words is returned unchanged.

    Parameters
    ----------
    prior : Prior or WordPrior
        The prior.
    vocabulary : ndarray of str or None
        Words of the columns; None if the input has no words.
    n_topics : int
        Number of topics of the model.

    Returns
    -------
    Prior
        A prior defined on the columns of the vocabulary.

    Examples
    --------
    >>> from plait import SeedPrior
    >>> prior = align_prior(SeedPrior({"nature": ["river"]}), np.array(["bank", "river"]), 2)
    >>> prior.pseudo_counts(2, 2).tolist()
    [[0.01, 10.01], [0.01, 0.01]]
    """
    return prior.for_vocabulary(vocabulary, n_topics) if isinstance(prior, WordPrior) else prior


def is_prior(value: Any) -> bool:
    """Return whether a value is an instance of a prior.

    Parameters
    ----------
    value : Any
        Any value. The class of a prior is not a prior.

    Returns
    -------
    bool
        Whether the value has the methods of a `Prior` or a `WordPrior`.

    Examples
    --------
    >>> from plait import SymmetricPrior
    >>> is_prior(SymmetricPrior(0.01)), is_prior(SymmetricPrior), is_prior(0.01)
    (True, False, False)
    """
    return isinstance(value, Prior | WordPrior) and not isinstance(value, type)


def edit_prior(prior: AnyPrior, origins: Origins) -> AnyPrior:
    """Return the prior of edited topics.

    A prior that distinguishes topics has a method `with_topics(origins)`. Any other is returned unchanged.

    Parameters
    ----------
    prior : Prior or WordPrior
        The prior.
    origins : sequence of sequence of int
        Topics that each new topic is made of.

    Returns
    -------
    Prior or WordPrior
        A prior of the new topics.

    Examples
    --------
    >>> from plait import SeedPrior
    >>> merged = edit_prior(SeedPrior({"river": ["stream"], "sea": ["wave"]}), [[0, 1]])
    >>> len(merged.seeds)
    1
    """
    edited: AnyPrior = prior.with_topics(origins) if hasattr(prior, "with_topics") else prior
    return edited


def topic_names(prior: AnyPrior) -> tuple[str, ...]:
    """Return the names that a prior gives to the first topics.

    Parameters
    ----------
    prior : Prior or WordPrior
        The prior.

    Returns
    -------
    tuple of str
        Names of the first topics; empty for most priors.

    Examples
    --------
    >>> from plait import SeedPrior, SymmetricPrior
    >>> topic_names(SeedPrior({"nature": ["river"]})), topic_names(SymmetricPrior(0.1))
    (('nature',), ())
    """
    return tuple(getattr(prior, "topic_names", ()))


def column_by_word(prior: AnyPrior, vocabulary: np.ndarray | None) -> dict[str, int]:
    """Return the column of each word; raise an error if the input has no vocabulary.

    Parameters
    ----------
    prior : WordPrior
        Prior that needs the words; the error message names its class.
    vocabulary : ndarray of str or None
        Words of the columns; None if the input has no words.

    Returns
    -------
    dict of str to int
        Column by word.

    Examples
    --------
    >>> column_by_word(None, np.array(["sea", "fox"]))
    {'sea': 0, 'fox': 1}
    """
    if vocabulary is None:
        raise PlaitError(
            f"{type(prior).__name__} is defined on words, and the columns of this input have no names; give a "
            "Corpus, or a data frame with words as column names"
        )
    return {str(word): column for column, word in enumerate(vocabulary)}


def as_prior(beta: Any) -> AnyPrior:
    """Return the prior for a `beta` parameter.

    Parameters
    ----------
    beta : float, array-like or prior
        A number gives a `SymmetricPrior`, an array a `TablePrior`; a prior is returned unchanged.

    Returns
    -------
    Prior or WordPrior
        The prior.

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
