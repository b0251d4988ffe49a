"""Fixtures: a small fitted model and its file."""

from __future__ import annotations

import pytest

import plait
from plait.store import save
from tests.store.small import TEXTS, fitted


@pytest.fixture(scope="module")
def small():
    return fitted(plait.Corpus.from_texts(TEXTS), n_topics=2, n_sweeps=2, n_samples=1)


@pytest.fixture
def file(tmp_path, small):
    return save(small, tmp_path / "small.plait")
