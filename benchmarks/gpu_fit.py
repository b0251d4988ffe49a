"""Whole chains on a GPU and in threads: seconds, transfers and compilation included.

    python benchmarks/gpu_fit.py --tokens 100000000 --topics 128 --sweeps 200       made tokens
    python benchmarks/gpu_fit.py --labels 20 --cached --gpu-only                    with labels; seconds of each step
    python benchmarks/gpu_fit.py --cpu-sweeps 20 --output FILE                      perplexity by seconds (gpu_plot.py)
    python benchmarks/gpu_fit.py --perplexity INPUTS --seeds 0 1 2                 held-out perplexity
    python benchmarks/gpu_fit.py --perplexity INPUTS --executor threads            the same without a GPU

Both chains of the first command draw the same topics, so that equal numbers of sweeps have equal perplexity: the ratio
of the seconds is that of the seconds to any perplexity. With --perplexity the synchronous sampler on a GPU is compared
with `plain` in threads; gpu_inputs.py writes INPUTS. In threads it draws the same topics.
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
from gpu import make_documents
from gpu_digests import load

import plait
from plait.engine.chain import Chain
from plait.executors import CudaExecutor, Executor, Threads
from plait.mixing import OwnDocument
from plait.priors import SymmetricPrior
from plait.responses import Hinge
from plait.responses.linear.target_rows import SignRows
from plait.responses.linear.targets import ChainTargets
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


def make_signs(counts: sparse.csr_array, n_labels: int) -> np.ndarray:
    """Return labels as signs: the class of a document follows from the word in the middle of its list."""
    middle = (counts.indptr[:-1] + counts.indptr[1:]) // 2
    known = counts.indices[np.minimum(middle, counts.indices.size - 1)] % n_labels
    signs = np.full((counts.shape[0], n_labels), -1, np.int8)
    signs[np.arange(counts.shape[0]), known] = 1
    return signs


class Steps:
    """Seconds of the steps of a chain's sweeps."""

    def __init__(self, chain: Chain) -> None:
        self.seconds: dict[str, list[float]] = {"weights": [], "topics": [], "auxiliaries": []}
        for name, own in self.seconds.items():
            setattr(chain, f"_draw_{name}", self._timed(getattr(chain, f"_draw_{name}"), own))

    def _timed(self, method: Callable[[], Any], own: list[float]) -> Callable[[], Any]:
        def run() -> Any:
            began = time.perf_counter()
            found = method()
            own.append(time.perf_counter() - began)
            return found

        return run

    def __str__(self) -> str:
        return ", ".join(f"{name} {1000 * np.median(own):.1f}" for name, own in self.seconds.items())


def run_chain(
    counts: sparse.csr_array, n_topics: int, n_sweeps: int, executor: Executor, signs: np.ndarray | None, cached: bool
) -> dict[str, Any]:
    """Run a chain and print where its time went; return the perplexity of its tokens by seconds since the start."""
    responses = []
    if signs is not None:
        costs = np.ones((2, signs.shape[1]))
        responses = [ChainTargets(SignRows(signs, costs), Hinge(), exact=not cached)]
    chain = Chain(counts, n_topics, mixing=OwnDocument(50 / n_topics), prior=SymmetricPrior(0.01),
                  sampler=Synchronous(), seed=0, responses=responses)  # fmt: skip
    steps = Steps(chain)
    began = time.perf_counter()
    with executor:
        chain.start(executor)
        started = time.perf_counter()
        times, perplexities = [], []
        for _ in range(n_sweeps):
            info = chain.sweep()
            times.append(time.perf_counter())
            perplexities.append(float(np.exp(-info.log_likelihood / info.n_tokens)))
        sample = chain.sample()
        ended = time.perf_counter()
    sweeps = np.diff([started, *times])
    digest = hashlib.blake2b(b"".join(one.tobytes() for one in sample.weights), digest_size=6).hexdigest()
    print(
        f"{type(executor).__name__:13} start {started - began:6.2f} s, {n_sweeps} sweeps {times[-1] - started:7.2f} s "
        f"(median {1000 * np.median(sweeps):8.1f} ms: {steps}), sample {ended - times[-1]:5.2f} s; "
        f"log p(token) {info.log_likelihood / info.n_tokens:.6f}, "
        f"checksum {int((sample.word_topic.data**2).sum())}, weights {digest}",
        flush=True,
    )
    seconds = [one - began for one in times]
    name = type(executor).__name__
    return {"executor": name, "seconds": seconds, "perplexity": perplexities, "tokens": info.n_tokens,
            "topics": n_topics}  # fmt: skip


