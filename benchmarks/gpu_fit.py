"""Whole chains on a GPU and in threads: seconds, transfers and compilation included.

    python benchmarks/gpu_fit.py --tokens 100000000 --topics 128 --sweeps 200       made tokens
    python benchmarks/gpu_fit.py --perplexity INPUTS                                held-out perplexity, 20 Newsgroups

Both chains of the first command draw the same topics, so that equal numbers of sweeps have equal perplexity: the ratio
of the seconds is that of the seconds to any perplexity. The second one compares the synchronous sampler on a GPU with
`plain` in threads.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sparse
from gpu import make_documents
from gpu_digests import load

import plait
from plait.engine.chain import Chain
from plait.executors import CudaExecutor, Executor, Threads
from plait.mixing import OwnDocument
from plait.priors import SymmetricPrior
from plait.samplers import Synchronous


def make_matrix(n_tokens: int, n_words: int, length: int) -> sparse.csr_array:
    """Return made tokens as counts, documents × words."""
    documents = make_documents(n_tokens, n_words, length)
    words = documents.words
    first = np.ones(words.size, bool)
    first[1:] = words[1:] != words[:-1]
    first[documents.offsets[:-1]] = True
    places = np.flatnonzero(first)
    counts = np.diff(np.append(places, words.size)).astype(np.int32)
    starts = np.searchsorted(places, documents.offsets)
    return sparse.csr_array((counts, words[places], starts), shape=(documents.offsets.size - 1, n_words))


def run_chain(counts: sparse.csr_array, n_topics: int, n_sweeps: int, executor: Executor) -> None:
    """Run a chain and print where its time went."""
    chain = Chain(counts, n_topics, mixing=OwnDocument(50 / n_topics), prior=SymmetricPrior(0.01),
                  sampler=Synchronous(), seed=0)  # fmt: skip
    began = time.perf_counter()
    with executor:
        chain.start(executor)
        started = time.perf_counter()
        times = []
        for _ in range(n_sweeps):
            info = chain.sweep()
            times.append(time.perf_counter())
        sample = chain.sample()
        ended = time.perf_counter()
    sweeps = np.diff([started, *times])
    print(
        f"{type(executor).__name__:13} start {started - began:6.2f} s, {n_sweeps} sweeps {times[-1] - started:7.2f} s "
        f"(median {1000 * np.median(sweeps):8.1f} ms), sample {ended - times[-1]:5.2f} s; "
        f"log p(token) {info.log_likelihood / info.n_tokens:.6f}, checksum {int((sample.word_topic.data**2).sum())}",
        flush=True,
    )


def compare_perplexity(folder: Path, n_topics: int, n_sweeps: int, n_jobs: int) -> None:
    """Print held-out perplexity after equally many sweeps."""
    train, _ = load(folder, "20news")
    test, _ = load(folder, "20news_test")
    for sampler, executor in (("plain", "threads"), ("synchronous", "cuda")):
        options = {"n_sweeps": n_sweeps, "tolerance": 0.0, "random_state": 0, "verbose": False, "n_jobs": n_jobs}
        began = time.perf_counter()
        model = plait.LDA(n_topics, sampler=sampler, executor=executor, **options).fit(train)
        seconds = time.perf_counter() - began
        found = model.set_params(executor=None).perplexity(test)
        print(f"{sampler:12} on {executor:8} {n_topics} topics: perplexity {found}, {seconds:.1f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens", type=int, default=100_000_000)
    parser.add_argument("--words", type=int, default=50_000)
    parser.add_argument("--length", type=int, default=100)
    parser.add_argument("--topics", type=int, default=128)
    parser.add_argument("--sweeps", type=int, default=200)
    parser.add_argument("--cpu-sweeps", type=int, default=3, help="sweeps in threads")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--perplexity", type=Path, metavar="INPUTS")
    options = parser.parse_args()
    if options.perplexity:
        compare_perplexity(options.perplexity, options.topics, options.sweeps, options.threads)
        return
    counts = make_matrix(options.tokens, options.words, options.length)
    print(f"{counts.sum():,} tokens, {counts.shape[0]:,} documents", flush=True)
    run_chain(counts, options.topics, options.cpu_sweeps, Threads(options.threads))
    run_chain(counts, options.topics, options.cpu_sweeps, CudaExecutor(n_jobs=options.threads))
    run_chain(counts, options.topics, options.sweeps, CudaExecutor(n_jobs=options.threads))


if __name__ == "__main__":
    main()
