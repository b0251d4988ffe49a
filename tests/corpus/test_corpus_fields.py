"""Which field plays which role: guesses, given names, and words in several forms."""

from __future__ import annotations

import pytest

from plait.corpus import CorpusError, read_corpus


def test_names_are_guessed_whatever_their_case(write, as_dicts):
    path = write("x.csv", "Doc_ID,Abstract,Headline,Categories,Published,Fold\n7,red fox,Fox,a;b|c,1999,1\n")
    corpus = read_corpus(path)
    assert as_dicts(corpus) == {"7": {"red": 1, "fox": 1}}
    assert corpus.titles.tolist() == ["Fox"]
    assert corpus.labels == (("a", "b", "c"),)
    assert str(corpus.times[0])[:10] == "1999-01-01"
    assert corpus.splits.tolist() == ["1"]


def test_given_names_win(write_jsonl, as_dicts):
    path = write_jsonl({"id": "x", "key": "k", "text": "red", "other": "blue", "topic": "t", "label": "l"})
    corpus = read_corpus(path, id="key", text="other", label="topic")
    assert as_dicts(corpus) == {"k": {"blue": 1}}
    assert corpus.labels == (("t",),)


def test_several_text_fields_are_joined(write_jsonl, as_dicts):
    path = write_jsonl({"id": "x", "title": "red", "text": "fox"}, {"id": "y", "title": None, "text": "sea"})
    corpus = read_corpus(path, text=("title", "text"))
    assert as_dicts(corpus) == {"x": {"red": 1, "fox": 1}, "y": {"sea": 1}}


def test_counts_go_before_tokens_and_tokens_before_text(write_jsonl, as_dicts):
    both = {"id": "x", "text": "the text", "tokens": ["the", "token"], "counts": {"the": 3}}
    assert as_dicts(read_corpus(write_jsonl(both))) == {"x": {"the": 3}}
    assert as_dicts(read_corpus(write_jsonl(both | {"counts": None}))) == {"x": {"the": 1, "token": 1}}
    assert as_dicts(read_corpus(write_jsonl(both), text="text")) == {"x": {"text": 1}}
    assert as_dicts(read_corpus(write_jsonl(both), tokens="tokens")) == {"x": {"the": 1, "token": 1}}


def test_words_are_chosen_for_the_whole_corpus_even_when_they_turn_up_late(write_jsonl, as_dicts):
    path = write_jsonl(
        {"id": "x", "text": "red", "counts": {"early": 1}},
        {"id": "y", "text": "blue", "counts": {"late": 2}},
    )
    lines = path.read_text().splitlines()
    path.write_text(lines[0].replace('{"early": 1}', "null") + "\n" + lines[1] + "\n")
    with pytest.raises(CorpusError, match='line 1, field "counts": the document has no words'):
        read_corpus(path, on_error="raise")
    corpus = read_corpus(path, on_error="skip", max_skipped=1.0)
    assert as_dicts(corpus) == {"y": {"late": 2}}
    assert corpus.skipped["empty document"] == 1


def test_a_number_of_words_is_not_the_words(write_jsonl, as_dicts):
    path = write_jsonl({"id": "x", "text": "red", "words": 250})
    assert as_dicts(read_corpus(path)) == {"x": {"red": 1}}


def test_documents_are_numbered_when_nothing_looks_like_an_id(write):
    path = write("x.csv", "text\nred\n\nblue\n")
    assert read_corpus(path).ids.tolist() == ["1", "2"]
    broken = write("y.jsonl", '{"text": "red"}\n{oops\n{"text": "blue"}\n')
    assert read_corpus(broken, on_error="skip", max_skipped=1.0).ids.tolist() == ["1", "3"]


def test_an_id_is_missing_where_others_have_one(write_jsonl):
    for documents in (
        [{"text": "red"}, {"id": 1, "text": "blue"}],
        [{"id": 1, "text": "blue"}, {"text": "red"}],
    ):
        path = write_jsonl(*documents)
        line = 1 + documents.index({"text": "red"})
        with pytest.raises(CorpusError, match=f'documents.jsonl, line {line}, field "id": the document has no id'):
            read_corpus(path)
        corpus = read_corpus(path, on_error="skip", max_skipped=1.0)
        assert corpus.ids.tolist() == ["1"]
        assert corpus.skipped["missing id"] == 1


