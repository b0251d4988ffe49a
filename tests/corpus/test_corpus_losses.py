"""Input that would be lost silently is counted and said, or an error; on_error="raise" makes each an error."""

from __future__ import annotations

import gzip
import json
import os
import time
from pathlib import Path

import numpy as np
import polars
import pytest
from scipy.sparse import coo_array, csr_array, dok_array

from plait.corpus import Corpus, CorpusError, read_corpus
from plait.corpus.container.summary import summarise

# Folders.


@pytest.fixture
def mail(tmp_path) -> Path:
    for name in ("a/x.txt", "b/y.txt", "z.txt"):
        path = tmp_path / "mail" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("red fox")
    return tmp_path / "mail"


def test_an_unreadable_subfolder_is_counted(mail, monkeypatch):
    scandir = os.scandir

    def refuse(path="."):
        if Path(path).name == "b":
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(CorpusError, match=r"^b: the folder cannot be read \(Permission denied\)") as caught:
        read_corpus(mail)
    assert caught.value.kind == "unreadable folder"
    corpus = read_corpus(mail, on_error="skip", max_skipped=1.0)
    assert corpus.ids.tolist() == ["a/x", "z"]
    assert corpus.skipped["unreadable folder"] == corpus.skipped.total == 1


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads every folder")
def test_a_subfolder_without_permission_is_counted(mail):
    (mail / "b").chmod(0)
    try:
        assert read_corpus(mail, on_error="skip", max_skipped=1.0).skipped["unreadable folder"] == 1
    finally:
        (mail / "b").chmod(0o755)


def test_linked_folders_are_not_followed_but_counted(mail, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "w.txt").write_text("blue sea")
    (mail / "link").symlink_to(other, target_is_directory=True)
    (mail / "a" / "loop").symlink_to(mail, target_is_directory=True)
    (mail / "linked.txt").symlink_to(other / "w.txt")
    with pytest.raises(CorpusError, match=r"^(a/loop|link): the folder is a link, which is not followed"):
        read_corpus(mail)
    corpus = read_corpus(mail, on_error="skip", max_skipped=1.0)
    assert corpus.ids.tolist() == ["a/x", "b/y", "linked", "z"]
    assert corpus.skipped["linked folder"] == corpus.skipped.total == 2
    assert read_corpus(mail / "link").ids.tolist() == ["w"]  # a link that was named is followed


def test_text_files_that_are_not_files(mail):
    (mail / "lost.txt").symlink_to(mail / "nowhere.txt")
    with pytest.raises(CorpusError, match=r"^lost\.txt: .*is not a file") as caught:
        read_corpus(mail)
    assert caught.value.kind == "unreadable file"
    assert read_corpus(mail, on_error="skip", max_skipped=1.0).skipped["unreadable file"] == 1


# Tables.


def test_a_quote_that_is_never_closed_is_an_error(tmp_path):
    rows = [f"{n},red fox number{n}" for n in range(1000)]
    rows[4] = '4,"red fox'
    path = tmp_path / "x.csv"
    path.write_text("\n".join(["id,text", *rows]) + "\n")
    for on_error in ("raise", "skip"):
        with pytest.raises(CorpusError, match=r"x\.csv, line 6: a quote is opened.*not closed.*1,001.*close it"):
            read_corpus(path, on_error=on_error)
    rows[4] = "4,red fox"
    rows[-1] = '999,"red fox'
    path.write_text("\n".join(["id,text", *rows]))
    corpus = read_corpus(path, on_error="skip", max_skipped=1.0)
    assert (len(corpus), corpus.skipped["broken row"]) == (999, 1)


def test_rows_inside_a_broken_quote_are_counted(tmp_path):
    rows = [f"{n},red fox number{n}" for n in range(100)]
    rows[4], rows[40] = '4,"red fox', '40,"red fox"'
    path = tmp_path / "x.csv"
    path.write_text("\n".join(["id,text", *rows]))
    with pytest.raises(CorpusError, match=r"x\.csv, line 6: the row cannot be read.* it ends in line 42"):
        read_corpus(path)
    corpus = read_corpus(path, on_error="skip", max_skipped=1.0)
    assert len(corpus) + corpus.skipped["broken row"] == 100
    assert len(corpus) == 63


