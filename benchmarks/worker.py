"""One turn of one package in its own process: `python benchmarks/worker.py`, started by lda.py.

With its own process, peak memory is that of the package, and caches are cold for every package.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from contestants import CONTESTANTS
from corpora import load_part

# One core: libraries must not start their own threads.
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS", "RAYON_NUM_THREADS")


@dataclass(frozen=True)
class Turn:
    """The measurements of one turn."""

    contestant: str
    n_topics: int
    seed: int
    timed_sweeps: int
    seconds: float
    tokens_per_second: float
    fold_in_tokens_per_second: float | None
    peak_bytes: int | None


def run_turn(folder: Path, name: str, n_topics: int, n_sweeps: int, seed: int) -> tuple[Turn, np.ndarray]:
    """Run a turn in a new process; return its measurements and φ."""
    command = [sys.executable, __file__, str(folder), name, str(n_topics), str(n_sweeps), str(seed)]
    environment = os.environ | dict.fromkeys(ONE_THREAD, "1")
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{name} with {n_topics} topics failed:\n{done.stderr}")
    return Turn(**json.loads(done.stdout.splitlines()[-1])), np.load(folder / "topic_word.npy")


def peak_bytes() -> int | None:
    """Return the peak memory of this process, or None if unknown."""
    status = Path("/proc/self/status")
    if status.exists():
        # Not getrusage: on Linux its figure starts from that of the process which started this one.
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    try:
        import resource
    except ImportError:  # Windows
        return None
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="folder of the corpus; φ is written to it")
    parser.add_argument("contestant", choices=CONTESTANTS, help="the package")
    for name, text in {"topics": "number of topics", "sweeps": "number of sweeps", "seed": "random seed"}.items():
        parser.add_argument(name, type=int, help=text)
    options = parser.parse_args()
    folder, name = options.folder, options.contestant
    n_topics, n_sweeps, seed = options.topics, options.sweeps, options.seed
    train, test = load_part(folder, "train"), load_part(folder, "test")
    trained = CONTESTANTS[name].train(train, test, n_topics, n_sweeps, seed)
    turn = Turn(
        contestant=name,
        n_topics=n_topics,
        seed=seed,
        timed_sweeps=trained.timed_sweeps,
        seconds=trained.seconds,
        tokens_per_second=float(train.sum()) * trained.timed_sweeps / trained.seconds,
        fold_in_tokens_per_second=trained.fold_in_rate,
        peak_bytes=peak_bytes(),
    )
    np.save(folder / "topic_word.npy", trained.topic_word)
    print(json.dumps(asdict(turn)))


if __name__ == "__main__":
    main()