@pytest.mark.parametrize("role", ["text", "tokens", "counts", "id", "title", "label", "date", "split"])
@pytest.mark.parametrize("on_error", ["raise", "skip"])
def test_a_given_field_that_no_document_has_is_an_error_that_lists_the_fields(write_jsonl, role, on_error):
    path = write_jsonl({"id": 1, "text": "red", "colour": "x"})
    with pytest.raises(CorpusError, match=r"nosuch.*id, text, colour"):
        read_corpus(path, **{role: "nosuch"}, on_error=on_error)


@pytest.mark.parametrize("on_error", ["raise", "skip"])
def test_nothing_that_looks_like_words_lists_the_fields(write, on_error):
    with pytest.raises(
        CorpusError, match=r"no field has a known name for words \(the fields are a, b\); name one with text="
    ):
        read_corpus(write("x.csv", "a,b\n1,2\n"), on_error=on_error)


def test_words_can_be_given_in_one_way_only(write_jsonl):
    path = write_jsonl({"text": "red"})
    with pytest.raises(CorpusError, match="text and counts are both given"):
        read_corpus(path, text="text", counts="counts")
    with pytest.raises(CorpusError, match="names no field"):
        read_corpus(path, text=())


def test_fields_that_are_always_empty_are_none(write_jsonl):
    path = write_jsonl({"id": 1, "text": "red", "title": None, "label": None, "labels": [], "date": "", "split": ""})
    corpus = read_corpus(path)
    assert corpus.titles is None
    assert corpus.labels is None
    assert corpus.times is None
    assert corpus.splits is None
    assert corpus.links is None


@pytest.mark.parametrize(
    ("value", "labels"),
    [
        ("a", ("a",)),
        (["b", "a", "b"], ("b", "a")),
        (3, ("3",)),
        (2.0, ("2",)),
        ([], ()),
        ("", ()),
        (["", None], ()),
    ],
)
def test_labels_of_all_kinds(write_jsonl, value, labels):
    path = write_jsonl({"id": 1, "text": "red", "label": value}, {"id": 2, "text": "red", "label": "z"})
    assert read_corpus(path).labels == (labels, ("z",))


def test_a_single_label_cell_is_not_cut(write):
    assert read_corpus(write("x.csv", "id,text,label\n1,red,a;b\n")).labels == (("a;b",),)


def test_words_in_table_cells(write, as_dicts):
    assert as_dicts(read_corpus(write("x.csv", "id,tokens\n1,red fox red\n"))) == {"1": {"red": 2, "fox": 1}}
    assert as_dicts(read_corpus(write("x.csv", "id,counts\n1,red:2 a:b:1\n"))) == {"1": {"red": 2, "a:b": 1}}
    cell = '"{""red"": 2}"'
    assert as_dicts(read_corpus(write("x.csv", f"id,counts\n1,{cell}\n"))) == {"1": {"red": 2}}


@pytest.mark.parametrize(
    ("value", "time"),
    [
        ("1987-02-26", "1987-02-26T00:00:00"),
        ("1987-02-26T15:01:01.250", "1987-02-26T15:01:01"),
        ("1987-02-26 15:01", "1987-02-26T15:01:00"),
        ("1987-02-26T15:01:01+02:00", "1987-02-26T13:01:01"),
        ("1987-02-26T15:01:01Z", "1987-02-26T15:01:01"),
        ("1987-02", "1987-02-01T00:00:00"),
        ("1790", "1790-01-01T00:00:00"),
        (1790, "1790-01-01T00:00:00"),
        (1790.0, "1790-01-01T00:00:00"),
    ],
)
def test_dates_of_all_kinds(write_jsonl, value, time):
    assert str(read_corpus(write_jsonl({"id": 1, "text": "red", "date": value})).times[0]) == time
