"""Time and accuracy by number of workers, documents and labels: Figures 3 and 6 of Zhu et al. (2013).

    python experiments/medlda/scaling.py                          made documents, threads
    python experiments/medlda/scaling.py --ray                    the same with workers of Ray on this machine
    python experiments/medlda/scaling.py --quick                  a small run, within seconds

Zhu, Zheng, Zhou and Zhang (2013), *Scalable inference in max-margin topic models*, fit 1.1 million Wikipedia pages on
up to 20 machines of 12 cores. This script uses the cores of this machine and made documents, so its curves end where
its cores end: a row with more workers than cores is marked, and cannot be faster. Accuracy is that of held-out
documents. It does not depend on the workers: all rows of the first table have the same model, which is checked.

1. workers: the same documents for all. 2. constant data per worker: the documents grow with the workers, so the ideal
is a constant time. 3. documents and labels: seconds per sweep; "per entry" divides by documents × labels. 4. document
partition and label partition (the paper's DP and LP): with M machines, each has all labels and 1/M of the documents, or
all documents and 1/M of the labels. A sweep of one such part is timed on this machine, without communication, and does
not show that LP learns M sets of topics.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import scipy.sparse as sparse
from common import Figures, Results, make_course, options_parser, print_table, take_turns

sys.path.insert(0, str(Path(__file__).parents[2]))  # shared modules, when a script is run directly

import plait
from benchmarks.prepared import N_DOCUMENTS, N_LABELS, Size, draw_documents

_HELD_OUT = 400  # documents that accuracy is measured on


def made_documents(n_documents: int, seed: int) -> tuple[sparse.csr_array, np.ndarray]:
    """Return counts and labels of documents drawn from planted topics."""
    blocks = list(draw_documents(Size.of_share(n_documents / N_DOCUMENTS), seed))
    return sparse.csr_array(sparse.vstack([counts for _, counts in blocks])), np.concatenate([own for own, _ in blocks])


def fit_and_score(n_documents: int, n_workers: int, n_topics: int, seed: int, options: argparse.Namespace) -> Figures:
    """Fit MedLDA with some workers; return seconds per sweep and the accuracy on held-out documents."""
    counts, labels = made_documents(n_documents + _HELD_OUT, 0)
    model = plait.MedLDA(
        n_topics, n_chains=1, n_sweeps=options.sweeps, n_samples=1, tolerance=0.0, n_shards=options.shards,
        random_state=seed, verbose=False, c=16.0, class_weight=None, threshold=0.0, features=None,
    )  # fmt: skip
    with make_executor(n_workers, options.ray) as executor:
        model.set_params(executor=executor)
        model.fit(counts[:50], labels[:50] % 2)  # starts workers and loads compiled code
        began = time.perf_counter()
        model.fit(counts[:n_documents], labels[:n_documents])
        seconds = time.perf_counter() - began
        found = model.predict(counts[n_documents:])
    accuracy = float(np.mean(found == labels[n_documents:]))
    return {
        "seconds": seconds / model.n_sweeps_,
        "accuracy": accuracy,
        "sum": float(np.square(model.topic_word_).sum()),
    }


def make_executor(n_workers: int, on_ray: bool) -> Any:
    """Return threads or workers of Ray."""
    if on_ray:
        return plait.RayExecutor(workers=n_workers)
    from plait.executors import Threads

    return Threads(n_workers)


def show_workers(options: argparse.Namespace, results: Results, n_topics: int, seed: int, *, growing: bool) -> None:
    """Print time and accuracy by workers, for the same documents or for documents that grow with the workers."""
    n_cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    kind = "workers of Ray" if options.ray else "threads"
    found = []
    for n_workers in options.workers:
        n_documents = options.documents * (n_workers if growing else 1)
        setting = {
            "documents": n_documents, "workers": n_workers, "topics": n_topics, "seed": seed, "ray": options.ray,
            "sweeps": options.sweeps, "shards": options.shards,
        }  # fmt: skip
        one = results.get(setting, lambda n=n_documents, w=n_workers: fit_and_score(n, w, n_topics, seed, options))
        found.append((n_workers, n_documents, one))
    if not growing and len({one["sum"] for _, _, one in found}) > 1:
        raise SystemExit("the model depends on the number of workers")
    first = found[0][2]["seconds"]
    rows = [
        [
            f"{n_workers}{'' if n_workers <= n_cores else ' (more than cores)'}", f"{n_documents:,}",
            f"{1000 * one['seconds']:.0f}", f"{first / one['seconds']:.2f}", f"{100 * one['accuracy']:.1f}",
        ]
        for n_workers, n_documents, one in found
    ]  # fmt: skip
    title = "documents grow with the workers (ideal: 1.00)" if growing else "the same documents (ideal: workers)"
    columns = ["workers", "documents", "ms per sweep", "first / time", "accuracy, %"]
    print_table(f"K = {n_topics}, {kind} on one machine of {n_cores} cores, {title}", columns, rows)


def show_labels(options: argparse.Namespace, results: Results, n_topics: int, seed: int) -> None:
    """Print the time of a sweep by documents and labels."""
    rows = []
    for n_documents in (options.documents // 2, options.documents):
        setting = {"documents": n_documents, "labels": options.labels, "topics": n_topics, "seed": seed,
                   "sweeps": options.sweeps, "jobs": options.jobs}  # fmt: skip
        found = results.get(setting, lambda n=n_documents: _time_labels(n, n_topics, seed, options))
        for n_labels in options.labels:
            seconds = found[str(n_labels)]
            per_entry = 1e6 * seconds / (n_documents * n_labels)
            rows.append([f"{n_documents:,}", str(n_labels), f"{1000 * seconds:.1f}", f"{per_entry:.3f}"])
    columns = ["documents", "labels", "ms per sweep", "µs per entry"]
    print_table(f"K = {n_topics}, {options.jobs} thread(s): documents and labels", columns, rows)


def _time_labels(n_documents: int, n_topics: int, seed: int, options: argparse.Namespace) -> Figures:
    counts, labels = made_documents(n_documents, 0)
    signs = np.where(labels[:, np.newaxis] == np.arange(N_LABELS), 1.0, -1.0)
    corpus: Any = SimpleNamespace(counts=counts)
    courses = {str(n): make_course(corpus, n_topics, signs[:, :n], exact=True, seed=seed) for n in options.labels}
    return {name: steps.total for name, steps in take_turns(courses, options.sweeps, options.jobs).items()}


def show_partitions(options: argparse.Namespace, results: Results, n_topics: int, seed: int) -> None:
    """Print the time of a sweep of one machine's part, by number of machines, for both partitions."""
    setting = {"documents": options.documents, "machines": options.machines, "topics": n_topics, "seed": seed,
               "sweeps": options.sweeps, "jobs": options.jobs}  # fmt: skip
    found = results.get(setting, lambda: _time_partitions(n_topics, seed, options))
    rows = []
    for number in options.machines:
        seconds = [found[f"{part} {number}"] for part in ("DP", "LP")]
        shown = [f"{1000 * one:.1f}" for one in seconds]
        shown += [f"{found[f'{part} 1'] / one:.2f}" for part, one in zip(("DP", "LP"), seconds, strict=True)]
        rows.append([str(number), *shown])
    columns = ["machines", "DP, ms per sweep", "LP, ms per sweep", "DP, first / time", "LP, first / time"]
    title = f"K = {n_topics}, {options.documents:,} documents, {N_LABELS} labels: one machine's part of a partition"
    print_table(f"{title} (paper: DP falls about linearly, LP is slower)", columns, rows)


