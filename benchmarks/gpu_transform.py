"""Topics of new documents on a GPU and on the CPU: folded-in tokens per second, and whether the bits are equal.

    python benchmarks/gpu_transform.py --tokens 10000000 --topics 100 1000 --threads 2

Made tokens as in gpu.py, 50,000 words. The model is fitted to a tenth of them with three sweeps on the GPU;
`transform` then makes 20 sweeps under one sample. Copies are timed, compilation is not.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from gpu_fit import make_matrix

import plait


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens", type=int, default=10_000_000, help="tokens of the new documents (10000000)")
    parser.add_argument("--topics", type=int, nargs="+", default=[100], help="topics (100)")
    parser.add_argument("--threads", type=int, default=2, help="threads of the CPU (2)")
    options = parser.parse_args()
    counts = make_matrix(options.tokens, 50_000, 100)
    n_tokens = int(counts.sum())
    print(f"{counts.shape[0]:,} documents, {n_tokens:,} tokens", flush=True)
    for topics in options.topics:
        model = plait.LDA(
            topics, sampler="synchronous", executor="cuda", n_sweeps=3, n_samples=1, tolerance=0.0, random_state=0,
            fold_in_sweeps=20, learn_alpha=False, verbose=False,
        ).fit(counts[: counts.shape[0] // 10])  # fmt: skip
        found, seconds = {}, {}
        for name, given in {"cuda": {"executor": "cuda"}, "threads": {"executor": None}}.items():
            model.set_params(n_jobs=options.threads, **given)
            model.transform(counts[:2000])  # compiles
            began = time.perf_counter()
            found[name] = model.transform(counts)
            seconds[name] = time.perf_counter() - began
        equal = bool(np.array_equal(found["cuda"], found["threads"]))
        speeds = [f"{name} {one:.2f} s, {21 * n_tokens / one / 1e6:,.0f} M tokens/s" for name, one in seconds.items()]
        ratio = seconds["threads"] / seconds["cuda"]
        print(f"{topics:,} topics: {', '.join(speeds)}; {ratio:.1f} x; equal bits: {equal}", flush=True)


if __name__ == "__main__":
    main()
