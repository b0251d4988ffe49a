"""Conversion of values to JSON and tensors, and back.

None, bool, int, finite float, str and lists of such values are stored in the manifest as they are. Any other value is
a JSON object with one key, its kind; `CODECS` has the functions that pack and unpack each kind. A value of no known
kind raises an error that names it.

Unpacking checks what each kind says about itself: a sparse array has rows and columns of its shape, offsets of texts
lie inside the text, lists have one length, and fields of classes have the declared types. `checks.py` then compares
the values of a model with each other. A tensor is unpacked once per kind of use, so a short manifest cannot refer to
a large tensor many times and fill the memory.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sparse

from plait._utils.arrays import check_csr_parts
from plait._utils.joined_texts import split_texts
from plait._utils.text import short
from plait.corpus.known_documents import KnownDocuments
from plait.corpus.text.options import TextOptions
from plait.engine.history import History, Record
from plait.errors import PlaitError
from plait.store.columns import are_rows, pack_columns, unpack_columns
from plait.store.container import TYPE_CODES, FileError
from plait.store.documents import pack_documents, unpack_documents
from plait.store.features import is_features, pack_features, unpack_features
from plait.store.fields import check_fields
from plait.store.older import rename_fields
from plait.store.parsing import parse_shape
from plait.store.registry import classes_by_name, names_by_class
from plait.store.tensors import Tensors
from plait.store.text_options import pack_text_options, unpack_text_options

_MAX_INT_BITS = 4096  # JSON stores decimal digits, and Python limits how many it parses
_MAX_TEXT_BYTES = 1 << 30  # of an array of texts with one width, which one long text makes large


class Packer:
    """Converts values to JSON and collects their arrays.

    Attributes
    ----------
    tensors : dict of str to ndarray
        The arrays of the packed values, by name.
    """

    def __init__(self) -> None:
        self.tensors: dict[str, np.ndarray] = {}
        self._names: dict[int, tuple[np.ndarray, str]] = {}  # the reference to the array keeps its id unique
        self.packed_texts: dict[int, tuple[np.ndarray, dict[str, Any]]] = {}  # by id, so that none is stored twice

    def pack(self, value: Any, where: str) -> Any:
        """Return a value as JSON.

        Parameters
        ----------
        value : Any
            The value.
        where : str
            Name of the value, such as "alpha" or "_samples[0].alpha": prefix of tensor names, and place in errors.

        Returns
        -------
        Any
            A value for `json.dumps`.
        """
        if value is None or type(value) is bool or (type(value) is float and math.isfinite(value)):
            return value
        if type(value) is int and value.bit_length() <= _MAX_INT_BITS:
            return value
        if type(value) in (str, np.str_):
            return _utf8(value, where).decode()
        for kind, codec in CODECS.items():
            if codec.holds(value):
                return {kind: codec.pack(self, value, where)}
        if type(value) is list:
            return [self.pack(item, f"{where}[{number}]") for number, item in enumerate(value)]
        raise PlaitError(
            f"{where} cannot be saved: a model file cannot contain {_class_name(value)} objects; use None, numbers, "
            "text, lists, tuples, dicts, NumPy arrays of numbers or text, csr_array, or plait's own samplers, "
            "mixings, priors and responses"
        )

    def put(self, array: np.ndarray, where: str) -> str:
        """Add an array to the tensors, unless it was added before, and return its tensor name.

        Parameters
        ----------
        array : ndarray
            The array.
        where : str
            Name for a new tensor.

        Returns
        -------
        str
            Name of the tensor.
        """
        if id(array) in self._names:
            return self._names[id(array)][1]
        if array.dtype.name not in TYPE_CODES:
            raise PlaitError(
                f"{where} cannot be saved: a model file cannot contain arrays of type {array.dtype}; convert it to a "
                "type such as float64"
            )
        little = array.astype(array.dtype.newbyteorder("<"), order="C", copy=False)
        self.tensors[where] = little
        self._names[id(array)] = (array, where)
        return where

    def encode_texts(self, texts: np.ndarray, where: str) -> list[bytes]:
        """Return the texts of an array as UTF-8.

        Parameters
        ----------
        texts : ndarray of str
            The texts.
        where : str
            Name of the array, for errors.

        Returns
        -------
        list of bytes
            The encoded texts.
        """
        encoded = []
        for number, text in enumerate(texts.flat):
            if not isinstance(text, str):
                raise PlaitError(
                    f"{where}[{number}] cannot be saved: an array may contain text, but not {_class_name(text)} objects"
                )
            encoded.append(_utf8(text, f"{where}[{number}]"))
        return encoded


class Unpacker:
    """Converts the JSON of a `Packer` back to values.

    Parameters
    ----------
    tensors : mapping of str to ndarray
        The arrays of the file, by name.
    """

    def __init__(self, tensors: Mapping[str, np.ndarray]) -> None:
        self.tensors = Tensors(tensors)

    def unpack(self, packed: Any) -> Any:
        """Return the value that was packed.

        Parameters
        ----------
        packed : Any
            Result of `Packer.pack`.

        Returns
        -------
        Any
            The value.
        """
        if isinstance(packed, list):
            return [self.unpack(item) for item in packed]
        if isinstance(packed, dict):
            if len(packed) != 1:
                raise PlaitError(f"a value has {len(packed)} kinds")
            ((kind, content),) = packed.items()
            if kind not in CODECS:
                raise PlaitError(f'there is no kind of values "{short(kind)}"')
            return CODECS[kind].unpack(self, content)
        return packed


class Codec(NamedTuple):
    """One kind of value.

    Attributes
    ----------
    holds : callable
        Returns whether a value is of this kind.
    pack : callable
        Takes the packer, the value and its name; returns JSON.
    unpack : callable
        Takes the unpacker and the JSON; returns the value.
    """

    holds: Callable[[Any], bool]
    pack: Callable[[Packer, Any, str], Any]
    unpack: Callable[[Unpacker, Any], Any]


def _pack_floats(packer: Packer, value: list[float], where: str) -> str:
    return packer.put(np.array(value), where)


def _unpack_floats(unpacker: Unpacker, name: Any) -> list[float]:
    array = unpacker.tensors.get(name, "floats", "f", ndim=1)
    return unpacker.tensors.once((name, "list"), [array], array.tolist)


def _pack_tuple(packer: Packer, value: tuple[Any, ...], where: str) -> list[Any]:
    return [packer.pack(item, f"{where}[{number}]") for number, item in enumerate(value)]


def _pack_dict(packer: Packer, value: dict[str, Any], where: str) -> dict[str, Any]:
    for key in value:
        _utf8(key, where)
    return {key: packer.pack(item, f"{where}[{key!r}]") for key, item in value.items()}


def _pack_pairs(packer: Packer, value: dict[Any, Any], where: str) -> list[list[Any]]:
    for key in value:
        if not isinstance(key, (str, int, float, np.generic)):
            raise PlaitError(f"{where} cannot be saved: its key {key!r} is neither text nor a number")
    return [
        [packer.pack(key, f"{where} key {number}"), packer.pack(item, f"{where}[{key!r}]")]
        for number, (key, item) in enumerate(value.items())
    ]


def _pack_array(packer: Packer, value: np.ndarray, where: str) -> dict[str, str]:
    # Keep the memory layout: sums in another order have other rounding errors.
    columns_first = value.flags.f_contiguous and not value.flags.c_contiguous
    return {"tensor": packer.put(value, where), "order": "F" if columns_first else "C"}


def _unpack_array(unpacker: Unpacker, content: Mapping[str, str]) -> np.ndarray:
    name = content["tensor"]
    array = unpacker.tensors.get(name, "array")
    if content["order"] != "F":
        return array
    return unpacker.tensors.once((name, "F"), [array], lambda: np.asfortranarray(array))


def _pack_texts(packer: Packer, value: np.ndarray, where: str) -> dict[str, Any]:
    if id(value) not in packer.packed_texts:
        encoded = packer.encode_texts(value, where)
        ends = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
        packed = {
            "utf8": packer.put(np.frombuffer(b"".join(encoded), dtype=np.uint8), f"{where}.utf8"),
            "offsets": packer.put(ends, f"{where}.offsets"),
            "shape": list(value.shape),
            "objects": value.dtype == object,
        }
        packer.packed_texts[id(value)] = value, packed
    return packer.packed_texts[id(value)][1]


def _unpack_texts(unpacker: Unpacker, content: Mapping[str, Any]) -> np.ndarray:
    utf8 = unpacker.tensors.get(content["utf8"], "utf8", "u", ndim=1)
    offsets = unpacker.tensors.get(content["offsets"], "offsets", "i", ndim=1)
    shape, objects = parse_shape(content["shape"], offsets.size - 1), bool(content["objects"])

    def make() -> np.ndarray:
        texts = split_texts(utf8, offsets)
        if not objects and texts.size * max(map(len, texts), default=0) * 4 > _MAX_TEXT_BYTES:
            raise PlaitError(f"{short(content['utf8'])} has texts that are too long for an array of one width")
        return (texts if objects else texts.astype(np.str_)).reshape(shape)

    return unpacker.tensors.once((content["utf8"], content["offsets"], shape, objects), [utf8, offsets], make)


def _pack_scalar(packer: Packer, value: np.generic, where: str) -> str:
    return packer.put(np.asarray(value), where)


def _unpack_scalar(unpacker: Unpacker, content: str) -> Any:
    return unpacker.tensors.get(content, "scalar", ndim=0)[()]


def _pack_csr(packer: Packer, value: sparse.csr_array, where: str) -> dict[str, Any]:
    arrays = {name: packer.put(getattr(value, name), f"{where}.{name}") for name in ("data", "indices", "indptr")}
    return {**arrays, "shape": [int(size) for size in value.shape]}


def _unpack_csr(unpacker: Unpacker, content: Mapping[str, Any]) -> sparse.csr_array:
    names = tuple(content[name] for name in ("data", "indices", "indptr"))
    data, indices, indptr = (
        unpacker.tensors.get(name, use, kinds, ndim=1)
        for name, use, kinds in zip(names, ("array", "indices", "indptr"), ("biuf", "iu", "iu"), strict=True)
    )
    shape = parse_shape(content["shape"])

    def make() -> sparse.csr_array:
        check_csr_parts(short(names[0]).removesuffix(".data"), data, indices, indptr, shape)
        return sparse.csr_array((data, indices, indptr), shape=shape)

    return unpacker.tensors.once((*names, shape), [data, indices, indptr], make)


def _pack_history(packer: Packer, value: History, where: str) -> Any:
    return packer.pack(value.records, f"{where}.records")


def _unpack_history(unpacker: Unpacker, content: Any) -> History:
    records = unpacker.unpack(content)
    if not isinstance(records, list) or not all(type(one) is Record for one in records):
        raise PlaitError("a history has entries that are not records of sweeps")
    # perf_counter of another process cannot be compared with ours: continue from the elapsed seconds.
    elapsed = records[-1].seconds if records else 0.0
    return History(records, time.perf_counter() - elapsed)


def _pack_record(packer: Packer, value: Any, where: str) -> dict[str, Any]:
    names = [field.name for field in dataclasses.fields(value)] if dataclasses.is_dataclass(value) else value._fields
    fields = {name: packer.pack(getattr(value, name), f"{where}.{name}") for name in names}
    return {"class": names_by_class()[type(value)], "fields": fields}


def _pack_rows(packer: Packer, value: list[Any], where: str) -> dict[str, Any]:
    return {"class": names_by_class()[type(value[0])], "columns": pack_columns(packer, value, where)}


def _unpack_rows(unpacker: Unpacker, content: Mapping[str, Any]) -> list[Any]:
    return [_make_part(content["class"], fields) for fields in unpack_columns(unpacker, content["columns"])]


def _unpack_record(unpacker: Unpacker, content: Mapping[str, Any]) -> Any:
    return _make_part(content["class"], {name: unpacker.unpack(item) for name, item in content["fields"].items()})


def _make_part(name: str, fields: dict[str, Any]) -> Any:
    """Return an instance of a registered class; raise an error if a field does not have its declared type."""
    kind, fields = _class_by_name(name), rename_fields(name, fields)
    check_fields(kind, fields)
    return kind(**fields)


def _class_by_name(name: str) -> type:
    """Return the class that a file names; raise an error for any class that is not registered."""
    if not isinstance(name, str) or name not in classes_by_name():
        raise FileError(f"contains {short(str(name))}, which this version of plait does not have: upgrade plait")
    return classes_by_name()[name]


def _is_registered(value: Any) -> bool:
    return type(value) in names_by_class()


def _is_text(value: np.ndarray) -> bool:
    return value.dtype.kind in "OU"


def _utf8(text: str, where: str) -> bytes:
    """Return text as UTF-8; raise an error for lone surrogates."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise PlaitError(
            f"{where} cannot be saved: {text!a} contains half of a surrogate pair, which is not valid text; clean it "
            "when reading, for instance with text.encode('utf-8', 'replace').decode()"
        ) from None


