"""Stored tables: one JSON line per printed table, in `experiments/results`, one file per script.

`experiments/run.py` writes them, and `experiments/pages.py` builds the pages of the documentation from them.
"""

from __future__ import annotations

import json
import os
import platform
import shlex
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.tables import Table

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "experiments" / "results"


@dataclass(frozen=True)
class StoredTable:
    """A table that a script printed, with its origin.

    Parameters
    ----------
    script
        Path of the script below experiments/.
    options
        Command-line options of the run, as they are written in a shell.
    number
        Place of the table among those of the run, from 1.
    title, columns, rows
        The table.
    date
        Day of the run, ISO.
    commit
        Commit of the working tree; "+" after it means that there were changes.
    machine
        Processor and number of cores.
    seconds
        Wall-clock time of the whole run; None if it was not recorded.
    """

    script: str
    options: str
    number: int
    title: str
    columns: list[str]
    rows: list[list[str]]
    date: str
    commit: str
    machine: str
    seconds: float | None

    @property
    def key(self) -> str:
        """What pages name a table by, such as "linked_lda/table4.py --paper #1"."""
        return " ".join(part for part in (self.script, self.options, f"#{self.number}") if part)

    @property
    def command(self) -> str:
        """The command that prints the table again."""
        return f"python experiments/{self.script} {self.options}".strip()


def store(
    script: str, options: Sequence[str], tables: Sequence[Table], seconds: float | None, folder: Path = FOLDER
) -> Path:
    """Store the tables of a run in place of those of an earlier run with the same options; return the file."""
    path = file_of(script, folder)
    given = shlex.join(options)
    kept = [one for one in read_file(path) if one.options != given]
    origin = (datetime.now(UTC).date().isoformat(), commit(), machine(), None if seconds is None else round(seconds, 1))
    new = [StoredTable(script, given, place, *table, *origin) for place, table in enumerate(tables, start=1)]
    write_file(path, [*kept, *new])
    return path


def read_all(folder: Path = FOLDER) -> dict[str, StoredTable]:
    """Return all stored tables by key."""
    return {one.key: one for path in sorted(folder.glob("*.jsonl")) for one in read_file(path)}


def file_of(script: str, folder: Path) -> Path:
    """Return the file with the tables of a script."""
    return folder / f"{script.removesuffix('.py').replace('/', '-')}.jsonl"


def read_file(path: Path) -> list[StoredTable]:
    """Return the tables in a file; none if there is no file."""
    if not path.exists():
        return []
    return [StoredTable(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def write_file(path: Path, tables: Sequence[StoredTable]) -> None:
    """Write tables, sorted by options and number."""
    path.parent.mkdir(parents=True, exist_ok=True)
    ordered = sorted(tables, key=lambda one: (one.options, one.number))
    lines = [json.dumps(asdict(one), ensure_ascii=False) for one in ordered]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def commit() -> str:
    """Return the short name of the commit, with "+" if tracked files other than stored tables were changed."""

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()

    others = (".", f":!{FOLDER.relative_to(ROOT)}")
    try:
        return git("rev-parse", "--short", "HEAD") + "+" * bool(git("status", "--porcelain", "-uno", "--", *others))
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def machine() -> str:
    """Return the processor and the number of cores that this process may use."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    info = Path("/proc/cpuinfo")
    names = [line for line in info.read_text().splitlines() if line.startswith("model name")] if info.exists() else []
    processor = names[0].partition(":")[2].strip() if names else platform.processor() or platform.machine()
    return f"{processor}, {cores} cores"
