"""The record of the training documents in a file: texts, seconds, and labels as rows of numbers."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from plait._utils.arrays import WHOLE, check_array, check_texts
from plait._utils.text import short
from plait.corpus.known_documents import KnownDocuments
from plait.corpus.values import FIRST_TIME, LAST_TIME
from plait.errors import PlaitError

if TYPE_CHECKING:
    from plait.store.codecs import Packer, Unpacker

_TEXTS = ("ids", "titles", "excerpts", "splits")


def pack_documents(packer: Packer, value: KnownDocuments, where: str) -> dict[str, Any]:
    """Return what a model keeps of its documents as JSON.

    Parameters
    ----------
    packer : Packer
        Collects the arrays.
    value : KnownDocuments
        The record.
    where : str
        Name of the value.

    Returns
    -------
    dict of str to object
        The fields.
    """
    fields: dict[str, Any] = {name: getattr(value, name) for name in _TEXTS}
    fields["seconds"] = None if value.times is None else value.times.astype(np.int64)
    fields["metadata"] = None if value.metadata is None else dict(value.metadata)
    if value.labels is not None:
        names = sorted({name for own in value.labels for name in own})
        number_of = {name: number for number, name in enumerate(names)}
        fields["label_names"] = np.array(names, dtype=object)
        fields["label_numbers"] = np.array([number_of[name] for own in value.labels for name in own], dtype=np.int64)
        fields["label_ends"] = np.cumsum([0, *map(len, value.labels)], dtype=np.int64)
    packed = {name: packer.pack(field, f"{where}.{name}") for name, field in fields.items()}
    return {"n_documents": value.n_documents, **packed}


def unpack_documents(unpacker: Unpacker, content: Mapping[str, Any]) -> KnownDocuments:
    """Return what a model keeps of its documents; raise an error if the fields do not agree with each other.

    Parameters
    ----------
    unpacker : Unpacker
        Has the arrays.
    content : mapping of str to object
        Result of `pack_documents`.

    Returns
    -------
    KnownDocuments
        The record.
    """
    found = {name: unpacker.unpack(packed) for name, packed in content.items()}
    size, metadata = found["n_documents"], found["metadata"]
    if type(size) is not int or size < 0:
        raise PlaitError(f"documents_ has {short(repr(size))} documents")
    if metadata is not None and type(metadata) is not dict:
        raise PlaitError(f"metadata of documents_ is of the type {type(metadata).__name__}")
    for name, texts in {**{name: found[name] for name in _TEXTS}, **(metadata or {})}.items():
        if texts is not None:
            check_texts(f"{short(name)} of documents_", texts, size)
    return KnownDocuments(
        size,
        **{name: found[name] for name in _TEXTS},
        times=None if found["seconds"] is None else _times(found["seconds"], size),
        labels=_labels(found, size) if "label_names" in found else None,
        metadata=metadata,
    )


def share_ids(fitted: dict[str, Any]) -> dict[str, Any]:
    """Return fitted attributes in which `doc_ids_` is the array of ids in `documents_`, so that it is saved once.

    Parameters
    ----------
    fitted : dict of str to object
        Fitted attributes of a file.

    Returns
    -------
    dict of str to object
        The attributes.
    """
    ids, known = fitted.get("doc_ids_"), fitted.get("documents_")
    if not isinstance(known, KnownDocuments):
        return fitted
    if known.ids is None or ids is None:
        if ids is not known.ids:
            raise PlaitError("one of doc_ids_ and documents_ has ids, the other has none")
    elif not np.array_equal(ids, known.ids):
        raise PlaitError("doc_ids_ are not the ids of documents_")
    return fitted | {"doc_ids_": known.ids}


def _times(seconds: Any, size: int) -> np.ndarray:
    check_array("seconds of documents_", seconds, (size,), WHOLE, finite=False)
    times: np.ndarray = seconds.astype(np.int64).view("datetime64[s]")
    if (~np.isnat(times) & ((times < FIRST_TIME) | (times > LAST_TIME))).any():
        raise PlaitError("documents_ has times outside the years 1 to 9999")
    return times


def _labels(found: Mapping[str, Any], size: int) -> tuple[tuple[str, ...], ...]:
    names, numbers, ends = found["label_names"], found["label_numbers"], found["label_ends"]
    if not isinstance(names, np.ndarray):
        raise PlaitError("label_names of documents_ are missing")
    check_texts("label_names of documents_", names, names.size)
    check_array("label_numbers of documents_", numbers, (None,), WHOLE, least=0, most=names.size - 1)
    check_array("label_ends of documents_", ends, (size + 1,), WHOLE, least=0)
    if ends[0] != 0 or ends[-1] != numbers.size or (ends[1:] < ends[:-1]).any():
        raise PlaitError(f"label_ends of documents_ do not cover its {numbers.size:,} labels")
    listed = [str(name) for name in names[numbers]] if numbers.size else []
    return tuple(tuple(listed[begin:end]) for begin, end in pairwise(ends.tolist()))