def _class_name(value: Any) -> str:
    """Return the full name of the class of a value."""
    return f"{type(value).__module__}.{type(value).__qualname__}".removeprefix("builtins.")


# The first codec whose `holds` is true is used. The keys are written to files and must not change.
CODECS: dict[str, Codec] = {
    "float": Codec(  # infinities and NaN, which JSON does not have
        lambda value: type(value) is float, lambda packer, value, where: repr(value), lambda unpacker, text: float(text)
    ),
    "floats": Codec(  # lists of floats are stored as arrays, which saves space and time
        lambda value: type(value) is list and len(value) > 0 and all(type(item) is float for item in value),
        _pack_floats,
        _unpack_floats,
    ),
    "tuple": Codec(
        lambda value: type(value) is tuple, _pack_tuple, lambda unpacker, items: tuple(unpacker.unpack(items))
    ),
    "dict": Codec(
        lambda value: type(value) is dict and all(type(key) is str for key in value),
        _pack_dict,
        lambda unpacker, items: {key: unpacker.unpack(item) for key, item in items.items()},
    ),
    "pairs": Codec(  # dicts with keys other than text, such as weights of numeric classes
        lambda value: type(value) is dict,
        _pack_pairs,
        lambda unpacker, items: {unpacker.unpack(key): unpacker.unpack(item) for key, item in items},
    ),
    "documents": Codec(lambda value: type(value) is KnownDocuments, pack_documents, unpack_documents),
    "text": Codec(lambda value: type(value) is np.ndarray and _is_text(value), _pack_texts, _unpack_texts),
    "array": Codec(lambda value: type(value) is np.ndarray, _pack_array, _unpack_array),
    "scalar": Codec(lambda value: isinstance(value, np.generic), _pack_scalar, _unpack_scalar),
    "csr": Codec(lambda value: type(value) is sparse.csr_array, _pack_csr, _unpack_csr),
    "features": Codec(is_features, pack_features, unpack_features),
    "history": Codec(lambda value: type(value) is History, _pack_history, _unpack_history),
    "text_options": Codec(lambda value: type(value) is TextOptions, pack_text_options, unpack_text_options),
    "part": Codec(_is_registered, _pack_record, _unpack_record),
    "rows": Codec(lambda value: are_rows(value) and _is_registered(value[0]), _pack_rows, _unpack_rows),
}
