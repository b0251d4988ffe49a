from __future__ import annotations

import csv
import io
import json
from types import SimpleNamespace

import pytest

from plait.cli.show.topics import typical_documents
from plait.store import load
from tests.cli.small import QUICK, THEMES, documents, write_lines


def test_a_table_for_people(run, model_file):
    result = run("topics", model_file, "--top", "3")
    assert result.exit_code == 0
    rows = [line.split() for line in result.stdout.splitlines()]
    assert rows[0] == ["topic", "share", "words"]
    expected = load(model_file).topics(top=3)
    assert [row[2:] for row in rows[1:]] == [topic.words for topic in expected]


def test_words_are_never_cut_in_a_pipe(run, model_file):
    lines = run("topics", model_file, "--top", "16", "--documents", "3").stdout.splitlines()
    expected = load(model_file).topics(top=8)  # the others have no tokens in a topic
    assert len(lines) == 3
    assert all(" ".join(topic.words) in line for topic, line in zip(expected, lines[1:], strict=True))
    assert max(map(len, lines)) > 80


def test_csv_and_json_hold_the_same(run, model_file):
    rows = list(csv.DictReader(io.StringIO(run("topics", model_file, "--format", "csv").stdout)))
    topics = json.loads(run("topics", model_file, "--format", "json").stdout)
    flat = [
        (topic["topic"], topic["share"], rank, word["word"], word["weight"])
        for topic in topics
        for rank, word in enumerate(topic["words"], start=1)
    ]
    assert len(flat) == 20
    assert flat == [
        (int(row["topic"]), float(row["share"]), int(row["rank"]), row["word"], float(row["weight"])) for row in rows
    ]


def test_relevance_ranks_as_the_library_does(run, model_file):
    found = json.loads(run("topics", model_file, "--by", "relevance", "--format", "json").stdout)
    expected = load(model_file).topics(by="relevance")
    assert [[word["word"] for word in topic["words"]] for topic in found] == [topic.words for topic in expected]


@pytest.mark.parametrize(("name", "first"), [("t.csv", "topic,share,rank"), ("t.json", "["), ("t.txt", "topic  share")])
def test_a_file_is_written_in_the_format_of_its_name(run, model_file, tmp_path, name, first):
    result = run("topics", model_file, "-o", tmp_path / name)
    assert (result.exit_code, result.stdout) == (0, "")
    assert (tmp_path / name).read_text(encoding="utf-8").startswith(first)
    again = run("topics", model_file, "-o", tmp_path / name)
    assert again.exit_code == 1
    assert "--force" in again.stderr


def test_a_format_given_wins_over_the_name(run, model_file, tmp_path):
    run("topics", model_file, "-o", tmp_path / "t.txt", "--format", "json")
    assert len(json.loads((tmp_path / "t.txt").read_text(encoding="utf-8"))) == 2


def test_the_label_that_a_topic_speaks_for(run, label_model, two_label_model):
    theme_of = {word: theme for theme, words in THEMES.items() for word in words}
    lines = run("topics", label_model, "--top", "1").stdout.splitlines()
    assert lines[0].split() == ["topic", "share", "label", "words"]
    assert {line.split()[2] for line in lines[1:]} == set(THEMES)
    assert all(theme_of[line.split()[3]] == line.split()[2] for line in lines[1:])
    topics = json.loads(run("topics", two_label_model, "--format", "json").stdout)
    assert {topic["speaks_for"] for topic in topics} == {"money", "water"}
    for label in ("money", "water"):  # the third topic has the words that are left
        largest = max((topic for topic in topics if topic["speaks_for"] == label), key=lambda topic: topic["share"])
        assert theme_of[largest["words"][0]["word"]] == label
    rows = list(csv.DictReader(io.StringIO(run("topics", two_label_model, "--format", "csv").stdout)))
    assert [row["speaks_for"] for row in rows if row["rank"] == "1"] == [topic["speaks_for"] for topic in topics]


def test_the_number_that_a_topic_stands_for(run, stars_model):
    lines = run("topics", stars_model, "--top", "1").stdout.splitlines()
    assert lines[0].split() == ["topic", "share", "number", "words"]
    stars = {line.split()[3]: float(line.split()[2]) for line in lines[1:]}
    order = sorted(stars, key=stars.__getitem__)
    assert [word in theme for word, theme in zip(order, THEMES.values(), strict=True)] == [True] * 3


def test_what_is_not_a_model(run, tmp_path, corpus_file):
    for path in (tmp_path / "none.plait", corpus_file, tmp_path):
        result = run("topics", path)
        assert result.exit_code == 1
        assert path.name in result.stderr
        assert result.stderr.count("\n") == 1


def test_typical_documents_have_different_titles():
    names = ["Re: IDE", "IDE", "RE: Re: ide", "Mouse", "Re: Mouse"]
    documents = [SimpleNamespace(name=name) for name in names]
    model = SimpleNamespace(documents_=SimpleNamespace(titles=names), typical_documents=lambda top: [documents[:top]])
    assert [one.name for one in typical_documents(model, None)[0]] == ["Re: IDE", "Mouse"]
    assert [one.name for one in typical_documents(model, 3)[0]] == ["Re: IDE", "Mouse", "IDE"]
    assert typical_documents(model, 0) == []


def test_words_without_tokens_in_a_topic_are_not_listed(run, tmp_path, recwarn):
    corpus = write_lines(tmp_path / "few.jsonl", documents())
    result = run("fit", corpus, "-o", tmp_path / "many.plait", *QUICK[2:], "--topics", "40", "--seed", "0")
    assert "40 topics are more than the 16 words of the vocabulary" in result.stderr
    model = load(tmp_path / "many.plait")
    unused = [topic.index for topic in model.topics() if topic.share == 0]
    shown = result.stdout.splitlines()
    rows = {int(line.split()[0]): line.split()[2:] for line in shown if line.strip()[:1].isdigit()}
    tokens = sum(sample.word_topic for sample in model._chain_samples[0]).toarray()
    for topic, words in rows.items():
        assert set(words) <= {word for word, n in zip(model.vocabulary_, tokens[:, topic], strict=True) if n}
    assert any(len(words) < 10 for words in rows.values())
    assert all(rows[topic] == [] for topic in unused)
