"""Link-PLSA-LDA of Nallapati, Ahmed, Xing and Cohen (2008): topics that draw words and cited documents.

A topic k has words β_k and cited documents Ω_k. Documents have two copies. The cited copies, of all documents that are
cited, are PLSA: each of their tokens is drawn as k ~ π, document c ~ Ω_k, word ~ β_k. The citing copies, of all
documents that cite, are LDA: θ_d ~ Dir(α), each word is drawn as z ~ θ_d, w ~ β_z, and each citation as z ~ θ_d,
c ~ Ω_z. β and Ω are the same on both sides, so a document that is cited for a topic is one that has its words. A
document that cites and is cited has both copies, and its words count twice; one that does neither has a citing copy
without citations, so that its words count too.

With q = Π q(θ_d | γ_d) Π q(z) on the citing side, and n_dw tokens, m_dc citations, EM climbs

    Σ_d E[log p(θ_d) − log q(θ_d)]
      + Σ_d Σ_w n_dw Σ_k φ_dwk (E log θ_dk + log β_kw − log φ_dwk)
      + Σ_d Σ_c m_dc Σ_k λ_dck (E log θ_dk + log Ω_kc − log λ_dck)
      + Σ_c Σ_w n_cw log Σ_k π_k Ω_kc β_kw
      + smoothing · (Σ log β + Σ log Ω)

The derivative by each factor is zero at, E step,

    φ_dwk ∝ exp(ψ(γ_dk)) β_kw,    λ_dck ∝ exp(ψ(γ_dk)) Ω_kc,    γ_dk = α + Σ_w n_dw φ_dwk + Σ_c m_dc λ_dck,

and with the posterior of a cited token, ρ_cwk ∝ π_k Ω_kc β_kw, which makes the fourth line a bound, at, M step,

    β_kw ∝ smoothing + Σ_d n_dw φ_dwk + Σ_c n_cw ρ_cwk,
    Ω_kc ∝ smoothing + Σ_d m_dc λ_dck + Σ_w n_cw ρ_cwk,
    π_k  ∝ Σ_c Σ_w n_cw ρ_cwk.

At last every document, whichever copies it has, is taken as a citing one: so all have proportions of the same kind. For
documents of Cora that are only cited, p(k | c) ∝ π_k Ω_kc instead let a logistic regression tell classes as well with
α = 0.5, slightly better with 0.3 and worse from 1 on. A new document is taken as a citing one without citations: with β
known, φ and γ climb its own part of the bound, in which no other document is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sparse

from plait._utils.validation import check_positive, check_whole
from plait.baselines.citations import read_citations, read_new_words
from plait.baselines.variational import distributions, first_topics
from plait.errors import PlaitError

_STEPS = 5  # of each citing document in one E step, after the first
_STEPS_AT_LAST = 100
_TOLERANCE_AT_LAST = 1e-7  # of a token's part of the bound


class LinkPLSALDA:
    """Topics of words and of cited documents, by variational EM.

    Parameters
    ----------
    n_topics : int
        The number of topics K.
    alpha : float
        Dirichlet parameter of each topic's share in a citing document.
    smoothing : float
        What is added to the expected draws of each word, and of each cited document, in each topic.
    n_iterations : int
        The most EM iterations.
    tolerance : float
        Stop when the bound rises by less than this share of itself.
    random_state : int, optional
        Starts the topics; None: another start each time.
    n_jobs : int, optional
        Threads: None is one, -1 all cores. They change no bit of the result.

    Attributes
    ----------
    topic_word_ : array of shape (topics, words)
        β.
    topic_document_ : array of shape (topics, documents)
        Ω; 0 for documents that nobody cites.
    topic_shares_ : array of shape (topics,)
        π.
    doc_topic_ : array of shape (documents, topics)
        E θ of every document as a citing one, given its words, its citations if it has any, β and Ω.
    influence_ : csr_array of shape (documents, documents)
        An entry for each citation d → c: p(c | d) = Σ_k θ_dk Ω_kc, normalised over the documents that d cites. How
        often d cites c is in θ and Ω only.
    vocabulary_ : array of shape (words,)
        The words, where the model was fitted to a Corpus; else None.
    n_self_links_ : int
        Citations of documents by themselves, which are left out.
    bounds_ : list of float
        The bound after each E step.

    Examples
    --------
    >>> counts = np.kron(np.eye(2, dtype=int), np.ones((4, 3), dtype=int))
    >>> links = np.zeros((8, 8))
    >>> links[1:4, 0] = links[5:8, 4] = links[1, 4] = 1  # all cite the first of their kind; one, another's too
    >>> machine = LinkPLSALDA(n_topics=2, random_state=0).fit(counts, links=links)
    >>> machine.influence_[[1]].indices.tolist(), machine.influence_[[1]].data.round(1).tolist()
    ([0, 4], [0.7, 0.3])
    >>> bool((machine.transform(counts[[0, 4]]).argmax(axis=1) == machine.doc_topic_[[0, 4]].argmax(axis=1)).all())
    True
    """

    def __init__(
        self,
        n_topics: int = 30,
        *,
        alpha: float = 0.5,
        smoothing: float = 0.1,
        n_iterations: int = 50,
        tolerance: float = 1e-5,
        random_state: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_topics = n_topics
        self.alpha = alpha
        self.smoothing = smoothing
        self.n_iterations = n_iterations
        self.tolerance = tolerance
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, links: Any = None) -> LinkPLSALDA:
        """Learn topics and influence.

        Parameters
        ----------
        X : Corpus, or array or sparse matrix of shape (documents, words)
            How often each word stands in each document.
        links : array or sparse matrix of shape (documents, documents), optional
            How often the row's document cites the column's; a Corpus has links of its own.

        Returns
        -------
        LinkPLSALDA
            This object.
        """
        from plait.baselines.link_plsa_lda_sides import Cited, Citing, Topics
        from plait.corpus import Corpus
        from plait.executors import Threads

        self._check()
        counts, network, self.n_self_links_ = read_citations(X, links)
        is_cited = np.bincount(network.indices, minlength=network.shape[0]) > 0
        is_citing = (np.diff(network.indptr) > 0) | ~is_cited
        targets = sparse.csr_array(sparse.hstack([counts, network[:, is_cited]]))
        citing, cited = Citing(targets[is_citing], self.alpha, self.n_topics), Cited(counts[is_cited])
        n_words, n_cited = counts.shape[1], int(is_cited.sum())
        topics = Topics(
            first_topics(counts, self.n_topics, self.random_state),
            np.full((n_cited, self.n_topics), 1 / n_cited),
            np.full(self.n_topics, 1 / self.n_topics),
        )
        self.bounds_: list[float] = []
        with Threads(self.n_jobs) as threads:
            for _ in range(self.n_iterations):
                bound, drawn = citing.update(topics.all_targets, _STEPS, 0.0, threads)
                log_probability, in_words, in_documents = cited.count(topics, threads)
                penalty = self.smoothing * float(np.log(topics.words).sum() + np.log(topics.documents).sum())
                self.bounds_.append(bound + log_probability + penalty)
                topics = Topics(
                    distributions(drawn[:n_words] + in_words + self.smoothing),
                    distributions(drawn[n_words:] + in_documents + self.smoothing),
                    # Where no cited document has a word, π is in nothing and stays.
                    distributions(in_words.sum(axis=0)) if in_words.any() else topics.shares,
                )
                if len(self.bounds_) > 1:
                    rise = self.bounds_[-1] - self.bounds_[-2]
                    if rise < self.tolerance * abs(self.bounds_[-1]):
                        break
            everyone = Citing(targets, self.alpha, self.n_topics)
            everyone.means[is_citing] = citing.means
            everyone.update(topics.all_targets, _STEPS_AT_LAST, _TOLERANCE_AT_LAST, threads)
        self.topic_word_, self.topic_shares_, self.doc_topic_ = topics.words.T, topics.shares, everyone.proportions
        self.topic_document_ = np.zeros((self.n_topics, len(is_cited)))
        self.topic_document_[:, is_cited] = topics.documents.T
        self.influence_ = _influence(network, self.doc_topic_, self.topic_document_)
        self.vocabulary_ = X.vocabulary if isinstance(X, Corpus) else None
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Return E θ of new documents (documents × topics), given their words and β; nothing learnt is changed.

        Each document is taken by itself, so neither the others nor their order matter. One without known words has
        what is expected beforehand, the same share of each topic.

        Parameters
        ----------
        X : Corpus, or array or sparse matrix of shape (documents, words)
            How often each word stands in each document. A Corpus is laid onto the words of training.

        Returns
        -------
        array of shape (documents, topics)
            Rows add up to 1.
        """
        from plait.baselines.link_plsa_lda_sides import Citing
        from plait.executors import Threads

        if not hasattr(self, "topic_word_"):
            raise PlaitError("this LinkPLSALDA has learnt nothing yet; fit it first")
        counts = read_new_words(X, self.topic_word_.shape[1], self.vocabulary_)
        documents = Citing(counts, self.alpha, self.n_topics)
        with Threads(self.n_jobs) as threads:
            documents.update(np.ascontiguousarray(self.topic_word_.T), _STEPS_AT_LAST, _TOLERANCE_AT_LAST, threads)
        return documents.proportions

    def _check(self) -> None:
        check_whole("n_topics", self.n_topics, least=1)
        check_whole("n_iterations", self.n_iterations, least=1)
        for name in ("alpha", "smoothing"):
            if check_positive(name, getattr(self, name)).ndim:
                raise PlaitError(f"{name} must be one number for all topics, not an array")
        if not self.tolerance >= 0:
            raise PlaitError(f"tolerance must be 0 or more, not {self.tolerance!r}")
        if self.random_state is not None:
            check_whole("random_state", self.random_state, least=0)


def _influence(network: sparse.csr_array, doc_topic: np.ndarray, topic_document: np.ndarray) -> sparse.csr_array:
    """Return p(c | d) ∝ Σ_k θ_dk Ω_kc over the documents c that d cites."""
    citing = np.repeat(np.arange(network.shape[0]), np.diff(network.indptr))
    weights = np.einsum("ek,ke->e", doc_topic[citing], topic_document[:, network.indices])
    weights /= np.bincount(citing, weights, minlength=network.shape[0])[citing]
    return sparse.csr_array((weights, network.indices.copy(), network.indptr.copy()), shape=network.shape)
