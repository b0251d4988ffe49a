"""Build a knowledge prior: read articles, search their titles, fit topics to related articles, choose the strength."""

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
from plait.knowledge.related import RelatedArticles, find_related
from plait.knowledge.strength import STRENGTHS, StrengthTrial, best_strength, try_strengths
from plait.models import LDA, TopicEstimator

CHOOSE = "choose"
_N_ARTICLE_TOPICS = 3  # topics stored per article


def build_prior(
    articles: Corpus | str | os.PathLike[str],
    corpus: Corpus | str | os.PathLike[str],
    *,
    texts: Iterable[str] | str | os.PathLike[str] | None,
    n_topics: int,
    min_mentions: int,
    max_mentions: float,
    strength: float | str,
    strengths: Sequence[float] | None,
    base: float,
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
    check_whole("min_mentions", min_mentions, least=1)
    if isinstance(max_mentions, bool) or not 0 < max_mentions <= 1:
        raise PlaitError(f"max_mentions must be a share of the documents above 0 and up to 1, not {max_mentions!r}")
    _check_strength(strength, strengths)
    check_positive("base", base)
    learner = _make_model(model, n_topics, base, random_state, n_jobs, verbose)
    if not isinstance(corpus, Corpus):
        texts = corpus if texts is None else texts
        corpus = read_corpus(Path(corpus), on_error="skip")
    if not isinstance(articles, Corpus):
        articles = read_articles(articles, corpus, on_error="skip")
    related, mentions, search = find_related(
        articles, corpus, _texts_to_search(texts, corpus), load_stop_words(stop_words), min_mentions, max_mentions
    )
    # Drop words that no related article has: their counts are 0.
    related = related.filter_words(min_df=1)
    learner.fit(related)
    if learner.interrupted_:
        raise KeyboardInterrupt("the fit to the articles was interrupted")
    words, counts = related.vocabulary, _mean_topic_word_counts(learner)
    trials: tuple[StrengthTrial, ...] = ()
    if strength == CHOOSE:
        trials = try_strengths(
            learner, words, counts, base, corpus, STRENGTHS if strengths is None else strengths, seed=random_state
        )
    order = np.argsort(-mentions, kind="stable")
    topics = np.argsort(-learner.doc_topic_, axis=1, kind="stable")[:, :_N_ARTICLE_TOPICS].astype(np.int64)
    return {
        "words": words,
        "counts": counts,
        "strength": best_strength(trials) if trials else strength,
        "base": base,
        "articles": RelatedArticles(
            related.ids[order], _titles(related)[order], mentions[order].astype(np.int64), topics[order]
        ),
        "search": search,
        "trials": trials,
    }


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


def _check_strength(strength: float | str, strengths: Sequence[float] | None) -> None:
    """Raise an error unless the strength, or the strengths to choose from, are positive numbers."""
    if isinstance(strength, str):
        if strength != CHOOSE:
            raise PlaitError(f"strength must be a number above 0, or {CHOOSE!r}, not {strength!r}")
    else:
        check_above_zero("strength, the weight of a token of the articles,", strength)
    if strengths is None:
        return
    if strength != CHOOSE:
        raise PlaitError(f"strengths= is only used with strength={CHOOSE!r}; remove it, or set strength={CHOOSE!r}")
    if not len(strengths):
        raise PlaitError("strengths is empty; give numbers above 0 to try, or leave it out")
    for one in strengths:
        check_above_zero("each of strengths", one)


def _make_model(
    model: TopicEstimator | None, n_topics: int, base: float, random_state: int, n_jobs: int | None, verbose: bool
) -> LDA:
    """Return the unfitted model for the articles, and for the documents when strengths are compared."""
    if model is not None and type(model) is not LDA:
        raise PlaitError(f"model must be an LDA such as LDA(alpha=0.5), not {model!r}")
    changes: dict[str, Any] = {"n_topics": n_topics, "beta": base, "random_state": random_state, "verbose": verbose}
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


def _titles(articles: Corpus) -> np.ndarray:
    """Return the titles of articles that `find_related` returned."""
    assert articles.titles is not None  # checked by find_related
    return articles.titles


def _mean_topic_word_counts(model: TopicEstimator) -> np.ndarray:
    """Return the topic–word counts, topics × words, averaged over the samples of a model."""
    samples = model._chain_samples[0]
    total = sum(sample.word_topic.toarray().astype(np.float64) for sample in samples)
    return np.ascontiguousarray(np.asarray(total).T) / len(samples)
