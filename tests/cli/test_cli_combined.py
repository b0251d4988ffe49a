"""`plait fit --model combined`: labels, links and influence in one model, and every command on the result."""

from __future__ import annotations

import json

import numpy as np
import polars
import pytest

from plait import LabelResponse, LinkResponse, TopicModel, ValueResponse
from plait.mixing import LinkedDocuments, OwnDocument
from plait.priors import SymmetricPrior
from plait.store import load
from tests.cli.small import QUICK, THREE, lines_from_reading, write_lines

COMBINED = ["--model", "combined", "--chains", "1"]
# A sweep over linked documents with responses that do not depend on links is compiled for few tests.
COMPILES = pytest.mark.slow


def _mistake(result, code: int = 1) -> str:
    assert result.exit_code == code, result.output
    return " ".join(result.stderr.replace("│", " ").split())


def _fitted(run, corpus, path, *options) -> TopicModel:
    result = run("fit", corpus, "-o", path, *COMBINED, *QUICK, *options)
    assert result.exit_code == 0, result.output
    return load(path)


def test_says_what_there_is_of_each_part(run, braided_folder, tmp_path):
    options = [*COMBINED, *QUICK, "--use", "influence,labels,links"]
    result = run("fit", braided_folder, "-o", tmp_path / "m.plait", *options)
    assert result.exit_code == 0, result.stderr
    lines = lines_from_reading(result.stdout)
    assert lines[1].startswith("86 documents have labels: 3 different ones, one per document")
    assert lines[2:4] == ["180 links", "180 links to follow"]
    assert "learned from 180 directed links and 1,800 unlinked pairs" in lines
    assert "most influential documents (tokens of other documents):" in lines
    assert any(line.split() == ["topic", "share", "label", "words"] for line in lines)


@pytest.mark.parametrize(
    ("use", "kinds", "mixing", "alpha"),
    [
        ("labels", [LabelResponse], OwnDocument, 2.0),  # α as the named models have it: 4 / topics, 0.25, 0.5
        ("links", [LinkResponse], OwnDocument, 0.25),
        ("influence", [], LinkedDocuments, 0.5),
        pytest.param("labels,influence", [LabelResponse], LinkedDocuments, 2.0, marks=COMPILES),
        ("Links, labels", [LabelResponse, LinkResponse], OwnDocument, 0.25),
    ],
)
def test_any_parts_are_put_together(run, braided_folder, tmp_path, use, kinds, mixing, alpha):
    model = _fitted(run, braided_folder, tmp_path / "m.plait", "--use", use)
    assert [type(one) for one in model.responses] == kinds
    assert isinstance(model.mixing, mixing)
    assert model.mixing.alpha == alpha
    assert model.prior == SymmetricPrior(0.1 if LinkResponse in kinds else 0.01)
    costs = [one.c for one in model.responses if isinstance(one, LabelResponse)]
    assert costs == [1.0 if LinkResponse in kinds else 16.0] * len(costs)  # labels leave room for links


@COMPILES
def test_numbers_in_place_of_labels(run, braided_folder, tmp_path):
    options = ["--use", "values,influence", "--label", "stars", "--sigma", "0.5", "--topics", "3", "--sweeps", "40"]
    model = _fitted(run, braided_folder, tmp_path / "m.plait", *options)
    assert model.responses == [ValueResponse(sigma=0.5)]
    assert run("predict", tmp_path / "m.plait", braided_folder, "-o", tmp_path / "v.csv").exit_code == 0
    assert polars.read_csv(tmp_path / "v.csv")["value"].is_between(0, 6).all()


