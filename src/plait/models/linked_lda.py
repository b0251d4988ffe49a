"""Linked LDA: tokens may be drawn from linked documents; linked mixing, a prior on words, no responses.

Bíró and Szabó (2009), *Large scale link based latent Dirichlet allocation for web document classification*.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any

from plait.mixing import LinkedDocuments
from plait.models.base import TopicEstimator
from plait.models.methods import fit_links, influence
from plait.models.parameters import declare_parameters


@declare_parameters
class LinkedLDA(TopicEstimator):
    """Topics of linked documents, and the influence of the linked documents on each document.

    Each token of a document is drawn from the topic proportions of the document itself or of a document that it links
    to. The share of tokens drawn from a linked document is its influence.

    Parameters
    ----------
    n_topics : int, default 30
        Number of topics.
    p : float, default 10.0
        Prior strength of the source distribution, in tokens: length / p. With a large p, the tokens decide which links
        matter.
    most_links : int or None, default 10
        Number of links with the largest weights that are used per document; None for all. Time grows with it and, with
        the samplers "limit" and "sparse", memory.
    direction : {"out", "in", "both"}, default "out"
        Source documents of a document: "out", those that it links to; "in", those that link to it; "both".
    n_chains : int, default 1
        Number of chains, run one after the other from different starts. Influence is averaged over the samples of all
        chains, topics are those of the first. Several chains estimate influence better.

    Attributes
    ----------
    influence_ : csr_array of shape (documents, documents)
        χ: share of the tokens of a document (row) that is drawn from each document that it links to (column), averaged
        over samples. It has an entry for every link, 0 for those beyond `most_links`. The diagonal is the share that a
        document draws from itself; rows sum to 1.
    doc_topic_ : ndarray of shape (documents, topics)
        Topic proportions behind the tokens of a document: those of its source documents, itself included, weighted by
        influence, Σ_c χ_dc ϑ_c; averaged over samples.
    source_topic_ : ndarray of shape (documents, topics)
        ϑ: topic proportions of what is drawn *from* a document, by its own tokens and by those of others.
    n_self_links_ : int
        Links of documents to themselves, which are ignored: every document is a source of itself.
    n_cut_links_ : int
        Links beyond `most_links`.

    `LDA` documents the other attributes (`topic_word_` …).

    Examples
    --------
    >>> from plait import Corpus, LinkedLDA
    >>> texts = ["river stream water " * 5] * 4 + ["money loan credit " * 5] * 5
    >>> corpus = Corpus.from_texts(texts, ids="abcdefghi", links=[("i", "a"), ("i", "e")])
    >>> model = LinkedLDA(n_topics=2, random_state=0, verbose=False).fit(corpus)
    >>> [one.document for one in model.influencers("i")]
    ['e', 'a']
    """

    n_topics: int = field(default=30, kw_only=False)
    p: float = 10.0
    most_links: int | None = 10
    direction: str = "out"
    alpha: Any = 0.5
    beta: Any = 0.01
    n_chains: int = 1
    n_samples: int = 10
    learn_beta: bool = False

    fit, resume = fit_links.fit, fit_links.resume
    transform, perplexity, score = influence.transform, influence.perplexity, influence.score
    influencers, most_influential = influence.influencers, influence.most_influential
    strongest_links, infer_influence = influence.strongest_links, influence.infer_influence

    def _make_mixing(self) -> LinkedDocuments:
        return LinkedDocuments(self.alpha, self.p, self.most_links, self.direction)
