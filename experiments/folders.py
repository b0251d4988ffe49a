"""Folders of real corpora, below the folder that the environment variable PLAIT_DATA names."""

from __future__ import annotations

import os
from pathlib import Path

from plait.errors import PlaitError


def folder(name: str) -> Path:
    """Return the folder of a corpus, or say how to name the folder that it is in."""
    data = os.environ.get("PLAIT_DATA")
    if not data:
        raise PlaitError(
            "the environment variable PLAIT_DATA is not set; let it name the folder that holds the corpora "
            f"({name} among them, in plait's own format: docs/corpus.md)"
        )
    path = Path(data, name)
    if not path.is_dir():
        raise PlaitError(f"{data} has no folder {name}; let the environment variable PLAIT_DATA name the one that has")
    return path
