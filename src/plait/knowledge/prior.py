"""The knowledge prior: topic–word counts of related articles as a prior on the topics of a corpus."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from plait.corpus import Corpus
from plait.knowledge.rejected import RejectedTitle, RejectedTitles
from plait.knowledge.related import RelatedArticles, Search
from plait.knowledge.strength import StrengthTrial
from plait.models.answers.topics import Topic, describe_topics
from plait.models.base import TopicEstimator
from plait.priors import WordCountsPrior


@dataclass(frozen=True, eq=False, repr=False)
class KnowledgePrior(WordCountsPrior):
    """Knowledge from articles or from another model as a prior on the words of topics.

    `from_articles` and `from_model` build one. Pass it as `beta` of any model (`prior` of `TopicModel`) with at least
    as many topics. β of topic k and word w is base + strength × counts.

    Parameters
    ----------
    words : sequence of str
        Words of the columns.
    counts : array-like of shape (n_topics, n_words)
        Pseudo-counts of each topic and word.
    strength : float, default 1.0
        Factor of the counts; 0 for the symmetric prior `base`.
    base : float, default 0.01
        Symmetric Dirichlet prior on topic–word distributions (β).
    articles : RelatedArticles or None, default None
        The related articles, a sequence of `Article` (id, title, mentions, topics).
    search : Search or None, default None
        How the titles were searched, and how many were left out.
    trials : tuple of StrengthTrial, default ()
        Held-out perplexity by strength, if the strength was chosen.
    rejected : RejectedTitles or None, default None
        Titles that documents mention and that were not used, with reasons.

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
    rejected: RejectedTitles | None = None

    @classmethod
    def from_articles(
        cls,
        articles: Corpus | str | os.PathLike[str],
        corpus: Corpus | str | os.PathLike[str],
        *,
        texts: Iterable[str] | str | os.PathLike[str] | None = None,
        n_topics: int = 20,
        method: str = "vectors",
        min_mentions: int = 2,
        max_mentions: float = 1.0,
        strength: float | str = "auto",
        strengths: Sequence[float] | None = None,
        base: float | None = None,
        stop_words: str | Path | Iterable[str] | None = "english",
        model: TopicEstimator | None = None,
        random_state: int = 0,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> Self:
        """Build a prior from articles.

        With `method` "vectors", words that occur in the same articles have similar vectors, and a regression predicts
        from them which words a topic of the documents has not seen yet. With "counts", the topic–word counts of the
        articles whose titles the documents mention are the pseudo-counts, as in section 10.4 of AlSumait, Wang,
        Domeniconi and Barbará (2010).

        Parameters
        ----------
        articles : Corpus, str or path
            Articles, or a path for `plait.read_corpus`. Use the same tokenizer as for the corpus. "counts" needs
            titles; with "vectors", titles name the topics.
        corpus : Corpus, str or path
            Documents that the prior is for, or their path. The texts of documents read from a path are searched.
        texts : iterable of str, str, path or None, default None
            Texts of the documents, or a path to read them from (only documents with ids of the corpus). A Corpus holds
            counts only. Without texts, a title counts as mentioned in a document that has all its words except stop
            words, which finds too many titles. `search.where` tells which of the two was searched.
        n_topics : int, default 20
            Number of topics of the prior. The model needs at least as many.
        method : {"vectors", "counts"}, default "vectors"
            What is learned from the articles.
        min_mentions : int, default 2
            Minimum number of documents that mention the title of a related article (ρ in the paper).
        max_mentions : float, default 1.0
            Maximum share of the documents that mention the title.
        strength : float or "auto", default "auto"
            Factor of the pseudo-counts. With "counts", the weight of a token of the articles relative to a token of the
            documents: the paper's 1 is too high if documents and articles differ in style. "auto" compares several with
            a learned symmetric prior on held-out documents.
        strengths : sequence of float or None, default None
            Strengths that "auto" compares; None for 0.5 to 4 with "vectors" and 0.001 to 1 with "counts".
        base : float or None, default None
            Pseudo-count that is added to all words; None for 0.0001 with "vectors" and a learned one with "counts".
        stop_words : str, path, iterable of str or None, default "english"
            Stop words, as in `plait.read_corpus`. Titles that consist of stop words, single letters and numbers are
            not searched.
        model : LDA or None, default None
            Unfitted model with the other parameters of all fits; it is not changed. None for `LDA(alpha=0.1)`.
        random_state : int, default 0
            Seed of all fits and of the choice of held-out documents.
        n_jobs : int or None, default None
            Number of threads of all fits, -1 for all cores; None for the model's setting. The result is the same.
        verbose : bool, default True
            Show progress on a terminal.

        Returns
        -------
        KnowledgePrior
            The prior.
        """
        from plait.knowledge.build import build_prior

        built = build_prior(
            articles,
            corpus,
            texts=texts,
            n_topics=n_topics,
            method=method,
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

    @classmethod
    def from_model(
        cls,
        model: TopicEstimator,
        corpus: Corpus,
        *,
        n_topics: int | None = None,
        strength: float | str = "auto",
        strengths: Sequence[float] | None = None,
        base: float | None = None,
        settings: TopicEstimator | None = None,
        random_state: int = 0,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> Self:
        """Build a prior from the topics of a model of a large corpus.

        Parameters
        ----------
        model : TopicEstimator
            Fitted model with a vocabulary. Words are matched by name.
        corpus : Corpus
            Documents that the prior is for, read with the same tokenizer as those of the model.
        n_topics : int or None, default None
            Number of topics of the prior and of the model that it is for; None for as many as the large model has.
            If there are fewer, the topics with most tokens of the documents are used. If there are more, the others
            have the symmetric prior.
        strength : float or "auto", default "auto"
            Weight of all pseudo-counts of the large model relative to the tokens of the documents. "auto" compares
            several with a learned symmetric prior on held-out documents.
        strengths : sequence of float or None, default None
            Strengths that "auto" compares; None for 0.1 to 10.
        base : float or None, default None
            Pseudo-count that is added to all words; None for a learned one.
        settings : LDA or None, default None
            Unfitted model with the other parameters of all fits; it is not changed. None for `LDA()`.
        random_state : int, default 0
            Seed of all fits and of the choice of held-out documents.
        n_jobs : int or None, default None
            Number of threads of all fits, -1 for all cores; None for the setting of `settings`. The result is the same.
        verbose : bool, default True
            Show progress on a terminal.

        Returns
        -------
        KnowledgePrior
            The prior.

        Examples
        --------
        >>> from plait import LDA, Corpus, KnowledgePrior
        >>> large = Corpus.from_texts(["river stream water flood", "loan money credit debt"] * 50)
        >>> model = LDA(2, random_state=0, verbose=False).fit(large)
        >>> small = Corpus.from_texts(["river bank", "stream and flood", "loan from a bank", "credit"] * 3)
        >>> prior = KnowledgePrior.from_model(model, small, strength=1.0, verbose=False)
        >>> prior.n_topics, "stream" in prior.words, "bank" in prior.words
        (2, True, False)
        """
        from plait.knowledge.large_model import build_from_model

        built = build_from_model(
            model,
            corpus,
            n_topics=n_topics,
            strength=strength,
            strengths=strengths,
            base=base,
            model=settings,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        return cls(**built)

    @property
    def topic_names(self) -> tuple[str, ...]:
        """Names of the topics: of the articles with this topic first, the title that most documents mention."""
        names = [""] * self.n_topics
        for article in self.articles or ():  # most mentions first
            first = article.topics[0] if article.topics else -1
            if 0 <= first < self.n_topics and not names[first] and article.title not in names:
                names[first] = article.title
        return tuple(names)

    def topics(self, top: int = 10) -> list[Topic]:
        """Return the topics of the prior.

        Parameters
        ----------
        top : int, default 10
            Number of words per topic.

        Returns
        -------
        list of Topic
            The top words of each topic and its share of the pseudo-counts.
        """
        shares = self.counts.sum(axis=1) / self.counts.sum()
        smoothed = self.counts + self.base
        return describe_topics(smoothed / smoothed.sum(axis=1, keepdims=True), shares, self.words, top)

    def rejected_titles(self, top: int | None = None) -> list[RejectedTitle]:
        """Return the titles that documents mention and that were not used, with the reason of each.

        Parameters
        ----------
        top : int or None, default None
            Number of titles, those with most mentions first; None for all.

        Returns
        -------
        list of RejectedTitle
            Title, number of documents that mention it, and reason.
        """
        return list(self.rejected or ())[:top]

    @property
    def report(self) -> str:
        """Text report: the articles found and rejected, the strength and the topics of the prior."""
        return "\n".join(self._report_lines())

    def _report_lines(self, n_articles: int = 10, n_words: int = 8) -> list[str]:
        """Return the lines of the report."""
        lines = [] if self.search is None else self.search.lines()
        if self.articles is not None:
            lines += ["mentions  topics    title"]
            for _, article in zip(range(n_articles), self.articles, strict=False):
                lines.append(f"{article.mentions:8,}  {' '.join(map(str, article.topics)):8}  {article.title}")
            more = len(self.articles) - n_articles
            lines += [f"          … and {more:,} more articles"] * (more > 0)
        if self.rejected:
            lines += ["mentions  rejected title: reason"]
            lines += [f"{one.mentions:8,}  {one.title}: {one.reason}" for one in self.rejected_titles(n_articles)]
            more = len(self.rejected) - n_articles
            lines += [f"          … and {more:,} more titles"] * (more > 0)
        if self.trials:
            lines += ["strength  held-out perplexity"]
            for trial in self.trials:
                note = " (learned symmetric prior)" * (trial.strength == 0) + " chosen" * (
                    trial.strength == self.strength
                )
                lines.append(f"{trial.strength:8g}  {trial.perplexity:,.1f}{note}")
        lines += [f"strength {self.strength:g}, base {self.base:g}", "topics of the prior:"]
        return lines + [str(topic) for topic in self.topics(n_words)]
