from __future__ import annotations

import csv
import json

import numpy as np
import pytest

from plait import read_corpus
from plait.store import load
from tests.cli.small import labelled, write_lines

TEST = ("--split", "test")


@pytest.fixture
def figures(run):
    """Run `evaluate` and return its JSON and what it said beside it."""

    def evaluate(*arguments):
        result = run("evaluate", *arguments, "--format", "json", "--top", "3")
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    return evaluate


def test_figures_are_the_librarys_beside_those_of_the_baseline(figures, label_model, labelled_file):
    found = figures(label_model, labelled_file, *TEST)
    assert found["perplexity_completion"] > 0
    labels = found["labels"]
    assert labels["documents"] == 18
    assert labels["documents_without_label"] == 0
    model = load(label_model)
    test = read_corpus(labelled_file).part("test")
    assert labels["accuracy"] == pytest.approx(np.mean(model.predict(test) == test.label_vector()))
    assert labels["micro_f1"] == pytest.approx(labels["accuracy"])
    assert [row["label"] for row in labels["per_label"]] == ["money", "music", "water"]
    assert sum(row["n_true"] for row in labels["per_label"]) == 18
    assert np.sum(labels["confusion"]["matrix"]) == 18
    baseline = labels["baseline"]
    assert baseline["name"] == "TF-IDF + LinearSVC"
    assert baseline["trained_on"] == 68  # of the 72 training documents, 4 have no label
    assert baseline["accuracy"] == 1.0
    assert "no_baseline" not in labels


def test_tables_for_people(run, label_model, labelled_file):
    result = run("evaluate", label_model, labelled_file, *TEST)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert "Labels of 18 documents:" in lines
    (accuracy,) = (line for line in lines if line.startswith("accuracy"))
    assert len(accuracy.split()) == 4
    assert "TF-IDF + LinearSVC was trained on 68 documents, with the vocabulary of the model" in lines
    rows = {line.split()[0]: line.split()[1:] for line in lines if line.startswith(("money", "music", "water"))}
    assert [len(row) for row in rows.values()] == [5, 5, 5]
    assert sum(int(row[0]) for row in rows.values()) == 18


def test_several_labels(figures, run, several_model, several_file):
    labels = figures(several_model, several_file, *TEST)["labels"]
    assert labels["baseline"]["micro_f1"] > 0.8
    assert labels["micro_f1"] > 0.5
    assert "confusion" not in labels
    assert "accuracy (all labels of a document)" in run("evaluate", several_model, several_file, *TEST).stdout


def test_documents_without_a_label_are_left_out_and_counted(figures, run, label_model, labelled_file):
    labels = figures(label_model, labelled_file)["labels"]
    assert (labels["documents"], labels["documents_without_label"]) == (86, 4)
    assert "Labels of 86 documents (4 more have no label):" in run("evaluate", label_model, labelled_file).stdout


@pytest.fixture
def strangers(tmp_path):
    """Test documents of which one has a label that training did not have, and none is about music."""
    rows = [row for row in labelled(30) if row.get("label") not in (None, "music")]
    rows.append({"id": "new", "text": "opera river", "label": "drama", "split": "test"})
    return write_lines(tmp_path / "strangers.jsonl", rows)


def test_labels_unseen_in_training_and_absent_here_are_reported(run, figures, label_model, strangers):
    labels = figures(label_model, strangers, *TEST)["labels"]
    assert labels["unseen"] == {"drama": 1}
    assert labels["absent"] == ["music"]
    output = run("evaluate", label_model, strangers, *TEST).stdout
    assert "Labels that the model was not trained on and cannot predict: drama (1)" in output
    assert "Labels of the model that no document here has: music" in output
    assert "Most often confused:" in output


def test_a_label_that_only_the_model_thinks_of(run, label_model, tmp_path):
    """No document has it, and the baseline has never seen it: its row has nothing of the baseline."""
    rows = [row for row in labelled(30) if row.get("label") not in (None, "music")]
    rows.append({"id": "new", "text": "opera drum tune", "label": "water", "split": "test"})
    result = run("evaluate", label_model, write_lines(tmp_path / "d.jsonl", rows), *TEST)
    assert result.exit_code == 0, result.output
    found = {line.split()[0]: len(line.split()) for line in result.stdout.split("Each label:")[1].splitlines()[2:5]}
    assert found == {"money": 6, "water": 6, "music": 5}


def test_the_whole_confusion_is_written(run, label_model, strangers, tmp_path):
    path = tmp_path / "confusion.csv"
    command = ("evaluate", label_model, strangers, *TEST, "--confusion", path)
    assert run(*command).exit_code == 0
    rows = list(csv.reader(path.open(encoding="utf-8")))
    labels = rows[0][1:]
    assert rows[0][0] == "true label"
    assert [row[0] for row in rows[1:]] == labels
    matrix = np.array([row[1:] for row in rows[1:]], dtype=int)
    assert matrix[labels.index("drama")].sum() == 1
    assert matrix[:, labels.index("drama")].sum() == 0
    again = run(*command)
    assert again.exit_code == 1
    assert "--force" in again.stderr
    assert run(*command, "--force").exit_code == 0


