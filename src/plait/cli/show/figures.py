"""Figures about a model with those of a baseline beside them, as a table for people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from plait.cli.show.screen import Table


@dataclass(frozen=True)
class Figure:
    """One measure of a model, its baseline where there is one, and which way is better."""

    key: str
    name: str
    model: float
    baseline: float | None
    better: str


class Report(Protocol):
    """What was measured about one side of a model."""

    def show(self) -> None:
        """Print it for people."""

    def plain(self) -> dict[str, Any]:
        """Return it for programs."""


def figures_table(figures: list[Figure], baseline: str) -> Table:
    """Lay figures out; `baseline` says what stands beside the model."""
    table = Table(["measure", "model", baseline, "better is"], right={"model", baseline})
    for figure in figures:
        beside = "" if figure.baseline is None else shown(figure.baseline)
        table.add(figure.name, shown(figure.model), beside, figure.better)
    return table


def shown(value: float) -> str:
    """Return a figure with as many places as are worth reading.

    Examples
    --------
    >>> shown(1234.56), shown(0.81234)
    ('1,234.6', '0.812')
    """
    return f"{value:,.1f}" if abs(value) >= 10 else f"{value:.3f}"
