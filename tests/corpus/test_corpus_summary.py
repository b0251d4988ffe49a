"""What a corpus holds, as numbers and as lines to print."""

from __future__ import annotations

import pytest

from plait.corpus import Corpus
from plait.corpus.container.summary import summarise


def test_the_numbers_of_a_whole_corpus(papers):
    summary = summarise(papers)
    assert (summary.documents, summary.words, summary.tokens, summary.entries) == (4, 4, 10, 7)
    assert (summary.mean_length, summary.median_length, summary.max_length) == (2.5, 2.5, 3)
    assert (summary.links, summary.linked_share) == (3, 1.0)
    assert summary.labels == {"cold": 2, "warm": 1, "wet": 1}
    assert list(summary.labels) == ["cold", "warm", "wet"]
    assert (summary.unlabelled, summary.multilabel, summary.undated) == (1, True, 1)
    assert str(summary.first_time) == "1990-01-05T00:00:00"
    assert str(summary.last_time) == "1991-01-01T00:00:00"
    assert summary.splits == {"test": 1, "train": 2, "": 1}
    assert dict(summary.rows()) == {
        "documents": "4",
        "words": "4",
        "tokens": "10",
        "tokens per document": "mean 2.5, median 2.5, maximum 3",
        "links": "3 (100% of the documents have one)",
        "labels": "3, several per document: cold 2, warm 1, wet 1 (1 unlabelled)",
        "time": "1990-01-05 to 1991-01-01 (1 undated)",
        "splits": "test 1, train 2, (none) 1",
        "skipped": "nothing",
    }


def test_what_is_not_there_is_not_printed():
    corpus = Corpus.from_texts(["red", "", "of"], on_error="skip")
    names = [name for name, _ in summarise(corpus).rows()]
    assert names == ["documents", "words", "tokens", "tokens per document", "skipped"]
    assert summarise(corpus).rows()[-1][1].startswith("2 × empty document")


@pytest.mark.parametrize("field", ["documents", "words", "tokens", "max_length"])
def test_an_empty_corpus_has_a_summary(field):
    empty = Corpus.from_texts(["red"]).select([]).with_vocabulary([])
    assert getattr(summarise(empty), field) == 0


def test_empty_documents_and_many_labels_are_told():
    corpus = Corpus.from_matrix([[0], *[[1]] * 12], labels=[f"label{number:02}" for number in range(13)])
    rows = dict(summarise(corpus).rows())
    assert rows["documents"] == "13 (1 without words)"
    assert rows["labels"].endswith("label09 1, …")
