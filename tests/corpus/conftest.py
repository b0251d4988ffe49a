"""Small files that the corpus tests write and read."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from plait.corpus import Corpus

Write = Callable[[str, str | bytes], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a file below the test's folder, compressed where its name ends in .gz."""

    def write_file(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = content.encode() if isinstance(content, str) else content
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    return write_file


@pytest.fixture
def write_jsonl(write: Write) -> Callable[..., Path]:
    """Write documents as JSON lines."""

    def write_documents(*documents: Any, name: str = "documents.jsonl") -> Path:
        return write(name, "".join(json.dumps(document) + "\n" for document in documents))

    return write_documents


def _as_dicts(corpus: Corpus) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for row, name in enumerate(corpus.ids):
        start, end = corpus.counts.indptr[row : row + 2]
        words = corpus.vocabulary[corpus.counts.indices[start:end]]
        found[name] = dict(zip(words.tolist(), corpus.counts.data[start:end].tolist(), strict=True))
    return found


@pytest.fixture(scope="session")
def as_dicts() -> Callable[[Corpus], dict[str, dict[str, float]]]:
    """The counts of a corpus by id and word, whatever the order of its rows and columns."""
    return _as_dicts


def _link_set(corpus: Corpus) -> dict[tuple[str, str], float]:
    if corpus.links is None:
        return {}
    entries = corpus.links.tocoo()
    return {
        (corpus.ids[row], corpus.ids[column]): weight
        for row, column, weight in zip(entries.row, entries.col, entries.data, strict=True)
    }


@pytest.fixture(scope="session")
def link_set() -> Callable[[Corpus], dict[tuple[str, str], float]]:
    """The links of a corpus by the ids of their ends."""
    return _link_set


@pytest.fixture(scope="session")
def papers() -> Corpus:
    """Four documents with everything a corpus can have."""
    return Corpus.from_texts(
        ["red red blue", "blue green", "green sky", "sky sky sky"],
        ids=["a", "b", "c", "d"],
        titles=["Red", "Blue", None, "Sky"],
        labels=["warm", ["cold", "wet"], None, "cold"],
        links=[("a", "b"), ("b", "c", 2.0), ("d", "a")],
        times=["1990-01-05", "1990-03-01", None, 1991],
        splits=["train", "train", None, "test"],
    )
