"""Kernels where neither the installation nor the home folder can be written, as in a container."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import plait
from plait.samplers.kernels.compiled import _private_folder

_MODULE = """
import sys, tempfile
if len(sys.argv) > 1:
    tempfile.tempdir = sys.argv[1]
import numpy as np
from plait.samplers.kernels.compiled import kernel

@kernel
def double(values):
    for number in range(values.size):
        values[number] *= 2

@kernel
def triple(values):
    for number in range(values.size):
        values[number] *= 3

values = np.ones(3)
double(values)
triple(values)
print(values[0], sum(double.stats.cache_hits.values()))
"""


@pytest.fixture
def read_only(tmp_path):
    """A folder with a module whose cache cannot be written, also not by root, because a file is in its place."""
    folder = tmp_path / "installed"
    folder.mkdir()
    (folder / "kernels.py").write_text(_MODULE)
    (folder / "__pycache__").write_text("")
    return folder


def _run(folder: Path, *arguments: object, **environment: str) -> tuple[list[str], str]:
    kept = {name: value for name, value in os.environ.items() if name not in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")}
    kept |= {"HOME": str(folder / "kernels.py" / "home"), **environment}
    command = [sys.executable, "-c", "import kernels", *map(str, arguments)]
    done = subprocess.run(command, cwd=folder, env=kept, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split(), done.stderr


def _temporary(folder: Path) -> Path:
    made = folder / f"plait-kernels-{os.geteuid()}"
    made.mkdir(parents=True)
    return made


@pytest.mark.slow  # starts processes
@pytest.mark.parametrize("home", ["file", "~"])
def test_the_cache_is_a_private_temporary_folder(read_only, tmp_path, home):
    (tmp_path / "tmp").mkdir(mode=0o700)
    environment = {"TMPDIR": str(tmp_path / "tmp")} | ({"HOME": home} if home == "~" else {})
    printed, warned = _run(read_only, **environment)
    assert printed == ["6.0", "0"]
    assert warned.count("RuntimeWarning") == 1
    assert "NUMBA_CACHE_DIR" in warned
    (made,) = (tmp_path / "tmp").iterdir()
    assert made.stat().st_mode & 0o777 == 0o700
    assert _run(read_only, **environment)[0] == ["6.0", "1"]
    assert sorted(path.name for path in read_only.iterdir()) == ["__pycache__", "kernels.py"]  # no folder named ~


@pytest.mark.slow
def test_the_working_folder_is_not_for_temporary_files(read_only, tmp_path):
    """Python takes the working folder if there is no folder for temporary files."""
    printed, warned = _run(read_only, read_only, TMPDIR=str(tmp_path / "no"))
    assert printed == ["6.0", "0"]
    assert "every process compiles them" in warned
    assert sorted(path.name for path in read_only.iterdir()) == ["__pycache__", "kernels.py"]


@pytest.mark.slow
def test_without_a_temporary_folder_nothing_is_cached(read_only):
    printed, warned = _run(read_only, read_only / "kernels.py" / "tmp")
    assert printed == ["6.0", "0"]
    assert "not cached, so that every process compiles them" in warned
    assert "NUMBA_CACHE_DIR" in warned
    assert _run(read_only, read_only / "kernels.py" / "tmp")[0] == ["6.0", "0"]


@pytest.mark.slow  # starts processes
def test_a_cache_that_others_could_write_is_not_used(read_only, tmp_path, monkeypatch):
    (tmp_path / "tmp").mkdir(mode=0o700)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    made = _temporary(tmp_path / "tmp")
    made.chmod(0o700)
    assert _private_folder() == made
    made.chmod(0o777)
    assert _private_folder() is None
    assert "every process compiles them" in _run(read_only, TMPDIR=str(tmp_path / "tmp"))[1]
    made.rmdir()
    (tmp_path / "theirs").mkdir(mode=0o700)
    made.symlink_to(tmp_path / "theirs")
    assert _private_folder() is None
    made.unlink()
    (tmp_path / "tmp").chmod(0o777)  # without the sticky bit others can rename what is in it
    assert _private_folder() is None
    (tmp_path / "tmp").chmod(0o1777)
    assert "kernels are cached in" in _run(read_only, TMPDIR=str(tmp_path / "tmp"))[1]
    assert list((tmp_path / "theirs").iterdir()) == []


@pytest.mark.slow
def test_the_named_folder_is_used_without_a_warning(read_only, tmp_path):
    assert _run(read_only, NUMBA_CACHE_DIR=str(tmp_path / "named")) == (["6.0", "0"], "")
    assert _run(read_only, NUMBA_CACHE_DIR=str(tmp_path / "named")) == (["6.0", "1"], "")


@pytest.mark.slow  # starts processes
def test_a_full_disk_does_not_stop_a_kernel(read_only, tmp_path):
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
    (read_only / "kernels.py").write_text(limit + _MODULE)
    assert _run(read_only, NUMBA_CACHE_DIR=str(tmp_path / "named"))[0] == ["6.0", "0"]


_COMMAND = [sys.executable, "-m", "plait"]


@pytest.mark.slow
@pytest.mark.parametrize("writable_temporary", [True, False])
def test_a_fit_by_an_unknown_user_in_a_read_only_installation(tmp_path, writable_temporary):
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    site, work = tmp_path / "site", tmp_path / "work"
    shutil.copytree(Path(plait.__file__).parent, site / "plait", ignore=shutil.ignore_patterns("__pycache__"))
    for folder in [site / "plait", *(one for one in (site / "plait").rglob("*") if one.is_dir())]:
        (folder / "__pycache__").write_text("")
    work.mkdir()
    rows = ['{"text": "river stream lake"}', '{"text": "money bank loan"}'] * 10
    (work / "papers.jsonl").write_text("\n".join(rows))
    os.chown(work, 12345, 12345)
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(site)}
    if not writable_temporary:  # sitecustomize: /tmp itself cannot be made read-only here
        (site / "sitecustomize.py").write_text("import tempfile\ntempfile.tempdir = '/nonexistent'\n")
    fit = [*_COMMAND, "fit", "papers.jsonl", "-o", "m.plait", "--topics", "2", "--sweeps", "5"]
    # The user may read everything, as Python may be in root's home, and write nothing.
    become = ["setpriv", "--reuid=12345", "--regid=12345", "--clear-groups"]
    become += ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]
    if shutil.which("setpriv") is None or subprocess.run([*become, "true"], check=False).returncode:
        pytest.skip("setpriv cannot change the user here")
    done = subprocess.run([*become, *fit], cwd=work, env=environment, capture_output=True, text=True, check=False)
    shutil.rmtree("/tmp/plait-kernels-12345", ignore_errors=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("NUMBA_CACHE_DIR") == 1
    # Without a folder for temporary files the language cannot be guessed, either.
    assert ["language" in line for line in done.stderr.splitlines()] == [*[True] * (not writable_temporary), False]
    assert (work / "m.plait").stat().st_uid == 12345
