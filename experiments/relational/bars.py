"""Relational topic models with plait's defaults compared with simple methods, on three networks.

    python experiments/relational/bars.py --results bars.jsonl
    python experiments/relational/bars.py --corpora webkb --topics 5 --folds 1 --sweeps 20 --chains 1       a quick run

Baselines for links: cosines of TF-IDF vectors, also of training documents averaged with documents up to two links away;
a logistic regression on 50 dimensions of LSA or on LDA's topics; Var-RTM (Chang and Blei, 2009). Baselines for the
words of a document known by its links: LDA, which ignores links, the frequency of words, and the words of the linked
documents. "yardstick" was measured elsewhere, LSA-50's cosine only there.
"""

from __future__ import annotations

import argparse

from common import add_schedule, caption, options_parser, print_table, schedule
from contestants import MODELS, Contestant, compare, plain_baselines, relational, topic_baselines, with_yardsticks
from data import CORPORA

_COLUMNS = ["link rank", "AUC", "average precision", "hits@10", "word rank", "training s"]
LSA_COSINE = {"cora": "377, 0.826", "webkb": "137, 0.805"}


def contestants(corpus: str, options: argparse.Namespace) -> list[Contestant]:
    compared = []
    for topics in options.topics:
        compared += [
            relational(name, corpus, topics, options.seed, **(parameters | schedule(options)))
            for name, parameters in MODELS.items()
        ]
        compared += topic_baselines(corpus, topics, options.seed)
    return compared + plain_baselines(corpus)


def rows(corpus: str, options: argparse.Namespace) -> list[list[str]]:
    found = with_yardsticks(compare(contestants(corpus, options), options, _COLUMNS), corpus)
    if corpus in LSA_COSINE:
        found.append(["LSA-50 cosine", *[""] * (len(_COLUMNS) + 1), LSA_COSINE[corpus]])
    return found


def main() -> None:
    parser = options_parser(__doc__ or "", topics=[30])
    parser.add_argument("--corpora", nargs="+", choices=CORPORA, default=list(CORPORA), help="which corpora (all)")
    add_schedule(parser)
    options = parser.parse_args()
    for corpus in options.corpora:
        print_table(
            caption(corpus, options),
            ["method", "topics", *_COLUMNS, "yardstick: link rank, AUC"],
            rows(corpus, options),
        )


if __name__ == "__main__":
    main()
