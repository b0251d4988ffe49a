"""Relational topic model: topics that also predict links; own-document mixing, a prior on words, links as response.

Chen, Zhu, Xia and Zhang (2013), *Generalized relational topic models with data augmentation*, after Chang and Blei
(2009), *Relational topic models for document networks*.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any, ClassVar

from plait.models.base import TopicEstimator
from plait.models.methods import fit_links, links
from plait.models.parameters import declare_parameters
from plait.models.specification import response_of
from plait.responses import LinkResponse


@declare_parameters
class RelationalTopicModel(TopicEstimator):
    """Topics that explain the words of documents and the links between them: citations, hyperlinks, imports.

    A link from document i to document j has the value z̄_iᵀ U z̄_j, where z̄ are the topic proportions among the tokens of
    a document and U has a weight for every pair of topics. Pairs without a link are drawn at random, and U separates
    linked pairs from them.

    Parameters
    ----------
    n_topics : int, default 30
        Number of topics.
    form : {"full", "diagonal"} or "low_rank(r)", default "full"
        "full": every topic may link to every other. "diagonal": topics link to themselves only, as in Chang and Blei
        (2009). "low_rank(8)": a diagonal plus a matrix of rank 8, for many topics: the number of weights grows with the
        number of topics, not with its square.
    directed : bool or None, default None
        Whether a link from i to j differs from one from j to i. None: unless every link has its reverse. Without
        direction U is symmetric.
    loss : {"logistic", "hinge", "probit"}, default "logistic"
        Loss of the values; "hinge" is max margin. "probit" needs whole costs.
    ell : float, default 1.0
        Margin ℓ of the hinge loss.
    c : float or None, default None
        Cost of a wrong value of a link, relative to the log-likelihood of the words. The cost of a link with a weight
        is c × weight / mean weight. None: 4, or 25 with diagonal weights.
    c_negative : float, default 1.0
        Cost of a wrong value of a pair without a link.
    negatives_per_link : float or None, default None
        Number of pairs without a link to draw, per link. None: 10, or 2 with diagonal weights; fewer where documents
        have many links: at most 50 per document or 100,000 in all, but one per link.
    negative_share : float or None, default None
        Number of pairs without a link to draw, as a share of all such pairs; in place of `negatives_per_link`.
    fresh_negatives : int, default 0
        Sweeps after which other pairs without a link are drawn; 0 keeps the first ones.
    nu : float, default 3.0
        Prior standard deviation of the weights.
    weights_every : int, default 5
        Sweeps between two draws of the weights, which take most of the time with many topics.
    pair_features : None, "auto", or list of PairFeature or str, default "auto"
        What is known of pairs beside topics: similar words, links of similar documents, popularity … (see
        `plait.pair_features`). Topics are learned without them; the weights of topics and features are learned from
        hidden documents and links, and scores combine both. "auto": the features that work for most networks. With more
        than 10,000 documents, or with too few links to learn weights from, it has none, with a warning; ["auto"] always
        has them, or raises an error. None: topics alone, in half of the time or less.

    Attributes
    ----------
    weights_ : ndarray of shape (topics, topics)
        U, averaged over the samples of the first chain; row k has the weights of links from topic k. `topic_links` and
        `weights_table` show the words of the topics.
    directed_ : bool
        Whether links have a direction.
    links_ : csr_array of shape (documents, documents)
        The training links; only above the diagonal where they have no direction.
    n_links_ : int
        Number of training links.
    n_negatives_ : int
        Number of pairs without a link that were drawn.
    n_self_links_ : int
        Links of documents to themselves, which are left out.
    pair_weights_ : PairWeights
        With pair features: the weights of topics and features for links of new documents; `known_pair_weights_` for
        links between training documents.
    n_unlinked_ : int
        Documents without any link. They are used for the topics, and in pairs without a link.

    `LDA` documents the other attributes (`topic_word_`, `doc_topic_` …).

    Examples
    --------
    >>> from plait import Corpus, RelationalTopicModel
    >>> texts = ["river stream water", "water river bank", "money loan bank", "loan money credit"] * 5
    >>> links = [(str(i), str(i + 4)) for i in range(16)] + [(str(i), str(i + 1)) for i in range(0, 20, 2)]
    >>> corpus = Corpus.from_texts(texts, ids=[str(i) for i in range(20)], links=links)
    >>> model = RelationalTopicModel(n_topics=2, random_state=0, verbose=False).fit(corpus)
    >>> scores = model.score_links(["stream of water"])[0]
    >>> bool(scores[0::4].mean() > scores[3::4].mean())
    True
    """

    n_topics: int = field(default=30, kw_only=False)
    form: str = "full"
    directed: bool | None = None
    c: float | None = None
    c_negative: float = 1.0
    loss: str = "logistic"
    ell: float = 1.0
    nu: float = 3.0
    negatives_per_link: float | None = None
    negative_share: float | None = None
    fresh_negatives: int = 0
    cached: bool | None = None
    weights_every: int = 5
    pair_features: Any = "auto"
    alpha: Any = 0.25
    beta: Any = 0.1
    learn_beta: bool = False
    n_chains: int = 4
    n_sweeps: int = 100
    n_samples: int = 10
    tolerance: float = 0.0

    _own_names: ClassVar = {"link_weights_": "weights_"}

    fit, resume = fit_links.fit, fit_links.resume
    score_links, score_pairs = links.score_links, links.score_pairs
    suggest_links, suggest_missing_links = links.suggest_links, links.suggest_missing_links
    topic_links, weights_table, predict_words = links.topic_links, links.weights_table, links.predict_words

    def _make_responses(self) -> tuple[LinkResponse]:
        return (response_of(self, LinkResponse),)
