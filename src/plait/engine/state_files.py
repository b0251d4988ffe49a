"""The files of a chain's state: each shard writes its own, and `join_state` joins their arrays with those of the chain.

A shard's file is a plain safetensors file. Its size and digest go back to the chain, which lists them in the manifest
of the checkpoint (`plait.store.checkpoints`); a file that does not match them is not read.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from plait.errors import PlaitError

# Tables with rows of shards and rows that shards share, and what their rows stand for.
TABLES = {"word_shares": "words", "source_shares": "sources"}


class StateFile(NamedTuple):
    """A file that was written, or why it was not: other shards must not be lost because a disk is full."""

    name: str
    n_bytes: int
    digest: str
    problem: str | None = None


def write_arrays(folder: str, name: str, arrays: Mapping[str, np.ndarray]) -> StateFile:
    """Write arrays to a new file, and sync it.

    Parameters
    ----------
    folder : str
        Folder of the file, the same on all machines.
    name : str
        Name of the file.
    arrays : mapping of str to ndarray
        The arrays.

    Returns
    -------
    StateFile
        Size and digest.
    """
    from safetensors.numpy import save

    content = save({key: np.asarray(array, order="C") for key, array in arrays.items()})
    try:
        with Path(folder, name).open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        return StateFile(name, 0, "", error.strerror or str(error))
    return StateFile(name, len(content), digest_of(content))


def read_arrays(path: Path, n_bytes: int, digest: str) -> dict[str, np.ndarray]:
    """Return the arrays of a file; raise an error unless it has a size and a digest.

    Parameters
    ----------
    path : Path
        The file.
    n_bytes : int
        Its size.
    digest : str
        Its digest.

    Returns
    -------
    dict of str to ndarray
        The arrays.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load

    if path.stat().st_size != n_bytes:
        raise PlaitError(f"{path.name} has {path.stat().st_size:,} bytes of {n_bytes:,}")
    content = path.read_bytes()
    if digest_of(content) != digest:
        raise PlaitError(f"{path.name} does not match its digest")
    try:
        return dict(load(content))
    except SafetensorError as error:
        raise PlaitError(f"{path.name} is not a safetensors file ({error})") from error


def digest_of(content: bytes) -> str:
    """Return the 128-bit BLAKE2b digest of the content of a file, in hexadecimal."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def join_state(own: Mapping[str, np.ndarray], parts: Sequence[Mapping[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Return the state of a chain, as `Chain.state` does, from its own arrays and those of its shards.

    Parameters
    ----------
    own : mapping of str to ndarray
        `Chain.own_arrays`.
    parts : sequence of mapping of str to ndarray
        `Shard.checkpoint_arrays` of each shard, in their order.

    Returns
    -------
    dict of str to ndarray
        The state.
    """
    arrays = {name: array for name, array in own.items() if not name.startswith("shared ")}
    for table, rows in TABLES.items():
        if f"shared {table}" in own:
            shared = own[f"shared {table}"]
            joined = np.zeros((int(own[f"shared n_{rows}"]), shared.shape[1]), shared.dtype)
            for part in parts:
                joined[part[f"private {rows}"]] = part[f"private {table}"]
            joined[own[f"shared {rows}"]] = shared
            arrays[table] = joined if table == "word_shares" else joined.ravel()
    names = [name for name in parts[0] if not name.startswith("private ")]
    return arrays | {name: np.concatenate([part[name] for part in parts]) for name in names}
