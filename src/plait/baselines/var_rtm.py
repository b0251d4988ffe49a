"""The relational topic model of Chang and Blei (2009), fitted by variational EM: Var-RTM.

A link between documents i and j is there with probability σ(η·(z̄_i ∘ z̄_j) + ν), where z̄ is a document's mean topic
vector. The posterior is taken to be q(θ | γ) q(z | φ), a product over documents and tokens, and E log σ(…) to be log σ
at the mean, with π_ij = m_i ∘ m_j, m = mean of φ over tokens. EM then climbs

    Σ_d (words and proportions of d, as in LDA)  +  Σ_links log σ(η·π_ij + ν)  +  ρ log(1 − σ(η·π_α + ν))
        +  smoothing · Σ log p(w | k)  −  ridge/2 · |η|²

E step: q of each document (`var_rtm_documents`). M step: p(w | k) ∝ smoothing + expected tokens, and η, ν maximise
the parts that they are in: a concave function with the gradient Σ (1 − σ_ij)(π_ij, 1) − ρ σ_α (π_α, 1) − ridge (η, 0).

Only links that are there are learnt from. So that not everything is held to be linked, ρ pseudo-observations of
non-links are added, whose π_α = (α/Σα) ∘ (α/Σα) is the mean product of the proportions of two documents drawn from the
prior: 1/K² in each topic. Where they do not bound η (all links agree in topics), the ridge does.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sparse
from scipy.special import expit, log_expit

from plait._utils.validation import check_positive, check_whole
from plait.baselines.network import pairs_of, read_linked, read_new
from plait.baselines.variational import Rows, distributions, first_topics, rows_of
from plait.errors import PlaitError

_RIDGE = 1e-2
_RIDGE_OF_INTERCEPT = 1e-9  # in Newton's steps alone: they stay defined where every link is certain
_NEWTON_STEPS = 50
_LEAST_STEP = 1e-6
_TOLERANCE_OF_WEIGHTS = 1e-6
_STEPS = 5  # of each document in one E step
_STEPS_NEW = 100
_TOLERANCE_NEW = 1e-7  # of a token's part of the objective


class VarRTM:
    """Topics that explain words and links, with one link weight a topic, by variational EM.

    Parameters
    ----------
    n_topics : int
        The number of topics K.
    alpha : float
        Dirichlet parameter of each topic's share in a document.
    smoothing : float
        What is added to the expected tokens of each word in each topic.
    pseudo_non_links : float
        How many pseudo-observations of non-links there are for each link: ρ = this × the number of links.
    n_iterations : int
        The most EM iterations.
    tolerance : float
        Stop when the objective rises by less than this share of itself.
    random_state : int
        Starts the topics.

    Attributes
    ----------
    weights_ : array of shape (topics,)
        η.
    intercept_ : float
        ν.
    topic_word_ : array of shape (topics, words)
        p(w | k).
    doc_topic_ : array of shape (documents, topics)
        m: mean topic vectors of the documents of training.
    mean_length_ : float
        Tokens of the mean document of training.
    objective_ : list of float
        The objective after each iteration.

    Examples
    --------
    >>> counts = np.kron(np.eye(2, dtype=int), np.ones((4, 3), dtype=int))
    >>> links = np.kron(np.eye(2), np.ones((4, 4)))
    >>> machine = VarRTM(n_topics=2).fit(counts, links)
    >>> scores = machine.score_links([[1, 1, 1, 0, 0, 0]])
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
        n_iterations: int = 100,
        tolerance: float = 1e-5,
        random_state: int = 0,
    ) -> None:
        self.n_topics = n_topics
        self.alpha = alpha
        self.smoothing = smoothing
        self.pseudo_non_links = pseudo_non_links
        self.n_iterations = n_iterations
        self.tolerance = tolerance
        self.random_state = random_state

    def fit(self, counts: Any, links: Any) -> VarRTM:
        """Learn topics and link weights.

        Parameters
        ----------
        counts : array or sparse matrix of shape (documents, words)
            How often each word stands in each document.
        links : array or sparse matrix of shape (documents, documents)
            What is not zero is a link; directions do not matter.

        Returns
        -------
        VarRTM
            This object.
        """
        words, network = read_linked(counts, links)
        self._check()
        self.mean_length_ = float(words.sum()) / words.shape[0]
        if self.mean_length_ == 0:
            raise PlaitError("none of the documents has a word, so there are no topics to learn")
        documents, ends = rows_of(words), pairs_of(network)
        self._n_pseudo = self.pseudo_non_links * len(ends[0])  # ρ
        self.intercept_, self.weights_, self.objective_ = 0.0, np.zeros(self.n_topics), []
        self._word_topic = first_topics(words, self.n_topics, self.random_state)
        tilts, means = self._unknown(words.shape[0])
        for _ in range(self.n_iterations):
            value = self._update(documents, network, self._word_topic, tilts, means, _STEPS, 0.0)
            products = np.vstack([means[ends[0]] * means[ends[1]], np.full(self.n_topics, self.n_topics**-2.0)])
            regressors = np.column_stack([products, np.ones(len(products))])
            value += self._links_value(regressors, np.append(self.weights_, self.intercept_))
            self.objective_.append(value + self._topics_value())
            self._word_topic = self._next_topics(documents, tilts)
            self._fit_links(regressors)
            if len(self.objective_) > 1:
                rise = self.objective_[-1] - self.objective_[-2]
                if rise < self.tolerance * abs(self.objective_[-1]):
                    break
        self.doc_topic_, self.topic_word_ = means, self._word_topic.T
        return self

    def transform(self, counts: Any) -> np.ndarray:
        """Return mean topic vectors (documents × topics) of new documents, from their words alone."""
        words = read_new(counts, self._word_topic.shape[0])
        tilts, means = self._unknown(words.shape[0])
        no_links = sparse.csr_array((words.shape[0], 0))
        self._update(rows_of(words), no_links, self._word_topic, tilts, means, _STEPS_NEW, _TOLERANCE_NEW)
        return means

    def score_links(self, counts: Any) -> np.ndarray:
        """Return the probability of a link of each new document (row) with each document of training (column)."""
        return expit((self.transform(counts) * self.weights_) @ self.doc_topic_.T + self.intercept_)

    def predict_words(self, links: Any) -> np.ndarray:
        """Return the probability of each word in new documents that are known by their links alone.

        Such a document has as many tokens as the mean document of training, of words that could be of any topic, and
        its q is found like that of any other document.

        Parameters
        ----------
        links : array or sparse matrix of shape (new documents, documents of training)
            What is not zero is a link.

        Returns
        -------
        array of shape (new documents, words)
            Probabilities.
        """
        given = sparse.csr_array(sparse.csr_array(links) != 0)
        if given.shape[1] != len(self.doc_topic_):
            raise PlaitError(
                f"links are to {given.shape[1]:,} documents, and {len(self.doc_topic_):,} were trained on; "
                "give new documents × documents of training"
            )
        n_new = given.shape[0]
        tilts, means = self._unknown(n_new)
        means = np.concatenate([means, self.doc_topic_])
        beside = sparse.hstack([sparse.csr_array((n_new, n_new)), given], format="csr")
        any_word = Rows(np.arange(n_new + 1), np.zeros(n_new, np.int64), np.full(n_new, self.mean_length_))
        any_topic = np.ones((1, self.n_topics))
        self._update(any_word, beside, any_topic, tilts, means, _STEPS_NEW, _TOLERANCE_NEW)
        return means[:n_new] @ self.topic_word_

    def _check(self) -> None:
        check_whole("n_topics", self.n_topics, least=1)
        check_whole("n_iterations", self.n_iterations, least=1)
        for name in ("alpha", "smoothing", "pseudo_non_links"):
            check_positive(name, getattr(self, name))

    def _unknown(self, n_documents: int) -> tuple[np.ndarray, np.ndarray]:
        """Return tilts and means of documents that nothing is known of."""
        return np.zeros((n_documents, self.n_topics)), np.full((n_documents, self.n_topics), 1 / self.n_topics)

    def _next_topics(self, documents: Rows, tilts: np.ndarray) -> np.ndarray:
        """Return the p(w | k) that suit q best (words × topics)."""
        from plait.baselines.var_rtm_documents import count_word_topics

        totals = np.full_like(self._word_topic, self.smoothing)
        count_word_topics(*documents, self._word_topic, tilts, np.zeros(self.n_topics), totals)
        return distributions(totals)

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
        """Update q of all documents in place, and return their parts of the objective, less the links'."""
        from plait.baselines.var_rtm_documents import update_documents

        return update_documents(
            *documents,
            network.indptr.astype(np.int64),
            network.indices.astype(np.int64),
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

    def _topics_value(self) -> float:
        return self.smoothing * float(np.log(self._word_topic).sum())

    def _links_value(self, regressors: np.ndarray, parameters: np.ndarray) -> float:
        """Return the parts of the objective that η and ν are in; `regressors` holds (π, 1) of links, then (π_α, 1)."""
        values = regressors @ parameters
        penalty = _RIDGE / 2 * (parameters[:-1] @ parameters[:-1])
        return float(log_expit(values[:-1]).sum() + self._n_pseudo * log_expit(-values[-1]) - penalty)

    def _fit_links(self, regressors: np.ndarray) -> None:
        """Set the η and ν that suit q best, by Newton's method."""
        ridge = np.append(np.full(self.n_topics, _RIDGE), _RIDGE_OF_INTERCEPT)
        parameters = np.append(self.weights_, self.intercept_)
        value = self._links_value(regressors, parameters)
        for _ in range(_NEWTON_STEPS):
            shares = expit(regressors @ parameters)
            residual = np.append(1 - shares[:-1], -self._n_pseudo * shares[-1])
            gradient = residual @ regressors - np.append(_RIDGE * parameters[:-1], 0.0)
            curvature = shares * (1 - shares)
            curvature[-1] *= self._n_pseudo
            direction = np.linalg.solve((regressors.T * curvature) @ regressors + np.diag(ridge), gradient)
            expected = gradient @ direction
            step = 1.0
            while step > _LEAST_STEP:
                further = parameters + step * direction
                reached = self._links_value(regressors, further)
                if reached > value:
                    break
                step /= 2
            else:
                break  # as high as numbers can tell
            parameters, value = further, reached
            if expected < _TOLERANCE_OF_WEIGHTS:
                break
        self.weights_, self.intercept_ = parameters[:-1], float(parameters[-1])
