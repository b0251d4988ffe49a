"""Streams in Python: slices of files, crash safety, and options that cannot change."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest

from plait import LDA, OnlineLDA, PlaitError, read_corpus, save
from plait.streaming import Stream, StreamReading, load_stream
from tests.cli.small import write_lines
from tests.cli.streams import months, write_months


def make_model() -> OnlineLDA:
    return OnlineLDA(3, window=2, n_sweeps=8, n_samples=2, sample_every=2, random_state=0, verbose=False)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Three files, one per month."""
    return write_months(tmp_path_factory.mktemp("months"), months(3))


def test_slices_are_those_of_partial_fit(files, tmp_path):
    stream = Stream(make_model(), tmp_path / "m.plait", by="month", final=True)
    learned = list(stream.learn_files(files))
    assert [(one.label, one.record.n_documents, one.n_empty) for one in learned] == [
        (f"2020-0{number}", 12, 0) for number in (1, 2, 3)
    ]
    assert all(one.seconds > 0 and not one.skipped for one in learned)
    model = make_model()
    for file in files:
        model.partial_fit(read_corpus(file), label=file.stem)
    assert np.array_equal(load_stream(tmp_path / "m.plait").topic_word_, model.topic_word_)
    assert (stream.n_learned, stream.n_waiting, stream.saved_label()) == (3, 0, "2020-03")


def test_a_stopped_stream_continues_to_the_same_bytes(files, tmp_path):
    whole, path = tmp_path / "whole.plait", tmp_path / "m.plait"
    list(Stream(make_model(), whole, by="month", final=True).learn_files(files))
    stream = Stream(make_model(), path, by="month", final=True)
    assert stream.saved_label() is None
    next(stream.learn_files(files))  # the process ends after the first slice
    assert stream.saved_label() == "2020-01"
    stream = Stream(load_stream(path), path, final=True)
    assert [one.label for one in stream.learn_files(files)] == ["2020-02", "2020-03"]
    assert path.read_bytes() == whole.read_bytes()


def test_the_last_slice_waits_for_its_end(files, tmp_path):
    path = tmp_path / "m.plait"
    stream = Stream(make_model(), path, by="month")
    assert len(list(stream.learn_files(files[:2]))) == 1
    assert (stream.n_waiting, stream.n_learned) == (12, 1)
    with pytest.raises(PlaitError, match=r"12 documents of .* were not learned last time") as caught:
        list(Stream(load_stream(path), path).learn_files(files[2:]))
    assert caught.value.parameter == "drop_waiting"
    stream = Stream(load_stream(path), path, drop_waiting=True, final=True)
    assert [one.label for one in stream.learn_files(files[2:])] == ["2020-03"]


def test_json_lines_from_a_pipe(tmp_path):
    lines = "".join(json.dumps(row) + "\n" for row in months(2)).encode()
    stream = Stream(make_model(), tmp_path / "m.plait", by=12)
    assert len(list(stream.learn_input(io.BytesIO(lines)))) == 2
    stream = Stream(load_stream(tmp_path / "m.plait"), tmp_path / "m.plait")
    assert list(stream.learn_input(io.BytesIO(lines))) == []
    with pytest.raises(PlaitError, match="has no files to divide it by") as caught:
        list(Stream(make_model(), tmp_path / "n.plait").learn_input(io.BytesIO(lines)))
    assert caught.value.parameter == "by"


def test_a_folder_is_watched(files, tmp_path):
    idle = []
    stream = Stream(make_model(), tmp_path / "m.plait")
    slices = stream.learn_folder(files[0].parent, every=0.01, on_idle=lambda: idle.append(True))
    assert [next(slices).label for _ in range(3)] == ["2020-01", "2020-02", "2020-03"]
    assert idle == []  # there was always something to do
    with pytest.raises(PlaitError, match="is not a folder"):
        next(stream.learn_folder(files[0]))


@pytest.mark.parametrize(
    ("options", "parameter", "message"),
    [
        ({"by": "week"}, "by", "was started with by month, not week"),
        ({"reading": StreamReading(min_df=2)}, "min_df", "was started with min_df 1, not 2"),
        (
            {"reading": StreamReading(text_field=["title"])},
            "text",
            "was started with text_field None",
        ),
    ],
)
def test_reading_cannot_change(files, tmp_path, options, parameter, message):
    path = tmp_path / "m.plait"
    list(Stream(make_model(), path, by="month").learn_files(files[:2]))
    with pytest.raises(PlaitError, match=message) as caught:
        Stream(load_stream(path), path, **options)
    assert caught.value.parameter == parameter


@pytest.mark.parametrize(("parameter", "value"), [("late", "never"), ("by", "decade"), ("by", 0)])
def test_invalid_options(tmp_path, parameter, value):
    with pytest.raises(PlaitError, match=f"^{parameter} must be one of") as caught:
        Stream(make_model(), tmp_path / "m.plait", **{parameter: value})
    assert caught.value.parameter == parameter


def test_an_existing_file_is_not_overwritten_by_a_new_model(files, tmp_path):
    path = tmp_path / "m.plait"
    list(Stream(make_model(), path).learn_files(files[:1]))
    with pytest.raises(PlaitError, match="exists already; continue it with load_stream"):
        Stream(make_model(), path)
    other = save(LDA(2, n_sweeps=2, n_samples=1, verbose=False).fit(read_corpus(files[0])), tmp_path / "lda.plait")
    with pytest.raises(PlaitError, match=r"holds another model \(LDA\), which does not learn slice by slice"):
        load_stream(other)


def test_late_documents_name_the_parameter(files, tmp_path):
    rows = months(2)
    late = write_lines(tmp_path / "late.jsonl", [*rows[12:], rows[0]])
    with pytest.raises(PlaitError, match="is before the current slice, 2020-02") as caught:
        list(Stream(make_model(), tmp_path / "m.plait", by="month").learn_files([late]))
    assert caught.value.parameter == "late"
