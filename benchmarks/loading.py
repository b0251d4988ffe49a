"""Seconds to load a large model file, by this version of plait and one that another Python imports, in turns.

    python benchmarks/loading.py /path/to/other/.venv/bin/python --megabytes 500 --turns 7

Each turn is its own process; the file is in the page cache. The last line is the median of the ratios of neighbouring
turns. Above 1, this version is slower.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from statistics import median

import numpy as np
from scipy import sparse
from tables import say

import plait

_TURN = """
import sys, time
import plait.store, plait.models
begin = time.perf_counter()
plait.store.load(sys.argv[1])
print(time.perf_counter() - begin)
"""
_TOPICS = 100


def write_model(path: Path, megabytes: int) -> None:
    """Fit a model of about this size to random counts, and save it."""
    n_words = megabytes * 1_000_000 // (8 * _TOPICS)  # most of a file is topic–word probabilities, float64
    rng = np.random.default_rng(0)
    n_documents, length = n_words // 20, 60
    rows = np.repeat(np.arange(n_documents), length)
    columns = rng.integers(n_words, size=rows.size)
    counts = sparse.csr_array((np.ones(rows.size), (rows, columns)), shape=(n_documents, n_words))
    model = plait.LDA(_TOPICS, n_sweeps=1, n_samples=1, random_state=0, verbose=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plait.save(model.fit(counts), path)


def turn(python: str, path: Path) -> float:
    """Return the seconds of one load in a new process."""
    done = subprocess.run([python, "-c", _TURN, str(path)], capture_output=True, text=True, check=True)
    return float(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", help="Python that imports the other version")
    parser.add_argument("--megabytes", type=int, default=500)
    parser.add_argument("--turns", type=int, default=7)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "large.plait")
        write_model(path, options.megabytes)
        say(f"{path.stat().st_size / 1e6:,.0f} MB")
        turn(options.other, path), turn(sys.executable, path)  # fills caches
        pairs = [(turn(options.other, path), turn(sys.executable, path)) for _ in range(options.turns)]
    other, this = (median(side) for side in zip(*pairs, strict=True))
    ratio = median(this / other for other, this in pairs)
    say(f"other {other:.3f} s, this {this:.3f} s, ratio {ratio:.3f}")


if __name__ == "__main__":
    main()
