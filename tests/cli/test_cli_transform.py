from __future__ import annotations

from pathlib import Path

import numpy as np
import polars
import pytest

from plait import read_corpus
from plait.store import load
from tests.cli.small import documents, write_lines

READERS = {".csv": polars.read_csv, ".jsonl": polars.read_ndjson, ".parquet": polars.read_parquet}


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make several batches of the small corpus."""
    monkeypatch.setattr("plait.cli.io.batches.DOCUMENTS_AT_ONCE", 7)


@pytest.mark.parametrize("suffix", sorted(READERS))
@pytest.mark.usefixtures("small_batches")
def test_writes_what_the_model_says(run, model_file, corpus_file, tmp_path, suffix):
    path = tmp_path / f"out{suffix}"
    result = run("transform", model_file, corpus_file, "-o", path)
    assert result.exit_code == 0, result.stderr
    assert result.stdout == f"wrote {path}: 60 documents, 2 topics; nothing skipped\n"
    table = READERS[suffix](path)
    assert table.columns == ["id", "tokens", "topic_0", "topic_1"]
    corpus = read_corpus(corpus_file)
    assert table["id"].to_list() == corpus.ids.tolist()
    assert np.array_equal(table.drop("id", "tokens").to_numpy(), load(model_file).transform(corpus))
    assert {file.name for file in tmp_path.iterdir()} == {"papers.jsonl", "model.plait", path.name}


@pytest.mark.usefixtures("small_batches")
def test_bad_documents_are_left_out_and_counted(run, model_file, tmp_path):
    rows = [
        *documents(20),
        {"id": "d3", "text": "river"},
        {"id": "x", "text": ""},
        {"id": "y", "text": "boat the zebra"},
    ]
    path = write_lines(tmp_path / "bad.jsonl", rows)
    result = run("transform", model_file, path, "-o", tmp_path / "out.csv", "--allow-skips")
    assert result.exit_code == 0
    # Lists of words have no language, so the model has no stop words.
    kinds = ("1 × empty document", "1 × duplicate id", "2 tokens not in the model's vocabulary")
    assert all(kind in result.stdout for kind in kinds)
    assert polars.read_csv(tmp_path / "out.csv")["id"].to_list() == [*(f"d{row}" for row in range(20)), "y"]
    strict = run("transform", model_file, path, "-o", tmp_path / "strict.csv", "--strict")
    assert strict.exit_code == 1
    assert '"d3"' in strict.stderr
    assert not list(tmp_path.glob("*strict*"))


def test_a_document_of_unknown_words_gets_the_prior(run, model_file, tmp_path):
    path = write_lines(tmp_path / "d.jsonl", [{"id": "a", "text": "zebra"}, {"id": "b", "text": "river"}])
    result = run("transform", model_file, path, "-o", tmp_path / "out.jsonl")
    assert "1 document without a word of the model's vocabulary" in result.stdout
    assert polars.read_ndjson(tmp_path / "out.jsonl").row(0) == ("a", 0, 0.5, 0.5)


@pytest.mark.usefixtures("small_batches")
def test_a_better_field_that_turns_up_late_is_used_for_all(run, model_file, tmp_path):
    rows = [{"id": f"d{row}", "abstract": "river", "text": None} for row in range(10)]
    rows += [{"id": "late", "abstract": "river", "text": "bank"}]
    path = write_lines(tmp_path / "d.jsonl", rows)
    result = run("transform", model_file, path, "-o", tmp_path / "out.csv", "--allow-skips")
    assert ": 1 document, 2 topics;" in result.stdout
    assert "10 × empty document" in result.stdout
    assert polars.read_csv(tmp_path / "out.csv")["id"].to_list() == ["late"]


def test_nothing_usable_is_an_error_and_leaves_no_file(run, model_file, tmp_path):
    path = write_lines(tmp_path / "d.jsonl", [{"id": "a", "text": ""}])
    result = run("transform", model_file, path, "-o", tmp_path / "out.csv", "--allow-skips")
    assert result.exit_code == 1
    assert "no usable documents" in result.stderr
    assert not list(tmp_path.glob("*out*"))


def test_other_formats_are_streamed_too(run, model_file, tmp_path):
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "a.txt").write_text("river boat", encoding="utf-8")
    (folder / "b.txt").write_text("bank loan", encoding="utf-8")
    assert run("transform", model_file, folder, "-o", tmp_path / "out.csv").exit_code == 0
    assert polars.read_csv(tmp_path / "out.csv")["id"].to_list() == ["a", "b"]
    wrong = run("transform", model_file, folder, "-o", tmp_path / "wrong.csv", "--text-field", "body")
    assert wrong.exit_code == 1
    assert "no named fields" in wrong.stderr


@pytest.mark.parametrize(
    ("name", "way_out"), [("out.xls", ".parquet"), ("out", ".csv"), ("no/out.csv", "make it first")]
)
def test_an_output_that_cannot_be_written(run, model_file, corpus_file, tmp_path, name, way_out):
    result = run("transform", model_file, corpus_file, "-o", tmp_path / name)
    assert result.exit_code == 1
    assert way_out in result.stderr


def test_an_output_that_exists_is_kept_unless_forced(run, model_file, corpus_file, tmp_path):
    path = tmp_path / "out.csv"
    path.write_text("precious", encoding="utf-8")
    assert run("transform", model_file, corpus_file, "-o", path).exit_code == 1
    assert path.read_text(encoding="utf-8") == "precious"
    assert run("transform", model_file, corpus_file, "-o", path, "--force").exit_code == 0
    assert path.read_text(encoding="utf-8").startswith("id,tokens,topic_0")


def test_a_link_stays_a_link(run, model_file, corpus_file, tmp_path):
    real, link = tmp_path / "real.csv", Path(tmp_path / "link.csv")
    real.write_text("", encoding="utf-8")
    link.symlink_to(real)
    assert run("transform", model_file, corpus_file, "-o", link, "--force").exit_code == 0
    assert link.is_symlink()
    assert real.stat().st_size > 0


def test_ctrl_c_leaves_no_half_written_file(run, model_file, corpus_file, tmp_path, monkeypatch):
    def stop(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("plait.models.LDA.transform", stop)
    for suffix in READERS:
        assert run("transform", model_file, corpus_file, "-o", tmp_path / f"out{suffix}").exit_code == 130
    assert not list(tmp_path.glob("*out*"))


def test_a_header_in_another_encoding_names_it(run, model_file, tmp_path):
    path = tmp_path / "new.csv"
    path.write_bytes("Nr;Straße;text\n1;Süd;river boat\n".encode("cp1252"))
    result = run("transform", model_file, path, "-o", tmp_path / "shares.csv")
    assert result.exit_code == 1
    assert 'the text seems to be cp1252: give encoding="cp1252" (option --encoding)' in result.stderr


def test_dates_and_labels_are_not_read_and_a_title_field_can_be_named(run, model_file, tmp_path):
    rows = [row | {"date": "unknown", "label": [[]], "heading": f"No. {row['id']}"} for row in documents(20)]
    path, new = tmp_path / "out.csv", write_lines(tmp_path / "new.jsonl", rows)
    result = run("transform", model_file, new, "-o", path, "--strict", "--title-field", "heading")
    assert result.exit_code == 0, result.stderr
    assert "20 documents, 2 topics; nothing skipped" in result.stdout
    table = polars.read_csv(path)
    assert table["title"].to_list() == [f"No. {name}" for name in table["id"]]
