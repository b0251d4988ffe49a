"""The knowledge prior: topics learnt from articles that are related to a corpus, as a prior of its topics."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from plait.corpus import Corpus
from plait.knowledge.related import RelatedArticles, Search
from plait.knowledge.strength import StrengthTrial
from plait.models.answers.topics import Topic, describe_topics
from plait.models.base import TopicEstimator
from plait.priors import WordCountsPrior


@dataclass(frozen=True, eq=False, repr=False)
class KnowledgePrior(WordCountsPrior):
    """Topics of related articles as a prior, after AlSumait, Wang, Domeniconi and Barbará (2010), section 10.4.

    `from_articles` makes one; any model takes it as its `beta` (`TopicModel` as its `prior`), with as many topics or
    more. β of topic k and word w is base + strength × how often the articles' topic k has w.

    Parameters
    ----------
    words, counts, strength, base
        As in `plait.priors.WordCountsPrior`.
    articles
        The articles that the counts were learnt from, as a sequence of `Article` (id, title, mentions, topics).
    search
        How their titles were searched, and what was left out.
    trials
        Where the strength was chosen: the perplexity of held-out documents by strength.

    Examples
    --------
    >>> from plait import LDA, Corpus, KnowledgePrior
    >>> articles = Corpus.from_texts(
    ...     ["river stream water flood", "loan money credit debt", "goal ball team"],
    ...     titles=["River", "Loan (finance)", "Football"],
    ... )
    >>> texts = ["The rivers flood.", "A loan of money", "River and stream", "Loans, and more debt"] * 5
    >>> corpus = Corpus.from_texts(texts)
    >>> prior = KnowledgePrior.from_articles(articles, corpus, texts=texts, n_topics=2, verbose=False)
    >>> [article.title for article in prior.articles]
    ['River', 'Loan (finance)']
    >>> model = LDA(n_topics=2, beta=prior, verbose=False).fit(corpus)
    """

    articles: RelatedArticles | None = None
    search: Search | None = None
    trials: tuple[StrengthTrial, ...] = ()

    @classmethod
    def from_articles(
        cls,
        articles: Corpus | str | os.PathLike[str],
        corpus: Corpus | str | os.PathLike[str],
        *,
        texts: Iterable[str] | str | os.PathLike[str] | None = None,
        n_topics: int = 20,
        min_mentions: int = 2,
        max_mentions: float = 1.0,
        strength: float | str = 0.01,
        strengths: Sequence[float] | None = None,
        base: float = 0.01,
        stop_words: str | Path | Iterable[str] | None = "english",
        model: TopicEstimator | None = None,
        random_state: int = 0,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> Self:
        """Find the articles that the documents of a corpus mention, learn their topics, and make a prior of them.

        Parameters
        ----------
        articles
            A Corpus with titles, or where to read one (`plait.read_corpus`), cut into words as the corpus is.
        corpus
            The documents that the prior is for, or where to read them. Read from a path, their texts are searched.
        texts
            The texts of the documents, or where to read them again (those with the ids of the corpus), to search the
            titles in: a Corpus itself holds counts only. Without texts a title counts as mentioned where a document
            has all of its words but for stop words, which finds more than is there; `search.where` says which it was.
        n_topics
            How many topics the articles have; a model needs as many or more.
        min_mentions
            In how many documents the title of a related article is mentioned at least (ρ).
        max_mentions
            In which share of the documents at most.
        strength
            What a word of the articles counts beside one of the documents; 1 is the paper's, and too much where
            documents are written otherwise than articles. "choose" tries several on documents held out, which takes a
            fit for each.
        strengths
            Those that "choose" tries.
        base
            How often any topic has seen any word beforehand (β of the plain model).
        stop_words
            Titles of nothing but these, single letters and numbers are not searched: as in `plait.read_corpus`.
        model
            A model whose other parameters are used for all fits; it is not changed. The default is `LDA()`.
        random_state
            Seed of all fits, and of the documents that are held out.
        n_jobs
            Threads of all fits, -1 for all cores; None leaves what the model says. The result is the same.
        verbose
            Show progress on a terminal.
        """
        from plait.knowledge.build import build_prior

        built = build_prior(
            articles,
            corpus,
            texts=texts,
            n_topics=n_topics,
            min_mentions=min_mentions,
            max_mentions=max_mentions,
            strength=strength,
            strengths=strengths,
            base=base,
            stop_words=stop_words,
            model=model,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        return cls(**built)

    def topics(self, top: int = 10) -> list[Topic]:
        """Return the first words of each topic of the articles, and its share of their words."""
        shares = self.counts.sum(axis=1) / self.counts.sum()
        smoothed = self.counts + self.base
        return describe_topics(smoothed / smoothed.sum(axis=1, keepdims=True), shares, self.words, top)

    @property
    def report(self) -> str:
        """Which articles were used and why, what strength was chosen, and the topics of the articles, for people."""
        return "\n".join(self._report_lines())

    def _report_lines(self, n_articles: int = 10, n_words: int = 8) -> list[str]:
        lines = [] if self.search is None else self.search.lines()
        if self.articles is not None:
            lines += ["mentions  topics    title"]
            for _, article in zip(range(n_articles), self.articles, strict=False):
                lines.append(f"{article.mentions:8,}  {' '.join(map(str, article.topics)):8}  {article.title}")
            more = len(self.articles) - n_articles
            lines += [f"          … and {more:,} more articles"] * (more > 0)
        if self.trials:
            lines += ["strength  perplexity of documents held out"]
            lines += [f"{trial.strength:8g}  {trial.perplexity:,.1f}" for trial in self.trials]
        lines += [f"strength {self.strength:g}, base {self.base:g}", "topics of the articles:"]
        return lines + [str(topic) for topic in self.topics(n_words)]
