"""Compiled kernels are cached on disk: a second process compiles nothing, unless the contents of a source changed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import plait

FIT = """
import numpy as np
import plait
def fit(samplers):
    for sampler in samplers:
        model = plait.LDA(3, sampler=sampler, n_sweeps=2, random_state=0).fit(np.eye(4, dtype=int) * 3)
        model.transform(np.eye(4, dtype=int))
        model.perplexity(np.eye(4, dtype=int) * 5)
"""
SCRIPT = (
    FIT
    + """
import importlib, json, pkgutil, sys
import plait.engine, plait.samplers
fit(sys.argv[1:])
folders = (plait.samplers, plait.engine)
modules = [m.name for f in folders for m in pkgutil.walk_packages(f.__path__, f.__name__ + ".")]
values = {id(v): v for m in modules for v in vars(importlib.import_module(m)).values() if callable(v)}
stats = [k.stats for k in values.values() if hasattr(k, "stats")]
used = [s for s in stats if s.cache_hits or s.cache_misses]
print(json.dumps([sum(len(s.cache_hits) for s in used), sum(len(s.cache_misses) for s in used)]))
"""
)


def hits_and_misses(*samplers, source=None, cache=None):
    environment = dict(os.environ)
    environment["PYTHONPATH"] = str(source or Path(plait.__file__).parents[1])
    if cache is not None:
        environment["NUMBA_CACHE_DIR"] = str(cache)
    command = [sys.executable, "-c", SCRIPT, *samplers]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return json.loads(result.stdout)


@pytest.mark.slow  # starts processes
def test_a_second_process_compiles_nothing():
    samplers = ["plain", "aggregated", "limit", "sparse(2)", "aggregated_sparse(2)"]
    first: dict[str, Any] = {}
    exec(FIT, first)
    first["fit"](samplers)
    hits, misses = hits_and_misses(*samplers)
    assert misses == 0
    assert hits >= 12


@pytest.mark.slow
def test_a_change_in_any_part_of_a_sweep_compiles_it_again(tmp_path):
    source = tmp_path / "source"
    shutil.copytree(Path(plait.__file__).parent, source / "plait", ignore=shutil.ignore_patterns("__pycache__"))
    cache = tmp_path / "cache"
    hits_and_misses("plain", source=source, cache=cache)
    assert hits_and_misses("plain", source=source, cache=cache)[1] == 0
    part = source / "plait" / "samplers" / "conditional.py"
    part.write_text(part.read_text() + "\n# changed\n")
    assert hits_and_misses("plain", source=source, cache=cache)[1] > 0


_MODULE = """
import numpy as np
from plait.samplers.kernels.compiled import kernel

@kernel
def double(values):
    for number in range(values.size):
        values[number] *= 2

values = np.ones(3)
double(values)
print(values[0], sum(double.stats.cache_hits.values()))
"""


def _run(folder):
    command = [sys.executable, "-c", "import doubling"]
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.slow  # starts processes
def test_a_cache_moves_with_its_sources_and_ends_with_a_change(tmp_path):
    first = tmp_path / "first"
    first.mkdir()
    (first / "doubling.py").write_text(_MODULE)
    assert _run(first) == ["2.0", "0"]
    assert _run(first) == ["2.0", "1"]
    second = tmp_path / "second"
    shutil.copytree(first, second)
    os.utime(second / "doubling.py", (1, 1))
    assert _run(second) == ["2.0", "1"]
    text = (second / "doubling.py").read_text().replace("*= 2", "*= 3")
    (second / "doubling.py").write_text(text)
    assert _run(second) == ["3.0", "0"]


_TWO_SIGNATURES = """
import sys
import numpy as np
from doubling import double

values = np.ones(3, dtype=sys.argv[1])
double(values)
assert values.tolist() == [2, 2, 2]
"""


@pytest.mark.slow  # starts processes
def test_processes_that_compile_at_once_wait_for_each_other_and_keep_their_own_code(tmp_path):
    (tmp_path / "doubling.py").write_text(_MODULE)
    (tmp_path / "two.py").write_text(_TWO_SIGNATURES)
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    types = ["float32", "int32"]
    commands = [[sys.executable, "two.py", name] for name in types]
    running = [subprocess.Popen(one, cwd=tmp_path, env=environment, stdout=subprocess.PIPE) for one in commands]
    printed = sorted(process.communicate()[0].split() for process in running)
    assert [process.returncode for process in running] == [0] * len(types)
    # The import compiles one signature in one process; the others wait, and load it.
    assert printed == [[b"2.0", b"0"], *[[b"2.0", b"1"]] * (len(types) - 1)]
    saved = list((tmp_path / "__pycache__").glob("doubling.double*.nbc"))
    assert len(saved) == len(types) + 1  # and that of the import
    for command in commands:
        subprocess.run(command, cwd=tmp_path, env=environment, check=True, stdout=subprocess.DEVNULL)
