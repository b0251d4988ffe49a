"""Every command that writes: a full disk ends in one line that names the file, and the old file stays."""

from __future__ import annotations

import errno
import os
import warnings

import pytest

from plait import LDA, Corpus, PlaitError
from plait._utils.atomic import WriteError
from plait.report import write_report
from plait.store import load
from tests.cli.small import QUICK, THREE, write_lines
from tests.cli.streams import SMALL, months
from tests.full_disk import file_size_limit

SIZE = 20  # bytes of a file that fit on the disk


def _check(run, output, *command):
    output.write_bytes(b"old")
    beside = set(output.parent.iterdir())
    with file_size_limit(SIZE):
        result = run(*command)
    assert result.exit_code == 1
    (line,) = [line for line in result.stderr.splitlines() if line.startswith("error: ")]
    assert output.name in line
    assert "File too large" in line
    assert output.read_bytes() == b"old"
    assert set(output.parent.iterdir()) == beside


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.parquet"])
@pytest.mark.parametrize("command", ["transform", "predict"])
def test_tables_of_documents(run, label_model, labelled_file, tmp_path, command, name):
    output = tmp_path / name
    _check(run, output, command, label_model, labelled_file, "-o", output, "--force")


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.parquet"])
def test_links(run, link_model, tmp_path, name):
    _check(run, tmp_path / name, "links", link_model, "-o", tmp_path / name, "--force")


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_influence(run, influence_model, tmp_path, name):
    _check(run, tmp_path / name, "influence", influence_model, "-o", tmp_path / name, "--force")


@pytest.mark.parametrize(
    ("command", "name"), [("topics", "t.csv"), ("topics", "t.json"), ("topics", "t.txt"), ("report", "r.html")]
)
def test_views_of_a_model(run, label_model, tmp_path, command, name):
    _check(run, tmp_path / name, command, label_model, "-o", tmp_path / name, "--force")


def test_confusion(run, label_model, labelled_file, tmp_path):
    output = tmp_path / "c.csv"
    _check(run, output, "evaluate", label_model, labelled_file, "--confusion", output, "--force")


def test_fit(run, corpus_file, tmp_path):
    _check(run, tmp_path / "m.plait", "fit", corpus_file, "-o", tmp_path / "m.plait", "--force", *QUICK)


def test_knowledge(run, corpus_file, tmp_path):
    titled = [{"title": word, "text": f"{word} water bank"} for word in ("river", "money", "loan", "lake")]
    articles = write_lines(tmp_path / "articles.jsonl", titled)
    output = tmp_path / "p.plait"
    options = ["-o", output, "--force", "--topics", "2", "--sweeps", "5"]
    _check(run, output, "knowledge", articles, corpus_file, *options)


def test_stream_and_trends(run, tmp_path):
    files = write_lines(tmp_path / "news.jsonl", months(3))
    model = tmp_path / "m.plait"
    assert run("stream", model, files, "--by", "month", *SMALL).exit_code == 0
    saved = model.read_bytes()
    output = tmp_path / "t.csv"
    _check(run, output, "trends", model, "--csv", output, "--force")
    with file_size_limit(SIZE):
        result = run("stream", model, files, "--by", "month", "--final")
    assert (result.exit_code, model.read_bytes()) == (1, saved)
    assert "m.plait could not be written: File too large" in result.stderr


def test_a_report_of_the_library_names_the_file(tmp_path):
    model = LDA(2, n_sweeps=3, random_state=0, verbose=False).fit(Corpus.from_texts(["river lake", "money bank"] * 5))
    with file_size_limit(SIZE), pytest.raises(ValueError, match=r"r\.html could not be written: File too large"):
        write_report(model, tmp_path / "r.html")
    assert list(tmp_path.iterdir()) == []


# Checkpoints


def _fail_after(monkeypatch, number):
    """Let all but the first saves fail as on a full disk; return the list of calls."""
    calls = []

    def sync(descriptor):
        calls.append(descriptor)
        if len(calls) > number:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", sync)
    return calls


def test_a_full_disk_at_a_checkpoint_is_a_warning_and_the_last_checkpoint_stays(tmp_path, monkeypatch):
    corpus = Corpus.from_texts(["river lake", "money bank"] * 10)
    path = tmp_path / "m.plait"
    calls = _fail_after(monkeypatch, 9)  # the checkpoints at the start and after five sweeps
    model = LDA(2, n_sweeps=20, n_samples=1, tolerance=0, random_state=0, verbose=False)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        model.fit(corpus, checkpoint=path, checkpoint_every=5)
    assert len(calls) > 10
    assert not model.interrupted_
    assert model.n_sweeps_ == 20
    (said,) = {str(one.message) for one in caught}
    assert said.startswith(
        f"the fit continues without this checkpoint: {path}.checkpoint could not be written: No spac"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["m.plait.checkpoint"]
    monkeypatch.undo()
    assert load(path).n_sweeps_ == 5
    resumed = load(path).resume(corpus)
    assert (resumed.topic_word_ == model.topic_word_).all()


def test_the_final_save_of_a_fit_on_a_full_disk_is_an_error(run, corpus_file, tmp_path, monkeypatch):
    calls = _fail_after(monkeypatch, 9)
    result = run("fit", corpus_file, "-o", tmp_path / "m.plait", *THREE, "--checkpoint-every", "10")
    assert result.exit_code == 1
    assert len(calls) > 10
    *warned, error = result.stderr.splitlines()
    assert all(line.startswith("warning: the fit continues without this checkpoint") for line in warned)
    assert error.startswith(f"error: {tmp_path / 'm.plait'} could not be written: No space left on device")
    monkeypatch.undo()
    assert load(tmp_path / "m.plait").n_sweeps_ == 10


@pytest.mark.parametrize("number", [0, 2])
def test_a_full_disk_is_an_error_before_the_first_sweep(tmp_path, monkeypatch, number):
    _fail_after(monkeypatch, number)
    monkeypatch.setattr("plait.engine.chain.Chain.sweep", lambda chain: pytest.fail("a sweep was done"))
    with pytest.raises(WriteError, match=r"could not be written: No space left on device"):
        LDA(2, n_sweeps=5, verbose=False).fit([[1, 2], [2, 1]], checkpoint=tmp_path / "m.plait")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_an_error_before_the_first_sweep(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(PlaitError, match=r"m\.plait.* cannot be written"):
        LDA(2, n_sweeps=5, verbose=False).fit([[1, 2], [2, 1]], checkpoint=tmp_path / "m.plait")


def test_a_file_in_the_place_of_the_checkpoint_is_an_error_before_the_first_sweep(tmp_path):
    (tmp_path / "m.plait.checkpoint").write_text("a file")
    with pytest.raises(WriteError, match=r"m\.plait\.checkpoint is a file, and checkpoints are a folder"):
        LDA(2, n_sweeps=5, verbose=False).fit([[1, 2], [2, 1]], checkpoint=tmp_path / "m.plait")


def test_a_checkpoint_that_can_never_be_written_is_an_error_before_the_first_sweep(tmp_path):
    model = LDA(2, n_sweeps=5, verbose=False)
    with pytest.raises(ValueError, match="there is no folder"):
        model.fit([[1, 2], [2, 1]], checkpoint=tmp_path / "no" / "m.plait")
    assert not hasattr(model, "topic_word_")
