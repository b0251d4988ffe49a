"""Table 5 of Bíró and Szabó (2009) on networks that are public: classes of linked documents by graph stacking.

    python experiments/linked_lda/stacking.py
    python experiments/linked_lda/stacking.py --corpora webkb --layers 2 --known predicted

Ten folds over documents, each with its share of every class; the labels of a fold are hidden, its words and links are
not. A cell is the mean AUC over classes, each against the rest, and the accuracy. Topics are those of LDA on all
documents, which has seen no labels. The networks: cora, citeseer and webkb, see experiments/relational/data.py.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression

import plait
from plait.evaluation import cross_validate_labels
from plait.graph import bayes_net, svm

sys.path.insert(0, str(Path(__file__).parents[2]))  # what others share, when this file is run as it is

from benchmarks.tables import print_table, say
from experiments.folders import folder

CORPORA = ("cora", "citeseer", "webkb")
N_TOPICS = 30
KINDS = ("cocitation", "coupling", "links", "reversed links", "neighbours", "neighbours, cocitation, coupling")


def edges_of(corpus, kind):
    """Return one or several matrices of edges."""
    if kind.startswith("reversed "):
        return [plait.edge_weights(corpus.links, kind.removeprefix("reversed "), reverse=True)]
    return [plait.edge_weights(corpus.links, one) for one in kind.split(", ")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", nargs="+", default=CORPORA, help=f"which ({' '.join(CORPORA)})")
    parser.add_argument("--layers", type=int, default=1, help="how often features are extended (1)")
    parser.add_argument("--known", choices=("labels", "predicted"), default="labels", help="see docs/graph.md (labels)")
    parser.add_argument("--alpha", type=float, default=0.1, help="of LDA (0.1; the paper has 50 / 30)")
    parser.add_argument("--seed", type=int, default=0, help="of LDA and of folds (0)")
    options = parser.parse_args()
    for name in options.corpora:
        corpus = plait.read_corpus(folder(name), on_error="skip")
        words = TfidfTransformer(sublinear_tf=True).fit_transform(corpus.counts)
        lda = plait.LDA(n_topics=N_TOPICS, alpha=options.alpha, random_state=options.seed, verbose=False).fit(corpus)
        logistic = LogisticRegression(C=10, max_iter=1000)
        # features, base learner, final learner, whether the final one sees the features
        contestants = {
            "LDA, BayesNet": (lda.doc_topic_, bayes_net(), None, True),
            "LDA, logistic": (lda.doc_topic_, logistic, None, True),
            "TF-IDF, SVM": (words, svm(random_state=options.seed), LogisticRegression(), False),
            "TF-IDF, logistic": (words, logistic, None, False),
        }
        rows = []
        for kind in (None, *KINDS):
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
