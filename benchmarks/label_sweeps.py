"""Test accuracy of MedLDA by sweeps, and processor time: compare two versions of a sampler of labels.

    python benchmarks/label_sweeps.py INPUTS --topics 128 --costs 1 16 --sweeps 3 6 15

gpu_inputs.py writes INPUTS. PYTHONPATH chooses the version of plait.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from gpu_digests import load

import plait


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("inputs", type=Path, help="folder of matrices")
    parser.add_argument("--topics", type=int, default=128)
    parser.add_argument("--sampler", default="synchronous")
    parser.add_argument("--costs", type=float, nargs="*", default=[1.0, 16.0], help="c of the hinge loss (1 16)")
    parser.add_argument("--sweeps", type=int, nargs="*", default=[3, 6, 15], help="when to check (3 6 15)")
    parser.add_argument("--seeds", type=int, nargs="*", default=[0, 1, 2], help="seeds (0 1 2)")
    parser.add_argument("--documents", type=int, default=4000, help="training documents (4000)")
    parser.add_argument("--cached", action="store_true", help="with the cached tilt")
    options = parser.parse_args()
    counts, found = load(options.inputs, "20news")
    labels, n = found["labels"], options.documents
    for cost in options.costs:
        for n_sweeps in options.sweeps:
            accuracies, began = [], time.process_time()
            for seed in options.seeds:
                model = plait.MedLDA(
                    options.topics, sampler=options.sampler, n_sweeps=n_sweeps, n_samples=1, tolerance=0.0,
                    random_state=seed, verbose=False, n_chains=1, features=None, c=cost, class_weight=None,
                    threshold=0.0, cached=options.cached,
                ).fit(counts[:n], labels[:n])  # fmt: skip
                accuracies.append(np.mean(model.predict(counts[n : n + 1500]) == labels[n : n + 1500]))
            shown = ", ".join(f"{one:.3f}" for one in accuracies)
            print(
                f"c = {cost:g}, {n_sweeps} sweeps: accuracy {np.mean(accuracies):.3f} ({shown}), "
                f"{time.process_time() - began:.1f} s of processor time, compilation and prediction included",
                flush=True,
            )


if __name__ == "__main__":
    main()
