"""Folders of real corpora, below the folder that the environment variable PLAIT_DATA names."""

from __future__ import annotations

import os
from pathlib import Path

from plait.errors import PlaitError


def folder(name: str) -> Path:
    """Return the folder of a corpus; raise an error that says how to set PLAIT_DATA."""
    data = os.environ.get("PLAIT_DATA")
    if not data:
        raise PlaitError(
            "the environment variable PLAIT_DATA is not set; set it to the folder that contains the corpora "
            f"({name} among them, as a corpus folder: docs/corpus.md)"
        )
    path = Path(data, name)
    if not path.is_dir():
        raise PlaitError(f"{data} has no folder {name}; set PLAIT_DATA to the folder that contains it")
    return path
