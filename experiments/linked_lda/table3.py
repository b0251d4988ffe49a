"""Classification and time on a corpus of the shape of the paper's big one: Table 3 of Bíró and Szabó (2009).

    python experiments/linked_lda/table3.py
    python experiments/linked_lda/table3.py --scale 1000 --length 500 --sweeps 5                          a quick run

The paper's big corpus has 114,000 web sites, 1.8 billion tokens, a vocabulary of 100,000 words, and at most 50 links
per site; it is no longer public. Table 3 has the AUC there, by sampler; the paper gives no time for it. This corpus is
made: documents are fewer by --scale, with the paper's mean length unless --length is given, words follow Zipf's law,
and each document has one of 11 classes, which raises the share of its topics; links lead to documents of the same class
with a chance of 0.7. AUC is BayesNet's on doc_topic_, ten folds, after --sweeps sweeps.

Time to the full size: a sweep visits tokens (plain), distinct words of documents (aggregated, limit) or a fraction 1/ℓ
of these (sparse), so seconds at full size = seconds here × visits at full size / visits here. The full size has 1.8e9
tokens, and as many tokens per distinct word as here. That ignores caches, which are larger than these tables but not
than those of the full size.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sparse
from common import PAPER_SECONDS, Course, Figures, Results, base_parser, print_table, take_turns
from models import LDA, LINKED, classifiers, make_chain

from benchmarks.synthetic import zipf_documents
from experiments.chains import doc_topic
from plait.metrics import cross_validate_labels

SITES, TOKENS, WORDS, LINKS, CLASSES = 114_000, 1.8e9, 100_000, 50, 11
_EXPONENT, _CONCENTRATION = 1.2, 0.1
_SAME_CLASS = 0.7
# AUC with BayesNet in Table 3.
PAPER_AUC = {
    (LDA, "plain"): 0.821, (LDA, "aggregated"): 0.820, (LDA, "limit"): 0.810, (LDA, "sparse(10)"): 0.788,
    (LINKED, "plain"): 0.854, (LINKED, "aggregated"): 0.848, (LINKED, "aggregated_sparse(10)"): 0.837,
}  # fmt: skip
SAMPLERS = ("plain", "aggregated", "limit", "sparse(10)", "aggregated_sparse(10)")


@dataclass(frozen=True)
class MadeCorpus:
    """Counts, links and classes."""

    counts: sparse.csr_array
    links: sparse.csr_array
    classes: np.ndarray


def make_corpus(n_documents: int, length: int, n_links: int, seed: int = 0) -> MadeCorpus:
    """Return a corpus whose classes differ in words, and whose links prefer the same class."""
    rng = np.random.default_rng(seed)
    classes = np.arange(n_documents) % CLASSES
    lengths = np.full(n_documents, length // 2)
    shared = zipf_documents(lengths, WORDS, 30, _EXPONENT, _CONCENTRATION, seed=seed)
    own = sparse.csr_array((n_documents, WORDS), dtype=shared.dtype)
    parts = [
        zipf_documents(lengths[classes == one], WORDS, 3, _EXPONENT, _CONCENTRATION, seed=seed + 1 + one)
        for one in range(min(CLASSES, n_documents))
    ]
    order = np.argsort(classes, kind="stable")
    own = sparse.csr_array(sparse.vstack(parts))[np.argsort(order, kind="stable")]
    counts = sparse.csr_array(shared + own)
    counts = counts[:, np.flatnonzero(counts.sum(axis=0))]
    sources = np.repeat(np.arange(n_documents), n_links)
    same = rng.random(sources.size) < _SAME_CLASS
    any_one = rng.integers(n_documents, size=sources.size)
    alike = np.minimum(any_one // CLASSES * CLASSES + classes[sources], n_documents - 1)
    targets = np.where(same, alike, any_one)
    kept = sources != targets
    ends = sources[kept], targets[kept]
    links = sparse.csr_array((np.ones(kept.sum()), ends), shape=(n_documents, n_documents))
    return MadeCorpus(counts, links, classes)


def visits(counts: sparse.csr_array, sampler: str) -> float:
    """Return the number of conditionals that a sweep computes."""
    tokens, entries = float(counts.sum()), float(counts.nnz)
    if sampler == "plain":
        return tokens
    return entries / float(sampler.partition("(")[2].rstrip(")") or 1)


def measure(options: argparse.Namespace, n_topics: int, n_documents: int, length: int) -> Figures:
    """Return AUC and median seconds per sweep of each model and sampler."""
    corpus = make_corpus(n_documents, length, min(LINKS, n_documents // 4), options.seed)
    courses = {
        f"{model} {sampler}": Course(
            make_chain(
                corpus, model, sampler, n_topics, options.seed, alpha=50 / n_topics, beta=200 / corpus.counts.shape[1]
            ),
            [],
        )
        for sampler in options.samplers
        for model in (LDA, LINKED)
    }
    figures: Figures = {"tokens": float(corpus.counts.sum()), "entries": float(corpus.counts.nnz)}

    def look() -> None:
        for name, course in courses.items():
            machine = classifiers(options.seed)["BayesNet"]
            found = cross_validate_labels(machine, doc_topic(course.chain), corpus.classes, seed=options.seed)
            figures[f"{name} AUC"] = found.auc

    medians = take_turns(courses, options.sweeps, jobs=1, look=look)
    figures |= {f"{name} visits": visits(corpus.counts, name.split(" ")[-1]) for name in courses}
    return figures | {f"{name} s": steps.total for name, steps in medians.items()}


def rows_of(figures: Figures, samplers: list[str]) -> list[list[str]]:
    rows = []
    larger = TOKENS / figures["tokens"]
    for model, column in ((LDA, 0), (LINKED, 1)):
        for sampler in samplers:
            name = f"{model} {sampler}"
            auc, theirs = PAPER_AUC.get((model, sampler)), PAPER_SECONDS.get(sampler)
            seconds = figures[f"{name} s"]
            rows.append(
                [
                    f"{model} / {sampler}", f"{figures[f'{name} AUC']:.3f}", "" if auc is None else f"{auc:.3f}",
                    f"{1000 * seconds:.1f}", f"{1e9 * seconds / figures[f'{name} visits']:.0f}",
                    f"{seconds * larger:,.0f}", "" if theirs is None else f"{theirs[column]:,}",
                ]
            )  # fmt: skip
    return rows


def main() -> None:
    parser = base_parser(__doc__ or "", [30])
    parser.add_argument("--scale", type=float, default=300.0, help="the paper's number of sites divided by this (300)")
    parser.add_argument("--length", type=int, default=round(TOKENS / SITES), help="tokens per document (15789)")
    parser.add_argument("--sweeps", type=int, default=50, help="sweeps (50)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the corpus, the chains and the folds (0)")
    parser.add_argument("--samplers", nargs="+", choices=SAMPLERS, default=list(SAMPLERS), help="samplers (all)")
    options = parser.parse_args()
    n_documents = max(10 * CLASSES, round(SITES / options.scale))  # ten folds need ten documents of each class
    results = Results(options.results)
    for n_topics in options.topics:
        setting = {
            "topics": n_topics, "documents": n_documents, "length": options.length, "sweeps": options.sweeps,
            "seed": options.seed, "samplers": list(options.samplers),
        }  # fmt: skip
        figures = results.get(setting, lambda k=n_topics: measure(options, k, n_documents, options.length))
        print_table(
            f"{n_documents:,} documents, {figures['tokens']:,.0f} tokens, {figures['tokens'] / figures['entries']:.1f} "
            f"per distinct word of a document, {n_topics} topics: AUC after {options.sweeps} sweeps, time of a sweep "
            "here and at 1.8e9 tokens (one thread)",
            ["model / sampler", "AUC", "paper's AUC", "ms per sweep", "ns per visit", "s at full size",
             "paper's s, small corpus"],
            rows_of(figures, options.samplers),
        )  # fmt: skip


if __name__ == "__main__":
    main()