def test_options_reach_their_part(run, braided_folder, tmp_path):
    given = ["--use", "labels,links,influence", "--cost", "labels=5,links=2", "--nu", "links=0.5", "--alpha", "0.3"]
    given += [
        "--beta",
        "0.2",
        "--link-weights",
        "diagonal",
        "--openness",
        "7",
        "--most-links",
        "all",
        "--threshold",
        "0",
    ]
    given += ["--loss", "labels=logistic,links=hinge"]
    model = _fitted(run, braided_folder, tmp_path / "m.plait", *given)
    labels, links = model.responses
    assert labels == LabelResponse(c=5.0, loss="logistic")
    assert links == LinkResponse(c=2.0, nu=0.5, form="diagonal", loss="hinge")
    assert (model.mixing.alpha, model.mixing.p, model.mixing.most_links) == (0.3, 7.0, None)
    assert model.prior.value == 0.2
    assert (model.n_topics, model.n_chains, model.cached) == (2, 1, None)


# Cached sweeps are compiled for labels by other tests, and for all parts together only here.
@pytest.mark.parametrize("use", ["labels", pytest.param("labels,links,influence", marks=pytest.mark.slow)])
def test_cached_reaches_the_model(run, braided_folder, tmp_path, use):
    assert _fitted(run, braided_folder, tmp_path / "m.plait", "--use", use, "--cached").cached is True


@COMPILES
def test_one_value_will_do_where_one_part_takes_it(run, braided_folder, tmp_path):
    model = _fitted(run, braided_folder, tmp_path / "m.plait", "--use", "labels,influence", "--cost", "5")
    assert model.responses == [LabelResponse(c=5.0)]


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ([], "--model combined needs --use, such as --use labels,links"),
        (["--use", "label,links"], "'label' is none of labels, values, links, influence; did you mean labels?"),
        (["--use", ""], "'' is none of labels, values, links, influence"),
        (["--use", "labels,values"], "labels and values are both read from the field that --label names"),
        (["--use", "labels,links", "--cost", "3"], "give one value each: --cost labels=3.0,links=3.0"),
        (["--use", "labels,links", "--cost", "labels=3,link=2"], "did you mean links?"),
        (["--use", "labels,links", "--cost", "labels=3,labels=2"], "gives two values for labels"),
        (["--use", "labels,links", "--cost", "labels=many"], "'many' is not a number"),
        (["--use", "labels,links", "--cost", "influence=2"], "--cost is for labels and links here, not for influence"),
        (["--use", "labels,links", "--loss", "labels=soft"], "'soft' is not one of hinge, logistic, probit, squared"),
        (["--use", "labels", "--link-weights", "full"], "--link-weights is for links; name it in --use"),
        (["--use", "labels", "--links", "x.csv"], "--links is for links or influence; name it in --use"),
        (["--use", "links", "--label", "kind"], "--label is for labels or values; name it in --use"),
        (["--use", "influence", "--nu", "2"], "--nu is for labels or values or links; name it in --use"),
        (["--use", "labels", "--one-vs-all"], "--one-vs-all is not for --model combined"),
        (["--use", "labels", "--topics", "2,3"], "with --model combined give one number of --topics"),
        (["--use", "labels", "--model", "medlda"], "--use is for --model combined"),
        (
            ["--model", "medlda", "--cost", "labels=2"],
            "--cost with a value per target is for --model combined; give one value",
        ),
    ],
)
def test_what_cannot_be_put_together(run, braided_folder, tmp_path, options, line):
    assert line in _mistake(run("fit", braided_folder, "-o", tmp_path / "m.plait", *COMBINED, *options), 2)
    assert not (tmp_path / "m.plait").exists()


def test_a_corpus_must_have_all_of_it(run, linked_folder, labelled_file, tmp_path):
    options = ["-o", tmp_path / "m.plait", *COMBINED, "--use", "labels,influence"]
    assert "no document has a label" in _mistake(run("fit", linked_folder, *options))
    assert "no document links to another" in _mistake(run("fit", labelled_file, *options))


