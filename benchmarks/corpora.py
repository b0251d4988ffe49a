"""Corpus of the benchmarks: 20 Newsgroups without stop words, or synthetic documents of the same size."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sparse
from synthetic import zipf_documents

NAME = "20news_matlab"
# Sizes of that corpus without stop words, for the synthetic one.
_TRAIN, _TEST, _WORDS, _MEAN_LENGTH = 11_269, 7_504, 53_666, 130


@dataclass(frozen=True)
class BenchmarkCorpus:
    """Training and test documents with the vocabulary of the training documents, and their source."""

    train: sparse.csr_array
    test: sparse.csr_array
    source: str

    def __str__(self) -> str:
        sizes = ", ".join(
            f"{counts.shape[0]:,} {name} documents ({counts.sum():,} tokens)"
            for name, counts in (("training", self.train), ("test", self.test))
        )
        return f"{self.source}: {sizes}, {self.train.shape[1]:,} words"

    def save(self, folder: Path) -> None:
        """Write both parts for the measured processes."""
        for name in ("train", "test"):
            sparse.save_npz(folder / f"{name}.npz", getattr(self, name), compressed=False)


def load_part(folder: Path, name: str) -> sparse.csr_array:
    """Read what `save` wrote."""
    return sparse.csr_array(sparse.load_npz(folder / f"{name}.npz"))


def benchmark_corpus(n_documents: int | None = None, name: str = NAME, n_test: int | None = None) -> BenchmarkCorpus:
    """Return a corpus in the folder that PLAIT_DATA names, or a synthetic one, with limits on the documents.

    Every tenth document of a corpus without parts is a test document.
    """
    data = os.environ.get("PLAIT_DATA")
    if data is None:
        return _synthetic(n_documents or _TRAIN)
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    import plait

    corpus = plait.read_corpus(Path(data, name), stop_words=ENGLISH_STOP_WORDS, on_error="skip")
    if name == NAME:
        train, test = corpus.part("train"), corpus.part("test")
    else:
        held_out = np.arange(len(corpus)) % 10 == 9
        train, test = corpus.select(np.flatnonzero(~held_out)), corpus.select(np.flatnonzero(held_out))
    train = train.select(slice(n_documents)).filter_words()
    test = test.select(slice(n_test or n_documents)).with_vocabulary(train.vocabulary)
    source = f"{name} without scikit-learn's stop words"
    if corpus.skipped:
        source += f" (skipped: {'; '.join(corpus.skipped.lines())})"
    return BenchmarkCorpus(train.counts, test.counts, source)


def _synthetic(n_train: int) -> BenchmarkCorpus:
    n_test = max(1, round(n_train * _TEST / _TRAIN))
    rng = np.random.default_rng(0)
    # Lengths of postings vary about as much as a lognormal with σ = 1.
    lengths = np.maximum(1, rng.lognormal(np.log(_MEAN_LENGTH) - 0.5, 1.0, size=n_train + n_test)).astype(np.int64)
    counts = zipf_documents(lengths, _WORDS, n_topics=50, exponent=1.1, concentration=0.1, seed=1)
    known = np.flatnonzero(np.bincount(counts[:n_train].indices, minlength=_WORDS))
    source = f"synthetic documents of the size of {NAME} (set PLAIT_DATA to use the real corpus)"
    return BenchmarkCorpus(counts[:n_train][:, known], counts[n_train:][:, known], source)