def _time_partitions(n_topics: int, seed: int, options: argparse.Namespace) -> Figures:
    counts, labels = made_documents(options.documents, 0)
    signs = np.where(labels[:, np.newaxis] == np.arange(N_LABELS), 1.0, -1.0)
    courses = {}
    for number in options.machines:
        some = slice(0, -(-options.documents // number))
        part: Any = SimpleNamespace(counts=counts[some])
        whole: Any = SimpleNamespace(counts=counts)
        courses[f"DP {number}"] = make_course(part, n_topics, signs[some], exact=True, seed=seed)
        own = signs[:, : -(-N_LABELS // number)]
        courses[f"LP {number}"] = make_course(whole, n_topics, own, exact=True, seed=seed)
    return {name: steps.total for name, steps in take_turns(courses, options.sweeps, options.jobs).items()}


def main() -> None:
    parser = options_parser(__doc__ or "", topics=[40], seeds=[0])
    parser.add_argument(
        "--machines", type=int, nargs="+", default=[1, 2, 4, 10, 20], help="of partitions (1 2 4 10 20)"
    )
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4], help="numbers of workers (1 2 4)")
    parser.add_argument("--documents", type=int, default=20_000, help="documents, or documents per worker (20000)")
    parser.add_argument("--labels", type=int, nargs="+", default=[5, 10, 20], help="numbers of labels (5 10 20)")
    parser.add_argument("--shards", type=int, default=8, help="shards; workers cannot be more (8)")
    parser.add_argument("--sweeps", type=int, default=20, help="sweeps per fit (20)")
    parser.add_argument("--ray", action="store_true", help="workers of Ray in place of threads")
    parser.add_argument("--quick", action="store_true", help="300 documents, 1 and 2 workers, 4 topics, 3 sweeps")
    options = parser.parse_args()
    if options.quick:
        options.documents, options.workers, options.topics, options.sweeps, options.labels = 300, [1, 2], [4], 3, [2, 5]
        options.machines = [1, 2]
    if min(options.labels) < 1 or max(options.labels) > N_LABELS:
        parser.error(f"--labels must lie between 1 and {N_LABELS}")
    options.machines = sorted({1, *options.machines})
    if options.machines[0] < 1 or options.machines[-1] > min(N_LABELS, options.documents):
        parser.error(f"--machines must lie between 1 and {N_LABELS}, the number of labels")
    if max(options.workers) > options.shards:
        parser.error("--workers cannot be more than --shards")
    results = Results(options.results)
    for n_topics in options.topics:
        for seed in options.seeds:
            for growing in (False, True):
                show_workers(options, results, n_topics, seed, growing=growing)
            show_labels(options, results, n_topics, seed)
            show_partitions(options, results, n_topics, seed)


if __name__ == "__main__":
    main()
