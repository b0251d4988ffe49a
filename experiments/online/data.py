"""The streams and articles of the experiments with time and outside knowledge, from the folder that PLAIT_DATA names.

Where to get them: Reuters-21578, Distribution 1.0 (David D. Lewis); wikipedia_vital, the vital articles of the English
Wikipedia, is put together from public copies of the articles' text (34,199 of its 34,999 articles are openings only).

    python experiments/online/data.py                                     what the slices of Reuters hold
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from common import folder, print_table
from sklearn.feature_extraction.text import CountVectorizer

import plait
from plait.corpus import Corpus
from plait.corpus.readers.texts import read_texts

_LETTERS = r"(?u)\b[^\W\d_]{2,}\b"  # newswire is full of numbers, which say little about its subject
_LEAST_STORIES = 3  # gives about as many words as the paper has
PAPER_SIZES = (10_337, 12_112, 793_936)  # stories, different words and words of AlSumait et al. (2010)


def cut_into_words() -> CountVectorizer:
    """Return how stories and articles are cut into words: lower case, letters only, no English stop words.

    The paper stems words too; plait has no stemmer, so words stay as they are.
    """
    return CountVectorizer(stop_words="english", token_pattern=_LETTERS)


@lru_cache(maxsize=1)
def load_reuters() -> Corpus:
    """Return the stories that have a body and at least one topic, in their order of time.

    A story is its title and its text. Words are those of at least 3 of these stories.
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
