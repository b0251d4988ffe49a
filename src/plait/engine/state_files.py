"""The files of a chain's state: each shard writes and reads its own, and the chain has those of all in `StoredState`.

A shard's file is a plain safetensors file. Its size and digest go back to the chain, which lists them in the manifest
of the checkpoint (`plait.store.checkpoints`); a file that does not match them is not read.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
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


class StoredState(Mapping[str, np.ndarray]):
    """The state of a chain whose shards' arrays are in files: as a mapping, what `join_state` returns.

    The files are read when an array of a shard is first asked for. `Chain.restore` has the shards read them instead.

    Parameters
    ----------
    own : mapping of str to ndarray
        `Chain.own_arrays`.
    folder : str
        Folder of the files, the same on all machines.
    files : sequence of StateFile
        The file of each shard, in their order.
    """

    def __init__(self, own: Mapping[str, np.ndarray], folder: str, files: Sequence[StateFile]) -> None:
        self.own = own
        self.folder = folder
        self.files = list(files)

    @cached_property
    def _joined(self) -> dict[str, np.ndarray]:
        return join_state(self.own, [self.read(number) for number in range(len(self.files))])

    def read(self, number: int) -> dict[str, np.ndarray]:
        """Return the arrays of a shard; raise an error if its file is not there or not what was written.

        Parameters
        ----------
        number : int
            Number of the shard.
        """
        one = self.files[number]
        try:
            return read_arrays(Path(self.folder, one.name), one.n_bytes, one.digest)
        except OSError as error:
            said = error.strerror or str(error)
            raise PlaitError(f"{self.folder} has no {one.name} any more ({said}); load the checkpoint again") from error

    def files_only(self) -> StoredState:
        """Return the files without the arrays of the chain: what the shards need."""
        return StoredState({}, self.folder, self.files)

    def check_files(self) -> None:
        """Raise an error unless all files are what was written; one file is held at a time."""
        for one in self.files:
            check_content(Path(self.folder, one.name), one.n_bytes, one.digest)

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in vars(self).items() if name != "_joined"}

    def __getitem__(self, name: str) -> np.ndarray:
        return self._joined[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._joined)

    def __len__(self) -> int:
        return len(self._joined)


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

    try:
        return dict(load(check_content(path, n_bytes, digest)))
    except SafetensorError as error:
        raise PlaitError(f"{path.name} is not a safetensors file ({error})") from error


def check_content(path: Path, n_bytes: int, digest: str) -> bytes:
    """Return the content of a file; raise an error unless it has a size and a digest.

    Parameters
    ----------
    path, n_bytes, digest
        As for `read_arrays`.

    Returns
    -------
    bytes
        The content.
    """
    if path.stat().st_size != n_bytes:
        raise PlaitError(f"{path.name} has {path.stat().st_size:,} bytes of {n_bytes:,}")
    content = path.read_bytes()
    if digest_of(content) != digest:
        raise PlaitError(f"{path.name} does not match its digest")
    return content


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


def arrays_of_response(
    number: int, arrays: Mapping[str, np.ndarray], n_weights: int | None = None
) -> dict[str, np.ndarray]:
    """Return the arrays of one response, by their names in the response.

    Parameters
    ----------
    number : int
        Number of the response.
    arrays : mapping of str to ndarray
        Arrays of a chain or of a shard.
    n_weights : int or None, default None
        Required number of weights per row, one per topic and feature; None for any.
    """
    start = f"response {number} "
    own = {name.removeprefix(start): arrays[name] for name in arrays if name.startswith(start)}
    if n_weights is not None and "weights" in own and own["weights"].shape[-1] != n_weights:
        found = own["weights"].shape[-1]
        raise PlaitError(f"the checkpoint is damaged: it has {found:,} weights per row, not {n_weights:,}; fit again")
    return own
