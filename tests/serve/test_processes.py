"""`plait serve` as a process: workers share requests, a killed worker is replaced, the end is graceful."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from .serving import serving

pytestmark = [
    pytest.mark.slow,  # starts processes
    pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="needs the /proc of Linux"),
]


def test_workers_are_replaced_and_share_memory(plain_file, tmp_path):
    with serving(plain_file, tmp_path, "--workers", "2") as server:
        first = server.workers()
        assert len(first) == 2
        status, page = server.get("/")  # draws with packages that have threads of their own, in a forked process
        assert status == 200
        assert "<svg" in page
        for worker in first:
            os.kill(worker, signal.SIGKILL)
        assert server.wait(20) < 20
        assert server.get("/api/topics")[0] == 200
        deadline = time.monotonic() + 20
        while len(again := server.workers()) < 2 and time.monotonic() < deadline:  # one may answer first
            time.sleep(0.05)
        assert len(again) == 2
        assert not set(first) & set(again)
        private = [_kilobytes(worker, "Private_Dirty") for worker in again]
        assert max(private) < 0.5 * _kilobytes(server.process.pid, "Rss")
        assert 'route="/api/topics",status="200"} ' in server.get("/metrics")[1]
        assert "SIGKILL" in server.log.read_text(encoding="utf-8")


def test_requests_are_finished_before_the_end(plain_file, tmp_path):
    with serving(plain_file, tmp_path) as server:
        (worker,) = server.workers()
        answers = []
        threads = [
            threading.Thread(target=lambda: answers.append(server.get("/figures/hierarchy")[0])) for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        time.sleep(0.3)
        server.process.send_signal(signal.SIGTERM)
        for thread in threads:
            thread.join()
        assert server.process.wait(20) == 0
        assert answers == [200] * 4
        with pytest.raises(ProcessLookupError):
            os.kill(worker, 0)


def test_workers_end_with_their_parent(plain_file, tmp_path):
    with serving(plain_file, tmp_path) as server:
        (worker,) = server.workers()
        server.process.kill()
        server.process.wait()
        end = time.monotonic() + 20
        while Path(f"/proc/{worker}").exists() and not _is_zombie(worker):
            assert time.monotonic() < end
            time.sleep(0.1)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--host", "0.0.0.0"], "a token is needed"),
        (["--token", "short"], "at least 16"),
        (["--allow-host", "http://x"], "not a host name"),
        (["--host", "192.0.2.1", "--token", "x" * 20], "cannot listen on"),
    ],
)
def test_wrong_options_end_in_one_line(plain_file, options, says):
    found = _run(str(plain_file), *options)
    assert found.returncode == 1
    assert says in found.stderr
    assert found.stderr.count("\n") == 1


def test_what_is_not_a_model_ends_in_one_line(tmp_path):
    wrong = tmp_path / "wrong.plait"
    wrong.write_bytes(b"wrong")
    found = _run(str(wrong), "--port", "0")
    assert found.returncode == 1
    assert found.stderr.startswith("error: ")
    assert found.stderr.count("\n") == 1


def _run(*arguments):
    command = [sys.executable, "-m", "plait", "serve", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def _kilobytes(process, name):
    lines = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


def _is_zombie(process):
    return Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] == "Z"
