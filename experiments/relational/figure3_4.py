"""Links and words of held-out documents by cost c on Cora: Figures 3 (RTM) and 4 (gRTM) of Chen et al. (2013).

    python experiments/relational/figure3_4.py --paper --results figure3_4.jsonl
    python experiments/relational/figure3_4.py --topics 5 --folds 1 --sweeps 20 --chains 1 --costs 1 4     a quick run

Chen, Zhu, Xia and Zhang (2013), *Generalized relational topic models with data augmentation*. Their figures have no
numbers; they say that RTM is stable for 2 ≤ √c ≤ 6 and poor with c = 1, that gRTM is best for 4 ≤ c ≤ 10 and much
better there than with c = 1, and that word ranks rise slowly with c. c is the cost of a link; that of a pair without
one stays 1. Settings are named as in `figure1_2.py`.
"""

from __future__ import annotations

import argparse

from common import (
    COLUMNS,
    add_paper,
    add_schedule,
    caption,
    options_parser,
    paper_settings,
    print_table,
    schedule,
)
from contestants import MODELS, Contestant, compare, relational

COSTS = {"RTM": [1.0, 4.0, 9.0, 16.0, 25.0, 36.0, 49.0], "gRTM": [1.0, 2.0, 4.0, 6.0, 8.0, 10.0, 15.0]}


def contestants(options: argparse.Namespace) -> list[Contestant]:
    compared = []
    for name in options.models:
        model = MODELS[name]
        ways = {"plait's": model} | ({"paper's": model | paper_settings(model["form"])} if options.paper else {})
        compared += [
            relational(f"{name}, {way}", "cora", topics, options.seed, **(parameters | {"c": c} | schedule(options)))
            for way, parameters in ways.items()
            for topics in options.topics
            for c in options.costs or COSTS[name]
        ]
    return compared


def main() -> None:
    parser = options_parser(__doc__ or "", topics=[20])
    parser.add_argument(
        "--models", nargs="+", choices=COSTS, default=list(COSTS), help="RTM is Figure 3, gRTM Figure 4 (both)"
    )
    parser.add_argument("--costs", type=float, nargs="+", help="c (RTM: 1 4 9 16 25 36 49, gRTM: 1 2 4 6 8 10 15)")
    add_paper(parser)
    add_schedule(parser)
    options = parser.parse_args()
    print_table(
        caption("cora by cost c; paper: stable for 4 ≤ c ≤ 36 (RTM), best for 4 ≤ c ≤ 10 (gRTM)", options),
        ["method", "topics", "c", *COLUMNS],
        compare(contestants(options), options, COLUMNS, varied=lambda setting: f"{setting['c']:g}"),
    )


if __name__ == "__main__":
    main()
