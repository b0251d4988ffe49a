"""The file: safetensors with a JSON manifest in its metadata, and digests of the manifest and of every tensor.

The metadata have two entries, in this order in every version of the format: "plait", the manifest as JSON text, and
"digest", the digest of that text. The manifest lists the type, shape and digest of every tensor. The header has no
padding outside the manifest, so a change of any byte of the file is detected.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from plait._utils.text import short
from plait.errors import PlaitError
from plait.store.mapping import TYPE_CODES, map_tensors

FORMAT = 2  # increased when older versions cannot read new files

_KEYS = {"format": int, "plait": str, "model": str, "tensors": dict}  # of every manifest, and their types
_HEADER_START = b'{"__metadata__":{"plait":'  # follows the length of the header in 8 bytes
_MAX_HEADER_BYTES = 100_000_000  # limit of safetensors


class FileError(PlaitError):
    """A file that cannot be read. The message is a predicate ("is empty; …"): the caller adds the name of the file."""


def damaged(why: str) -> FileError:
    """Return the error for a file whose contents are not those that `save` writes.

    Parameters
    ----------
    why : str
        What is wrong.
    """
    return FileError(f"is damaged: {short(why, 300)}; copy it again from its source, or save the model again")


def pack_header(manifest: Mapping[str, Any], tensors: Mapping[str, np.ndarray]) -> bytes:
    """Return the first bytes of a file: the header with its length, without the tensors.

    Parameters
    ----------
    manifest : mapping of str to Any
        Values for `json.dumps`.
    tensors : mapping of str to ndarray
        Contiguous little-endian arrays of the types in `TYPE_CODES`, by name.

    Returns
    -------
    bytes
        The header.
    """
    table = {
        name: {"dtype": TYPE_CODES[array.dtype.name], "shape": list(array.shape), "digest": _digest(array)}
        for name, array in tensors.items()
    }
    text = _json({"format": FORMAT, **manifest, "tensors": table})
    entries: dict[str, Any] = {}
    position = 0
    for name, array in _in_file_order(tensors):
        extent = [position, position + array.nbytes]
        entries[name] = {"dtype": table[name]["dtype"], "shape": list(array.shape), "data_offsets": extent}
        position += array.nbytes
    # Tensors begin at a multiple of 8 bytes. The padding is inside the manifest, so its digest covers it.
    header = _header(text + " " * (-len(_header(text, entries)) % 8), entries)
    if len(header) > _MAX_HEADER_BYTES:
        raise PlaitError(
            f"the model cannot be saved: its values other than arrays take {len(header):,} bytes, and "
            f"{_MAX_HEADER_BYTES:,} are allowed; pass long parameters as NumPy arrays"
        )
    return len(header).to_bytes(8, "little") + header


def write_container(file: BinaryIO, header: bytes, tensors: Mapping[str, np.ndarray]) -> None:
    """Write the header and the tensors without copying the tensors.

    Parameters
    ----------
    file : binary file
        File to write to.
    header : bytes
        Result of `pack_header`.
    tensors : mapping of str to ndarray
        The arrays that were passed to `pack_header`.
    """
    # safetensors' own writer creates files that only the owner may read, and earlier versions copy all arrays.
    file.write(header)
    for _, array in _in_file_order(tensors):
        file.write(_raw(array))


def read_container(path: Path, *, mapped: bool = False) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the manifest and the tensors of a file after checking their digests.

    Errors are `FileError`.

    Parameters
    ----------
    path : Path
        The file.
    mapped : bool, default False
        Whether tensors are mapped into memory instead of read.

    Returns
    -------
    manifest : dict of str to Any
        The manifest.
    tensors : dict of str to ndarray
        Arrays by name.
    """
    from safetensors import SafetensorError, safe_open

    try:
        if path.is_dir():
            raise FileError("is a folder; give a model that plait.save or plait fit wrote")
        if not path.exists():
            raise FileError("does not exist; give a model that plait.save or plait fit wrote")
        if not path.is_file():
            raise FileError("is a device or a pipe; give a model that plait.save or plait fit wrote")
        with safe_open(path, framework="np") as file:
            manifest = _read_manifest(file.metadata() or {})
            table = manifest["tensors"]
            if set(file.keys()) != set(table):
                raise damaged("its tensors are not those listed in its manifest")
            get = map_tensors(path) if mapped else file.get_tensor
            return manifest, {name: _read_tensor(file, get, name, table[name]) for name in table}
    except SafetensorError as error:
        raise _read_error(path) from error
    except OSError as error:
        raise FileError(f"could not be read: {error.strerror or error}") from error


