from __future__ import annotations

import csv
import re
import sys

import pytest

from plait.store import load
from tests.cli.small import write_lines
from tests.cli.streams import SMALL, months


@pytest.fixture(scope="module")
def stream_model(tmp_path_factory, run):
    """A stream of four months, of which the second is empty; not to be written to."""
    folder = tmp_path_factory.mktemp("trends")
    rows = [row for row in months(4) if row["date"][:7] != "2020-02"]
    source = write_lines(folder / "papers.jsonl", rows)
    result = run("stream", folder / "m.plait", source, "--by", "month", "--final", *SMALL)
    assert result.exit_code == 0, result.stderr
    return folder / "m.plait"


def test_a_line_a_topic_with_its_share_through_time(run, stream_model):
    result = run("trends", stream_model)
    assert result.exit_code == 0, result.stderr
    header, *lines, summary = result.stdout.splitlines()
    assert re.split(r"\s{2,}", header) == ["topic", "trend", "now", "words now", "peak", "in", "words then"]
    assert summary.startswith("4 slices, 2020-01-0")
    assert summary.count(" to ") == 1
    assert len(lines) == 3
    slices = load(stream_model).slices_
    for topic, line in enumerate(lines):
        shares = [one.topic_share[topic] for one in slices]
        cells = line.split()
        peak = max((0, 2, 3), key=lambda place: shares[place])
        # The empty slice is a blank between two parts of the trend.
        now = [f"{shares[3]:.1%}", *slices[3].words[topic][:5]]
        then = [f"{shares[peak]:.1%}", slices[peak].label, *slices[peak].words[topic][:5]]
        assert cells == [str(topic), *cells[1:3], *now, *then]
        assert "█" in "".join(cells[1:3])


def test_the_table_has_a_row_a_slice_and_topic(run, stream_model, tmp_path):
    path = tmp_path / "trends.csv"
    assert run("trends", stream_model, "--csv", path, "--topic", "2", "-t", "0").exit_code == 0
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["slice"], row["topic"]) for row in rows[:3]] == [("2020-01", "2"), ("2020-01", "0"), ("2020-02", "2")]
    slices = load(stream_model).slices_
    assert (rows[0]["drift"], rows[2]["share"], rows[2]["words"]) == ("", "", "")
    assert float(rows[4]["share"]) == slices[2].topic_share[2]
    assert float(rows[4]["drift"]) == slices[2].drift[2]
    assert rows[5]["words"].split() == slices[2].words[0][:5].tolist()
    assert "exists already" in run("trends", stream_model, "--csv", path).stderr
    assert run("trends", stream_model, "--csv", path, "--force").exit_code == 0


@pytest.mark.parametrize(("suffix", "package"), [("html", "plotly"), ("png", "matplotlib"), ("svg", "matplotlib")])
def test_drawings(run, stream_model, tmp_path, suffix, package):
    pytest.importorskip(package)
    path = tmp_path / f"trends.{suffix}"
    result = run("trends", stream_model, "--plot", path)
    assert result.exit_code == 0, result.stderr
    assert {"html": b"<html", "png": b"\x89PNG", "svg": b"<svg"}[suffix] in path.read_bytes()[:1000]
    if suffix == "html":
        slices = load(stream_model).slices_
        peak = max((0, 2, 3), key=lambda place: slices[place].topic_share[0])
        assert f"0: {' '.join(slices[peak].words[0][:4])} ({slices[peak].label})" in path.read_text()


def test_a_drawing_without_the_package_says_what_to_install(run, stream_model, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    result = run("trends", stream_model, "--plot", tmp_path / "trends.png")
    assert (result.exit_code, "pip install '.[plots]'" in result.stderr) == (1, True)
    assert not (tmp_path / "trends.png").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [(["--topic", "3"], "there is no topic 3"), (["--plot", "trends.gif"], "must end in .html, .png or .svg")],
)
def test_mistakes(run, stream_model, options, message):
    result = run("trends", stream_model, *options)
    assert (result.exit_code, message in result.stderr) == (1, True)


def test_a_model_without_slices(run, model_file):
    assert "its documents have no dates" in run("trends", model_file).stderr
