"""Fields of classes and parameters of models in a file, compared with their declared types.

The declared types are the annotations of the class, so a class that is added needs nothing here. Python's own rules
for numbers apply: an int is a valid float, a NumPy number a valid number.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from plait._utils.text import short
from plait.errors import PlaitError


def check_fields(kind: type, fields: Mapping[str, Any]) -> None:
    """Raise an error for the first field whose value does not have its declared type.

    Parameters
    ----------
    kind : type
        The class.
    fields : mapping of str to object
        Values by name.

    Examples
    --------
    >>> from plait.samplers import Sparse
    >>> check_fields(Sparse, {"sparsity": "10"})
    Traceback (most recent call last):
    plait.errors.PlaitError: sparsity is '10', not float
    """
    hints = _hints(kind)
    for name in fields:
        if name not in hints:
            raise PlaitError(f"{kind.__name__} has no field {short(name)}")
    check_types(fields, {name: hints[name] for name in fields})


def check_types(values: Mapping[str, Any], hints: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values with the given names; raise an error if one is missing or does not have its type.

    Parameters
    ----------
    values : mapping of str to object
        Values by name.
    hints : mapping of str to type
        Types by name, as in annotations.

    Returns
    -------
    dict of str to object
        The values.
    """
    for name, hint in hints.items():
        if name not in values:
            raise PlaitError(f"there is no {name}")
        if not _has_type(values[name], hint):
            wanted = getattr(hint, "__name__", str(hint))
            raise PlaitError(f"{name} is {short(repr(values[name]))}, not {wanted}")
    return {name: values[name] for name in hints}


@cache
def _hints(kind: type) -> dict[str, Any]:
    """Return the declared types; `Any` where an annotation names something that only a type checker imports."""
    try:
        return get_type_hints(kind)
    except NameError:
        return dict.fromkeys(inspect.signature(kind).parameters, Any)


def _has_type(value: Any, hint: Any) -> bool:
    """Return whether a value has a declared type."""
    if hint is Any:
        return True
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return any(_has_type(value, one) for one in arguments)
    if origin is Literal:
        return isinstance(value, str) and value in arguments
    if origin is tuple and arguments[-1] is not Ellipsis:
        return type(value) is tuple and len(value) == len(arguments) and all(map(_has_type, value, arguments))
    if origin in (list, tuple, Sequence):
        accepted = (list, tuple) if origin is Sequence else origin
        return isinstance(value, accepted) and all(_has_type(one, arguments[0]) for one in value)
    if origin in (dict, Mapping):
        keys, values = arguments
        return isinstance(value, dict) and all(
            _has_type(key, keys) and _has_type(one, values) for key, one in value.items()
        )
    if hint in (bool, int, float):
        return _is_number(value, hint)
    return isinstance(value, hint) if isinstance(hint, type) else True


def _is_number(value: Any, kind: type) -> bool:
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if kind is bool:
        return isinstance(value, (bool, np.bool_, int, np.integer))
    if isinstance(value, (bool, np.bool_)):
        return False
    return isinstance(value, (int, np.integer) if kind is int else (int, float, np.integer, np.floating))
