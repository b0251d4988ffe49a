"""A corpus small enough to know by heart: two plain themes, every fifth document for testing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

WATER = ["river", "stream", "lake", "fish", "boat", "rain", "flood", "shore"]
MONEY = ["bank", "loan", "money", "credit", "stocks", "market", "price", "shares"]
QUICK = ["--topics", "2", "--sweeps", "12", "--samples", "2", "--sample-every", "2"]


def documents(number: int = 60) -> list[dict[str, Any]]:
    """Documents of six words about water or money by turns."""
    made = []
    for row in range(number):
        theme = WATER if row % 2 else MONEY
        words = [theme[(row // 2 + step) % len(theme)] for step in (0, 0, 1, 2, 4, 7)]
        made.append({"id": f"d{row}", "text": " ".join(words), "split": "test" if row % 5 == 0 else "train"})
    return made


def write_lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    """Write JSON lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path
