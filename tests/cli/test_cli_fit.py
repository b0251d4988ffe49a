from __future__ import annotations

import re
from importlib.util import find_spec

import numpy as np
import pytest

import plait
from plait.cli.options.building import build_model
from plait.cli.options.model_options import ModelOptions
from plait.cli.options.models import COMBINED, MODELS
from plait.cli.options.response_options import InfluenceOptions, LabelOptions, LinkOptions, PredictionOptions
from plait.store import load
from tests.cli.small import MONEY, QUICK, WATER, documents, lines_from_reading, write_lines


def test_fits_saves_and_says_so(run, corpus_file, tmp_path):
    path = tmp_path / "m.plait"
    result = run("fit", corpus_file, "-o", path, *QUICK)
    assert result.exit_code == 0, result.stderr
    lines = lines_from_reading(result.stdout)
    assert lines[0] == f"read {corpus_file}: 60 documents, 16 words, 360 tokens; nothing skipped"
    assert re.fullmatch(r"fitted 2 topics: 14 sweeps \(.+\), perplexity [\d.]+, [\d.]+ s", lines[1])
    assert lines[2].split() == ["topic", "share", "words"]
    assert lines[-1] == f"saved {path}"
    assert load(path).doc_topic_.shape == (60, 2)
    assert not list(tmp_path.glob(".*"))


def test_finds_the_two_themes(run, corpus_file, tmp_path):
    run("fit", corpus_file, "-o", tmp_path / "m.plait", *QUICK, "--sweeps", "60")
    found = {frozenset(topic.words) for topic in load(tmp_path / "m.plait").topics(top=8)}
    assert found == {frozenset(WATER), frozenset(MONEY)}


def test_options_reach_the_model(run, corpus_file, tmp_path):
    given = {
        "--topics": 3,
        "--alpha": 0.5,
        "--beta": 0.2,
        "--sampler": "sparse(5)",
        "--sweeps": 4,
        "--samples": 3,
        "--sample-every": 1,
        "--tolerance": 0.0,
        "--shards": 2,
        "--jobs": 2,
        "--seed": 9,
    }
    options = [text for pair in given.items() for text in pair]
    result = run("fit", corpus_file, "-o", tmp_path / "m.plait", *options, "--learn-alpha", "--learn-beta")
    assert result.exit_code == 0, result.stderr
    parameters = load(tmp_path / "m.plait").get_params()
    names = {"topics": "n_topics", "sweeps": "n_sweeps", "samples": "n_samples", "shards": "n_shards"}
    names |= {"jobs": "n_jobs", "seed": "random_state"}
    for option, value in given.items():
        name = option.removeprefix("--").replace("-", "_")
        assert parameters[names.get(name, name)] == value, option
    assert parameters["learn_alpha"]
    assert parameters["learn_beta"]


@pytest.mark.parametrize("name", [name for name in MODELS if name != COMBINED])
def test_defaults_are_the_models_but_for_seed_and_jobs(name):
    groups = (ModelOptions(), PredictionOptions(), LabelOptions(), LinkOptions(), InfluenceOptions())
    model = build_model(name, [], *groups)
    library = type(model)().get_params()
    asked = model.get_params()
    assert {name for name, value in asked.items() if library[name] != value} == {"random_state", "n_jobs"}


def test_the_same_seed_gives_the_same_model(run, corpus_file, tmp_path):
    for name, seed in (("a", 0), ("b", 0), ("c", 1)):
        run("fit", corpus_file, "-o", tmp_path / f"{name}.plait", *QUICK, "--seed", seed)
    a, b, c = (load(tmp_path / f"{name}.plait").doc_topic_ for name in "abc")
    assert np.array_equal(a, b)
    assert not np.array_equal(a, c)


