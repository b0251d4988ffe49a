"""The file itself: a safetensors file whose metadata hold a JSON manifest, with digests of every part.

The header has two entries of metadata, in this order in every version of the format: "plait", the manifest as
JSON text, and "digest", the digest of that text. The manifest lists every tensor with its type, shape and digest,
so a change of any byte of the file is noticed: the header outside of these texts has no byte to spare.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from plait.errors import PlaitError

FORMAT = 1  # rises when an older plait could not read a new file

# What safetensors calls the types that a tensor may have.
TYPE_CODES = {
    "bool": "BOOL",
    "int8": "I8",
    "int16": "I16",
    "int32": "I32",
    "int64": "I64",
    "uint8": "U8",
    "uint16": "U16",
    "uint32": "U32",
    "uint64": "U64",
    "float16": "F16",
    "float32": "F32",
    "float64": "F64",
}

_BEGINNING = b'{"__metadata__":{"plait":'  # of the header, after its length in 8 bytes
_LARGEST_HEADER = 100_000_000  # bytes; safetensors reads no larger one


def pack_header(manifest: Mapping[str, Any], tensors: Mapping[str, np.ndarray]) -> bytes:
    """Return the beginning of a file: all of it but the tensors.

    Parameters
    ----------
    manifest
        What can be said in JSON.
    tensors
        Contiguous little-endian arrays by name, of the types in `TYPE_CODES`.
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
    # Tensors begin at a multiple of 8. The padding is inside the manifest, where its digest covers it.
    header = _header(text + " " * (-len(_header(text, entries)) % 8), entries)
    if len(header) > _LARGEST_HEADER:
        raise PlaitError(
            f"the model cannot be saved: what it holds besides arrays takes {len(header):,} bytes, and "
            f"{_LARGEST_HEADER:,} are allowed; give long parameters as NumPy arrays"
        )
    return len(header).to_bytes(8, "little") + header


def write_container(file: BinaryIO, header: bytes, tensors: Mapping[str, np.ndarray]) -> None:
    """Write a file part by part, without a second copy of the tensors in memory."""
    # The writer of safetensors makes files that only their owner may read, and older ones copy everything first.
    file.write(header)
    for _, array in _in_file_order(tensors):
        file.write(_raw(array))


def read_container(path: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the manifest and the tensors of a file, each compared with its digest.

    Errors here say what is wrong with the file, as a sentence that its name begins.
    """
    from safetensors import SafetensorError, safe_open

    if path.is_dir():
        raise PlaitError("is a folder; give the file that plait.save wrote")
    if not path.exists():
        raise PlaitError("does not exist; give the file that plait.save wrote")
    if not path.is_file():
        raise PlaitError("is a device or a pipe; give the file that plait.save wrote")
    try:
        with safe_open(path, framework="np") as file:
            manifest = _checked_manifest(file.metadata() or {})
            table = manifest["tensors"]
            if set(file.keys()) != set(table):
                raise _damaged("its tensors are not those that its manifest lists")
            return manifest, {name: _checked_tensor(file, name, table[name]) for name in table}
    except SafetensorError as error:
        raise _unreadable(path) from error
    except OSError as error:
        raise PlaitError(f"could not be read: {error.strerror or error}") from error


def _checked_manifest(metadata: Mapping[str, str]) -> dict[str, Any]:
    if "plait" not in metadata:
        raise PlaitError("is a safetensors file, but not one that plait.save wrote")
    text = metadata["plait"]
    if metadata.get("digest") != _digest(text.encode()):
        raise _damaged("its manifest differs from its digest")
    manifest: dict[str, Any] = json.loads(text)
    if manifest["format"] > FORMAT:
        raise PlaitError(
            f"was written by plait {manifest['plait']} with format {manifest['format']}; "
            f"this plait reads up to {FORMAT}: upgrade plait"
        )
    return manifest


def _checked_tensor(file: Any, name: str, declared: Mapping[str, Any]) -> np.ndarray:
    stored = file.get_slice(name)
    if stored.get_dtype() != declared["dtype"] or list(stored.get_shape()) != declared["shape"]:
        raise _damaged(f'the tensor "{name}" has not the type and shape that its manifest lists')
    array: np.ndarray = file.get_tensor(name)
    if _digest(array) != declared["digest"]:
        raise _damaged(f'the tensor "{name}" differs from its digest')
    return array


def _unreadable(path: Path) -> PlaitError:
    """Say why safetensors cannot read a file."""
    size = path.stat().st_size
    if size == 0:
        return PlaitError("is empty; save the model again")
    if size <= 8:
        return PlaitError(f"has only {size} bytes: it is cut off, or not a model that plait.save wrote")
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if not _BEGINNING.startswith(file.read(len(_BEGINNING))):
            return PlaitError("is not a model that plait.save wrote")
        if length > _LARGEST_HEADER:
            return _damaged("its header cannot be read")
        file.seek(8)
        header = file.read(length)
    wanted = 8 + length + _data_size(header)
    if size < wanted:
        return PlaitError(f"is cut off: it has {size:,} of {wanted:,} bytes or more; copy it or save the model again")
    return _damaged("its header cannot be read")


def _data_size(header: bytes) -> int:
    """Return how many bytes of tensors a header announces; 0 for one that makes no sense."""
    try:
        entries = json.loads(header)
        return max(
            (int(entry["data_offsets"][1]) for name, entry in entries.items() if name != "__metadata__"), default=0
        )
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        return 0


def _damaged(why: str) -> PlaitError:
    return PlaitError(f"is damaged: {why}; copy it again from where it came, or save the model again")


def _header(text: str, entries: Mapping[str, Any]) -> bytes:
    metadata = {"plait": text, "digest": _digest(text.encode())}
    return _json({"__metadata__": metadata, **entries}).encode()


def _json(value: Any) -> str:
    return json.dumps(value, allow_nan=False, separators=(",", ":"))


def _in_file_order(tensors: Mapping[str, np.ndarray]) -> list[tuple[str, np.ndarray]]:
    """Return the tensors with the widest types first, so that each begins at a multiple of its own width."""
    return sorted(tensors.items(), key=lambda item: -item[1].dtype.itemsize)


def _raw(array: np.ndarray) -> memoryview:
    return array.reshape(-1).view(np.uint8).data


def _digest(data: bytes | np.ndarray) -> str:
    return hashlib.blake2b(_raw(data) if isinstance(data, np.ndarray) else data, digest_size=16).hexdigest()
