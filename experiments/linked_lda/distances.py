"""Distance of each sampler from the exact posterior, on the corpus whose assignments the tests enumerate.

    python experiments/linked_lda/distances.py

Bíró and Szabó (2009), section 2.3, call aggregated sampling exact and limit sampling very close; they give no figure.
For samplers with one topic per token: total variation distance over assignments, and its Monte Carlo error. For
samplers with a topic distribution per word: difference between a word's mean share over --starts initial states and its
exact marginal, averaged over words.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # tests/ and benchmarks/, when this file is run directly

from benchmarks.tables import print_table
from plait.samplers import SAMPLERS
from tests import naive
from tests.samplers.test_enumeration import (
    ALPHA,
    CASES,
    DOCUMENTS,
    assignment_distance,
    frequencies,
    share_distance,
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--samples", type=int, default=40_000, help="samples per chain with one topic per token (40000)"
    )
    parser.add_argument("--starts", type=int, default=200, help="initial states of topic distributions (200)")
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES), help="priors and responses (all)")
    options = parser.parse_args()
    rows = []
    for name, kind in SAMPLERS.items():
        row, noise = [name], []
        for beta, observations in (CASES[case] for case in options.cases):
            exact = naive.posterior(DOCUMENTS, ALPHA, beta, observations)
            if kind.state_form == "tokens":
                distance, error = assignment_distance(
                    exact, frequencies(kind(), beta, observations, n_kept=options.samples)
                )
                noise.append(error)
            else:
                distance = share_distance(kind(), beta, observations, options.starts)
            row.append(f"{distance:.3f}")
        row.append(f"{min(noise):.3f} to {max(noise):.3f}" if noise else "")
        rows.append(row)
    print_table("Distance from the exact posterior", ["sampler", *options.cases, "Monte Carlo error"], rows)


if __name__ == "__main__":
    main()