def _read_manifest(metadata: Mapping[str, str]) -> dict[str, Any]:
    """Return the manifest after checking its digest and the format version."""
    if "plait" not in metadata:
        raise FileError("is a safetensors file, but not a model file; give a model that plait.save or plait fit wrote")
    text = metadata["plait"]
    if metadata.get("digest") != _digest(text.encode()):
        raise damaged("its manifest does not match its digest")
    try:
        manifest: dict[str, Any] = json.loads(text)
    except RecursionError:
        raise damaged("its manifest is nested too deeply") from None
    except ValueError as error:
        raise damaged(f"its manifest is not JSON ({error})") from None
    if not isinstance(manifest, dict):
        raise damaged("its manifest is not a JSON object")
    for key, kind in _KEYS.items():
        if type(manifest.get(key)) is not kind:
            raise damaged(f'"{key}" is missing in its manifest, or is not {kind.__name__}')
    if manifest["format"] < 1:
        raise damaged(f"its format is {manifest['format']}, and formats are numbered from 1")
    if manifest["format"] > FORMAT:
        version, number = short(manifest["plait"], 30), short(str(manifest["format"]), 30)
        raise FileError(
            f"was written by plait {version} with format {number}; this version reads formats up to {FORMAT}: upgrade "
            "plait"
        )
    return manifest


def _read_tensor(file: Any, get: Callable[[str], np.ndarray], name: str, declared: Any) -> np.ndarray:
    """Return a tensor after checking its type, shape and digest."""
    if not isinstance(declared, dict) or set(declared) != {"dtype", "shape", "digest"}:
        raise damaged(f'its manifest does not describe the tensor "{short(name)}"')
    stored = file.get_slice(name)
    if stored.get_dtype() != declared["dtype"] or list(stored.get_shape()) != declared["shape"]:
        raise damaged(f'the tensor "{short(name)}" does not have the type and shape listed in the manifest')
    if declared["dtype"] not in TYPE_CODES.values():
        raise damaged(f'the tensor "{short(name)}" has the type {declared["dtype"]}, which plait does not use')
    array = get(name)
    if _digest(array) != declared["digest"]:
        raise damaged(f'the tensor "{short(name)}" does not match its digest')
    return array


def _read_error(path: Path) -> FileError:
    """Return an error that explains why safetensors cannot read a file."""
    size = path.stat().st_size
    if size == 0:
        return FileError("is empty; save the model again")
    if size <= 8:
        return FileError(f"has only {size} bytes: it is truncated, or not a model file; save the model again")
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if not _HEADER_START.startswith(file.read(len(_HEADER_START))):
            return FileError("is not a model file; give a model that plait.save or plait fit wrote")
        if length > _MAX_HEADER_BYTES:
            return damaged("its header cannot be read")
        file.seek(8)
        header = file.read(length)
    wanted = 8 + length + _data_size(header)
    if size < wanted:
        return FileError(
            f"is truncated: it has {size:,} bytes of at least {wanted:,}; copy it again, or save the model again"
        )
    return damaged("its header cannot be read")


def _data_size(header: bytes) -> int:
    """Return the number of bytes of tensors according to a header; 0 if the header cannot be parsed."""
    try:
        entries = json.loads(header)
        return max(
            (int(entry["data_offsets"][1]) for name, entry in entries.items() if name != "__metadata__"), default=0
        )
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        return 0


def _header(text: str, entries: Mapping[str, Any]) -> bytes:
    """Return the safetensors header with the manifest `text` and the tensor entries."""
    metadata = {"plait": text, "digest": _digest(text.encode())}
    return _json({"__metadata__": metadata, **entries}).encode()


def _json(value: Any) -> str:
    """Return compact JSON."""
    return json.dumps(value, allow_nan=False, separators=(",", ":"))


def _in_file_order(tensors: Mapping[str, np.ndarray]) -> list[tuple[str, np.ndarray]]:
    """Return the tensors ordered by decreasing item size, so that each is aligned to its item size."""
    return sorted(tensors.items(), key=lambda item: -item[1].dtype.itemsize)


def _raw(array: np.ndarray) -> memoryview:
    """Return the bytes of a contiguous array without a copy."""
    return array.reshape(-1).view(np.uint8).data


def _digest(data: bytes | np.ndarray) -> str:
    """Return the 128-bit BLAKE2b digest of data in hexadecimal."""
    return hashlib.blake2b(_raw(data) if isinstance(data, np.ndarray) else data, digest_size=16).hexdigest()
