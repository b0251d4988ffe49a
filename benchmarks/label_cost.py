"""Seconds per sweep with 20 labels against those without, and of two threads against one, in turns.

    PLAIT_DATA=... python benchmarks/label_cost.py                        100 topics: LDA, MedLDA exact and cached
    PLAIT_DATA=... python benchmarks/label_cost.py --topics 1000          also the sparse form against the dense one
    PLAIT_DATA=... python benchmarks/label_cost.py --accuracy             also test accuracy, one chain of five samples
    PLAIT_DATA=... python benchmarks/label_cost.py --threads 1 --models "MedLDA, exact, synchronous" "MedLDA, exact"

The corpus is 20news_matlab. All fits are made in this process, one after the other, and the whole round is repeated. A
cell is the median over turns of the median seconds of the later sweeps: processor seconds with one thread, of the clock
with two. A sweep is the whole step of a chain, with weights and auxiliary variables; a second table has its parts with
one thread. Rows that name no sampler have the default, sampler="auto", which with labels is "plain", the dense form.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from tables import print_table, say

import plait
from plait.engine.chain import Chain

_PARTS = {"weights": "_draw_weights", "topics": "_draw_topics", "auxiliary variables": "_draw_auxiliaries"}

_FIXED = {"c": 16.0, "class_weight": None, "threshold": 0.0, "features": None, "n_chains": 1}
_SHARED = {"n_samples": 1, "tolerance": 0.0, "random_state": 0, "verbose": False}


class Timer:
    """Seconds of all calls of a method of the chain since the last call of `take`: of the clock, and of the processor.

    Parameters
    ----------
    method : str
        Name of the method.
    """

    def __init__(self, method: str) -> None:
        self._seconds: list[tuple[float, float]] = []
        original = getattr(Chain, method)

        def timed(chain: Chain) -> Any:
            began = time.perf_counter(), time.process_time()
            result = original(chain)
            self._seconds.append((time.perf_counter() - began[0], time.process_time() - began[1]))
            return result

        setattr(Chain, method, timed)

    def take(self) -> np.ndarray:
        """Return calls × (clock, processor), without the first third."""
        found, self._seconds = self._seconds, []
        return np.array(found[len(found) // 3 :])


def load() -> tuple[plait.Corpus, plait.Corpus]:
    """Return training and test documents with their labels."""
    corpus = plait.read_corpus(Path(os.environ["PLAIT_DATA"], "20news_matlab"), on_error="skip")
    return corpus.part("train"), corpus.part("test")


def contestants(topics: int, sweeps: int) -> dict[str, Any]:
    """Return models by their names in the table."""
    shared = _SHARED | {"n_sweeps": sweeps}
    labels = shared | _FIXED
    return {
        "LDA": plait.LDA(topics, alpha=0.1, beta=0.01, learn_alpha=False, learn_beta=False, **shared),
        "MedLDA, exact": plait.MedLDA(topics, **labels),
        "MedLDA, cached": plait.MedLDA(topics, cached=True, **labels),
        "MedLDA, exact, synchronous": plait.MedLDA(topics, sampler="synchronous", **labels),
        "MedLDA, cached, synchronous": plait.MedLDA(topics, sampler="synchronous", cached=True, **labels),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--topics", type=int, default=100, help="topics (100)")
    parser.add_argument("--sweeps", type=int, default=15, help="sweeps per fit (15)")
    parser.add_argument("--turns", type=int, default=3, help="turns (3)")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2], choices=(1, 2), help="threads (1 2)")
    parser.add_argument("--models", nargs="+", help="names of models (all)")
    parser.add_argument("--accuracy", action="store_true", help="also measure the accuracy of default-length chains")
    options = parser.parse_args()
    training, test = load()
    say(f"{len(training):,} documents, {int(training.counts.sum()):,} tokens, {options.topics:,} topics")
    timer, seconds = Timer("sweep"), {}
    timers, parts = {name: Timer(method) for name, method in _PARTS.items()}, {}
    models = contestants(options.topics, options.sweeps)
    models = {name: models[name] for name in options.models or models}
    for turn in range(options.turns + 1):  # the first turn compiles
        for name, model in models.items():
            for threads in options.threads:
                model.set_params(n_jobs=threads).fit(training)
                clock, processor = np.median(timer.take(), axis=0)
                taken = {part: np.median(one.take(), axis=0)[1] for part, one in timers.items()}
                if turn:
                    seconds.setdefault((name, threads), []).append(processor if threads == 1 else clock)
                    if threads == 1:
                        seconds.setdefault((name, "clock"), []).append(clock)
                        for part, value in taken.items():
                            parts.setdefault((name, part), []).append(value)
    first = next(iter(models))
    rows, part_rows = [], []
    for name, model in models.items():
        cells = {which: median(found) for (of, which), found in seconds.items() if of == name}
        row = [name]
        if 1 in cells:
            row += [
                f"{1000 * cells[1]:.0f}",
                f"{cells[1] / median(seconds[first, 1]):.2f}",
                f"{1000 * cells['clock']:.0f}",
            ]
            part_rows.append([name, *(f"{1000 * median(parts[name, part]):.0f}" for part in _PARTS)])
        if 2 in cells:
            row.append(f"{1000 * cells[2]:.0f}")
            row += [f"{cells['clock'] / cells[2]:.2f}"] if 1 in cells else []
        if options.accuracy:
            longer = model.set_params(n_sweeps=60, n_samples=5)
            row.append("" if name == "LDA" else f"{longer.fit(training).score(test, test.labels):.4f}")
        rows.append(row)
    columns = ["model"]
    columns += ["ms, processor", f": {first}", "ms, clock"] if 1 in options.threads else []
    columns += ["ms, two threads"] if 2 in options.threads else []
    columns += ["two threads : one"] if len(options.threads) == 2 else []
    print_table(f"Sweeps with 20 labels, K = {options.topics:,}", columns + ["accuracy"] * options.accuracy, rows)
    if part_rows:
        print_table("Parts of a sweep, one thread, ms of the processor", ["model", *_PARTS], part_rows)


if __name__ == "__main__":
    main()
