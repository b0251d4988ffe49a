"""Graph stacking of linked documents by features, edges and classifier: Table 5 of Bíró and Szabó (2009).

    python experiments/linked_lda/table5.py --paper --results table5.jsonl
    python experiments/linked_lda/table5.py --corpora webkb --features LDA --edges none cocit       a quick run

Base features are tf.idf or the topics of a model. A classifier is trained on them, and again with its neighbours'
predicted labels (docs/graph.md). Edges: cocitation (cocit) and coupling (rev-cocit); links, and undirected links
(neighbours), which the paper does not have; the influence χ along links of linked LDA or link-PLSA-LDA, and the same
reversed (rev-). "none" is the classifier without edges. A cell is the mean AUC over classes, each against the rest, and
over ten folds, then the accuracy. The labels of a fold are hidden, its words and links are not. The paper's figures,
AUC, are those of its own corpus of 32,000 web sites. Features of linked LDA are its doc_topic_; --source-topics uses ϑ
instead. stacking.py has other classifiers, and several types of edges at once.
"""

from __future__ import annotations

import argparse
from typing import Any

import scipy.sparse as sparse
from common import Figures, Results, Setting, caption, cell, chosen_settings, listed, options_parser, print_table
from data import CORPORA, load
from models import LDA, LINK_PLSA, LINKED, TFIDF, Remembered, classifiers, fitted, logistic, n_words
from stacking import edges_of
from threadpoolctl import threadpool_limits

import plait
from plait.metrics import cross_validate_labels

FEATURES = (TFIDF, LDA, LINKED, LINK_PLSA)
# Types of edges by the paper's names; the others are the influence of a model.
KINDS = {"cocit": "cocitation", "rev-cocit": "coupling", "links": "links", "neighbours": "neighbours"}
INFLUENCE = {f"{LINKED} χ": LINKED, f"{LINK_PLSA} χ": LINK_PLSA}
EDGES = ("none", *KINDS, *(turn + name for name in INFLUENCE for turn in ("", "rev-")))
_CLASSIFIERS = ("BayesNet", "C4.5", "logistic")

# AUC with BayesNet and C4.5: Table 5, and Table 4 where there are no edges.
PAPER_AUC = {
    (LDA, "none"): (0.817, 0.767),
    (LDA, "cocit"): (0.830, 0.762),
    (LDA, "rev-cocit"): (0.831, 0.770),
    (LINKED, "none"): (0.850, 0.777),
    (LINKED, "linked LDA χ"): (0.863, 0.785),
    (LINKED, "rev-linked LDA χ"): (0.857, 0.780),
    (LINKED, "cocit"): (0.838, 0.765),
    (LINKED, "rev-cocit"): (0.839, 0.752),
    (LINK_PLSA, "none"): (0.827, 0.754),
    (LINK_PLSA, "link-PLSA-LDA χ"): (0.839, 0.755),
    (LINK_PLSA, "rev-link-PLSA-LDA χ"): (0.837, 0.755),
    (LINK_PLSA, "cocit"): (0.835, 0.754),
    (LINK_PLSA, "rev-cocit"): (0.840, 0.763),
    (TFIDF, "none"): (0.569, 0.565),
    (TFIDF, "cocit"): (0.597, 0.589),
    (TFIDF, "rev-cocit"): (0.595, 0.593),
    (TFIDF, "linked LDA χ"): (0.611, 0.601),
    (TFIDF, "rev-linked LDA χ"): (0.609, 0.598),
    (TFIDF, "link-PLSA-LDA χ"): (0.604, 0.597),
    (TFIDF, "rev-link-PLSA-LDA χ"): (0.606, 0.596),
}


def edges_by_name(corpus: str, name: str, **given: Any) -> list[sparse.csr_array] | None:
    """Return the edges for a name in EDGES."""
    if name == "none":
        return None
    if name in KINDS:
        return edges_of(load(corpus), KINDS[name])
    influence = fitted(corpus, INFLUENCE[name.removeprefix("rev-")], **given).influence
    return [plait.edge_weights(influence, reverse=name.startswith("rev-"))]


def measure(setting: Setting) -> Figures:
    """Return AUC and accuracy of each classifier with some features and edges."""
    given = dict(setting)
    corpus, seed, source = given.pop("corpus"), given["seed"], given.pop("source topics")
    features, edges, names = given.pop("features"), given.pop("edges"), given.pop("classifiers")
    figures: Figures = {}
    with threadpool_limits(1):
        values = fitted(corpus, features, **given).features
        chosen = values["source_topic_" if source and features == LINKED else next(iter(values))]
        graph = edges_by_name(corpus, edges, **given)
        machines = classifiers(seed) | {"logistic": logistic()}
        for name in names:
            machine = machines[name]
            if graph is not None:
                machine = plait.StackedGraphClassifier(Remembered(machine), machine, random_state=seed)
            found = cross_validate_labels(machine, chosen, load(corpus).label_vector(), edges=graph, seed=seed)
            figures |= {f"{name} AUC": found.auc, f"{name} accuracy": found.accuracy}
    return figures


def rows(corpus: str, topics: int, options: argparse.Namespace, results: Results) -> list[list[str]]:
    parameters = chosen_settings(options, topics, n_words(corpus))
    shared = {"corpus": corpus, "topics": topics, "classifiers": options.classifiers} | parameters
    shared["source topics"] = options.source_topics
    # Seeds come first, so that a process fits each model of a seed once.
    pairs = [(features, edges) for features in options.features for edges in options.edges]
    settings = [
        shared | {"seed": seed, "features": features, "edges": edges}
        for seed in options.seeds
        for features, edges in pairs
    ]
    figures = results.get_all(settings, measure, options.jobs)
    shown = []
    for number, (features, edges) in enumerate(pairs):
        seeds = figures[number :: len(pairs)]
        theirs = dict(zip(_CLASSIFIERS, PAPER_AUC.get((features, edges), ()), strict=False))
        cells = []
        for name in options.classifiers:
            cells += [cell([seed[f"{name} {what}"] for seed in seeds]) for what in ("AUC", "accuracy")]
            if name != "logistic":
                cells.append(f"{theirs[name]:.3f}" if name in theirs else "")
        shown.append([features, edges, *cells])
    return shown


def main() -> None:
    parser = options_parser(__doc__ or "", CORPORA, CORPORA[:3])
    parser.add_argument(
        "--features", nargs="+", choices=FEATURES, default=FEATURES, help=f"features ({listed(FEATURES)})"
    )
    parser.add_argument("--edges", nargs="+", choices=EDGES, default=EDGES, help="edges (all)")
    parser.add_argument(
        "--classifiers", nargs="+", choices=_CLASSIFIERS, default=_CLASSIFIERS, help="classifiers (all)"
    )
    parser.add_argument("--source-topics", action="store_true", help="use ϑ (source_topic_) as features of linked LDA")
    options = parser.parse_args()
    options.classifiers = list(options.classifiers)
    results = Results(options.results)
    columns = []
    for name in options.classifiers:
        columns += [f"{name} AUC", f"{name} accuracy"] + ([f"{name} paper's"] if name != "logistic" else [])
    for corpus in options.corpora:
        for topics in options.topics:
            print_table(
                caption(f"{corpus}, {topics} topics: graph stacking, ten folds (the paper: its own corpus)", options),
                ["features", "edges", *columns],
                rows(corpus, topics, options, results),
            )


if __name__ == "__main__":
    main()
