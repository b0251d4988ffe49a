"""How much outside knowledge should count: several strengths tried on documents held out."""

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
    """A strength, and the perplexity of documents held out with it; strength 0 is a model without the prior."""

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
    """Fit a model to a part of the documents with each strength, and without the prior, and measure the others.

    Parameters
    ----------
    model
        Whose parameters are used, but for β; it is not changed.
    words, counts, base
        Of the prior.
    corpus
        The documents. A share `holdout` of them is held out; one half of the words of each is predicted from the other.
    """
    training, held_out = corpus.split(holdout, random_state=seed)
    trials = []
    for strength in (0.0, *strengths):
        beta = WordCountsPrior(words, counts, strength, base) if strength else base
        fitted = clone(model).set_params(beta=beta).fit(training)
        if fitted.interrupted_:
            raise KeyboardInterrupt("not all strengths were tried")
        trials.append(StrengthTrial(strength, fitted.perplexity(held_out)))
    return tuple(trials)


def best_strength(trials: Sequence[StrengthTrial]) -> float:
    """Return the strength with the lowest perplexity; warn where a model without the prior does better than all."""
    plain, *others = trials
    best = min(others, key=lambda trial: trial.perplexity)
    if plain.perplexity <= best.perplexity:
        warnings.warn(
            f"the articles do not help to predict documents held out: perplexity {best.perplexity:,.1f} with them at "
            f"best (strength {best.strength:g}), {plain.perplexity:,.1f} without",
            stacklevel=4,
        )
    return best.strength
