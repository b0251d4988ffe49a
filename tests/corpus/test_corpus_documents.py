"""Excerpts and metadata: read, checked, and kept by every operation on a corpus."""

from __future__ import annotations

import json
import pickle
import tracemalloc

import numpy as np
import polars
import pytest

from plait.corpus import Corpus, CorpusError, read_corpus

TEXTS = ["The red\n  fox", "x" * 1000, "blue sea " * 100]


def speeches(**changes):
    given = {"ids": ["a", "b", "c"], "metadata": {"party": ["red", None, "blue"], "seat": [1, 2.0, 3.5]}}
    return Corpus.from_texts(TEXTS, **(given | changes))


def values_of(corpus: Corpus) -> dict[str, list[str]]:
    return {name: values.tolist() for name, values in corpus.metadata.items()}


def test_excerpts_are_the_first_200_characters_with_white_space_collapsed():
    corpus = speeches()
    assert corpus.excerpts[0] == "The red fox"
    assert corpus.excerpts[1] == "x" * 199 + "…"
    assert corpus.excerpts[2].startswith("blue sea blue")
    assert corpus.excerpts[2].endswith("sea…")
    assert max(map(len, corpus.excerpts)) <= 200
    assert corpus[0].excerpt == "The red fox"
    assert Corpus.from_texts(["\n" * 5000 + "red fox"]).excerpts[0] == "red fox"


def test_excerpts_of_mails_begin_at_their_text():
    mail = "From: joe@b.edu (Joe)\nSubject: Re: Mars\nLines: 2\n\nAnn writes:\n> Is Mars red?\nYes, Mars is red."
    assert Corpus.from_texts([mail]).excerpts[0] == "Re: Mars > Is Mars red? Yes, Mars is red."
    assert Corpus.from_texts([mail], titles=["Re: Mars"]).excerpts[0] == "> Is Mars red? Yes, Mars is red."
    assert Corpus.from_texts([mail], urls="keep").excerpts[0].startswith("From: joe@b.edu (Joe) Subject:")
    assert Corpus.from_texts(["Mars is red"], titles=["Mars"]).excerpts[0] == "Mars is red"


def test_counts_and_tokens_have_no_excerpts(write_jsonl):
    assert Corpus.from_matrix([[1, 2]]).excerpts is None
    assert read_corpus(write_jsonl({"id": 1, "counts": {"red": 2}})).excerpts is None
    assert read_corpus(write_jsonl({"id": 1, "tokens": ["red", "fox"]})).excerpts is None


@pytest.mark.slow  # tracing takes long
def test_memory_of_a_long_text_is_not_kept():
    Corpus.from_texts(("long " * 40 + str(number) for number in range(5)), stop_words=None)  # imports what it needs
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    corpus = Corpus.from_texts(("long " * 4_000 + str(number) for number in range(200)), stop_words=None)
    kept = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert len(corpus) == 200
    assert kept < 200 * 2000  # the texts have 20,000 characters each


def test_metadata_is_text_or_numbers_as_text():
    corpus = speeches()
    assert values_of(corpus) == {"party": ["red", "", "blue"], "seat": ["1", "2", "3.5"]}
    assert dict(corpus[2].metadata) == {"party": "blue", "seat": "3.5"}
    with pytest.raises(CorpusError, match=r'texts, item 1, field "party": \[1\] is neither text nor a number'):
        speeches(metadata={"party": [[1], "x", "y"]})


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ({"party": ["red"]}, r'metadata\["party"\] has 1 entries but there are more texts'),
        ({"party": ["red"] * 4}, r'metadata\["party"\] has 4 entries but there are 3 texts'),
        (["party"], "metadata is .* give a mapping"),
        ({"party": "red"}, "metadata is .* give a mapping"),
    ],
)
def test_bad_metadata(metadata, message):
    with pytest.raises(CorpusError, match=message):
        speeches(metadata=metadata)


def test_fields_are_checked_against_the_documents():
    whole = speeches()
    with pytest.raises(CorpusError, match="excerpts has 1 entries but there are 3 documents"):
        whole._with(excerpts=["x"])
    with pytest.raises(CorpusError, match=r"excerpts\[1\] has 201 characters; give at most 200"):
        whole._with(excerpts=["x", "y" * 201, ""])
    with pytest.raises(CorpusError, match=r"excerpts\[0\] is 7; it must be text"):
        whole._with(excerpts=[7, "", ""])
    with pytest.raises(CorpusError, match=r'metadata\["party"\] has 1 entries but there are 3 documents'):
        whole._with(metadata={"party": ["x"]})
    with pytest.raises(CorpusError, match="a field of metadata is 3"):
        whole._with(metadata={3: ["x", "y", "z"]})
    with pytest.raises(CorpusError, match="is None; give one text per document"):
        whole._with(metadata={"party": None})


