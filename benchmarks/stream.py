"""Time and memory per slice of a long stream, from the first slice to the last.

    python benchmarks/stream.py
    python benchmarks/stream.py --slices 60 --tokens 2000 --topics 10 --sweeps 20                      a quick run

Slices of documents of 100 tokens are drawn from topics whose words follow Zipf's law. They are learned one after the
other as in `plait stream`, and the model is saved after each. Every slice makes the same number of sweeps, so that
slices differ only in their position. A figure of a slice is the median of its neighbours. Seconds are processor
seconds, which other processes disturb least; wall-clock seconds are shown, too. Memory is that of the process (Linux
only).
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
from synthetic import zipf_documents
from tables import print_table, say

import plait

_AROUND = 4  # neighbouring slices on either side for the median
_DOCUMENT = 100  # tokens
_FIRST = 20  # slice to compare the last one with


class Lap(NamedTuple):
    """One slice: processor and wall-clock seconds of learning and saving, and the sizes after it."""

    learning: float
    saving: float
    clock: float
    n_words: int
    file_bytes: int
    memory: float  # bytes; NaN if unknown


def main() -> None:
    options = _options()
    corpora = _slices(options.slices, options.tokens, options.words, options.topics, options.seed)
    model = plait.OnlineLDA(
        options.topics,
        window=options.window,
        n_sweeps=options.sweeps,
        tolerance=0,
        n_jobs=1,
        random_state=options.seed,
        verbose=False,
    )
    with tempfile.TemporaryDirectory() as folder:
        laps = [_lap(model, corpus, Path(folder, "model.plait")) for corpus in corpora]
    shown = sorted({min(_FIRST, len(laps)), *range(40, len(laps), 40), len(laps)})
    rows = [_row(laps, number) for number in shown]
    columns = ["slice", "s learning", "s saving", "s together", "s clock", "words", "file MB", "memory MB"]
    print_table(
        f"{options.slices} slices of {options.tokens:,} tokens, {options.topics} topics, {options.sweeps} sweeps each",
        columns,
        rows,
    )
    first, last = _together(laps, shown[0]), _together(laps, len(laps))
    print(f"\nslice {len(laps)} took {last / first:.2f} times as long as slice {shown[0]}")
    stable = next(number for number, lap in enumerate(laps, start=1) if lap.n_words >= 0.99 * laps[-1].n_words)
    held = np.array([lap.memory for lap in laps[stable - 1 :]])
    print(
        f"memory from slice {stable} on, when 99 % of the vocabulary was known: {held.min() / 1e6:.0f} to "
        f"{held.max() / 1e6:.0f} MB, {held[-1] / held[0] - 1:+.1%} from there to the end"
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (
        ("slices", 200),
        ("tokens", 5000),
        ("topics", 50),
        ("words", 2000),
        ("window", 3),
        ("sweeps", 50),
        ("seed", 0),
    ):
        parser.add_argument(f"--{name}", type=int, default=default, help=f"({default})")
    return parser.parse_args()


def _slices(n_slices: int, tokens: int, n_words: int, n_topics: int, seed: int) -> list[plait.Corpus]:
    """Return the slices; they are generated beforehand and not measured."""
    say("drawing documents")
    documents = tokens // _DOCUMENT
    lengths = np.full(n_slices * documents, _DOCUMENT)
    counts = zipf_documents(lengths, n_words, n_topics, exponent=0.9, concentration=0.1, seed=seed)
    return [plait.Corpus.from_matrix(counts[row : row + documents]) for row in range(0, len(lengths), documents)]


def _lap(model: plait.OnlineLDA, corpus: plait.Corpus, path: Path) -> Lap:
    clock, began = time.perf_counter(), time.process_time()
    model.partial_fit(corpus)
    learned = time.process_time()
    plait.save(model, path)
    saved = time.process_time()
    seconds = time.perf_counter() - clock
    return Lap(
        learned - began, saved - learned, seconds, model.topic_word_.shape[1], path.stat().st_size, _resident_memory()
    )


def _resident_memory() -> float:
    status = Path("/proc/self/status")
    if not status.exists():
        return float("nan")
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS"))
    return 1024.0 * int(line.split()[1])


def _around(laps: list[Lap], number: int) -> list[Lap]:
    end = min(number + _AROUND, len(laps))
    return laps[max(end - 2 * _AROUND - 1, 0) : end]


def _together(laps: list[Lap], number: int) -> float:
    return float(np.median([lap.learning + lap.saving for lap in _around(laps, number)]))


def _row(laps: list[Lap], number: int) -> list[str]:
    near, lap = _around(laps, number), laps[number - 1]
    medians = [float(np.median([getattr(one, name) for one in near])) for name in ("learning", "saving")]
    clock = float(np.median([one.clock for one in near]))
    seconds = [*medians, _together(laps, number), clock]
    return [
        str(number),
        *(f"{value:.3f}" for value in seconds),
        f"{lap.n_words:,}",
        f"{lap.file_bytes / 1e6:.1f}",
        f"{lap.memory / 1e6:.0f}",
    ]


if __name__ == "__main__":
    main()
