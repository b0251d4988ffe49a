"""Supervised LDA: topics that also predict a number; own-document mixing, a prior on words, a value as response.

Blei and McAuliffe (2007), *Supervised topic models*, with collapsed Gibbs sampling in place of variational inference.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from plait.inputs.words import Words
from plait.models.answers.explanation import Explanation
from plait.models.answers.values import ValuePredictions
from plait.models.supervised import SupervisedEstimator
from plait.responses import ValueResponse
from plait.samplers import Sampler


class SupervisedLDA(RegressorMixin, ValuePredictions, SupervisedEstimator):
    """Topics that explain the words of documents and predict a number: a rating, a year, a price.

    Every topic has a weight, and the number is the mean weight of a document's words plus Gaussian noise. Numbers are
    scaled to mean 0 and standard deviation 1 for learning, so that `sigma` and `nu` mean the same on every scale.

    Parameters
    ----------
    n_topics
        How many topics to learn.
    sigma
        Standard deviation of the noise, as a share of the numbers' own. Smaller values bind topics to the numbers.
    nu
        Standard deviation of the weights' Gaussian prior, in the same unit.
    cached, alpha, beta, sampler, n_chains, n_sweeps, n_samples, sample_every, tolerance, learn_alpha, learn_beta
        As for `MedLDA`.
    fold_in_sweeps, n_shards, n_jobs, random_state, verbose
        As for `LDA`.

    Attributes
    ----------
    weights_ : array (topics,)
        What each topic says of the number, in its own unit, averaged over the first chain's samples.
    n_unlabelled_ : int
        Training documents without a number (NaN or None); they shape the topics only.

    The attributes of `LDA` are there too (`topic_word_`, `doc_topic_` …).

    Examples
    --------
    >>> from plait import Corpus, SupervisedLDA
    >>> corpus = Corpus.from_texts(["good great film", "bad awful film", "good fine plot", "bad dull plot"] * 9)
    >>> model = SupervisedLDA(n_topics=4, random_state=0).fit(corpus, [9, 2, 8, 1] * 9)
    >>> good, bad = model.predict(Corpus.from_texts(["great", "awful"]))
    >>> bool(good > 7 and bad < 3)
    True
    """

    def __init__(
        self,
        n_topics: int = 20,
        *,
        sigma: float = 0.25,
        nu: float = 2.0,
        cached: bool | None = None,
        alpha: Any = None,
        beta: Any = 0.01,
        sampler: str | Sampler = "plain",
        n_chains: int = 4,
        n_sweeps: int = 60,
        n_samples: int = 5,
        sample_every: int = 5,
        tolerance: float = 0.0,
        learn_alpha: bool = False,
        learn_beta: bool = False,
        fold_in_sweeps: int = 12,
        n_shards: int | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: bool = True,
    ) -> None:
        self.n_topics = n_topics
        self.sigma = sigma
        self.nu = nu
        self.cached = cached
        self.alpha = alpha
        self.beta = beta
        self.sampler = sampler
        self.n_chains = n_chains
        self.n_sweeps = n_sweeps
        self.n_samples = n_samples
        self.sample_every = sample_every
        self.tolerance = tolerance
        self.learn_alpha = learn_alpha
        self.learn_beta = learn_beta
        self.fold_in_sweeps = fold_in_sweeps
        self.n_shards = n_shards
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def predict(self, X: Any) -> np.ndarray:
        """Return the number of every document, averaged over samples."""
        return self._numbers(X, "predict")

    def explain(self, document: Any, top: int = 10) -> Explanation:
        """Say which topics and words of a document push its number up, and which down, from the training mean.

        Parameters
        ----------
        document
            A text, a Corpus of one document, or a row of counts.
        top
            How many topics and words to name.
        """
        return self.explain_value(document, top)

    @property
    def _explained(self) -> tuple[ValueResponse]:
        return (ValueResponse(self.sigma, self.nu),)

    def _read_targets(self, X: Any, y: Any, words: Words) -> dict[str, np.ndarray]:
        (values,) = self._explained
        return {"values": values.read(X, y, words, self.n_topics, name="y")}

    def _take_over(self, fit: Any, *chain_and_plans: Any, finished: bool) -> None:
        super()._take_over(fit, *chain_and_plans, finished=finished)
        self.n_unlabelled_ = int(np.isnan(fit.given["values"]).sum())
        self.weights_ = self._mean_value_weights()
