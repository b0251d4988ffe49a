"""Compressed files, encodings and file names: exactly the named file is read, whole, or an error is raised."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import sys
from pathlib import Path

import polars
import pytest

from plait.cli import main
from plait.cli.io.tables import open_table
from plait.corpus import Corpus, CorpusError, read_corpus
from plait.corpus.readers import streams
from plait.corpus.readers.fields import FieldNames
from plait.inputs.targets import read_targets
from plait.inputs.vocabulary import column_words
from plait.streaming.sources import file_sources

zstandard = pytest.importorskip("zstandard")

COMPRESS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, ".zst": zstandard.compress}
LINES = "".join(json.dumps({"id": n, "text": f"red word{n * n % 9973}"}) + "\n" for n in range(3000)).encode()


@pytest.mark.parametrize("suffix", COMPRESS)
def test_every_compression_is_read(tmp_path, suffix):
    path = tmp_path / f"x.jsonl{suffix}"
    path.write_bytes(COMPRESS[suffix](LINES))
    assert len(read_corpus(path)) == 3000
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / f"a.txt{suffix}").write_bytes(COMPRESS[suffix](b"red fox"))
    assert read_corpus(folder).ids.tolist() == ["a"]


@pytest.mark.parametrize("suffix", COMPRESS)
@pytest.mark.parametrize("name", ["x.jsonl", "texts/x.txt"])
def test_a_cut_stream_is_an_error(tmp_path, suffix, name):
    path = tmp_path / f"{name}{suffix}"
    path.parent.mkdir(exist_ok=True)
    whole = COMPRESS[suffix](LINES[: len(LINES) // 10])
    for cut in [*range(1, len(whole), len(whole) // 60 + 1), len(whole) - 1]:
        path.write_bytes(whole[:cut])
        with pytest.raises(CorpusError, match="is damaged"):
            read_corpus(path if name == "x.jsonl" else path.parent, on_error="skip", max_skipped=1.0)


@pytest.mark.parametrize("suffix", COMPRESS)
def test_several_frames_are_one_file(tmp_path, suffix):
    first, second = LINES[: len(LINES) // 2], LINES[len(LINES) // 2 :]
    one, two = COMPRESS[suffix](first), COMPRESS[suffix](second)
    path = tmp_path / f"x.jsonl{suffix}"
    path.write_bytes(one + two)
    assert len(read_corpus(path)) == 3000
    path.write_bytes(one + two[: len(two) // 2])
    with pytest.raises(CorpusError, match="is damaged"):
        read_corpus(path, on_error="skip", max_skipped=1.0)
    path.write_bytes(one + b"no frame at all")
    with pytest.raises(CorpusError, match="is damaged"):
        read_corpus(path, on_error="skip", max_skipped=1.0)


def test_frames_without_a_declared_size_and_empty_frames(tmp_path):
    path = tmp_path / "x.jsonl.zst"
    chunks = zstandard.ZstdCompressor(write_checksum=True, write_content_size=False).compressobj()
    skippable = (0x184D2A50).to_bytes(4, "little") + (3).to_bytes(4, "little") + b"abc"
    path.write_bytes(zstandard.compress(b"") + skippable + chunks.compress(LINES) + chunks.flush())
    assert len(read_corpus(path)) == 3000


def test_a_line_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(streams, "LONGEST_LINE", 1000)
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps({"text": "red " * 10}) + "\n" + json.dumps({"text": "red " * 1000}) + "\n")
    with pytest.raises(CorpusError, match=r"x\.jsonl, line 2: the line is longer than 1,000 bytes"):
        read_corpus(path, on_error="skip", max_skipped=1.0)
    with pytest.raises(CorpusError, match=r"x\.jsonl, line 1: the line is longer"):
        read_corpus(path, encoding="utf-16-le", on_error="skip", max_skipped=1.0)


def test_a_short_compressed_file_cannot_fill_the_memory(tmp_path):
    path = tmp_path / "x.content.gz"
    path.write_bytes(gzip.compress(b"a\t" + b"0\t" * 9_700_000 + b"T\n"))
    assert path.stat().st_size < 20_000
    with pytest.raises(CorpusError, match=r"x\.content\.gz, line 1: the row has 9,700,000 words"):
        read_corpus(path, on_error="skip", max_skipped=1.0)


# Exactly the named file.


@pytest.mark.parametrize("name", ["a[1].parquet", "a?.parquet", "a*.parquet", "~/a.parquet", "{a,b}.parquet"])
def test_parquet_names_are_not_patterns(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for other in ("a1.parquet", "ab.parquet", "a.parquet"):
        polars.DataFrame({"id": ["wrong"], "text": ["wrong"]}).write_parquet(other)
    named = tmp_path / name
    named.parent.mkdir(exist_ok=True)
    with named.open("wb") as file:
        polars.DataFrame({"id": ["right", "b"], "text": ["red fox", "sea"]}).write_parquet(file)
    with (named.parent / f"links{name[-13:-8].strip('~/')}.parquet").open("wb") as file:
        polars.DataFrame({"source": ["right"], "target": ["b"]}).write_parquet(file)
        links = file.name
    assert read_corpus(Path(name), links=links).ids.tolist() == ["right", "b"]


def test_parquet_tables_are_written_below_folders_of_any_name(tmp_path):
    path = tmp_path / "out[1]" / "t*.parquet"
    path.parent.mkdir()
    with open_table(path, ".parquet") as write:
        write(polars.DataFrame({"id": ["a"]}))
    assert polars.read_parquet(path.read_bytes())["id"].to_list() == ["a"]


def test_parquet_rows_are_those_that_are_there(tmp_path, monkeypatch):
    path = tmp_path / "x.parquet"
    polars.DataFrame({"id": ["a", "b"], "text": ["red fox", "sea"]}).write_parquet(path)
    from plait.corpus.readers.formats import frame

    monkeypatch.setattr(frame, "_height", lambda table: 10**15)
    with pytest.raises(CorpusError, match=r"x\.parquet declares 1,000,000,000,000,000 rows but has 2"):
        read_corpus(path, on_error="skip", max_skipped=1.0)


def test_names_that_are_not_utf8_are_escaped(tmp_path):
    folder = tmp_path / "mail"
    label = os.fsencode(folder / "spam") + b"\xe8"
    try:
        path = Path(os.fsdecode(label + b"/caf\xe9.txt"))
        path.parent.mkdir(parents=True)
        path.write_bytes(b"red fox")
    except OSError:
        pytest.skip("this file system only has names in UTF-8")
    (folder / "b.txt").write_text("blue sea")
    with pytest.raises(CorpusError, match=r"spam\\xe8/caf\\xe9\.txt: the name is not UTF-8.*; rename it or pass"):
        read_corpus(folder)
    corpus = read_corpus(folder, on_error="skip", max_skipped=1.0)
    assert corpus.ids.tolist() == ["b", r"spam\xe8/caf\xe9"]
    assert corpus.labels == ((), (r"spam\xe8",))
    assert corpus.skipped["bad file name"] == 1


def test_a_file_whose_name_is_not_utf8_can_be_named_in_messages(tmp_path, capsys):
    path = tmp_path / os.fsdecode(b"caf\xe9.jsonl")
    try:
        path.write_bytes(b'{"id": 1, "text": "red fox"}\n{"id": 2}\n')
    except OSError:
        pytest.skip("this file system only has names in UTF-8")
    corpus = read_corpus(path, on_error="skip", max_skipped=1.0)
    str(corpus.skipped).encode()
    assert r"caf\udce9.jsonl, line 2" in str(corpus.skipped)
    with pytest.raises(CorpusError) as caught:
        read_corpus(path)
    assert str(caught.value).isprintable()
    (source,) = file_sources([path], FieldNames(), "utf-8")
    assert (source.label, Path(source.name).name) == (r"caf\xe9", r"caf\xe9.jsonl")


def test_a_damaged_file_in_a_folder_of_a_stream_is_not_left_out(tmp_path):
    (tmp_path / "a.jsonl").write_bytes(LINES)
    (tmp_path / "notes.docx").write_bytes(b"of an unknown format")
    (source,) = file_sources([tmp_path], FieldNames(), "utf-8")
    assert source.label == "a"
    (tmp_path / "b.content.gz").write_bytes(gzip.compress(b"x\t1\tT\n")[:-6])
    with pytest.raises(CorpusError, match=r"b\.content\.gz is damaged"):
        list(file_sources([tmp_path], FieldNames(), "utf-8"))


# Encodings.


@pytest.mark.parametrize("encoding", ["hex", "base64", "rot13", "punycode", "idna", "undefined", "no-such", "a\0b", ""])
@pytest.mark.parametrize("name", ["x.jsonl", "x.csv", "texts/x.txt"])
def test_encodings_that_are_not_for_text_files(tmp_path, encoding, name):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text('{"id": 1, "text": "red fox"}\n')
    with pytest.raises(CorpusError, match=r"encoding is .*; try") as caught:
        read_corpus(path if "/" not in name else path.parent, encoding=encoding)
    assert caught.value.parameter == "encoding"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
@pytest.mark.parametrize("name", ["x.jsonl", "x.csv", "texts/x.txt"])
def test_wide_encodings_without_a_byte_order_mark(tmp_path, encoding, name):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b'{"id": 1, "text": "red fox..."}\n')
    with pytest.raises(CorpusError, match=rf"{path.name}.* is not {encoding}"):
        read_corpus(path if "/" not in name else path.parent, encoding=encoding)


def test_ebcdic_lines(tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes("id,text\na,red fox\nb,blue sea\n".encode("cp037"))
    assert read_corpus(path, encoding="cp037").ids.tolist() == ["a", "b"]


def test_most_rows_in_another_encoding_hint_at_it(tmp_path, capsys, monkeypatch):
    path = tmp_path / "x.csv"
    rows = [f"{n},café number{n}" for n in range(20)] + ["x,red fox", "y,blue sea"]
    path.write_bytes("\n".join(["id,text", *rows]).encode("cp1252"))
    corpus = read_corpus(path, on_error="skip", max_skipped=1.0)
    assert corpus.skipped["wrong encoding"] == 20
    assert "give encoding= or --encoding" in str(corpus.skipped)
    with pytest.raises(CorpusError, match=r"x\.csv, line 2: byte 0xe9 is not utf-8; re-encode it, give encoding="):
        read_corpus(path)
    monkeypatch.setattr(sys, "argv", ["plait", "inspect", str(path)])
    with pytest.raises(SystemExit):
        main()
    assert "--encoding cp1252; --allow-skips" in capsys.readouterr().err


# Text from Python.


@pytest.mark.parametrize("half", [chr(0xD800), chr(0xDCE9)], ids=["high", "low"])
def test_text_from_python_is_checked(half):
    bad = f"caf{half}"
    for field in ("ids", "titles", "labels", "splits"):
        with pytest.raises(CorpusError, match="half of a surrogate pair"):
            Corpus.from_texts(["red fox"], **{field: [bad]})
        with pytest.raises(CorpusError, match="half of a surrogate pair"):
            Corpus.from_matrix([[1]], **{field: [bad]})
    with pytest.raises(CorpusError, match="half of a surrogate pair"):
        Corpus.from_texts([f"red {bad}"])
    with pytest.raises(CorpusError, match="half of a surrogate pair"):
        Corpus.from_texts(["red fox"], tokenizer=lambda text: [bad])
    with pytest.raises(CorpusError, match="half of a surrogate pair"):
        Corpus.from_matrix([[1]], vocabulary=[bad])
    corpus = Corpus.from_texts(["red fox", f"blue {bad}"], on_error="skip", labels=[bad, "x"])
    assert corpus.ids.tolist() == ["1"]
    assert {kind.name: kind.count for kind in corpus.skipped} == {"invalid character": 2}
    with pytest.raises(CorpusError, match="half of a surrogate pair"):
        corpus.with_vocabulary([bad])
    for given in ([bad, "x"], [[bad], ["x", "y"]]):
        with pytest.raises(CorpusError, match="half of a surrogate pair"):
            read_targets(given, 2)
    with pytest.raises(CorpusError, match=r"vocabulary\[1\] is .*half of a surrogate pair"):
        column_words(["a", bad], 2)
    pandas = pytest.importorskip("pandas")
    with pytest.raises(CorpusError, match="surrogate"):
        Corpus.from_frame(pandas.DataFrame({"text": [bad]}, dtype=object))


@pytest.mark.parametrize(
    "frame", [{"text": ["red", 1]}, {"text": [object()]}, {"text": ["red", ["b"]]}], ids=["mixed", "object", "list"]
)
def test_frames_of_mixed_types_are_an_error(frame):
    pandas = pytest.importorskip("pandas")
    with pytest.raises(CorpusError, match=r"the data frame cannot be read|is not text"):
        Corpus.from_frame(pandas.DataFrame(frame, dtype=object))


def test_halves_of_characters_in_files(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text('id,counts\na,"{""red"": 1}"\nb,"{""caf\\ud800"": 2}"\n')
    with pytest.raises(CorpusError, match=r'x\.csv, line 3, field "counts": .*\\ud800.*half of a surrogate pair'):
        read_corpus(path)
    corpus = read_corpus(path, on_error="skip", max_skipped=1.0)
    assert (corpus.ids.tolist(), corpus.skipped["invalid character"]) == (["a"], 1)
    path = tmp_path / "x.jsonl"
    path.write_text(
        '{"id": "a", "title": "\\ud800", "label": "\\udfff", "split": "\\ud801", "tokens": ["red"]}\n'
        '{"id": "\\ud800", "tokens": ["red"]}\n{"id": "c", "tokens": ["\\ud83d\\ude00", "\\ud800"]}\n'
        '{"id": "\\ud83d\\ude00", "tokens": ["\\ud83d\\ude00"]}\n'
    )
    corpus = read_corpus(path, on_error="skip", max_skipped=1.0)
    assert corpus.ids.tolist() == ["a", "\U0001f600"]
    assert corpus.skipped["invalid character"] == corpus.skipped.total == 5
    assert (corpus.titles, corpus.labels, corpus.splits) == (None, None, None)


def test_an_open_stream_is_closed(tmp_path):
    path = tmp_path / "x.jsonl.zst"
    path.write_bytes(zstandard.compress(LINES))
    with streams.open_bytes(path) as stream:
        assert stream.readline() == LINES.split(b"\n")[0] + b"\n"
    assert stream.closed
    assert isinstance(stream, io.BufferedReader)
