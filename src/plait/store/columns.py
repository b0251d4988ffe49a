"""Lists of dataclass instances stored by column: one tensor per field instead of one per instance and field.

This keeps saving fast for a model that is saved after every time slice of a stream. Encoding texts takes longest, so
encoded texts are cached per row; rows are frozen.
"""

from __future__ import annotations

import dataclasses
import math
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from plait._utils.joined_texts import split_texts
from plait._utils.text import short
from plait.errors import PlaitError
from plait.store.parsing import parse_shape

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plait.store.codecs import Packer, Unpacker


class _Encoded(NamedTuple):
    """The texts of an array as UTF-8, joined, and the length of each in bytes."""

    utf8: bytes
    lengths: np.ndarray


_ENCODED: WeakKeyDictionary[Any, dict[str, _Encoded]] = WeakKeyDictionary()


def are_rows(value: Any) -> bool:
    """Return whether a value is a list of a dataclass with `kept_in_columns`.

    Parameters
    ----------
    value : Any
        Any value.

    Returns
    -------
    bool
        Whether `pack_columns` can store it.
    """
    if type(value) is not list or not value or not getattr(type(value[0]), "kept_in_columns", False):
        return False
    return all(type(row) is type(value[0]) for row in value)


def pack_columns(packer: Packer, rows: list[Any], where: str) -> dict[str, Any]:
    """Return the fields of rows as JSON, one entry per column.

    Parameters
    ----------
    packer : Packer
        Collects the arrays.
    rows : list
        Instances of one dataclass.
    where : str
        Name of the list.

    Returns
    -------
    dict of str to Any
        The column of each field.
    """
    names = [field.name for field in dataclasses.fields(rows[0])]
    return {name: _pack_column(packer, rows, name, f"{where}.{name}") for name in names}


def unpack_columns(unpacker: Unpacker, columns: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the fields of each row.

    Parameters
    ----------
    unpacker : Unpacker
        Holds the arrays.
    columns : mapping of str to Any
        Result of `pack_columns`.

    Returns
    -------
    list of dict
        Field values by name, one dict per row.
    """
    values = {name: _unpack_column(unpacker, content) for name, content in columns.items()}
    return [dict(zip(values, row, strict=True)) for row in zip(*values.values(), strict=True)]


def _pack_column(packer: Packer, rows: list[Any], name: str, where: str) -> dict[str, Any]:
    values = [getattr(row, name) for row in rows]
    if not all(type(value) is np.ndarray and value.flags.c_contiguous for value in values):
        return {"items": packer.pack(values, where)}
    if len({value.dtype for value in values}) > 1:
        return {"items": packer.pack(values, where)}
    shapes = [list(value.shape) for value in values]
    if values[0].dtype == object:
        encoded = [_encode(packer, row, name, where) for row in rows]
        return {
            "utf8": packer.put(np.frombuffer(b"".join(one.utf8 for one in encoded), dtype=np.uint8), f"{where}.utf8"),
            "lengths": packer.put(_narrow(np.concatenate([one.lengths for one in encoded])), f"{where}.lengths"),
            "shapes": shapes,
        }
    return {"numbers": packer.put(np.concatenate([value.reshape(-1) for value in values]), where), "shapes": shapes}


def _unpack_column(unpacker: Unpacker, content: Mapping[str, Any]) -> list[Any]:
    if "items" in content:
        items = unpacker.unpack(content["items"])
        if not isinstance(items, list):
            raise PlaitError("a column is not a list")
        return items
    if "numbers" in content:
        joined = unpacker.tensors.get(content["numbers"], "column", ndim=1)
    else:
        lengths = unpacker.tensors.get(content["lengths"], "lengths", "iu", ndim=1)
        utf8 = unpacker.tensors.get(content["utf8"], "utf8", "u", ndim=1)
        offsets = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
        key = (content["utf8"], content["lengths"])
        joined = unpacker.tensors.once(key, [utf8, lengths], lambda: split_texts(utf8, offsets))
    shapes = [parse_shape(shape) for shape in content["shapes"]]
    ends = [0, *accumulate(map(math.prod, shapes))]
    if ends[-1] != joined.size:
        raise PlaitError(f"a column has {joined.size:,} values, but its shapes have {short(str(ends[-1]))}")
    return [joined[begin:end].reshape(shape) for (begin, end), shape in zip(pairwise(ends), shapes, strict=True)]


def _narrow(lengths: np.ndarray) -> np.ndarray:
    """Return lengths as uint8 if possible: most words are short."""
    return lengths.astype(np.uint8) if lengths.max(initial=0) < 256 else lengths


def _encode(packer: Packer, row: Any, name: str, where: str) -> _Encoded:
    """Return the encoded texts of a field of a row, from the cache if possible."""
    cached = _ENCODED.setdefault(row, {})
    if name not in cached:
        texts = packer.encode_texts(getattr(row, name), where)
        cached[name] = _Encoded(b"".join(texts), np.array([len(text) for text in texts], dtype=np.int32))
    return cached[name]
