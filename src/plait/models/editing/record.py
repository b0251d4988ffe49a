"""Records of what was done to the topics of a model: plain data in `edits_`, saved with the model."""

from __future__ import annotations

from typing import Any

from plait._utils.text import short
from plait.errors import PlaitError
from plait.models.naming import check_name

# Fields of a record besides "operation". Topics have the numbers that they had before the operation.
FIELDS: dict[str, tuple[str, ...]] = {
    "name": ("names",),  # dict of topic to name; None for a name that was removed
    "merge": ("groups", "n_topics", "n_sweeps"),  # list of lists of topics
    "drop": ("topics", "n_topics", "n_sweeps"),  # list of topics
    "split": ("topic", "into", "n_topics", "n_sweeps"),  # a topic, and the number of its parts
}


def check_edits(edits: Any) -> None:
    """Raise an error unless a value is a list of records of edits: it may come from a file.

    Parameters
    ----------
    edits : object
        The value of `edits_`.

    Examples
    --------
    >>> check_edits([{"operation": "drop", "topics": [-1], "n_topics": 5, "n_sweeps": 50}])
    Traceback (most recent call last):
    plait.errors.PlaitError: edits_ has a drop with topics [-1]
    """
    if not isinstance(edits, list):
        raise PlaitError(f"edits_ is of the type {type(edits).__name__}")
    for record in edits:
        operation = record.get("operation") if isinstance(record, dict) else None
        fields = FIELDS.get(operation) if isinstance(operation, str) else None
        if fields is None or set(record) != {"operation", *fields}:
            raise PlaitError(f"edits_ has a record that is not an edit: {short(repr(record))}")
        for field in fields:
            if not _CHECKS[field](record[field]):
                raise PlaitError(f"edits_ has a {operation} with {field} {short(repr(record[field]))}")


def _is_number(value: Any) -> bool:
    return type(value) is int and value >= 0


def _are_numbers(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_number, value))


def _are_names(value: Any) -> bool:
    if not isinstance(value, dict) or not all(map(_is_number, value)):
        return False
    return all(name is None or (isinstance(name, str) and check_name(name, topic)) for topic, name in value.items())


_CHECKS = {
    "names": _are_names,
    "groups": lambda value: isinstance(value, list) and bool(value) and all(map(_are_numbers, value)),
    "topics": _are_numbers,
    "topic": _is_number,
    "into": _is_number,
    "n_topics": _is_number,
    "n_sweeps": _is_number,
}
