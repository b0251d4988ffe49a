"""Which mentions of titles earn their place: link probability, and agreement of the article with its documents.

A title of several words says what it means. A title of one word, or one whose bracket was left out for the search
("Don (river)"), may be a common word or a name that means something else. It has to pass two tests:

- *link probability* (Mihalcea and Csomai, 2007; Milne and Witten, 2008): of the articles that contain the word, the
  share that link to the article. Writers rarely link common words. Only for articles with known links.
- *agreement*: the mean cosine between the words of the article and the documents that mention it, relative to the mean
  over the other documents. Words of the title itself are left out. An article on a river agrees with documents about
  "Don" no more than with any others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sparse

from plait.corpus import Corpus
from plait.knowledge.titles import Titles, plural_of

MIN_LINK_PROBABILITY = 0.02
MIN_AGREEMENT = 1.5
MIN_BRACKET_AGREEMENT = 2.0
_FEWEST_CONTAINING = 10  # articles with known links, for a link probability
_BLOCK = 500  # articles whose documents are summed at once


class Evidence(NamedTuple):
    """What speaks for titles; NaN where nothing is known.

    Attributes
    ----------
    agreement : ndarray of float
        Mean cosine with the documents that mention the title, relative to the other documents.
    link_probability : ndarray of float
        Share of the articles with the title's word that link to the article.
    """

    agreement: np.ndarray
    link_probability: np.ndarray


def weigh_titles(
    rows: np.ndarray, articles: Corpus, corpus: Corpus, titles: Titles, mentioned: sparse.csr_array
) -> Evidence:
    """Return the evidence for some titles.

    Parameters
    ----------
    rows : ndarray of int
        The articles to weigh.
    articles : Corpus
        All articles, with their own vocabulary.
    corpus : Corpus
        The documents.
    titles : Titles
        The titles of all articles.
    mentioned : sparse array of shape (n_articles, n_documents)
        Which documents mention each title.

    Returns
    -------
    Evidence
        Agreement and link probability of each of `rows`.
    """
    return Evidence(_agreement(rows, articles, corpus, titles, mentioned), _link_probability(rows, articles, titles))


def _agreement(
    rows: np.ndarray, articles: Corpus, corpus: Corpus, titles: Titles, mentioned: sparse.csr_array
) -> np.ndarray:
    """Return the mean cosine with the documents that mention a title, relative to the other documents."""
    own = articles.select(rows).with_vocabulary(corpus.vocabulary).counts
    n_documents = len(corpus)
    frequency = np.bincount(corpus.counts.indices, minlength=corpus.n_words)
    inverse = np.log((n_documents + 1) / (frequency + 0.5))
    documents = _unit_rows(corpus.counts, inverse)
    weights = _unit_rows(_without_titles(own, rows, titles, corpus), inverse)
    everywhere = n_documents * (weights @ np.asarray(documents.mean(axis=0)).ravel())
    here = np.zeros(len(rows))
    for start in range(0, len(rows), _BLOCK):
        part = slice(start, start + _BLOCK)
        sums = sparse.csr_array(mentioned[rows[part]].astype(np.float64) @ documents)
        here[part] = np.asarray(weights[part].multiply(sums).sum(axis=1)).ravel()
    n_here = np.diff(mentioned.indptr)[rows]
    elsewhere = np.maximum(everywhere - here, 1e-9) / np.maximum(n_documents - n_here, 1)
    ratio = here / np.maximum(n_here, 1) / elsewhere
    return np.where(everywhere > 0, ratio, np.nan)


def _link_probability(rows: np.ndarray, articles: Corpus, titles: Titles) -> np.ndarray:
    """Return the share of the articles with the title's word that link to the article; NaN for several words."""
    found = np.full(len(rows), np.nan)
    if articles.links is None:
        return found
    links = sparse.csr_array(articles.links)
    links_known = np.diff(links.indptr) > 0
    columns = titles.columns_of(articles.vocabulary)
    by_word, to_article = articles.counts.tocsc(), links.tocsc()
    is_target = np.diff(to_article.indptr) > 0
    for place, row in enumerate(rows):
        name = titles.names[row]
        if len(name) != 1 or not is_target[row]:
            continue
        own = [column for word in (name[0], plural_of(name[0])) for column in columns.get(word, [])]
        containing = np.unique(by_word[:, own].indices) if own else np.array([], dtype=np.int64)
        containing = containing[links_known[containing] & (containing != row)]
        if containing.size >= _FEWEST_CONTAINING:
            linking = to_article.indices[to_article.indptr[row] : to_article.indptr[row + 1]]
            found[place] = np.isin(containing, linking).mean()
    return found


def _without_titles(counts: sparse.csr_array, rows: np.ndarray, titles: Titles, corpus: Corpus) -> sparse.csr_array:
    """Return the counts of articles without the words of their own titles, in the plural or stemmed, too."""
    columns = titles.columns_of(corpus.vocabulary)
    counts = sparse.csr_array(counts, dtype=np.float64, copy=True)
    for place, row in enumerate(rows):
        forms = {form for word in titles.names[row] for form in _forms(word)}
        own = [column for form in forms for column in columns.get(form, [])]
        part = slice(counts.indptr[place], counts.indptr[place + 1])
        counts.data[part][np.isin(counts.indices[part], own)] = 0.0
    counts.eliminate_zeros()
    return counts


def _forms(word: str) -> list[str]:
    """Return a word, its plural and its beginnings, as stemmers make them."""
    return [plural_of(word), *(word[:end] for end in range(max(3, len(word) - 4), len(word) + 1))]


def _unit_rows(counts: sparse.csr_array, inverse: np.ndarray) -> sparse.csr_array:
    """Return TF-IDF weights with rows of unit length."""
    weights = sparse.csr_array(counts, dtype=np.float64, copy=True)
    weights.data = np.log1p(weights.data) * inverse[weights.indices]
    length = np.sqrt(np.asarray(weights.multiply(weights).sum(axis=1)).ravel())
    scale = np.divide(1.0, length, out=np.zeros_like(length), where=length > 0)
    return sparse.csr_array(sparse.diags_array(scale) @ weights)
