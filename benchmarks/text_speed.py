"""Seconds to split raw texts into words: plait by option, and scikit-learn's CountVectorizer, on one core.

PLAIT_DATA=... python benchmarks/text_speed.py
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path

from sklearn.feature_extraction.text import CountVectorizer
from tables import print_table

from plait import TextOptions
from plait.corpus.readers.texts import read_texts
from plait.corpus.text.analyzers import TextAnalyzer

CASES: dict[str, dict[str, object]] = {
    "defaults": {},
    "without cleaning": {"html": False, "urls": "keep"},
    "a given phrase": {"phrases": ["computer graphics"]},
    "lemmas": {"normalize": "lemmas"},
    "stems": {"normalize": "stems"},
}


def measure(analyze: Callable[[str], object], texts: list[str]) -> float:
    """Return the processor time of splitting all texts."""
    start = time.process_time()
    for text in texts:
        analyze(text)
    return time.process_time() - start


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", default="20news_bydate")
    options = parser.parse_args()
    texts = [text for _, text in read_texts(Path(os.environ["PLAIT_DATA"], options.corpus)) or ()]
    reference = measure(CountVectorizer(stop_words="english").build_analyzer(), texts)
    rows = [["CountVectorizer", f"{reference:.1f} s", "1.0"]]
    for name, settings in CASES.items():
        analyzer = TextAnalyzer(TextOptions(language="en", **settings).resolve([]))
        seconds = measure(analyzer, texts)
        rows.append([name, f"{seconds:.1f} s", f"{seconds / reference:.1f}"])
    print_table(f"{options.corpus}: {len(texts):,} texts", ["options", "time", "ratio"], rows)


if __name__ == "__main__":
    main()
