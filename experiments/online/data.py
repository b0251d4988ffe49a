"""Streams and articles for the experiments with time and outside knowledge, from the folder that PLAIT_DATA names.

Sources: Reuters-21578, Distribution 1.0 (David D. Lewis); wikipedia_vital, the vital articles of the English Wikipedia,
is compiled from public copies of the articles' text (34,199 of its 34,999 articles are openings only).

    python experiments/online/data.py                                     print the slices of Reuters
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

import numpy as np
from common import folder, print_table
from sklearn.feature_extraction.text import CountVectorizer

import plait
from plait.corpus import Corpus
from plait.corpus.readers.texts import read_texts
from plait.errors import PlaitError

_LETTERS = r"(?u)\b[^\W\d_]{2,}\b"  # newswire is full of numbers, which say little about its subject
_LEAST_STORIES = 2  # gives about as many words as the paper has
PAPER_SIZES = (10_337, 12_112, 793_936)  # stories, different words and words of AlSumait et al. (2010)


def cut_into_words() -> CountVectorizer:
    """Return how stories and articles are cut into words: lower case, letters only, no English stop words, stemmed."""
    try:
        import snowballstemmer
    except ImportError:
        raise PlaitError("the paper stems words, which needs a stemmer: pip install plait[experiments]") from None
    stem = lru_cache(maxsize=None)(snowballstemmer.stemmer("english").stemWord)
    words = CountVectorizer(stop_words="english", token_pattern=_LETTERS).build_analyzer()
    return CountVectorizer(analyzer=lambda text: [stem(word) for word in words(text)])


@lru_cache(maxsize=1)
def load_reuters() -> Corpus:
    """Return the stories that have a body and at least one topic, in their order of time.

    A story is its title and its text. Words are those of at least 2 of these stories.
    """
    stories = plait.read_corpus(
        folder("reuters21578"), text=["title", "text"], split="text_type", tokenizer=cut_into_words(), on_error="skip"
    ).part("NORM")  # the others are headlines alone, or could not be taken apart by the corpus's makers
    corpus = stories.select(np.array([bool(names) for names in stories.labels or ()]))
    assert corpus.times is not None
    return corpus.select(np.argsort(corpus.times, kind="stable")).filter_words(min_df=_LEAST_STORIES)


def load_reuters_slices(n_slices: int = 30) -> list[tuple[str, Corpus]]:
    """Return slices of about equally many stories, oldest first, each with its days; all have the same vocabulary."""
    return list(load_reuters().slice_by_time(n_slices))


def load_papers_slices() -> list[tuple[str, Corpus]]:
    """Return the NIPS papers by years: a folder "nips" of plait's own format, which not everybody has."""
    return list(_frequent(plait.read_corpus(folder("nips"), tokenizer=cut_into_words())).slice_by_time("year"))


def load_addresses_slices() -> list[tuple[str, Corpus]]:
    """Return the State of the Union addresses by decades."""
    addresses = _frequent(plait.read_corpus(folder("sotu"), tokenizer=cut_into_words()))
    return list(addresses.slice_by_time([f"{year}-01-01" for year in range(1790, 2040, 10)]))


def _frequent(corpus: Corpus) -> Corpus:
    """Return a corpus without words that stand in it less than five times, as the paper treats the NIPS papers."""
    often = np.asarray(corpus.counts.sum(axis=0)).ravel() >= 5
    return corpus.restrict(corpus.vocabulary[often])


def has_papers() -> bool:
    """Whether there is a folder with the NIPS papers."""
    return Path(os.environ.get("PLAIT_DATA", ""), "nips").is_dir()


@lru_cache(maxsize=2)
def load_slices(name: str) -> list[tuple[str, Corpus]]:
    """Return the slices of a stream by its name, without those that hold nothing."""
    loaders = {"reuters": load_reuters_slices, "nips": load_papers_slices, "sotu": load_addresses_slices}
    return [(label, part) for label, part in loaders[name]() if part.n_tokens > 0]


@lru_cache(maxsize=1)
def load_reuters_texts() -> dict[str, str]:
    """Return the titles and texts of all stories by their ids, to search titles of articles in."""
    return dict(read_texts(folder("reuters21578"), text=["title", "text"]) or ())


@lru_cache(maxsize=1)
def load_articles() -> Corpus:
    """Return the articles of wikipedia_vital, cut into words as the stories are."""
    return plait.read_corpus(folder("wikipedia_vital"), tokenizer=cut_into_words(), on_error="skip")


def main() -> None:
    corpus = load_reuters()
    sizes = (len(corpus), corpus.n_words, int(corpus.n_tokens))
    print_table(
        "Reuters-21578, stories with a body and a topic",
        ["", "stories", "different words", "words"],
        [["here", *(f"{size:,}" for size in sizes)], ["paper (stemmed)", *(f"{size:,}" for size in PAPER_SIZES)]],
    )
    rows = [
        [str(number), days, f"{len(part):,}", f"{np.count_nonzero(part.counts.sum(axis=0)):,}", f"{part.n_tokens:,}"]
        for number, (days, part) in enumerate(load_reuters_slices())
    ]
    print_table("30 slices", ["slice", "days", "stories", "different words", "words"], rows)


if __name__ == "__main__":
    main()
