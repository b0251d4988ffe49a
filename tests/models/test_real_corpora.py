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
        LDA(50, n_sweeps=20, tolerance=0, n_samples=1, n_jobs=jobs, random_state=0).fit(corpus) for jobs in (1, 2, 4)
    ]
    for other in models[1:]:
        assert models[0].topic_word_.tobytes() == other.topic_word_.tobytes()
        assert models[0].doc_topic_.tobytes() == other.doc_topic_.tobytes()


@pytest.mark.parametrize("folder", sorted(Path(DATA).iterdir()) if DATA else [], ids=lambda path: path.name)
def test_every_corpus_is_read_and_fitted(folder):
    if not folder.is_dir():
        pytest.skip("not a corpus folder")
    corpus = plait.read_corpus(folder, on_error="skip")
    model = LDA(20, n_sweeps=5, n_samples=1, n_jobs=-1, random_state=0).fit(corpus)
    assert model.doc_topic_.shape == (len(corpus), 20)
