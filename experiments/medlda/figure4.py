"""Several labels per document, micro and macro F1: the multi-label experiment (Figure 4) of Zhu et al. (2013).

    python experiments/medlda/figure4.py --results figure4.jsonl
    python experiments/medlda/figure4.py --corpora bibtex --seeds 0               a quick run
    python experiments/medlda/figure4.py --validate --seeds 0 --results tried.jsonl       how settings were chosen

Zhu, Zheng, Zhou and Zhang (2013), *Scalable inference in max-margin topic models*, show a figure for 1.1 million
documents of Wikipedia with 20 labels, which are not public: MedLDA far above LDA with an SVM, and above an SVM on raw
words. This script uses Reuters-21578 (90 topics, ModApte split) and bibtex (159 tags), where an SVM on TF-IDF does
well.

"chosen" are settings that did well on held-out training documents: many labels need a smaller c, a higher weight of
documents with a label, and a threshold below 0 if many chains are averaged. "c = 4" and "c = 4, balanced" differ in
class weights alone. --validate never uses test documents: it fits to four fifths of the training documents, drawn at
random, and scores the fifth.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from common import (
    Figures,
    Results,
    average,
    medlda,
    options_parser,
    print_table,
    score_lda_svm,
    score_medlda,
    score_tfidf_svm,
)
from data import load_bibtex, load_r90

from plait.corpus import Corpus

CORPORA = {"r90": load_r90, "bibtex": load_bibtex}
# Measured elsewhere: micro and macro F1 of TF-IDF + LinearSVC.
YARDSTICKS = {"r90": "0.863 / 0.408", "bibtex": "0.412 / 0.236"}
_TFIDF = {"TF-IDF + LinearSVC": False, "TF-IDF, 1 + log n, + LinearSVC": True}

# Parameters of MedLDA that differ from the defaults.
CHOSEN: dict[str, dict[str, Any]] = {
    "r90": {"n_topics": 200, "c": 4.0, "alpha": 0.1, "class_weight": 4.0, "threshold": -0.4, "n_chains": 8},
    "bibtex": {"n_topics": 110, "c": 0.25, "class_weight": 24.0},
}
COMPARED: dict[str, dict[str, Any]] = {
    "defaults": {"n_topics": 110},
    "c = 4": {"n_topics": 110, "c": 4.0},
    "c = 4, balanced": {"n_topics": 110, "c": 4.0, "class_weight": "balanced"},
}
TRIED = COMPARED | {
    "defaults, balanced": {"n_topics": 110, "class_weight": "balanced"},
    "c = 1, balanced": {"n_topics": 110, "c": 1.0, "class_weight": "balanced"},
    "c = 8, weight 4": {"n_topics": 110, "c": 8.0, "class_weight": 4.0},
    "c = 2, weight 8": {"n_topics": 110, "c": 2.0, "class_weight": 8.0},
    "c = 1, weight 16": {"n_topics": 110, "c": 1.0, "class_weight": 16.0},
    "c = 0.5, weight 16": {"n_topics": 110, "c": 0.5, "class_weight": 16.0},
    "c = 2, weight 6, 200 topics": {"n_topics": 200, "c": 2.0, "alpha": 0.1, "class_weight": 6.0, "n_chains": 6},
    "c = 4, weight 4, 200 topics": {"n_topics": 200, "c": 4.0, "alpha": 0.1, "class_weight": 4.0, "n_chains": 6},
}


def settings(name: str, options: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """Return the settings of MedLDA to run on a corpus, by name."""
    known = (TRIED if options.validate else COMPARED) | {"chosen": CHOSEN[name]}
    chosen = {method: known[method] for method in options.settings or known if method in known}
    if options.topics:
        chosen = {
            f"{method}, {k} topics": parameters | {"n_topics": k}
            for method, parameters in chosen.items()
            for k in options.topics
        }
    return chosen


def split_off_a_fifth(train: Corpus) -> tuple[Corpus, Corpus]:
    """Return four fifths of the training documents, and the last fifth for choosing settings."""
    kept_out = np.zeros(len(train), dtype=bool)
    kept_out[np.random.default_rng(0).permutation(len(train))[: len(train) // 5]] = True
    return train.select(~kept_out), train.select(kept_out)


def score(parameters: dict[str, Any], options: argparse.Namespace, seed: int, *parts: Corpus) -> Figures:
    """Return the figures of MedLDA with some settings."""
    more = {name: value for name, value in parameters.items() if name != "n_topics"}
    return score_medlda(medlda(parameters["n_topics"], options, seed, min_documents=1, **more), *parts)


def run(name: str, options: argparse.Namespace, results: Results) -> list[list[str]]:
    train, test = CORPORA[name]()
    if options.validate:
        train, test = split_off_a_fifth(train)
    base = {"corpus": name} | ({"part": "validation"} if options.validate else {})
    rows = []
    for method, sublinear in _TFIDF.items():
        figures = results.get(
            base | {"method": method}, lambda sublinear=sublinear: score_tfidf_svm(train, test, sublinear=sublinear)
        )
        rows.append(row_of(name, method, "", figures, None if sublinear or options.validate else YARDSTICKS[name]))
    chosen = settings(name, options)
    for n_topics in sorted({parameters["n_topics"] for parameters in chosen.values()}):
        setting = base | {"method": "LDA + LinearSVC", "topics": n_topics}
        per_seed = [
            results.get(setting | {"seed": seed}, lambda k=n_topics, s=seed: score_lda_svm(k, options, s, train, test))
            for seed in options.seeds
        ]
        rows.append(row_of(name, "LDA + LinearSVC", str(n_topics), average(per_seed), None))
    for method, parameters in chosen.items():
        per_seed = [
            results.get(
                base | {"method": method} | parameters | {"seed": seed},
                lambda p=parameters, s=seed: score(p, options, s, train, test),
            )
            for seed in options.seeds
        ]
        rows.append(row_of(name, f"MedLDA, {method}", str(parameters["n_topics"]), average(per_seed), None))
    return rows


def row_of(name: str, method: str, topics: str, figures: Figures, known: str | None) -> list[str]:
    shown = [f"{figures['micro F1']:.4f}", f"{figures['macro F1']:.4f}", f"{figures['seconds']:.1f}"]
    return [name, method, topics, *shown[:2], known or "", shown[2]]


def main() -> None:
    parser = options_parser(__doc__ or "", topics=None, seeds=[0, 1, 2])
    parser.add_argument("--corpora", nargs="+", choices=CORPORA, default=list(CORPORA), help="which corpora (both)")
    parser.add_argument("--settings", nargs="+", choices=["chosen", *TRIED], help="only these settings of MedLDA (all)")
    parser.add_argument("--validate", action="store_true", help="try many settings on a part of the training documents")
    options = parser.parse_args()
    results = Results(options.results)
    rows = [row for name in options.corpora for row in run(name, options, results)]
    part = "a fifth of the training documents" if options.validate else "test documents"
    print_table(
        f"Several labels per document: F1 on {part}, mean of {len(options.seeds)} seed(s), {options.jobs} thread(s)",
        ["corpus", "method", "topics", "micro F1", "macro F1", "yardstick", "training s"],
        rows,
    )


if __name__ == "__main__":
    main()
