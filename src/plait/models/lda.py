"""Latent Dirichlet allocation: own-document mixing, a prior on words, no responses.

Blei, Ng and Jordan (2003); inference by the samplers of Griffiths and Steyvers (2004) and of Bíró and Szabó (2009).
"""

from __future__ import annotations

from typing import Any, Literal

from plait.engine.hyperparameters import LATE
from plait.mixing import OwnDocument
from plait.models.base import TopicEstimator
from plait.models.parameters import declare_parameters
from plait.models.specification import LearnedPriors
from plait.priors import AnyPrior, SymmetricPrior, as_prior


@declare_parameters
class LDA(TopicEstimator):
    """Topics of a document collection, from its words alone.

    Parameters
    ----------
    n_topics : int, default 20
        Number of topics; `plait.choose_n_topics` helps to choose it.
    alpha : float, array-like of shape (n_topics,) or None, default None
        Dirichlet prior on the topic proportions of a document: one number, or one per topic. None learns one
        number in burn-in and one per topic for the samples.
    beta : float, array-like, prior or None, default None
        Dirichlet prior on topic–word distributions: one number, one per word, an array topics × words, or a prior such
        as `SeedPrior`. None learns one number.
    learn_alpha : bool, "symmetric", "late" or None, default None
        Fit α to the documents during burn-in, from `alpha` or 0.1 on: True fits one number per topic, "symmetric" one
        for all topics, "late" one for all topics in burn-in and one per topic before each sample. None: "late" if
        `alpha` is None, else False.
    learn_beta : bool or None, default None
        Fit β (one number) to the documents during burn-in, from `beta` or 0.01 on. None: only if `beta` is None.

    Attributes
    ----------
    topic_word_ : ndarray of shape (topics, words)
        Probability of each word in each topic, averaged over samples.
    doc_topic_ : ndarray of shape (documents, topics)
        Topic proportions of each training document, averaged over samples.
    topic_share_ : ndarray of shape (topics,)
        Share of each topic in all training tokens.
    word_counts_ : ndarray of shape (words,)
        Number of training tokens of each word.
    vocabulary_ : ndarray of str, or None
        The words, if the input had them.
    doc_ids_ : ndarray of str, or None
        Ids of the training documents, if the input had them; None with ``keep="nothing"``.
    text_options_ : TextOptions or None
        How the texts were read, and how new texts are read; None if the words did not come from text.
    documents_ : KnownDocuments
        What is known of the training documents, aligned with `doc_topic_`: ids, titles, times, labels, excerpts and
        metadata, as far as the input had them and `keep` allows.
    topic_names_ : list of str
        Name of each topic, "" for none: names that `name_topics` or the prior gave (docs/editing.md).
    edits_ : list of dict
        Records of what `name_topics`, `merge_topics`, `drop_topics` and `split_topic` did, in order.
    alpha_ : ndarray of shape (topics,)
        α at the end of the fit.
    beta_ : float or ndarray of shape (topics, words)
        β at the end of the fit.
    history_ : list of Record
        Log-likelihood and perplexity of every sweep.
    n_sweeps_ : int
        Number of sweeps, burn-in and samples.
    settled_ : bool
        Whether burn-in ended before `n_sweeps`.
    interrupted_ : bool
        Whether Ctrl-C stopped the fit.
    seed_ : int
        The seed that was used.

    Examples
    --------
    >>> from plait import LDA, Corpus
    >>> corpus = Corpus.from_texts(["river stream bank", "stream river", "money loan bank", "loan money money"] * 9)
    >>> model = LDA(n_topics=2, random_state=0).fit(corpus)
    >>> sorted(model.topics(top=2)[0].words + model.topics(top=2)[1].words)
    ['loan', 'money', 'river', 'stream']
    """

    alpha: Any = None
    beta: Any = None
    learn_alpha: bool | Literal["symmetric", "late"] | None = None
    learn_beta: bool | None = None
    tolerance: float | None = None

    def _learned_priors(self) -> LearnedPriors:
        alpha = self.learn_alpha if self.learn_alpha is not None else self.alpha is None and LATE
        return LearnedPriors(alpha, self.beta is None if self.learn_beta is None else self.learn_beta)

    def _make_mixing(self) -> OwnDocument:
        return OwnDocument() if self.alpha is None else OwnDocument(self.alpha)

    def _make_prior(self) -> AnyPrior:
        return SymmetricPrior() if self.beta is None else as_prior(self.beta)
