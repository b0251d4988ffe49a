"""Groups of options: a command takes one dataclass, the command line sees each of its fields as an option."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, get_type_hints


def spread(command: Callable[..., None]) -> Callable[..., None]:
    """Turn every dataclass parameter of a command into the options that its fields describe.

    Typer reads options from a flat signature. Here a group of options that several commands share is written
    once, as a dataclass whose fields are annotated with ``typer.Option``; the command gets it as one object.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Size:
    ...     width: int = 2
    ...     height: int = 3
    >>> @spread
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
    def spread_command(**given: Any) -> None:
        for name, kind in groups.items():
            given[name] = kind(**{field.name: given.pop(field.name) for field in fields(kind)})
        command(**given)

    # A name that two groups share is refused here, when the command is defined.
    spread_command.__signature__ = inspect.Signature(flat)  # type: ignore[attr-defined]
    spread_command.__annotations__ = {parameter.name: parameter.annotation for parameter in flat}
    return spread_command


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
