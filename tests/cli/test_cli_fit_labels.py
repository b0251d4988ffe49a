from __future__ import annotations

import numpy as np
import pytest

from plait.corpus import Corpus
from plait.responses import LOSSES
from plait.store import load
from tests.cli.small import QUICK, THREE, labelled, lines_from_reading, request_stop, write_lines

MEDLDA = ["--model", "medlda"]
SLDA = ["--model", "slda", "--label", "stars"]


def _mistake(result, code: int = 1) -> str:
    assert result.exit_code == code, result.output
    return " ".join(result.stderr.replace("│", " ").split())


def test_labels_are_found_by_themselves(run, labelled_file, tmp_path):
    path = tmp_path / "m.plait"
    result = run("fit", labelled_file, "-o", path, *MEDLDA, *THREE)
    assert result.exit_code == 0, result.stderr
    lines = lines_from_reading(result.stdout)
    assert (
        lines[1]
        == "86 documents have labels: 3 different ones, one per document; 4 have none: only their words are used"
    )
    model = load(path)
    assert type(model).__name__ == "MedLDA"
    assert model.classes_.tolist() == ["money", "music", "water"]
    assert not model.multilabel_
    assert model.n_unlabelled_ == 4


def test_labels_of_a_named_field(run, tmp_path):
    rows = [{**row, "kind": "wet" if row["label"] == "water" else "dry"} for row in labelled() if "label" in row]
    path = write_lines(tmp_path / "d.jsonl", rows)
    for option in ("--label", "--label-field"):
        assert run("fit", path, "-o", tmp_path / "m.plait", *MEDLDA, *THREE, option, "kind", "--force").exit_code == 0
        assert load(tmp_path / "m.plait").classes_.tolist() == ["dry", "wet"]


def test_several_labels_a_document(run, several_file, tmp_path):
    result = run("fit", several_file, "-o", tmp_path / "m.plait", *MEDLDA, *THREE)
    assert result.exit_code == 0, result.stderr
    assert "3 different ones, several per document" in result.stdout
    assert load(tmp_path / "m.plait").multilabel_


def test_what_was_chosen_is_printed(run, several_file, tmp_path):
    path = tmp_path / "m.plait"
    result = run("fit", several_file, "-o", path, *MEDLDA, *THREE)
    (line,) = [line for line in result.stdout.splitlines() if line.startswith("labels: ")]
    assert line == f"labels: {load(path).label_choice_}"
    given = ["--cost", "auto", "--threshold", "auto", "--class-weight", "auto", "--features", "text"]
    assert run("fit", several_file, "-o", path, "--force", *MEDLDA, *THREE, *given).stdout.splitlines()[-2] == line


def test_numbers_and_no_features_leave_nothing_to_choose(run, several_file, tmp_path):
    path = tmp_path / "m.plait"
    given = ["--cost", "4", "--threshold", "-0.5", "--class-weight", "none", "--features", "none"]
    result = run("fit", several_file, "-o", path, *MEDLDA, *THREE, *given)
    assert "\nlabels: " not in result.stdout
    model = load(path)
    assert (model.c, model.threshold, model.class_weight, model.features) == (4.0, -0.5, None, None)
    assert (model.thresholds_ == -0.5).all()
    assert "is not a number or auto" in _mistake(run("fit", several_file, "-o", path, *MEDLDA, "--cost", "best"), 2)


def test_options_of_labels_reach_the_model(run, labelled_file, tmp_path):
    path = tmp_path / "m.plait"
    given = ["--cost", "4", "--ell", "2", "--nu", "3", "--class-weight", "balanced", "--loss", "logistic", "--cached"]
    assert run("fit", labelled_file, "-o", path, *MEDLDA, *QUICK, *given).exit_code == 0
    parameters = load(path).get_params()
    wanted = {"c": 4, "ell": 2, "nu": 3, "class_weight": "balanced", "loss": "logistic", "cached": True}
    assert {name: parameters[name] for name in wanted} == wanted
    result = run("fit", labelled_file, "-o", path, "--force", *MEDLDA, *QUICK, "--class-weight", "none")
    assert result.exit_code == 0
    assert load(path).class_weight is None


