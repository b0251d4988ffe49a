"""Latent Dirichlet allocation: own-document mixing, a prior on words, no responses.

Blei, Ng and Jordan (2003); inference by the samplers of Griffiths and Steyvers (2004) and of Bíró and Szabó (2009).
"""

from __future__ import annotations

from typing import Any

from plait.models.base import TopicEstimator
from plait.samplers import Sampler


class LDA(TopicEstimator):
    """Topics of a document collection, from its words alone.

    Parameters
    ----------
    n_topics
        How many topics to learn; `plait.choose_n_topics` helps to choose.
    alpha
        How evenly a document spreads over topics: a number, or one number a topic.
    beta
        How evenly a topic spreads over words: a number, one a word, an array topics × words, or a prior.
    sampler
        "plain" (exact), "aggregated", "limit", "sparse(10)", "aggregated_sparse(10)", or a sampler from
        `plait.samplers`. The fast ones are approximate; limit and sparse take real-valued counts.
    n_sweeps
        At most so many sweeps for the chain to settle.
    n_samples, sample_every
        How many states of the settled chain are kept for predictions, and how many sweeps lie between two.
    tolerance
        The chain has settled when the perplexity of 10 sweeps is not lower by this share than that of the 10
        before; 0 always makes `n_sweeps`.
    learn_alpha, learn_beta
        Fit α (one number a topic) or β (one number) to the documents as the chain settles.
    fold_in_sweeps
        Sweeps over a new document, for each kept sample, when its topics are inferred.
    n_shards
        Into how many parts the documents are cut, which see each other's changes after a sweep; None lets
        the size of the corpus decide, 1 is the exact chain. It changes the result, unlike `n_jobs`.
    n_jobs
        Threads: None for one, -1 for all cores. The result is the same, bit for bit.
    random_state
        A seed for equal results, or None.
    verbose
        Show a progress bar on a terminal.

    Attributes
    ----------
    topic_word_ : array (topics, words)
        Probability of each word in each topic, averaged over the kept samples.
    doc_topic_ : array (documents, topics)
        Share of each topic in each training document, averaged over the kept samples.
    topic_share_ : array (topics,)
        Share of each topic in all training words.
    word_counts_ : array (words,)
        How often each word stands in the training documents.
    vocabulary_ : array of str, or None
        Words, where the input had names for them.
    doc_ids_ : array of str, or None
        Ids of the training documents, where the input had them.
    alpha_, beta_
        The priors in the end (learnt or as given).
    history_ : list of Record
        Likelihood and perplexity of every sweep.
    n_sweeps_, settled_, interrupted_
        Sweeps made; whether the chain settled before `n_sweeps`; whether Ctrl-C stopped it.

    Examples
    --------
    >>> from plait import LDA, Corpus
    >>> corpus = Corpus.from_texts(["river stream bank", "stream river", "money loan bank", "loan money money"] * 9)
    >>> model = LDA(n_topics=2, random_state=0).fit(corpus)
    >>> sorted(model.topics(top=2)[0].words + model.topics(top=2)[1].words)
    ['loan', 'money', 'river', 'stream']
    """

    def __init__(
        self,
        n_topics: int = 20,
        *,
        alpha: Any = 0.1,
        beta: Any = 0.01,
        sampler: str | Sampler = "plain",
        n_sweeps: int = 200,
        n_samples: int = 5,
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
        self.alpha = alpha
        self.beta = beta
        self.sampler = sampler
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
