"""Classification of linked documents by graph stacking: Table 5 of Bíró and Szabó (2009) on public networks.

    python experiments/linked_lda/stacking.py
    python experiments/linked_lda/stacking.py --corpora webkb --layers 2 --known predicted

Ten stratified folds over documents; the labels of a fold are hidden, its words and links are not. A cell is the mean
AUC over classes, each against the rest, and the accuracy. Topics are those of LDA on all documents, without labels.
table5.py has the paper's combinations of features, edges and classifiers.
"""

from __future__ import annotations

import argparse

from common import N_TOPICS, print_table, say
from data import CORPORA, load
from models import LDA, TFIDF, fitted, logistic
from sklearn.linear_model import LogisticRegression

import plait
from plait.graph import bayes_net, svm
from plait.metrics import cross_validate_labels

KINDS = ("cocitation", "coupling", "links", "reversed links", "neighbours", "neighbours, cocitation, coupling")

METHODS = ("LDA, BayesNet", "LDA, logistic", "TF-IDF, SVM", "TF-IDF, logistic")


def edges_of(corpus, kind):
    """Return one or several matrices of edges."""
    if kind.startswith("reversed "):
        return [plait.edge_weights(corpus.links, kind.removeprefix("reversed "), reverse=True)]
    return [plait.edge_weights(corpus.links, one) for one in kind.split(", ")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--corpora", nargs="+", choices=CORPORA, default=CORPORA[:3], help="corpora (all but webkb text)"
    )
    parser.add_argument("--topics", type=int, default=N_TOPICS, help=f"topics of LDA ({N_TOPICS})")
    parser.add_argument("--edges", nargs="+", choices=KINDS, default=KINDS, help="types of edges, besides none (all)")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=METHODS, help="features and classifiers (all)")
    parser.add_argument("--layers", type=int, default=1, help="number of stacked layers (1)")
    parser.add_argument("--known", choices=("labels", "predicted"), default="labels", help="see docs/graph.md (labels)")
    parser.add_argument("--alpha", type=float, default=0.1, help="α of LDA (0.1; the paper has 50 / 30)")
    parser.add_argument("--seed", type=int, default=0, help="seed of LDA and of the folds (0)")
    options = parser.parse_args()
    for name in options.corpora:
        corpus, given = load(name), {"topics": options.topics, "seed": options.seed}
        words = fitted(name, TFIDF, **given).features["tf.idf"]
        proportions = fitted(name, LDA, alpha=options.alpha, **given).features["doc_topic_"]
        # features, base classifier, final classifier, whether the final one sees the features
        contestants = {
            "LDA, BayesNet": (proportions, bayes_net(), None, True),
            "LDA, logistic": (proportions, logistic(), None, True),
            "TF-IDF, SVM": (words, svm(random_state=options.seed), LogisticRegression(), False),
            "TF-IDF, logistic": (words, logistic(), None, False),
        }
        contestants = {title: contestants[title] for title in options.methods}
        rows = []
        for kind in (None, *options.edges):
            cells = []
            for title, (features, base, final, passthrough) in contestants.items():
                say(f"{name}: {title}, {kind or 'no edges'}")
                machine, edges = base, None
                if kind is not None:
                    edges = edges_of(corpus, kind)
                    machine = plait.StackedGraphClassifier(
                        base,
                        final,
                        n_layers=options.layers,
                        known=options.known,
                        passthrough=passthrough,
                        random_state=options.seed,
                    )
                found = cross_validate_labels(machine, features, corpus.label_vector(), edges=edges, seed=options.seed)
                cells.append(f"{found.auc:.3f} {found.accuracy:.3f}")
            rows.append([kind or "none", *cells])
        print_table(f"{name}: AUC and accuracy", ["edges", *contestants], rows)


if __name__ == "__main__":
    main()
