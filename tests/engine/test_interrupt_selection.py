"""Ctrl-C in a fit: a lone fit returns what it has; inside scikit-learn's searches it stops them."""

from __future__ import annotations

import signal
import time

import pytest

from tests.forks import start_python

_PROGRAM = """
import sys
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from plait import LDA
counts = np.random.default_rng(0).poisson(1.0, (60, 20)) + 1

class Watched(LDA):
    def fit(self, X, y=None, **more):
        print("fit", flush=True)
        return super().fit(X, y, **more)

def model():
    return Watched(2, n_sweeps=10**7, tolerance=0, random_state=0, verbose=False)

LDA(2, n_sweeps=2, verbose=False).fit(counts)  # compiled before
kind = sys.argv[1]
try:
    if kind == "cross_val_score":
        cross_val_score(model(), counts, cv=3)
    elif kind == "GridSearchCV":
        GridSearchCV(model(), {"n_topics": [2, 3]}, cv=2).fit(counts)
    elif kind == "pipeline":
        make_pipeline(model(), LogisticRegression()).fit(counts, np.arange(60) % 2)
    elif kind == "fit_transform":
        print("shape", model().fit_transform(counts).shape)
    else:
        fitted = model().fit(counts)
        print("interrupted", fitted.interrupted_, fitted.n_sweeps_ > 0)
except KeyboardInterrupt:
    print("stopped")
"""


def _interrupt(kind: str) -> list[str]:
    """Run a part of the program, press Ctrl-C in the first fit, and return what was printed."""
    process = start_python(_PROGRAM, [kind])
    assert process.stdout.readline() == "fit\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    printed, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    return printed.splitlines()


@pytest.mark.parametrize("kind", ["cross_val_score", "GridSearchCV", "pipeline"])
def test_ctrl_c_stops_a_search(kind):
    assert _interrupt(kind) == ["stopped"]


@pytest.mark.parametrize(("kind", "printed"), [("fit", "interrupted True True"), ("fit_transform", "shape (60, 2)")])
def test_a_lone_fit_returns_what_it_has(kind, printed):
    assert _interrupt(kind) == [printed]
