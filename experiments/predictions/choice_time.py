"""Time of a MedLDA fit that chooses its settings, relative to the same fit with these settings given.

    python experiments/predictions/choice_time.py                        reads the corpora of PLAIT_DATA
    python experiments/predictions/choice_time.py --data FOLDER          reads the files of `labels.py --prepare FOLDER`

Both fits take turns. The second one is given c and class weights that the first one chose, threshold 0 and no
features: it runs the chains alone.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from statistics import median

from labelled import CORPORA, Labelled, read

import plait
from benchmarks.tables import print_table, say
from experiments.timing import fit_seconds


def take_turns(corpus: Labelled, n_topics: int, n_turns: int, n_jobs: int) -> list[tuple[float, float]]:
    """Return the seconds of both fits in every turn."""
    train, _ = corpus.split(0)
    counts, known = corpus.counts[train], corpus.labels[train].toarray()
    y = known if corpus.several else known.argmax(axis=1)
    common = {"n_topics": n_topics, "min_documents": 0, "random_state": 0, "verbose": False, "n_jobs": n_jobs}
    seconds = []
    for _ in range(n_turns):
        choosing = plait.MedLDA(**common)
        first = fit_seconds(choosing, counts, y)
        chosen = choosing.label_choice_
        given = plait.MedLDA(**common, c=chosen.c, class_weight=chosen.class_weight, threshold=0.0, features=None)
        seconds.append((first, fit_seconds(given, counts, y)))
    return seconds


def main() -> None:
    """Time both fits on every corpus, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="read the count matrices of labels.py --prepare")
    parser.add_argument("--only", nargs="+", choices=list(CORPORA), default=list(CORPORA), help="some corpora")
    parser.add_argument("--topics", type=int, default=40, help="topics (40)")
    parser.add_argument("--turns", type=int, default=3, help="turns (3)")
    parser.add_argument("--jobs", type=int, default=1, help="threads (1)")
    options = parser.parse_args()
    rows = []
    for name in options.only:
        corpus = read(name, options.data)
        if not rows:
            take_turns(corpus._replace(counts=corpus.counts[:, :50]), 2, 1, options.jobs)  # compiles the kernels
        seconds = take_turns(corpus, options.topics, options.turns, options.jobs)
        ratio = median(first / second for first, second in seconds)
        say(f"{name}: " + ", ".join(f"{first:.1f} : {second:.1f} s" for first, second in seconds))
        first, second = (median(each) for each in zip(*seconds, strict=True))
        rows.append([name, f"{first:.1f}", f"{second:.1f}", f"{ratio:.2f}"])
    title = f"Seconds of a fit, K = {options.topics}, {options.jobs} threads, median of {options.turns} turns"
    print_table(title, ["corpus", "settings chosen", "settings given", "ratio"], rows)


if __name__ == "__main__":
    main()
