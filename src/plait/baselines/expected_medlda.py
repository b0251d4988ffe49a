"""MedLDA with an expected classifier: Jiang, Zhu, Sun and Xing (2012), the baseline of Zhu et al. (2013), Figure 1.

The margin is asked of the expected value, y E[η·z̄] ≥ ℓ − ξ, with the penalty 2c Σ ξ, in place of the expected loss of
values drawn from the posterior (plait.MedLDA). The optimal q has two parts, which are updated in turn:

- q(η) = N(μ, ν² I) with μ = ν² Σ_d a_d y_d z̄_d, where 0 ≤ a_d ≤ 2c solve the dual of a support vector machine on z̄:
  max Σ a_d ℓ − ν²/2 |Σ a_d y_d z̄_d|², by coordinate ascent (Hsieh, Chang, Lin, Keerthi and Sundararajan, 2008);
- q(Z) ∝ p(W, Z) exp(Σ_d a_d y_d μ·z̄_d): collapsed Gibbs sampling with a factor exp(Σ_i a_di y_di μ_ik / N_d) of topic k
  for every token of document d.

E[z̄] is a running mean over the samples of the chain, in which the newest has a weight of a tenth: with the z̄ of a
single sample, classifiers follow its noise, and topics follow the classifiers. All labels share topics, as in
multi-task MedLDA.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sparse

from plait._utils.validation import check_above_zero, check_whole
from plait.errors import PlaitError

_PASSES = 10  # of coordinate ascent per sweep; it starts from the last solution
_NEWEST = 0.1  # weight of the newest sample in the running mean of z̄


class ExpectedMedLDA:
    """Topics and max-margin classifiers whose margin is that of expected values; a baseline of MedLDA.

    Parameters
    ----------
    n_topics : int, default 40
        Number of topics.
    alpha : float or None, default None
        Dirichlet prior on document–topic distributions; None: 4 / n_topics.
    beta : float, default 0.01
        Dirichlet prior on topic–word distributions.
    c : float, default 16.0
        Cost of a value on the wrong side of the margin.
    ell : float, default 1.0
        Margin ℓ.
    nu : float, default 1.0
        Prior standard deviation of the weights.
    n_sweeps : int, default 40
        Number of sweeps; the last sample is used.
    fold_in_sweeps : int, default 60
        Sweeps for new documents.
    random_state : int, default 0
        Seed.

    Attributes
    ----------
    weights_ : ndarray of shape (labels, topics)
        μ.
    duals_ : ndarray of shape (documents, labels)
        a; above 0 for documents on or inside the margin.
    topic_word_ : ndarray of shape (topics, words)
        φ.

    Examples
    --------
    >>> counts = np.kron(np.eye(2, dtype=int), np.full((10, 3), 2))
    >>> signs = np.where(np.arange(20) < 10, 1.0, -1.0)[:, np.newaxis]
    >>> model = ExpectedMedLDA(n_topics=2).fit(counts, signs)
    >>> bool((np.sign(model.decision_function(counts)) == signs).all())
    True
    """

    def __init__(
        self,
        n_topics: int = 40,
        *,
        alpha: float | None = None,
        beta: float = 0.01,
        c: float = 16.0,
        ell: float = 1.0,
        nu: float = 1.0,
        n_sweeps: int = 40,
        fold_in_sweeps: int = 60,
        random_state: int = 0,
    ) -> None:
        self.n_topics = n_topics
        self.alpha = alpha
        self.beta = beta
        self.c = c
        self.ell = ell
        self.nu = nu
        self.n_sweeps = n_sweeps
        self.fold_in_sweeps = fold_in_sweeps
        self.random_state = random_state

    def fit(self, counts: Any, signs: np.ndarray) -> ExpectedMedLDA:
        """Fit topics and weights.

        Parameters
        ----------
        counts : array-like or sparse matrix of shape (documents, words)
            Word counts, whole numbers.
        signs : ndarray of shape (documents, labels)
            1 where a document has a label, −1 where it has not, 0 where this is not known.

        Returns
        -------
        ExpectedMedLDA
            This object.
        """
        from plait.baselines.expected_medlda_kernels import solve_dual, sweep
        from plait.engine.sample import Sample
        from plait.samplers.random import stream_key

        check_whole("n_topics", self.n_topics, least=1)
        check_whole("n_sweeps", self.n_sweeps, least=1)
        for name in ("beta", "c", "ell", "nu"):
            check_above_zero(name, getattr(self, name))
        matrix = sparse.csr_array(counts)
        matrix.sort_indices()
        signs = np.asarray(signs, np.float64)
        if signs.shape[:1] != matrix.shape[:1] or signs.ndim != 2 or not np.isin(signs, (-1.0, 0.0, 1.0)).all():
            raise PlaitError(f"signs must be 1, −1 or 0, documents × labels, with {matrix.shape[0]:,} rows")
        whole = matrix.data.astype(np.int64)
        if (whole != matrix.data).any() or (whole < 0).any():
            raise PlaitError("counts must be whole numbers of at least 0")
        words = np.repeat(matrix.indices, whole).astype(np.int64)
        starts = np.concatenate([[0], np.cumsum(whole)])[matrix.indptr].astype(np.int64)
        lengths = np.maximum(np.diff(starts), 1)[:, np.newaxis]
        documents = np.repeat(np.arange(matrix.shape[0]), np.diff(starts))
        random = np.random.default_rng(self.random_state)
        topics = random.integers(self.n_topics, size=words.size).astype(np.int64)
        doc_topic, word_topic = np.zeros((matrix.shape[0], self.n_topics)), np.zeros((matrix.shape[1], self.n_topics))
        np.add.at(doc_topic, (documents, topics), 1)
        np.add.at(word_topic, (words, topics), 1)
        totals, room = word_topic.sum(axis=0), np.zeros(self.n_topics)
        self.duals_, self.weights_ = np.zeros(signs.shape), np.zeros((signs.shape[1], self.n_topics))
        alpha = 4.0 / self.n_topics if self.alpha is None else float(self.alpha)
        means = np.zeros(doc_topic.shape)
        for number in range(self.n_sweeps):
            exponents = (self.duals_ * signs) @ self.weights_ / lengths
            factors = np.exp(exponents - exponents.max(axis=1, keepdims=True))
            key = stream_key(self.random_state, "expected MedLDA", number)
            sweep(starts, words, topics, doc_topic, word_topic, totals, factors, alpha, float(self.beta), key, room)
            means = doc_topic / lengths if number == 0 else means + _NEWEST * (doc_topic / lengths - means)
            solve_dual(means, signs, 2.0 * self.c, self.nu**2, float(self.ell), _PASSES, self.duals_, self.weights_)
        kept = sparse.csr_array(word_topic.astype(np.int32))
        self._sample = Sample(kept, np.full(self.n_topics, alpha), float(self.beta), [], None)
        self.topic_word_ = self._sample.topic_word()
        return self

    def decision_function(self, counts: Any) -> np.ndarray:
        """Return the values of new documents.

        Parameters
        ----------
        counts : array-like or sparse matrix of shape (documents, words)
            Word counts of new documents.

        Returns
        -------
        ndarray of shape (documents, labels)
            μ·z̄; above 0 speaks for a label.
        """
        from plait.engine.fold_in import FoldIn
        from plait.executors import open_executor

        fold_in = FoldIn([self._sample], False, self.random_state)
        with open_executor(None, None) as executor:
            (means,) = fold_in.mean_topics(sparse.csr_array(counts), self.fold_in_sweeps, executor)
        return np.asarray(means @ self.weights_.T)
