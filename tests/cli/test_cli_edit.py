"""`plait edit`: names, merged, dropped and split topics of saved models."""

from __future__ import annotations

import json

import numpy as np
import pytest

from plait.store import load
from tests.cli.small import THREE, labelled, write_lines, write_linked
from tests.cli.streams import SMALL, months


@pytest.fixture(scope="module")
def folder(tmp_path_factory, run):
    """A corpus of three themes, and a model of four topics of its training documents; not to be written to."""
    place = tmp_path_factory.mktemp("edit")
    corpus = write_lines(place / "papers.jsonl", labelled())
    options = ["--topics", "4", "--sweeps", "30", "--samples", "2", "--sample-every", "2", "--split", "train", "-q"]
    result = run("fit", corpus, "-o", place / "m.plait", *options)
    assert result.exit_code == 0, result.output
    return place


def test_topics_are_named_without_a_corpus(run, folder, tmp_path):
    new = tmp_path / "new.plait"
    result = run("edit", folder / "m.plait", "-o", new, "--name", "3=outer space", "--name", "0=a=b")
    assert result.exit_code == 0, result.output
    assert load(new).topic_names_ == ["a=b", "", "", "outer space"]
    assert f"saved {new}: 4 topics" in result.stdout
    assert "outer space" in run("topics", new).stdout
    assert json.loads(run("topics", new, "--format", "json").stdout)[3]["name"] == "outer space"
    assert load(folder / "m.plait").topic_names_ == [""] * 4
    again = tmp_path / "again.plait"
    assert run("edit", new, "-o", again, "--name", "3=").exit_code == 0
    assert load(again).topic_names_ == ["a=b", "", "", ""]


def test_topics_are_merged_dropped_and_split(run, folder, tmp_path):
    new, before = tmp_path / "new.plait", load(folder / "m.plait")
    arguments = ["--merge", "1,2", "--drop", "0", "--split-topic", "3:3", "--name", "2=both", "--name", "3=rest"]
    sweeps = ["--sweeps", "5", "--split", "train"]
    result = run("edit", folder / "m.plait", folder / "papers.jsonl", "-o", new, *arguments, *sweeps)
    assert result.exit_code == 0, result.output
    edited = load(new)
    # Topics 1 and 2 are topic 0 now, topic 3 is topic 1, its parts are topics 2 and 3.
    assert edited.topic_names_ == ["both", "rest", "", ""]
    assert [(one["operation"], one.get("n_sweeps")) for one in edited.edits_] == [
        ("merge", 5),
        ("drop", 5),
        ("split", 5),
        ("name", None),
    ]
    assert edited.n_topics == 4
    assert before.n_topics == 4
    assert "read" in result.stdout


def test_the_model_of_python_is_the_same(run, folder, tmp_path):
    from plait import read_corpus

    new = tmp_path / "new.plait"
    result = run("edit", folder / "m.plait", folder / "papers.jsonl", "-o", new, "--drop", "1,2", "--split", "train",
                 "-q", "-j", "2")  # fmt: skip
    assert result.exit_code == 0, result.output
    assert result.stdout == ""
    model = load(folder / "m.plait").set_params(verbose=False)
    corpus = read_corpus(folder / "papers.jsonl").part("train").with_vocabulary(model.vocabulary_)
    np.testing.assert_array_equal(load(new).topic_word_, model.drop_topics([1, 2], corpus).topic_word_)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--name", "space"], "'space' is not a topic and its name"),
        (["--name", "9=space"], "there is no topic 9"),
        (["--name", "0=a", "--name", "1=a"], "would have the same name"),
        (["--name", "0=a", "--name", "0=b"], "given twice for the same topic"),
        (["--merge", "1"], "two topics or more"),
        (["--merge", "1;2"], "is not a list of numbers of topics"),
        (["--merge", "1,2", "--merge", "2,3"], "topic 2 is given twice"),
        (["--merge", "1,2", "--drop", "2"], "topic 2 is given for two of merge, drop and split"),
        (["--merge", "space,x"], "is not a list of numbers of topics"),
        (["--drop", "0,1,2,3"], "all topics of the model"),
        (["--drop", "1", "--name", "1=gone"], "topic 1 is dropped"),
        (["--merge", "0,1", "--name", "0=a", "--name", "1=b"], "become one topic"),
        (["--split-topic", "3:x"], "is not a topic and the number of its parts"),
        (["--split-topic", "3:1"], "into must be a whole number, 2 or more"),
        ([], "there is nothing to do"),
    ],
)
def test_wrong_edits_are_errors_of_one_line(run, folder, tmp_path, arguments, message):
    corpus = []
    if any(option in arguments for option in ("--merge", "--drop", "--split-topic")):
        corpus = [folder / "papers.jsonl", "--split", "train"]
    result = run("edit", folder / "m.plait", *corpus, "-o", tmp_path / "new.plait", *arguments)
    assert result.exit_code in (1, 2)
    assert message in " ".join(result.stderr.replace("│", " ").split())
    assert not (tmp_path / "new.plait").exists()


