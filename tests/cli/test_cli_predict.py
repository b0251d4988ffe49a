from __future__ import annotations

import json

import numpy as np
import polars
import pytest

from plait import read_corpus
from plait.store import load
from tests.cli.small import labelled, write_lines

READERS = {".csv": polars.read_csv, ".jsonl": polars.read_ndjson, ".parquet": polars.read_parquet}


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make several batches of the small corpus."""
    monkeypatch.setattr("plait.cli.io.batches.DOCUMENTS_AT_ONCE", 17)


@pytest.mark.parametrize("suffix", sorted(READERS))
def test_writes_what_the_model_says(run, label_model, labelled_file, tmp_path, suffix):
    path = tmp_path / f"out{suffix}"
    result = run("predict", label_model, labelled_file, "-o", path)
    assert result.exit_code == 0, result.stderr
    assert result.stdout == f"wrote {path}: 90 documents, 3 labels; nothing skipped\n"
    table = READERS[suffix](path)
    assert table.columns == ["id", "tokens", "label", "score"]
    model, corpus = load(label_model), read_corpus(labelled_file)
    assert table["id"].to_list() == corpus.ids.tolist()
    assert table["label"].to_list() == model.predict(corpus).tolist()
    assert np.array_equal(table["score"], model.decision_function(corpus).max(axis=1))
    right = [row["label"] == label for row, label in zip(labelled(), table["label"], strict=True) if "label" in row]
    assert np.mean(right) > 0.9


def test_scores_of_every_label(run, label_model, labelled_file, tmp_path):
    assert run("predict", label_model, labelled_file, "-o", tmp_path / "out.parquet", "--scores").exit_code == 0
    table = polars.read_parquet(tmp_path / "out.parquet")
    assert table.columns == ["id", "tokens", "label", "score", "score:money", "score:music", "score:water"]
    scores = load(label_model).decision_function(read_corpus(labelled_file))
    assert np.array_equal(table.select("score:money", "score:music", "score:water").to_numpy(), scores)


def test_two_labels_mirror_each_other(run, two_label_model, labelled_file, tmp_path):
    assert run("predict", two_label_model, labelled_file, "-o", tmp_path / "out.parquet", "--scores").exit_code == 0
    table = polars.read_parquet(tmp_path / "out.parquet")
    model, corpus = load(two_label_model), read_corpus(labelled_file)
    corpus = corpus.with_vocabulary(model.vocabulary_)
    assert table["label"].to_list() == model.predict(corpus).tolist()
    assert np.array_equal(table["score:water"], model.decision_function(corpus))
    assert np.array_equal(table["score:money"], -table["score:water"].to_numpy())
    assert np.array_equal(table["score"], np.abs(table["score:water"].to_numpy()))


@pytest.mark.parametrize("suffix", sorted(READERS))
def test_several_labels_are_a_list_and_joined_in_csv(run, several_model, several_file, tmp_path, suffix):
    path = tmp_path / f"out{suffix}"
    result = run("predict", several_model, several_file, "-o", path)
    assert result.exit_code == 0, result.stderr
    table = READERS[suffix](path)
    assert table.columns == ["id", "tokens", "label"]
    model, corpus = load(several_model), read_corpus(several_file)
    expected = [[str(model.classes_[place]) for place in np.flatnonzero(row)] for row in model.predict(corpus)]
    assert max(map(len, expected)) > 1
    found = table["label"].to_list()
    assert found == ([";".join(labels) or None for labels in expected] if suffix == ".csv" else expected)


def test_scores_where_documents_have_several_labels(run, several_model, several_file, tmp_path):
    path = tmp_path / "out.jsonl"
    assert run("predict", several_model, several_file, "-o", path, "--scores").exit_code == 0
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        assert list(row) == ["id", "tokens", "label", "score:money", "score:music", "score:water"]
        assert row["label"] == [name for name in ("money", "music", "water") if row[f"score:{name}"] > 0]


def test_a_label_that_csv_could_not_tell_from_two(run, tmp_path):
    rows = [{**row, "labels": [f"{row['labels'][0]};x"]} for row in labelled(40, several=True) if "labels" in row]
    rows[0]["labels"] = [rows[0]["labels"][0], "other"]
    rows[1]["labels"] = [rows[1]["labels"][0], "other"]
    corpus, model = write_lines(tmp_path / "d.jsonl", rows), tmp_path / "m.plait"
    quick = ("--topics", "3", "--sweeps", "5", "--samples", "1")
    assert run("fit", corpus, "-o", model, "--model", "medlda", *quick).exit_code == 0
    result = run("predict", model, corpus, "-o", tmp_path / "out.csv")
    assert result.exit_code == 1
    assert 'the label "money;x" contains ";"' in result.stderr
    assert run("predict", model, corpus, "-o", tmp_path / "out.jsonl").exit_code == 0


@pytest.mark.parametrize("suffix", sorted(READERS))
def test_numbers(run, stars_model, labelled_file, tmp_path, suffix):
    path = tmp_path / f"out{suffix}"
    result = run("predict", stars_model, labelled_file, "-o", path)
    assert result.exit_code == 0, result.stderr
    table = READERS[suffix](path)
    assert table.columns == ["id", "tokens", "value"]
    assert np.array_equal(table["value"], load(stars_model).predict(read_corpus(labelled_file)))
    result = run("predict", stars_model, labelled_file, "-o", path, "--scores", "--force")
    assert result.exit_code == 1
    assert "leave --scores out" in result.stderr


def test_a_model_without_labels_predicts_nothing(run, model_file, labelled_file, tmp_path):
    result = run("predict", model_file, labelled_file, "-o", tmp_path / "out.csv")
    assert result.exit_code == 1
    assert "model.plait holds an LDA" in result.stderr
    assert "plait fit --model medlda or slda" in result.stderr
    assert not (tmp_path / "out.csv").exists()


def test_documents_without_a_known_word_are_counted(run, label_model, tmp_path):
    path = write_lines(tmp_path / "d.jsonl", [{"id": "a", "text": "zebra"}, {"id": "b", "text": "river"}])
    result = run("predict", label_model, path, "-o", tmp_path / "out.csv")
    assert "1 document without a word of the model's vocabulary" in result.stdout
    assert len(polars.read_csv(tmp_path / "out.csv")) == 2


def test_an_output_that_exists_is_kept_unless_forced(run, label_model, labelled_file, tmp_path):
    path = tmp_path / "out.csv"
    path.write_text("precious", encoding="utf-8")
    assert run("predict", label_model, labelled_file, "-o", path).exit_code == 1
    assert path.read_text(encoding="utf-8") == "precious"
    assert run("predict", label_model, labelled_file, "-o", path, "--force").exit_code == 0
    assert path.read_text(encoding="utf-8").startswith("id,tokens,label,score\n")
