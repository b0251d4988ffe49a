"""Commands say which fields they took, and with which option they can be changed."""

from __future__ import annotations

import pytest

from tests.cli.small import QUICK, documents, write_lines


@pytest.fixture
def survey(tmp_path):
    rows = [
        f"{n};{one['text']} with many more words of an answer;{'NS'[n % 2]};{n}.5" for n, one in enumerate(documents())
    ]
    path = tmp_path / "survey.csv"
    path.write_text("\n".join(["Nr;Antwort;Ort;Wert", *rows]))
    return path


def test_fit_says_what_it_took(run, survey, tmp_path):
    result = run("fit", survey, "-o", tmp_path / "m.plait", *QUICK)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[:3] == [
        'id: field "Nr" (its name and unique values; --id-field changes it)',
        'label: field "Ort" (2 distinct values; --label changes it)',
        'fields: text "Antwort" (by name; --text-field changes it)',
    ]
    quiet = run("fit", survey, "-o", tmp_path / "q.plait", "--quiet", *QUICK)
    assert quiet.stdout == ""
    named = run("fit", survey, "-o", tmp_path / "n.plait", "--text-field", "Antwort", "--id-field", "Nr", *QUICK)
    assert "text-field" not in named.stdout


def test_commands_that_apply_a_model_say_what_is_not_plain(run, survey, tmp_path):
    assert run("fit", survey, "-o", tmp_path / "m.plait", *QUICK).exit_code == 0
    result = run("transform", tmp_path / "m.plait", survey, "-o", tmp_path / "out.csv")
    assert result.stdout.splitlines()[0] == 'id: field "Nr" (its name and unique values; --id-field changes it)'
    assert "label" not in result.stdout
    evaluated = run("evaluate", tmp_path / "m.plait", survey)
    assert 'id: field "Nr"' in evaluated.stderr


def test_plain_names_share_a_line(run, tmp_path):
    path = write_lines(tmp_path / "papers.jsonl", documents())
    result = run("inspect", path)
    assert result.stdout.splitlines()[0] == (
        'fields: text "text", id "id", split "split" (by name; --text-field or the like changes it)'
    )
