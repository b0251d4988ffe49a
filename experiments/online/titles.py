"""Seconds to search the titles of wikipedia_vital in the stories of Reuters-21578, and the titles found.

    python experiments/online/titles.py

Not in the paper, which does not say how titles were searched. Texts are loaded before timing starts.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from common import print_table
from data import load_articles, load_reuters_texts

from plait.corpus.text.stop_words import load_stop_words
from plait.knowledge.titles import Titles


def main() -> None:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    titles, texts = load_articles().titles, list(load_reuters_texts().values())
    assert titles is not None
    began = time.perf_counter()
    search = Titles(titles.tolist(), load_stop_words("english"))
    mentions = search.in_texts(texts).documents
    seconds = time.perf_counter() - began
    print(f"{len(titles):,} titles in {len(texts):,} stories: {seconds:.1f} s")
    rows = [[str(least), f"{np.count_nonzero(mentions >= least):,}"] for least in (1, 2, 3, 5, 10, 30, 100, 1000)]
    print_table("related articles by minimum number of mentions", ["stories", "articles"], rows)
    most = np.argsort(-mentions, kind="stable")[:15]
    print_table("most mentioned", ["title", "stories"], [[titles[row], f"{mentions[row]:,}"] for row in most])


if __name__ == "__main__":
    main()
