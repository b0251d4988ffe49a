"""Sweeps on a GPU: tokens per second of the synchronous sampler, and the share of what the memory allows.

    python benchmarks/gpu.py                                    40 M made tokens, 50,000 words, 64 to 256 topics
    python benchmarks/gpu.py --topics 128 --tilt exact          with 20 labels
    python benchmarks/gpu.py --topics 1024 --threads 64 128 256 --resident 768 1024 1280 --margin 2 3
                                                                lists with other settings than those of the package
    python benchmarks/gpu.py --topics 128 1024 --host           words and topics in memory of the host

Tokens are made on the device. Times are those of sweeps 21 to 25, whole calls: counts are spread over the lanes,
tokens are resampled, the changes of totals come back to the host. The floor is the time in which the memory copies the
counts that tokens are drawn from (all topics of the word, or those of its list, or those of the document), each read
from memory for each token, and words and topics. Caches can make a sweep faster than that. The last column is the
memory that was allocated on the device, without words and topics in memory of the host. `--output` writes the table as
JSON for gpu_plot.py.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from plait.executors import cuda_lists, cuda_sweep
from plait.executors.cuda_device import CupyDevice, import_cupy
from plait.executors.cuda_lists import ListedSweep
from plait.executors.cuda_sweep import DenseSweep
from plait.executors.cuda_tokens import DeviceTokens
from plait.samplers.base import Documents, Factors, Observations, padded_width
from plait.samplers.kernels.lanes import LANES
from plait.samplers.kernels.long_lists import long_list
from plait.samplers.random import stream_key
from plait.samplers.synchronous import MOST_DENSE

_N_TRUE = 200  # topics that tokens are made of


def make_documents(n_tokens: int, n_words: int, mean_length: int, seed: int = 0) -> Documents:
    """Return documents of a few topics each, whose words follow Zipf's law."""
    cupy = import_cupy()
    rng = np.random.default_rng(seed)
    lengths = np.maximum(1, rng.lognormal(np.log(mean_length) - 0.18, 0.6, int(n_tokens / mean_length * 1.2)))
    offsets = np.concatenate([[0], np.cumsum(lengths.astype(np.int64))])
    offsets = offsets[offsets <= n_tokens]
    size = int(offsets[-1])
    random = cupy.random.RandomState(seed)
    ends = cupy.cumsum(cupy.arange(1, n_words + 1, dtype=cupy.float64) ** -1.05)
    rank = cupy.searchsorted(ends, random.random_sample(size) * ends[-1])
    document = cupy.asarray(np.repeat(np.arange(offsets.size - 1), np.diff(offsets)))
    own = random.randint(0, _N_TRUE, (offsets.size - 1, 3))
    topic = own[document, random.randint(0, 3, size)]
    everywhere = random.random_sample(size) < 0.3
    word = cupy.where(everywhere, rank, (rank * 7 + topic * 241) % n_words)
    ordered = cupy.asnumpy(cupy.argsort(-cupy.bincount(word, minlength=n_words)))
    place = cupy.empty(n_words, cupy.int64)
    place[cupy.asarray(ordered)] = cupy.arange(n_words)
    words = cupy.sort(document * n_words + place[word]) % n_words
    return Documents(offsets, cupy.asnumpy(words).astype(np.int32), np.ones(size, np.int32), offsets, 0)


def make_observations(n_documents: int, n_labels: int, width: int, n_topics: int, exact: bool) -> Observations:
    """Return pseudo-observations of labels, all of them known."""
    rng = np.random.default_rng(1)
    directions = np.zeros((n_labels, width), np.float32)
    directions[:, :n_topics] = rng.normal(size=(n_labels, n_topics))
    size = n_documents * n_labels
    labels = np.tile(np.arange(n_labels, dtype=np.int32), n_documents)
    starts = np.arange(n_documents + 1, dtype=np.int64) * n_labels
    pull, precision = rng.normal(size=size), rng.uniform(0.5, 2.0, size)
    return Observations(starts, labels, pull, precision, directions.ravel(), exact)


