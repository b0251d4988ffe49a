"""Every kind of bad input: an error with file, line and field, or a count of what was skipped."""

from __future__ import annotations

import json

import pytest

from plait.corpus import CorpusError, read_corpus

GOOD = '{"id": "good", "text": "red fox"}\n'


def line(**values: object) -> str:
    return json.dumps({"id": "x", "text": "red"} | values)


# The bad line, the kind, and what the message must say about it.
BAD_LINES = [
    ('{"id": "x", "text"', "broken JSON", "line 2: .* is not valid JSON"),
    ("[1, 2]", "broken JSON", "line 2: .*not an object"),
    (line(id=None), "missing id", 'line 2, field "id"'),
    (line(id=" "), "missing id", 'line 2, field "id"'),
    (line(id=True), "bad id", 'line 2, field "id": True'),
    (line(id=["x"]), "bad id", 'line 2, field "id"'),
    (line(id="good"), "duplicate id", 'line 2, field "id": .*"good"'),
    (line(text=""), "empty document", 'line 2, field "text": the document has no words'),
    (line(text=None), "empty document", 'line 2, field "text": the document has no words'),
    (line(text="the of"), "empty document", 'line 2, field "text": all words of the document were removed'),
    (line(text=["red"]), "bad text", 'line 2, field "text": .* is not text'),
    ('{"id": "x", "text": "half \\ud800"}', "invalid character", 'line 2, field "text": .*half of a surrogate pair'),
    (b'{"id": "x", "text": "gr\xfcn"}', "wrong encoding", "line 2: byte 0xfc is not utf-8.*encoding="),
]


@pytest.mark.parametrize(("bad", "kind", "message"), BAD_LINES)
def test_documents_that_cannot_be_used(write, bad, kind, message):
    bad = bad if isinstance(bad, bytes) else bad.encode()
    path = write("documents.jsonl.gz", GOOD.encode() + bad + b"\n")
    with pytest.raises(
        CorpusError, match=rf"^documents\.jsonl\.gz, {message}.*on_error=\"skip\"(; the text seems to be .*)?$"
    ) as caught:
        read_corpus(path, on_error="raise")
    assert caught.value.kind == kind
    assert caught.value.place == "documents.jsonl.gz, line 2"
    corpus = read_corpus(path, on_error="skip", max_skipped=1.0)
    assert corpus.ids.tolist() == ["good"]
    assert [(skipped.name, skipped.count, skipped.examples) for skipped in corpus.skipped] == [
        (kind, 1, ("documents.jsonl.gz, line 2",))
    ]


@pytest.mark.parametrize(
    ("field", "value", "kind"),
    [
        ("date", "n.d.", "bad date"),
        ("date", 1577836800, "bad date"),
        ("date", "1987-02-30", "bad date"),
        ("date", True, "bad date"),
        ("date", ["1987"], "bad date"),
        ("title", ["x"], "bad title"),
        ("label", {"x": 1}, "bad label"),
        ("label", [["x"]], "bad label"),
        ("split", {"x": 1}, "bad split"),
    ],
)
def test_fields_that_cannot_be_used_leave_the_document(write, field, value, kind):
    path = write("documents.jsonl", GOOD + line(**{field: value}) + "\n")
    with pytest.raises(CorpusError, match=f'documents.jsonl, line 2, field "{field}": ') as caught:
        read_corpus(path)
    assert (caught.value.kind, caught.value.field) == (kind, field)
    corpus = read_corpus(path, on_error="skip", max_skipped=1.0)
    assert corpus.ids.tolist() == ["good", "x"]
    assert corpus.skipped[kind] == corpus.skipped.total == 1


def test_the_message_reads_as_promised(write):
    path = write("documents.jsonl.gz", GOOD + line(date="n.d."))
    with pytest.raises(CorpusError) as caught:
        read_corpus(path)
    assert str(caught.value) == (
        'documents.jsonl.gz, line 2, field "date": "n.d." is not an ISO date or a year; '
        'correct it or pass on_error="skip"'
    )


@pytest.mark.parametrize(
    ("count", "kind"),
    [
        ("-1", "negative count"),
        ("-0.5", "negative count"),
        ("0.5", "fractional count"),
        ("NaN", "not a number"),
        ("Infinity", "not a number"),
        ("true", "not a number"),
        ("null", "not a number"),
        ('"3"', "not a number"),
        ("[1]", "not a number"),
        ("2147483648", "count too large"),
        ("1e400", "not a number"),
    ],
)
def test_counts_that_cannot_be_used(write, count, kind):
    good = '{"id": "good", "counts": {"red": 2, "fox": 1.0, "none": 0}}\n'
    path = write("documents.jsonl", good + f'{{"id": "x", "counts": {{"red": 1, "fox": {count}}}}}\n')
    with pytest.raises(CorpusError, match=r'documents.jsonl, line 2, field "counts": the count of "fox" is') as caught:
        read_corpus(path)
    assert caught.value.kind == kind
    corpus = read_corpus(path, on_error="skip", max_skipped=1.0)
    assert corpus.ids.tolist() == ["good"]
    assert corpus.counts.toarray().tolist() == [[1, 2]]
    assert corpus.skipped[kind] == 1


