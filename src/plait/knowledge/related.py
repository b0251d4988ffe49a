"""Related articles: articles whose titles are mentioned in enough documents of a corpus.

Section 10.4.1 of AlSumait, Wang, Domeniconi and Barbará (2010).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.sparse as sparse

from plait._utils.arrays import WHOLE, check_array, check_texts
from plait.corpus import Corpus
from plait.errors import PlaitError
from plait.knowledge.context import (
    MIN_AGREEMENT,
    MIN_BRACKET_AGREEMENT,
    MIN_LINK_PROBABILITY,
    Evidence,
    weigh_titles,
)
from plait.knowledge.rejected import RejectedTitles
from plait.knowledge.titles import Titles

TEXTS, COUNTS = "texts", "counts"
_FEWEST_LINKS = 3  # with related articles, for another article to be used


@dataclass(frozen=True)
class Search:
    """How titles were searched, and how many were found and left out.

    Attributes
    ----------
    where : {"texts", "counts"}
        What was searched. In counts, titles of several words are found less reliably.
    n_documents : int
        Number of documents searched.
    n_titles : int
        Number of articles.
    n_unsearched : int
        Number of titles not searched: they consist of stop words, single letters and numbers.
    n_mentioned : int
        Number of titles mentioned in at least one document.
    n_too_rare : int
        Number of titles mentioned in fewer than `min_mentions` documents.
    n_too_common : int
        Number of titles mentioned in more than the share `max_mentions` of the documents.
    n_rejected : int
        Number of titles that did not pass the tests of case, link probability and agreement.
    n_without_words : int
        Number of mentioned articles without words of the vocabulary.
    n_linked : int
        Number of articles that are used because related articles link to them or are linked from them.
    min_mentions : int
        Minimum number of documents.
    max_mentions : float
        Maximum share of the documents.

    Examples
    --------
    >>> from plait import Corpus, KnowledgePrior
    >>> corpus = Corpus.from_texts(["the river floods", "a loan from the bank"] * 5)
    >>> articles = Corpus.from_texts(["river stream water", "loan money"], titles=["River", "Loan"])
    >>> prior = KnowledgePrior.from_articles(articles, corpus, n_topics=1, random_state=0, verbose=False)
    >>> prior.search.where, prior.search.n_mentioned
    ('counts', 2)
    """

    where: str
    n_documents: int
    n_titles: int
    n_unsearched: int
    n_mentioned: int
    n_too_rare: int
    n_too_common: int
    n_without_words: int
    min_mentions: int
    max_mentions: float
    n_rejected: int = 0
    n_linked: int = 0

    def lines(self) -> list[str]:
        """Return a summary of the search.

        Returns
        -------
        list of str
            Lines of text.
        """
        how = (
            "in the texts"
            if self.where == TEXTS
            else "in the word counts (no texts: a title counts as mentioned if all its words occur)"
        )
        searched = f"{self.n_titles - self.n_unsearched:,} of {self.n_titles:,} titles searched"
        if self.n_unsearched:
            searched += f" (left out {self.n_unsearched:,} of stop words, letters or numbers only)"
        rare = f"{self.n_too_rare:,} in fewer than {self.min_mentions} documents"
        left_out = [rare] * (self.n_too_rare > 0)
        left_out += [f"{self.n_too_common:,} in more than {self.max_mentions:.0%} of them"] * (self.n_too_common > 0)
        left_out += [f"{self.n_rejected:,} by case, links or context"] * (self.n_rejected > 0)
        left_out += [f"{self.n_without_words:,} without words of the corpus"] * (self.n_without_words > 0)
        used = self.n_mentioned - self.n_too_rare - self.n_too_common - self.n_rejected - self.n_without_words
        linked = f", and {self.n_linked:,} that they link to" * (self.n_linked > 0)
        return [
            f"{searched} {how} of {self.n_documents:,} documents",
            f"{self.n_mentioned:,} mentioned; left out {', '.join(left_out) or 'none'}; {used:,} articles used{linked}",
        ]


class Article(NamedTuple):
    """A related article.

    Attributes
    ----------
    id : str
        Id of the article.
    title : str
        Title of the article.
    mentions : int
        Number of documents that mention the title.
    topics : tuple of int
        The topics with the largest shares in the article, largest first.

    Examples
    --------
    >>> Article("Q1", "River", 20, (3, 0)).title
    'River'
    """

    id: str
    title: str
    mentions: int
    topics: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class RelatedArticles:
    """A sequence of `Article`, ordered by decreasing number of mentions.

    Parameters
    ----------
    ids : ndarray of str
        Ids of the articles.
    titles : ndarray of str
        Titles of the articles.
    mentions : ndarray of int
        Number of documents that mention each title.
    topics : ndarray of int of shape (n_articles, n_article_topics)
        The topics with the largest shares in each article, largest first.

    Examples
    --------
    >>> found = RelatedArticles(np.array(["Q1"]), np.array(["River"]), np.array([20]), np.array([[3, 0]]))
    >>> len(found), found[0].mentions
    (1, 20)
    """

    ids: np.ndarray
    titles: np.ndarray
    mentions: np.ndarray
    topics: np.ndarray

    def __post_init__(self) -> None:
        check_texts("ids of articles", self.ids, len(self.mentions))
        check_texts("titles of articles", self.titles, len(self.mentions))
        check_array("mentions of articles", self.mentions, (len(self.mentions),), WHOLE)
        check_array("topics of articles", self.topics, (len(self.mentions), None), WHOLE)

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, index: int) -> Article:
        topics = tuple(int(topic) for topic in self.topics[index])
        return Article(str(self.ids[index]), str(self.titles[index]), int(self.mentions[index]), topics)

    def __iter__(self) -> Iterator[Article]:
        return (self[index] for index in range(len(self)))

    def __repr__(self) -> str:
        return f"RelatedArticles({len(self):,} articles)"


class Related(NamedTuple):
    """Related articles, and how they were found.

    Attributes
    ----------
    articles : Corpus
        The related articles with the vocabulary of the corpus.
    mentions : ndarray of int
        Number of documents that mention each; 0 for articles that are linked with mentioned ones.
    search : Search
        What was searched, found and left out.
    rejected : RejectedTitles
        Titles that are not used, with reasons.
    """

    articles: Corpus
    mentions: np.ndarray
    search: Search
    rejected: RejectedTitles


def find_related(
    articles: Corpus,
    corpus: Corpus,
    texts: Iterable[str] | None,
    stop_words: frozenset[str],
    min_mentions: int,
    max_mentions: float,
    *,
    required: bool,
) -> Related:
    """Return the articles whose titles are mentioned in enough documents.

    Parameters
    ----------
    articles : Corpus
        Articles with titles.
    corpus : Corpus
        Documents. The articles get its vocabulary. Its counts are searched if there are no texts.
    texts : iterable of str or None
        Texts of the documents.
    stop_words : frozenset of str
        Titles that consist of stop words, single letters and numbers are not searched.
    min_mentions : int
        Minimum number of documents that mention a title.
    max_mentions : float
        Maximum share of the documents that mention a title.
    required : bool
        Whether no related article is an error.

    Returns
    -------
    Related
        The related articles, and what was searched, found and left out.
    """
    if articles.titles is None:
        raise PlaitError("the articles have no titles; name their field with title= when reading the articles")
    titles = Titles(articles.titles.tolist(), stop_words)
    mentions = titles.in_counts(corpus) if texts is None else titles.in_texts(texts)
    if not mentions.n_searched:
        raise PlaitError("there are no texts to search the titles in; give the texts of the documents of the corpus")
    if mentions.n_searched != len(corpus):
        raise PlaitError(
            f"there are {mentions.n_searched:,} texts and {len(corpus):,} documents; give the text of each document of "
            "the corpus, in the same order"
        )
    documents = mentions.documents
    mentioned = documents > 0
    too_common = documents > max_mentions * mentions.n_searched
    too_rare = mentioned & (documents < min_mentions)
    enough = np.flatnonzero(mentioned & ~too_rare & ~too_common)
    reasons = {int(row): "in small letters only" for row in np.flatnonzero(~mentioned & (mentions.n_wrong_case > 0))}
    unfit = _reject(enough, weigh_titles(enough, articles, corpus, titles, mentions.matrix), titles)
    rows = np.array([row for row in enough.tolist() if row not in unfit], dtype=np.int64)
    if required and not rows.size:
        raise PlaitError(
            f"no article is related: of {len(articles):,} titles {np.count_nonzero(mentioned):,} are mentioned in the "
            f"{mentions.n_searched:,} documents, {enough.size:,} in min_mentions={min_mentions} or more of them (and "
            f"in at most max_mentions={max_mentions:g}), of which {len(unfit):,} do not fit the context; lower "
            "min_mentions, or give other articles"
        )
    linked = _linked_with(rows, articles)
    related = articles.select(np.concatenate([rows, linked])).with_vocabulary(corpus.vocabulary)
    has_words = related.lengths > 0
    if required and not has_words.any():
        raise PlaitError(
            f"the {rows.size:,} related articles have none of the words of the corpus; use the same tokenizer, case "
            "and stemming for both"
        )
    n_mentions = np.concatenate([documents[rows], np.zeros(linked.size, dtype=np.int64)])
    search = Search(
        where=COUNTS if texts is None else TEXTS,
        n_documents=mentions.n_searched,
        n_titles=len(articles),
        n_unsearched=int(np.count_nonzero(~titles.searchable)),
        n_mentioned=int(np.count_nonzero(mentioned)),
        n_too_rare=int(np.count_nonzero(too_rare)),
        n_too_common=int(np.count_nonzero(too_common & ~too_rare)),
        n_without_words=int(np.count_nonzero(~has_words[: rows.size])),
        min_mentions=min_mentions,
        max_mentions=float(max_mentions),
        n_rejected=len(unfit),
        n_linked=int(np.count_nonzero(has_words[rows.size :])),
    )
    rejected = _rejected_table(reasons | unfit, articles.titles, np.where(mentioned, documents, mentions.n_wrong_case))
    return Related(related.select(np.flatnonzero(has_words)), n_mentions[has_words], search, rejected)


def _reject(rows: np.ndarray, evidence: Evidence, titles: Titles) -> dict[int, str]:
    """Return the reasons against titles of one word, or with a bracket, that do not fit their documents."""
    reasons: dict[int, str] = {}
    for row, agreement, linked in zip(rows.tolist(), evidence.agreement, evidence.link_probability, strict=True):
        bracketed = bool(titles.bracketed[row])
        if not bracketed and len(titles.names[row]) > 1:
            continue
        least = MIN_BRACKET_AGREEMENT if bracketed else MIN_AGREEMENT
        if np.isnan(agreement):
            reasons[row] = "no other words in common with the documents"
        elif linked < MIN_LINK_PROBABILITY:
            reasons[row] = f"a common word: {linked:.1%} of the articles with it link to the article"
        elif agreement < least:
            reasons[row] = f"agreement {agreement:.2f} with the documents that have it, below {least:g}"
    return reasons


def _linked_with(rows: np.ndarray, articles: Corpus) -> np.ndarray:
    """Return other articles with links to or from several of `rows`; at most as many as `rows`, most links first."""
    if articles.links is None or not rows.size:
        return np.array([], dtype=np.int64)
    chosen = np.zeros(len(articles))
    chosen[rows] = 1.0
    links = (sparse.csr_array(articles.links) != 0).astype(np.float64)
    n_links = links @ chosen + links.T @ chosen
    n_links[rows] = 0
    order = np.argsort(-n_links, kind="stable")[: rows.size]
    return np.sort(order[n_links[order] >= _FEWEST_LINKS])


def _rejected_table(reasons: dict[int, str], titles: np.ndarray, mentions: np.ndarray) -> RejectedTitles:
    """Return rejected titles, most mentions first."""
    rows = np.array(sorted(reasons, key=lambda row: (-mentions[row], row)), dtype=np.int64)
    texts = np.array([reasons[row] for row in rows.tolist()], dtype=object)
    return RejectedTitles(titles[rows], mentions[rows].astype(np.int64), texts)
