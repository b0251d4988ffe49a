"""Nested parameters: the fields of the specifications that an estimator is given.

A specification is a frozen data class. The fields of a mixing or a prior are named `mixing__p` and `prior__value`,
those of a response by its kind: `responses__labels__c`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any


def nested_parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of all specifications among an estimator's parameters.

    Parameters
    ----------
    parameters : mapping of str to object
        Parameters of an estimator.

    Returns
    -------
    dict of str to object
        Values by nested name.

    Examples
    --------
    >>> from plait import LabelResponse, SymmetricPrior
    >>> nested_parameters({"prior": SymmetricPrior(0.1), "n_topics": 5})
    {'prior__value': 0.1}
    >>> nested_parameters({"responses": [LabelResponse(c=4.0)]})["responses__labels__c"]
    4.0
    """
    return {f"{name}__{below}": found for name, value in parameters.items() for below, found in _below(value)}


def replace_nested(value: Any, changes: Mapping[str, Any]) -> Any:
    """Return a specification, or a list of responses, with other fields.

    Parameters
    ----------
    value : specification, or list or tuple of responses
        A value of a parameter.
    changes : mapping of str to object
        New values by the name below the parameter's own: "p", "labels__c", "labels".

    Returns
    -------
    object
        New objects of the same classes.

    Raises
    ------
    KeyError
        If the value has no such field; the argument of the error is the field.

    Examples
    --------
    >>> from plait import LabelResponse
    >>> replace_nested([LabelResponse()], {"labels__c": 4.0})[0].c
    4.0
    """
    known = {below for below, _ in _below(value)}
    for name in changes:
        if name not in known:
            raise KeyError(name)
    if not isinstance(value, (list, tuple)):
        return replace(value, **changes)
    replaced = []
    for one in value:
        start = f"{one.kind}__"
        below = {name.removeprefix(start): new for name, new in changes.items() if name.startswith(start)}
        replaced.append(replace(changes.get(one.kind, one), **below))
    return type(value)(replaced)


def _below(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the names and values of the fields of a specification, or of the responses in a list."""
    if _is_specification(value):
        yield from ((one.name, getattr(value, one.name)) for one in fields(value) if one.init)
    elif isinstance(value, (list, tuple)):
        for one in value:
            if _is_specification(one) and hasattr(one, "kind"):
                yield one.kind, one
                yield from ((f"{one.kind}__{name}", found) for name, found in _below(one))


def _is_specification(value: Any) -> bool:
    return is_dataclass(value) and not isinstance(value, type)
