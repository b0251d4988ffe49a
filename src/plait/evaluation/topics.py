"""How well a model predicts words, and how coherent its topics are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from plait.corpus import Corpus
from plait.evaluation.training import align
from plait.metrics import topic_diversity, unigram_perplexity


@dataclass(frozen=True)
class TopicEvaluation:
    """Perplexity, coherence and diversity of a model's topics.

    Parameters
    ----------
    top : int
        Words per topic for coherence and diversity.
    perplexity_completion : float
        Perplexity by document completion: half of a document's tokens predict the other half.
    perplexity_fold_in : float
        Perplexity by fold-in. It is too low, as the predicted tokens determine the document's topics.
    coherence_npmi : float
        Mean NPMI coherence of the topics.
    coherence_c_v : float
        Mean C_v coherence of the topics.
    topic_diversity : float
        Share of distinct words among the top words of all topics.
    perplexity_unigram : float
        Perplexity of the word frequencies of the training documents, with the model's own smoothing.
    perplexity_completion_links, perplexity_fold_in_links : float, optional
        Perplexity with the links of the documents; None without links.

    Examples
    --------
    >>> from plait import LDA, Corpus
    >>> corpus = Corpus.from_texts(["river stream water", "bank loan money"] * 10)
    >>> model = LDA(2, n_sweeps=20, random_state=0, verbose=False).fit(corpus)
    >>> found = evaluate_topics(model, corpus, top=3)
    >>> found.perplexity_completion < found.perplexity_unigram
    True
    """

    top: int
    perplexity_completion: float
    perplexity_fold_in: float
    coherence_npmi: float
    coherence_c_v: float
    topic_diversity: float
    perplexity_unigram: float
    perplexity_completion_links: float | None = None
    perplexity_fold_in_links: float | None = None


def evaluate_topics(model: Any, corpus: Corpus, *, top: int = 10, links: Any = None) -> TopicEvaluation:
    """Return the perplexity of documents and the coherence of a model's topics in them.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.
    corpus : Corpus
        Documents, preferably held-out ones.
    top : int, default 10
        Words per topic for coherence and diversity.
    links : csr_array, optional
        Weights of the links: documents × training documents, for models that follow links.

    Returns
    -------
    TopicEvaluation
        The measures.

    Examples
    --------
    >>> from plait import LDA, Corpus
    >>> corpus = Corpus.from_texts(["river stream lake", "bank loan credit"] * 5)
    >>> model = LDA(2, n_sweeps=20, random_state=0, verbose=False).fit(corpus)
    >>> found = evaluate_topics(model, corpus, top=3)
    >>> found.perplexity_completion < found.perplexity_unigram
    True
    """
    corpus = align(model, corpus)
    linked: dict[str, float] = {}
    if links is not None:
        for method in ("completion", "fold_in"):
            linked[f"perplexity_{method}_links"] = model.perplexity(corpus, method=method, links=links)
    return TopicEvaluation(
        top=top,
        perplexity_completion=model.perplexity(corpus, method="completion"),
        perplexity_fold_in=model.perplexity(corpus, method="fold_in"),
        coherence_npmi=float(np.mean(model.coherence(corpus, measure="npmi", top=top))),
        coherence_c_v=float(np.mean(model.coherence(corpus, measure="c_v", top=top))),
        topic_diversity=topic_diversity([topic.words for topic in model.topics(top)]),
        perplexity_unigram=_unigram_perplexity(model, corpus),
        **linked,
    )


def _unigram_perplexity(model: Any, corpus: Corpus) -> float:
    smoothing: Any = np.mean(np.atleast_2d(model.beta_), axis=0)
    return unigram_perplexity(model.word_counts_, corpus.counts, smoothing).perplexity
