"""A large made corpus: prepared once, then LDA or MedLDA fitted to it from its files, with the memory of every process.

Documents are short and drawn from planted topics; each label prefers some of the topics. They are written as JSON
lines, one at a time, so that neither this script nor `prepare_corpus` holds them.

    python benchmarks/prepared.py make big.jsonl                       1.1 million documents, 60 million tokens
    python benchmarks/prepared.py prepare big.jsonl big.corpus
    python benchmarks/prepared.py fit big.corpus --sweeps 5            on threads
    python benchmarks/prepared.py fit big.corpus --sweeps 5 --workers 2        on Ray

`make big.corpus` writes the prepared corpus without texts in between, which is much faster. `--share 0.05` makes a
twentieth of the documents and words; `--documents`, `--words` and `--length` set each of the three:

    python benchmarks/prepared.py make long.corpus --documents 1000000 --length 200        200 million tokens
    python benchmarks/prepared.py fit long.corpus --model lda --sweeps 20 --jobs 2
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sparse

N_DOCUMENTS, N_WORDS, N_LABELS, N_PLANTED, MEAN_LENGTH = 1_100_000, 100_000, 20, 100, 54.5
_BLOCK = 20_000  # documents that are drawn at a time, if they are as long as by default


@dataclass(frozen=True)
class Size:
    """Number of documents and of words, and the mean length of a document."""

    n_documents: int
    n_words: int
    length: float = MEAN_LENGTH

    @classmethod
    def of_share(cls, share: float) -> Size:
        """Return the size of a share of the corpus."""
        return cls(round(N_DOCUMENTS * share), max(1000, round(N_WORDS * share)))


def draw_documents(corpus: Size, seed: int) -> Iterator[tuple[np.ndarray, sparse.csr_array]]:
    """Yield the labels and the counts of some documents after the other."""
    rng = np.random.default_rng(seed)
    n_words = corpus.n_words
    block = max(1, round(_BLOCK * MEAN_LENGTH / corpus.length))
    popularity = 1.0 / (np.arange(n_words) + 10.0)  # Zipf's law
    cumulated = np.cumsum(popularity / popularity.sum())
    shifts = rng.integers(0, n_words, N_PLANTED)  # every topic has the same law over other words
    preferred = rng.integers(0, N_PLANTED, (N_LABELS, 8))
    for first in range(0, corpus.n_documents, block):
        size = min(block, corpus.n_documents - first)
        labels = rng.integers(0, N_LABELS, size)
        lengths = 5 + rng.poisson(corpus.length - 5, size)
        document = np.repeat(np.arange(size), lengths)
        own = preferred[labels[:, np.newaxis], rng.integers(0, 8, (size, 3))]  # three topics of its label
        topic = own[document, rng.integers(0, 3, document.size)]
        other = rng.random(document.size) < 0.2
        topic[other] = rng.integers(0, N_PLANTED, int(other.sum()))
        ranks = np.searchsorted(cumulated, rng.random(document.size)).clip(0, n_words - 1)
        common = rng.random(document.size) < 0.3  # words that all topics share
        words = np.where(common, ranks, (ranks + shifts[topic]) % n_words)
        counts = sparse.coo_array((np.ones(words.size, np.int32), (document, words)), shape=(size, n_words)).tocsr()
        counts.sum_duplicates()
        yield labels, counts


def make(path: Path, corpus: Size, seed: int) -> None:
    """Write the documents as JSON lines, or as a prepared corpus if the name ends in .corpus."""
    names = [f"word{number:06d}" for number in range(corpus.n_words)]
    if path.suffix == ".corpus":
        make_prepared(path, names, corpus, seed)
        return
    number = 0
    with path.open("w") as file:
        for labels, counts in draw_documents(corpus, seed):
            for row, label in enumerate(labels.tolist()):
                own = slice(counts.indptr[row], counts.indptr[row + 1])
                words = [names[word] for word in counts.indices[own].tolist()]
                known = dict(zip(words, counts.data[own].tolist(), strict=True))
                file.write(json.dumps({"id": f"doc{number}", "label": f"label{label:02d}", "counts": known}) + "\n")
                number += 1


def make_prepared(path: Path, names: list[str], corpus: Size, seed: int) -> None:
    """Write the documents to a prepared corpus, without texts in between."""
    from plait.corpus.prepared.writer import CorpusWriter, new_folder
    from plait.corpus.problems import Skipped

    number = 0
    with new_folder(path, overwrite=True) as folder:
        writer = CorpusWriter(folder, False, ())
        for labels, counts in draw_documents(corpus, seed):
            ids = [f"doc{number + row}" for row in range(labels.size)]
            writer.add_fields({"ids": ids, "labels": [(f"label{label:02d}",) for label in labels.tolist()]}, {})
            writer.add_counts(counts)
            number += labels.size
        writer.finish(names, None, Skipped(), ())


def peak_bytes() -> int:
    """Return the largest resident memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