def test_one_split_is_fitted_to_and_chooses_the_words(run, tmp_path):
    rows = [*documents(10), {"id": "late", "text": "glacier glacier", "split": "test"}]
    path = write_lines(tmp_path / "d.jsonl", rows)
    run("fit", path, "-o", tmp_path / "m.plait", "--split", "train", *QUICK)
    model = load(tmp_path / "m.plait")
    assert model.doc_ids_.tolist() == [row["id"] for row in rows if row["split"] == "train"]
    assert "glacier" not in model.vocabulary_.tolist()


def test_quiet_says_only_what_was_skipped(run, corpus_file, tmp_path):
    result = run("fit", corpus_file, "-o", tmp_path / "m.plait", "--quiet", *QUICK)
    assert (result.exit_code, result.output) == (0, "")
    bad = write_lines(tmp_path / "bad.jsonl", [*documents(10), {"id": "empty", "text": ""}])
    result = run("fit", bad, "-o", tmp_path / "n.plait", "--quiet", "--allow-skips", *QUICK)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "skipped 1 × empty document\n")


def _line_of_mistake(result) -> str:
    assert result.exit_code == 1
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


def test_a_model_that_is_there_is_not_overwritten_unasked(run, corpus_file, model_file):
    before = model_file.read_bytes()
    line = _line_of_mistake(run("fit", corpus_file, "-o", model_file, *QUICK))
    assert "--force" in line
    assert "--resume" in line
    assert model_file.read_bytes() == before
    assert run("fit", corpus_file, "-o", model_file, *QUICK, "--force").exit_code == 0
    assert model_file.read_bytes() != before


def test_the_output_is_checked_before_the_corpus_is_read(run, tmp_path):
    nowhere = tmp_path / "no such corpus"
    assert "does not exist; make it first" in _line_of_mistake(run("fit", nowhere, "-o", tmp_path / "no" / "m.plait"))
    assert "is a folder" in _line_of_mistake(run("fit", nowhere, "-o", tmp_path))
    assert "no such corpus does not exist" in _line_of_mistake(run("fit", nowhere, "-o", tmp_path / "m.plait"))


def test_a_device_is_not_replaced_by_a_model(run, corpus_file):
    assert "not an ordinary file" in _line_of_mistake(run("fit", corpus_file, "-o", "/dev/null", "--force"))


