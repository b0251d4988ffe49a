"""What a model uses besides words: the values of --use, and option values per target such as labels=4,links=2."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from typing import Any

import typer


class Target(StrEnum):
    """What a model uses besides words: targets that it predicts, and influence along links."""

    labels = "labels"
    values = "values"
    links = "links"
    influence = "influence"


@dataclass(frozen=True)
class ValuePerTarget:
    """One value of an option for each of several targets.

    Parameters
    ----------
    values : mapping of Target to object
        The values.
    """

    values: Mapping[Target, Any]


def parse_target(name: str) -> Target:
    """Return the target of a name. An unknown name is an error that suggests the nearest known one.

    Parameters
    ----------
    name : str
        Name as typed.

    Returns
    -------
    Target
        The target.

    Examples
    --------
    >>> parse_target(" links")
    <Target.links: 'links'>
    """
    wanted = name.strip().lower()
    if wanted in tuple(Target):
        return Target(wanted)
    near = get_close_matches(wanted, list(Target), n=1)
    guess = f"; did you mean {near[0]}?" if near else ""
    raise typer.BadParameter(f"{wanted!r} is none of {', '.join(Target)}{guess}")


def parse_use(text: str) -> list[Target]:
    """Return the targets of a combined model, each once, in a fixed order.

    Parameters
    ----------
    text : str
        Value of --use: names separated by commas.

    Returns
    -------
    list of Target
        The targets.

    Examples
    --------
    >>> [target.value for target in parse_use("influence, labels")]
    ['labels', 'influence']
    """
    named = {parse_target(name) for name in text.split(",")}
    if {Target.labels, Target.values} <= named:
        raise typer.BadParameter(
            "labels and values are both read from the field that --label names; give one of them. "
            "In Python, plait.TopicModel takes both"
        )
    return [target for target in Target if target in named]


def per_target(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    """Return a parser of one value, or of one value per target, such as labels=4,links=2.

    Parameters
    ----------
    parse : callable
        Parser of one value.

    Returns
    -------
    callable
        Parser that returns a value or a `ValuePerTarget`.
    """

    def parse_values(text: str) -> Any:
        if "=" not in text:
            return parse(text)
        found: dict[Target, Any] = {}
        for item in text.split(","):
            name, _, value = item.partition("=")
            target = parse_target(name)
            if target in found:
                raise typer.BadParameter(f"{text!r} gives two values for {target}")
            found[target] = parse(value.strip())
        return ValuePerTarget(found)

    return parse_values
