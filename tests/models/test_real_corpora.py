"""Promises that only a real corpus can put to the test; needs PLAIT_DATA."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import plait
from plait import LDA

DATA = os.environ.get("PLAIT_DATA")
pytestmark = [pytest.mark.data, pytest.mark.skipif(not DATA, reason="PLAIT_DATA names no folder of corpora")]


def test_same_bits_for_one_two_and_four_threads_on_20_newsgroups():
    corpus = plait.read_corpus(Path(DATA) / "20news_matlab").part("train")
    models = [
        LDA(50, n_sweeps=8, tolerance=0, n_samples=1, n_jobs=jobs, random_state=0).fit(corpus) for jobs in (1, 2, 4)
    ]
    for other in models[1:]:
        assert models[0].topic_word_.tobytes() == other.topic_word_.tobytes()
        assert models[0].doc_topic_.tobytes() == other.doc_topic_.tobytes()
