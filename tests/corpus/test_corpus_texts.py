"""The texts of documents read again."""

from __future__ import annotations

import json

from plait.corpus import read_corpus
from plait.corpus.readers.texts import read_texts


def lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_ids_and_texts_as_read_corpus_would_have_them(tmp_path):
    rows = [{"id": "a", "text": "The red Fox", "title": "Fox"}, {"id": 2, "text": "a\nsea"}, {"id": "c", "text": ""}]
    path = lines(tmp_path / "x.jsonl", rows)
    assert list(read_texts(path)) == [("a", "The red Fox"), ("2", "a\nsea")]
    assert [name for name, _ in read_texts(path)] == read_corpus(path, on_error="skip", max_skipped=1.0).ids.tolist()
    assert next(read_texts(path, text=["title", "text"])) == ("a", "Fox\nThe red Fox")


def test_a_field_that_turns_up_late_is_used_for_all_documents(tmp_path):
    # "body" is a worse guess than "text", and the first rows have an id of another name.
    rows = [{"key": "x", "body": "one"}, {"key": "y", "body": "two", "text": "second"}]
    assert list(read_texts(lines(tmp_path / "x.jsonl", rows))) == [("y", "second")]


def test_lists_of_words_are_joined_and_counts_have_no_order(tmp_path):
    tokens = lines(tmp_path / "t.jsonl", [{"id": "a", "tokens": ["new", "york"]}])
    assert list(read_texts(tokens)) == [("a", "new york")]
    counts = [{"id": "a", "counts": {"new": 1}, "text": "new york"}]
    assert read_texts(lines(tmp_path / "c.jsonl", counts)) is None
    assert list(read_texts(tmp_path / "c.jsonl", text="text")) == [("a", "new york")]


def test_documents_without_an_id_are_left_out(tmp_path):
    rows = [{"id": "a", "text": "one"}, {"id": None, "text": "two"}, {"id": "c", "text": 3}]
    assert list(read_texts(lines(tmp_path / "x.jsonl", rows))) == [("a", "one")]


def test_a_folder_of_texts(tmp_path):
    (tmp_path / "water").mkdir()
    (tmp_path / "water" / "one.txt").write_text("river")
    assert list(read_texts(tmp_path)) == [("water/one", "river")]


def test_counts_that_turn_up_late_are_counts_all_the_same(tmp_path):
    rows = [{"id": "a", "text": "one"}, {"id": "b", "counts": {"two": 1}}]
    assert read_texts(lines(tmp_path / "x.jsonl", rows)) is None
