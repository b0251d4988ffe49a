"""Two commands that write one model: the second stops, and nothing is lost."""

from __future__ import annotations

import time

import pytest

from plait import OnlineLDA
from plait._utils.locking import lock_path
from plait.errors import PlaitError
from plait.store import load
from plait.streaming import Stream, load_stream
from tests.cli.small import write_lines
from tests.cli.streams import months, write_months
from tests.forks import start_plait

LONG = ["--topics", "2", "--sweeps", "200000", "--tolerance", "0", "--samples", "1"]


def _start(model, *arguments):
    """Start a command, and wait until it holds the lock of the model."""
    process = start_plait(*arguments)
    deadline = time.monotonic() + 120
    while not (lock_path(model).exists() and lock_path(model).stat().st_size):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return process


@pytest.mark.parametrize("second", ["fit", "stream"])
def test_the_second_writer_stops_and_names_the_first(run, corpus_file, tmp_path, second):
    model = tmp_path / "m.plait"
    process = _start(model, "fit", corpus_file, "-o", model, *LONG)
    try:
        if second == "fit":
            result = run("fit", corpus_file, "-o", model, "--force")
        else:
            result = run("stream", model, corpus_file)
        assert result.exit_code == 1
        (line,) = result.stderr.splitlines()
        assert line.startswith(f"error: {model} is being written by process {process.pid} on ")
    finally:
        process.kill()
        process.communicate()
    result = run("fit", corpus_file, "-o", model, "--topics", "2", "--sweeps", "5")
    assert result.exit_code == 0
    assert f"locked by process {process.pid} on" in result.stderr
    assert not lock_path(model).exists()


def test_two_streams_lose_no_document(tmp_path):
    rows = months(8)
    model, source = tmp_path / "m.plait", write_lines(tmp_path / "news.jsonl", rows)
    options = ["--by", "month", "--topics", "2", "--sweeps", "60", "--samples", "1", "--tolerance", "0", "--final"]
    first = _start(model, "stream", model, source, *options)
    second = start_plait("stream", model, source, *options)
    _, refused = second.communicate(timeout=120)
    out, errors = first.communicate(timeout=120)
    assert first.returncode == 0, errors
    assert "8 new slices" in out
    if second.returncode:  # the first may have ended before the second started
        assert second.returncode == 1
        assert f"is being written by process {first.pid}" in refused
    assert sum(one.n_documents for one in load(model).slices_) == len(rows)


def test_a_stream_that_another_one_has_continued_must_be_loaded_again(tmp_path):
    files = write_months(tmp_path, months(3))
    path = tmp_path / "m.plait"
    new = OnlineLDA(2, n_sweeps=3, n_samples=1, random_state=0, verbose=False)
    assert len(list(Stream(new, path, final=True).learn_files(files[:1]))) == 1
    early, late = Stream(load_stream(path), path, final=True), Stream(load_stream(path), path, final=True)
    assert len(list(early.learn_files(files[:2]))) == 1
    with pytest.raises(PlaitError, match="was changed by another process since it was loaded; load it again"):
        next(late.learn_files(files))
    assert len(list(early.learn_files(files))) == 1  # the same stream goes on
    assert len(load(path).slices_) == 3
    assert not lock_path(path).exists()
