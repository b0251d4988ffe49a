"""The parts that `plait fit --model combined` puts together, as people name them: --use, and labels=4,links=2."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from typing import Any

import typer


class Target(StrEnum):
    """What a model uses besides words: things to predict, and influence along links."""

    labels = "labels"
    values = "values"
    links = "links"
    influence = "influence"


@dataclass(frozen=True)
class EachOwn:
    """An option's value for each of several parts."""

    values: Mapping[Target, Any]


def known_target(name: str) -> Target:
    """Return the part of a name; one that is not known is refused, with the nearest that is.

    Examples
    --------
    >>> known_target(" links")
    <Target.links: 'links'>
    """
    wanted = name.strip().lower()
    if wanted in tuple(Target):
        return Target(wanted)
    near = get_close_matches(wanted, list(Target), n=1)
    guess = f"; did you mean {near[0]}?" if near else ""
    raise typer.BadParameter(f"{wanted!r} is none of {', '.join(Target)}{guess}")


def read_use(text: str) -> list[Target]:
    """Read the parts of a combined model, each once, in one order.

    Examples
    --------
    >>> [part.value for part in read_use("influence, labels")]
    ['labels', 'influence']
    """
    named = {known_target(name) for name in text.split(",")}
    if {Target.labels, Target.values} <= named:
        raise typer.BadParameter(
            "labels and values are both read from the field that --label names, so give one of them; "
            "in Python, plait.TopicModel takes both"
        )
    return [part for part in Target if part in named]


def of_parts(read: Callable[[str], Any]) -> Callable[[str], Any]:
    """Return a reader of one value, or of one for each of several parts, such as labels=4,links=2."""

    def read_value(text: str) -> Any:
        if "=" not in text:
            return read(text)
        found: dict[Target, Any] = {}
        for item in text.split(","):
            name, _, value = item.partition("=")
            part = known_target(name)
            if part in found:
                raise typer.BadParameter(f"{text!r} says twice what {part} get")
            found[part] = read(value.strip())
        return EachOwn(found)

    return read_value
