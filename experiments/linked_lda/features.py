"""Classification by three definitions of a document's topics in linked LDA, compared with LDA.

    python experiments/linked_lda/features.py --seeds 0 1 2 3 4 --results features.jsonl
    python experiments/linked_lda/features.py --paper --corpora webkb --seeds 0                       a quick run

The three definitions: Σ_c χ_dc ϑ_c, the distribution of the document's next token (doc_topic_); the topic counts of its
own tokens, smoothed by α, whatever their source; and ϑ, the topics drawn *from* the document (source_topic_). All three
are taken from the same samples. A cell is the mean AUC over classes, each against the rest, and over ten folds. Without
--paper: α = 0.5, ten samples after 100 sweeps.
"""

from __future__ import annotations

import argparse

import numpy as np
from common import Figures, Results, Setting, caption, cell, chosen_settings, options_parser, print_table
from data import CORPORA, load
from models import LDA, LINKED, classifiers, logistic, make_chain, n_words
from threadpoolctl import threadpool_limits

from experiments.chains import doc_topic, own_topic, source_topic
from plait.engine.chain import Chain
from plait.executors import Threads
from plait.metrics import cross_validate_labels

FEATURES = ("LDA", "mixture", "own words", "drawn from it")
_MACHINES = ("BayesNet", "SVM", "logistic")
_EVERY = 5  # sweeps between two samples


def linked_features(chain: Chain) -> dict[str, np.ndarray]:
    """Return the three kinds of features of the current state of linked LDA."""
    return {"mixture": doc_topic(chain), "own words": own_topic(chain), "drawn from it": source_topic(chain)}


def features(corpus: str, topics: int, seed: int, n_sweeps: int, n_samples: int, **parameters) -> dict[str, np.ndarray]:
    """Return each kind of features, averaged over the same samples of a chain."""
    sums = dict.fromkeys(FEATURES, np.zeros(()))
    with Threads(1) as executor:
        for model in (LDA, LINKED):
            chain = make_chain(load(corpus), model, "plain", topics, seed, **parameters)
            chain.start(executor)
            for sweep in range(n_sweeps + (n_samples - 1) * _EVERY):
                chain.sweep()
                if sweep + 1 < n_sweeps or (sweep + 1 - n_sweeps) % _EVERY:
                    continue
                found = {"LDA": doc_topic(chain)} if model == LDA else linked_features(chain)
                sums |= {name: sums[name] + values for name, values in found.items()}
    return {name: total / n_samples for name, total in sums.items()}


def measure(setting: Setting) -> Figures:
    """Return the AUC of each classifier on each kind of features."""
    given = {name: value for name, value in setting.items() if name != "tolerance"}
    corpus, seed = given["corpus"], given["seed"]
    figures: Figures = {}
    with threadpool_limits(1):
        machines = classifiers(seed) | {"logistic": logistic()}
        for kind, values in features(**given).items():
            for name in _MACHINES:
                found = cross_validate_labels(machines[name], values, load(corpus).label_vector(), seed=seed)
                figures[f"{kind} {name}"] = found.auc
    return figures


def rows(corpus: str, topics: int, options: argparse.Namespace, results: Results) -> list[list[str]]:
    shared = {"corpus": corpus, "topics": topics, "alpha": 0.5, "beta": 200 / n_words(corpus)}
    shared |= {"n_sweeps": 100, "n_samples": 10} | chosen_settings(options, topics, n_words(corpus))
    figures = results.get_all([shared | {"seed": seed} for seed in options.seeds], measure, options.jobs)
    return [[kind, *(cell([one[f"{kind} {name}"] for one in figures]) for name in _MACHINES)] for kind in FEATURES]


def main() -> None:
    options = options_parser(__doc__ or "", CORPORA, CORPORA).parse_args()
    results = Results(options.results)
    for corpus in options.corpora:
        for topics in options.topics:
            title = caption(f"{corpus}, {topics} topics: AUC by document features, ten folds", options)
            print_table(
                title, ["features", *(f"{name} AUC" for name in _MACHINES)], rows(corpus, topics, options, results)
            )


if __name__ == "__main__":
    main()
