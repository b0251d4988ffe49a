from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from plait.store import load
from tests.forks import Forked, start_plait

# Sweeps over so few words take no time; it is the checkpoints that leave a second or so to be stopped in.
SWEEPS = 10_000
LONG = ["--topics", "2", "--sweeps", str(SWEEPS), "--tolerance", "0", "--samples", "1"]
CHECKPOINTS = ["--checkpoint-every", "20"]


@pytest.fixture
def start(corpus_file: Path):
    """Start a long fit in a process of its own, and wait for its first checkpoint."""

    def start_fit(model: Path) -> Forked:
        process = start_plait("fit", corpus_file, "-o", model, *LONG, *CHECKPOINTS)
        deadline = time.monotonic() + 60
        while not any(model.with_name(f"{model.name}.checkpoint").glob("generation-*")):
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline, "no checkpoint appeared"
            time.sleep(0.01)
        return process

    return start_fit


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.skipif(sys.platform == "win32", reason="signals end a process at once")
def test_ctrl_c_and_sigterm_save_a_usable_model_that_can_be_resumed(start, run, corpus_file, tmp_path, sent, code):
    path = tmp_path / "m.plait"
    process = start(path)
    process.send_signal(sent)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == code
    assert [one.name for one in tmp_path.iterdir() if "plait" in one.name] == ["m.plait"]  # no checkpoint any more
    assert "Traceback" not in errors
    assert "--resume" in errors
    stopped = load(path)
    assert stopped.interrupted_
    assert stopped.n_sweeps_ < SWEEPS
    assert run("topics", path).exit_code == 0
    result = run("fit", corpus_file, "-o", path, *LONG, "--resume")
    assert result.exit_code == 0, result.stderr
    finished = load(path)
    assert not finished.interrupted_
    assert finished.n_sweeps_ == SWEEPS


@pytest.mark.slow  # starts processes
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system cannot kill a process outright")
def test_a_killed_fit_is_resumed_to_the_same_bits(start, run, corpus_file, tmp_path):
    path, whole = tmp_path / "m.plait", tmp_path / "whole.plait"
    process = start(path)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)
    assert load(path).n_sweeps_ % 20 == 0
    refused = run("topics", path)
    assert (refused.exit_code, "its fit is unfinished; plait fit --resume continues it" in refused.stderr) == (1, True)
    refused = run("fit", corpus_file, "-o", path, *LONG)
    assert (refused.exit_code, "has an unfinished fit; give --resume" in refused.stderr) == (1, True)
    assert run("fit", corpus_file, "-o", path, *LONG, "--resume").exit_code == 0
    assert run("fit", corpus_file, "-o", whole, *LONG).exit_code == 0
    assert np.array_equal(load(path).topic_word_, load(whole).topic_word_)


def test_a_second_ctrl_c_leaves_at_once_and_says_what_is_kept(run, corpus_file, tmp_path, monkeypatch):
    def stop(*arguments: object, **keywords: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("plait.models.LDA.fit", stop)
    result = run("fit", corpus_file, "-o", tmp_path / "m.plait")
    assert (result.exit_code, result.stderr) == (130, "stopped: nothing was saved\n")
    (tmp_path / "m.plait.checkpoint" / "generation-000001").mkdir(parents=True)
    result = run("fit", corpus_file, "-o", tmp_path / "m.plait", "--force", "--checkpoint-every", "5")
    assert result.exit_code == 130
    assert "m.plait.checkpoint holds the fit as it was last saved, and --resume continues it" in result.stderr