def test_topics_of_every_label_by_itself(run, labelled_file, tmp_path):
    path = tmp_path / "m.plait"
    result = run("fit", labelled_file, "-o", path, *MEDLDA, *THREE, "--one-vs-all", "--chains", "2")
    assert result.exit_code == 0, result.stderr
    assert "fitted 9 topics: 264 sweeps in 2 chains" in result.stdout
    assert run("transform", path, labelled_file, "-o", tmp_path / "out.csv").exit_code == 0
    header = (tmp_path / "out.csv").read_text(encoding="utf-8").split("\n", 1)[0]
    assert header.split(",") == ["id", "tokens", *(f"topic_{number}" for number in range(9))]


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (["--cost", "0"], "must be a number above 0, not 0.0 (option --cost)"),
        (["--ell", "0"], "must be a number above 0, not 0.0 (option --ell)"),
        (["--nu", "0"], "must be a number above 0, not 0.0 (option --nu)"),
    ],
)
def test_settings_that_cannot_work(run, labelled_file, tmp_path, options, line):
    assert line in _mistake(run("fit", labelled_file, "-o", tmp_path / "m.plait", *MEDLDA, *options))


def test_numbers_are_learned_from_a_named_field(run, labelled_file, tmp_path):
    result = run("fit", labelled_file, "-o", tmp_path / "m.plait", *SLDA, *THREE, "--sigma", "0.5")
    assert result.exit_code == 0, result.stderr
    assert "86 documents have a number to learn; 4 have none" in result.stdout
    model = load(tmp_path / "m.plait")
    assert model.sigma == 0.5
    corpus = Corpus.from_texts(["bank loan " * 5, "song drum " * 5, "river boat " * 5])
    low, middle, high = model.predict(corpus.with_vocabulary(model.vocabulary_))
    assert low < middle < high


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (["--cost", "2"], "--cost is for --model medlda"),
        (["--model", "slda", "--features", "text"], "--features is for --model medlda"),
        (["--nu", "2"], "--nu is for --model medlda or slda"),
        (["--label", "kind"], "--label is for --model medlda or slda"),
        (["--model", "medlda", "--sigma", "2"], "--sigma is for --model slda"),
        (["--model", "slda", "--class-weight", "none"], "--class-weight is for --model medlda"),
        (["--model", "medlda", "--topics", "2,3"], "with --model medlda give one number of --topics"),
    ],
)
def test_options_that_a_model_does_not_take(run, labelled_file, tmp_path, options, line):
    result = run("fit", labelled_file, "-o", tmp_path / "m.plait", *options)
    assert line in _mistake(result, 2)
    assert not (tmp_path / "m.plait").exists()


def test_losses_are_those_of_the_registry(run, labelled_file, tmp_path, monkeypatch):
    monkeypatch.setitem(LOSSES, "toy", LOSSES["hinge"])
    line = _mistake(run("fit", labelled_file, "-o", tmp_path / "m.plait", *MEDLDA, "--loss", "soft"), 2)
    assert f"'soft' is not one of {', '.join(LOSSES)}" in line
    assert line.count("toy") == 1


def test_the_help_leaves_defaults_to_the_model(run):
    shown = " ".join(run("fit", "--help").stdout.split())
    assert "Options of the model that are not given have the model's own defaults." in shown
    assert "Labels" in shown


@pytest.mark.parametrize("model", [MEDLDA, ["--model", "slda"]])
def test_documents_without_labels(run, corpus_file, tmp_path, model):
    line = _mistake(run("fit", corpus_file, "-o", tmp_path / "m.plait", *model))
    assert "papers.jsonl: no document has" in line
    assert "--label" in line


