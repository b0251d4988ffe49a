"""Corpora for the MedLDA experiments, with their own splits, from the folder that PLAIT_DATA names.

Sources: 20 Newsgroups, "20news-bydate-matlab" (Jason Rennie, qwone.com/~jason/20Newsgroups); Reuters-21578,
Distribution 1.0 (David D. Lewis); bibtex (Katakis, Tsoumakas and Vlahavas, 2008; among the data of Mulan).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from common import folder
from sklearn.feature_extraction.text import CountVectorizer

import plait
from plait.corpus import Corpus

_LETTERS = r"(?u)\b[^\W\d_]{2,}\b"  # newswire has many numbers, which are not informative
_LEAST_STORIES = 3


def load_20news() -> tuple[Corpus, Corpus]:
    """Return 11,269 and 7,505 postings of 20 groups, with all words, including stop words."""
    corpus = plait.read_corpus(folder("20news_matlab"))
    return corpus.part("train"), corpus.part("test")


def load_r90() -> tuple[Corpus, Corpus]:
    """Return 7,770 and 3,019 stories of the 90 topics that have a training and a test story in the ModApte split.

    A story is its title and its text, without English stop words and numbers; words are those of at least 3 training
    stories. Other topics are dropped, and stories without one of the 90 are skipped, as is usual.
    """
    words = CountVectorizer(stop_words="english", token_pattern=_LETTERS)
    # One story has no words; it is not among the 7,770 and 3,019 (`corpus.skipped` counts it).
    corpus = plait.read_corpus(folder("reuters21578"), text=["title", "text"], tokenizer=words, on_error="skip")
    train, test = corpus.part("train"), corpus.part("test")
    topics = set(train.label_names) & set(test.label_names)
    train = with_labels_among(train, topics).filter_words(min_df=_LEAST_STORIES)
    return train, with_labels_among(test, topics).with_vocabulary(train.vocabulary)


def load_bibtex() -> tuple[Corpus, Corpus]:
    """Return 4,880 and 2,515 bookmarks with 159 tags."""
    corpus = plait.read_corpus(folder("bibtex"))
    return corpus.part("train"), corpus.part("test")


def with_labels_among(corpus: Corpus, labels: set[str]) -> Corpus:
    """Return the documents with one of these labels; other labels are dropped."""
    kept = tuple(tuple(name for name in names if name in labels) for names in corpus.labels or ())
    return replace(corpus, labels=kept).select(np.array([bool(names) for names in kept]))