def test_cells_of_several_lines_are_kept(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text('id,text\na,"red\n\nfox, ""blue"""\nb,sea\n')
    assert read_corpus(path).ids.tolist() == ["a", "b"]


def test_many_columns_are_checked_quickly(tmp_path):
    names = ["id", "text", *(f"c{n}" for n in range(50_000))]
    path = tmp_path / "x.csv"
    path.write_text(",".join(names) + "\n" + "a,red fox" + "," * 50_000 + "\n")
    start = time.perf_counter()
    assert read_corpus(path).ids.tolist() == ["a"]
    assert time.perf_counter() - start < 60  # quadratic work would take minutes
    path.write_text(",".join(f"c{n}" for n in range(50_000)) + "\n" + "," * 49_999 + "\n")
    with pytest.raises(CorpusError, match="no field has a known name for words") as caught:
        read_corpus(path)
    assert len(str(caught.value)) < 1000
    path.write_text(",".join([*names, "c7"]) + "\n")
    with pytest.raises(CorpusError, match='two columns have the name "c7"'):
        read_corpus(path)


# Labels and counts.


def test_labels_in_another_encoding_do_not_become_one(tmp_path):
    path = tmp_path / "x.svm"
    path.write_bytes(b"caf\xe9 1:1\ncaf\xe8 2:1\nred 1:2 # caf\xe9\n")
    with pytest.raises(CorpusError, match=r"x\.svm, line 1: byte 0xe9 is not utf-8") as caught:
        read_corpus(path)
    assert caught.value.kind == "wrong encoding"
    corpus = read_corpus(path, on_error="skip", max_skipped=1.0)
    assert (corpus.ids.tolist(), corpus.label_names, corpus.skipped["wrong encoding"]) == (["3"], ("red",), 2)
    assert read_corpus(path, encoding="latin-1").label_names == ("cafè", "café", "red")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.svm", "1 1:1\n1 3:-2 3:5 4:1\n"),
        ("x.svm", "1 1:1\n1 3:5 3:-2 4:1\n"),
        ("x.csv", "id,counts\na,red:1\nb,red:5 red:-2 fox:1\n"),
        ("docword.x.txt", "2\n4\n4\n1 1 1\n2 3 5\n2 3 -2\n2 4 1\n"),
    ],
)
def test_negative_counts_are_not_absorbed(tmp_path, name, content):
    path = tmp_path / name
    path.write_text(content)
    (tmp_path / "vocab.x.txt").write_text("a\nb\nc\nd\n")
    with pytest.raises(CorpusError, match="-2, which is negative") as caught:
        read_corpus(path)
    assert caught.value.kind == "negative count"
    corpus = read_corpus(path, on_error="skip", max_skipped=1.0)
    assert (len(corpus), corpus.skipped["negative count"]) == (1, 1)


def test_negative_entries_of_a_matrix_are_not_absorbed():
    entries = coo_array(([5, -2, 1], ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    rows = csr_array(([5.0, -2.0, 1.0], [1, 1, 0], [0, 2, 3]), shape=(2, 2))
    for matrix in (entries, rows):
        with pytest.raises(CorpusError, match=r"counts\[0, 1\] is -2.*negative"):
            Corpus.from_matrix(matrix)
    assert Corpus.from_matrix(dok_array(np.eye(2))).n_tokens == 2
    with pytest.raises(CorpusError, match=r"links\[0, 1\].*-2.*a weight must be"):
        Corpus(counts=np.eye(2), vocabulary=["a", "b"], ids=["1", "2"], links=entries)


REPEATED = '{"id": "x", "counts": {"red": 1, "fox": 2, "red": 3}}\n'


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.jsonl", '{"id": "a", "counts": {"red": 1}}\n' + REPEATED),
        ("x.jsonl", '{"id": "a", "text": "red"}\n{"id": "x", "text": "fox", "text": "sea"}\n'),
        ("x.csv", 'id,counts\na,"{""red"": 1}"\nx,"{""red"": 1, ""red"": 2}"\n'),
    ],
)
def test_repeated_keys_of_json_objects_are_counted(tmp_path, name, content):
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(CorpusError, match=r'the key "(red|text)" is repeated') as caught:
        read_corpus(path)
    assert caught.value.kind == "repeated key"
    corpus = read_corpus(path, on_error="skip", max_skipped=1.0)
    assert (corpus.ids.tolist(), corpus.skipped["repeated key"]) == (["a"], 1)


PAIRS = polars.List(polars.Struct({"key": polars.String, "value": polars.Int64}))


@pytest.mark.parametrize(
    ("pairs", "kind"),
    [
        ([{"key": "red", "value": 1}, {"key": "red", "value": 2}], "repeated key"),
        ([{"key": None, "value": 1}], "bad token"),
        ([None], "bad token"),
        ([{"key": "red", "value": None}], "not a number"),
    ],
)
def test_pairs_of_parquet_maps(tmp_path, pairs, kind):
    path = tmp_path / "x.parquet"
    good = [{"key": "red", "value": 1}]
    polars.DataFrame({"id": ["a", "b"], "counts": [good, pairs]}, schema_overrides={"counts": PAIRS}).write_parquet(
        path
    )
    with pytest.raises(CorpusError, match=r"x\.parquet, row 2") as caught:
        read_corpus(path)
    assert caught.value.kind == kind
    corpus = read_corpus(path, on_error="skip", max_skipped=1.0)
    assert (corpus.ids.tolist(), corpus.skipped[kind]) == (["a"], 1)


def test_lists_as_keys_of_parquet_maps(tmp_path):
    path = tmp_path / "x.parquet"
    pairs = [[{"key": ["red"], "value": 1}]]
    polars.DataFrame({"id": ["a"], "counts": pairs}).write_parquet(path)
    with pytest.raises(CorpusError, match=r"row 1.*\['red'\] is not a word"):
        read_corpus(path)
    polars.DataFrame({"id": [["a"], None, ["c"]], "text": ["red", "fox", "sea"]}).write_parquet(path)
    with pytest.raises(CorpusError, match=r"no usable documents: 2 × bad id .*; 1 × missing id"):
        read_corpus(path, on_error="skip", max_skipped=1.0)