def test_a_folder_that_cannot_be_written_in(run, corpus_file, tmp_path, monkeypatch):
    def refuse(*arguments: object, **keywords: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.TemporaryFile", refuse)
    line = _line_of_mistake(run("fit", corpus_file, "-o", tmp_path / "m.plait"))
    assert "nothing can be written" in line
    assert "Permission denied" in line


def test_an_unknown_sampler_is_refused_before_the_corpus_is_read(run, tmp_path):
    line = _line_of_mistake(run("fit", tmp_path / "nowhere", "-o", tmp_path / "m.plait", "--sampler", "magic"))
    assert "magic" in line
    assert "aggregated" in line


def test_an_unknown_split(run, corpus_file, tmp_path):
    line = _line_of_mistake(run("fit", corpus_file, "-o", tmp_path / "m.plait", "--split", "dev"))
    assert '"dev"' in line
    assert not (tmp_path / "m.plait").exists()


def test_a_disk_that_is_full(run, corpus_file, tmp_path, monkeypatch):
    def full(*arguments: object) -> None:
        raise OSError(28, "No space left on device", str(tmp_path / "m.plait"))

    monkeypatch.setattr("plait.store.save", full)
    assert "No space left" in _line_of_mistake(run("fit", corpus_file, "-o", tmp_path / "m.plait", *QUICK))


@pytest.mark.parametrize(
    "options",
    [("--force", "--resume"), ("--topics", "2,3", "--resume"), ("--topics", "auto", "--resume")],
)
def test_options_that_contradict_each_other(run, corpus_file, model_file, options):
    assert run("fit", corpus_file, "-o", model_file, *options).exit_code == 2


def test_the_recommended_of_several_numbers_of_topics_is_taken(run, corpus_file, tmp_path):
    path = tmp_path / "m.plait"
    result = run("fit", corpus_file, "-o", path, *QUICK[2:], "--alpha", "0.1", "--topics", "1,2")
    assert result.exit_code == 0, result.stderr
    lines = lines_from_reading(result.stdout)
    trials = [line.split() for line in lines[2:4]]
    assert trials[0][0] == "1"
    assert trials[1][:2] == ["*", "2"]
    model = load(path)
    assert model.n_topics == 2
    assert model.doc_topic_.shape == (60, 2)
    assert model.topic_choice_["recommended"] == 2
    assert model.topic_choice_["reason"] == lines[5]
    assert [row["n_topics"] for row in model.topic_choice_["rows"]] == [1, 2]
    corpus = plait.read_corpus(corpus_file)
    assert not hasattr(model.fit(corpus), "topic_choice_")  # a later fit is not the one that was chosen


def test_topics_auto_chooses_a_number(run, corpus_file, tmp_path):
    path = tmp_path / "m.plait"
    result = run("fit", corpus_file, "-o", path, *QUICK[2:], "--alpha", "0.1", "--topics", "auto")
    assert result.exit_code == 0, result.stderr
    model = load(path)
    tried = [row["n_topics"] for row in model.topic_choice_["rows"]]
    assert tried[0] == 2
    assert len(tried) >= 2
    assert model.n_topics == model.topic_choice_["recommended"]
    assert model.topic_choice_["reason"] in result.stdout
    chosen = plait.choose_n_topics(
        plait.read_corpus(corpus_file),
        model=plait.LDA(alpha=0.1, n_sweeps=model.n_sweeps, n_samples=model.n_samples, sample_every=model.sample_every),
        verbose=False,
    )
    assert chosen.recommended == model.n_topics
    again = run("fit", corpus_file, "-o", path, *QUICK[2:], "--alpha", "0.1", "--topics", "auto", "--force", "--quiet")
    assert again.stdout == ""
    assert load(path).n_topics == model.n_topics


def test_ctrl_c_while_choosing_saves_nothing(run, corpus_file, tmp_path, monkeypatch):
    def stop(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("plait.models.LDA.fit", stop)
    result = run("fit", corpus_file, "-o", tmp_path / "m.plait", "--topics", "1,2")
    assert result.exit_code == 130
    assert "nothing was saved" in result.stderr
    assert not (tmp_path / "m.plait").exists()


@pytest.mark.parametrize("numbers", ["2,x", "", "0,5", "0", "automatic", "2.5"])
def test_bad_numbers_of_topics_to_choose_from(run, corpus_file, tmp_path, numbers):
    assert run("fit", corpus_file, "-o", tmp_path / "m.plait", "--topics", numbers).exit_code == 2


def test_resuming_a_finished_model_or_none(run, corpus_file, model_file, tmp_path):
    line = _line_of_mistake(run("fit", corpus_file, "-o", model_file, "--resume", "--split", "train"))
    assert "finished" in line
    line = _line_of_mistake(run("fit", corpus_file, "-o", tmp_path / "none.plait", "--resume"))
    assert "nothing to resume" in line


def test_resuming_refuses_other_settings_than_it_began_with(run, corpus_file, model_file):
    line = _line_of_mistake(run("fit", corpus_file, "-o", model_file, "--resume", "--topics", "7"))
    assert "started with --topics 2, not 7" in line


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--sampler", "plain"], 1, "draws topics with the sampler 'synchronous' only, not 'plain'"),
        pytest.param(
            ["--sampler", "plain", "--ray", "local"],
            1,
            "with a GPU draw topics with the sampler 'synchronous' only",
            marks=pytest.mark.skipif(find_spec("ray") is None, reason="plait[ray] is not installed"),
        ),
        (["--workers", "2"], 2, "--workers is for --ray"),
    ],
)
def test_a_gpu_is_refused_where_it_cannot_be_used(run, corpus_file, tmp_path, options, code, said):
    result = run("fit", corpus_file, "-o", tmp_path / "m.plait", *QUICK, "--device", "cuda", *options)
    assert result.exit_code == code
    assert said in " ".join(result.stderr.split())
