"""Which articles are related to a corpus: those whose titles enough of its documents mention.

Section 10.4.1 of AlSumait, Wang, Domeniconi and Barbará (2010).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from plait.corpus import Corpus
from plait.errors import PlaitError
from plait.knowledge.titles import Titles

TEXTS, COUNTS = "texts", "counts"


@dataclass(frozen=True)
class Search:
    """How titles were searched, and what came of it."""

    where: str  # "texts", or "counts" where there were no texts: titles of several words are less certain there
    n_documents: int
    n_titles: int
    n_unsearched: int  # titles of nothing but stop words, single letters and numbers
    n_mentioned: int  # in one document at least
    n_too_rare: int
    n_too_common: int
    n_without_words: int  # articles that have none of the words of the corpus
    min_mentions: int
    max_mentions: float

    def lines(self) -> list[str]:
        """Return the same for people."""
        how = (
            "in the texts"
            if self.where == TEXTS
            else "in the counts of words (no texts: a title of several words counts where all of them are)"
        )
        searched = f"{self.n_titles - self.n_unsearched:,} of {self.n_titles:,} titles searched"
        if self.n_unsearched:
            searched += f" (left out {self.n_unsearched:,} of stop words, letters or numbers only)"
        rare = f"{self.n_too_rare:,} in fewer than {self.min_mentions} documents"
        left_out = [rare] * (self.n_too_rare > 0)
        left_out += [f"{self.n_too_common:,} in more than {self.max_mentions:.0%} of them"] * (self.n_too_common > 0)
        left_out += [f"{self.n_without_words:,} without words of the corpus"] * (self.n_without_words > 0)
        used = self.n_mentioned - self.n_too_rare - self.n_too_common - self.n_without_words
        return [
            f"{searched} {how} of {self.n_documents:,} documents",
            f"{self.n_mentioned:,} mentioned; left out {', '.join(left_out) or 'none'}; {used:,} articles used",
        ]


class Article(NamedTuple):
    """An article that a prior was learnt from: in how many documents its title is mentioned, and its first topics."""

    id: str
    title: str
    mentions: int
    topics: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class RelatedArticles:
    """The articles that a prior was learnt from, those that most documents mention first; a sequence of `Article`."""

    ids: np.ndarray
    titles: np.ndarray
    mentions: np.ndarray
    topics: np.ndarray  # articles × the first few topics, by falling share

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, place: int) -> Article:
        topics = tuple(int(topic) for topic in self.topics[place])
        return Article(str(self.ids[place]), str(self.titles[place]), int(self.mentions[place]), topics)

    def __iter__(self) -> Iterator[Article]:
        return (self[place] for place in range(len(self)))

    def __repr__(self) -> str:
        return f"RelatedArticles({len(self):,} articles)"


def find_related(
    articles: Corpus,
    corpus: Corpus,
    texts: Iterable[str] | None,
    stop_words: frozenset[str],
    min_mentions: int,
    max_mentions: float,
) -> tuple[Corpus, np.ndarray, Search]:
    """Return the related articles over the words of the corpus, how many documents mention each, and the search.

    Parameters
    ----------
    articles
        With titles.
    corpus
        Whose vocabulary the articles are laid onto, and whose counts are searched where there are no texts.
    texts
        The texts of its documents, if they are known.
    stop_words, min_mentions, max_mentions
        As in `KnowledgePrior.from_articles`.
    """
    if articles.titles is None:
        raise PlaitError("the articles have no titles; name the field that holds them with title= when reading them")
    titles = Titles(articles.titles.tolist(), stop_words)
    mentions = titles.in_counts(corpus) if texts is None else titles.in_texts(texts)
    if not mentions.n_searched:
        raise PlaitError("there are no texts to search the titles in; give the texts of the documents of the corpus")
    mentioned = mentions.documents > 0
    too_common = mentions.documents > max_mentions * mentions.n_searched
    too_rare = mentioned & (mentions.documents < min_mentions)
    rows = np.flatnonzero(mentioned & ~too_rare & ~too_common)
    if not rows.size:
        raise PlaitError(
            f"no article is related: of {len(articles):,} titles {np.count_nonzero(mentioned):,} are mentioned in the "
            f"{mentions.n_searched:,} documents, none in min_mentions={min_mentions} or more of them (and in at most "
            f"max_mentions={max_mentions:g}); lower min_mentions, or give other articles"
        )
    related = articles.select(rows).with_vocabulary(corpus.vocabulary)
    has_words = related.lengths > 0
    if not has_words.any():
        raise PlaitError(
            f"the {rows.size:,} related articles have none of the words of the corpus; cut both into words in the "
            "same way (tokenizer, lower case, stems)"
        )
    search = Search(
        where=COUNTS if texts is None else TEXTS,
        n_documents=mentions.n_searched,
        n_titles=len(articles),
        n_unsearched=int(np.count_nonzero(~titles.searchable)),
        n_mentioned=int(np.count_nonzero(mentioned)),
        n_too_rare=int(np.count_nonzero(too_rare)),
        n_too_common=int(np.count_nonzero(too_common & ~too_rare)),
        n_without_words=int(np.count_nonzero(~has_words)),
        min_mentions=min_mentions,
        max_mentions=float(max_mentions),
    )
    return related.select(np.flatnonzero(has_words)), mentions.documents[rows[has_words]], search
