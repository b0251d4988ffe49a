"""Models that were put together in Python, on the command line: each command answers about what they explain."""

from __future__ import annotations

import json

import polars
import pytest

import plait
from plait import Corpus, LabelResponse, LinkResponse, TopicModel, ValueResponse
from tests.cli.small import labelled, write_lines

DOCUMENTS = labelled(60)
LINKS = [(f"d{row}", f"d{(row + 3) % 60}") for row in range(60)]
LABELLED = [row.get("label") for row in DOCUMENTS]
STARS = [row.get("stars") for row in DOCUMENTS]
SETTINGS = {"n_topics": 3, "n_chains": 1, "n_sweeps": 20, "random_state": 0, "verbose": False}


@pytest.fixture
def corpus_path(tmp_path):
    return write_lines(tmp_path / "new.jsonl", DOCUMENTS)


@pytest.fixture
def saved(tmp_path):
    """Save a model of responses, and return its path."""

    def save(*responses, **given):
        texts = [row["text"] for row in DOCUMENTS]
        corpus = Corpus.from_texts(texts, ids=[row["id"] for row in DOCUMENTS], labels=LABELLED, links=LINKS)
        model = TopicModel(responses=list(responses), **SETTINGS).fit(corpus, **given)
        return plait.save(model, tmp_path / "model.plait")

    return save


def test_labels_and_links_of_one_model(run, saved, corpus_path, tmp_path):
    path = saved(LinkResponse(), LabelResponse())
    result = run("predict", path, corpus_path, "-o", tmp_path / "labels.csv")
    assert result.exit_code == 0, result.output
    found = polars.read_csv(tmp_path / "labels.csv")["label"].to_list()
    assert sum(one == other for one, other in zip(found, LABELLED, strict=True)) > 50
    result = run("links", path, corpus_path, "-o", tmp_path / "links.csv", "--top", 2)
    assert result.exit_code == 0, result.output
    assert polars.read_csv(tmp_path / "links.csv").height == 120
    result = run("topics", path)
    assert result.exit_code == 0, result.output
    assert "label" in result.stdout.splitlines()[0].split()
    result = run("evaluate", path, corpus_path, "--format", "json")
    assert result.exit_code == 0, result.output
    assert "links are not evaluated: the corpus has no links; give some (option --links)" in result.stderr
    assert json.loads(result.stdout)["labels"]["accuracy"] > 0.8


def test_numbers_and_links_of_one_model(run, saved, corpus_path, tmp_path):
    path = saved(LinkResponse(), ValueResponse(), values=STARS)
    result = run("predict", path, corpus_path, "-o", tmp_path / "stars.csv")
    assert result.exit_code == 0, result.output
    found = polars.read_csv(tmp_path / "stars.csv")["value"]
    assert all(abs(value - stars) < 1 for value, stars in zip(found, STARS, strict=True) if stars is not None)
    assert "number" in run("topics", path).stdout


def test_what_a_model_does_not_explain_is_said(run, saved, corpus_path, tmp_path):
    path = saved(LabelResponse())
    result = run("links", path, corpus_path)
    assert result.exit_code == 1
    assert "holds a TopicModel, which has not learned from links" in " ".join(result.stderr.split())
    path = saved()
    result = run("predict", path, corpus_path, "-o", tmp_path / "labels.csv")
    assert result.exit_code == 1
    assert "holds a TopicModel, a model of words alone" in " ".join(result.stderr.split())
