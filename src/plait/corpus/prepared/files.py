"""Files of arrays in a prepared corpus: safetensors, each with its size and digest in the manifest."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from plait._utils.arrays import check_array
from plait._utils.text import short
from plait.corpus.problems import CorpusError
from plait.errors import PlaitError

_NAME = re.compile(r"[a-z]+(-[0-9]{1,12})+\.safetensors")


class FileRecord(NamedTuple):
    """A file of arrays.

    Parameters
    ----------
    name : str
        Name in the folder.
    size : int
        Number of bytes.
    digest : str
        BLAKE2b of the bytes, in hexadecimal.
    """

    name: str
    size: int
    digest: str


def damaged(path: Path, reason: str) -> CorpusError:
    """Return the error about a file of a prepared corpus that is not as it was written.

    Parameters
    ----------
    path : Path
        The file.
    reason : str
        What is wrong with it.

    Returns
    -------
    CorpusError
        The error.
    """
    return CorpusError(
        f"{short(str(path), 1000)} is damaged: {short(reason, 500)}; prepare the corpus again",
        kind="damaged corpus",
        place=path.name,
    )


def parse_record(path: Path, value: Any) -> FileRecord:
    """Return the record of a file in a manifest; raise an error if it is not one.

    Parameters
    ----------
    path : Path
        The manifest, for error messages.
    value : object
        What the manifest has.

    Returns
    -------
    FileRecord
        The record, whose name is that of a file in the folder itself.
    """
    if isinstance(value, list) and len(value) == 3:
        name, size, digest = value
        if isinstance(name, str) and _NAME.fullmatch(name) and type(size) is int and isinstance(digest, str):
            return FileRecord(name, size, digest)
    raise damaged(path, f"{short(repr(value))} does not describe a file")


def digest_bytes(data: bytes) -> str:
    """Return the digest of bytes, in hexadecimal.

    Parameters
    ----------
    data : bytes
        The bytes.

    Returns
    -------
    str
        32 digits.
    """
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def write_arrays(folder: Path, name: str, arrays: Mapping[str, np.ndarray]) -> FileRecord:
    """Write arrays to a new file and wait until the disk has it.

    Parameters
    ----------
    folder : Path
        The folder.
    name : str
        Name of the file; a file that an interrupted run left under it is replaced.
    arrays : mapping of str to ndarray
        The arrays by name.

    Returns
    -------
    FileRecord
        What the manifest has to know of it.
    """
    from safetensors.numpy import save

    data = save({key: np.ascontiguousarray(array) for key, array in arrays.items()})
    with (folder / name).open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    return FileRecord(name, len(data), digest_bytes(data))


def read_arrays(folder: Path, record: FileRecord) -> dict[str, np.ndarray]:
    """Return the arrays of a file whose bytes are those that were written.

    Parameters
    ----------
    folder : Path
        The folder.
    record : FileRecord
        The file.

    Returns
    -------
    dict of str to ndarray
        Read-only arrays by name.
    """
    path = folder / record.name
    try:
        if path.stat().st_size != record.size:  # before a file of any size is read
            raise damaged(path, f"it has {path.stat().st_size:,} bytes, not {record.size:,}")
        data = path.read_bytes()
    except OSError as error:
        raise CorpusError(f"{path} cannot be read: {error.strerror}", place=path.name) from error
    if digest_bytes(data) != record.digest:
        raise damaged(path, "its digest is not the one in the manifest")
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        return dict(load(data))
    except (SafetensorError, ValueError, KeyError) as error:
        raise damaged(path, str(error)) from error


def take_array(
    path: Path,
    arrays: Mapping[str, np.ndarray],
    name: str,
    shape: tuple[int | None, ...],
    kinds: str,
    least: float | None = None,
    most: float | None = None,
) -> np.ndarray:
    """Return one array of a file after its type, shape and range were checked: a file may be forged.

    Parameters
    ----------
    path : Path
        The file, for error messages.
    arrays : mapping of str to ndarray
        Arrays of the file.
    name : str
        Name of the array.
    shape : tuple of int or None
        Its shape; None for any length.
    kinds : str
        Accepted kinds of types, as in `dtype.kind`.
    least, most : float or None, default None
        Smallest and largest accepted number.

    Returns
    -------
    ndarray
        The array.
    """
    try:
        check_array(name, arrays.get(name), shape, kinds, least=least, most=most)
    except PlaitError as error:
        raise damaged(path, str(error)) from error
    return arrays[name]
