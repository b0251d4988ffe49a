"""Tensors of a file mapped into memory, so that processes that load the same file share its memory.

Pages are mapped copy-on-write: the arrays are writable, as those that are read, but a change stays in the process.
"""

from __future__ import annotations

import json
import mmap
from collections.abc import Callable
from pathlib import Path

import numpy as np

# The supported types of tensors and their names in safetensors.
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
_TYPES = {code: name for name, code in TYPE_CODES.items()}


def map_tensors(path: Path) -> Callable[[str], np.ndarray]:
    """Return a function from the name of a tensor to its array in a file that safetensors has accepted.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    callable
        Returns an array whose memory is that of the file.
    """
    with path.open("rb") as file:
        pages = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    start = 8 + int.from_bytes(pages[:8], "little")
    entries = json.loads(pages[8:start])

    def get(name: str) -> np.ndarray:
        entry = entries[name]
        dtype = np.dtype(_TYPES[entry["dtype"]]).newbyteorder("<")
        begin, end = entry["data_offsets"]
        if begin == end:
            return np.empty(entry["shape"], dtype)
        flat: np.ndarray = np.frombuffer(pages, dtype, (end - begin) // dtype.itemsize, start + begin)
        return np.require(flat.reshape(entry["shape"]), requirements="A")  # files of plait are aligned, forged ones not

    return get
