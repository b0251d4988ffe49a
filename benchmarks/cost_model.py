"""What a sweep of MedLDA costs on a cluster: constants measured here, and a model of 20 and 200 nodes.

    python benchmarks/cost_model.py                      measure the constants, print them and the model
    python benchmarks/cost_model.py --quick              fewer documents and topics, within seconds

The model has the corpus of Zhu, Zheng, Zhou and Zhang (2013), Table 1: 1.1 million documents, 20 labels, 20 nodes of
12 cores. Its tokens per document and words are those of our made corpus (54.5, 100,000), and the number of sweeps is 40
as in the paper's section 5.2: the paper gives neither for this run. Processor seconds of one thread are measured, so
that other programs disturb little, and all cores are taken to be as fast. A cluster was not available.
"""

from __future__ import annotations

import argparse
import math
import os
import time
from typing import NamedTuple

import numpy as np
from prepared import MEAN_LENGTH, N_DOCUMENTS, N_LABELS, N_WORDS, Size, draw_documents
from tables import print_table, say

from plait.engine.chain import Chain
from plait.executors import Threads
from plait.mixing import OwnDocument
from plait.priors import SymmetricPrior
from plait.responses import Hinge
from plait.responses.base import serial_map
from plait.responses.linear.regression import Sums, draw_weights
from plait.responses.linear.targets import ChainTargets
from plait.samplers import as_sampler

PAPER_SECONDS = {500: 1424.0, 1000: 5045.0}  # Table 1 of Zhu, Zheng, Zhou and Zhang (2013)
PAPER_SWEEPS = 40
_SHARDS = 4  # of the measured chains


class Constants(NamedTuple):
    """Processor seconds of one thread."""

    token: float  # seconds per token of a sweep, without topics
    token_topic: float  # seconds per token and topic
    auxiliary: float  # seconds per document and label
    statistic: float  # seconds per document and label: sums over pairs of topics
    summed: float  # seconds per byte of the sums of a shard: cleared, cut, added
    cholesky: float  # seconds per label and K³
    changed: float  # changed counts per token, after burn-in


class Cluster(NamedTuple):
    """Nodes and their network."""

    n_nodes: int
    n_cores: int
    bandwidth: float  # bytes per second and node
    latency: float  # seconds per call


class Cost(NamedTuple):
    """Seconds of one sweep."""

    topics: float
    auxiliaries: float
    statistics: float
    adding: float  # sums of a shard in memory, and of all shards where weights are drawn
    weights: float
    sums: float  # network: statistics of labels, from worker to worker
    table: float  # network: shared counts to the nodes, whole
    changes: float  # network: changes to the driver
    calls: float