def copy_speed() -> float:
    """Return the bytes per second, read and written, of a copy within the memory of the device."""
    cupy = import_cupy()
    source = cupy.zeros(1 << 28, cupy.float64)
    target = cupy.empty_like(source)
    times = []
    for _ in range(5):
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record()
        cupy.copyto(target, source)
        end.record()
        end.synchronize()
        times.append(cupy.cuda.get_elapsed_time(begin, end) / 1000)
    return 2 * source.nbytes / min(times)


def bytes_read(tokens: DeviceTokens, counted: Any) -> int:
    """Return the bytes of the counts that tokens are drawn from, of words and of topics."""
    cupy, width = import_cupy(), tokens.width
    if tokens.n_topics <= MOST_DENSE:
        of_counts = 4 * width * tokens.n_tokens
    else:
        n_blocks = -(-(counted.reshape(-1, width) > 0).sum(axis=1) // LANES)[tokens.words]
        held = cupy.asarray(np.repeat(np.diff(cupy.asnumpy(tokens.topic_shares().starts)), tokens.lengths))
        by_document = (n_blocks >= long_list(width)) & (cuda_lists.MARGIN * held <= 2 * LANES * (n_blocks - 1))
        of_counts = int(4 * cupy.where(by_document, held, LANES * n_blocks).sum())
    return of_counts + tokens.n_tokens * (4 + 2 * tokens.topics.itemsize)


def measure(
    documents: Documents, n_words: int, n_topics: int, tilt: str, n_labels: int, n_sweeps: int, on_host: bool
) -> dict[str, float]:
    """Sweep made documents; return the seconds of each sweep and the share of tokens that moved in the last one."""
    cupy = import_cupy()
    cupy.get_default_memory_pool().free_all_blocks()
    device = CupyDevice(0)
    width = padded_width(n_topics)
    shard = SimpleNamespace(documents=documents, n_topics=n_topics, width=width)
    tokens = DeviceTokens(device, [shard], on_host)
    alpha, sums = np.zeros(width, np.float32), np.ones(width, np.float32)
    alpha[:n_topics], sums[:n_topics] = 50 / n_topics, 0.01 * n_words
    factors = Factors(n_topics, alpha, np.float32(0.01), None, sums, None)
    tokens.start(factors, stream_key(0, "start"))
    if tilt != "none":
        observations = make_observations(tokens.n_documents, n_labels, width, n_topics, tilt == "exact")
        factors = factors._replace(observations=observations)
    counted, totals = tokens.count(n_words)
    sweeps = (ListedSweep if n_topics > MOST_DENSE else DenseSweep)(device, tokens)
    seconds = []
    launch, together = device.launch, device.launch_together

    def timed(run, *given):
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record()
        run(*given)
        end.record()
        return begin, end

    def timed_launch(source, kernel, *given):
        if kernel == "sweep_frozen":
            events.append(timed(launch, source, kernel, *given))
        else:
            launch(source, kernel, *given)

    events: list[Any] = []
    device.launch, device.launch_together = timed_launch, lambda given: events.append(timed(together, given))
    for number in range(n_sweeps):
        cupy.cuda.Device().synchronize()
        began = time.perf_counter()
        swept = sweeps.sweep(counted, totals, [factors], stream_key(0, "sweep", number))
        seconds.append(time.perf_counter() - began)
        totals = totals + swept.totals
        likelihood = float(swept.likelihoods.sum())
    kernel_seconds = [cupy.cuda.get_elapsed_time(*one) / 1000 for one in events]
    device.launch, device.launch_together = launch, together
    allocated = cupy.get_default_memory_pool().total_bytes()
    before = tokens.get_topics(0)
    sweeps.sweep(counted, totals, [factors], stream_key(0, "sweep", n_sweeps))
    moved = float((before != tokens.get_topics(0)).mean())
    n_bytes = bytes_read(tokens, counted)
    device.close()
    return {"seconds": float(np.median(seconds[-5:])), "kernel": float(np.median(kernel_seconds[-5:])),
            "moved": moved, "likelihood": likelihood / tokens.n_tokens, "tokens": tokens.n_tokens,
            "bytes": n_bytes, "memory": allocated}  # fmt: skip


@contextlib.contextmanager
def list_settings(threads: int | None, resident: int | None, margin: int | None) -> Iterator[None]:
    """Sweep lists with some settings of executors/cuda_lists.py and print them; None keeps a setting."""
    before = cuda_lists._THREADS, cuda_lists._RESIDENT, cuda_lists.MARGIN
    if threads is not None:
        cuda_lists._THREADS = (threads,)  # type: ignore[assignment]
    cuda_lists._RESIDENT, cuda_lists.MARGIN = resident or before[1], margin or before[2]
    if any((threads, resident, margin)):
        print(f"threads {threads or 'chosen'}, resident {cuda_lists._RESIDENT}, margin {cuda_lists.MARGIN}:")
    yield
    cuda_lists._THREADS, cuda_lists._RESIDENT, cuda_lists.MARGIN = before


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens", type=int, default=40_000_000)
    parser.add_argument("--words", type=int, default=50_000)
    parser.add_argument("--length", type=int, default=100, help="mean tokens per document")
    parser.add_argument("--topics", type=int, nargs="*", default=[64, 128, 256])
    parser.add_argument("--tilt", nargs="*", default=["none"], choices=["none", "cached", "exact"])
    parser.add_argument("--labels", type=int, default=20)
    parser.add_argument("--sweeps", type=int, default=25)
    parser.add_argument("--host", action="store_true", help="words and topics in memory of the host")
    parser.add_argument("--output", type=Path, help="JSON file to which rows are added")
    parser.add_argument("--min-blocks", type=int, help="blocks of threads per multiprocessor, up to 256 topics")
    parser.add_argument("--threads", type=int, nargs="*", help="threads per block, with lists (chosen)")
    parser.add_argument("--resident", type=int, nargs="*", help="threads per multiprocessor, with lists")
    parser.add_argument(
        "--margin", type=int, nargs="*", help="cost of a document's topics, with lists (kernels/held.py)"
    )
    options = parser.parse_args()
    if options.min_blocks:
        cuda_sweep.min_blocks = lambda n_blocks, tilt: options.min_blocks
    documents = make_documents(options.tokens, options.words, options.length)
    print(f"{documents.offsets[-1]:,} tokens in {documents.offsets.size - 1:,} documents, {options.words:,} words")
    speed = copy_speed()
    print(f"copies within the memory: {speed / 1e12:.2f} TB/s")
    print("topics  tilt     sweep ms  kernel ms  G tokens/s  (kernel)  moved  log p(token)  floor ms  share    GiB")
    rows = json.loads(options.output.read_text()) if options.output and options.output.exists() else []
    tried = list(itertools.product(options.threads or [None], options.resident or [None], options.margin or [None]))
    for n_topics, tilt, settings in itertools.product(options.topics, options.tilt, tried):
        with list_settings(*settings):
            found = measure(documents, options.words, n_topics, tilt, options.labels, options.sweeps, options.host)
            floor = found["bytes"] / speed
            rates = [found["tokens"] / found[name] / 1e9 for name in ("seconds", "kernel")]
            print(
                f"{n_topics:6,}  {tilt:7}  {1000 * found['seconds']:8.2f}  {1000 * found['kernel']:9.2f}  "
                f"{rates[0]:10.2f}  {rates[1]:8.2f}  {found['moved']:5.2f}  {found['likelihood']:12.4f}  "
                f"{1000 * floor:8.2f}  {floor / found['seconds']:5.2f}  {found['memory'] / 2**30:5.2f}",
                flush=True,
            )
            rows.append({"topics": n_topics, "tilt": tilt, "host": options.host, "floor": floor, **found})
    if options.output:
        options.output.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
