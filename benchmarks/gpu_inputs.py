"""Matrices for the benchmarks on a GPU, so that the machine with the GPU needs neither the corpora nor a text reader.

    PLAIT_DATA=... python benchmarks/gpu_inputs.py INPUTS

Writes 20news, cora, reuters, wikipedia and nips, and held-out documents of 20news, wikipedia and nips (NAME_test).
nips are made documents with the sizes of the NIPS papers of the UCI repository: 1,500 documents of 1,290 tokens.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sparse
from synthetic import zipf_documents

import plait

_N_TEST = 2000  # held-out documents of 20 Newsgroups
_NIPS_DOCUMENTS, _NIPS_WORDS, _NIPS_LENGTH = 1500, 12_419, 1290


def write(folder: Path, name: str, counts: Any, **others: Any) -> None:
    """Write a matrix and what belongs to it."""
    counts = sparse.csr_array(counts)
    np.savez_compressed(
        folder / f"{name}.npz", data=counts.data.astype(np.int32), indices=counts.indices.astype(np.int32),
        indptr=counts.indptr, shape=counts.shape, **others,
    )  # fmt: skip
    print(f"{name}: {counts.shape[0]:,} documents, {counts.shape[1]:,} words, {int(counts.sum()):,} tokens", flush=True)


def write_parts(folder: Path, name: str, train: Any, test: Any, **others: Any) -> None:
    """Write training and held-out documents with the words of the training documents."""
    known = np.flatnonzero(np.asarray(train.sum(axis=0)).ravel())
    write(folder, name, train[:, known], **others)
    write(folder, f"{name}_test", test[:, known])


def read(data: Path, name: str) -> Any:
    """Return a corpus without stop words."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return plait.read_corpus(data / name, stop_words=ENGLISH_STOP_WORDS, on_error="skip")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("inputs", type=Path, help="folder to write")
    options = parser.parse_args()
    folder, data = options.inputs, Path(os.environ["PLAIT_DATA"])
    folder.mkdir(parents=True, exist_ok=True)
    news = read(data, "20news_matlab")
    train, test = news.part("train"), news.part("test")
    labels = np.unique(train.label_vector(), return_inverse=True)[1]
    rows = np.random.default_rng(0).permutation(len(train))  # the file is in the order of labels
    held_out = np.random.default_rng(1).choice(len(test), _N_TEST, replace=False)
    write_parts(folder, "20news", train.counts[rows], test.counts[held_out], labels=labels[rows])
    cora = read(data, "cora")
    links = sparse.coo_array(cora.links)
    write(folder, "cora", cora.counts, source=links.coords[0], target=links.coords[1])
    write(folder, "reuters", read(data, "reuters21578").counts)
    articles = read(data, "wikipedia_vital").counts
    held = np.arange(articles.shape[0]) % 10 == 9
    write_parts(folder, "wikipedia", articles[~held], articles[held])
    lengths = np.random.default_rng(2).poisson(_NIPS_LENGTH, _NIPS_DOCUMENTS + 150)
    made = zipf_documents(lengths, _NIPS_WORDS, n_topics=100, exponent=1.1, concentration=0.1, seed=3)
    write_parts(folder, "nips", made[:_NIPS_DOCUMENTS], made[_NIPS_DOCUMENTS:])


if __name__ == "__main__":
    main()
