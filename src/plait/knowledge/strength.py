"""Choice of the strength of a knowledge prior by held-out perplexity."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sklearn.base import clone

from plait.corpus import Corpus
from plait.models import TopicEstimator
from plait.priors import WordCountsPrior

STRENGTHS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)


@dataclass(frozen=True)
class StrengthTrial:
    """A strength and its held-out perplexity.

    Attributes
    ----------
    strength : float
        Strength of the prior; 0 for a model without the prior.
    perplexity : float
        Perplexity of the held-out documents.

    Examples
    --------
    >>> min([StrengthTrial(0.0, 898.3), StrengthTrial(0.01, 897.5)], key=lambda trial: trial.perplexity).strength
    0.01
    """

    strength: float
    perplexity: float


def try_strengths(
    model: TopicEstimator,
    words: Any,
    counts: Any,
    base: float,
    corpus: Corpus,
    strengths: Sequence[float] = STRENGTHS,
    holdout: float = 0.2,
    seed: int = 0,
) -> tuple[StrengthTrial, ...]:
    """Return the held-out perplexity without the prior and with each strength.

    Parameters
    ----------
    model : TopicEstimator
        Unfitted model; it is cloned, and its `beta` is replaced.
    words : sequence of str
        Words of the prior.
    counts : array-like of shape (n_topics, n_words)
        Topic–word counts of the prior.
    base : float
        Pseudo-count of words without counts.
    corpus : Corpus
        The documents.
    strengths : sequence of float, default STRENGTHS
        Strengths to compare.
    holdout : float, default 0.2
        Share of the documents that is held out. One half of the tokens of each is predicted from the other half.
    seed : int, default 0
        Seed of the choice of held-out documents.

    Returns
    -------
    tuple of StrengthTrial
        Strength 0 (no prior) first, then the strengths in the order given.
    """
    training, held_out = corpus.split(holdout, random_state=seed)
    trials = []
    for strength in (0.0, *strengths):
        beta = WordCountsPrior(words, counts, strength, base) if strength else base
        fitted = clone(model).set_params(beta=beta).fit(training)
        if fitted.interrupted_:
            raise KeyboardInterrupt("interrupted before all strengths were compared")
        trials.append(StrengthTrial(strength, fitted.perplexity(held_out)))
    return tuple(trials)


def best_strength(trials: Sequence[StrengthTrial]) -> float:
    """Return the strength with the lowest perplexity; warn if a model without the prior has a lower one.

    Parameters
    ----------
    trials : sequence of StrengthTrial
        Result of `try_strengths`.

    Returns
    -------
    float
        The best strength above 0.
    """
    plain, *others = trials
    best = min(others, key=lambda trial: trial.perplexity)
    if plain.perplexity <= best.perplexity:
        warnings.warn(
            f"the articles do not lower the held-out perplexity: {best.perplexity:,.1f} with them at best (strength "
            f"{best.strength:g}), {plain.perplexity:,.1f} without",
            stacklevel=4,
        )
    return best.strength
