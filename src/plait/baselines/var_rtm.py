"""The relational topic model of Chang and Blei (2009), fitted by variational EM: Var-RTM.

Documents i and j are linked with probability σ(η·(z̄_i ∘ z̄_j) + ν), where z̄ is the mean topic vector of a document.
The posterior is approximated by q(θ | γ) q(z | φ), a product over documents and tokens, and E log σ(…) by log σ at the
mean, with π_ij = m_i ∘ m_j, m = mean of φ over tokens. EM maximises the objective

    Σ_d (words and proportions of d, as in LDA)  +  Σ_links log σ(η·π_ij + ν)  +  ρ log(1 − σ(η·π_α + ν))
        +  smoothing · Σ log p(w | k)  −  ridge/2 · |η|²

E step: q of each document (`var_rtm_documents`). M step: p(w | k) ∝ smoothing + expected tokens, and η, ν maximise
their terms: a concave function with the gradient Σ (1 − σ_ij)(π_ij, 1) − ρ σ_α (π_α, 1) − ridge (η, 0).

By default pairs without a link are not observed. Instead, ρ pseudo-observations of non-links are added, so that not
every pair is predicted as linked; their π_α = (α/Σα) ∘ (α/Σα) is the expected product of the proportions of two
documents drawn from the prior: 1/K² in each topic. The ridge bounds η if they do not (if all linked documents agree in
topics). With `negative_share`, a share of the pairs without a link is drawn at random and observed in place of the
pseudo-observations: terms log(1 − σ(η·π_ij + ν)), the "neg 0.2 %" of Chen, Zhu, Xia and Zhang (2013).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sparse
from scipy.special import expit, log_expit

from plait._utils.validation import check_positive, check_whole
from plait.baselines.network import draw_unlinked, link_ends, read_linked, read_new
from plait.baselines.variational import Rows, csr_rows, initial_topics, normalise_columns
from plait.errors import PlaitError

_RIDGE = 1e-2
_INTERCEPT_RIDGE = 1e-9  # only in Newton's steps: keeps the system solvable if every link has probability 1
_NEWTON_STEPS = 50
_MIN_STEP = 1e-6
_WEIGHT_TOLERANCE = 1e-6
_STEPS = 5  # per document and E step
_NEW_STEPS = 100
_NEW_TOLERANCE = 1e-7  # increase of the objective per token


class VarRTM:
    """Relational topic model with one link weight per topic, fitted by variational EM.

    Parameters
    ----------
    n_topics : int, default 20
        Number of topics K.
    alpha : float, default 0.5
        Symmetric Dirichlet prior on topic proportions.
    smoothing : float, default 0.1
        Pseudo-count of each word in each topic.
    pseudo_non_links : float, default 1.0
        Number of pseudo-observations of non-links per link: ρ = this × the number of links.
    negative_share : float or None, default None
        Share of the pairs without a link that are drawn and observed as such, in place of pseudo-observations.
    n_iterations : int, default 100
        Maximum number of EM iterations.
    tolerance : float, default 1e-5
        Stop when the relative increase of the objective is below this value.
    random_state : int, default 0
        Seed of the initial topics.

    Attributes
    ----------
    weights_ : ndarray of shape (n_topics,)
        η.
    intercept_ : float
        ν.
    topic_word_ : ndarray of shape (n_topics, n_words)
        p(w | k).
    doc_topic_ : ndarray of shape (n_documents, n_topics)
        m, mean topic vectors of the training documents.
    mean_length_ : float
        Mean number of tokens per training document.
    objective_ : list of float
        Objective after each iteration.

    Examples
    --------
    >>> counts = np.kron(np.eye(2, dtype=int), np.ones((4, 3), dtype=int))
    >>> links = np.kron(np.eye(2), np.ones((4, 4)))
    >>> model = VarRTM(n_topics=2).fit(counts, links)
    >>> scores = model.score_links([[1, 1, 1, 0, 0, 0]])
    >>> bool(scores[0, :4].min() > scores[0, 4:].max())
    True
    """

    def __init__(
        self,
        n_topics: int = 20,
        *,
        alpha: float = 0.5,
        smoothing: float = 0.1,
        pseudo_non_links: float = 1.0,
        negative_share: float | None = None,
        n_iterations: int = 100,
        tolerance: float = 1e-5,
        random_state: int = 0,
    ) -> None:
        self.n_topics = n_topics
        self.alpha = alpha
        self.smoothing = smoothing
        self.pseudo_non_links = pseudo_non_links
        self.negative_share = negative_share
        self.n_iterations = n_iterations
        self.tolerance = tolerance
        self.random_state = random_state

    def fit(self, counts: Any, links: Any) -> VarRTM:
        """Fit topics and link weights.

        Parameters
        ----------
        counts : array-like or sparse matrix of shape (n_documents, n_words)
            Word counts.
        links : array-like or sparse matrix of shape (n_documents, n_documents)
            Nonzero entries are links; directions are ignored.

        Returns
        -------
        VarRTM
            This object.
        """
        words, network = read_linked(counts, links)
        self._check_parameters()
        self.mean_length_ = float(words.sum()) / words.shape[0]
        if self.mean_length_ == 0:
            raise PlaitError("none of the documents has a word; give documents with words")
        documents, ends = csr_rows(words), link_ends(network)
        n_links = len(ends[0])
        self._n_pseudo = self.pseudo_non_links * n_links if self.negative_share is None else 0.0  # ρ
        if self.negative_share is not None:
            unlinked = draw_unlinked(network, self.negative_share, np.random.default_rng(self.random_state))
            ends = np.concatenate([ends[0], unlinked[0]]), np.concatenate([ends[1], unlinked[1]])
            network = _signed_network(*ends, n_links, words.shape[0])
        # Sign and number of observations of every row of the regression; the last row has the pseudo-observations.
        self._signs = np.where(np.arange(len(ends[0]) + 1) < n_links, 1.0, -1.0)
        self._numbers = np.append(np.ones(len(ends[0])), self._n_pseudo)
        self.intercept_, self.weights_, self.objective_ = 0.0, np.zeros(self.n_topics), []
        self._word_topic = initial_topics(words, self.n_topics, self.random_state)
        tilts, means = self._initial_state(words.shape[0])
        for _ in range(self.n_iterations):
            value = self._update(documents, network, self._word_topic, tilts, means, _STEPS, 0.0)
            products = np.vstack([means[ends[0]] * means[ends[1]], np.full(self.n_topics, self.n_topics**-2.0)])
            regressors = np.column_stack([products, np.ones(len(products))])
            value += self._link_terms(regressors, np.append(self.weights_, self.intercept_))
            self.objective_.append(value + self._smoothing_term())
            self._word_topic = self._maximise_topics(documents, tilts)
            self._fit_links(regressors)
            if len(self.objective_) > 1:
                rise = self.objective_[-1] - self.objective_[-2]
                if rise < self.tolerance * abs(self.objective_[-1]):
                    break
        self.doc_topic_, self.topic_word_ = means, self._word_topic.T
        return self

    def transform(self, counts: Any) -> np.ndarray:
        """Return the mean topic vectors of new documents, given their words.

        Parameters
        ----------
        counts : array-like or sparse matrix of shape (n_new, n_words)
            Word counts of new documents.

        Returns
        -------
        ndarray of shape (n_new, n_topics)
            Mean topic vectors.
        """
        words = read_new(counts, self._word_topic.shape[0])
        tilts, means = self._initial_state(words.shape[0])
        no_links = sparse.csr_array((words.shape[0], 0))
        self._update(csr_rows(words), no_links, self._word_topic, tilts, means, _NEW_STEPS, _NEW_TOLERANCE)
        return means

    def score_links(self, counts: Any) -> np.ndarray:
        """Return the predicted probability of links.

        Parameters
        ----------
        counts : array-like or sparse matrix of shape (n_new, n_words)
            Word counts of new documents.

        Returns
        -------
        ndarray of shape (n_new, n_documents)
            Probability of a link between each new document and each training document.
        """
        return expit((self.transform(counts) * self.weights_) @ self.doc_topic_.T + self.intercept_)

    def predict_words(self, links: Any) -> np.ndarray:
        """Return the predicted probability of each word in new documents of which only links are known.

        q is computed as for any other document: a document has the mean number of tokens, and its words are equally
        likely in every topic.

        Parameters
        ----------
        links : array-like or sparse matrix of shape (n_new, n_documents)
            Nonzero entries are links to training documents.

        Returns
        -------
        ndarray of shape (n_new, n_words)
            Probabilities.
        """
        given = sparse.csr_array(sparse.csr_array(links) != 0)
        if given.shape[1] != len(self.doc_topic_):
            raise PlaitError(
                f"links has {given.shape[1]:,} columns, and there are {len(self.doc_topic_):,} training documents; "
                "give new documents × training documents"
            )
        n_new = given.shape[0]
        tilts, means = self._initial_state(n_new)
        means = np.concatenate([means, self.doc_topic_])
        network = sparse.hstack([sparse.csr_array((n_new, n_new)), given], format="csr")
        any_word = Rows(np.arange(n_new + 1), np.zeros(n_new, np.int64), np.full(n_new, self.mean_length_))
        any_topic = np.ones((1, self.n_topics))
        self._update(any_word, network, any_topic, tilts, means, _NEW_STEPS, _NEW_TOLERANCE)
        return means[:n_new] @ self.topic_word_

    def _check_parameters(self) -> None:
        """Raise an error if a parameter is invalid."""
        check_whole("n_topics", self.n_topics, least=1)
        check_whole("n_iterations", self.n_iterations, least=1)
        for name in ("alpha", "smoothing", "pseudo_non_links"):
            check_positive(name, getattr(self, name))
        if self.negative_share is not None and not 0 < self.negative_share <= 1:
            raise PlaitError(
                f"negative_share is a share of pairs, above 0 and at most 1, not {self.negative_share!r}",
                parameter="negative_share",
            )

    def _initial_state(self, n_documents: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the initial tilts and means: q is uniform."""
        return np.zeros((n_documents, self.n_topics)), np.full((n_documents, self.n_topics), 1 / self.n_topics)

    def _maximise_topics(self, documents: Rows, tilts: np.ndarray) -> np.ndarray:
        """Return the p(w | k) that maximise the objective given q (words × topics)."""
        from plait.baselines.var_rtm_documents import count_word_topics

        totals = np.full_like(self._word_topic, self.smoothing)
        count_word_topics(*documents, self._word_topic, tilts, np.zeros(self.n_topics), totals)
        return normalise_columns(totals)

    def _update(
        self,
        documents: Rows,
        network: sparse.csr_array,
        word_topic: np.ndarray,
        tilts: np.ndarray,
        means: np.ndarray,
        n_steps: int,
        tolerance: float,
    ) -> float:
        """Update q of all documents in place, and return their terms of the objective without the link terms."""
        from plait.baselines.var_rtm_documents import update_documents

        return update_documents(
            *documents,
            network.indptr.astype(np.int64),
            network.indices.astype(np.int64),
            np.where(network.data > 0, 1.0, -1.0),
            self.weights_,
            self.intercept_,
            word_topic,
            np.full(self.n_topics, float(self.alpha)),
            n_steps,
            tolerance,
            tilts,
            means,
            np.zeros((5, self.n_topics)),
        )

    def _smoothing_term(self) -> float:
        """Return the smoothing term of the objective."""
        return self.smoothing * float(np.log(self._word_topic).sum())

    def _link_terms(self, regressors: np.ndarray, parameters: np.ndarray) -> float:
        """Return the terms of the objective with η and ν; `regressors` has (π, 1) of each pair, then (π_α, 1)."""
        values = self._signs * (regressors @ parameters)
        penalty = _RIDGE / 2 * (parameters[:-1] @ parameters[:-1])
        return float(self._numbers @ log_expit(values) - penalty)

    def _fit_links(self, regressors: np.ndarray) -> None:
        """Set the η and ν that maximise the objective given q, by Newton's method."""
        ridge = np.append(np.full(self.n_topics, _RIDGE), _INTERCEPT_RIDGE)
        parameters = np.append(self.weights_, self.intercept_)
        value = self._link_terms(regressors, parameters)
        for _ in range(_NEWTON_STEPS):
            shares = expit(regressors @ parameters)
            residual = self._numbers * np.where(self._signs > 0, 1 - shares, -shares)
            gradient = residual @ regressors - np.append(_RIDGE * parameters[:-1], 0.0)
            curvature = self._numbers * shares * (1 - shares)
            direction = np.linalg.solve((regressors.T * curvature) @ regressors + np.diag(ridge), gradient)
            expected = gradient @ direction
            step = 1.0
            while step > _MIN_STEP:
                candidate = parameters + step * direction
                reached = self._link_terms(regressors, candidate)
                if reached > value:
                    break
                step /= 2
            else:
                break  # no increase within floating-point precision
            parameters, value = candidate, reached
            if expected < _WEIGHT_TOLERANCE:
                break
        self.weights_, self.intercept_ = parameters[:-1], float(parameters[-1])


def _signed_network(first: np.ndarray, second: np.ndarray, n_links: int, n_documents: int) -> sparse.csr_array:
    """Return a symmetric matrix with 1 for links, which come first, and −1 for the other pairs."""
    signs = np.where(np.arange(first.size) < n_links, 1.0, -1.0)
    ends = np.concatenate([first, second]), np.concatenate([second, first])
    return sparse.csr_array((np.concatenate([signs, signs]), ends), shape=(n_documents, n_documents))
