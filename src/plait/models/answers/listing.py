"""Lists of answers that print as a table, show as HTML in a notebook and convert to a data frame.

A list holds data classes or named tuples; its columns are some of their attributes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np
from sklearn import get_config

from plait._utils.tables import html_table, plain_table
from plait._utils.text import cut
from plait.errors import PlaitError
from plait.models.shared_docs import shared_docs

_Answer = TypeVar("_Answer")
_MOST_ROWS = 200  # that are printed
_MOST_CHARACTERS = 60  # of a text in a printed table
_MOST_WORDS = 100  # characters of a list of words in a printed table
_SHARES = {"share", "before", "novelty", "drift", "noise"}


class Listing(list[Any]):
    """A list of answers, one row each.

    Parameters
    ----------
    items : iterable
        Objects of one type.
    columns : sequence of str
        Columns of a table: attributes of the objects.
    names : mapping of str to str, optional
        Names of columns that differ from those of the attributes.
    """

    def __init__(
        self, items: Iterable[Any], columns: Sequence[str], names: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        super().__init__(items)
        self._attributes = tuple(columns)
        self._columns = tuple(names.get(name, name) for name in columns)

    def records(self) -> list[dict[str, Any]]:
        """Return the values of every row by column.

        Returns
        -------
        list of dict
            One per row.
        """
        named = list(zip(self._columns, self._attributes, strict=True))
        return [{name: getattr(item, attribute) for name, attribute in named} for item in self]

    @shared_docs
    def to_frame(self, kind: str = "polars") -> Any:
        """Return a data frame.

        <frame_of_kind>
            One row per answer.
        """
        records = self.records()
        return make_frame({name: [one[name] for one in records] for name in self._columns}, kind)

    def __repr__(self) -> str:
        columns, rows, right = self._cells()
        if not rows:
            return "[]"
        text = plain_table(columns, rows[:_MOST_ROWS], right)
        return text if len(rows) <= _MOST_ROWS else f"{text}\n… and {len(rows) - _MOST_ROWS:,} more rows"

    __str__ = __repr__

    def _repr_html_(self) -> str:
        columns, rows, right = self._cells(html=True)
        return html_table(columns, rows, right)

    def _cells(self, *, html: bool = False) -> tuple[list[str], list[list[str]], set[str]]:
        """Return the columns that have a value, rows of texts, and the columns of numbers."""
        records = self.records()
        used = [name for name in self._columns if any(one[name] not in (None, "") for one in records)]
        right = {name for name in used if any(isinstance(one[name], (int, float)) for one in records)}
        limit = 300 if html else _MOST_CHARACTERS
        return used, [[_format(name, one[name], limit) for name in used] for one in records], right


class GroupedListing(Listing):
    """A list of lists of answers, one list per group: per topic, or per document.

    Parameters
    ----------
    groups : iterable of lists
        The answers of each group.
    columns : sequence of str
        Names of the columns of an answer.
    group_columns : mapping of str to sequence
        Values of the columns that name the groups.
    """

    def __init__(
        self, groups: Iterable[list[Any]], columns: Sequence[str], group_columns: Mapping[str, Sequence[Any]]
    ) -> None:
        super().__init__(groups, (*group_columns, "rank", *columns))
        self._answer_columns = tuple(columns)
        self._group_columns = {name: list(values) for name, values in group_columns.items()}

    def records(self) -> list[dict[str, Any]]:
        """Return the values of every row by column, group after group.

        Returns
        -------
        list of dict
            One per row.
        """
        rows = []
        for number, group in enumerate(self):
            named = {name: values[number] for name, values in self._group_columns.items()}
            for rank, item in enumerate(group, start=1):
                rows.append({**named, "rank": rank, **{name: getattr(item, name) for name in self._answer_columns}})
        return rows


def with_attributes(answer: _Answer, **attributes: Any) -> _Answer:
    """Return a named tuple with attributes beside its fields: it still compares and unpacks as before.

    Parameters
    ----------
    answer : named tuple
        An instance of a subclass of a named tuple.
    **attributes : object
        Values by name.

    Returns
    -------
    named tuple
        The same object.
    """
    vars(answer).update(attributes)
    return answer


def frame_kind(model: Any) -> str:
    """Return the library of a model's data frames: that of its `set_output`, or of scikit-learn's, else Polars.

    Parameters
    ----------
    model : TopicEstimator
        A model.

    Returns
    -------
    {"polars", "pandas"}
        Name of the library.
    """
    given = getattr(model, "_sklearn_output_config", {}).get("transform", get_config()["transform_output"])
    return "pandas" if given == "pandas" else "polars"


def make_frame(columns: Mapping[str, Any], kind: str) -> Any:
    """Return a data frame.

    Parameters
    ----------
    columns : mapping of str to sequence
        Values by name of the column.
    kind : {"polars", "pandas"}
        Library of the data frame.

    Returns
    -------
    polars.DataFrame or pandas.DataFrame
        The frame.
    """
    if kind == "polars":
        import polars

        return polars.DataFrame(dict(columns), strict=False)
    if kind != "pandas":
        raise PlaitError(f"a data frame is of 'polars' or 'pandas', not {kind!r}")
    try:
        import pandas
    except ImportError as error:
        raise PlaitError(
            "pandas is not installed: pip install pandas, or ask for Polars with set_output(transform='polars')"
        ) from error
    return pandas.DataFrame({name: list(values) for name, values in columns.items()}, columns=list(columns))


def _format(name: str, value: Any, limit: int) -> str:
    """Return one cell as text."""
    if value is None:
        return ""
    if isinstance(value, float):
        if math.isnan(value):
            return ""
        return f"{value:.1%}" if name in _SHARES else f"{value:,.1f}" if abs(value) >= 100 else f"{value:.4g}"
    if isinstance(value, (int, np.integer)):
        return str(value)
    if isinstance(value, (list, tuple)):
        return cut(" ".join(map(str, value)), max(limit, _MOST_WORDS))
    return cut(str(value), limit)
