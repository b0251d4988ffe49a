"""Every format that read_corpus knows, with a small corpus written by the test."""

from __future__ import annotations

import gzip
import json
import sys
import types
import zlib

import numpy as np
import polars
import pytest

from plait.corpus import Corpus, CorpusError, read_corpus

DOCUMENTS = [
    {
        "id": "a",
        "text": "red fox red",
        "title": "Fox",
        "label": "warm",
        "date": "1990-05-01",
        "split": "train",
    },
    {"id": "b", "text": "blue sea", "title": None, "label": None, "date": None, "split": "test"},
]
WORDS = {"a": {"red": 2, "fox": 1}, "b": {"blue": 1, "sea": 1}}
CSV = 'id,text,title,label,date,split\na,"red\nfox red",Fox,warm,1990-05-01,train\nb,blue sea,,,,test\n'


def check_whole(corpus: Corpus, as_dicts) -> None:
    assert as_dicts(corpus) == WORDS
    assert corpus.titles.tolist() == ["Fox", ""]
    assert corpus.labels == (("warm",), ())
    assert str(corpus.times[0]) == "1990-05-01T00:00:00"
    assert np.isnat(corpus.times[1])
    assert corpus.splits.tolist() == ["train", "test"]
    assert corpus.vocabulary.tolist() == ["blue", "fox", "red", "sea"]
    assert not corpus.skipped


@pytest.mark.parametrize("name", ["x.jsonl", "x.ndjson", "x.jsonl.gz", "X.JSONL"])
def test_json_lines(write_jsonl, as_dicts, name):
    check_whole(read_corpus(write_jsonl(*DOCUMENTS, name=name)), as_dicts)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.csv", CSV),
        ("x.csv.gz", CSV),
        ("x.tsv", CSV.replace(",", "\t")),
        ("semicolons.csv", CSV.replace(",", ";")),
        ("windows.csv", "\ufeff" + CSV.replace("\n", "\r\n")),
        ("blank_lines.csv", CSV + "\n\n"),
    ],
)
def test_tables(write, as_dicts, name, content):
    check_whole(read_corpus(write(name, content)), as_dicts)


def test_parquet_plain_and_compressed(tmp_path, write, as_dicts):
    frame = polars.DataFrame(DOCUMENTS)
    frame.write_parquet(tmp_path / "x.parquet")
    check_whole(read_corpus(tmp_path / "x.parquet"), as_dicts)
    check_whole(read_corpus(write("y.parquet.gz", (tmp_path / "x.parquet").read_bytes())), as_dicts)


def test_parquet_of_many_batches(tmp_path):
    frame = polars.DataFrame({"id": range(5000), "tokens": [["w", f"w{n % 7}"] for n in range(5000)]})
    frame.write_parquet(tmp_path / "x.parquet", row_group_size=1000)
    corpus = read_corpus(tmp_path / "x.parquet")
    assert corpus.ids.tolist() == [str(n) for n in range(5000)]
    assert corpus.n_tokens == 10_000


def test_corpus_folder_with_links_and_vocabulary(write, write_jsonl, as_dicts, link_set):
    folder = write_jsonl(*DOCUMENTS, name="papers/documents.jsonl.gz").parent
    write("papers/links.csv.gz", "source,target,weight\na,b,2\nb,a,\na,b,1\n")
    write("papers/vocabulary.txt", "sea\nred\nnever\nfox\nblue\n\n")
    write("papers/vocabulary.csv", "ignored")
    corpus = read_corpus(folder)
    assert corpus.vocabulary.tolist() == ["sea", "red", "never", "fox", "blue"]
    assert as_dicts(corpus) == WORDS
    assert link_set(corpus) == {("a", "b"): 3.0, ("b", "a"): 1.0}


def test_a_vocabulary_file_limits_text_and_binds_tokens(write, write_jsonl):
    folder = write_jsonl({"id": 1, "text": "red fox fox"}, name="texts/documents.jsonl").parent
    write("texts/vocabulary.txt", "red\n")
    corpus = read_corpus(folder)
    assert corpus.n_tokens == 1
    assert corpus.skipped["token outside the vocabulary"] == 2
    folder = write_jsonl({"id": 1, "tokens": ["red", "fox"]}, name="tokens/documents.jsonl").parent
    write("tokens/vocabulary.txt", "red\n")
    with pytest.raises(CorpusError, match='line 1, field "tokens": the word "fox" is not in the vocabulary'):
        read_corpus(folder)


def test_filters_over_a_fixed_vocabulary(write, write_jsonl):
    documents = [{"id": 1, "tokens": ["the", "red"]}, {"id": 2, "tokens": ["the"]}]
    folder = write_jsonl(*documents, name="papers/documents.jsonl").parent
    write("papers/vocabulary.txt", "the\nnever\nred\n")
    assert read_corpus(folder).vocabulary.tolist() == ["the", "never", "red"]
    assert read_corpus(folder, min_df=2).vocabulary.tolist() == ["the"]
    assert read_corpus(folder, stop_words=["red"]).vocabulary.tolist() == ["the", "never"]


@pytest.mark.parametrize(("content", "line"), [("red\nfox\nred\n", 3), ("red\n\nfox\n", 2)])
def test_a_vocabulary_file_must_be_sound(write, write_jsonl, content, line):
    folder = write_jsonl(*DOCUMENTS, name="papers/documents.jsonl").parent
    write("papers/vocabulary.txt", content)
    with pytest.raises(CorpusError, match=f"vocabulary.txt, line {line}"):
        read_corpus(folder)


