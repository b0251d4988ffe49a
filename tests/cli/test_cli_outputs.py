"""Outputs: never an input of the same command, and CSV that a spreadsheet does not run."""

from __future__ import annotations

import csv
import os

import polars
import pytest

from plait.cli.io.safe_csv import safe_cell, safe_frame
from tests.cli.small import QUICK, labelled, write_lines


def _refused(result):
    assert result.exit_code == 1
    (line,) = result.stderr.splitlines()
    return line


@pytest.mark.parametrize("kind", ["same", "relative", "symbolic link", "hard link"])
def test_a_model_never_replaces_its_corpus(run, corpus_file, tmp_path, monkeypatch, kind):
    monkeypatch.chdir(tmp_path)
    output = {"same": corpus_file, "relative": f"../{tmp_path.name}/{corpus_file.name}"}.get(kind, tmp_path / "link")
    if kind == "symbolic link":
        (tmp_path / "link").symlink_to(corpus_file)
    if kind == "hard link":
        os.link(corpus_file, tmp_path / "link")
    before = corpus_file.read_bytes()
    line = _refused(run("fit", corpus_file, "-o", output, "--force", *QUICK))
    assert "is an input of this command" in line
    assert corpus_file.read_bytes() == before


def test_nothing_but_a_model_is_written_into_the_folder_that_is_read(run, linked_folder, link_model, tmp_path):
    inside = linked_folder / "documents.jsonl"
    before = inside.read_bytes()
    for output in (inside, linked_folder / "new.jsonl"):
        line = _refused(run("fit", linked_folder, "-o", output, "--force", *QUICK))
        assert f"{output} is inside the folder {linked_folder}" in line
        (tmp_path / "link").unlink(missing_ok=True)
        (tmp_path / "link").symlink_to(linked_folder)
        line = _refused(run("transform", link_model, tmp_path / "link", "-o", output, "--force"))
        assert "is inside the folder" in line
    assert inside.read_bytes() == before
    assert run("fit", linked_folder, "-o", linked_folder / "m.plait", *QUICK).exit_code == 0


@pytest.mark.parametrize("command", ["topics", "trends"])
def test_a_view_never_replaces_its_model(run, model_file, command):
    before = model_file.read_bytes()
    option = "-o" if command == "topics" else "--csv"
    assert "is an input of this command" in _refused(run(command, model_file, option, model_file, "--force"))
    assert model_file.read_bytes() == before


def test_other_inputs_are_not_replaced(run, linked_folder, corpus_file, tmp_path):
    for option in ("--stop-words", "--seeds"):
        given = tmp_path / "words.txt"
        given.write_text("water: river\n")
        line = _refused(run("fit", corpus_file, "-o", given, "--force", option, given, *QUICK))
        assert "is an input of this command" in line
        assert given.read_text() == "water: river\n"
    links = tmp_path / "links.csv"
    links.write_text("source,target\nd1,d2\n")
    options = ["--model", "relational", "--links", links]
    line = _refused(run("fit", linked_folder, "-o", links, "--force", *options, *QUICK))
    assert "is an input of this command" in line
    stream = _refused(run("stream", corpus_file, corpus_file))
    assert "is an input of this command" in stream


@pytest.mark.parametrize("command", ["inspect", "fit", "transform"])
def test_an_input_that_cannot_be_read_is_one_line(run, model_file, corpus_file, tmp_path, monkeypatch, command):
    monkeypatch.setattr("os.access", lambda *arguments, **keywords: False)  # as for a user who may not read

    def refuse(self, *arguments, **keywords):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr("pathlib.Path.open", refuse)
    arguments = {
        "inspect": [corpus_file],
        "fit": [corpus_file, "-o", tmp_path / "new.plait"],
        "transform": [model_file, corpus_file, "-o", tmp_path / "t.csv"],
    }[command]
    assert "Permission denied" in _refused(run(command, *arguments))


# Formulas

CELLS = ["=1+1", "+cmd", "-2+3", "@SUM(A1)", "\tx", "\rx", "＝1", "-1.5", "+3e5", "river", "", "'=1"]
SAFE = ["'=1+1", "'+cmd", "'-2+3", "'@SUM(A1)", "'\tx", "'\rx", "'＝1", "-1.5", "+3e5", "river", "", "'=1"]


def test_texts_that_are_formulas_are_marked_and_numbers_are_not():
    assert [safe_cell(cell) for cell in CELLS] == SAFE
    assert [safe_cell(cell) for cell in (-1.5, -3, None, True)] == [-1.5, -3, None, True]
    frame = safe_frame(polars.DataFrame({"=id": CELLS, "n": [-1.0] * len(CELLS)}))
    assert frame["'=id"].to_list() == SAFE
    assert frame["n"].to_list() == [-1.0] * len(CELLS)


@pytest.fixture
def formulas(run, tmp_path):
    """A model whose ids, words and labels are formulas, and its corpus."""
    rows = [{**row, "id": f"=id{number}", "label": f"+{row['label']}"} for number, row in enumerate(labelled(30)[:19])]
    for row in rows:
        row["tokens"] = [f"@{word}" for word in row.pop("text").split()]
    corpus = write_lines(tmp_path / "papers.jsonl", rows)
    options = ["--model", "medlda", "--topics", "2", "--sweeps", "5", "--samples", "1", "--chains", "1"]
    result = run("fit", corpus, "-o", tmp_path / "m.plait", *options)
    assert result.exit_code == 0, result.stderr
    return tmp_path / "m.plait", corpus


def _cells(path):
    with path.open(newline="", encoding="utf-8") as file:
        return [cell for row in csv.reader(file) for cell in row]


@pytest.mark.parametrize("command", ["transform", "predict", "topics", "evaluate"])
def test_csv_can_be_protected(run, formulas, tmp_path, command):
    model, corpus = formulas
    output = tmp_path / "t.csv"
    arguments = {"topics": [model, "-o", output], "evaluate": [model, corpus, "--confusion", output]}
    arguments = arguments.get(command, [model, corpus, "-o", output])
    assert run(command, *arguments).exit_code == 0
    plain = _cells(output)
    assert any(cell[:1] in ("=", "+", "@") for cell in plain)  # exact by default
    result = run(command, *arguments, "--force", "--safe-csv")
    assert result.exit_code == 0, result.stderr
    assert _cells(output) == [safe_cell(cell) for cell in plain]
    assert not any(cell[:1] in ("=", "+", "@") for cell in _cells(output))


def test_safe_csv_is_for_csv(run, formulas, tmp_path):
    model, corpus = formulas
    line = _refused(run("transform", model, corpus, "-o", tmp_path / "t.jsonl", "--safe-csv"))
    assert "--safe-csv is for CSV" in line
    assert "--safe-csv is for CSV" in _refused(run("topics", model, "--safe-csv"))
    assert "--safe-csv is for CSV" in _refused(run("evaluate", model, corpus, "--safe-csv"))
