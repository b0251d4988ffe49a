"""A made network of many documents and links: sweep times and peak memory of relational models, and suggested links.

    python benchmarks/network.py                                     diagonal weights, 50 topics
    python benchmarks/network.py --form "low_rank(8)" --topics 100   low-rank weights
    python benchmarks/network.py --documents 4000 --links 120000 --form full --topics 40
    python benchmarks/network.py --profile                           also the seconds of each step

A document mixes few topics. A link goes to a document with a token of the topic of one of the source's tokens, or for
every fourth link of the topic after it; the first documents are linked to more often than the last ones. New documents
are made in the same way. Processor seconds are those of all threads.

One chain is fitted with few sweeps, so that a run takes minutes; later sweeps take about as long as the last ones here.
Links are suggested with as many samples as the model has by default: the samples of the chain are repeated
(`--suggest-chains`, `--suggest-samples`). Topics of new documents are inferred under each of them.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sparse
from tables import print_table
from worker import peak_bytes

import plait
from plait.engine.chain import Chain
from plait.engine.shard import Shard
from plait.responses.linear.pairs import ChainPairs

_STEPS = {  # timed with --profile
    "draw weights": (Chain, "_draw_weights"),
    "draw topics": (Chain, "_draw_topics"),
    "draw auxiliary variables": (Chain, "_draw_auxiliaries"),
    "- statistics of the shards": (Shard, "statistics"),
    "- observations of the shards": (Shard, "_observations"),
    "- sweeps of the shards": (Shard, "sweep"),
    "- draw unlinked pairs": (ChainPairs, "_draw_negatives"),
    "- cut pairs": (ChainPairs, "cut"),
}


class Network(NamedTuple):
    """Word counts of known and new documents, and links between known ones."""

    known: sparse.csr_array
    links: sparse.csr_array
    new: sparse.csr_array


def make_network(n_documents: int, n_links: int, n_new: int, n_topics: int, length: float, n_words: int) -> Network:
    """Return a made network."""
    rng = np.random.default_rng(0)
    total = n_documents + n_new
    mixtures = rng.gamma(0.08, size=(total, n_topics)) + 1e-12
    lengths = rng.poisson(length, size=total) + 10
    in_topic = rng.multinomial(lengths, mixtures / mixtures.sum(axis=1, keepdims=True))
    topics = np.repeat(np.tile(np.arange(n_topics), total), in_topic.ravel())
    documents = np.repeat(np.arange(total), lengths)
    frequencies = np.arange(1, n_words + 1) ** -1.0 * rng.gamma(0.1, size=(n_topics, n_words))
    below = np.cumsum(frequencies / frequencies.sum(axis=1, keepdims=True), axis=1)
    words = np.empty(topics.size, np.int32)
    for topic in range(n_topics):
        own = topics == topic
        words[own] = np.minimum(np.searchsorted(below[topic], rng.random(np.count_nonzero(own))), n_words - 1)
    counts = sparse.csr_array((np.ones(words.size, np.int32), (documents, words)), shape=(total, n_words))
    n_tokens = int(lengths[:n_documents].sum())
    links = _make_links(rng, topics[:n_tokens], documents[:n_tokens], n_documents, n_links, n_topics)
    return Network(counts[:n_documents], links, counts[n_documents:])


def _make_links(
    rng: np.random.Generator, topics: np.ndarray, documents: np.ndarray, n_documents: int, n_links: int, n_topics: int
) -> sparse.csr_array:
    by_topic = np.argsort(topics, kind="stable")
    starts = np.searchsorted(topics[by_topic], np.arange(n_topics + 1))
    found = np.empty(0, np.int64)
    while found.size < n_links:
        tokens = rng.integers(topics.size, size=2 * (n_links - found.size) + 16)
        wanted = (topics[tokens] + (rng.random(tokens.size) < 0.25)) % n_topics
        sizes = starts[wanted + 1] - starts[wanted]
        places = starts[wanted] + (sizes * rng.random(tokens.size) ** 1.5).astype(np.int64)
        apart = sizes > 0
        sources, targets = documents[tokens[apart]], documents[by_topic[places[apart]]]
        codes = sources * n_documents + targets
        found = np.unique(np.concatenate([found, codes[sources != targets]]))
    found = rng.choice(found, n_links, replace=False)
    ends = (found // n_documents, found % n_documents)
    return sparse.csr_array((np.ones(n_links), ends), shape=(n_documents, n_documents))


class Stopwatch:
    """Seconds of every sweep of all chains and, if asked for, of its steps: of the clock, and of the processor."""

    def __init__(self, steps: bool) -> None:
        self.sweeps: list[np.ndarray] = []
        self.steps: dict[str, np.ndarray] = defaultdict(lambda: np.zeros(2))
        self._time(Chain, "sweep", self._note_sweep)
        if steps:
            for name, (owner, method) in _STEPS.items():
                self._time(owner, method, lambda seconds, name=name: self._add(name, seconds))

    def _note_sweep(self, seconds: np.ndarray) -> None:
        self.sweeps.append(seconds)
        memory = (peak_bytes() or 0) / 1e6
        print(
            f"sweep {len(self.sweeps)}: {seconds[0]:.2f} s, {seconds[1]:.2f} processor s, peak {memory:,.0f} MB",
            flush=True,
        )

    def _add(self, name: str, seconds: np.ndarray) -> None:
        self.steps[name] = self.steps[name] + seconds

    def _time(self, owner: type, method: str, note: Callable[[np.ndarray], None]) -> None:
        original = getattr(owner, method)
        own = time.thread_time if owner is Shard else time.process_time  # several shards run at the same time

        def timed(*arguments: Any, **named: Any) -> Any:
            began = np.array([time.perf_counter(), own()])
            result = original(*arguments, **named)
            note(np.array([time.perf_counter(), own()]) - began)
            return result

        setattr(owner, method, timed)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=200_000, help="known documents (200000)")
    parser.add_argument("--links", type=int, default=2_000_000, help="links between them (2000000)")
    parser.add_argument("--new", type=int, default=1_000, help="new documents to suggest links for (1000)")
    parser.add_argument("--length", type=float, default=50, help="mean number of tokens, less ten (50)")
    parser.add_argument("--words", type=int, default=20_000, help="words (20000)")
    parser.add_argument("--topics", type=int, default=50, help="topics, of the network and of the model (50)")
    parser.add_argument("--form", default="diagonal", help="form of the weights (diagonal)")
    parser.add_argument("--negatives", type=float, help="unlinked pairs per link (the model's default)")
    parser.add_argument("--negative-cost", type=float, default=1.0, help="cost of an unlinked pair (1)")
    parser.add_argument("--fresh", type=int, default=1, help="sweeps after which other unlinked pairs are drawn (1)")
    parser.add_argument("--sweeps", type=int, default=6, help="burn-in (6)")
    parser.add_argument("--samples", type=int, default=4, help="samples per chain (4)")
    parser.add_argument("--chains", type=int, default=1, help="chains (1)")
    parser.add_argument("--suggest-chains", type=int, default=4, help="chains when links are suggested (4)")
    parser.add_argument("--suggest-samples", type=int, default=10, help="samples of each of these chains (10)")
    parser.add_argument("--cached", action="store_true", help="compute the effect of links once per document")
    parser.add_argument("--threads", type=int, default=2, help="threads (2)")
    parser.add_argument("--profile", action="store_true", help="print the seconds of each step")
    options = parser.parse_args()
    network = make_network(options.documents, options.links, options.new, options.topics, options.length, options.words)
    print(f"{network.known.shape[0]:,} documents, {int(network.known.sum()):,} tokens, {network.links.nnz:,} links; "
          f"{(peak_bytes() or 0) / 1e6:,.0f} MB before the fit")  # fmt: skip
    model = plait.RelationalTopicModel(
        options.topics,
        form=options.form,
        pair_features=None,
        negatives_per_link=options.negatives,
        c_negative=options.negative_cost,
        fresh_negatives=options.fresh,
        n_chains=options.chains,
        n_sweeps=options.sweeps,
        n_samples=options.samples,
        sample_every=1,
        cached=True if options.cached else None,
        n_jobs=options.threads,
        random_state=0,
        verbose=False,
    )
    watch = Stopwatch(options.profile)
    began = np.array([time.perf_counter(), time.process_time()])
    model.fit(network.known, links=network.links)
    fitting = np.array([time.perf_counter(), time.process_time()]) - began
    peak = peak_bytes() or 0
    measured = {
        "fit": fitting,
        "sweep, median": np.median(watch.sweeps, axis=0),
        "first sweep": watch.sweeps[0],
        "last sweep": watch.sweeps[-1],
    } | {f"{name}, per sweep": seconds / len(watch.sweeps) for name, seconds in watch.steps.items()}
    n_pairs = model.n_links_ + model.n_negatives_
    rows = [[name, *(f"{one:.2f}" for one in seconds)] for name, seconds in measured.items()]
    title = f"{options.form}, {options.topics} topics, {n_pairs:,} pairs, {options.threads} threads"
    print_table(title, ["", "seconds", "processor seconds"], rows)
    print(f"\npeak memory of the process: {peak / 1e6:,.0f} MB")
    if options.new:
        repeat_samples(model, options.suggest_chains, options.suggest_samples)
        model.suggest_links(network.new[:2])  # compiles
        began = np.array([time.perf_counter(), time.process_time()])
        found = model.suggest_links(network.new)
        seconds = np.array([time.perf_counter(), time.process_time()]) - began
        print(f"suggest_links for {len(found):,} new documents, {options.suggest_chains * options.suggest_samples} "
              f"samples: {seconds[0]:.2f} s, {seconds[1]:.2f} processor s; "
              f"peak memory {(peak_bytes() or 0) / 1e6:,.0f} MB")  # fmt: skip


def repeat_samples(model: plait.RelationalTopicModel, n_chains: int, n_samples: int) -> None:
    """Repeat the samples of the first chain, so that the model has as many as after a longer fit."""
    samples = model._chain_samples[0]
    model._chain_samples = [[samples[number % len(samples)] for number in range(n_samples)] for _ in range(n_chains)]
    model._chain_groups = list(range(n_chains))


if __name__ == "__main__":
    main()
