"""What checkpoints cost: seconds of LDA fits with a checkpoint every 10 sweeps and without, in turns.

    PLAIT_DATA=/path/to/data python benchmarks/checkpoint_cost.py --topics 100 --turns 3

"written" is the time inside the checkpoints divided by the rest of the same fit, so it does not depend on how busy the
machine was in another fit.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from corpora import benchmark_corpus

import plait
from plait.executors import RayExecutor, Threads
from plait.store import checkpoints


class TimedWriter(checkpoints.FolderWriter):
    """Notes the seconds and the bytes of every checkpoint."""

    seconds: list[float] = []  # noqa: RUF012
    n_bytes = 0

    def write(self, fit: Any) -> None:
        """Write a checkpoint, and note how long it took."""
        begin = time.perf_counter()
        super().write(fit)
        self.seconds.append(time.perf_counter() - begin)
        TimedWriter.n_bytes = sum(path.stat().st_size for path in self._folder.rglob("*") if path.is_file())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--topics", type=int, default=100)
    parser.add_argument("--sweeps", type=int, default=100, help="burn-in; 5 samples follow, one every 5 sweeps")
    parser.add_argument("--every", type=int, default=10)
    parser.add_argument("--workers", type=int, default=2, help="threads, or workers of Ray")
    parser.add_argument("--ray", action="store_true")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--folder", help="where checkpoints are written (a temporary folder)")
    arguments = parser.parse_args()
    corpus = benchmark_corpus(None)
    checkpoints.FolderWriter = TimedWriter  # type: ignore[misc]
    settings = {"alpha": 0.1, "beta": 0.01, "n_sweeps": arguments.sweeps, "tolerance": 0.0}
    settings |= {"random_state": 0, "verbose": False}
    print(f"{corpus}, {arguments.topics} topics, a checkpoint every {arguments.every} sweeps, {arguments}")
    print("| turn | without, s | with, s | ratio | checkpoints | median, ms | longest, ms | written, % | folder, MB |")
    print("|---|---|---|---|---|---|---|---|---|")
    shares, ratios = [], []
    with RayExecutor(workers=arguments.workers) if arguments.ray else Threads(arguments.workers) as executor:
        plait.LDA(arguments.topics, **settings | {"n_sweeps": 2}, executor=executor).fit(corpus.train)  # compiles
        for turn in range(arguments.turns):
            seconds = {}
            for kept in (False, True) if turn % 2 == 0 else (True, False):
                TimedWriter.seconds.clear()
                model = plait.LDA(arguments.topics, **settings, executor=executor)
                with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
                    options = {"checkpoint": Path(folder, "m.plait"), "checkpoint_every": arguments.every}
                    begin = time.perf_counter()
                    model.fit(corpus.train, **options if kept else {})
                    seconds[kept] = time.perf_counter() - begin
                if kept:
                    written = list(TimedWriter.seconds)
            shares.append(sum(written) / (seconds[True] - sum(written)))
            ratios.append(seconds[True] / seconds[False])
            print(
                f"| {turn + 1} | {seconds[False]:.2f} | {seconds[True]:.2f} | {ratios[-1]:.3f} | {len(written)} | "
                f"{1000 * median(written):.0f} | {1000 * max(written):.0f} | {100 * shares[-1]:.1f} | "
                f"{TimedWriter.n_bytes / 1e6:.1f} |",
                flush=True,
            )
    print(f"median share of the fit: {100 * median(shares):.1f} %; median ratio: {median(ratios):.3f}")


if __name__ == "__main__":
    main()
