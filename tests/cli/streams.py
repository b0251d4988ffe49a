"""A stream small enough for tests: themes through months, each month with a word of its own."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tests.cli.small import THEMES, write_lines
from tests.forks import Forked, start_plait

SMALL = ["--topics", "3", "--sweeps", "10", "--samples", "2", "--sample-every", "2", "--window", "2"]


def months(number: int = 4, a_month: int = 12, themes: dict[str, list[str]] = THEMES) -> list[dict[str, Any]]:
    """Dated documents of six words about one theme, and a word that is new in its month."""
    made = []
    names = sorted(themes)
    for row in range(number * a_month):
        month, step = divmod(row, a_month)
        theme = themes[names[row % len(names)]]
        words = [theme[(row // 3 + place) % len(theme)] for place in (0, 0, 1, 2, 4, 7)]
        date = np.datetime64("2020-01") + month
        made.append({"id": f"d{row}", "text": " ".join([*words, f"new{month}"]), "date": f"{date}-{step % 28 + 1:02d}"})
    return made


def write_months(folder: Path, rows: Sequence[dict[str, Any]]) -> list[Path]:
    """Write a file a month, named like it."""
    by_month: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_month.setdefault(row["date"][:7], []).append(row)
    return [write_lines(folder / f"{name}.jsonl", part) for name, part in by_month.items()]


def start(*arguments: Any, piped: Path | None = None) -> Forked:
    """Start `plait stream` in a process of its own, perhaps with a file piped in."""
    return start_plait("stream", *arguments, stdin=piped)


def finish(process: Forked, timeout: float = 120) -> str:
    """Wait for a process that must end well; return what it printed."""
    out, errors = process.communicate(timeout=timeout)
    assert process.returncode == 0, errors
    return out


class Killed(NamedTuple):
    """The model's bytes at each kill (b"" where there was none yet), and each time that the stream came to its end."""

    stopped: list[bytes]
    ended: list[bytes]


def kill_at_random(
    arguments: Sequence[Any], model: Path, kills: int, seconds: float, piped: Path | None = None
) -> Killed:
    """Kill a stream so many times and start it again, until it ends.

    Every other time the moment lies shortly after some slices were saved, else anywhere in a run of so many seconds.
    """
    chance = random.Random()
    found = Killed([], [])
    while len(found.stopped) < kills:
        process = start(*arguments, piped=piped)
        if len(found.stopped) % 2 == 0:
            for _ in range(chance.randint(1, 4)):
                _wait_for_a_save(process, model)
            time.sleep(chance.uniform(0, 0.05))
        else:
            time.sleep(chance.uniform(0, seconds))
        ended = process.poll() is not None
        process.kill()
        _, errors = process.communicate(timeout=120)
        if not ended:
            found.stopped.append(model.read_bytes() if model.exists() else b"")
            continue
        assert process.returncode == 0, errors
        found.ended.append(model.read_bytes())
        model.unlink()
    finish(start(*arguments, piped=piped))
    found.ended.append(model.read_bytes())
    return found


def _wait_for_a_save(process: Forked, model: Path) -> None:
    before = _stamp(model)
    while process.poll() is None and _stamp(model) == before:
        time.sleep(0.001)


def _stamp(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except FileNotFoundError:
        return 0
