"""The cache of compiled kernels follows the contents of source files, not their times or folders."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

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