def model_sweep(
    constants: Constants,
    cluster: Cluster,
    n_topics: int,
    *,
    n_documents: int = N_DOCUMENTS,
    n_labels: int = N_LABELS,
    n_words: int = N_WORDS,
    divided: bool = True,
) -> Cost:
    """Return the seconds of each part of a sweep; the parts follow one another.

    A node is one worker with a shard per core. Nodes of Ray pass objects on, so that the table reaches twice as many
    nodes after each transfer. Without `divided` the statistics of all labels go to the driver.
    """
    cores = cluster.n_nodes * cluster.n_cores
    n_tokens = n_documents * MEAN_LENGTH
    own_labels = -(-n_labels // min(cluster.n_nodes, n_labels))
    busiest = own_labels / n_labels if divided else 1.0  # share of the sums that one machine receives
    return Cost(
        topics=n_tokens * (constants.token + constants.token_topic * n_topics) / cores,
        auxiliaries=constants.auxiliary * n_documents * n_labels / cores,
        statistics=constants.statistic * n_documents * n_labels / cores,
        adding=constants.summed * 4 * n_topics**2 * n_labels * (1 + cores * busiest),
        weights=constants.cholesky * n_topics**3 * (own_labels if divided else -(-n_labels // cluster.n_cores)),
        sums=cores * 4 * n_topics**2 * n_labels * busiest / cluster.bandwidth,
        table=math.ceil(math.log2(cluster.n_nodes + 1)) * 4 * n_words * n_topics / cluster.bandwidth,
        changes=8 * constants.changed * n_tokens / cluster.bandwidth,
        calls=3 * cluster.latency,
    )


def measure(n_documents: int, topics: tuple[int, int], n_sweeps: int) -> Constants:
    """Fit short chains with two numbers of topics and return the constants."""
    labels, counts = next(draw_documents(Size.of_share(n_documents / N_DOCUMENTS), 0))
    signs = np.where(labels[:, np.newaxis] == np.arange(N_LABELS), 1.0, -1.0)
    n_tokens = float(counts.sum())
    cholesky = _time_cholesky(topics[1])
    steps, changed = {}, 0.0
    for n_topics in topics:
        steps[n_topics], changed = _time_steps(counts, signs, n_topics, n_sweeps)
    few, many = topics
    slope = max(0.0, (steps[many][1] - steps[few][1]) / (n_tokens * (many - few)))
    without = {n_topics: steps[n_topics][0] - N_LABELS * cholesky * n_topics**3 for n_topics in topics}
    per_byte = max(0.0, (without[many] - without[few]) / (_SHARDS * 4 * N_LABELS * (many**2 - few**2)))
    return Constants(
        max(0.0, steps[few][1] / n_tokens - slope * few),
        slope,
        steps[many][2] / signs.size,
        max(0.0, without[few] - _SHARDS * 4 * N_LABELS * few**2 * per_byte) / signs.size,
        per_byte,
        cholesky,
        changed / n_tokens,
    )


def _time_steps(counts, signs: np.ndarray, n_topics: int, n_sweeps: int) -> tuple[np.ndarray, float]:
    """Return the least seconds of each step, and the number of counts that the last sweep changed."""
    chain = Chain(
        counts, n_topics, mixing=OwnDocument(4.0 / n_topics), prior=SymmetricPrior(0.01), sampler=as_sampler("plain"),
        seed=0, n_shards=_SHARDS, responses=[ChainTargets(signs, Hinge(1.0), costs=16.0)],
    )  # fmt: skip
    found = []
    with Threads(1) as threads:
        chain.start(threads)
        for _ in range(n_sweeps):
            before = chain.word_topic()
            times = [time.process_time()]
            for step in (chain._draw_weights, chain._draw_topics, chain._draw_auxiliaries):
                step()
                times.append(time.process_time())
            chain.n_sweeps += 1
            found.append(np.diff(times))
        changed = int(np.count_nonzero(chain.word_topic() != before))
    return np.min(found[1:], axis=0), float(changed)


def _time_cholesky(n_topics: int, n_labels: int = 4) -> float:
    random = np.random.default_rng(0)
    sums = Sums(random.random((n_topics * (n_topics + 1) // 2, n_labels)) * 1e-6, random.random((n_topics, n_labels)))
    seconds = []
    for _ in range(4):
        begin = time.process_time()
        draw_weights(sums, 1.0, None, serial_map)
        seconds.append(time.process_time() - begin)
    return min(seconds[1:]) / (n_labels * n_topics**3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=8000, help="documents of the measurement (8000)")
    parser.add_argument("--sweeps", type=int, default=8, help="sweeps per number of topics; the fastest counts (8)")
    parser.add_argument("--gigabits", type=float, default=10.0, help="network per node (10)")
    parser.add_argument("--cores", type=int, default=12, help="cores per node (12)")
    parser.add_argument("--latency", type=float, default=0.01, help="seconds per call of all workers (0.01)")
    parser.add_argument("--quick", action="store_true", help="measure on 500 documents")
    options = parser.parse_args()
    n_documents, topics = (500, (16, 48)) if options.quick else (options.documents, (64, 256))
    say(f"{os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f}")
    constants = measure(n_documents, topics, 3 if options.quick else options.sweeps)
    units = ["ns per token", "ns per token and topic", "ns per document and label", "ns per document and label",
             "ns per byte of sums", "ns per label and K³", "changed counts per token"]  # fmt: skip
    shown = [*(f"{1e9 * value:.3g}" for value in constants[:-1]), f"{constants.changed:.2f}"]
    print_table(
        f"Constants, {n_documents:,} documents, K = {topics[0]} and {topics[1]}, one thread",
        ["constant", "value", "unit"],
        [list(row) for row in zip(Constants._fields, shown, units, strict=True)],
    )
    rows = []
    for n_topics, paper in PAPER_SECONDS.items():
        for n_nodes in (20, 200):
            cluster = Cluster(n_nodes, options.cores, options.gigabits * 1e9 / 8, options.latency)
            for divided in (True, False):
                cost = model_sweep(constants, cluster, n_topics, divided=divided)
                total = f"{PAPER_SWEEPS * sum(cost):.0f}"
                said = f"{paper:.0f}" if n_nodes == 20 and divided else ""
                where = "workers" if divided else "driver"
                rows.append([str(n_topics), str(n_nodes), where, *(f"{value:.3g}" for value in cost), total, said])
    print_table(
        f"Model, seconds per sweep, nodes of {options.cores} cores and {options.gigabits:g} Gb/s, and of "
        f"{PAPER_SWEEPS} sweeps; not measured on a cluster",
        ["topics", "nodes", "weights at", *Cost._fields, f"{PAPER_SWEEPS} sweeps", "paper"],
        rows,
    )


if __name__ == "__main__":
    main()
