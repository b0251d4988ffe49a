"""A run: forged files are given to a child process, which is started again when it dies or takes too long."""

from __future__ import annotations

import argparse
import json
import os
import selectors
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tests.fuzz.model_files.mutations import forge_file
from tests.fuzz.model_files.originals import write_originals

GOOD = ("refused", "loaded")


class Limits(NamedTuple):
    """Limits of a child."""

    seconds: float = 60.0  # per file
    warm_up: float = 1800.0  # for the originals, whose methods compile the kernels
    gigabytes: float = 8.0


class Outcome(NamedTuple):
    """What happened to one file."""

    number: int
    original: str
    change: str
    status: str
    detail: str


class Child:
    """A child process that examines one file after the other."""

    def __init__(self, limits: Limits, originals: list[Path], command: list[str] | None = None) -> None:
        self.limits = limits
        self.originals = originals
        self.command = command or [sys.executable, "-m", "tests.fuzz.model_files.child", str(limits.gigabytes)]
        self._process: Any = None

    def examine(self, path: Path) -> tuple[str, str]:
        """Return the status of a file and details; the status is in capitals if it is a failure."""
        if self._process is None:
            self._start()
        answer = self._ask(path, self.limits.seconds)
        if answer is None:
            self.close()
            return "NO ANSWER IN TIME", f"{self.limits.seconds} seconds"
        if not answer:
            code = self._process.wait()
            self.close()
            return "CRASHED", f"exit code {code}"
        found = json.loads(answer)
        return found["status"], found["detail"]

    def _start(self) -> None:
        """Start the process, and let it use every original, so that all kernels are loaded."""
        self._process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        for path in self.originals:
            answer = self._ask(path, self.limits.warm_up)
            assert answer, f"{path.name}: the child did not survive an original"
            found = json.loads(answer)
            assert found["status"] == "loaded", f"{path.name}: {found}"

    def _ask(self, path: Path, seconds: float) -> str | None:
        """Return the answer for a file, "" if the process is gone, None if it is late."""
        self._process.stdin.write(json.dumps({"path": str(path)}).encode() + b"\n")
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            if not selector.select(seconds):
                return None
        return self._process.stdout.readline().decode()

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process.stdin.close()
            self._process.stdout.close()
            self._process = None


def run(
    n_files: int, seed: int, folder: Path, *, limits: Limits, first: int = 0, only: str = "", verbose: bool = False
) -> list[Outcome]:
    """Forge files and examine each of them.

    `only` restricts the run to originals whose name contains it.
    """
    originals = write_originals(folder / "originals", only)
    child = Child(limits, originals)
    outcomes = []
    try:
        for number in range(first, first + n_files):
            original = originals[np.random.default_rng([seed, number, 1]).integers(len(originals))]
            path = folder / f"forged_{os.getpid()}.model"
            change = forge_file(original, path, seed, number)
            outcomes.append(Outcome(number, original.name, change, *child.examine(path)))
            if outcomes[-1].status not in GOOD:
                path.replace(folder / f"failure_{seed}_{number}.model")
            if verbose and (number + 1 - first) % 100 == 0:
                print(number + 1 - first, dict(Counter(one.status for one in outcomes)), flush=True)
    finally:
        child.close()
    return outcomes


def main() -> int:
    """Run from the command line; return 1 if a file did anything but load or be refused."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.model_files", description=__doc__)
    parser.add_argument("--files", type=int, default=2000, help="number of forged files")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first file, to repeat one of a run")
    parser.add_argument("--only", default="", help="part of the name of an original")
    parser.add_argument("--folder", type=Path, help="folder for originals and failures (default: a temporary one)")
    parser.add_argument("--seconds", type=float, default=Limits().seconds, help="limit per file")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        limits = Limits(seconds=options.seconds)
        outcomes = run(
            options.files, options.seed, folder, limits=limits, first=options.first, only=options.only, verbose=True
        )
    failures = [one for one in outcomes if one.status not in GOOD]
    only = f" --only {options.only}" if options.only else ""
    for one in failures:
        print(f"\n{one.status}: {one.original}, {one.change}\n{one.detail}")
        print(f"repeat: python -m tests.fuzz.model_files --files 1 --seed {options.seed} --first {one.number}{only}")
    counts = Counter(one.status for one in outcomes)
    print(f"{len(outcomes)} files: " + ", ".join(f"{number} {status}" for status, number in counts.most_common()))
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
