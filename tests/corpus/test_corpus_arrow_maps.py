"""Arrow maps and times beyond the calendar in Parquet files, which Polars alone would merge or stumble over."""

from __future__ import annotations

import sys

import polars
import pyarrow
import pyarrow.parquet
import pytest

from plait.corpus import CorpusError, read_corpus

MAP = pyarrow.map_(pyarrow.string(), pyarrow.int64())
ROWS = [[("red", 1), ("fox", 2)], [("red", 1), ("red", 2)], None, [("sea", 3)]]


def write_maps(path, rows=ROWS):
    counts = pyarrow.array(rows, type=MAP)
    table = pyarrow.table({"id": [f"d{n}" for n in range(len(rows))], "counts": counts})
    pyarrow.parquet.write_table(table, path, row_group_size=3)
    return path


def test_repeated_keys_of_a_map_are_counted(tmp_path, as_dicts):
    path = write_maps(tmp_path / "x.parquet")
    with pytest.raises(CorpusError, match=r"x\.parquet, row 2.*repeated"):
        read_corpus(path)
    corpus = read_corpus(path, on_error="skip", max_skipped=1.0)
    assert as_dicts(corpus) == {"d0": {"red": 1, "fox": 2}, "d3": {"sea": 3}}
    assert (corpus.skipped["repeated key"], corpus.skipped["empty document"]) == (1, 1)


def test_maps_of_many_rows(tmp_path, as_dicts):
    rows = [[(f"w{n % 7}", n % 5 + 1)] for n in range(5_000)]
    corpus = read_corpus(write_maps(tmp_path / "x.parquet", rows))
    found = as_dicts(corpus)
    assert [found[f"d{n}"] for n in range(5_000)] == [dict(row) for row in rows]


@pytest.mark.skipif(not hasattr(polars, "Map"), reason="this version of Polars reads maps as lists of pairs")
def test_maps_need_pyarrow(tmp_path, monkeypatch):
    path = write_maps(tmp_path / "x.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(CorpusError, match=r"pip install '\.\[arrow\]'"):
        read_corpus(path)


def test_times_beyond_the_calendar_are_bad_dates(tmp_path, capfd):
    path = tmp_path / "x.parquet"
    times = polars.Series([0, 2**62, None]).cast(polars.Datetime("ms"))
    polars.DataFrame({"id": ["a", "b", "c"], "text": ["red", "fox", "sea"], "date": times}).write_parquet(path)
    corpus = read_corpus(path, on_error="skip", max_skipped=1.0)
    assert (len(corpus), corpus.skipped["bad date"], str(corpus.times[0])) == (3, 1, "1970-01-01T00:00:00")
    assert capfd.readouterr().err == ""  # no message of a panic in Polars
