"""Links and words of held-out documents by number of topics: Figures 1 (Cora) and 2 (WebKB) of Chen et al. (2013).

    python experiments/relational/figure1_2.py --corpora cora --paper --results figure1.jsonl
    python experiments/relational/figure1_2.py --corpora webkb --topics 5 --folds 1 --sweeps 20 --chains 1  a quick run

Chen, Zhu, Xia and Zhang (2013), *Generalized relational topic models with data augmentation*. Their figures have no
numbers; they say that gRTM has significantly better link ranks and AUC than all others, that RTM by Gibbs sampling
beats Var-RTM, that the word ranks of all Gibbs models are better than Var-RTM's for K > 5, and that the cached gRTM is
significantly better than Var-RTM, and similar to gRTM on WebKB for large K.

"plait's" settings are our defaults: four chains of ten samples. "paper's" are c = 4 (gRTM) and 25 (RTM) for links, 1 %
of the pairs without a link at c = 1, weights drawn in every sweep, 400 sweeps, one sample; and for RTM c = 1 with 0.2
%, which they show as well, beside Var-RTM with 0.2 % of the pairs without a link as negatives. The paper does not give
α, β and ν, which are plait's. "LDA, links hidden" ranks words by LDA's expectation for an unknown document. --losses
adds gRTM with other losses, --methods leaves all others out: "gRTM, paper's" "RTM, paper's".
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
from contestants import (
    MODELS,
    Contestant,
    compare,
    plain_baselines,
    relational,
    topic_baselines,
    var_rtm_with_negatives,
    with_yardsticks,
)
from data import CORPORA


def contestants(corpus: str, options: argparse.Namespace) -> list[Contestant]:
    """Return all methods to compare on a corpus."""
    ways: dict[str, Setting] = {f"{name}, plait's": model for name, model in MODELS.items()}
    if options.paper:
        ways |= {f"{name}, paper's": model | paper_settings(model["form"]) for name, model in MODELS.items()}
        imbalanced = {"c": 1.0, "negative_share": 0.002}
        ways["RTM, paper's, c = 1, 0.2 %"] = MODELS["RTM"] | paper_settings("diagonal") | imbalanced
    ways |= {f"gRTM, {loss} loss": MODELS["gRTM"] | {"loss": loss} for loss in options.losses}
    models = [
        relational(name, corpus, topics, options.seed, **(parameters | schedule(options)))
        for name, parameters in ways.items()
        for topics in options.topics
    ]
    by_topics = [topic_baselines(corpus, topics, options.seed) for topics in options.topics]
    with_topics = [contestant for same_method in zip(*by_topics, strict=True) for contestant in same_method]
    if options.paper:
        with_topics += [var_rtm_with_negatives(corpus, topics, options.seed, 0.002) for topics in options.topics]
    found = models + with_topics + plain_baselines(corpus)
    unknown = sorted(set(options.methods or ()) - {one.name for one in found})
    if unknown:
        raise SystemExit(f"there is no method {unknown[0]!r} with these options; methods are named as in the table")
    return [one for one in found if options.methods is None or one.name in options.methods]


def main() -> None:
    parser = options_parser(__doc__ or "", topics=[5, 10, 15, 20, 25, 30])
    parser.add_argument(
        "--corpora", nargs="+", choices=CORPORA, default=["cora", "webkb"], help="which corpora (cora webkb)"
    )
    parser.add_argument(
        "--losses", nargs="*", choices=("hinge", "probit"), default=[], help="other losses of gRTM (none)"
    )
    parser.add_argument("--methods", nargs="+", metavar="NAME", help="names of methods in the table (all)")
    add_paper(parser)
    add_schedule(parser)
    options = parser.parse_args()
    for corpus in options.corpora:
        found = compare(contestants(corpus, options), options, COLUMNS)
        print_table(
            caption(f"{corpus} by number of topics", options),
            ["method", "topics", *COLUMNS, "yardstick: link rank, AUC"],
            with_yardsticks(found, corpus),
        )


if __name__ == "__main__":
    main()
