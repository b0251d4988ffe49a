"""Links in a stream: answers about documents that links are known of, which are those of the last slice."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sparse

from plait import Corpus, LinkResponse, OnlineLDA, PlaitError
from plait.report import summarise
from tests.models.linked import of_links
from tests.models.small import WORDS


@pytest.fixture(scope="module")
def stream():
    counts, links = of_links(60)
    times = np.array(["2020-01-05"] * 30 + ["2020-02-05"] * 30, dtype="datetime64[D]")
    ids = [f"doc {row}" for row in range(60)]
    corpus = Corpus.from_matrix(sparse.csr_array(counts), vocabulary=WORDS, ids=ids, links=links, times=times)
    model = OnlineLDA(4, responses=[LinkResponse()], n_sweeps=10, n_samples=2, random_state=0, verbose=False)
    return model.fit(corpus, times="month")


def test_links_are_suggested_for_documents_of_the_last_slice_and_among_them(stream):
    assert (len(stream.doc_ids_), stream.links_.shape) == (60, (30, 30))
    (by_id,) = stream.suggest_missing_links(["doc 45"], top=30)
    (by_row,) = stream.suggest_missing_links([15], top=30)
    assert by_id == by_row
    linked = stream.links_[[15]].indices.tolist() + stream.links_[:, [15]].nonzero()[0].tolist()
    last = [f"doc {row}" for row in range(30, 60)]
    assert {one.id for one in by_id} == {*last} - {last[row] for row in linked} - {"doc 45"}
    assert stream.score_pairs([("doc 45", "doc 31")]) == stream.score_pairs([(15, 1)])


def test_documents_of_an_earlier_slice_are_refused(stream):
    with pytest.raises(PlaitError, match="'doc 0' is of an earlier slice; links are known of those of the last slice"):
        stream.suggest_missing_links(["doc 0"])
    with pytest.raises(PlaitError, match=r"'doc x' is not the id of a training document$"):
        stream.suggest_missing_links(["doc x"])


def test_a_report_names_them(stream):
    missing = summarise(stream).links.missing
    last = {f"doc {row}" for row in range(30, 60)}
    assert missing
    assert {one.document for one in missing} <= last
    assert {link.document for one in missing for link in one.suggestions} <= last