def test_fractions_can_be_asked_for(write):
    path = write("documents.jsonl", '{"id": "x", "counts": {"red": 0.5, "fox": 2}}\n')
    corpus = read_corpus(path, fractional=True)
    assert corpus.counts.dtype.kind == "f"
    assert corpus.n_tokens == 2.5


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ('"tokens": [3]', "bad token"),
        ('"tokens": {"a": 1}', "bad token"),
        ('"counts": [1]', "not a number"),
        ('"counts": "a b"', "not a number"),
        ('"counts": "5"', "not a number"),
    ],
)
def test_words_that_cannot_be_used(write, words, kind):
    path = write("documents.jsonl", f'{{"id": "x", {words}}}\n')
    with pytest.raises(CorpusError, match=r'line 1, field "(tokens|counts)"') as caught:
        read_corpus(path)
    assert caught.value.kind == kind


def test_blank_tokens_are_counted_not_kept(write_jsonl):
    corpus = read_corpus(write_jsonl({"id": 1, "tokens": ["", "red", ""]}))
    assert corpus.vocabulary.tolist() == ["red"]
    assert corpus.skipped["blank word"] == 2


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.jsonl", ""),
        ("x.jsonl.gz", ""),
        ("x.csv", ""),
        ("x.csv", "\n\n"),
        ("x.content", ""),
        ("x.svm", ""),
    ],
)
@pytest.mark.parametrize("on_error", ["raise", "skip"])
def test_an_empty_file_is_always_an_error(write, name, content, on_error):
    with pytest.raises(CorpusError, match=f"{name} is empty"):
        read_corpus(write(name, content), on_error=on_error)


@pytest.mark.parametrize(
    ("name", "content"), [("x.jsonl", "\n\n"), ("x.csv", "id,text\n"), ("x.svm", "# only a comment\n")]
)
@pytest.mark.parametrize("on_error", ["raise", "skip"])
def test_no_documents_are_always_an_error(write, name, content, on_error):
    with pytest.raises(CorpusError, match=f"{name} has no usable documents"):
        read_corpus(write(name, content), on_error=on_error)


def test_nothing_left_says_why(write):
    with pytest.raises(CorpusError, match=r"no usable documents: 2 × empty document \(x\.jsonl, line 1"):
        read_corpus(
            write("x.jsonl", line(text="the") + "\n" + line(id="y", text="of") + "\n"), on_error="skip", max_skipped=1.0
        )


@pytest.mark.parametrize("on_error", ["raise", "skip"])
def test_an_empty_vocabulary_says_which_limit_did_it(write, on_error):
    path = write("x.jsonl", line(text="red fox") + "\n" + line(id="y", text="blue sea") + "\n")
    with pytest.raises(CorpusError, match="all 4 words were removed by min_df=2") as caught:
        read_corpus(path, min_df=2, on_error=on_error)
    assert caught.value.kind == "empty vocabulary"


def test_other_values_of_on_error_are_refused(write):
    with pytest.raises(CorpusError, match="on_error is 'ignore'"):
        read_corpus(write("x.jsonl", GOOD), on_error="ignore")


@pytest.mark.parametrize("on_error", ["raise", "skip"])
def test_a_damaged_archive_is_always_an_error(write, tmp_path, on_error):
    whole = write("whole.jsonl.gz", "".join(line(id=n, text=f"word{n}") + "\n" for n in range(2000))).read_bytes()
    (tmp_path / "cut.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(CorpusError, match=r"cut\.jsonl\.gz is damaged after line \d"):
        read_corpus(tmp_path / "cut.jsonl.gz", on_error=on_error)
    (tmp_path / "not.jsonl.gz").write_bytes(b"this is no gzip")
    with pytest.raises(CorpusError, match=r"not\.jsonl\.gz is damaged"):
        read_corpus(tmp_path / "not.jsonl.gz", on_error=on_error)
    (tmp_path / "x.parquet").write_bytes(b"this is no parquet")
    with pytest.raises(CorpusError, match=r"x\.parquet is not a readable Parquet file"):
        read_corpus(tmp_path / "x.parquet", on_error=on_error)


@pytest.mark.parametrize(
    ("row", "kind", "message"),
    [
        ("x,red,extra", "broken row", "line 4: the row has 3 cells where the header has 2"),
        ("x", "broken row", "line 4: the row has 1 cells"),
        ('x,"red"fox', "broken row", "line 4: the row cannot be read"),
        (",red", "missing id", 'line 4, field "id"'),
        (b"x,gr\xfcn", "wrong encoding", "line 4: byte 0xfc"),
        ("good,red", "duplicate id", 'line 4, field "id"'),
        ("x,", "empty document", 'line 4, field "text"'),
    ],
)
def test_bad_rows_of_a_table(write, row, kind, message):
    row = row if isinstance(row, bytes) else row.encode()
    path = write("x.csv", b'id,text\ngood,"red\nfox"\n' + row + b"\nlast,blue\n")
    with pytest.raises(CorpusError, match=rf"^x\.csv, {message}") as caught:
        read_corpus(path, on_error="raise")
    assert caught.value.kind == kind
    corpus = read_corpus(path, on_error="skip", max_skipped=1.0)
    assert corpus.ids.tolist() == ["good", "last"]
    assert corpus.skipped[kind] == corpus.skipped.total == 1


def test_a_bad_header_is_an_error(write):
    with pytest.raises(CorpusError, match='line 1: two columns have the name "text"'):
        read_corpus(write("x.csv", "id,text,text\n1,a,b\n"))
    with pytest.raises(CorpusError, match="line 1: byte 0xfc"):
        read_corpus(write("x.csv", b"id,gr\xfcn\n1,a\n"))


def test_long_cells_are_read_and_the_csv_module_is_left_as_it_was(write):
    import csv

    before = csv.field_size_limit()
    corpus = read_corpus(write("x.csv", "id,text\n1," + "red " * 100_000 + "\n"))
    assert corpus.n_tokens == 100_000
    assert csv.field_size_limit() == before
