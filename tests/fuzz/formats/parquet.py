"""Parquet files: columns of other types, nulls, maps with repeated keys, no rows."""

from __future__ import annotations

import io
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any

import polars
import pyarrow
import pyarrow.parquet

from tests.fuzz.case import Draft
from tests.fuzz.documents import intact, make_documents, with_words

MODULES = ("frame", "columns")
SUFFIXES = (".parquet",)
NUMBER = polars.Float64


def make_parquet(random: Random) -> Draft:
    """Return a Parquet file, damaged in structure in most cases."""
    documents = make_documents(random)
    form = random.choice(("counts", "map", "tokens", "text"))
    rows = [with_words(document, "counts" if form == "map" else form) for document in documents]
    draft = Draft("papers.parquet", {}, "papers.parquet", len(rows), intact(documents), has_fields=True, binary=True)
    columns: dict[str, Any] = {name: [row[name] for row in rows] for name in rows[0]}
    if random.random() < 0.75:
        _mutate(random, draft, columns, form)
    draft.files[draft.main] = _map_file(columns) if form == "map" else _file(random, columns)
    return draft


def _file(random: Random, columns: dict[str, Any]) -> bytes:
    frame = polars.DataFrame(columns, strict=False)
    buffer = io.BytesIO()
    compression = random.choice(("zstd", "snappy", "uncompressed", "gzip"))
    frame.write_parquet(buffer, compression=compression, row_group_size=random.choice((2, 100)))
    return buffer.getvalue()


def _map_file(columns: dict[str, Any]) -> bytes:
    """Return a file whose counts are an Arrow map, which can have repeated keys."""
    arrays = {name: _arrow(values) for name, values in columns.items() if name != "counts"}
    if "counts" in columns:
        pairs = [
            None if row is None else (row if isinstance(row, list) else list(row.items())) for row in columns["counts"]
        ]
        arrays["counts"] = pyarrow.array(pairs, type=pyarrow.map_(pyarrow.string(), pyarrow.float64()))
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(arrays), buffer)
    return buffer.getvalue()


def _arrow(values: Any) -> Any:
    return (
        polars.Series(values, strict=False).to_arrow() if not isinstance(values, polars.Series) else values.to_arrow()
    )


def _mutate(random: Random, draft: Draft, columns: dict[str, Any], form: str) -> None:
    height = len(columns["id"])
    which = random.randrange(height)
    name = columns["id"][which]
    kind = random.choice(("null", "repeated id", "type", "type", "no rows", "missing", "count", "count", "date"))
    if kind == "count" and form not in ("counts", "map"):
        kind = "null"
    draft.note(f"{kind} in row {which + 1}")
    if kind == "no rows":
        for column in columns:
            columns[column] = polars.Series(column, [], dtype=polars.String)
        if form == "map":
            columns["counts"] = []
        draft.forget()
        draft.must_report = True
    elif kind == "missing":
        column = random.choice(sorted(columns))
        del columns[column]
        draft.note(column)
        draft.intact = {}
        draft.must_report = column in ("counts", "tokens", "text")
    elif kind == "type":
        draft.intact = {}
        _change_type(random, draft, columns, height)
    else:
        draft.intact.pop(name)
        if kind == "null":
            column = random.choice(sorted(columns))
            columns[column][which] = None
            draft.note(column)
            draft.must_report = column in ("id", "counts", "tokens", "text")
        elif kind == "repeated id":
            other = (which + 1) % height
            draft.intact.pop(columns["id"][other])
            columns["id"][which] = columns["id"][other]
            draft.must_report = True
        elif kind == "date":
            columns["date"][which] = random.choice(("n.d.", "1990-13-01", "9" * 5_000))
            draft.must_report = True
        else:
            _change_count(random, draft, columns, which, form)


def _change_count(random: Random, draft: Draft, columns: dict[str, Any], which: int, form: str) -> None:
    value = random.choice((-1.0, float("nan"), float("inf"), 0.5, 1e300, 2.0**31))
    row = {**columns["counts"][which], "river": value}
    columns["counts"] = [{word: float(count) for word, count in counts.items()} for counts in columns["counts"]]
    columns["counts"][which] = row
    draft.must_report = True
    if form == "map" and random.random() < 0.5:
        columns["counts"][which] = random.choice(([("river", 1.0), ("river", 2.0)], [("river", 3.0), ("river", -1.0)]))
    draft.note(f"{columns['counts'][which]}")


def _change_type(random: Random, draft: Draft, columns: dict[str, Any], height: int) -> None:
    """Give a column another type. Documents stay documents, or are counted."""
    column = random.choice(sorted(set(columns) - {"counts"}))
    made = {
        "Int64": polars.Series(range(height)),
        "large UInt64": polars.Series([2**64 - 1 - n for n in range(height)], dtype=polars.UInt64),
        "Float64": polars.Series([n + 0.5 for n in range(height)]),
        "NaN": polars.Series([float("nan")] * height),
        "Boolean": polars.Series([n % 2 == 0 for n in range(height)]),
        "Binary": polars.Series([b"\xff\x00"] * height),
        "Date": polars.Series([date(1, 1, 1)] * height),
        "Datetime": polars.Series([datetime(9999, 12, 31, 23, tzinfo=UTC)] * height),
        "Datetime out of range": polars.Series([2**62] * height).cast(polars.Datetime("ms")),
        "Duration": polars.Series([timedelta(days=n) for n in range(height)]),
        "Decimal": polars.Series([Decimal("1.5")] * height),
        "Null": polars.Series([None] * height),
        "List": polars.Series([["a", None]] * height),
        "List of lists": polars.Series([[["a"]]] * height),
        "Struct": polars.Series([{"a": 1, "b": None}] * height),
        "Categorical": polars.Series([f"c{n}" for n in range(height)], dtype=polars.Categorical),
        "Time": polars.Series([n * 10**9 for n in range(height)]).cast(polars.Time),
        "Array": polars.Series([[1, 2]] * height, dtype=polars.Array(polars.Int64, 2)),
    }
    name = random.choice(sorted(made))
    columns[column] = made[name]
    draft.note(f"{column} of type {name}")