def test_a_field_that_is_not_there(run, corpus_file, tmp_path):
    line = _mistake(run("fit", corpus_file, "-o", tmp_path / "m.plait", *MEDLDA, "--label", "nothing"))
    assert 'no document has the field "nothing"' in line
    assert "id, text, split" in line


def test_a_value_that_is_no_number(run, tmp_path):
    rows = labelled(12)
    rows[7]["stars"] = "many"
    path = write_lines(tmp_path / "d.jsonl", rows)
    line = _mistake(run("fit", path, "-o", tmp_path / "m.plait", *SLDA))
    assert 'document "d7" has the value "many", which is not a number' in line
    assert "have a number to learn" not in run("fit", path, "-o", tmp_path / "m.plait", *SLDA).stdout
    rows[7]["stars"] = [1, 2]
    line = _mistake(run("fit", write_lines(path, rows), "-o", tmp_path / "m.plait", *SLDA))
    assert 'document "d7" has 2 values (1, 2); give it one' in line


def test_one_label_only_is_a_clear_error(run, tmp_path):
    path = write_lines(tmp_path / "d.jsonl", [{**row, "label": "same"} for row in labelled(12)])
    line = _mistake(run("fit", path, "-o", tmp_path / "m.plait", *MEDLDA, "--topics", "4"))
    assert line.startswith("error: ")
    assert "1 class" in line


@pytest.mark.parametrize("kind", [MEDLDA, SLDA])
def test_a_fit_that_was_stopped_goes_on_to_the_same_bits(run, labelled_file, tmp_path, monkeypatch, kind):
    from plait.engine.interrupt import StopRequest

    path, whole = tmp_path / "m.plait", tmp_path / "whole.plait"
    # Nothing to choose: a stop while settings are chosen leaves nothing to resume.
    own = (
        ["--features", "none", "--class-weight", "none", "--threshold", "0", "--cost"]
        if kind is MEDLDA
        else ["--sigma"]
    )
    command = ("fit", labelled_file, *kind, *THREE, "--tolerance", "0", *own, "2")
    assert run(*command, "-o", whole).exit_code == 0
    with monkeypatch.context() as patch:
        patch.setattr(StopRequest, "__enter__", request_stop)
        assert run(*command, "-o", path).exit_code == 130
    assert load(path).interrupted_
    changed = run(*command[:-1], "3", "-o", path, "--resume")
    assert "2.0, not 3.0" in _mistake(changed)
    other = run(*command, "-o", path, "--resume", "--model", "lda")
    assert other.exit_code != 0
    assert run(*command, "-o", path, "--resume").exit_code == 0
    assert np.array_equal(load(path).weights_, load(whole).weights_)
    assert np.array_equal(load(path).topic_word_, load(whole).topic_word_)


def test_labels_that_too_few_documents_have_are_left_out_and_named(run, tmp_path):
    rows = [*labelled(40), {"id": "x", "text": "opera tune song", "label": "alone", "split": "train"}]
    path = write_lines(tmp_path / "d.jsonl", rows)
    command = ("fit", path, "-o", tmp_path / "m.plait", *MEDLDA, *THREE)
    line = _mistake(run(*command))
    assert '"alone" (document "x")' in line
    assert line.endswith("(option --min-label-documents)")
    result = run(*command, "--min-label-documents", "2")
    assert result.exit_code == 0, result.stderr
    assert "left out 1 label of fewer than 2 documents: alone" in result.stdout
    assert load(tmp_path / "m.plait").classes_.tolist() == ["money", "music", "water"]
    assert load(tmp_path / "m.plait").n_unlabelled_ == 3
    quiet = run(*command, "--min-label-documents", "2", "--force", "--quiet")
    assert (quiet.stdout, quiet.stderr) == ("", "left out 1 label of fewer than 2 documents: alone\n")
