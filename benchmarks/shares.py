"""Shares in sixteen and in thirty-two bits: memory, time per sweep, and the difference of topics.

    python benchmarks/shares.py
    python benchmarks/shares.py --busy                                  while another process copies memory

`limit` stores shares in float32 and `sparse` in sixteen bits; here both run with both types, in turns of ten sweeps, on
synthetic documents: many short ones, few long ones, and short ones with links. Distance is the mean total variation
between document–topic distributions after the same sweeps from the same start.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # shared modules, when a script is run directly

from functools import partial

import numpy as np
import scipy.sparse as sparse

from benchmarks.synthetic import zipf_documents
from benchmarks.tables import print_table
from experiments.chains import doc_topic
from experiments.timing import Course, take_turns
from plait.engine.chain import Chain
from plait.mixing import LinkedDocuments, OwnDocument
from plait.priors import SymmetricPrior
from plait.samplers import Limit, Sampler, Sparse

_WORDS = 20_000
_BUSY_BYTES = 32 << 20  # as large as the last cache of many processors


def kept_in(sampler: Sampler, share_type: type[np.number]) -> Sampler:
    """Return a sampler that stores shares in another type."""
    kind = type(sampler)
    return type(kind.__name__, (kind,), {"share_type": share_type})(**vars(sampler))


def make_chain(counts: sparse.csr_array, links: sparse.csr_array | None, n_topics: int, sampler: Sampler) -> Chain:
    """Return a chain in one shard, with LinkedDocuments mixing if there are links."""
    mixing = OwnDocument(0.1) if links is None else LinkedDocuments(0.1)
    prior = SymmetricPrior(0.01)
    return Chain(counts, n_topics, mixing=mixing, prior=prior, sampler=sampler, seed=0, n_shards=1, links=links)


def corpora(scale: float) -> dict[str, tuple[sparse.csr_array, sparse.csr_array | None]]:
    """Return documents, and links for linked LDA."""

    def documents(number: int, length: int) -> sparse.csr_array:
        lengths = np.full(max(1, int(number * scale)), length)
        return zipf_documents(lengths, _WORDS, 30, 1.2, 0.1, seed=0)

    short = documents(10_000, 200)
    linked = documents(2_000, 200)
    n_linked = linked.shape[0]
    ends = np.random.default_rng(0).integers(n_linked, size=(2, 3 * n_linked))
    links = sparse.csr_array((np.ones(ends.shape[1]), (ends[0], ends[1])), shape=(n_linked, n_linked))
    return {"short": (short, None), "long": (documents(500, 10_000), None), "linked": (linked, links)}


def copy_for_ever() -> None:
    """Copy memory back and forth until the process is terminated."""
    source = np.ones(_BUSY_BYTES, np.uint8)
    target = source.copy()
    while True:
        target[:] = source


@contextmanager
def busy_memory(wanted: bool):
    """Keep the memory busy with another process, if requested."""
    process = multiprocessing.get_context("spawn").Process(target=copy_for_ever, daemon=True)
    if wanted:
        process.start()
    try:
        yield
    finally:
        if wanted:
            process.terminate()
            process.join()


def note_shares(chains: list[Chain], found: list[tuple[float, np.ndarray]]) -> None:
    """Append the megabytes of the shares and the proportions of the documents of every chain."""
    found += [(chain.state()["shares"].nbytes / 2**20, doc_topic(chain)) for chain in chains]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--topics", type=int, nargs="+", default=[30, 100], help="numbers of topics (30 100)")
    parser.add_argument("--sweeps", type=int, default=30, help="timed sweeps (30)")
    parser.add_argument("--scale", type=float, default=1.0, help="size of the corpora (1)")
    parser.add_argument("--busy", action="store_true", help="keep the memory busy with another process")
    options = parser.parse_args()
    rows = []
    with busy_memory(options.busy):
        for name, (counts, links) in corpora(options.scale).items():
            for n_topics in options.topics:
                for sampler in (Limit(), Sparse(10.0)):
                    chains = {
                        kind.__name__: make_chain(counts, links, n_topics, kept_in(sampler, kind))
                        for kind in (np.uint16, np.float32)
                    }
                    courses = {kind: Course(chain, []) for kind, chain in chains.items()}
                    found: list[tuple[float, np.ndarray]] = []
                    look = partial(note_shares, list(chains.values()), found)
                    steps = take_turns(courses, options.sweeps, jobs=1, in_a_row=10, look=look)
                    seconds = [steps[kind].total for kind in chains]
                    sizes = [size for size, _ in found]
                    distance = 0.5 * np.abs(found[0][1] - found[1][1]).sum(axis=1).mean()
                    rows.append(
                        [
                            name, str(n_topics), sampler.name, *(f"{size:.0f}" for size in sizes),
                            *(f"{1000 * one:.2f}" for one in seconds), f"{seconds[0] / seconds[1]:.2f}",
                            f"{distance:.4f}",
                        ]
                    )  # fmt: skip
    print_table(
        "Shares in sixteen bits and in thirty-two" + ", memory kept busy" * options.busy,
        ["documents", "topics", "sampler", "MB, 16", "MB, 32", "ms, 16", "ms, 32", "16 : 32", "distance"],
        rows,
    )


if __name__ == "__main__":
    main()
