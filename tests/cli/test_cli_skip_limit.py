"""Commands that would skip too much stop with exit code 1 and the option that would probably help."""

from __future__ import annotations

import json

import pytest

from tests.cli.small import QUICK, documents, write_lines


@pytest.fixture
def cp1252_file(tmp_path):
    path = tmp_path / "survey.csv"
    rows = [f"{row};Größe river stream {row}" if row % 4 else f"{row};bank loan money" for row in range(120)]
    path.write_bytes("\n".join(["id;text", *rows]).encode("cp1252"))
    return path


def test_fit_stops_and_names_the_encoding(run, cp1252_file, tmp_path):
    target = tmp_path / "model.plait"
    stopped = run("fit", cp1252_file, "-o", target, *QUICK)
    assert stopped.exit_code == 1
    assert "survey.csv: 90 of 120 rows (75%; the limit is 5%) were skipped" in stopped.stderr
    assert "the text seems to be cp1252: --encoding cp1252; --allow-skips continues without them" in stopped.stderr
    assert not target.exists()
    assert run("fit", cp1252_file, "-o", target, "--encoding", "cp1252", *QUICK).exit_code == 0
    allowed = run("fit", cp1252_file, "-o", target, "--allow-skips", "--force", *QUICK)
    assert allowed.exit_code == 0
    assert "30 documents" in allowed.output
    assert "skipped 90 × wrong encoding" in allowed.output


def test_inspect_names_the_format_of_dates(run, tmp_path):
    rows = [one | {"date": f"{row % 28 + 1}.5.2024"} for row, one in enumerate(documents())]
    path = write_lines(tmp_path / "survey.jsonl", rows)
    stopped = run("inspect", path)
    assert stopped.exit_code == 1
    assert "the date of 60 of 60 rows (100%; the limit is 5%) was skipped" in stopped.stderr
    assert "seem to be %d.%m.%Y: --date-format %d.%m.%Y; --allow-skips" in stopped.stderr
    assert "2024-05-01 to 2024-05-28" in run("inspect", path, "--date-format", "%d.%m.%Y").output
    assert "bad date" in run("inspect", path, "--allow-skips").output


def test_commands_that_apply_a_model_stop_and_write_nothing(run, model_file, cp1252_file, tmp_path):
    target = tmp_path / "topics.csv"
    stopped = run("transform", model_file, cp1252_file, "-o", target)
    assert stopped.exit_code == 1
    assert "--encoding cp1252" in stopped.stderr
    assert not target.exists()
    assert run("transform", model_file, cp1252_file, "-o", target, "--allow-skips").exit_code == 0
    assert len(target.read_text().splitlines()) == 31


def test_dates_do_not_stop_commands_that_do_not_use_them(run, model_file, tmp_path):
    path = write_lines(tmp_path / "new.jsonl", [one | {"date": "soon"} for one in documents()])
    assert run("transform", model_file, path, "-o", tmp_path / "topics.csv").exit_code == 0


def test_a_stream_stops_at_a_slice_of_bad_documents(run, tmp_path):
    path = tmp_path / "news.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in documents()) + "broken\n" * 30)
    command = ["stream", tmp_path / "news.plait", path, "--final", *QUICK]
    stopped = run(*command)
    assert stopped.exit_code == 1
    assert "news.jsonl: 30 of 90 rows (33%; the limit is 5%) were skipped: 30 × broken JSON" in stopped.stderr
    assert not (tmp_path / "news.plait").exists()
    assert run(*command, "--allow-skips").exit_code == 0


def test_a_stream_remembers_the_format_of_dates(run, tmp_path):
    rows = [one | {"date": f"{row % 28 + 1}.5.2024"} for row, one in enumerate(documents())]
    path = write_lines(tmp_path / "news.jsonl", sorted(rows, key=lambda one: int(one["date"].split(".")[0])))
    command = ["stream", tmp_path / "news.plait", path, "--final", "--by", "month", *QUICK]
    assert "--date-format %d.%m.%Y" in run(*command).stderr
    assert "2024-05: 60 documents" in run(*command, "--date-format", "%d.%m.%Y").output
    again = run(*command, "--date-format", "%Y")
    assert again.exit_code == 1
    assert "was started with date_format" in again.stderr


def test_strict_and_allow_skips_contradict_each_other(run, corpus_file):
    refused = run("inspect", corpus_file, "--strict", "--allow-skips")
    assert refused.exit_code == 2
    assert "choose one" in refused.output
