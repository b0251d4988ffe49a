"""`plait find`, `plait similar`, `plait topics --per` and `--over`, and trends of a model without slices."""

from __future__ import annotations

import polars
import pytest

from tests.cli.small import QUICK, documents, write_lines


@pytest.fixture(scope="module")
def model(tmp_path_factory, run):
    folder = tmp_path_factory.mktemp("found")
    rows = [
        one | {"title": f"Speech {n}", "party": "red" if n % 2 else "blue", "date": f"{1990 + n // 10}-01-01"}
        for n, one in enumerate(documents())
    ]
    path = write_lines(folder / "speeches.jsonl", rows)
    result = run("fit", path, "-o", folder / "m.plait", *QUICK, "--metadata", "party")
    assert result.exit_code == 0, result.stderr
    return folder / "m.plait"


def test_find_prints_titles_and_texts(run, model, tmp_path):
    result = run("find", model, "river", "--top", "3")
    assert result.exit_code == 0, result.stderr
    header, *lines, note = result.stdout.splitlines()
    assert header.split() == ["score", "id", "title", "text"]
    assert note.startswith("score: mean log-likelihood per word")
    assert len(lines) == 3
    assert all("Speech " in line for line in lines)
    assert run("find", model, "river", "bank", "-o", tmp_path / "x.csv").exit_code == 0
    assert polars.read_csv(tmp_path / "x.csv").columns == ["id", "title", "score", "excerpt"]
    assert "exists already" in run("find", model, "river", "-o", tmp_path / "x.csv").stderr
    unknown = run("find", model, "xylophone")
    assert (unknown.exit_code, "stop words, or too rare or too frequent" in unknown.stderr) == (1, True)


def test_similar_takes_an_id_or_a_text(run, model, model_file):
    result = run("similar", model, "d3", "--top", "4")
    assert result.exit_code == 0, result.stderr
    ids = [line.split()[1] for line in result.stdout.splitlines()[1:]]
    assert len(ids) == 4
    assert "d3" not in ids
    assert run("similar", model, "a river and a stream", "--top", "1").exit_code == 0
    assert "neither the id of a training document" in run("similar", model, "nobody").stderr
    assert run("similar", model_file, "d3").stdout.splitlines()[0].split() == ["score", "id", "text"]


def test_topics_per_field(run, model, tmp_path):
    header, *lines = run("topics", model, "--per", "party").stdout.splitlines()
    assert header.split()[:2] == ["topic", "name"]
    assert "blue (30)" in header
    assert "red (30)" in header
    assert len(lines) == 2
    assert run("topics", model, "--per", "party", "-o", tmp_path / "x.csv").exit_code == 0
    table = polars.read_csv(tmp_path / "x.csv")
    assert table.columns == ["party", "documents", "topic", "name", "share"]
    said = run("topics", model, "--per", "parti").stderr
    assert "no field 'parti'" in said
    assert "fit it with --metadata parti" in said


def test_topics_over_time(run, model, tmp_path):
    header, *lines = run("topics", model, "--over", "year").stdout.splitlines()
    assert header.split() == ["topic", "now", "peak", "in", "trend", "name"]
    assert len(lines) == 2
    assert run("topics", model, "--over", "3", "-o", tmp_path / "x.csv").exit_code == 0
    assert polars.read_csv(tmp_path / "x.csv")["slice"].n_unique() == 3
    assert run("topics", model, "--over", "year", "--per", "party").exit_code == 2
    assert run("topics", model, "--over", "year", "--format", "csv").exit_code == 2
    assert run("topics", model, "--over", "decade").exit_code == 2


def test_many_values_are_counted(run, tmp_path):
    rows = [one | {"place": f"place {n % 20}"} for n, one in enumerate(documents())]
    path = write_lines(tmp_path / "x.jsonl", rows)
    assert run("fit", path, "-o", tmp_path / "m.plait", *QUICK, "--metadata", "place").exit_code == 0
    assert "and 12 values more; -o FILE.csv writes all" in run("topics", tmp_path / "m.plait", "--per", "place").stdout


def test_trends_of_a_model_with_dates(run, model, tmp_path):
    result = run("trends", model)
    assert result.exit_code == 0, result.stderr
    assert result.stdout.splitlines()[-1] == "6 slices, 1990 to 1995"
    assert "2 slices" in run("trends", model, "--by", "2", "--csv", tmp_path / "x.csv").stdout
    assert polars.read_csv(tmp_path / "x.csv").height == 4
