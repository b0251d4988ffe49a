"""Weights of links between topics, with the topics' words: Tables 1 (RTM) and 2 (gRTM) of Chen et al. (2013).

    python experiments/relational/table1_2.py
    python experiments/relational/table1_2.py --topics 5 --sweeps 20                                        a quick run

Chen, Zhu, Xia and Zhang (2013), *Generalized relational topic models with data augmentation*, show the weights as
shades; they say that some diagonal weights of RTM are negative, and that all diagonal weights of gRTM are positive and
most others negative. The words of their Cora are not readable, so this script uses the Cora of the R package lda.
Weights are means over the samples of a chain; the row topic links to the column topic.
"""

from __future__ import annotations

import argparse

import numpy as np
from common import paper_settings, print_table
from data import load

import plait

_WORDS = 5
TABLES = {
    "diagonal": "Table 1, RTM; paper: some weights are negative",
    "full": "Table 2, gRTM; paper: weights on the diagonal are positive, most others negative",
}


def summary(weights: np.ndarray, full: bool) -> str:
    diagonal = weights.diagonal()
    said = f"{(diagonal > 0).sum()} of {diagonal.size} weights on the diagonal are positive"
    if not full:
        return said
    others = weights[~np.eye(len(weights), dtype=bool)]
    return f"{said}, {(others < 0).sum()} of {others.size} others negative"


def rows(model: plait.RelationalTopicModel) -> list[list[str]]:
    topics = model.topics(_WORDS)
    # All columns but the first are aligned right, so words come first.
    return [
        [f"{topic.index + 1} {', '.join(topic.words)}", *(f"{weight:.1f}" for weight in model.weights_[topic.index])]
        for topic in topics
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--topics", type=int, default=10, help="number of topics (10)")
    parser.add_argument("--paper", action="store_true", help="the paper's settings instead of plait's")
    parser.add_argument("--sweeps", type=int, help="burn-in (as in the settings)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the chain (0)")
    options = parser.parse_args()
    corpus = load("cora_rtm")
    for form, title in TABLES.items():
        parameters = paper_settings(form) if options.paper else {"n_chains": 1}  # weights are the first chain's
        if options.sweeps:
            parameters["n_sweeps"] = options.sweeps
        model = plait.RelationalTopicModel(
            options.topics, form=form, pair_features=None, random_state=options.seed, verbose=False, **parameters
        ).fit(corpus)
        print_table(
            f"{title}; here {summary(model.weights_, form == 'full')}",
            ["topic", *(str(number + 1) for number in range(options.topics))],
            rows(model),
        )


if __name__ == "__main__":
    main()
