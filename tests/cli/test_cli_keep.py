"""What `plait fit` keeps of the documents: --keep, --metadata and --title-field."""

from __future__ import annotations

import pytest

from plait.store import load
from tests.cli.small import QUICK, documents, write_lines


@pytest.fixture
def speeches(tmp_path):
    rows = [one | {"heading2": f"Speech {n}", "party": "red" if n % 2 else "blue"} for n, one in enumerate(documents())]
    return write_lines(tmp_path / "speeches.jsonl", rows)


def test_titles_and_metadata_reach_the_model(run, speeches, tmp_path):
    options = ["--title-field", "heading2", "--metadata", "party"]
    result = run("fit", speeches, "-o", tmp_path / "m.plait", *QUICK, *options)
    assert result.exit_code == 0, result.stderr
    known = load(tmp_path / "m.plait").documents_
    assert known.title(3) == "Speech 3"
    assert known.metadata["party"].tolist()[:2] == ["blue", "red"]
    assert "party (2 values)" in run("inspect", speeches, "--metadata", "party").stdout


@pytest.mark.parametrize(("keep", "ids"), [("ids", True), ("nothing", False)])
def test_private_documents_stay_out_of_the_file(run, speeches, tmp_path, keep, ids):
    result = run("fit", speeches, "-o", tmp_path / "m.plait", *QUICK, "--title-field", "heading2", "--keep", keep)
    assert result.exit_code == 0, result.stderr
    model = load(tmp_path / "m.plait")
    assert model.keep == keep
    assert model.documents_.titles is None
    assert (model.documents_.ids is not None) is ids
    assert b"Speech 3" not in (tmp_path / "m.plait").read_bytes()


def test_an_unknown_field_of_metadata_is_an_error(run, speeches, tmp_path):
    result = run("fit", speeches, "-o", tmp_path / "m.plait", *QUICK, "--metadata", "parti")
    assert result.exit_code == 1
    assert "parti" in result.stderr
