"""Start-up time of plait: the import, the first sweep of a process, and the first sweep with an empty cache."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

_FIRST_SWEEP = """
import numpy as np
from plait import LDA
counts = np.random.default_rng(0).poisson(0.2, size=(200, 500))
LDA(20, n_sweeps=1, n_samples=1, random_state=0).fit(counts)
"""


def startup_seconds(repeats: int) -> dict[str, float]:
    """Return the best of some runs of each, in seconds from the start to the end of the process."""
    python = _best("pass", repeats)
    _best(_FIRST_SWEEP, 1)  # fills the cache of compiled code if it is empty
    return {
        "import plait (Python's own start taken off)": max(0.0, _best("import plait", repeats) - python),
        "from plait import LDA (the same taken off)": _best("from plait import LDA", repeats) - python,
        "process start to the end of the first sweep": _best(_FIRST_SWEEP, repeats),
        "the same with nothing compiled yet": _compile(),
    }


def _best(code: str, repeats: int) -> float:
    return min(_seconds(code, {}) for _ in range(repeats))


def _compile() -> float:
    with tempfile.TemporaryDirectory() as empty:
        return _seconds(_FIRST_SWEEP, {"NUMBA_CACHE_DIR": empty})


def _seconds(code: str, environment: dict[str, str]) -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], env=os.environ | environment, check=True)
    return time.perf_counter() - began
