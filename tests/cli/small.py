"""Corpora small enough to know by heart: plain themes, every fifth document for testing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

WATER = ["river", "stream", "lake", "fish", "boat", "rain", "flood", "shore"]
MONEY = ["bank", "loan", "money", "credit", "stocks", "market", "price", "shares"]
MUSIC = ["song", "guitar", "drum", "concert", "band", "melody", "opera", "tune"]
THEMES = {"money": MONEY, "music": MUSIC, "water": WATER}
QUICK = ["--topics", "2", "--sweeps", "12", "--samples", "2", "--sample-every", "2"]
THREE = ["--topics", "3", "--sweeps", "40", "--samples", "3", "--sample-every", "2"]


def request_stop(request: Any) -> Any:
    """Stand in for `StopRequest.__enter__`: Ctrl-C was pressed at once."""
    request.requested = True
    return request


def documents(number: int = 60) -> list[dict[str, Any]]:
    """Documents of six words about water or money by turns."""
    made = []
    for row in range(number):
        theme = WATER if row % 2 else MONEY
        words = [theme[(row // 2 + step) % len(theme)] for step in (0, 0, 1, 2, 4, 7)]
        made.append({"id": f"d{row}", "text": " ".join(words), "split": "test" if row % 5 == 0 else "train"})
    return made


def labelled(number: int = 90, *, several: bool = False) -> list[dict[str, Any]]:
    """Documents about one theme, which is their label; with `several`, every third is about two.

    The number of stars is 1, 3 or 5 by the (first) theme; every twentieth document has neither label nor stars.
    """
    made = []
    names = list(THEMES)
    for row in range(number):
        about = [names[row % 3]]
        if several and row % 9 < 3:
            about.append(names[(row + 1) % 3])
        words = [THEMES[name][(row // 3 + step) % 8] for name in about for step in (0, 0, 1, 2, 4, 7)]
        document: dict[str, Any] = {"id": f"d{row}", "text": " ".join(words)}
        document["split"] = "test" if row % 5 == 0 else "train"
        if row % 20 != 19:
            document["labels" if several else "label"] = about if several else about[0]
            document["stars"] = 1 + 2 * (row % 3)
        made.append(document)
    return made


def write_lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    """Write JSON lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def write_linked(folder: Path, number: int = 90, *, labels: bool = False) -> Path:
    """Write a corpus folder: documents about one theme each, that link to two others of it; music links to water."""
    folder.mkdir(exist_ok=True)
    names = ("id", "text", "split", *(("label", "stars") if labels else ()))
    rows = [{name: row[name] for name in names if name in row} for row in labelled(number)]
    write_lines(folder / "documents.jsonl", rows)
    links = []
    for row in range(number):
        target = row + 1 if row % 3 == 1 else row + 3  # 0 money, 1 music, 2 water
        links += [(row, target % number), (row, (target + 6) % number)]
    lines = ["source,target", *(f"d{source},d{target}" for source, target in links)]
    (folder / "links.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def lines_from_reading(printed: str) -> list[str]:
    """Return what plait fit prints from the line about the corpus on, without the fields and the language."""
    lines = printed.splitlines()
    return lines[next(number for number, line in enumerate(lines) if line.startswith("read ")) :]
