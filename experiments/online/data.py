"""Streams and articles for the experiments with time and outside knowledge, from the folder that PLAIT_DATA names.

Sources: Reuters-21578, Distribution 1.0 (David D. Lewis); wikipedia_vital, the vital articles of the English Wikipedia,
is compiled from public copies of the articles' text (34,199 of its 34,999 articles are openings only).

    python experiments/online/data.py                                     print the slices of Reuters
"""

from __future__ import annotations

import argparse
import os
from functools import lru_cache
from pathlib import Path

import numpy as np
from common import folder, print_table
from sklearn.feature_extraction.text import CountVectorizer

import plait
from plait.corpus import Corpus
from plait.corpus.readers.texts import read_texts

_LETTERS = r"(?u)\b[^\W\d_]{2,}\b"  # newswire has many numbers, which are not informative
_LEAST_STORIES = 2  # gives about as many words as the paper has
PAPER_SIZES = (10_337, 12_112, 793_936)  # stories, vocabulary and tokens of AlSumait et al. (2010)


def cut_into_words() -> CountVectorizer:
    """Return the tokenizer of stories and articles: lower case, letters only, no English stop words, stemmed."""
    try:
        import snowballstemmer
    except ImportError:
        raise SystemExit(
            "the scripts in experiments/online need the package snowballstemmer; "
            "install it with: pip install '.[experiments]'"
        ) from None
    stem = lru_cache(maxsize=None)(snowballstemmer.stemmer("english").stemWord)
    words = CountVectorizer(stop_words="english", token_pattern=_LETTERS).build_analyzer()
    return CountVectorizer(analyzer=lambda text: [stem(word) for word in words(text)])


@lru_cache(maxsize=1)
def load_reuters() -> Corpus:
    """Return the stories with a body and at least one topic, in order of time.

    A story is its title and its text. Words are those of at least 2 of these stories.
    """
    stories = plait.read_corpus(
        folder("reuters21578"), text=["title", "text"], split="text_type", tokenizer=cut_into_words(), on_error="skip"
    ).part("NORM")  # the others are headlines only, or could not be parsed by the makers of the corpus
    corpus = stories.select(np.array([bool(names) for names in stories.labels or ()]))
    assert corpus.times is not None
    return corpus.select(np.argsort(corpus.times, kind="stable")).filter_words(min_df=_LEAST_STORIES)


def load_reuters_slices(n_slices: int = 30) -> list[tuple[str, Corpus]]:
    """Return slices with about the same number of stories and one vocabulary, oldest first, each with its days."""
    return list(load_reuters().slice_by_time(n_slices))


def load_papers_slices() -> list[tuple[str, Corpus]]:
    """Return the NIPS papers by year, from the optional corpus folder "nips"."""
    return list(_frequent(plait.read_corpus(folder("nips"), tokenizer=cut_into_words())).slice_by_time("year"))


def load_addresses_slices() -> list[tuple[str, Corpus]]:
    """Return the State of the Union addresses by decades."""
    addresses = _frequent(plait.read_corpus(folder("sotu"), tokenizer=cut_into_words()))
    return list(addresses.slice_by_time([f"{year}-01-01" for year in range(1790, 2040, 10)]))


def _frequent(corpus: Corpus) -> Corpus:
    """Return a corpus without words that occur less than five times, as in the paper for NIPS."""
    often = np.asarray(corpus.counts.sum(axis=0)).ravel() >= 5
    return corpus.restrict(corpus.vocabulary[often])


def has_papers() -> bool:
    """Return whether there is a folder with the NIPS papers."""
    return Path(os.environ.get("PLAIT_DATA", ""), "nips").is_dir()


@lru_cache(maxsize=2)
def load_slices(name: str) -> list[tuple[str, Corpus]]:
    """Return the slices of a stream by name, without empty ones."""
    loaders = {"reuters": load_reuters_slices, "nips": load_papers_slices, "sotu": load_addresses_slices}
    return [(label, part) for label, part in loaders[name]() if part.n_tokens > 0]


@lru_cache(maxsize=1)
def load_reuters_texts() -> dict[str, str]:
    """Return the titles and texts of all stories by id, for the search of article titles."""
    return dict(read_texts(folder("reuters21578"), text=["title", "text"]) or ())


@lru_cache(maxsize=1)
def load_articles() -> Corpus:
    """Return the articles of wikipedia_vital, tokenized like the stories."""
    return plait.read_corpus(folder("wikipedia_vital"), tokenizer=cut_into_words(), on_error="skip")


def main() -> None:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    corpus = load_reuters()
    sizes = (len(corpus), corpus.n_words, int(corpus.n_tokens))
    print_table(
        "Reuters-21578, stories with a body and a topic",
        ["", "stories", "vocabulary", "tokens"],
        [["here", *(f"{size:,}" for size in sizes)], ["paper (stemmed)", *(f"{size:,}" for size in PAPER_SIZES)]],
    )
    rows = [
        [str(number), days, f"{len(part):,}", f"{np.count_nonzero(part.counts.sum(axis=0)):,}", f"{part.n_tokens:,}"]
        for number, (days, part) in enumerate(load_reuters_slices())
    ]
    print_table("30 slices", ["slice", "days", "stories", "vocabulary", "tokens"], rows)


if __name__ == "__main__":
    main()
