"""Seconds per sweep of LDA and linked LDA by sampler, and of link-PLSA-LDA: Tables 1 and 2 of Bíró and Szabó (2009).

    python experiments/linked_lda/table1.py --results table1.jsonl
    python experiments/linked_lda/table1.py --corpora cora --sweeps 3                        a quick run
    python experiments/linked_lda/table1.py --corpora synthetic --documents 300              longer documents

Thirty topics, and at most ten links per document. All samplers of both models run in turns of ten sweeps (--in-a-row 1:
single sweeps, so that each finds the caches as another sampler left them). Seconds are medians without the first sweep
of each turn. The paper measured on its own corpus of 32,000 web sites on processors of 2009: compare its ratios, not
its seconds. In cora, citeseer and webkb a word occurs at most once per document, so samplers that treat the occurrences
of a word together save nothing; "webkb text" has real counts. "synthetic" is the corpus of samplers.py with ten random
links per document; limit and sparse sampling of linked LDA store a number per distinct word, topic and link of a
document.

Table 2: link-PLSA-LDA is our implementation, mean seconds of 50 EM iterations. "Fast Gibbs" of Porteous et al. (2008)
is `plait.baselines.FastGibbsLDA`, an exact sampler of LDA; the paper ran the authors' program: 949 s on average over 50
sweeps, 2,656 s for the first and 757 s for the last. It gains where topics are many (--topics 100 500).
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sparse
from common import (
    MOST_LINKS,
    N_TOPICS,
    PAPER_SECONDS,
    Course,
    Figures,
    Results,
    base_parser,
    listed,
    print_table,
    take_turns,
)
from data import CORPORA, load
from models import LDA, LINKED, make_chain
from samplers import make_corpus

from plait.baselines import FastGibbsLDA, LinkPLSALDA

PAPER_LINK_PLSA_SECONDS = 19_826  # per iteration, Table 2
PAPER_FAST_GIBBS = {"mean": 949, "first": 2656, "last": 757}  # seconds per sweep, Table 2 and section 4.1
SYNTHETIC = "synthetic"
_MODELS = (LDA, LINKED)
_ITERATIONS = 50  # of link-PLSA-LDA


@dataclass(frozen=True)
class Network:
    """Counts and links of a corpus."""

    counts: sparse.csr_array
    links: sparse.csr_array


def load_network(name: str, n_documents: int) -> Network:
    """Return a corpus by name, or synthetic documents with random links."""
    if name != SYNTHETIC:
        corpus = load(name)
        return Network(corpus.counts, corpus.links)
    counts, _ = make_corpus(n_documents, apart=False)
    rng = np.random.default_rng(0)
    ends = (np.repeat(np.arange(n_documents), MOST_LINKS), rng.integers(n_documents, size=n_documents * MOST_LINKS))
    return Network(counts, sparse.csr_array((np.ones(len(ends[0])), ends), shape=(n_documents, n_documents)))


def measure(name: str, n_topics: int, options: argparse.Namespace) -> Figures:
    """Return the median seconds per sweep of each model and sampler, and per iteration of link-PLSA-LDA."""
    network = load_network(name, options.documents)
    courses = {
        f"{model} {sampler}": Course(make_chain(network, model, sampler, n_topics, seed=0), [])
        for sampler in options.samplers
        for model in _MODELS
    }
    medians = take_turns(courses, options.sweeps, jobs=1, in_a_row=options.in_a_row)
    figures = {name: steps.total for name, steps in medians.items()}
    return figures | {"link-PLSA-LDA": seconds_an_iteration(network, n_topics)} | fast_gibbs(network, n_topics, options)


def fast_gibbs(network: Network, n_topics: int, options: argparse.Namespace) -> Figures:
    """Return the mean, first and last seconds of fast Gibbs sweeps, and the mean number of visited topics."""
    model = FastGibbsLDA(n_topics).start(network.counts[:1])
    model.sweep()  # loads or compiles code
    model.start(network.counts)
    seconds, visited = [], []
    for _ in range(options.fast_sweeps):
        began = time.perf_counter()
        model.sweep()
        seconds.append(time.perf_counter() - began)
        visited.append(model.visited_)
    named = {"mean": float(np.mean(seconds)), "first": seconds[0], "last": seconds[-1], "visited": visited[-1]}
    return {f"fast Gibbs {name}": value for name, value in named.items()}


def seconds_an_iteration(network: Network, n_topics: int) -> float:
    """Return the mean seconds per EM iteration, including the start and the end of the fit."""
    for number in (1, _ITERATIONS):  # the first loads or compiles code
        began = time.perf_counter()
        machine = LinkPLSALDA(n_topics, n_iterations=number, tolerance=0.0, random_state=0)
        machine.fit(network.counts, network.links)
        seconds = time.perf_counter() - began
    return seconds / len(machine.bounds_)


def rows_of(figures: Figures, samplers: list[str]) -> list[list[str]]:
    rows = []
    plain = [figures[f"{model} plain"] for model in _MODELS]
    for sampler in samplers:
        ours = [figures[f"{model} {sampler}"] for model in _MODELS]
        theirs, first = PAPER_SECONDS[sampler], PAPER_SECONDS["plain"]
        cells = [f"{1000 * seconds:.2f}" for seconds in ours] + [f"{ours[1] / ours[0]:.2f}"]
        cells += [f"{before / now:.2f}" for before, now in zip(plain, ours, strict=True)]
        if theirs is not None and first is not None:
            cells += [*map(str, theirs), f"{theirs[1] / theirs[0]:.2f}"]
            cells += [f"{before / now:.2f}" for before, now in zip(first, theirs, strict=True)]
        else:
            cells += [""] * 5
        rows.append([sampler, *cells])
    return rows


def table2(figures: Figures) -> list[list[str]]:
    """Return the rows of Table 2; an iteration is also given in plain sweeps of the same model."""
    lda, linked = PAPER_SECONDS["plain"] or (1, 1)
    rows = []
    for which, theirs in PAPER_FAST_GIBBS.items():
        ours = figures[f"fast Gibbs {which}"]
        rows.append([f"LDA / fast Gibbs, {which}", f"{1000 * ours:.2f}", f"{ours / figures['LDA plain']:.2f}"])
        rows[-1] += [f"{theirs:,}", f"{theirs / lda:.2f}"]
    ours = figures["link-PLSA-LDA"]
    rows.append(["link-PLSA-LDA / variational", f"{1000 * ours:.2f}", f"{ours / figures['linked LDA plain']:.2f}"])
    rows[-1] += [f"{PAPER_LINK_PLSA_SECONDS:,}", f"{PAPER_LINK_PLSA_SECONDS / linked:.2f}"]
    return rows


def main() -> None:
    parser = base_parser(__doc__ or "", [N_TOPICS])
    known, chosen = (*CORPORA, SYNTHETIC), ("webkb text", "cora", "citeseer")
    parser.add_argument("--corpora", nargs="+", choices=known, default=chosen, help=f"which ({listed(chosen)})")
    parser.add_argument("--documents", type=int, default=300, help="of the synthetic corpus, 10,000 tokens each (300)")
    parser.add_argument("--sweeps", type=int, default=30, help="timed sweeps (30)")
    parser.add_argument("--in-a-row", type=int, default=10, help="sweeps that follow each other in a turn (10)")
    parser.add_argument("--fast-sweeps", type=int, default=50, help="sweeps of fast Gibbs (50)")
    names = list(PAPER_SECONDS)
    parser.add_argument("--samplers", nargs="+", choices=names, default=names, help="which, besides plain (all)")
    options = parser.parse_args()
    options.samplers = ["plain", *(name for name in options.samplers if name != "plain")]
    results = Results(options.results)
    columns = ["LDA", "linked", "linked : LDA", "plain : LDA", "plain : linked"]
    for name in options.corpora:
        for n_topics in options.topics:
            setting = {"corpus": name, "topics": n_topics, "sweeps": options.sweeps, "samplers": options.samplers}
            setting |= {"documents": options.documents} if name == SYNTHETIC else {}
            figures = results.get(setting, lambda name=name, k=n_topics: measure(name, k, options))
            print_table(
                f"{name}, {n_topics} topics: milliseconds per sweep by sampler, the paper's seconds, and ratios: "
                "linked LDA to LDA, plain sampling to this sampler",
                ["sampler", *(f"ms, {word}" if ":" not in word else word for word in columns),
                 *(f"paper, {word}" for word in columns)],
                rows_of(figures, options.samplers),
            )  # fmt: skip
            print_table(
                f"{name}, {n_topics} topics: Table 2; fast Gibbs visits {figures['fast Gibbs visited']:.1f} topics per "
                "token in the last sweep",
                ["model / sampler", "ms", "plain sweeps", "paper, s", "paper, plain sweeps"],
                table2(figures),
            )


if __name__ == "__main__":
    main()
