"""Streams with edited topics: past counts, records, carried weights, and the slices that follow."""

from __future__ import annotations

import numpy as np
import pytest

import plait
from plait import Corpus, LabelResponse, LinkResponse, OnlineLDA, PlaitError
from plait.models.editing.operations import drop, merge, split
from plait.models.online.editing import _edit_carried
from plait.responses.carried import Carried
from tests.models.planted import QUICK, X, cosines

SETTLE = {"n_sweeps": 20}
SLICES = [X[:40], X[40:80], X[80:]]


def stream(window=2, **changes):
    model = OnlineLDA(5, window=window, **(QUICK | changes))
    for own in SLICES:
        model.partial_fit(own)
    return model


@pytest.fixture(scope="module")
def model():
    return stream()


def test_past_counts_of_merged_topics_are_added(model):
    new = model.merge_topics([[1, 3]], SLICES[-1], **SETTLE)
    assert len(new._past) == len(model._past) == 3
    for before, after in zip(model._past[:-1], new._past[:-1], strict=True):
        np.testing.assert_allclose(after, [before[0], before[1] + before[3], before[2], before[4]])
    np.testing.assert_allclose(new._past[-1].sum(axis=0), SLICES[-1].sum(axis=0), rtol=1e-5)


def test_past_counts_of_a_dropped_topic_are_removed(model):
    new = model.drop_topics([2], SLICES[-1], **SETTLE)
    for before, after in zip(model._past[:-1], new._past[:-1], strict=True):
        np.testing.assert_allclose(after, before[[0, 1, 3, 4]])
    assert new.slices_[0].topic_tokens.sum() < new.slices_[0].n_tokens
    np.testing.assert_allclose(new.slices_[-1].topic_share.sum(), 1.0)


def test_past_counts_of_a_split_topic_are_divided_by_word(model):
    merged = model.merge_topics([[1, 3]], SLICES[-1], **SETTLE)
    new = merged.split_topic(1, SLICES[-1], **SETTLE)
    for before, after in zip(merged._past[:-1], new._past[:-1], strict=True):
        np.testing.assert_allclose(after[[0, 2, 3]], before[[0, 2, 3]])
        np.testing.assert_allclose(after[1] + after[4], before[1], rtol=1e-5)
    # The parts are the two topics before the merge, so their past is, too.
    first = new._past[0][[1, 4]]
    found = cosines(model._past[0][[1, 3]].astype(float), first.astype(float))
    assert found.max(axis=1).min() > 0.95
    assert cosines(model.topic_word_, new.topic_word_).max(axis=1).min() > 0.9


@pytest.mark.parametrize("edit", [merge([[1, 3]], 5), drop([2], 5), split(2, 3, 5)], ids=["merge", "drop", "split"])
def test_records_of_past_slices_follow_the_topics(model, edit):
    operation = edit.record["operation"]
    call = {
        "merge": lambda: model.merge_topics([[1, 3]], SLICES[-1], **SETTLE),
        "drop": lambda: model.drop_topics([2], SLICES[-1], **SETTLE),
        "split": lambda: model.split_topic(2, SLICES[-1], into=3, **SETTLE),
    }[operation]
    new = call()
    kept = [(j, own[0]) for j, own in enumerate(edit.origins) if not edit.changed[j]]
    for before, after in zip(model.slices_[:-1], new.slices_[:-1], strict=True):
        after.check_sizes(edit.n_topics)
        for j, k in kept:
            assert after.topic_tokens[j] == before.topic_tokens[k]
            assert after.topic_repeats[j] == pytest.approx(before.topic_repeats[k])
            assert after.words[j].tolist() == before.words[k].tolist()
            np.testing.assert_array_equal(after.drift[j], before.drift[k])
        for j in np.flatnonzero(edit.changed):
            assert np.isnan(after.drift[j])
            assert np.isnan(after.novelty[j])
            assert (after.risen[j] == "").all()
            assert (np.diff(after.probabilities[j]) <= 1e-6).all()
            assert len(set(after.words[j])) == after.words.shape[1]
        lost = before.topic_tokens[2] if operation == "drop" else 0
        assert after.topic_tokens.sum() == pytest.approx(before.topic_tokens.sum() - lost)
    last, old = new.slices_[-1], model.slices_[-1]
    assert (last.label, last.n_documents, last.n_tokens, last.n_new_words) == (
        old.label,
        old.n_documents,
        old.n_tokens,
        old.n_new_words,
    )
    assert last.seed != old.seed
    assert not np.isnan(last.drift).all()
    assert new.new_words_ == model.new_words_


def test_the_stream_continues_with_the_edited_topics(model, tmp_path):
    new = model.merge_topics([[1, 3]], SLICES[-1], **SETTLE)
    again = plait.load(plait.save(new, tmp_path / "stream.plait"))
    for one in (new, again):
        one.partial_fit(SLICES[0])
        assert one.topic_word_.shape[0] == 4
        assert len(one.slices_) == 4
        assert len(one.edits_) == 1
        assert len(one.trend(3)) == 4
    assert np.array_equal(new.topic_word_, again.topic_word_)


