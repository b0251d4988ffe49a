"""Figures by setting, stored as they are measured, so that an interrupted run continues where it stopped."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from joblib import Parallel, delayed

from benchmarks.tables import say

Setting = dict[str, Any]
Figures = dict[str, Any]


class Results:
    """Figures by setting, stored as JSON lines.

    Parameters
    ----------
    path
        The file; None stores them in memory only.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._figures: dict[str, Figures] = {}
        if path is not None and path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                kept = json.loads(line)
                self._figures[_key(kept["setting"])] = kept["figures"]

    def get(self, setting: Setting, measure: Callable[[], Figures]) -> Figures:
        """Return the stored figures of a setting, or measure them now."""
        key = _key(setting)
        if key in self._figures:
            say(f"{_name(setting)}: stored")
            return self._figures[key]
        self._keep(setting, measure())
        return self._figures[key]

    def get_all(
        self, settings: Sequence[Setting], measure: Callable[[Setting], Figures], n_processes: int
    ) -> list[Figures]:
        """Return the figures of many settings; those that are not stored are measured in several processes.

        Parameters
        ----------
        settings
            Everything that the figures depend on, one dictionary each.
        measure
            An importable function that returns the figures of a setting.
        n_processes
            Number of processes.
        """
        to_do = {_key(setting): setting for setting in settings if _key(setting) not in self._figures}
        n_known = len({_key(setting) for setting in settings}) - len(to_do)
        say(f"{len(to_do)} to measure" + f", {n_known} stored" * (n_known > 0))
        # One at a time, so that each is stored as soon as it is measured.
        processes = Parallel(n_processes, batch_size=1, return_as="generator_unordered")
        try:
            measured = processes(delayed(_measured)(measure, setting) for setting in to_do.values())
            for number, (setting, figures) in enumerate(measured, start=1):
                self._keep(setting, figures, f"{number} of {len(to_do)}: ")
        except KeyboardInterrupt:
            kept = "without --results nothing is stored" if self.path is None else f"{self.path} has the figures so far"
            say(f"stopped; {kept}")
            raise SystemExit(130) from None
        return [self._figures[_key(setting)] for setting in settings]

    def _keep(self, setting: Setting, figures: Figures, place: str = "") -> None:
        say(place + f"{_name(setting)}: " + ", ".join(f"{word} {value:.4g}" for word, value in figures.items()))
        self._figures[_key(setting)] = figures
        if self.path is not None:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"setting": setting, "figures": figures}) + "\n")


def average(figures: Iterable[Figures]) -> Figures:
    """Return the mean of every figure, over seeds."""
    rows = list(figures)
    return {name: mean(row[name] for row in rows) for name in rows[0]}


def _key(setting: Setting) -> str:
    return json.dumps(setting, sort_keys=True)


def _name(setting: Setting) -> str:
    return ", ".join(f"{word} {value}" for word, value in setting.items())


def _measured(measure: Callable[[Setting], Figures], setting: Setting) -> tuple[Setting, Figures]:
    return setting, measure(setting)