def test_folder_of_text_files(write, as_dicts):
    folder = write("mail/warm/1.txt", "red fox red").parent.parent
    write("mail/deep/cold/2.txt.gz", "blue sea")
    write("mail/top.txt", "pink")
    write("mail/ignored.md", "not read")
    corpus = read_corpus(folder)
    assert as_dicts(corpus) == {
        "deep/cold/2": {"blue": 1, "sea": 1},
        "top": {"pink": 1},
        "warm/1": {"red": 2, "fox": 1},
    }
    assert dict(zip(corpus.ids, corpus.labels, strict=True)) == {
        "deep/cold/2": ("cold",),
        "top": (),
        "warm/1": ("warm",),
    }


def test_uci_bag_of_words(write, as_dicts):
    path = write("docword.tiny.txt.gz", "2\n3\n3\n1 1 2\n1 3 1\n2 2 5\n")
    write("vocab.tiny.txt", "red\nblue\nfox\n")
    for given in (path, path.parent):
        corpus = read_corpus(given)
        assert corpus.vocabulary.tolist() == ["red", "blue", "fox"]
        assert as_dicts(corpus) == {"1": {"red": 2, "fox": 1}, "2": {"blue": 5}}


def test_linqs_content_and_cites(write, as_dicts, link_set):
    content = write("tiny.content", "p1\t1\t0\t0\tTheory\np2\t0\t0\t3\tLearning\n")
    cites = write("tiny.cites", "p1\tp2\n")
    for given in (content, cites, content.parent):
        corpus = read_corpus(given)
        assert as_dicts(corpus) == {"p1": {"w0": 1}, "p2": {"w2": 3}}
        assert corpus.vocabulary.tolist() == ["w0", "w1", "w2"]
        assert corpus.labels == (("Theory",), ("Learning",))
        assert link_set(corpus) == {("p2", "p1"): 1.0}, "cites has the cited paper first"


@pytest.mark.parametrize("name", ["x.svm", "x.svmlight.gz", "x.libsvm"])
def test_svmlight(write, as_dicts, name):
    corpus = read_corpus(write(name, "# a comment\n+1 10:2 9:1.0 # d\n-1,3 qid:4 100:3\n\n7:1\n"))
    assert as_dicts(corpus) == {"1": {"9": 1, "10": 2}, "2": {"100": 3}, "3": {"7": 1}}
    assert corpus.vocabulary.tolist() == ["7", "9", "10", "100"]
    assert corpus.labels == (("+1",), ("-1", "3"), ())


def test_other_encodings(write, as_dicts):
    line = json.dumps({"id": "ü", "text": "grün grün"}, ensure_ascii=False)
    for encoding in ("latin-1", "utf-16", "utf-8-sig"):
        corpus = read_corpus(
            write("x.jsonl", (line + "\n" + line.replace('ü"', 'é"', 1)).encode(encoding)), encoding=encoding
        )
        assert as_dicts(corpus)["ü"] == {"grün": 2}
        assert len(corpus) == 2
    with pytest.raises(CorpusError, match="klingon"):
        read_corpus(write("x.jsonl", line), encoding="klingon")


def test_zstandard_without_a_package_says_what_to_install(write, monkeypatch):
    for module in ("compression", "compression.zstd", "zstandard"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(CorpusError, match=r"x\.jsonl\.zst.*pip install '\.\[zstd\]'"):
        read_corpus(write("x.jsonl.zst", b"whatever"))


def test_zstandard_through_the_package(write, write_jsonl, as_dicts, monkeypatch):
    class Decompressor:
        """Stands in for the package's, over gzip: what is tested is how it is called."""

        def decompressobj(self):
            return zlib.decompressobj(wbits=31)

    stand_in = types.SimpleNamespace(ZstdDecompressor=Decompressor, ZstdError=RuntimeError)
    monkeypatch.setitem(sys.modules, "compression", None)
    monkeypatch.setitem(sys.modules, "zstandard", stand_in)
    plain = write_jsonl(*DOCUMENTS).read_bytes()
    check_whole(read_corpus(write("x.jsonl.zst", gzip.compress(plain))), as_dicts)


def test_zstandard_for_real(write, write_jsonl, as_dicts):
    zstd = pytest.importorskip("compression.zstd" if sys.version_info >= (3, 14) else "zstandard")
    compress = zstd.compress if hasattr(zstd, "compress") else zstd.ZstdCompressor().compress
    check_whole(read_corpus(write("x.jsonl.zst", compress(write_jsonl(*DOCUMENTS).read_bytes()))), as_dicts)


def test_unknown_paths_and_formats_list_what_is_read(write, tmp_path):
    with pytest.raises(CorpusError, match=r"nowhere does not exist$"):
        read_corpus(tmp_path / "nowhere")
    with pytest.raises(CorpusError, match=r"the name notes\.docx has no known format; plait reads"):
        read_corpus(write("notes.docx", "x"))
    with pytest.raises(CorpusError, match=r"contains no documents \(it contains notes\.docx\)"):
        read_corpus(tmp_path)


def test_two_candidates_in_a_folder_are_an_error(write, write_jsonl, tmp_path):
    write_jsonl(*DOCUMENTS)
    write("documents.csv", CSV)
    with pytest.raises(CorpusError, match=r"documents\.csv and documents\.jsonl"):
        read_corpus(tmp_path)


def test_formats_without_fields_take_no_field_names(write):
    with pytest.raises(CorpusError, match="no named fields"):
        read_corpus(write("x.svm", "1 2:3"), label="class")
