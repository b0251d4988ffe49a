"""Locks of models: one writer at a time, also among processes, and no lock outlives its process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading

import pytest

from plait._utils.locking import lock_for_writing, lock_path
from plait.errors import PlaitError

_HOLD = """
import sys
from pathlib import Path
from plait._utils.locking import lock_for_writing
with lock_for_writing(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path):
    """A process that holds the lock of m.plait until its standard input ends."""
    command = [sys.executable, "-c", _HOLD, str(tmp_path / "m.plait")]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline() == b"held\n"
    yield process
    process.kill()
    process.communicate()


def test_a_second_process_is_refused_and_told_the_owner(holder, tmp_path):
    with pytest.raises(PlaitError, match=rf"m\.plait is being written by process {holder.pid} on "):
        lock_for_writing(tmp_path / "m.plait").__enter__()
    (tmp_path / "link").symlink_to("m.plait")
    with pytest.raises(PlaitError, match=f"process {holder.pid} on "), lock_for_writing(tmp_path / "link"):
        pass
    holder.communicate(b"")
    assert list(tmp_path.glob(".*.lock")) == []
    with lock_for_writing(tmp_path / "m.plait"):
        assert json.loads(lock_path(tmp_path / "m.plait").read_text())["process"] == os.getpid()
    assert list(tmp_path.glob(".*.lock")) == []


def test_the_lock_of_a_killed_process_is_taken_over_with_a_warning(holder, tmp_path):
    holder.kill()
    holder.wait()
    assert lock_path(tmp_path / "m.plait").exists()
    warned = pytest.warns(UserWarning, match=f"locked by process {holder.pid} on .*, which has ended")
    with warned, lock_for_writing(tmp_path / "m.plait"):
        assert json.loads(lock_path(tmp_path / "m.plait").read_text())["process"] == os.getpid()
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_removes_the_lock(holder, tmp_path):
    holder.send_signal(signal.SIGINT)
    holder.communicate(timeout=60)
    assert not lock_path(tmp_path / "m.plait").exists()


def test_a_lock_of_another_machine_is_never_taken_over(tmp_path):
    lock = lock_path(tmp_path / "m.plait")
    owner = {"process": 1, "host": "elsewhere\x1b[2J", "boot": "other", "since": "2026-01-01"}
    lock.write_text(json.dumps(owner))
    with pytest.raises(PlaitError, match=r"process 1 on elsewhere\\x1b\[2J .*another machine.*remove .*m\.plait\.lock"):
        lock_for_writing(tmp_path / "m.plait").__enter__()
    assert json.loads(lock.read_text()) == owner


@pytest.mark.parametrize("content", [b"", b"[", b"[" * 5000, b'{"process": "x"}', b"\xff"])
def test_a_damaged_lock_of_nobody_is_taken_over(tmp_path, content):
    lock_path(tmp_path / "m.plait").write_bytes(content)
    with lock_for_writing(tmp_path / "m.plait"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_the_same_thread_may_enter_again_but_no_other(tmp_path):
    refused = []

    def enter():
        try:
            with lock_for_writing(tmp_path / "m.plait"):
                pass
        except PlaitError as error:
            refused.append(str(error))

    with lock_for_writing(tmp_path / "m.plait"):
        with lock_for_writing(tmp_path / "m.plait"):
            pass
        assert lock_path(tmp_path / "m.plait").exists()
        thread = threading.Thread(target=enter)
        thread.start()
        thread.join()
    assert len(refused) == 1
    assert f"process {os.getpid()}" in refused[0]


def test_without_locks_of_the_file_system_a_running_process_counts(tmp_path, monkeypatch):
    monkeypatch.setattr("plait._utils.locking.try_lock", lambda descriptor: None)
    with lock_for_writing(tmp_path / "m.plait"):
        owner = json.loads(lock_path(tmp_path / "m.plait").read_text())
    lock_path(tmp_path / "m.plait").write_text(json.dumps(owner | {"process": os.getppid()}))
    with pytest.raises(PlaitError, match=f"process {os.getppid()}"):
        lock_for_writing(tmp_path / "m.plait").__enter__()
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    lock_path(tmp_path / "m.plait").write_text(json.dumps(owner | {"process": ended.pid}))
    with pytest.warns(UserWarning, match="has ended"), lock_for_writing(tmp_path / "m.plait"):
        pass


def test_a_name_of_255_bytes_has_a_lock(tmp_path):
    path = tmp_path / ("n" * 249 + ".plait")
    with lock_for_writing(path):
        assert lock_path(path).exists()
