"""Plot of sweeps on a GPU: tokens per second by the number of topics, and perplexity by seconds.

    python benchmarks/gpu.py --topics 64 128 256 --tilt none cached exact --output SWEEPS
    python benchmarks/gpu_fit.py --cpu-sweeps 20 --output CURVES
    python benchmarks/gpu_plot.py SWEEPS CURVES docs/measurements/gpu.svg

The perplexity is that of training tokens given all others, as a chain computes it in each sweep. Both executors draw
the same topics, so that held-out perplexity is equal after equally many sweeps, too.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("svg")
mpl.rcParams["svg.hashsalt"] = "plait"

import matplotlib.pyplot as plt  # noqa: E402

_NAMES = {"none": "LDA", "cached": "20 labels, cached", "exact": "20 labels, exact"}


def plot_speeds(axes: Any, rows: list[dict[str, Any]]) -> None:
    """Draw tokens per second by the number of topics."""
    for (tilt, name), marker in zip(_NAMES.items(), "osD", strict=True):
        own = sorted((row["topics"], row["tokens"] / row["seconds"] / 1e9) for row in rows
                     if row["tilt"] == tilt and not row["host"])  # fmt: skip
        if own:
            axes.plot(*zip(*own, strict=True), marker=marker, label=name)
    topics = sorted({row["topics"] for row in rows})
    axes.set_xscale("log", base=2)
    axes.set_xticks(topics, [f"{one:,}" for one in topics])
    axes.set_ylim(0)
    axes.set_xlabel("topics")
    axes.set_ylabel("billion tokens per second")
    axes.legend(frameon=False)


def plot_curves(axes: Any, curves: list[dict[str, Any]]) -> None:
    """Draw perplexity by seconds."""
    for curve, marker in zip(curves, "so", strict=True):
        axes.plot(curve["seconds"], curve["perplexity"], marker=marker, markersize=3,
                  label=f"{curve['executor']}, {len(curve['seconds'])} sweeps")  # fmt: skip
    axes.set_xscale("log")
    axes.set_xlabel("seconds, start included")
    axes.set_ylabel(f"perplexity, {curves[0]['tokens'] / 1e6:,.0f} M tokens, {curves[0]['topics']} topics")
    axes.legend(frameon=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sweeps", type=Path, help="what gpu.py wrote")
    parser.add_argument("curves", type=Path, help="what gpu_fit.py wrote")
    parser.add_argument("plot", type=Path, help="file to write")
    options = parser.parse_args()
    curves = json.loads(options.curves.read_text())
    longest = max(curves, key=lambda curve: len(curve["seconds"]))
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    plot_speeds(left, json.loads(options.sweeps.read_text()))
    plot_curves(right, [next(curve for curve in curves if curve["executor"] == "Threads"), longest])
    figure.savefig(options.plot, metadata={"Date": None})


if __name__ == "__main__":
    main()
