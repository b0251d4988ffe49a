"""Classification by topics of linked documents, by model, sampler and classifier: Table 4 of Bíró and Szabó (2009).

    python experiments/linked_lda/table4.py --paper --seeds 0 1 2 --results table4.jsonl
    python experiments/linked_lda/table4.py --corpora webkb --samplers plain --classifiers BayesNet     a quick run

A cell is the mean AUC over classes, each against the rest, and over ten folds. Topics are learned from all documents
and links, without labels. With several seeds, each has its own topics and folds, and ± is their standard deviation. The
paper's figures are those of its own small corpus, 32,000 web sites in 11 classes: they show the order of methods, not a
level to reach. Its features are ϑ. In linked LDA ϑ is the distribution of the topics drawn *from* a document, by any
document (source_topic_); the mixture that its own tokens are drawn from is doc_topic_ (features.py has other choices).
Classifiers: naive Bayes over discretized features, as Weka's BayesNet; a linear SVM; an entropy tree in place of C4.5;
and naive Bayes over discretized log ratios (plait.graph.LogRatios), which depend less on document length than shares.
"""

from __future__ import annotations

import argparse

from common import (
    PAPER_SECONDS,
    Figures,
    Results,
    Setting,
    caption,
    cell,
    chosen_settings,
    listed,
    options_parser,
    print_table,
)
from data import CORPORA, load
from models import LDA, LINK_PLSA, LINKED, LOG_RATIOS, TFIDF, classifiers, fitted, n_words
from threadpoolctl import threadpool_limits

from plait.metrics import cross_validate_labels

# AUC with BayesNet, SVM and C4.5 in Table 4, by model and sampler.
PAPER_AUC = {
    (LDA, "plain"): (0.817, 0.705, 0.767),
    (LDA, "aggregated"): (0.813, 0.691, 0.750),
    (LDA, "limit"): (0.808, 0.662, 0.720),
    (LDA, "sparse(2)"): (0.805, 0.654, 0.719),
    (LDA, "sparse(5)"): (0.799, 0.671, 0.713),
    (LDA, "sparse(10)"): (0.791, 0.667, 0.711),
    (LDA, "sparse(20)"): (0.764, 0.649, 0.689),
    (LDA, "sparse(50)"): (0.735, 0.624, 0.670),
    (LINKED, "plain"): (0.850, 0.709, 0.777),
    (LINKED, "aggregated"): (0.849, 0.696, 0.771),
    (LINKED, "limit"): (0.845, 0.688, 0.761),
    (LINKED, "sparse(2)"): (0.840, 0.683, 0.758),
    (LINKED, "sparse(5)"): (0.836, 0.679, 0.753),
    (LINKED, "sparse(10)"): (0.827, 0.673, 0.751),
    (LINKED, "sparse(20)"): (0.799, 0.656, 0.726),
    (LINKED, "sparse(50)"): (0.768, 0.630, 0.705),
    (LINK_PLSA, ""): (0.827, 0.687, 0.754),
    (TFIDF, ""): (0.569, 0.720, 0.565),
}
MODELS = (LDA, LINKED, LINK_PLSA, TFIDF)
_OF_THE_PAPER = ("BayesNet", "SVM", "C4.5")
_CLASSIFIERS = tuple(classifiers(0))


def measure(setting: Setting) -> Figures:
    """Return AUC and accuracy of each classifier on each kind of features of a model."""
    given = dict(setting)
    corpus, seed, names = given.pop("corpus"), given["seed"], given.pop("classifiers")
    with threadpool_limits(1):
        model = fitted(corpus, given.pop("model"), **given)
        figures = {"training s": model.seconds}
        for features, values in model.features.items():
            for name in names:
                if name == LOG_RATIOS and features == TFIDF:  # most entries are zero
                    continue
                machine = classifiers(seed)[name]
                found = cross_validate_labels(machine, values, load(corpus).label_vector(), seed=seed)
                figures |= {f"{features} {name} AUC": found.auc, f"{features} {name} accuracy": found.accuracy}
    return figures


def contestants(corpus: str, topics: int, options: argparse.Namespace) -> list[tuple[str, str, Setting]]:
    """Return models and samplers with their settings, without the seed."""
    shared = {"corpus": corpus, "topics": topics, "classifiers": options.classifiers}
    parameters = chosen_settings(options, topics, n_words(corpus))
    listing = [
        (model, sampler, shared | {"model": model, "sampler": sampler} | parameters)
        for model in (LDA, LINKED)
        for sampler in options.samplers
    ]
    listing += [(model, "", shared | {"model": model}) for model in (LINK_PLSA, TFIDF)]
    return [one for one in listing if one[0] in options.models]


def rows(corpus: str, topics: int, options: argparse.Namespace, results: Results) -> list[list[str]]:
    listing = contestants(corpus, topics, options)
    settings = [setting | {"seed": seed} for _, _, setting in listing for seed in options.seeds]
    figures = results.get_all(settings, measure, options.jobs)
    shown = []
    for number, (model, sampler, _) in enumerate(listing):
        seeds = figures[number * len(options.seeds) : (number + 1) * len(options.seeds)]
        theirs = dict(zip(_OF_THE_PAPER, PAPER_AUC.get((model, sampler), ()), strict=False))
        for features in dict.fromkeys(name.split(" ")[0] for name in seeds[0] if name != "training s"):
            cells = []
            for name in options.classifiers:
                cells.append(cell([seed.get(f"{features} {name} AUC") for seed in seeds]))
                if name in _OF_THE_PAPER:
                    cells.append(f"{theirs[name]:.3f}" if name in theirs else "")
            cells += [cell([seed.get(f"{features} {name} accuracy") for seed in seeds]) for name in options.classifiers]
            title = f"{model} / {sampler}" if sampler else model
            shown.append([title, features, *cells, cell([seed["training s"] for seed in seeds], 1)])
    return shown


def main() -> None:
    parser = options_parser(__doc__ or "", CORPORA, CORPORA)
    names = list(PAPER_SECONDS)
    parser.add_argument("--samplers", nargs="+", choices=names, default=names, help=f"samplers ({listed(names)})")
    parser.add_argument("--models", nargs="+", choices=MODELS, default=MODELS, help=f"models ({listed(MODELS)})")
    parser.add_argument(
        "--classifiers", nargs="+", choices=_CLASSIFIERS, default=_CLASSIFIERS, help="classifiers (all)"
    )
    options = parser.parse_args()
    options.classifiers = list(options.classifiers)
    results = Results(options.results)
    columns = []
    for name in options.classifiers:
        columns += [f"{name} AUC", f"{name} paper's"] if name in _OF_THE_PAPER else [f"{name} AUC"]
    columns += [f"{name} accuracy" for name in options.classifiers]
    for corpus in options.corpora:
        for topics in options.topics:
            print_table(
                caption(f"{corpus}, {topics} topics: AUC and accuracy, ten folds (the paper: its own corpus)", options),
                ["model / sampler", "features", *columns, "training s"],
                rows(corpus, topics, options, results),
            )


if __name__ == "__main__":
    main()