def compare_perplexity(
    folder: Path, corpora: list[str], seeds: list[int], synchronous: str, options: dict[str, Any]
) -> None:
    """Print held-out perplexity after equally many sweeps."""
    n_topics = options.pop("n_topics")
    for corpus in corpora:
        train, test = load(folder, corpus)[0], load(folder, f"{corpus}_test")[0]
        for seed in seeds:
            found = []
            for sampler, executor in (("plain", "threads"), ("synchronous", synchronous)):
                model = plait.LDA(n_topics, sampler=sampler, executor=executor, tolerance=0.0, random_state=seed,
                                  verbose=False, **options)  # fmt: skip
                began = time.perf_counter()
                model.fit(train)
                seconds = time.perf_counter() - began
                found.append(model.set_params(executor=None).perplexity(test))
                print(f"{corpus}, seed {seed}: {sampler:12} on {executor:8} {found[-1]}, {seconds:.1f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens", type=int, default=100_000_000)
    parser.add_argument("--words", type=int, default=50_000)
    parser.add_argument("--length", type=int, default=100)
    parser.add_argument("--topics", type=int, default=128)
    parser.add_argument("--sweeps", type=int, default=200)
    parser.add_argument("--cpu-sweeps", type=int, default=3, help="sweeps in threads")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--labels", type=int, default=0, help="labels, of which every document has one")
    parser.add_argument("--cached", action="store_true", help="with the cached tilt")
    parser.add_argument("--gpu-only", action="store_true", help="without the comparison with threads")
    parser.add_argument("--output", type=Path, help="JSON file for perplexity by seconds")
    parser.add_argument("--perplexity", type=Path, metavar="INPUTS")
    parser.add_argument("--corpora", nargs="*", default=["20news"], help="with --perplexity: 20news, wikipedia, nips")
    parser.add_argument("--seeds", type=int, nargs="*", default=[0], help="with --perplexity")
    parser.add_argument("--executor", choices=["cuda", "threads"], default="cuda", help="of synchronous, --perplexity")
    options = parser.parse_args()
    if options.perplexity:
        chain = {"n_topics": options.topics, "n_sweeps": options.sweeps, "n_jobs": options.threads}
        compare_perplexity(options.perplexity, options.corpora, options.seeds, options.executor, chain)
        return
    began = time.perf_counter()
    counts = make_matrix(options.tokens, options.words, options.length)
    signs = make_signs(counts, options.labels) if options.labels else None
    print(
        f"{counts.sum():,} tokens, {counts.shape[0]:,} documents, {options.topics} topics, {options.labels} labels "
        f"{'cached' if options.cached else 'exact'}; made in {time.perf_counter() - began:.1f} s",
        flush=True,
    )

    def run(n_sweeps: int, executor: Executor) -> None:
        curves.append(run_chain(counts, options.topics, n_sweeps, executor, signs, options.cached))

    curves: list[dict[str, Any]] = []

    if not options.gpu_only:
        run(options.cpu_sweeps, Threads(options.threads))
        run(options.cpu_sweeps, CudaExecutor(n_jobs=options.threads))
    if options.sweeps:
        run(options.sweeps, CudaExecutor(n_jobs=options.threads))
    if options.output:
        options.output.write_text(json.dumps(curves))


if __name__ == "__main__":
    main()
