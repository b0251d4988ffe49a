"""Corpora made from what is in memory: texts and their options, matrices, data frames."""

from __future__ import annotations

import datetime
import sys

import numpy as np
import polars
import pytest
from scipy.sparse import coo_array
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from plait.corpus import Corpus, CorpusError, read_corpus

TEXT = "The Red fox and the red sea"


def words(**options) -> dict[str, int]:
    corpus = Corpus.from_texts([TEXT], **options)
    return dict(zip(corpus.vocabulary.tolist(), corpus.counts.toarray()[0].tolist(), strict=True))


def test_stop_words(tmp_path):
    assert words() == {"red": 2, "fox": 1, "sea": 1}
    assert words(stop_words="english") == {"red": 2, "fox": 1, "sea": 1}
    assert words(stop_words=None) == {"red": 2, "fox": 1, "sea": 1, "the": 2, "and": 1}
    assert words(stop_words=["red"]) == {"fox": 1, "sea": 1, "the": 2, "and": 1}
    assert words(stop_words=iter(["red"])) == {"fox": 1, "sea": 1, "the": 2, "and": 1}
    (tmp_path / "stop.txt").write_text("red\n\nfox \n")
    assert words(stop_words=tmp_path / "stop.txt") == {"sea": 1, "the": 2, "and": 1}
    assert words(stop_words=str(tmp_path / "stop.txt")) == {"sea": 1, "the": 2, "and": 1}
    with pytest.raises(CorpusError, match='stop_words is "germna", which is neither a language nor a readable'):
        words(stop_words="germna")
    with pytest.raises(CorpusError, match="stop_words contains 3"):
        words(stop_words=[3])


def test_stop_words_for_tokens_only_when_asked(write_jsonl):
    path = write_jsonl({"id": 1, "tokens": ["the", "red"]})
    assert read_corpus(path).vocabulary.tolist() == ["red", "the"]
    assert read_corpus(path, stop_words="english").vocabulary.tolist() == ["red"]


def test_lower_case():
    assert words(lowercase=False, stop_words=None)["Red"] == 1
    assert words(stop_words=None)["red"] == 2


def test_tokenizers():
    assert words(tokenizer=str.split, lowercase=False, stop_words=None)["The"] == 1
    assert words(tokenizer=lambda text: (word[0] for word in text.split()), stop_words=["t", "a"]) == {
        "r": 2,
        "f": 1,
        "s": 1,
    }
    bigrams = words(tokenizer=CountVectorizer(ngram_range=(2, 2), stop_words=["and"]))
    assert bigrams == {"the red": 2, "red fox": 1, "fox the": 1, "red sea": 1}
    assert words(tokenizer=CountVectorizer())["the"] == 2, "a vectorizer uses its own stop words"
    with pytest.raises(CorpusError, match="TfidfVectorizer with use_idf=True, which weights the counts"):
        words(tokenizer=TfidfVectorizer())


def test_tokenizers_that_are_none():
    with pytest.raises(CorpusError, match="tokenizer is 7"):
        words(tokenizer=7)
    with pytest.raises(CorpusError, match="texts, item 1: tokenizer returned"):
        words(tokenizer=lambda text: text)
    with pytest.raises(CorpusError, match="3 is not a word"):
        words(tokenizer=lambda text: [3])


def test_a_failing_tokenizer_says_where():
    def fail(text: str) -> list[str]:
        raise RuntimeError("no model")

    with pytest.raises(RuntimeError, match="no model") as caught:
        words(tokenizer=fail)
    assert "texts, item 1" in caught.value.__notes__[0]


def test_a_tokenizer_for_words_that_are_not_text_is_refused(write_jsonl):
    with pytest.raises(CorpusError, match="tokenizer= is for text, but the words are tokens"):
        read_corpus(write_jsonl({"id": 1, "tokens": ["red"]}), tokenizer=str.split)


def test_frequency_limits_while_reading(write_jsonl):
    path = write_jsonl({"text": "aa bb bb"}, {"text": "aa cc"}, {"text": "aa bb"})
    assert read_corpus(path, min_df=2).vocabulary.tolist() == ["aa", "bb"]
    assert read_corpus(path, max_df=0.9).vocabulary.tolist() == ["bb", "cc"]
    assert read_corpus(path, max_words=1).vocabulary.tolist() == ["aa"]
    corpus = read_corpus(path, max_df=2, min_df=2)
    assert len(corpus) == 3, "documents that lose all their words to a limit stay"
    assert corpus.lengths.tolist() == [2, 0, 1]