def test_the_baseline_needs_training_documents(run, figures, label_model, labelled_file, tmp_path):
    rows = [{name: value for name, value in row.items() if name != "split"} for row in labelled()]
    whole = write_lines(tmp_path / "no splits.jsonl", rows)
    labels = figures(label_model, whole)["labels"]
    assert labels["baseline"] is None
    assert "has no splits" in labels["no_baseline"]
    output = run("evaluate", label_model, whole).stdout
    assert "No baseline was trained:" in output
    assert "--train" in output
    given = figures(label_model, whole, "--train", labelled_file, "--train-split", "train")["labels"]
    assert given["baseline"]["trained_on"] == 68
    assert figures(label_model, whole, "--train", labelled_file)["labels"]["baseline"]["trained_on"] == 86


def test_a_split_with_another_name(figures, label_model, tmp_path):
    rows = [{**row, "split": {"train": "learn", "test": "try"}[row["split"]]} for row in labelled()]
    path = write_lines(tmp_path / "d.jsonl", rows)
    labels = figures(label_model, path, "--split", "try")["labels"]
    assert 'no split "train" (it has "learn", "try")' in labels["no_baseline"]
    labels = figures(label_model, path, "--split", "try", "--train-split", "learn")["labels"]
    assert labels["baseline"]["trained_on"] == 68


def test_training_documents_that_nothing_can_be_learned_from(figures, label_model, labelled_file, tmp_path):
    same = write_lines(tmp_path / "same.jsonl", [{**row, "label": "same"} for row in labelled(9)])
    labels = figures(label_model, labelled_file, *TEST, "--train", same)["labels"]
    assert labels["baseline"] is None
    assert "1 class" in labels["no_baseline"]


def test_a_baseline_that_saw_the_test_documents_is_pointed_out(run, label_model, labelled_file):
    output = run("evaluate", label_model, labelled_file, *TEST, "--train", labelled_file).stdout
    assert "18 of them are evaluated here, so the baseline's scores are too good" in output


def test_documents_with_several_labels_and_a_model_that_gives_one(figures, label_model, tmp_path):
    rows = [{**row, "label": [row["label"], "extra"]} for row in labelled(20) if "label" in row]
    path = write_lines(tmp_path / "d.jsonl", rows)
    labels = figures(label_model, path, *TEST)["labels"]
    assert labels["accuracy"] == 0
    assert labels["micro_f1"] > 0


def test_no_labels_at_all(run, label_model, corpus_file):
    result = run("evaluate", label_model, corpus_file, *TEST, "--format", "json")
    assert result.exit_code == 0
    assert "no document has a label, so labels are not evaluated" in result.stderr
    assert "labels" not in json.loads(result.stdout)


def test_numbers_beside_a_ridge_regression(run, figures, stars_model, labelled_file):
    options = (*TEST, "--label", "stars")
    values = figures(stars_model, labelled_file, *options)["values"]
    assert values["documents"] == 18
    model = load(stars_model)
    test = read_corpus(labelled_file, label="stars").part("test")
    true = np.array([float(names[0]) for names in test.labels])
    assert values["mean_absolute_error"] == pytest.approx(np.abs(model.predict(test) - true).mean())
    assert values["r2"] == pytest.approx(model.score(test, true))
    assert values["baseline"]["r2"] > 0.8
    lines = run("evaluate", stars_model, labelled_file, *options).stdout.splitlines()
    assert "Numbers of 18 documents:" in lines
    assert "TF-IDF + ridge was trained on 68 documents, with the vocabulary of the model" in lines


def test_numbers_need_training_documents_too(run, figures, stars_model, tmp_path):
    rows = [{"id": row["id"], "text": row["text"], "label": row.get("stars")} for row in labelled(20)]
    path = write_lines(tmp_path / "d.jsonl", rows)
    values = figures(stars_model, path)["values"]
    assert values["documents_without_number"] == 1
    assert values["baseline"] is None
    assert "--train" in values["no_baseline"]
    one = figures(stars_model, write_lines(path, rows[:1]))["values"]
    assert "r2" not in one
    assert one["mean_absolute_error"] >= 0


@pytest.mark.parametrize("option", ["--label", "--train", "--train-split", "--confusion"])
def test_options_of_labels_are_refused_for_a_model_without(run, model_file, corpus_file, option):
    result = run("evaluate", model_file, corpus_file, option, "x")
    assert result.exit_code == 1
    assert f"{option} is for models with labels; {model_file} holds an LDA" in result.stderr


def test_confusion_is_for_one_label_a_document(run, several_model, several_file, stars_model, labelled_file, tmp_path):
    for command in ((several_model, several_file), (stars_model, labelled_file, "--label", "stars")):
        result = run("evaluate", *command, "--confusion", tmp_path / "c.csv")
        assert result.exit_code == 1
        assert not (tmp_path / "c.csv").exists()
