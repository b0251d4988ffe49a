"""Relational topic model: topics that also predict links; own-document mixing, a prior on words, links as response.

Chen, Zhu, Xia and Zhang (2013), *Generalized relational topic models with data augmentation*, after Chang and Blei
(2009), *Relational topic models for document networks*.
"""

from __future__ import annotations

from typing import Any

from plait.models.answers.links import LinkPredictions
from plait.models.fitted_to_links import FittedToLinks
from plait.responses import LinkResponse
from plait.samplers import Sampler


class RelationalTopicModel(FittedToLinks, LinkPredictions):
    """Topics that explain the words of documents and the links between them: citations, hyperlinks, imports.

    A link from document i to document j has the value z̄_iᵀ U z̄_j, where z̄ are the shares of topics among a document's
    words and U says how much each topic links to each other one. Pairs without a link are drawn by chance, and U tells
    the linked from them.

    Parameters
    ----------
    n_topics
        How many topics to learn.
    weights
        "full": every topic may link to every other. "diagonal": topics link to themselves only, as in Chang and Blei
        (2009).
    directed
        Whether a link from i to j differs from one from j to i. None: unless every link has its reverse. Without
        direction U is symmetric.
    loss
        "logistic" or "hinge" (max margin).
    ell
        The margin ℓ that the value of a pair must keep (hinge loss).
    c
        What a wrong value of a link costs, beside the likelihood of the words. Where links have weights, a link's cost
        is c times its weight by the mean weight. None: 4, or 25 with diagonal weights.
    c_negative
        The same of a pair without a link.
    negatives_per_link, negative_share
        How many pairs without a link are drawn: a multiple of the links, or a share of all pairs without one. At most
        one of the two. Where both are None, 10 a link, or 2 with diagonal weights.
    fresh_negatives
        Sweeps after which other pairs are drawn; 0 keeps the first ones.
    nu
        Standard deviation of the weights' Gaussian prior.
    weights_every
        Sweeps between two draws of the weights, which with many topics take longer than anything else.
    cached
        Compute what links say of a document once a sweep instead of with every word: faster, approximate. None does so
        only with samplers that cannot do otherwise ("limit" and "sparse").
    n_chains, n_sweeps, n_samples, sample_every
        As for `MedLDA`: scores of links are averaged over the samples of all chains.
    alpha, beta, sampler, tolerance, learn_alpha, learn_beta, fold_in_sweeps, n_shards, n_jobs, random_state, verbose
        As for `LDA`.

    Attributes
    ----------
    weights_ : array (topics, topics)
        U, averaged over the first chain's samples: row k says which topics a document about topic k links to.
        `topic_links` and `weights_table` name the topics.
    directed_ : bool
        Whether links have a direction.
    links_ : csr_array (documents, documents)
        The links that were learnt from; only above the diagonal where they have no direction.
    n_links_, n_negatives_ : int
        Links, and pairs without one, that were learnt from.
    n_self_links_, n_unlinked_ : int
        Links of documents to themselves, which are left out; documents without any link, which shape the topics only
        (and are among the pairs without one).

    The attributes of `LDA` are there too (`topic_word_`, `doc_topic_` …).

    Examples
    --------
    >>> from plait import Corpus, RelationalTopicModel
    >>> texts = ["river stream water", "water river bank", "money loan bank", "loan money credit"] * 5
    >>> links = [(str(i), str(i + 4)) for i in range(16)] + [(str(i), str(i + 1)) for i in range(0, 20, 2)]
    >>> corpus = Corpus.from_texts(texts, ids=[str(i) for i in range(20)], links=links)
    >>> model = RelationalTopicModel(n_topics=2, random_state=0, verbose=False).fit(corpus)
    >>> scores = model.score_links(Corpus.from_texts(["stream of water"]))[0]
    >>> bool(scores[0::4].mean() > scores[3::4].mean())
    True
    """

    def __init__(
        self,
        n_topics: int = 30,
        *,
        weights: str = "full",
        directed: bool | None = None,
        loss: str = "logistic",
        ell: float = 1.0,
        c: float | None = None,
        c_negative: float = 1.0,
        negatives_per_link: float | None = None,
        negative_share: float | None = None,
        fresh_negatives: int = 0,
        nu: float = 3.0,
        weights_every: int = 5,
        cached: bool | None = None,
        alpha: Any = 0.25,
        beta: Any = 0.1,
        sampler: str | Sampler = "plain",
        n_chains: int = 4,
        n_sweeps: int = 100,
        n_samples: int = 10,
        sample_every: int = 5,
        tolerance: float = 0.0,
        learn_alpha: bool = False,
        learn_beta: bool = False,
        fold_in_sweeps: int = 20,
        n_shards: int | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: bool = True,
    ) -> None:
        self.n_topics = n_topics
        self.weights = weights
        self.directed = directed
        self.loss = loss
        self.ell = ell
        self.c = c
        self.c_negative = c_negative
        self.negatives_per_link = negatives_per_link
        self.negative_share = negative_share
        self.fresh_negatives = fresh_negatives
        self.nu = nu
        self.weights_every = weights_every
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

    @property
    def _explained(self) -> tuple[LinkResponse]:
        links = LinkResponse(
            weights=self.weights,
            directed=self.directed,
            loss=self.loss,
            ell=self.ell,
            c=self.c,
            c_negative=self.c_negative,
            negatives_per_link=self.negatives_per_link,
            negative_share=self.negative_share,
            fresh_negatives=self.fresh_negatives,
            nu=self.nu,
            weights_every=self.weights_every,
        )
        return (links,)

    def _take_over(self, fit: Any, *chain_and_plans: Any, finished: bool) -> None:
        super()._take_over(fit, *chain_and_plans, finished=finished)
        self.weights_ = self._mean_link_weights()
