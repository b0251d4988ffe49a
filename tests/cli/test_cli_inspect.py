from __future__ import annotations

import re

import pytest

from tests.cli.small import documents, write_lines


def test_says_what_a_corpus_holds(run, corpus_file):
    result = run("inspect", corpus_file)
    assert result.exit_code == 0
    rows = dict(line.split(None, 1) for line in result.stdout.splitlines())
    assert rows["documents"] == "60"
    assert rows["words"] == "16"
    assert rows["splits"] == "test 12, train 48"
    assert rows["skipped"] == "nothing"


def test_memory_grows_with_the_number_of_topics(run, corpus_file):
    def memory(topics: int) -> int:
        line = run("inspect", corpus_file, "--topics", topics).stdout.splitlines()[-1]
        found = re.fullmatch(rf"memory for a fit with {topics} topics: about (\d+) MB", line)
        assert found, line
        return int(found[1])

    assert memory(20_000) > memory(20)


@pytest.fixture
def bad_file(tmp_path):
    path = write_lines(tmp_path / "bad.jsonl", [{**row, "date": "1990-01-01"} for row in documents(4)])
    path.write_text(
        path.read_text() + '{"id": "x", "text": "river boat", "date": "n.d."}\nnot json\n', encoding="utf-8"
    )
    return path


def test_bad_things_are_counted_with_their_places(run, bad_file):
    result = run("inspect", bad_file, "--allow-skips")
    assert result.exit_code == 0
    assert "1 × bad date (bad.jsonl, line 5)" in result.stdout
    assert "1 × broken JSON (bad.jsonl, line 6)" in result.stdout


def test_strict_makes_the_first_of_them_an_error(run, bad_file):
    result = run("inspect", bad_file, "--strict")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.startswith('error: bad.jsonl, line 5, field "date"')
    assert result.stderr.endswith("(leave out --strict)\n")


def test_fields_can_be_named(run, tmp_path):
    path = tmp_path / "papers.csv"
    path.write_text("nr,head,main,kind\n1,river,boat lake,x\n2,loan,bank,y\n", encoding="utf-8")
    fields = ("--id-field", "nr", "--text-field", "head", "--text-field", "main", "--label-field", "kind")
    result = run("inspect", path, *fields)
    assert result.exit_code == 0
    rows = dict(line.split(None, 1) for line in result.stdout.splitlines())
    assert rows["words"] == "5"
    assert rows["labels"] == "2: x 1, y 1"
    wrong = run("inspect", path, "--text-field", "nothing")
    assert wrong.exit_code == 1
    assert "nr, head, main, kind" in wrong.stderr


def test_links_are_read_from_a_file_given(run, corpus_file, tmp_path):
    links = tmp_path / "links.csv"
    links.write_text("source,target\nd0,d1\nd1,d2\nd0,nobody\n", encoding="utf-8")
    result = run("inspect", corpus_file, "--links", links)
    assert re.search(r"^links +2 ", result.stdout, re.MULTILINE)
    assert "1 × link to an unknown document" in result.stdout


def test_words_are_kept_by_how_many_documents_have_them(run, tmp_path):
    path = write_lines(
        tmp_path / "d.jsonl",
        [
            {"id": "a", "text": "red green", "split": "train"},
            {"id": "b", "text": "red blue", "split": "train"},
            {"id": "c", "text": "blue green the", "split": "test"},
        ],
    )

    def words(*options: str) -> str:
        return next(
            line.split()[1] for line in run("inspect", path, *options).stdout.splitlines() if line.startswith("words")
        )

    assert words() == "3"
    assert words("--stop-words", "none") == "4"
    assert words("--max-words", "1") == "1"
    assert words("--min-df", "0.6", "--stop-words", "none") == "3"
    # In the training documents alone, only "red" is in two: the test document has no say.
    assert words("--split", "train", "--min-df", "2") == "1"


def test_a_path_that_does_not_exist(run, tmp_path):
    result = run("inspect", tmp_path / "nowhere")
    assert result.exit_code == 1
    assert "nowhere does not exist" in result.stderr
    assert result.stderr.count("\n") == 1


def test_an_unknown_split_lists_those_there_are(run, corpus_file):
    result = run("inspect", corpus_file, "--split", "dev")
    assert result.exit_code == 1
    assert '"dev"' in result.stderr
    assert '"test", "train"' in result.stderr


def test_links_need_memory_of_their_own(run, linked_folder):
    last = run("inspect", linked_folder).stdout.splitlines()[-1]
    assert re.fullmatch(r"memory for a fit with 20 topics: about \d+ MB; \d+ MB with --model linked", last)
