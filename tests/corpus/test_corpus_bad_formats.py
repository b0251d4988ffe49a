"""Bad UCI, LINQS, SVMlight and text files: an error with file and line, or a count of what was skipped."""

from __future__ import annotations

import pytest

from plait.corpus import CorpusError, read_corpus


def uci(write, body: str, header: str = "3\n2\n3\n"):
    write("vocab.x.txt", "red\nblue\n")
    return write("docword.x.txt", header + body)


@pytest.mark.parametrize(
    ("body", "kind", "message"),
    [
        ("1 1 1\n2 2 1\n2 1 -3\n3 2 1\n", "negative count", "line 6"),
        ("1 1 1\n2 2 1\n2 1 0.5\n3 2 1\n", "fractional count", "line 6"),
        ("1 1 1\n2 2 1\n2 1 nan\n3 2 1\n", "not a number", "line 6"),
    ],
)
def test_bad_counts_of_uci_files_leave_the_document_out(write, body, kind, message):
    path = uci(write, body, header="3\n2\n4\n")
    with pytest.raises(CorpusError, match=rf"docword\.x\.txt, {message}") as caught:
        read_corpus(path)
    assert caught.value.kind == kind
    corpus = read_corpus(path, on_error="skip", max_skipped=1.0)
    assert corpus.ids.tolist() == ["1", "3"]
    assert corpus.skipped[kind] == 1


@pytest.mark.parametrize(
    ("body", "kind", "place"),
    [
        ("1 1 1\n1 2\n2 1 1\n3 1 1\n", "broken line", "line 5"),
        ("1 1 1\n2 3 1\n2 1 1\n3 1 1\n", "unknown word", "line 5"),
        ("1 1 1\n2 0 1\n2 1 1\n3 1 1\n", "unknown word", "line 5"),
        ("1 1 1\n2 1 1\n3 1 1\n4 1 1\n", "unknown document", "line 7"),
    ],
)
def test_bad_lines_of_uci_files_are_left_out(write, body, kind, place):
    path = uci(write, body, header="3\n2\n4\n")
    with pytest.raises(CorpusError, match=rf"docword\.x\.txt, {place}: ") as caught:
        read_corpus(path)
    assert caught.value.kind == kind
    corpus = read_corpus(path, on_error="skip", max_skipped=1.0)
    assert corpus.ids.tolist() == ["1", "2", "3"]
    assert corpus.skipped[kind] == corpus.skipped.total == 1


def test_uci_files_that_contradict_themselves(write, tmp_path):
    with pytest.raises(CorpusError, match=r"line 1: \"x\" is not an integer"):
        read_corpus(uci(write, "1 1 1\n", header="x\n2\n1\n"))
    with pytest.raises(CorpusError, match="the header says 5 words but the vocabulary has 2"):
        read_corpus(uci(write, "1 1 1\n", header="1\n5\n1\n"))
    with pytest.raises(CorpusError, match="line 6: the lines of document 1 are not consecutive; sort the lines"):
        read_corpus(uci(write, "1 1 1\n2 1 1\n1 2 1\n"))
    with pytest.raises(CorpusError, match=r"document 3.*the document has no words"):
        read_corpus(uci(write, "1 1 1\n2 1 1\n2 2 1\n"), on_error="raise")
    with pytest.raises(CorpusError, match="the header says 3 entries but 1 follow"):
        read_corpus(uci(write, "1 1 1\n", header="1\n2\n3\n"))
    (tmp_path / "vocab.x.txt").unlink()
    with pytest.raises(CorpusError, match=r"needs its words in vocab\.x\.txt"):
        read_corpus(tmp_path / "docword.x.txt")


@pytest.mark.parametrize(
    ("row", "kind"),
    [
        ("x\t1\tT", "broken row"),
        ("x\t1\ty\tT", "not a number"),
        ("x\t1\t-1\tT", "negative count"),
        ("x\t0\t0\tT", "empty document"),
        ("good\t0\t1\tT", "duplicate id"),
    ],
)
def test_bad_rows_of_linqs_files(write, row, kind):
    path = write("x.content", "good\t1\t0\tT\n" + row + "\n")
    with pytest.raises(CorpusError, match=r"^x\.content, line 2") as caught:
        read_corpus(path, on_error="raise")
    assert caught.value.kind == kind
    assert read_corpus(path, on_error="skip", max_skipped=1.0).skipped[kind] == 1


def test_linqs_files_that_are_none(write):
    with pytest.raises(CorpusError, match=r"x\.content, line 1: .* separate them by tabs"):
        read_corpus(write("x.content", "hello there\n"))
    with pytest.raises(CorpusError, match=r"y\.cites needs its documents in y\.content"):
        read_corpus(write("y.cites", "a\tb\n"))


@pytest.mark.parametrize(
    ("row", "kind"),
    [
        ("1 2:x", "not a number"),
        ("1 two:1", "broken line"),
        ("1 2:-1", "negative count"),
        ("1", "empty document"),
        ("1 2:0.5", "fractional count"),
    ],
)
def test_bad_lines_of_svmlight_files(write, row, kind):
    path = write("x.svm", "1 2:1\n" + row + "\n")
    with pytest.raises(CorpusError, match=r"^x\.svm, line 2") as caught:
        read_corpus(path, on_error="raise")
    assert caught.value.kind == kind
    assert read_corpus(path, on_error="skip", max_skipped=1.0).skipped[kind] == 1


def test_text_files_in_the_wrong_encoding(write):
    folder = write("mail/a.txt", b"red\ngr\xfcn").parent
    write("mail/b.txt", "blue")
    with pytest.raises(CorpusError, match=r"^a\.txt, line 2: byte 0xfc is not utf-8"):
        read_corpus(folder)
    assert read_corpus(folder, on_error="skip", max_skipped=1.0).skipped["wrong encoding"] == 1
    assert read_corpus(folder, encoding="latin-1").vocabulary.tolist() == ["blue", "grün", "red"]
