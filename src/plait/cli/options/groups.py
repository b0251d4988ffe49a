"""Groups of options: a command takes one dataclass, the command line shows each of its fields as an option."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, get_type_hints


def expand_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command whose dataclass parameters are replaced by one option per field.

    Typer reads options from a flat signature. A group of options that several commands share is written once, as a
    dataclass whose fields are annotated with ``typer.Option``; the command receives it as one object.

    Parameters
    ----------
    command : callable
        A command, some of whose parameters are annotated with dataclasses.

    Returns
    -------
    callable
        The same command with keyword parameters only.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Size:
    ...     width: int = 2
    ...     height: int = 3
    >>> @expand_groups
    ... def area(unit: str, size: Size) -> None:
    ...     print(size.width * size.height, unit)
    >>> area(unit="cm", width=5, height=2)
    10 cm
    >>> list(inspect.signature(area).parameters)
    ['unit', 'width', 'height']
    """
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}
    flat: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        if name in groups:
            flat.extend(_options(groups[name]))
        else:
            flat.append(_keyword(name, parameter.default, hints[name]))

    @functools.wraps(command)
    def flat_command(**given: Any) -> None:
        for name, kind in groups.items():
            given[name] = kind(**{field.name: given.pop(field.name) for field in fields(kind)})
        command(**given)

    # `inspect.Signature` raises an error here if two groups share a name.
    flat_command.__signature__ = inspect.Signature(flat)  # type: ignore[attr-defined]
    flat_command.__annotations__ = {parameter.name: parameter.annotation for parameter in flat}
    return flat_command


def _options(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        _keyword(
            field.name,
            inspect.Parameter.empty if field.default is MISSING else field.default,
            hints[field.name],
        )
        for field in fields(group)
    ]


def _keyword(name: str, default: Any, annotation: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