def test_a_panic_of_the_parquet_reader_is_an_error(tmp_path, monkeypatch, capfd):
    """Polars panics where a damaged file breaks its assumptions: not an Exception, and lines on standard error."""
    path = tmp_path / "x.parquet"
    polars.DataFrame({"id": ["a"], "text": ["red"]}).write_parquet(path)

    def panic(table):
        os.write(2, b"thread panicked at column.rs")
        raise polars.exceptions.PanicException("assertion failed: offset + length <= self.length")

    monkeypatch.setattr("plait.corpus.readers.formats.frame._height", panic)
    with pytest.raises(CorpusError, match=r"x\.parquet is not a readable Parquet file \(assertion failed"):
        read_corpus(path, on_error="skip", max_skipped=1.0)
    assert capfd.readouterr().err == ""


def test_dates_of_parquet_files_beyond_python(tmp_path):
    path = tmp_path / "x.parquet"
    days = polars.Series([0, 10**7, -(10**6)], dtype=polars.Int32).cast(polars.Date)
    times = polars.Series([0, 2**62, 1], dtype=polars.Int64).cast(polars.Datetime("us"))
    for dates, wrong in ((days, 2), (times, 1)):
        polars.DataFrame({"id": ["a", "b", "c"], "text": ["red", "fox", "sea"], "date": dates}).write_parquet(path)
        corpus = read_corpus(path, on_error="skip", max_skipped=1.0)
        assert (len(corpus), corpus.skipped["bad date"], str(corpus.times[0])) == (3, wrong, "1970-01-01T00:00:00")


# Links.


def test_a_link_without_a_field_is_one_bad_link(tmp_path):
    (tmp_path / "documents.jsonl").write_text("".join(f'{{"id": "{n}", "text": "red"}}\n' for n in "abcd"))
    links = tmp_path / "links.jsonl"
    good = '{"source": "a", "target": "b"}\n{"from": "b", "to": "c", "weight": 2}\n'
    links.write_text(good + '{"source": "c"}\n{"target": "c", "weight": 3}\n{}\n')
    with pytest.raises(CorpusError, match=r'links\.jsonl, line 3, field "target": the link has no id'):
        read_corpus(tmp_path)
    corpus = read_corpus(tmp_path, on_error="skip", max_skipped=1.0)
    assert (corpus.n_links, corpus.skipped["missing id"], corpus.skipped.total) == (2, 3, 3)
    links.write_text('{"source": "a"}\n{"source": "b"}\n')
    with pytest.raises(CorpusError, match="links need two fields"):
        read_corpus(tmp_path, on_error="skip", max_skipped=1.0)


# Sizes that a file declares.


@pytest.mark.parametrize("number", ["99999999999999", "9" * 5000])
@pytest.mark.parametrize("line", [1, 2, 3])
def test_uci_header_numbers_are_bounded_by_the_file(tmp_path, number, line):
    header = ["2", "2", "2"]
    header[line - 1] = number
    (tmp_path / "vocab.x.txt").write_text("red\nblue\n")
    path = tmp_path / "docword.x.txt"
    path.write_text("\n".join(header) + "\n1 1 1\n2 2 1\n")
    start = time.perf_counter()
    with pytest.raises(CorpusError, match=rf"docword\.x\.txt, line {line}") as caught:
        read_corpus(path)
    assert len(str(caught.value)) < 300
    if line == 3 and len(number) < 100:
        assert read_corpus(path, on_error="skip", max_skipped=1.0).skipped["wrong number of lines"] == 1
    else:
        with pytest.raises(CorpusError, match=rf"docword\.x\.txt, line {line}"):
            read_corpus(path, on_error="skip", max_skipped=1.0)
    assert time.perf_counter() - start < 60  # quadratic work would take minutes


def test_dense_rows_are_streamed(tmp_path):
    path = tmp_path / "x.content.gz"
    rows = (f"d{n}\t" + "0\t" * 2000 + "1\tT\n" for n in range(50))
    path.write_bytes(gzip.compress("".join(rows).encode()))
    assert read_corpus(path).shape == (50, 2001)


def test_long_labels_and_names_are_cut_when_printed(tmp_path):
    label = "x" * 1_000_000
    corpus = Corpus.from_texts(["red", "blue"], labels=[[label, "y"], label], splits=[label, None], ids=[label, "b"])
    assert max(len(value) for _, value in summarise(corpus).rows()) < 300
    with pytest.raises(CorpusError) as caught:
        corpus.label_vector()
    assert len(str(caught.value)) < 500
    (tmp_path / "x.jsonl").write_text(json.dumps({label: "red", "date": label}) + "\n")
    with pytest.raises(CorpusError) as caught:
        read_corpus(tmp_path / "x.jsonl")
    assert len(str(caught.value)) < 500
