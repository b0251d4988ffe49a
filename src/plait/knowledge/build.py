"""Build a knowledge prior from articles: read them, search their titles, learn pseudo-counts, choose the strength."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

from plait._utils.validation import check_above_zero, check_positive, check_whole
from plait.corpus import Corpus, CorpusError, read_corpus
from plait.corpus.readers.texts import read_texts
from plait.corpus.text.counting import NOT_TEXT
from plait.corpus.text.stop_words import load_stop_words
from plait.errors import PlaitError
from plait.knowledge.learning import Learn, Learned, fit_model, fit_plain, learn_from_vectors
from plait.knowledge.related import Related, RelatedArticles, find_related
from plait.knowledge.strength import StrengthTrial, best_strength, try_strengths
from plait.knowledge.vectors import word_features
from plait.models import LDA, TopicEstimator
from plait.priors import WordCountsPrior

AUTO = "auto"
VECTORS, COUNTS = "vectors", "counts"
STRENGTHS = {VECTORS: (0.5, 1.0, 2.0, 4.0), COUNTS: (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)}
_BASE = 0.01  # of the fit to articles
_N_ARTICLE_TOPICS = 3  # topics stored per article


def build_prior(
    articles: Corpus | str | os.PathLike[str],
    corpus: Corpus | str | os.PathLike[str],
    *,
    texts: Iterable[str] | str | os.PathLike[str] | None,
    n_topics: int,
    method: str,
    min_mentions: int,
    max_mentions: float,
    strength: float | str,
    strengths: Sequence[float] | None,
    base: float | None,
    stop_words: str | Path | Iterable[str] | None,
    model: TopicEstimator | None,
    random_state: int,
    n_jobs: int | None,
    verbose: bool,
) -> dict[str, Any]:
    """Return the fields of a `KnowledgePrior`; the parameters are those of `KnowledgePrior.from_articles`.

    Returns
    -------
    dict of str to Any
        Arguments for `KnowledgePrior`.
    """
    if method not in STRENGTHS:
        raise PlaitError(f"method must be {VECTORS!r} or {COUNTS!r}, not {method!r}")
    check_whole("min_mentions", min_mentions, least=1)
    if isinstance(max_mentions, bool) or not 0 < max_mentions <= 1:
        raise PlaitError(f"max_mentions must be a share of the documents above 0 and up to 1, not {max_mentions!r}")
    check_strength(strength, strengths)
    if base is not None:
        check_positive("base", base)
    learner = make_model(model, n_topics, random_state, n_jobs, verbose)
    if not isinstance(corpus, Corpus):
        texts = corpus if texts is None else texts
        corpus = read_corpus(Path(corpus), on_error="skip")
    if not isinstance(articles, Corpus):
        articles = read_articles(articles, corpus, on_error="skip")
    found = None
    if articles.titles is not None or method == COUNTS:
        searched, ignored = _texts_to_search(texts, corpus), load_stop_words(stop_words)
        found = find_related(articles, corpus, searched, ignored, min_mentions, max_mentions, required=method == COUNTS)
    if method == COUNTS:
        assert found is not None
        return _from_counts(learner, corpus, found, strength, strengths, base)
    return _from_vectors(learner, corpus, articles, found, strength, strengths, base)


def choose_prior(
    learner: LDA, corpus: Corpus, learn: Learn, strength: float | str, strengths: Sequence[float], base: float | None
) -> dict[str, Any]:
    """Return words, counts, strength, base and trials of a prior that is learned from a corpus.

    Parameters
    ----------
    learner : LDA
        Unfitted model.
    corpus : Corpus
        The documents.
    learn : callable
        Returns the prior of training documents.
    strength : float or "auto"
        The strength, or "auto" to choose it.
    strengths : sequence of float
        Strengths that "auto" compares.
    base : float or None
        Pseudo-count that is added to all words; None for the learned one.

    Returns
    -------
    dict of str to Any
        Arguments for `KnowledgePrior`.
    """

    def learn_with_base(documents: Corpus) -> Learned:
        learned = learn(documents)
        return learned if base is None else learned._replace(base=base)

    trials: tuple[StrengthTrial, ...] = ()
    if isinstance(strength, str):
        trials = try_strengths(learner, corpus, learn_with_base, strengths, learner.random_state)
        strength = best_strength(trials)
    learned = learn_with_base(corpus)
    if strength == 0 and base is None:
        learned = learned._replace(base=float(learned.plain.beta_))
    fields = {"words": learned.words, "counts": learned.counts, "base": learned.base}
    return fields | {"strength": float(strength), "trials": trials}


def _from_vectors(
    learner: LDA,
    corpus: Corpus,
    articles: Corpus,
    found: Related | None,
    strength: float | str,
    strengths: Sequence[float] | None,
    base: float | None,
) -> dict[str, Any]:
    """Return the fields of a prior by regressions on word vectors of all articles."""
    aligned = articles.with_vocabulary(corpus.vocabulary)
    if not aligned.counts.nnz:
        raise PlaitError(
            f"the {len(articles):,} articles have none of the words of the corpus; use the same tokenizer, case and "
            "stemming for both"
        )
    features = word_features(aligned.counts, learner.random_state)
    tried = STRENGTHS[VECTORS] if strengths is None else strengths
    fields = choose_prior(
        learner, corpus, lambda documents: learn_from_vectors(learner, documents, features), strength, tried, base
    )
    if found is None:
        return fields
    if not len(found.articles):
        return fields | {"search": found.search, "rejected": found.rejected}
    prior = WordCountsPrior(fields["words"], fields["counts"], fields["strength"], fields["base"])
    doc_topic = fit_model(learner, corpus, prior).transform(found.articles.counts)
    return fields | {"articles": _listed(found, doc_topic), "search": found.search, "rejected": found.rejected}


def _from_counts(
    learner: LDA,
    corpus: Corpus,
    found: Related,
    strength: float | str,
    strengths: Sequence[float] | None,
    base: float | None,
) -> dict[str, Any]:
    """Return the fields of a prior of topic–word counts of related articles."""
    # Drop words that no related article has: their counts are 0.
    related = found.articles.filter_words(min_df=1)
    fitted = clone(learner).set_params(beta=_BASE if base is None else base).fit(related)
    if fitted.interrupted_:
        raise KeyboardInterrupt("the fit to the articles was interrupted")
    counts = mean_topic_word_counts(fitted)

    def learn(documents: Corpus) -> Learned:
        plain = fit_plain(learner, documents)
        return Learned(related.vocabulary, counts, float(plain.beta_), plain)

    tried = STRENGTHS[COUNTS] if strengths is None else strengths
    fields = choose_prior(learner, corpus, learn, strength, tried, base)
    listed = _listed(found, fitted.doc_topic_)
    return fields | {"articles": listed, "search": found.search, "rejected": found.rejected}


def _listed(found: Related, doc_topic: np.ndarray) -> RelatedArticles:
    """Return the related articles with their topics, most mentions first."""
    order = np.argsort(-found.mentions, kind="stable")
    topics = np.argsort(-doc_topic, axis=1, kind="stable")[:, :_N_ARTICLE_TOPICS].astype(np.int64)
    titles = found.articles.titles
    assert titles is not None  # checked by find_related
    return RelatedArticles(
        found.articles.ids[order], titles[order], found.mentions[order].astype(np.int64), topics[order]
    )


def read_articles(path: str | os.PathLike[str], corpus: Corpus, **fields: Any) -> Corpus:
    """Return articles whose texts are read as those of a corpus were. No word is too rare or too frequent.

    Parameters
    ----------
    path : str or path
        The articles.
    corpus : Corpus
        The documents.
    **fields : object
        Further arguments of `plait.read_corpus`.

    Returns
    -------
    Corpus
        The articles.
    """
    if corpus.text_options is not None:
        try:
            return read_corpus(Path(path), like=corpus, **fields)
        except CorpusError as error:
            if error.kind != NOT_TEXT:  # articles may have tokens or counts
                raise
    return read_corpus(Path(path), min_df=1, max_df=1.0, **fields)


def check_strength(strength: float | str, strengths: Sequence[float] | None) -> None:
    """Raise an error unless the strength, or the strengths to choose from, are positive numbers.

    Parameters
    ----------
    strength : float or "auto"
        The strength.
    strengths : sequence of float or None
        Strengths to choose from.
    """
    if isinstance(strength, str):
        if strength != AUTO:
            raise PlaitError(f"strength must be a number above 0, or {AUTO!r}, not {strength!r}")
    else:
        check_above_zero("strength, the weight of the knowledge,", strength)
    if strengths is None:
        return
    if strength != AUTO:
        raise PlaitError(f"strengths= is only used with strength={AUTO!r}; remove it, or set strength={AUTO!r}")
    if not len(strengths):
        raise PlaitError("strengths is empty; give numbers above 0 to try, or leave it out")
    for one in strengths:
        check_above_zero("each of strengths", one)


def make_model(
    model: TopicEstimator | None, n_topics: int, random_state: int, n_jobs: int | None, verbose: bool
) -> LDA:
    """Return the unfitted model of all fits.

    Parameters
    ----------
    model : TopicEstimator or None
        Model with the other parameters; None for `LDA()`.
    n_topics : int
        Number of topics.
    random_state : int
        Seed.
    n_jobs : int or None
        Number of threads; None for the model's setting.
    verbose : bool
        Show progress on a terminal.

    Returns
    -------
    LDA
        Unfitted model.
    """
    if model is not None and type(model) is not LDA:
        raise PlaitError(f"model must be an LDA such as LDA(alpha=0.5), not {model!r}")
    changes: dict[str, Any] = {"n_topics": n_topics, "random_state": random_state, "verbose": verbose}
    if n_jobs is not None:
        changes["n_jobs"] = n_jobs
    learner: LDA = clone(LDA(alpha=0.1) if model is None else model).set_params(**changes)
    learner._check_parameters()
    return learner


def _texts_to_search(texts: Iterable[str] | str | os.PathLike[str] | None, corpus: Corpus) -> Iterable[str] | None:
    """Return the texts given, or the texts of the corpus documents read from a path; None if there are no texts."""
    if not isinstance(texts, str | os.PathLike):
        return texts
    if not Path(texts).exists():
        raise PlaitError(f"texts is {str(texts)!r}, which does not exist; give a list of texts, or a file or folder")
    found = read_texts(Path(texts))
    return None if found is None else _select_texts(found, set(corpus.ids))


def _select_texts(texts: Iterator[tuple[str, str]], ids: set[str]) -> Iterator[str]:
    """Return the texts whose id is among `ids`."""
    return (text for name, text in texts if name in ids)


def mean_topic_word_counts(model: TopicEstimator) -> np.ndarray:
    """Return the topic–word counts, topics × words, averaged over the samples of a model.

    Parameters
    ----------
    model : TopicEstimator
        Fitted model.

    Returns
    -------
    ndarray of shape (n_topics, n_words)
        Mean counts.
    """
    samples = model._chain_samples[0]
    total = sum(sample.word_topic.toarray().astype(np.float64) for sample in samples)
    return np.ascontiguousarray(np.asarray(total).T) / len(samples)