def test_every_command_answers(run, combined_model, braided_folder, tmp_path):
    out = tmp_path / "out.csv"
    assert run("predict", combined_model, braided_folder, "-o", out).exit_code == 0
    labels = load(combined_model).classes_.tolist()
    predicted = polars.read_csv(out)["label"].to_list()
    assert sum(name == labels[row % 3] for row, name in enumerate(predicted)) > 80
    assert run("transform", combined_model, braided_folder, "-o", out, "--force").exit_code == 0
    assert polars.read_csv(out).width == 5
    assert "1 document of the model" in run("links", combined_model, "-d", "d1").stdout
    assert "source" in run("influence", combined_model, "d1").stdout
    assert "label" in run("topics", combined_model).stdout.splitlines()[0].split()


def test_labels_and_links_are_both_measured(run, combined_model, braided_folder):
    result = run("evaluate", combined_model, braided_folder, "--format", "json", "--no-baselines")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert (found["documents"], found["documents_fitted_to"]) == (18, 0)
    assert found["labels"]["accuracy"] > 0.9
    assert found["labels"]["baseline"]["accuracy"] > 0.9
    assert (found["links"]["documents_known"], found["links"]["n_documents"]) == (72, 18)
    assert found["links"]["auc"] > 0.6
    shown = run("evaluate", combined_model, braided_folder, "--no-baselines").stdout
    assert shown.index("Labels of 18 documents") < shown.index("links of 18 new documents")


def test_a_baseline_is_trained_on_what_was_not_held_out(run, braided_folder, tmp_path):
    rows = [json.loads(line) for line in (braided_folder / "documents.jsonl").read_text().splitlines()]
    write_lines(braided_folder / "documents.jsonl", [{**row, "split": None} for row in rows])
    _fitted(run, braided_folder, tmp_path / "m.plait", "--use", "labels,links", "--hold-out", "0.2")
    result = run("evaluate", tmp_path / "m.plait", braided_folder, "--no-baselines", "--format", "json")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    baseline = found["labels"]["baseline"]
    assert found["documents"] == 18
    assert baseline["trained_on"] == baseline["trained_on_fitted_to"] == 86 - found["labels"]["documents"]
    assert baseline["trained_on_measured"] == 0


def test_what_a_corpus_does_not_have_is_not_measured(run, combined_model, linked_folder, labelled_file):
    result = run("evaluate", combined_model, linked_folder, "--no-baselines", "--format", "json")
    assert "no document has a label, so labels are not evaluated" in result.stderr
    assert "links" in json.loads(result.stdout)
    result = run("evaluate", combined_model, labelled_file, "--format", "json")
    assert "links are not evaluated: the corpus has no links; give some (option --links)" in result.stderr
    assert "labels" in json.loads(result.stdout)


def test_a_stopped_fit_goes_on_to_the_same_bits(run, braided_folder, tmp_path, monkeypatch):
    from tests.models.small import press_ctrl_c_in_sweep

    path, whole = tmp_path / "m.plait", tmp_path / "w.plait"
    command = ["fit", braided_folder, *COMBINED, *THREE[:2], *QUICK[2:], "--use", "labels,links,influence"]
    command += ["--cost", "labels=5,links=2"]
    assert run(*command, "-o", whole).exit_code == 0
    with monkeypatch.context() as patch:
        press_ctrl_c_in_sweep(5, patch)
        assert run(*command, "-o", path).exit_code == 130
    changed = [*command[:-1], "labels=5,links=3", "-o", path, "--resume"]
    assert "was started with --cost 2.0, not 3.0" in _mistake(run(*changed))
    less = [*command[:-3], "labels,links", "-o", path, "--resume"]
    assert "was started with --use labels,links,influence; resume it with that" in _mistake(run(*less))
    assert run(*command, "-o", path, "--resume").exit_code == 0
    assert np.array_equal(load(path).label_weights_, load(whole).label_weights_)
    assert np.array_equal(load(path).influence_.toarray(), load(whole).influence_.toarray())
