"""Topics of groups of documents: one column per value of a field, or a line over time."""

from __future__ import annotations

from typing import Any

from plait._utils.text import cut
from plait.cli.show.screen import Table

_VALUES = 8  # columns of a table
_NAME = 40  # characters of a topic
_VALUE = 20  # characters of a value


def per_table(frame: Any, field: str) -> tuple[Table, int]:
    """Return a table of topics × values of a field.

    Parameters
    ----------
    frame : polars.DataFrame
        Result of `topics_per`.
    field : str
        The field.

    Returns
    -------
    Table
        The values with most documents, one column each.
    int
        Number of values that are not shown.
    """
    sizes = frame.select(field, "documents").unique(maintain_order=True).sort("documents", descending=True)
    values = sizes[field].to_list()
    shown = values[:_VALUES]
    heads = [f"{_shown(value)} ({number:,})" for value, number in sizes.head(_VALUES).iter_rows()]
    table = Table(["topic", "name", *heads], right={"topic", *heads})
    shares = {(row[field], row["topic"]): row["share"] for row in frame.iter_rows(named=True)}
    for topic, name in frame.select("topic", "name").unique(maintain_order=True).iter_rows():
        table.add(str(topic), cut(name, _NAME), *(f"{shares[value, topic]:.1%}" for value in shown))
    return table, len(values) - len(shown)


def over_table(frame: Any) -> Table:
    """Return a table of topics with a line over time.

    Parameters
    ----------
    frame : polars.DataFrame
        Result of `topics_over`.

    Returns
    -------
    Table
        Topic, name, last share, peak share, the slice of the peak, and bars.
    """
    from plait.report.trends import sparkline

    table = Table(["topic", "now", "peak", "in", "trend", "name"], right={"topic", "now", "peak"})
    for (topic, name), own in frame.group_by("topic", "name", maintain_order=True):
        shares = [float("nan") if share is None else share for share in own["share"]]
        known = own.drop_nulls("share")
        peak = known.row(known["share"].arg_max() or 0, named=True)
        last = known["share"][-1]
        line = sparkline(shares, width=40)
        table.add(str(topic), f"{last:.1%}", f"{peak['share']:.1%}", peak["slice"], line, cut(name, _NAME))
    return table


def _shown(value: str | None) -> str:
    return "(none)" if value is None else cut(value, _VALUE)
