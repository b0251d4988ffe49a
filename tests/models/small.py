"""Documents with planted labels, quick models of them, and Ctrl-C at a given sweep."""

from __future__ import annotations

import os
import signal

import numpy as np
import pytest
import scipy.sparse as sparse

from plait import Corpus, MedLDA
from plait.engine.chain import Chain

QUICK = {
    "n_topics": 4,
    "n_chains": 2,
    "n_sweeps": 12,
    "n_samples": 2,
    "sample_every": 2,
    "fold_in_sweeps": 6,
    "random_state": 0,
    "verbose": False,
}
NOT_CHOSEN = {
    "c": 16.0,
    "class_weight": None,
    "threshold": 0.0,
    "features": None,
}  # test_label_choice.py is about these
THOROUGH = {"n_topics": 6, "n_chains": 3, "n_sweeps": 25, "fold_in_sweeps": 12}
NAN = float("nan")
PLANTED = {
    "finance": ["money", "loan", "debt", "credit"],
    "nature": ["river", "stream", "water", "delta"],
    "sport": ["goal", "ball", "team", "match"],
}
COMMON = ["day", "year", "people", "bank", "place", "time"]
WORDS = [*(word for words in PLANTED.values() for word in words), *COMMON]
NAMES = np.array(list(PLANTED), dtype=object)


def counts_of(memberships, seed=0, own=0.6, length=15):
    """Documents whose words are of their labels (documents × labels, 0 or 1) by a share `own`, else common ones."""
    rng = np.random.default_rng(seed)
    counts = np.zeros((len(memberships), len(WORDS)), dtype=int)
    for row, labels in zip(counts, np.asarray(memberships), strict=True):
        theirs = [4 * label + word for label in np.flatnonzero(labels) for word in range(4)]
        for _ in range(length):
            column = rng.choice(theirs) if theirs and rng.random() < own else rng.integers(12, len(WORDS))
            row[column] += 1
    return counts


def of_classes(n_documents, n_classes, seed=0, **options):
    """Documents of one class each, with the numbers of their classes."""
    y = np.arange(n_documents) % n_classes
    return counts_of(np.eye(3, dtype=int)[y], seed, **options), y


def of_labels(n_documents, seed=0):
    """Documents of any number of labels each, with their indicator matrix."""
    indicator = (np.random.default_rng(seed + 100).random((n_documents, 3)) < 0.5).astype(int)
    return counts_of(indicator, seed), indicator


def fitted(X, y=None, **changes):
    return MedLDA(**(NOT_CHOSEN | QUICK | changes)).fit(X, y)


def lists_of(indicator):
    return [[NAMES[label] for label in np.flatnonzero(row)] for row in indicator]


def as_corpus(counts, labels=None):
    return Corpus.from_matrix(
        sparse.csr_array(counts), vocabulary=WORDS, ids=[f"doc {row}" for row in range(len(counts))], labels=labels
    )


def same_bits(one, other, X, answer="decision_function"):
    """Assert that two models have learned and answer the same, to the bit."""
    for name in ("topic_word_", "doc_topic_", "weights_"):
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes(), name
    assert getattr(one, answer)(X).tobytes() == getattr(other, answer)(X).tobytes()


def counts_for(text):
    return np.array([[text.split().count(word) for word in WORDS]])


def press_ctrl_c_in_sweep(number, monkeypatch):
    """Press Ctrl-C during the sweep of that number, counted from 0 over all chains."""
    sweep = Chain.sweep
    done = []

    def interrupted(self):
        if len(done) == number:
            os.kill(os.getpid(), signal.SIGINT)
        done.append(self)
        return sweep(self)

    monkeypatch.setattr(Chain, "sweep", interrupted)


def stopped_after(n_sweeps, fit, *given, **more):
    """Return what a fit returns that is stopped by Ctrl-C after a number of sweeps."""
    with pytest.MonkeyPatch.context() as patched:
        press_ctrl_c_in_sweep(n_sweeps - 1, patched)
        return fit(*given, **more)
