"""Labels, numbers and links in a stream: what a slice learns of their weights is what the next one expects."""

from __future__ import annotations

import numpy as np
import pytest

import plait
from plait import Corpus, LabelResponse, LinkResponse, OnlineLDA, PlaitError, ValueResponse
from plait.models.online.state import StreamState

QUICK = {"n_topics": 2, "n_sweeps": 30, "n_samples": 3, "sample_every": 2, "fold_in_sweeps": 6, "random_state": 2}
QUICK |= {"verbose": False, "tolerance": 0.0}
TEXTS = ["river stream water", "water river bank", "money loan bank", "loan money credit"]
NAMES = ["nature", "nature", "finance", "finance"]


def labelled(n_times, names=NAMES):
    return Corpus.from_texts(TEXTS * n_times, labels=names * n_times)


def test_labels_of_a_later_slice_begin_where_the_earlier_one_ended():
    stream = OnlineLDA(**QUICK, responses=[LabelResponse(c=1.0)])
    stream.partial_fit(labelled(12))
    learned = stream._carried["labels"]
    assert learned.names.tolist() == ["finance", "nature"]
    np.testing.assert_allclose(learned.weights[1], stream.label_weights_[0])
    given = {"labels": stream.responses[0].read(labelled(2), None, words_of(2), 2)}
    (response,) = stream._slice_responses(StreamState.of(stream), given)
    np.testing.assert_allclose(response.mean[0], stream.label_weights_[0])
    # Two stories say little; what was learned before still tells the classes apart.
    stream.partial_fit(labelled(1))
    alone = OnlineLDA(**QUICK, window=0, responses=[LabelResponse(c=1.0)])
    alone.partial_fit(labelled(12)).partial_fit(labelled(1))
    assert alone._carried == {}
    spread = [np.ptp(model.label_weights_) for model in (stream, alone)]
    assert spread[0] > 1.1 * spread[1]
    new = Corpus.from_texts(["stream water water", "credit loan loan"])
    assert stream.predict(new).tolist() == ["nature", "finance"]


def words_of(n_times):
    from plait.inputs.words import Words

    corpus = labelled(n_times)
    return Words(corpus.counts, corpus.vocabulary, corpus.ids)


def test_a_label_that_comes_late_and_one_that_pauses():
    stream = OnlineLDA(**QUICK, responses=[LabelResponse(c=1.0)])
    stream.partial_fit(labelled(8))
    three = Corpus.from_texts([*TEXTS, "goal match team"] * 8, labels=[*NAMES, "sport"] * 8)
    stream.partial_fit(three)
    assert stream.classes_.tolist() == ["finance", "nature", "sport"]
    stream.partial_fit(labelled(8))
    assert stream.classes_.tolist() == ["finance", "nature"]
    assert sorted(stream._carried["labels"].names.tolist()) == ["finance", "nature", "sport"]
    assert stream.partial_fit(three).predict(Corpus.from_texts(["river water"])).tolist() == ["nature"]


def test_numbers_go_over_in_their_own_unit():
    stream = OnlineLDA(**QUICK, responses=[ValueResponse()])
    values = np.array([10.0, 12.0, 50.0, 52.0] * 12)
    stream.partial_fit(Corpus.from_texts(TEXTS * 12), values=values)
    before = stream._carried["values"].weights
    stream.partial_fit(Corpus.from_texts(TEXTS * 12), values=values + 1000)
    shifted = stream._carried["values"].weights
    assert (shifted - before).min() > 500
    low, high = stream.predict(Corpus.from_texts(["river stream water river", "money loan credit money"]))
    assert low + 10 < high


def test_links_in_a_stream(tmp_path):
    ids = [str(number) for number in range(24)]
    links = [(str(i), str(i + 4)) for i in range(20)]
    corpus = Corpus.from_texts(TEXTS * 6, ids=ids, links=links)
    stream = OnlineLDA(**QUICK, responses=[LinkResponse(form="diagonal")])
    stream.partial_fit(corpus).partial_fit(corpus)
    assert stream._carried["links"].form == "diagonal"
    assert stream.score_links(Corpus.from_texts(["river water"])).shape == (1, 24)
    stream.set_params(responses=[LinkResponse(form="full")])
    with pytest.raises(PlaitError, match="weights of links were diagonal"):
        stream.partial_fit(corpus)


def test_carried_weights_are_saved(tmp_path):
    stream = OnlineLDA(**QUICK, responses=[LabelResponse(c=1.0)]).partial_fit(labelled(4))
    loaded = plait.load(plait.save(stream, tmp_path / "stream.plait"))
    for model in (stream, loaded):
        model.partial_fit(labelled(3))
    assert stream.label_weights_.tobytes() == loaded.label_weights_.tobytes()
    left, right = (plait.save(model, tmp_path / name).read_bytes() for model, name in ((stream, "a"), (loaded, "b")))
    assert left == right


def test_fit_gives_every_slice_its_part_of_what_is_to_be_explained():
    corpus = Corpus.from_texts(TEXTS * 8, times=["2024-01-01", "2024-01-02"] * 16)
    y = np.array(NAMES * 8)
    whole = OnlineLDA(**QUICK, responses=[LabelResponse(c=1.0)]).fit(corpus, y, times="day")
    pieces = OnlineLDA(**QUICK, responses=[LabelResponse(c=1.0)])
    for start, (label, part) in enumerate(corpus.slice_by_time("day")):
        pieces.partial_fit(part, y[start::2], label=label)
    assert whole.label_weights_.tobytes() == pieces.label_weights_.tobytes()
