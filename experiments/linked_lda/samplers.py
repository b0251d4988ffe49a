"""Seconds per sweep and likelihood of each sampler: Table 1 and Figures 4 and 5 of Bíró and Szabó (2009).

    python experiments/linked_lda/samplers.py
    python experiments/linked_lda/samplers.py --documents 200 --sweeps 10            a quick run

The paper's corpus, web sites as single documents, is no longer public. This corpus is synthetic, with the properties
that matter for speed: 2,000 documents of 10,000 tokens over 20,000 words that follow Zipf's law, so that a distinct
word occurs about six times in a document; 30 topics raise or lower the word frequencies. With --apart each topic has
its own frequent words instead. α = 50 / K and β = 200 / words are the paper's.

Likelihood is eq. (4) of the paper, a perplexity (lower is better), on held-out documents. The same fold-in infers their
topics for all samplers: it draws a topic per token.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, median

import numpy as np
import scipy.sparse as sparse
from common import PAPER_SECONDS, print_table, say
from plots import draw_over_sweeps

from benchmarks.synthetic import zipf_documents
from plait.engine.chain import Chain
from plait.engine.fold_in import FoldIn
from plait.executors import Threads
from plait.metrics import fold_in_perplexity
from plait.mixing import OwnDocument
from plait.priors import SymmetricPrior
from plait.samplers import as_sampler

_DOCUMENT_LENGTH, _WORDS, _TRUE_TOPICS, _CONCENTRATION = 10_000, 20_000, 30, 0.1
_EXPONENT, _EXPONENT_APART = 1.2, 1.38  # so that a distinct word occurs about six times in a document
_HELD_OUT = 50
_FOLD_IN_SWEEPS = 20
_LOOK_EVERY = 5  # sweeps between two measurements of the likelihood, for the plot


@dataclass
class Course:
    """One sampler: its chain, the seconds of each sweep, and the likelihood after some of them."""

    name: str
    chain: Chain
    clock: Callable[[], float] = time.perf_counter
    seconds: list[float] = field(default_factory=list)
    perplexity: dict[int, float] = field(default_factory=dict)

    def sweep(self) -> None:
        """Make one sweep and record its seconds."""
        began = self.clock()
        self.chain.sweep()
        self.seconds.append(self.clock() - began)

    def look(self, held_out: sparse.csr_array, executor: Threads) -> None:
        """Record the likelihood of held-out documents."""
        fold_in = FoldIn([self.chain.sample()], real=False, seed=0)
        scored = fold_in_perplexity(fold_in, held_out, _FOLD_IN_SWEEPS, executor)
        self.perplexity[self.chain.n_sweeps] = scored.perplexity

    @property
    def timed(self) -> list[float]:
        """Seconds of all sweeps but the first, which also loads or compiles code."""
        return self.seconds[1:]


def make_corpus(
    n_documents: int, apart: bool, length: int = _DOCUMENT_LENGTH
) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Return training and held-out documents."""
    lengths = np.full(n_documents + _HELD_OUT, length)
    exponent = _EXPONENT_APART if apart else _EXPONENT
    counts = zipf_documents(lengths, _WORDS, _TRUE_TOPICS, exponent, _CONCENTRATION, seed=0, apart=apart)
    return counts[:n_documents], counts[n_documents:]


def run(train: sparse.csr_array, held_out: sparse.csr_array, options: argparse.Namespace) -> list[Course]:
    """Run the samplers in turns, sweep by sweep, so that other load affects all of them."""
    with ExitStack() as stack:
        executor = stack.enter_context(Threads(options.jobs))  # for held-out documents
        courses = []
        for name in options.samplers:
            chain = Chain(
                train,
                options.topics,
                mixing=OwnDocument(50 / options.topics),
                prior=SymmetricPrior(200 / _WORDS),
                sampler=as_sampler(name),
                seed=options.seed,
                n_shards=options.shards,
            )
            chain.start(stack.enter_context(Threads(options.jobs)))  # every chain has its own
            courses.append(Course(name, chain, time.process_time if options.processor_time else time.perf_counter))
        for sweep in range(1, options.sweeps + 1):
            for course in courses:
                course.sweep()
                if sweep == options.sweeps or (options.plot and sweep % _LOOK_EVERY == 0):
                    course.look(held_out, executor)
            say(f"sweep {sweep} of {options.sweeps}: {sum(course.seconds[-1] for course in courses):.1f} s for all")
    return courses


def show(courses: list[Course], sweeps: int) -> None:
    """Print our figures and the paper's."""
    plain = courses[0]
    rows = []
    for course in courses:
        theirs, first = PAPER_SECONDS[course.name], PAPER_SECONDS["plain"]
        likelihood = course.perplexity[sweeps]
        rows.append(
            [
                course.name,
                f"{mean(course.timed):.3f}",
                f"{median(course.timed):.3f}",
                f"{mean(plain.timed) / mean(course.timed):.2f}",
                f"{median(plain.timed) / median(course.timed):.2f}",
                "" if theirs is None or first is None else f"{first[0] / theirs[0]:.2f}",
                f"{likelihood:,.1f}",
                f"{likelihood / plain.perplexity[sweeps] - 1:+.2%}",
            ]
        )
    print_table(
        f"Seconds per sweep, and likelihood (eq. 4, lower is better) after {sweeps} sweeps",
        ["sampler", "mean s", "median s", "× faster, mean", "median", "paper's mean", "likelihood", ": plain's"],
        rows,
    )


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=2000, help="training documents (2000)")
    parser.add_argument("--length", type=int, default=_DOCUMENT_LENGTH, help="tokens per document (10000)")
    parser.add_argument("--topics", type=int, default=30, help="topics to learn (30)")
    parser.add_argument("--sweeps", type=int, default=50, help="sweeps of every sampler, at least 2 (50)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the chains; the corpus stays the same (0)")
    parser.add_argument("--jobs", type=int, default=1, help="threads (1)")
    parser.add_argument("--shards", type=int, default=1, help="number of shards (1: as in the paper)")
    parser.add_argument("--apart", action="store_true", help="no word is frequent in all topics")
    names = list(PAPER_SECONDS)
    parser.add_argument("--samplers", nargs="+", choices=names, default=names, help="plain first (all)")
    parser.add_argument("--processor-time", action="store_true", help="for a busy machine; with one thread")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="save a plot of likelihood by sweep")
    options = parser.parse_args()
    if options.sweeps < 2 or options.documents < 1:
        parser.error("--sweeps must be at least 2 (the first is not timed), --documents at least 1")
    return options


def main() -> None:
    options = parse_options()
    train, held_out = make_corpus(options.documents, options.apart, options.length)
    print(
        f"{train.shape[0]:,} documents of {options.length:,} tokens over {_WORDS:,} words; a distinct word occurs "
        f"{train.sum() / train.nnz:.1f} times in a document; {options.topics} topics, {options.jobs} thread(s), "
        f"{options.shards} shard(s); {held_out.shape[0]} held-out documents"
    )
    courses = run(train, held_out, options)
    show(courses, options.sweeps)
    if options.plot:
        height = "likelihood of held-out documents, eq. (4); lower is better"
        draw_over_sweeps({height: {course.name: course.perplexity for course in courses}}, options.plot)


if __name__ == "__main__":
    main()
