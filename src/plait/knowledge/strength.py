"""Choice of the strength of a knowledge prior by held-out perplexity."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from plait.corpus import Corpus
from plait.errors import PlaitError
from plait.knowledge.learning import Learn, fit_model
from plait.metrics import split_documents
from plait.models import LDA
from plait.priors import WordCountsPrior

_N_FOLDS = 5
_FEW = 1_000  # documents; of more, one fold is enough
_N_TRIED = 3  # folds of few documents
_MOST_DOCUMENTS = 2_000  # that strengths are compared on


@dataclass(frozen=True)
class StrengthTrial:
    """A strength and its held-out perplexity.

    Attributes
    ----------
    strength : float
        Strength of the prior; 0 for a learned symmetric prior.
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
    model: LDA, corpus: Corpus, learn: Learn, strengths: Sequence[float], seed: int = 0
) -> tuple[StrengthTrial, ...]:
    """Return the held-out perplexity of a learned symmetric prior and of each strength.

    Parameters
    ----------
    model : LDA
        Unfitted model; it is cloned, and its `beta` is replaced.
    corpus : Corpus
        The documents. A fifth of them is held out at a time, and one half of the tokens of each of these is predicted
        from the other half.
    learn : callable
        Returns the prior of training documents.
    strengths : sequence of float
        Strengths to compare.
    seed : int, default 0
        Seed of the folds.

    Returns
    -------
    tuple of StrengthTrial
        Strength 0 (the learned symmetric prior) first, then the strengths in the order given. Perplexities are
        geometric means over folds.
    """
    if len(corpus) < _N_FOLDS:
        raise PlaitError(
            f'strength="auto" holds out a fifth of the documents; of {len(corpus)} it cannot, so give a number'
        )
    if len(corpus) > _MOST_DOCUMENTS:
        rows = np.random.default_rng(seed).choice(len(corpus), _MOST_DOCUMENTS, replace=False)
        corpus = corpus.select(np.sort(rows))
    folds = split_documents(len(corpus), _N_FOLDS, seed)[: _N_TRIED if len(corpus) <= _FEW else 1]
    logs = np.zeros(1 + len(strengths))
    for training_rows, held_out_rows in folds:
        training, held_out = corpus.select(training_rows), corpus.select(held_out_rows)
        learned = learn(training)
        fitted = [learned.plain]
        for strength in strengths:
            beta = WordCountsPrior(learned.words, learned.counts, strength, learned.base)
            fitted.append(fit_model(model, training, beta))
        logs += np.log([one.perplexity(held_out) for one in fitted])
    means = np.exp(logs / len(folds))
    return tuple(StrengthTrial(float(s), float(mean)) for s, mean in zip((0.0, *strengths), means, strict=True))


def best_strength(trials: Sequence[StrengthTrial]) -> float:
    """Return the strength with the lowest perplexity; warn if it is 0, which is a learned symmetric prior.

    Parameters
    ----------
    trials : sequence of StrengthTrial
        Result of `try_strengths`.

    Returns
    -------
    float
        The best strength.
    """
    best = min(trials, key=lambda trial: trial.perplexity)
    if best.strength == 0 and len(trials) > 1:
        other = min(trials[1:], key=lambda trial: trial.perplexity)
        warnings.warn(
            f"the knowledge does not lower the held-out perplexity: {other.perplexity:,.1f} with it at best (strength "
            f"{other.strength:g}), {best.perplexity:,.1f} without; the prior is the learned symmetric one",
            stacklevel=4,
        )
    return best.strength