class WorkerMemory:
    """Watches the memory of the processes of Ray's workers; the largest sum of each is kept."""

    def __init__(self) -> None:
        self.peaks: dict[int, int] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> WorkerMemory:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stop.wait(0.5):
            for folder in Path("/proc").glob("[0-9]*"):
                try:
                    title = (folder / "cmdline").read_bytes()
                    if b"ray::" not in title or b"IDLE" in title or not descends(int(folder.name)):
                        continue
                    status = (folder / "status").read_text()
                except OSError:
                    continue
                peak = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")]
                if peak:
                    self.peaks[int(folder.name)] = int(peak[0]) * 1024


def descends(process: int) -> bool:
    """Return whether a process was started by this one, or by one that this one started."""
    while process > 1:
        if process == os.getpid():
            return True
        process = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    return False


def fit(
    folder: Path, kind: str, sampler: str, topics: int, sweeps: int, workers: int, jobs: int | None
) -> dict[str, Any]:
    """Fit LDA or MedLDA to a prepared corpus for a few sweeps, and return what was measured."""
    import plait

    corpus = plait.read_corpus(folder)
    opened = peak_bytes()
    executor: Any = None if not workers else plait.RayExecutor(workers=workers)
    settings: dict[str, Any] = {
        "n_sweeps": sweeps, "n_samples": 1, "tolerance": 0.0, "random_state": 0, "n_jobs": jobs,
        "executor": executor, "sampler": sampler,
    }  # fmt: skip
    model: Any = (
        plait.LDA(topics, alpha=0.1, beta=0.01, keep="ids", **settings)
        if kind == "lda"
        else plait.MedLDA(
            topics, n_chains=1, keep="ids", c=16.0, class_weight=None, threshold=0.0, features=None, **settings
        )
    )
    n_labels = N_LABELS if kind == "medlda" else 0
    estimate = plait.estimate_memory(corpus, topics, sampler, n_samples=1, n_labels=n_labels, n_jobs=jobs)
    begin = time.perf_counter()
    with warnings.catch_warnings(), WorkerMemory() as memory:
        warnings.simplefilter("ignore")
        model.fit(corpus)
    seconds = [record.seconds for record in model.history_]
    gaps = np.diff(seconds)
    found = {
        "documents": len(corpus),
        "words": corpus.n_words,
        "tokens": corpus.n_tokens,
        "topics": topics,
        "model": kind,
        "sampler": sampler,
        "executor": "threads" if not workers else f"ray, {workers} workers",
        "seconds in all": round(time.perf_counter() - begin, 1),
        "seconds per sweep": round(float(np.median(gaps)) if gaps.size else seconds[0], 2),
        "log-likelihood per token": model.history_[-1].log_likelihood,
        "GB after opening": round(opened / 1e9, 3),
        "GB at the peak, this process": round(peak_bytes() / 1e9, 3),
        "GB estimated": round(estimate / 1e9, 3),
        "bytes per token, peak less opening": round((peak_bytes() - opened) / corpus.n_tokens, 2),
    }
    if workers:
        found["GB at the peak, each worker"] = [round(one / 1e9, 3) for one in memory.peaks.values()]
        found["bytes sent, received"] = list(executor.traffic)
        found["bytes per sweep, about"] = round(sum(executor.traffic) / len(seconds))
    return found


def size_of(path: Path) -> int:
    """Return the bytes of a file, or of all files of a folder."""
    return sum(file.stat().st_size for file in (path.iterdir() if path.is_dir() else [path]))


def main() -> None:
    """Run one step."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(dest="step", required=True)
    making = steps.add_parser("make")
    making.add_argument("path", type=Path)
    making.add_argument("--share", type=float, default=1.0)
    making.add_argument("--documents", type=int)
    making.add_argument("--words", type=int)
    making.add_argument("--length", type=float, default=MEAN_LENGTH, help="mean length of a document, more than 5")
    making.add_argument("--seed", type=int, default=0)
    preparing = steps.add_parser("prepare")
    preparing.add_argument("path", type=Path)
    preparing.add_argument("folder", type=Path)
    fitting = steps.add_parser("fit")
    fitting.add_argument("folder", type=Path)
    fitting.add_argument("--model", choices=["lda", "medlda"], default="medlda")
    fitting.add_argument("--sampler", default="plain")
    fitting.add_argument("--topics", type=int, default=100)
    fitting.add_argument("--sweeps", type=int, default=5)
    fitting.add_argument("--workers", type=int, default=0)
    fitting.add_argument("--jobs", type=int, default=None)
    given = parser.parse_args()
    begin = time.perf_counter()
    if given.step == "make":
        share = Size.of_share(given.share)
        size_made = Size(given.documents or share.n_documents, given.words or share.n_words, given.length)
        make(given.path, size_made, given.seed)
        found: dict[str, Any] = {"bytes": size_of(given.path)}
    elif given.step == "prepare":
        from plait import prepare_corpus

        corpus = prepare_corpus(given.path, given.folder, overwrite=True)
        size = size_of(given.folder)
        found = {"documents": len(corpus), "words": corpus.n_words, "tokens": corpus.n_tokens, "bytes": size}
    else:
        found = fit(given.folder, given.model, given.sampler, given.topics, given.sweeps, given.workers, given.jobs)
    found |= {"seconds of this step": round(time.perf_counter() - begin, 1), "peak GB": round(peak_bytes() / 1e9, 3)}
    json.dump(found, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
