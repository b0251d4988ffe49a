"""Latent Dirichlet allocation: own-document mixing, a prior on words, no responses.

Blei, Ng and Jordan (2003); inference by the samplers of Griffiths and Steyvers (2004) and of Bíró and Szabó (2009).
"""

from __future__ import annotations

from typing import Any

from plait.models.base import TopicEstimator
from plait.models.parameters import declare_parameters


@declare_parameters
class LDA(TopicEstimator):
    """Topics of a document collection, from its words alone.

    Parameters
    ----------
    n_topics : int, default 20
        Number of topics; `plait.choose_n_topics` helps to choose it.

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

    alpha: Any = 0.1
    beta: Any = 0.01
    learn_beta: bool = False