def test_matrices_have_metadata():
    corpus = Corpus.from_matrix([[1], [2]], metadata={"party": ["red", None]})
    assert values_of(corpus) == {"party": ["red", ""]}
    with pytest.raises(CorpusError, match=r'metadata\["party"\]\[1\]'):
        Corpus.from_matrix([[1], [2]], metadata={"party": ["red", ["x"]]})


def test_files_and_frames_name_the_fields_of_metadata(write_jsonl):
    rows = [{"id": "a", "text": "red fox", "party": "p", "seat": 4}, {"id": "b", "text": "blue sea", "party": None}]
    corpus = read_corpus(write_jsonl(*rows), metadata=["seat", "party"])
    assert values_of(corpus) == {"seat": ["4", ""], "party": ["p", ""]}
    assert read_corpus(write_jsonl(*rows)).metadata is None
    frame = polars.DataFrame({"id": ["a", "b"], "text": ["red fox", "blue sea"], "seat": [4, None]})
    assert values_of(Corpus.from_frame(frame, metadata=["seat"])) == {"seat": ["4", ""]}
    dated = polars.DataFrame({"text": ["red"], "founded": ["1990-05-02"]}).with_columns(
        polars.col("founded").str.to_date()
    )
    assert values_of(Corpus.from_frame(dated, metadata=["founded"])) == {"founded": ["1990-05-02"]}


@pytest.mark.parametrize("on_error", ["raise", "skip"])
def test_a_metadata_field_that_no_document_has_is_an_error(write_jsonl, on_error):
    path = write_jsonl({"id": "a", "text": "red fox", "party": "p"})
    with pytest.raises(CorpusError, match='no document has the field "parti", given for metadata; the fields are id'):
        read_corpus(path, metadata=["parti"], on_error=on_error)
    with pytest.raises(CorpusError, match='metadata is "party"; give a list of field names'):
        read_corpus(path, metadata="party")


def test_a_format_without_fields_refuses_metadata(write):
    write("texts/a.txt", "red fox")
    with pytest.raises(CorpusError, match="has no named fields"):
        read_corpus(write("texts/b.txt", "blue").parent, metadata=["party"])


def test_selection_slices_and_pickles_keep_both():
    corpus = speeches(times=[1990, 1991, 1992])
    for selected in (corpus.select(["c", "a"]), corpus[[2, 0]], pickle.loads(pickle.dumps(corpus))[[2, 0]]):
        assert values_of(selected) == {"party": ["blue", "red"], "seat": ["3.5", "1"]}
        assert selected.excerpts.tolist() == corpus.excerpts[[2, 0]].tolist()
        with pytest.raises(ValueError, match="read-only"):
            selected.excerpts[0] = "x"
        with pytest.raises(ValueError, match="read-only"):
            selected.metadata["party"][0] = "x"
        with pytest.raises(TypeError):
            selected.metadata["party"] = []
    train, test = corpus.split(1, random_state=0)
    assert len(train.metadata["party"]) == len(train.excerpts) == 2
    assert test.excerpts[0] == corpus[test.ids[0] == corpus.ids].excerpts[0]
    last = corpus.slice_by_time("year")[-1][1]
    assert values_of(last) == {"party": ["blue"], "seat": ["3.5"]}
    assert values_of(corpus.filter_words(min_df=1))["party"] == ["red", "", "blue"]


def test_a_merged_corpus_has_the_fields_of_both():
    first = speeches()
    merged = first.merge(Corpus.from_texts(["sky"], ids=["d"], like=first, metadata={"seat": [9], "age": [40]}))
    assert values_of(merged) == {
        "party": ["red", "", "blue", ""],
        "seat": ["1", "2", "3.5", "9"],
        "age": ["", "", "", "40"],
    }
    assert merged.excerpts[-1] == "sky"
    assert first.merge(Corpus.from_matrix([[1]], ids=["d"])).excerpts.tolist() == [*first.excerpts, ""]
    assert Corpus.from_matrix([[1]]).merge(Corpus.from_matrix([[1]], ids=["b"])).metadata is None


def test_pickles_of_earlier_versions_have_neither():
    old = speeches()
    state = {name: value for name, value in vars(old).items() if name not in ("excerpts", "metadata")}
    corpus = object.__new__(Corpus)
    corpus.__setstate__(state)
    assert corpus.excerpts is None
    assert corpus.metadata is None
    assert np.array_equal(corpus.ids, old.ids)


def test_a_text_that_looks_like_json_is_an_excerpt(write):
    path = write("x.jsonl", json.dumps({"id": "a", "text": '{"red": 1} fox'}))
    assert read_corpus(path).excerpts.tolist() == ['{"red": 1} fox']
