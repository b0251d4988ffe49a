"""Links and words of held-out documents by share of pairs without a link on Cora: Figure 5 of Chen et al. (2013).

    python experiments/relational/figure5.py --paper --results figure5.jsonl
    python experiments/relational/figure5.py --topics 5 --folds 1 --sweeps 20 --chains 1 --shares 0.01  a quick run

Chen, Zhu, Xia and Zhang (2013), *Generalized relational topic models with data augmentation*. Their figure has no
numbers; they say that the share of sampled pairs without a link has a weak influence, and that training time grows with
it. The share is of all pairs (i, j) that are not linked from i to j; plait's default, ten per link, is shown, too.
Settings are named as in `figure1_2.py`.
"""

from __future__ import annotations

import argparse

from common import (
    COLUMNS,
    Setting,
    add_paper,
    add_schedule,
    caption,
    options_parser,
    paper_settings,
    print_table,
    schedule,
)
from contestants import MODELS, Contestant, compare, relational


def contestants(options: argparse.Namespace) -> list[Contestant]:
    model = MODELS["gRTM"]
    ways = {"plait's": model} | ({"paper's": model | paper_settings(model["form"])} if options.paper else {})
    # A model accepts a number per link or a share of pairs, not both.
    numbers = [{"negative_share": None, "negatives_per_link": 10}]
    numbers += [{"negative_share": share} for share in options.shares]
    return [
        relational(f"gRTM, {way}", "cora", topics, options.seed, **(parameters | number | schedule(options)))
        for way, parameters in ways.items()
        for topics in options.topics
        for number in numbers
    ]


def negatives(setting: Setting) -> str:
    share = setting["negative_share"]
    return "10 per link" if share is None else f"{share:.1%} of pairs"


def main() -> None:
    parser = options_parser(__doc__ or "", topics=[20])
    shares = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05]
    parser.add_argument(
        "--shares", type=float, nargs="+", default=shares, help="shares of pairs without a link (0.001 … 0.05)"
    )
    add_paper(parser)
    add_schedule(parser)
    options = parser.parse_args()
    print_table(
        caption("cora by share of pairs without a link; paper: weak influence", options),
        ["method", "topics", "negatives", *COLUMNS],
        compare(contestants(options), options, COLUMNS, varied=negatives),
    )


if __name__ == "__main__":
    main()
