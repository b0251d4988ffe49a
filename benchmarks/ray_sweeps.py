"""Seconds per sweep of LDA in threads and in workers of Ray on this machine, in turns, and bytes per sweep.

    PLAIT_DATA=/path/to/data python benchmarks/ray_sweeps.py --topics 100 --workers 2 --turns 10

Both chains have the same seed, so they do the same work; the script stops if their log-likelihoods differ. A turn is
five sweeps of each. The first turn, which loads compiled kernels, is left out. With `--whole 0` the table travels as
the rows that each worker uses, as a table of more than 256 MiB does; "sent" shows what that takes.
"""

from __future__ import annotations

import argparse
import time
from statistics import median

from corpora import benchmark_corpus
from tables import say

from plait.engine import narrowing
from plait.engine.chain import Chain
from plait.executors import RayExecutor, Threads
from plait.mixing import OwnDocument
from plait.priors import SymmetricPrior
from plait.samplers import as_sampler

_SWEEPS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--topics", type=int, default=100)
    parser.add_argument("--workers", type=int, default=2, help="workers of Ray, and threads")
    parser.add_argument("--turns", type=int, default=10)
    parser.add_argument("--documents", type=int, help="number of training documents (all)")
    parser.add_argument("--whole", type=float, metavar="MIB", help="largest table that travels whole (256)")
    arguments = parser.parse_args()
    if arguments.whole is not None:
        narrowing.MOST_WHOLE_BYTES = int(arguments.whole * 2**20)
    corpus = benchmark_corpus(arguments.documents)
    say(f"{corpus}, {arguments.topics} topics, {arguments.workers} workers")
    with Threads(arguments.workers) as threads, RayExecutor(workers=arguments.workers) as ray:
        chains = [make_chain(corpus.train, arguments.topics) for _ in range(2)]
        for chain, executor in zip(chains, (threads, ray), strict=True):
            chain.start(executor)
        dense = chains[0]._tables.words.nbytes
        rows = dense // (4 * chains[0].width)
        how = "as rows in use" if dense > narrowing.MOST_WHOLE_BYTES else "whole"
        say(f"{chains[0].n_shards} shards; shared table: {rows:,} words, {dense / 1e6:.1f} MB; it travels {how}")
        say("sweeps | threads, s | Ray, s | ratio | sent, MB | received, MB | table / received")
        ratios = []
        for turn in range(arguments.turns):
            before = ray.traffic
            seconds = [time_sweeps(chain) for chain in (chains if turn % 2 == 0 else chains[::-1])]
            in_threads, on_ray = seconds if turn % 2 == 0 else seconds[::-1]
            if turn > 0:
                ratios.append(on_ray / in_threads)
            sent = (ray.traffic.sent - before.sent) / _SWEEPS
            received = (ray.traffic.received - before.received) / _SWEEPS
            say(
                f"{turn * _SWEEPS + 1}-{(turn + 1) * _SWEEPS} | {in_threads:.3f} | {on_ray:.3f} | "
                f"{on_ray / in_threads:.2f} | {sent / 1e6:.1f} | {received / 1e6:.1f} | {dense / received:.1f}"
            )
        if chains[0].sweep() != chains[1].sweep():
            raise SystemExit("threads and Ray gave different log-likelihoods")
        say(f"median ratio without the first turn: {median(ratios):.2f}")


def make_chain(counts, n_topics: int) -> Chain:
    """Return a chain of LDA with the default priors."""
    return Chain(
        counts,
        n_topics,
        mixing=OwnDocument(0.1),
        prior=SymmetricPrior(0.01),
        sampler=as_sampler("plain"),
        seed=0,
    )


def time_sweeps(chain: Chain) -> float:
    """Return seconds per sweep."""
    begin = time.perf_counter()
    for _ in range(_SWEEPS):
        chain.sweep()
    return (time.perf_counter() - begin) / _SWEEPS


if __name__ == "__main__":
    main()