def test_a_corpus_is_given_where_it_is_needed_only(run, folder, tmp_path):
    new = tmp_path / "new.plait"
    result = run("edit", folder / "m.plait", "-o", new, "--drop", "1")
    assert result.exit_code == 2
    assert "need the corpus" in " ".join(result.stderr.replace("│", " ").split())
    result = run("edit", folder / "m.plait", folder / "papers.jsonl", "-o", new, "--name", "0=a")
    assert result.exit_code == 2
    result = run("edit", folder / "m.plait", folder / "papers.jsonl", "-o", new, "--drop", "1", "--split", "test")
    assert result.exit_code == 1
    assert "not the documents that the model was fitted to" in result.stderr
    result = run("edit", folder / "m.plait", "-o", folder / "m.plait", "--name", "0=a", "--force")
    assert result.exit_code == 1
    assert "is an input of this command" in result.stderr


@pytest.mark.parametrize(
    ("options", "fields"),
    [
        (["--model", "medlda", "--min-label-documents", "2"], ["--min-label-documents", "2"]),
        (["--model", "slda", "--label-field", "stars"], ["--label-field", "stars"]),
        # The sweeps of these models under an edited prior are compiled for this test alone.
        pytest.param(["--model", "relational"], [], marks=pytest.mark.slow),
        pytest.param(["--model", "linked"], [], marks=pytest.mark.slow),
        pytest.param(["--model", "combined", "--use", "labels,links,influence"], [], marks=pytest.mark.slow),
        (["--model", "lda", "--hold-out", "0.2", "--seed", "7"], ["--hold-out", "0.2"]),
    ],
    ids=["labels", "numbers", "links", "influence", "combined", "held out"],
)
def test_every_model_is_edited(run, tmp_path, options, fields):
    corpus = write_linked(tmp_path / "corpus", labels=True)
    fitted = run("fit", corpus, "-o", tmp_path / "m.plait", *THREE, *options, "-q")
    assert fitted.exit_code == 0, fitted.output
    arguments = ["--merge", "0,2", "--sweeps", "3", *fields]
    result = run("edit", tmp_path / "m.plait", corpus, "-o", tmp_path / "new.plait", *arguments)
    assert result.exit_code == 0, result.output
    assert load(tmp_path / "new.plait").n_topics == 2


def test_a_stream_is_edited_by_its_last_slice_and_continues(run, tmp_path):
    source = write_lines(tmp_path / "papers.jsonl", months(3))
    model, new = tmp_path / "m.plait", tmp_path / "new.plait"
    assert run("fit", source, "-o", model, "--model", "online", "--by", "month", *SMALL, "-q").exit_code == 0
    result = run("edit", model, source, "-o", new, "--merge", "0,1", "--name", "2=last", "--sweeps", "3")
    assert result.exit_code == 0, result.output
    edited = load(new)
    assert edited.n_topics == load(model).n_topics - 1
    assert len(edited.slices_) == 3
    assert edited.doc_topic_.shape[0] == load(model).doc_topic_.shape[0]
    header = run("trends", new).stdout.splitlines()[0]
    assert header.split()[:2] == ["topic", "name"]
    shares = tmp_path / "shares.csv"
    assert run("transform", new, source, "-o", shares).exit_code == 0
    assert shares.read_text().splitlines()[0].split(",")[:4] == ["id", "tokens", "topic_0", "last"]


def test_the_corpus_is_read_with_the_options_of_the_fit(run, tmp_path):
    rows = [f"{row};{text};{row % 28 + 1:02d}.05.2024" for row, text in enumerate(["Größe Fluß", "Müll Straße"] * 20)]
    corpus = tmp_path / "s.csv"
    corpus.write_bytes("\n".join(["Nr;Antwort;Datum", *rows]).encode("cp1252"))
    model, new = tmp_path / "m.plait", tmp_path / "new.plait"
    reading = ["--encoding", "cp1252", "--date-format", "%d.%m.%Y", "--text-field", "Antwort", "--hold-out", "0.5"]
    assert run("fit", corpus, "-o", model, "--topics", "3", "--sweeps", "5", *reading).exit_code == 0
    kept = {"text_field": ["Antwort"], "encoding": "cp1252", "date_format": "%d.%m.%Y", "hold_out": 0.5}
    assert load(model).reading_options_ == kept
    result = run("edit", model, corpus, "-o", new, "--merge", "0,1", "--sweeps", "2")
    assert result.exit_code == 0, result.output
    assert load(new).reading_options_ == kept
    again = run("edit", new, corpus, "-o", tmp_path / "again.plait", "--split-topic", "0", "--encoding", "utf-8")
    assert again.exit_code == 1
    assert "--encoding cp1252" in again.stderr


def test_topics_are_checked_before_the_corpus_is_asked_for(run, folder, tmp_path):
    for edit in (["--merge", "1,99"], ["--drop", "99"], ["--split-topic", "99"], ["--merge", "0,1", "--name", "99=x"]):
        result = run("edit", folder / "m.plait", "-o", tmp_path / "new.plait", *edit)
        assert (result.exit_code, "there is no topic 99" in result.stderr) == (1, True)


def test_words_that_the_fit_dropped_are_not_reported(run, tmp_path):
    corpus = write_lines(tmp_path / "papers.jsonl", labelled())
    model, new = tmp_path / "m.plait", tmp_path / "new.plait"
    few = ["--topics", "3", "--sweeps", "5", "--max-words", "6"]
    assert run("fit", corpus, "-o", model, *few).exit_code == 0
    result = run("edit", model, corpus, "-o", new, "--merge", "0,1", "--sweeps", "3")
    assert "6 words" in result.stdout
    assert "nothing skipped\n" in result.stdout
