"""Classification by topics of linked LDA, by prior strength p of the sources: section 3.3 of Bíró and Szabó (2009).

    python experiments/linked_lda/strength.py --paper --seeds 0 1 2 --results strength.jsonl
    python experiments/linked_lda/strength.py --corpora webkb --strengths 1 10 --sweeps 20                  a quick run

The Dirichlet prior of a document's sources sums to its length / p tokens, so that a larger p lets the words decide. The
paper tried p = 1, 4 and 10 with plain sampling and BayesNet, chose 10, and gives the AUC. A cell is the mean AUC over
classes, each against the rest, and over ten folds, for the mixture that a document's tokens are drawn from (doc_topic_)
and for ϑ, the paper's features (source_topic_). Other settings as in table4.py.
"""

from __future__ import annotations

import argparse

from common import Figures, Results, Setting, caption, cell, chosen_settings, listed, options_parser, print_table
from data import CORPORA, load
from models import LINKED, classifiers, fitted, n_words
from threadpoolctl import threadpool_limits

from plait.metrics import cross_validate_labels

PAPER_AUC = {1.0: 0.835, 4.0: 0.852, 10.0: 0.854}
_FEATURES = ("doc_topic_", "source_topic_")


def measure(setting: Setting) -> Figures:
    """Return the AUC of BayesNet on both kinds of features, and the share of tokens drawn from other documents."""
    given = dict(setting)
    corpus, seed = given.pop("corpus"), given["seed"]
    with threadpool_limits(1):
        model = fitted(corpus, LINKED, **given)
        machine, labels = classifiers(seed)["BayesNet"], load(corpus).label_vector()
        figures = {
            name: cross_validate_labels(machine, model.features[name], labels, seed=seed).auc for name in _FEATURES
        }
    influence = model.influence
    assert influence is not None
    return figures | {"borrowed": float(1 - influence.diagonal().mean())}


def rows(corpus: str, topics: int, options: argparse.Namespace, results: Results) -> list[list[str]]:
    shown = []
    parameters = chosen_settings(options, topics, n_words(corpus))
    for p in options.strengths:
        settings = [
            {"corpus": corpus, "topics": topics, "seed": seed} | parameters | {"p": p} for seed in options.seeds
        ]
        figures = results.get_all(settings, measure, options.jobs)
        theirs = PAPER_AUC.get(p)
        cells = [cell([one[name] for one in figures]) for name in _FEATURES]
        borrowed = cell([one["borrowed"] for one in figures], 2)
        shown.append([f"{p:g}", *cells, borrowed, "" if theirs is None else f"{theirs:.3f}"])
    return shown


def main() -> None:
    parser = options_parser(__doc__ or "", CORPORA, CORPORA)
    values = list(PAPER_AUC)
    parser.add_argument(
        "--strengths", type=float, nargs="+", default=values, help=f"values of p ({listed([f'{p:g}' for p in values])})"
    )
    options = parser.parse_args()
    if options.p is not None:
        parser.error("give the values of p by --strengths")
    results = Results(options.results)
    for corpus in options.corpora:
        for topics in options.topics:
            print_table(
                caption(f"{corpus}, {topics} topics: AUC of BayesNet by p, ten folds", options),
                ["p", *(f"{name} AUC" for name in _FEATURES), "share of borrowed tokens", "paper's AUC"],
                rows(corpus, topics, options, results),
            )


if __name__ == "__main__":
    main()
