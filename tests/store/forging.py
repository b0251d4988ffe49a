"""Forged model files: changed content with right digests, as an attacker would write them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import safe_open

from plait.store.container import TYPE_CODES, _digest, _header, _in_file_order, write_container

Change = Callable[[dict[str, Any], dict[str, np.ndarray]], Any]


def read(path: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the manifest and the tensors of a file, without any check."""
    with safe_open(path, framework="np") as opened:
        manifest = json.loads(opened.metadata()["plait"])
        return manifest, {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118


def write(path: Path, manifest: Any, tensors: dict[str, np.ndarray], *, describe: bool = True) -> Path:
    """Write a file with right digests.

    The manifest is any JSON, or text that is written as it is. `describe` lists the tensors in it, as `save` does.
    """
    tensors = {name: np.ascontiguousarray(array).reshape(np.shape(array)) for name, array in tensors.items()}
    entries, table, position = {}, {}, 0
    for name, array in _in_file_order(tensors):
        entry = {"dtype": TYPE_CODES[array.dtype.name], "shape": list(array.shape)}
        entries[name] = entry | {"data_offsets": [position, position + array.nbytes]}
        table[name] = entry | {"digest": _digest(array)}
        position += array.nbytes
    if describe and isinstance(manifest, dict):
        manifest = manifest | {"tensors": table}
    text = manifest if isinstance(manifest, str) else json.dumps(manifest)
    header = _header(text + " " * (-len(_header(text, entries)) % 8), entries)
    with path.open("wb") as file:
        write_container(file, len(header).to_bytes(8, "little") + header, tensors)
    return path


def forge(path: Path, change: Change) -> Path:
    """Change the manifest and the tensors of a file in place, and correct the digests."""
    manifest, tensors = read(path)
    change(manifest, tensors)
    return write(path, manifest, tensors)


def put(name: str, place: Any, value: Any) -> Change:
    """Return a change that sets one number of every tensor whose name ends with `name`."""

    def change(manifest: dict[str, Any], tensors: dict[str, np.ndarray]) -> None:
        found = [one for one in tensors if one.endswith(name)]
        assert found, f"there is no tensor {name}"
        for one in found:
            tensors[one] = tensors[one].copy()
            tensors[one][place] = value

    return change
