"""How `plait fit` read its corpus, kept in the model as plain data, so that `plait edit` reads it in the same way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_Options = TypeVar("_Options", bound="DataclassInstance")
# Those that a user may change from run to run, and files, whose paths are private and mean nothing elsewhere.
_NOT_KEPT = frozenset({"strict", "allow_skips", "links"})


def options_to_keep(*groups: DataclassInstance, **more: Any) -> dict[str, Any]:
    """Return the options that are not at their defaults, as plain data for the model.

    Parameters
    ----------
    *groups : data class
        Options, such as `WordSource`.
    **more : object
        Further options; None is left out.

    Returns
    -------
    dict of str to object
        Values by name.
    """
    kept = {
        one.name: getattr(group, one.name)
        for group in groups
        for one in fields(group)
        if one.name not in _NOT_KEPT and getattr(group, one.name) != one.default
    }
    return kept | {name: value for name, value in more.items() if value is not None}


def recall_options(group: _Options, kept: Mapping[str, Any], given: set[str]) -> _Options:
    """Return options with the values that a fit was given, where the command line does not say otherwise.

    Parameters
    ----------
    group : data class
        Options of the command line.
    kept : mapping of str to object
        Result of `options_to_keep`, from a model file. A value of another type than an option has is ignored.
    given : set of str
        Names of the options that stand on the command line.

    Returns
    -------
    data class
        The options.
    """
    known = {one.name for one in fields(group)} - _NOT_KEPT - given
    changed = {name: value for name, value in kept.items() if name in known and _is_plain(value)}
    return replace(group, **changed)


def _is_plain(value: Any) -> bool:
    if isinstance(value, list):
        return all(isinstance(one, str) for one in value)
    return isinstance(value, str | bool | int | float)
