"""`plait prepare`, and commands that take the folder in place of files."""

from __future__ import annotations

import json

import pytest

from plait import load, read_corpus

QUICK = ["--topics", "2", "--sweeps", "3", "--samples", "1", "--seed", "0"]


@pytest.fixture
def papers(tmp_path):
    """Write documents with words, labels and splits."""
    path = tmp_path / "papers.jsonl"
    texts = ["the red fox and the river", "money in the bank and a loan", "a river bank with a red boat"]
    rows = [
        {"id": f"d{n}", "text": texts[n % 3], "label": "ab"[n % 2], "split": "train" if n % 4 else "test"}
        for n in range(20)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_model_of_the_folder_is_that_of_the_file(run, papers, tmp_path):
    result = run("prepare", papers, "-o", tmp_path / "papers.corpus", "--check")
    assert result.exit_code == 0, result.stderr
    assert "20 documents" in result.stdout
    assert "wrote" in result.stdout
    for name in ("papers.jsonl", "papers.corpus"):
        result = run("fit", tmp_path / name, "-o", tmp_path / f"{name}.plait", *QUICK)
        assert result.exit_code == 0, result.stderr
    first, second = (load(tmp_path / f"{name}.plait") for name in ("papers.jsonl", "papers.corpus"))
    assert first.topic_word_.tobytes() == second.topic_word_.tobytes()
    assert first.doc_topic_.tobytes() == second.doc_topic_.tobytes()


def test_the_folder_is_inspected(run, papers, tmp_path):
    run("prepare", papers, "-o", tmp_path / "papers.corpus")
    result = run("inspect", tmp_path / "papers.corpus")
    assert result.exit_code == 0, result.stderr
    assert "tokens per document" in result.stdout
    assert "memory for a fit" in result.stdout
    result = run("inspect", tmp_path / "papers.corpus", "--split", "train")
    assert "15" in result.stdout


def test_documents_are_appended(run, papers, tmp_path):
    run("prepare", papers, "-o", tmp_path / "papers.corpus")
    more = tmp_path / "more.jsonl"
    more.write_text(json.dumps({"id": "new", "text": "a quite different giraffe"}))
    result = run("prepare", more, "-o", tmp_path / "papers.corpus", "--append")
    assert result.exit_code == 0, result.stderr
    stored = read_corpus(tmp_path / "papers.corpus")
    assert len(stored) == 21
    assert stored.vocabulary.tolist()[-2:] == ["giraffe", "quite"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "is a prepared corpus already"),
        (["--append", "--stems"], "leave --normalize out"),
        (["--append"], "an earlier document has the id"),
    ],
)
def test_what_goes_wrong(options, message, run, papers, tmp_path):
    run("prepare", papers, "-o", tmp_path / "papers.corpus")
    result = run("prepare", papers, "-o", tmp_path / "papers.corpus", "--strict", *options)
    assert result.exit_code == 1
    assert message in result.stderr


def test_options_of_words_come_too_late(run, papers, tmp_path):
    run("prepare", papers, "-o", tmp_path / "papers.corpus")
    result = run("fit", tmp_path / "papers.corpus", "-o", tmp_path / "m.plait", *QUICK, "--min-df", "2")
    assert result.exit_code == 1
    assert "is a prepared corpus: its documents were read when it was prepared" in result.stderr