def test_unknown_options_are_named():
    with pytest.raises(TypeError, match="unknown option 'stopwords'; the options are language"):
        words(stopwords=None)


def test_texts_may_come_from_a_generator():
    corpus = Corpus.from_texts((text for text in ["red", "blue"]), ids=range(2))
    assert corpus.ids.tolist() == ["0", "1"]
    assert Corpus.from_texts(["red", "blue"]).ids.tolist() == ["1", "2"]


def test_texts_and_their_lists_must_match():
    with pytest.raises(CorpusError, match="titles has 1 entries but there are more texts"):
        Corpus.from_texts(["red", "blue"], titles=["one"])
    with pytest.raises(CorpusError, match="titles has 3 entries but there are 2 texts"):
        Corpus.from_texts(["red", "blue"], titles=["one", "two", "three"])
    with pytest.raises(CorpusError, match="give a list of texts"):
        Corpus.from_texts("red")
    with pytest.raises(CorpusError, match='texts, item 2, field "ids": an earlier document has the id "x" too'):
        Corpus.from_texts(["red", "blue"], ids=["x", "x"])
    with pytest.raises(CorpusError, match='texts, item 1, field "times": "soon" is not an ISO date'):
        Corpus.from_texts(["red"], times=["soon"])


def test_matrices():
    counts = np.array([[1, 0], [2, 3]])
    for matrix in (counts, coo_array(counts), counts.tolist(), counts.astype(float), counts.astype(np.uint8)):
        corpus = Corpus.from_matrix(matrix)
        assert corpus.counts.toarray().tolist() == counts.tolist()
        assert corpus.counts.dtype == np.int32
        assert corpus.vocabulary.tolist() == ["w0", "w1"]
        assert corpus.ids.tolist() == ["1", "2"]
    whole = Corpus.from_matrix(
        counts,
        ids=[7, 8],
        labels=[None, ["x", "y"]],
        times=[None, datetime.date(1990, 5, 1)],
        titles=["A", None],
    )
    assert whole.ids.tolist() == ["7", "8"]
    assert whole.labels == ((), ("x", "y"))
    assert str(whole.times[1]) == "1990-05-01T00:00:00"
    assert whole.titles.tolist() == ["A", ""]


def test_matrices_that_are_none():
    with pytest.raises(CorpusError, match="1 dimensions"):
        Corpus.from_matrix([1, 2])
    with pytest.raises(CorpusError, match=r"times\[0\]: \"soon\" is not an ISO date"):
        Corpus.from_matrix([[1]], times=["soon"])
    with pytest.raises(CorpusError, match=r"ids\[1\] is \"a\", and so is ids\[0\]"):
        Corpus.from_matrix([[1], [1]], ids=["a", "a"], links=[("a", "b")])
    with pytest.raises(CorpusError, match="2 documents and 1 words"):
        Corpus.from_matrix([[1, 2], [1, 2]], vocabulary=["x"])


ROWS = {
    "id": ["a", "b"],
    "text": ["red fox", "blue sea"],
    "labels": [["x", "y"], []],
    "date": [datetime.datetime(1990, 5, 1, 12), None],
}


def check_frame(corpus: Corpus, as_dicts) -> None:
    assert as_dicts(corpus) == {"a": {"red": 1, "fox": 1}, "b": {"blue": 1, "sea": 1}}
    assert corpus.labels == (("x", "y"), ())
    assert str(corpus.times[0]) == "1990-05-01T12:00:00"
    assert np.isnat(corpus.times[1])


def test_polars_frames(as_dicts):
    check_frame(Corpus.from_frame(polars.DataFrame(ROWS)), as_dicts)
    check_frame(Corpus.from_frame(polars.LazyFrame(ROWS)), as_dicts)


@pytest.fixture(params=["with pyarrow", "without pyarrow"])
def pandas(request, monkeypatch):
    """The module pandas; the core install has no pyarrow."""
    module = pytest.importorskip("pandas")
    if request.param == "without pyarrow":
        for name in [name for name in sys.modules if name.partition(".")[0] == "pyarrow"]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.setitem(sys.modules, "pyarrow", None)
    return module


