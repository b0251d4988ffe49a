"""Links and words of held-out documents by burn-in on Cora: Figure 6 of Chen et al. (2013).

    python experiments/relational/figure6.py --averaged --results figure6.jsonl
    python experiments/relational/figure6.py --topics 5 --folds 1 --sweeps 5 20                             a quick run

Chen, Zhu, Xia and Zhang (2013), *Generalized relational topic models with data augmentation*. Their figure has no
numbers; they say that link rank and AUC are stable from about 300 sweeps on, that training time grows almost linearly,
and that the diagonal and the cached model behave alike (--models). As in the paper, predictions use one sample with
their settings (`figure1_2.py` lists them); --averaged also shows four chains of ten samples, our default.
"""

from __future__ import annotations

import argparse

from common import COLUMNS, caption, options_parser, paper_settings, print_table
from contestants import MODELS, Contestant, compare, relational


def contestants(options: argparse.Namespace) -> list[Contestant]:
    compared = []
    for name in options.models:
        model = MODELS[name]
        ways = {"one sample": paper_settings(model["form"])} | ({"four chains": {}} if options.averaged else {})
        compared += [
            relational(f"{name}, {way}", "cora", topics, options.seed, **(model | parameters | {"n_sweeps": n_sweeps}))
            for way, parameters in ways.items()
            for topics in options.topics
            for n_sweeps in options.sweeps
        ]
    return compared


def main() -> None:
    parser = options_parser(__doc__ or "", topics=[20])
    parser.add_argument(
        "--sweeps", type=int, nargs="+", default=[10, 50, 100, 200, 300, 400, 500], help="burn-in (10 to 500)"
    )
    parser.add_argument("--models", nargs="+", choices=MODELS, default=["gRTM"], help="which models (gRTM)")
    parser.add_argument("--averaged", action="store_true", help="also four chains of ten samples")
    options = parser.parse_args()
    print_table(
        caption("cora by burn-in; paper: stable from about 300 sweeps on", options),
        ["predicted from", "topics", "burn-in", *COLUMNS],
        compare(contestants(options), options, COLUMNS, varied=lambda setting: str(setting["n_sweeps"])),
    )


if __name__ == "__main__":
    main()
