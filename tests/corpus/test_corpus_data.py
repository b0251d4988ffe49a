"""Real corpora, where the environment variable PLAIT_DATA says there are some."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from plait import LDA
from plait.corpus import read_corpus
from plait.corpus.container.summary import summarise


def folders() -> list[Path]:
    root = os.environ.get("PLAIT_DATA")
    return sorted(path for path in Path(root).iterdir() if path.is_dir()) if root else []


@pytest.mark.data
@pytest.mark.skipif(not folders(), reason="PLAIT_DATA names no folder with corpora")
@pytest.mark.parametrize("folder", folders() or [Path("none")], ids=lambda folder: folder.name)
def test_every_corpus_folder_is_read_and_fitted(folder):
    corpus = read_corpus(folder, on_error="skip")  # with few skipped records, else it is an error
    assert len(corpus) > 0
    assert corpus.n_tokens > 0
    # What could not be used is a small part, and never a document whose line could not be read.
    assert corpus.skipped["empty document"] < 0.02 * len(corpus)
    assert corpus.skipped["broken JSON"] == corpus.skipped["wrong encoding"] == 0
    assert summarise(corpus).rows()[0][0] == "documents"
    model = LDA(20, n_sweeps=5, n_samples=1, n_jobs=-1, random_state=0, verbose=False).fit(corpus)
    assert model.doc_topic_.shape == (len(corpus), 20)