def test_documents_of_all_slices_keep_their_places():
    times = np.repeat(["2020-01-01", "2020-02-01", "2020-03-01"], 40)
    words = [f"w{column}" for column in range(X.shape[1])]
    texts = [" ".join(np.repeat(words, row)) for row in X]
    corpus = Corpus.from_texts(texts, ids=[f"d{row}" for row in range(120)], times=times)
    whole = OnlineLDA(5, window=1, **QUICK).fit(corpus, times="month")
    last = corpus[80:]
    for new in (whole.merge_topics([[0, 1]], last, **SETTLE), whole.split_topic(0, last, **SETTLE)):
        assert new.doc_topic_.shape == (120, new.n_topics)
        assert new.doc_ids_.tolist() == corpus.ids.tolist()
        np.testing.assert_allclose(new.doc_topic_.sum(axis=1), 1.0)
    merged = whole.merge_topics([[0, 1]], last, **SETTLE)
    np.testing.assert_allclose(merged.doc_topic_[:80, 0], whole.doc_topic_[:80, :2].sum(axis=1))
    dropped = whole.drop_topics([0], last, **SETTLE)
    expected = whole.doc_topic_[:80, 1:] / whole.doc_topic_[:80, 1:].sum(axis=1, keepdims=True)
    np.testing.assert_allclose(dropped.doc_topic_[:80], expected)


def test_empty_slices_after_the_last_one_stay():
    model = stream().partial_fit(np.zeros((2, X.shape[1]), dtype=int))
    assert model.slices_[-1].empty
    new = model.merge_topics([[0, 1]], SLICES[-1], **SETTLE)
    assert [one.empty for one in new.slices_] == [False, False, False, True]
    assert new.slices_[-1].topic_tokens.size == 4
    new.partial_fit(SLICES[0])
    assert len(new.slices_) == 5


def test_forgotten_words_stay_forgotten(tmp_path):
    def texts(rows, word):
        return Corpus.from_texts(
            [" ".join([word, *np.repeat([f"w{c}" for c in range(X.shape[1])], row)]) for row in rows]
        )

    model = OnlineLDA(5, window=1, forget_after=1, **QUICK)
    last = texts(SLICES[1], "new")
    model.partial_fit(texts(SLICES[0], "old")).partial_fit(last)
    assert "old" not in model.vocabulary_
    new = model.drop_topics([0], last, **SETTLE)
    assert new.vocabulary_.tolist() == model.vocabulary_.tolist()
    assert new.slices_[-1].n_forgotten_words == model.slices_[-1].n_forgotten_words > 0
    plait.load(plait.save(new, tmp_path / "stream.plait"))
    with pytest.raises(PlaitError, match="the stream learned last"):
        model.drop_topics([0], texts(SLICES[2], "new"), **SETTLE)


def test_what_a_stream_has_read_stays(model):
    from plait.models.online import Consumed

    read = model.name_topics({})
    read.consumed_ = Consumed("month", {})
    assert read.merge_topics([[0, 1]], SLICES[-1], **SETTLE).consumed_ == Consumed("month", {})


def test_carried_weights_follow_the_topics():
    weights = np.array([[1.0, 3.0, 5.0]])
    labels = Carried(weights, np.array(["a"]))
    origins = merge([[0, 1]], 3).origins
    assert _edit_carried("labels", labels, origins).weights.tolist() == [[2.0, 5.0]]
    full = Carried(np.arange(9.0).reshape(3, 3), None, "full")
    assert _edit_carried("links", full, origins).weights.tolist() == [[2.0, 3.5], [6.5, 8.0]]
    assert _edit_carried("links", full, split(2, 2, 3).origins).weights.shape == (4, 4)
    diagonal = Carried(np.diag([1.0, 3.0, 5.0]), None, "diagonal")
    assert np.diag(_edit_carried("links", diagonal, origins).weights).tolist() == [2.0, 5.0]


def test_a_stream_with_responses_carries_weights_on():
    labels = np.array(list("ab"))[np.arange(40) % 2]
    links = np.eye(40, k=1, dtype=int)
    model = OnlineLDA(5, window=1, responses=[LabelResponse(), LinkResponse()], **QUICK)
    model.partial_fit(SLICES[0], labels, links=links).partial_fit(SLICES[1], labels, links=links)
    new = model.drop_topics([1], SLICES[1], labels, links=links, **SETTLE)
    assert new._carried["labels"].weights.shape[1] == 4
    assert new._carried["links"].weights.shape == (4, 4)
    new.partial_fit(SLICES[2], labels, links=links)
    assert new.predict(SLICES[2]).shape == (40,)


def test_an_unfinished_stream_cannot_be_edited(model):
    unfinished = model.name_topics({})
    unfinished._gathered = []
    with pytest.raises(PlaitError, match="resume it"):
        unfinished.drop_topics([0], SLICES[-1])


def test_a_stream_without_window_is_edited():
    model = stream(window=0)
    new = model.split_topic(0, SLICES[-1], **SETTLE)
    assert new.topic_word_.shape[0] == 6
    np.testing.assert_allclose(new._past[0].sum(axis=0), SLICES[-1].sum(axis=0), rtol=1e-5)
