"""Digests of models fitted on the CPU and on a GPU: all of a row must be equal.

    python benchmarks/gpu_digests.py INPUTS threads -o expected.json            fit on the CPU, write the digests
    python benchmarks/gpu_digests.py INPUTS cuda --expected expected.json       fit on a GPU and compare

INPUTS is a folder of matrices, which gpu_inputs.py writes.
A digest is made of what the chain drew: counts, α, β, weights of responses. Machines can therefore be compared.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sparse

import plait

QUICK = {"sampler": "synchronous", "n_sweeps": 20, "n_samples": 2, "sample_every": 3, "tolerance": 0.0,
         "random_state": 7, "verbose": False}  # fmt: skip


def load(folder: Path, name: str) -> tuple[sparse.csr_array, Any]:
    """Return the counts of a corpus and its other arrays."""
    found = np.load(folder / f"{name}.npz")
    parts = (found["data"].astype(np.int32), found["indices"], found["indptr"])
    return sparse.csr_array(parts, shape=tuple(found["shape"])), found


def links_of(found: Any, n: int) -> sparse.csr_array:
    """Return the links of a corpus."""
    return sparse.csr_array((np.ones(found["source"].size), (found["source"], found["target"])), shape=(n, n))


def digest(arrays: list[Any]) -> str:
    """Return a digest of arrays."""
    found = hashlib.blake2b(digest_size=8)
    for one in arrays:
        found.update(np.ascontiguousarray(one).tobytes())
    return found.hexdigest()


def arrays_of(model: Any) -> list[Any]:
    """Return what the samples of a fit consist of."""
    arrays: list[Any] = []
    for samples in model._chain_samples:
        for sample in samples:
            table = sparse.csr_array(sample.word_topic)
            table.sort_indices()
            arrays += [one.astype(np.int64) for one in (table.indptr, table.indices, table.data)]
            arrays += [sample.alpha, np.asarray(sample.beta), *sample.weights]
    return arrays


def fit_lda(folder: Path, executor: Any, n_topics: int) -> str:
    counts, _ = load(folder, "20news")
    return digest(arrays_of(plait.LDA(n_topics, executor=executor, **QUICK).fit(counts)))


def fit_learned(folder: Path, executor: Any) -> str:
    counts, _ = load(folder, "20news")
    model = plait.LDA(50, executor=executor, learn_alpha=True, learn_beta=True, **QUICK)
    return digest(arrays_of(model.fit(counts[:3000])))


def fit_table(folder: Path, executor: Any) -> str:
    counts, _ = load(folder, "20news")
    counts = counts[:3000]
    table = np.random.default_rng(3).uniform(0.005, 0.05, (30, counts.shape[1]))
    return digest(arrays_of(plait.LDA(30, executor=executor, beta=plait.TablePrior(table), **QUICK).fit(counts)))


def fit_labels(folder: Path, executor: Any, cached: bool) -> str:
    counts, found = load(folder, "20news")
    model = plait.MedLDA(30, executor=executor, cached=cached, n_chains=1, features=None, c=1.0, class_weight=None,
                         threshold=0.0, **QUICK)  # fmt: skip
    return digest(arrays_of(model.fit(counts[:4000], found["labels"][:4000])))


def fit_links(folder: Path, executor: Any) -> str:
    counts, found = load(folder, "cora")
    links = links_of(found, counts.shape[0])
    model = plait.RelationalTopicModel(20, executor=executor, n_chains=1, pair_features=None, **QUICK)
    return digest(arrays_of(model.fit(counts, links=links)))


def fit_linked(folder: Path, executor: Any) -> str:
    counts, found = load(folder, "cora")
    links = links_of(found, counts.shape[0])
    return digest(arrays_of(plait.LinkedLDA(20, executor=executor, **QUICK).fit(counts, links=links)))


def fit_online(folder: Path, executor: Any) -> str:
    counts, _ = load(folder, "reuters")
    model = plait.OnlineLDA(20, executor=executor, **QUICK)
    arrays = []
    for own in np.array_split(np.arange(counts.shape[0]), 5):
        arrays.append(model.partial_fit(counts[own]).topic_word_)
    return digest(arrays)


def fold(folder: Path, executor: Any) -> str:
    counts, _ = load(folder, "20news")
    test, _ = load(folder, "20news_test")
    model = plait.LDA(20, executor=executor, **QUICK).fit(counts[:2000])
    return digest([model.transform(test)])


CASES: dict[str, Callable[[Path, Any], str]] = {
    "LDA, 20 topics": lambda folder, executor: fit_lda(folder, executor, 20),
    "LDA, 100 topics": lambda folder, executor: fit_lda(folder, executor, 100),
    "LDA, learned": fit_learned,
    "LDA, table": fit_table,
    "MedLDA, cached": lambda folder, executor: fit_labels(folder, executor, cached=True),
    "MedLDA, exact": lambda folder, executor: fit_labels(folder, executor, cached=False),
    "relational": fit_links,
    "LDA, 1,000 topics": lambda folder, executor: fit_lda(folder, executor, 1000),
    "linked": fit_linked,
    "online": fit_online,
    "fold-in": fold,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("inputs", type=Path, help="folder of matrices")
    parser.add_argument("executor", help="threads or cuda")
    parser.add_argument("-o", "--output", type=Path, help="file for the digests")
    parser.add_argument("--expected", type=Path, help="digests of another run")
    parser.add_argument("--cases", nargs="*", help="names of cases (all)")
    parser.add_argument("--jobs", type=int, help="threads (one)")
    options = parser.parse_args()
    QUICK["n_jobs"] = options.jobs
    expected = json.loads(options.expected.read_text()) if options.expected else {}
    found = {} if options.output is None or not options.output.exists() else json.loads(options.output.read_text())
    for name in options.cases or CASES:
        began = time.perf_counter()
        try:
            found[name] = CASES[name](options.inputs, options.executor)
        except plait.PlaitError as error:
            found[name] = f"refused: {error}"
        same = {None: "", True: "equal", False: "DIFFERS"}[found[name] == expected[name] if name in expected else None]
        print(f"{name:20} {found[name]}  {time.perf_counter() - began:6.1f} s  {same}", flush=True)
        if options.output is not None:
            options.output.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
