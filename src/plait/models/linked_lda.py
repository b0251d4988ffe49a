"""Linked LDA: words that may draw from the documents that theirs links to; linked mixing, a prior on words.

Bíró and Szabó (2009), *Large scale link based latent Dirichlet allocation for web document classification*.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sparse

from plait._utils.validation import check_whole
from plait.inputs.links import read_influence_links
from plait.inputs.words import Words
from plait.mixing import LinkedDocuments
from plait.models.answers.influence import InfluenceAnswers
from plait.models.base import ChainPlan
from plait.models.fitted_to_links import FittedToLinks
from plait.samplers import Sampler


class LinkedLDA(FittedToLinks, InfluenceAnswers):
    """Topics of linked documents, and how strongly each link shapes the document that it leaves.

    Each word of a document is drawn from the document's own proportions of topics, or from those of a document that
    it links to. How many words each of these gives is the influence along the link.

    Parameters
    ----------
    n_topics
        How many topics to learn.
    p
        How little is expected beforehand of whom a document draws from: what is expected counts as much as its
        length / p words.
    most_links
        So many heaviest links of a document are followed; None for all. Time and, with the samplers "limit" and
        "sparse", memory grow with it.
    direction
        Whom a document may draw from: "out", the documents that it links to; "in", those that link to it; "both".
    n_chains
        How many chains are run from different starts, one after the other; influence is averaged over the samples of
        all, topics are those of the first. Several chains tell better who influences whom.
    alpha, beta, sampler, n_sweeps, n_samples, sample_every, tolerance, learn_alpha, learn_beta, fold_in_sweeps
        As for `LDA`.
    n_shards, n_jobs, random_state, verbose
        As for `LDA`.

    Attributes
    ----------
    influence_ : csr_array (documents, documents)
        χ: which share of a document's words (row) is drawn from each document that it links to (column), averaged over
        the kept samples. It has an entry for every link, 0 for those beyond `most_links`, and on the diagonal what a
        document draws from itself; rows add up to 1.
    doc_topic_ : array (documents, topics)
        The topics behind a document's words: those of the documents that it draws from, itself included, each
        counting as much as it draws from it, Σ_c χ_dc ϑ_c; averaged over the kept samples.
    source_topic_ : array (documents, topics)
        ϑ: the topics that are drawn *from* a document, by its own words and by those of others.
    n_self_links_, n_cut_links_ : int
        Links of documents to themselves, which say nothing, as every document may draw from itself; links beyond
        `most_links`.

    The attributes of `LDA` are there too (`topic_word_` …).

    Examples
    --------
    >>> from plait import Corpus, LinkedLDA
    >>> texts = ["river stream water " * 5] * 4 + ["money loan credit " * 5] * 5
    >>> corpus = Corpus.from_texts(texts, ids="abcdefghi", links=[("i", "a"), ("i", "e")])
    >>> model = LinkedLDA(n_topics=2, random_state=0, verbose=False).fit(corpus)
    >>> [one.document for one in model.influencers("i")]
    ['e', 'a']
    """

    def __init__(
        self,
        n_topics: int = 30,
        *,
        p: float = 10.0,
        most_links: int | None = 10,
        direction: str = "out",
        alpha: Any = 0.5,
        beta: Any = 0.01,
        sampler: str | Sampler = "plain",
        n_chains: int = 1,
        n_sweeps: int = 200,
        n_samples: int = 10,
        sample_every: int = 5,
        tolerance: float = 1e-3,
        learn_alpha: bool = False,
        learn_beta: bool = False,
        fold_in_sweeps: int = 20,
        n_shards: int | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: bool = True,
    ) -> None:
        self.n_topics = n_topics
        self.p = p
        self.most_links = most_links
        self.direction = direction
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

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_whole("n_chains", self.n_chains, least=1)
        self._make_mixing().check()

    def _plans(self, given: Any) -> list[ChainPlan]:
        return [ChainPlan(number, 0) for number in range(self.n_chains)]

    def _make_mixing(self) -> LinkedDocuments:
        return LinkedDocuments(self._alpha, self.p, self.most_links, self.direction)

    def _read_targets(self, X: Any, y: Any, words: Words) -> sparse.csr_array:
        return read_influence_links(X, y, words.counts.shape[0])

    def _target_arrays(self, given: sparse.csr_array) -> list[np.ndarray]:
        return [given.indptr, given.indices, given.data]

    def _source_links(self, given: sparse.csr_array) -> sparse.csr_array:
        return given
