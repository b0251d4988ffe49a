"""Held-out perplexity of `plain` and `synchronous` by sweeps and processor seconds: the rule of `sampler="auto"`.

    python benchmarks/plain_synchronous.py --topics 300 --documents 500 --turns 3
    python benchmarks/plain_synchronous.py --topics 1000 --documents 3000

Both samplers get the same documents, priors and seeds, one thread, in turns. The last column is the number of seconds
to the perplexity that `plain` has at the end, divided by the seconds of `plain`.
"""

from __future__ import annotations

import argparse
import math

import numpy as np
from corpora import NAME, benchmark_corpus
from equal_perplexity import run_plait
from lda import as_fold_in, machine
from tables import print_table, say

from plait.executors import Threads
from plait.metrics import completion_perplexity

_FOLD_IN_SWEEPS = 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    numbers = lambda text: [int(part) for part in text.split(",")]  # noqa: E731
    parser.add_argument("--topics", type=int, default=300, help="number of topics (300)")
    parser.add_argument("--sweeps", type=numbers, default=[20, 50, 100, 200], help="when to check (20,50,100,200)")
    parser.add_argument("--turns", type=int, default=1, help="turns, with seeds from 0 (1)")
    parser.add_argument("--corpus", default=NAME, help=f"folder of PLAIT_DATA ({NAME})")
    parser.add_argument("--documents", type=int, help="maximum number of training documents (all)")
    parser.add_argument("--test-documents", type=int, default=1000, help="maximum number of test documents (1000)")
    options = parser.parse_args()
    corpus = benchmark_corpus(options.documents, options.corpus, options.test_documents)
    say(str(corpus))
    rows = []
    for seed in range(options.turns):
        target = seconds_of_plain = math.nan
        for sampler in ("plain", "synchronous"):
            points = []
            for sweeps, seconds, topic_word in run_plait(
                corpus.train, options.topics, seed, math.gcd(*options.sweeps), sampler
            ):
                if sweeps in options.sweeps:
                    judged = completion_perplexity(as_fold_in(topic_word), corpus.test, _FOLD_IN_SWEEPS, Threads(1))
                    points.append((seconds, judged.perplexity))
                if sweeps >= options.sweeps[-1]:
                    break
            if sampler == "plain":
                seconds_of_plain, target = points[-1]
            # Seconds are interpolated between checks, of which the lowest perplexity so far counts.
            lowest = np.minimum.accumulate([perplexity for _, perplexity in points])
            seconds_at = np.interp(-target, -lowest, [seconds for seconds, _ in points])
            reached = lowest[-1] <= target
            rows.append(
                [str(seed), sampler, *(f"{perplexity:,.0f} ({seconds:.1f} s)" for seconds, perplexity in points),
                 f"{seconds_at / seconds_of_plain:.2f}" if reached else "not reached"]
            )  # fmt: skip
    print(f"{corpus}\n{machine()}")
    columns = ["seed", "sampler", *(f"{sweeps} sweeps" for sweeps in options.sweeps), "seconds : plain"]
    print_table(f"{options.topics} topics", columns, rows)


if __name__ == "__main__":
    main()
