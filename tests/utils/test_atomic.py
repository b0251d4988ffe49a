"""Replacing files: the old file or the new one, whatever happens, and nothing left behind."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time

import pytest

from plait._utils.atomic import WriteError, batch_folder, replace_file, replacing_file
from tests.full_disk import file_size_limit

_STOP_IN_BETWEEN = """
import sys, time
from pathlib import Path
from plait._utils.atomic import batch_folder, replacing_file
with replacing_file(Path(sys.argv[1])) as file:
    file.write(b"half")
    batch_folder(Path(file.name)).mkdir()
    print("writing", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def writer(tmp_path):
    """A process that never completes the file m.plait."""
    command = [sys.executable, "-c", _STOP_IN_BETWEEN, str(tmp_path / "m.plait")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"writing\n"
    yield process
    process.kill()
    process.communicate()


def test_what_a_killed_process_left_is_removed_by_the_next_writer(writer, tmp_path):
    os.kill(writer.pid, signal.SIGKILL)
    writer.wait()
    assert len(list(tmp_path.iterdir())) == 2
    replace_file(tmp_path / "other.plait", lambda file: file.write(b"new"))
    assert len(list(tmp_path.iterdir())) == 3  # only the writer of the same file can know
    replace_file(tmp_path / "m.plait", lambda file: file.write(b"new"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m.plait", "other.plait"]


def test_a_file_that_is_being_written_is_left_alone(writer, tmp_path):
    replace_file(tmp_path / "m.plait", lambda file: file.write(b"new"))
    assert len(list(tmp_path.iterdir())) == 3
    assert writer.poll() is None


def test_files_of_earlier_versions_are_removed_when_they_are_old(tmp_path):
    old, new = tmp_path / ".plait-0123456789abcdef.tmp", tmp_path / ".plait-fedcba9876543210.tmp"
    for path in (old, new, tmp_path / ".plait-mine.tmp"):
        path.write_bytes(b"")
    day_ago = time.time() - 2 * 24 * 3600
    os.utime(old, (day_ago, day_ago))
    os.utime(tmp_path / ".plait-mine.tmp", (day_ago, day_ago))
    replace_file(tmp_path / "m.plait", lambda file: file.write(b"new"))
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        ".plait-fedcba9876543210.tmp",
        ".plait-mine.tmp",
        "m.plait",
    ]


@pytest.mark.parametrize("size", [10, 100_000])
def test_a_full_disk_names_the_file_and_leaves_the_old_one(tmp_path, size):
    path = tmp_path / "m.plait"
    path.write_bytes(b"old")
    message = r"m\.plait could not be written: File too large; what was there before is unch"
    with file_size_limit(5), pytest.raises(WriteError, match=message):
        replace_file(path, lambda file: file.write(b"x" * size))
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def _write_and_fail(path):
    with replacing_file(path) as file:
        file.write(b"x" * 10)
        raise FileNotFoundError(errno.ENOENT, "no", "input")


def test_an_error_of_the_block_is_not_blamed_on_the_file(tmp_path):
    with file_size_limit(5), pytest.raises(FileNotFoundError, match="input"):
        _write_and_fail(tmp_path / "m.plait")
    assert list(tmp_path.iterdir()) == []


def test_the_folder_of_parts_is_beside_its_file(tmp_path):
    with replacing_file(tmp_path / "m.plait") as file:
        assert batch_folder(tmp_path / file.name).parent == tmp_path
        file.write(b"new")
    assert (tmp_path / "m.plait").read_bytes() == b"new"