def test_pandas_frames(as_dicts, pandas):
    check_frame(Corpus.from_frame(pandas.DataFrame(ROWS)), as_dicts)
    with_gaps = pandas.DataFrame({"id": [1, 2], "text": ["red", "blue"], "label": ["x", None], "year": [1990, None]})
    corpus = Corpus.from_frame(with_gaps)
    assert corpus.labels == (("x",), ())
    assert [str(time)[:4] for time in corpus.times] == ["1990", "NaT"]


def test_columns_of_pandas(pandas):
    frame = pandas.DataFrame(
        {
            "text": pandas.array(["red fox", None, "blue sea"], dtype="string"),
            "label": pandas.Categorical(["x", "y", None]),
            "date": pandas.to_datetime(["2024-05-01 00:00", None, "2024-05-03 12:00"]),
            "title": [None, "Two", float("nan")],
        },
        index=pandas.Index(["a", "b", "c"], name="key"),
    )
    corpus = Corpus.from_frame(frame, on_error="skip", max_skipped=1.0)
    assert corpus.ids.tolist() == ["a", "c"]
    assert corpus.labels == (("x",), ())
    assert [str(time) for time in corpus.times] == ["2024-05-01T00:00:00", "2024-05-03T12:00:00"]
    assert corpus.skipped["empty document"] == 1
    counts = pandas.DataFrame({"counts": [{"red": 2}, {"fox": 1}]})
    assert Corpus.from_frame(counts).counts.toarray().tolist() == [[0, 2], [1, 0]]
    long = pandas.DataFrame({"text": [f"red word{number}" for number in range(5000)]})
    assert Corpus.from_frame(long).ids[-1] == "5000"
    with pytest.raises(CorpusError, match='two columns with the name "text"'):
        Corpus.from_frame(pandas.DataFrame([["red", "blue"]], columns=["text", "text"]))


def test_arrow_tables(as_dicts):
    pyarrow = pytest.importorskip("pyarrow")
    check_frame(Corpus.from_frame(pyarrow.table(ROWS)), as_dicts)


def test_frames_that_only_speak_the_interchange_protocol(as_dicts):
    pyarrow = pytest.importorskip("pyarrow")
    pytest.importorskip("pyarrow.interchange")

    class Interchange:
        def __dataframe__(self, *arguments, **options):
            return pyarrow.table({"id": ["a"], "text": ["red"]}).__dataframe__(*arguments, **options)

    assert as_dicts(Corpus.from_frame(Interchange())) == {"a": {"red": 1}}


def test_counts_in_frames(as_dicts):
    structs = polars.DataFrame({"id": ["a", "b"], "counts": [{"red": 2, "fox": None}, {"red": None, "fox": 1}]})
    assert as_dicts(Corpus.from_frame(structs)) == {"a": {"red": 2}, "b": {"fox": 1}}
    pairs = polars.DataFrame({"id": ["a"], "counts": [[{"key": "red", "value": 2}, {"key": "fox", "value": 1}]]})
    assert as_dicts(Corpus.from_frame(pairs)) == {"a": {"red": 2, "fox": 1}}


def test_frames_report_rows_and_columns():
    frame = polars.DataFrame({"id": ["a", None], "text": ["red", "blue"]})
    with pytest.raises(CorpusError, match='the data frame, row 2, field "id": the document has no id'):
        Corpus.from_frame(frame)
    assert Corpus.from_frame(frame, on_error="skip", max_skipped=1.0).skipped["missing id"] == 1
    with pytest.raises(CorpusError, match="frame is 7"):
        Corpus.from_frame(7)
    with pytest.raises(CorpusError, match="the fields are id, text"):
        Corpus.from_frame(frame, text="body")


def test_parquet_rows_are_named(tmp_path):
    polars.DataFrame({"id": ["a", "a"], "text": ["red", "blue"]}).write_parquet(tmp_path / "x.parquet")
    with pytest.raises(CorpusError, match=r'^x\.parquet, row 2, field "id"'):
        read_corpus(tmp_path / "x.parquet")


def test_frames_that_need_pyarrow_say_what_to_install(monkeypatch):
    class Interchange:
        def __dataframe__(self):
            raise AssertionError("must not be asked")

    monkeypatch.setitem(sys.modules, "pyarrow.interchange", None)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(CorpusError, match=r"pyarrow.*pip install '\.\[arrow\]'"):
        Corpus.from_frame(Interchange())
