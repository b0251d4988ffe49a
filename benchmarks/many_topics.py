"""Sweeps with thousands of topics: processor time per sweep and peak memory of the chain, without dense results.

    python benchmarks/many_topics.py                                             10,000 topics, wikipedia_vital
    python benchmarks/many_topics.py --topics 1000 --sampler plain               another sampler

α is 50 divided by the number of topics, β is 0.01. Seconds are processor time, so that other programs change them less.
"""

from __future__ import annotations

import argparse
import time

from corpora import benchmark_corpus
from tables import print_table
from worker import peak_bytes

from plait.engine.chain import Chain
from plait.executors import Threads
from plait.mixing import OwnDocument
from plait.priors import SymmetricPrior
from plait.samplers import as_sampler


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", default="wikipedia_vital", help="folder of PLAIT_DATA (wikipedia_vital)")
    parser.add_argument("--topics", type=int, default=10_000, help="number of topics (10000)")
    parser.add_argument("--sweeps", type=int, default=12, help="number of sweeps (12)")
    parser.add_argument("--sampler", default="synchronous", help="sampler (synchronous)")
    parser.add_argument("--threads", type=int, default=1, help="number of threads (1)")
    options = parser.parse_args()
    corpus = benchmark_corpus(None, options.corpus)
    chain = Chain(
        corpus.train,
        options.topics,
        mixing=OwnDocument(50 / options.topics),
        prior=SymmetricPrior(0.01),
        sampler=as_sampler(options.sampler),
        seed=0,
    )
    rows = []
    with Threads(options.threads) as threads:
        chain.start(threads)
        for number in range(1, options.sweeps + 1):
            began = time.process_time()
            info = chain.sweep()
            seconds = time.process_time() - began
            assert info.log_likelihood is not None
            rows.append(
                [str(number), f"{seconds:.2f}", f"{info.n_tokens / seconds / 1e6:.2f}",
                 f"{info.log_likelihood / info.n_tokens:.3f}", f"{(peak_bytes() or 0) / 1e6:,.0f}"]
            )  # fmt: skip
    print(corpus)
    columns = ["sweep", "processor seconds", "M tokens per second", "log-likelihood per token", "peak memory, MB"]
    print_table(f"{options.sampler}, {options.topics:,} topics", columns, rows)


if __name__ == "__main__":
    main()
