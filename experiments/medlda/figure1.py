"""Accuracy and training time by number of topics on 20 Newsgroups: Figure 1 of Zhu et al. (2013).

    python experiments/medlda/figure1.py --results figure1.jsonl
    python experiments/medlda/figure1.py --topics 20 --seeds 0 --one-vs-all         a quick run, without one-vs-all

Zhu, Zheng, Zhou and Zhang (2013), *Scalable inference in max-margin topic models*. Their figure has no numbers; they
say that multi-task and one-vs-all MedLDA have similar accuracy, that both beat LDA with an SVM, and that multi-task is
faster. "paper's" settings are c = 16, ℓ = 1, α = 6.4 / K, 40 sweeps and one sample, and 60 fold-in sweeps; the paper
prints "α = 6.4e", which can also be 6.4 per topic (--alpha-per-topic). "plait's" are our defaults, four chains of five
samples. "cached" is the fast approximation. One-vs-all has separate topics for each of the 20 groups.

--expected adds MedLDA with an expected classifier (Jiang, Zhu, Sun and Xing, 2012), which the paper has in the figure:
`plait.baselines.ExpectedMedLDA`, one sample, the paper's settings.

"One sample" and "one chain" are means over the samples, and the chains, of the same fit.
"""

from __future__ import annotations

import argparse
from collections import Counter
from typing import Any

import numpy as np
from common import (
    PAPER_SPREAD,
    Figures,
    Results,
    Setting,
    average,
    fit_seconds,
    medlda,
    options_parser,
    paper_settings,
    print_table,
    score_lda_svm,
    score_tfidf_svm,
)
from data import load_20news

import plait
from plait.baselines import ExpectedMedLDA
from plait.corpus import Corpus
from plait.inputs.targets import read_targets
from plait.models.inputs import Documents

# Measured elsewhere: accuracy by method and number of topics.
YARDSTICKS = {("TF-IDF + LinearSVC", None): 0.824, ("LDA + LinearSVC", 40): 0.640, ("MedLDA, paper's", 40): 0.808}
_COLUMNS = ("one sample", "one chain", "accuracy")
_EXPECTED = "MedLDA, expected classifier"


def score_in_steps(model: plait.MedLDA, train: Corpus, test: Corpus) -> Figures:
    """Fit, and return the accuracy of predictions from one sample, one chain and all chains."""
    seconds = fit_seconds(model, train)
    true = np.asarray(test.label_vector())
    values: dict[tuple[int, int], np.ndarray] = {}
    seen: Counter[int] = Counter()
    new = Documents(test.with_vocabulary(train.vocabulary).counts)
    for group, sample, mean_topics in model._chains().mean_topics(new):
        # A chain's place among those of its group, and the sample's place in its chain.
        place = divmod(seen[group], model.n_samples)
        seen[group] += 1
        into = values.setdefault(place, np.zeros((len(true), len(model.classes_))))
        into[:, model._task_layout().of_group(group)] = mean_topics @ sample.weights[0].T

    def accuracy(parts: list[np.ndarray]) -> float:
        return float(np.mean(model.classes_[np.mean(parts, axis=0).argmax(axis=1)] == true))

    chains = [[values[place] for place in values if place[0] == chain] for chain in range(model.n_chains)]
    return {
        "one sample": float(np.mean([accuracy([part]) for part in values.values()])),
        "one chain": float(np.mean([accuracy(parts) for parts in chains])),
        "accuracy": accuracy(list(values.values())),
        "seconds": seconds,
    }


def score_expected(n_topics: int, seed: int, train: Corpus, test: Corpus) -> Figures:
    """Fit MedLDA with an expected classifier, with the paper's settings, and return its accuracy."""
    targets = read_targets(None, len(train), train)
    model = ExpectedMedLDA(n_topics, alpha=PAPER_SPREAD / n_topics, random_state=seed)
    seconds = fit_seconds(model, train.counts, targets.signs.astype(float))
    values = model.decision_function(test.with_vocabulary(train.vocabulary).counts)
    right = np.asarray(targets.classes)[values.argmax(axis=1)] == np.asarray(test.label_vector())
    return {"one sample": float(right.mean()), "accuracy": float(right.mean()), "seconds": seconds}


def contestants(options: argparse.Namespace) -> list[tuple[str, int, Setting]]:
    """Return name, number of topics and settings of every MedLDA."""
    chosen: list[tuple[str, int, Setting]] = []
    for n_topics in options.topics:
        chosen.append(("MedLDA, paper's", n_topics, paper_settings(n_topics)))
        if options.alpha_per_topic:
            per_topic = paper_settings(n_topics) | {"alpha": PAPER_SPREAD}
            chosen.append(("MedLDA, paper's, α = 6.4 per topic", n_topics, per_topic))
        chosen.append(("MedLDA, plait's", n_topics, {}))
        if options.cached:
            chosen.append(("MedLDA, plait's, cached", n_topics, {"cached": True}))
    for n_topics in options.one_vs_all:
        alone: dict[str, Any] = {"one_vs_all": True}
        chosen.append(("MedLDA, paper's, one-vs-all", n_topics, alone | paper_settings(n_topics)))
        # One label pulls less than twenty together, so the same c has less effect.
        chosen.append(("MedLDA, c = 64, one-vs-all", n_topics, alone | paper_settings(n_topics) | {"c": 64.0}))
    return chosen


def run(options: argparse.Namespace) -> list[list[str]]:
    train, test = load_20news()
    results = Results(options.results)
    words = results.get({"method": "TF-IDF + LinearSVC"}, lambda: score_tfidf_svm(train, test))
    rows = [row_of("TF-IDF + LinearSVC", None, words)]
    for n_topics in options.topics:
        setting = {"method": "LDA + LinearSVC", "topics": n_topics}
        per_seed = [
            results.get(setting | {"seed": seed}, lambda k=n_topics, s=seed: score_lda_svm(k, options, s, train, test))
            for seed in options.seeds
        ]
        rows.append(row_of("LDA + LinearSVC", n_topics, average(per_seed)))
    for n_topics in options.topics if options.expected else ():
        setting = {"method": _EXPECTED, "topics": n_topics}
        per_seed = [
            results.get(setting | {"seed": seed}, lambda k=n_topics, s=seed: score_expected(k, s, train, test))
            for seed in options.seeds
        ]
        rows.append(row_of(_EXPECTED, n_topics, average(per_seed)))
    for name, n_topics, parameters in contestants(options):
        per_seed = []
        for seed in options.seeds:
            setting = {"method": name, "topics": n_topics, "seed": seed}
            model = medlda(n_topics, options, seed, **parameters)
            per_seed.append(results.get(setting, lambda model=model: score_in_steps(model, train, test)))
        rows.append(row_of(name, n_topics, average(per_seed)))
    return rows


def row_of(name: str, n_topics: int | None, figures: Figures) -> list[str]:
    known = YARDSTICKS.get((name, n_topics))
    shown = [f"{figures[column]:.4f}" if column in figures else "" for column in _COLUMNS]
    topics = "" if n_topics is None else str(n_topics)
    return [name, topics, *shown, "" if known is None else f"{known:.3f}", f"{figures['seconds']:.1f}"]


def main() -> None:
    parser = options_parser(__doc__ or "", topics=[20, 40, 60, 80, 110], seeds=[0, 1, 2])
    parser.add_argument("--alpha-per-topic", action="store_true", help="also the paper's with α = 6.4 per topic")
    parser.add_argument("--expected", action="store_true", help="also MedLDA with an expected classifier")
    parser.add_argument("--cached", action="store_true", help="also the cached approximation")
    parser.add_argument(
        "--one-vs-all", type=int, nargs="*", default=[5, 10], metavar="K", help="topics of each one-vs-all model (5 10)"
    )
    options = parser.parse_args()
    print_table(
        f"20 Newsgroups: accuracy and training time, mean of {len(options.seeds)} seed(s), {options.jobs} thread(s)",
        ["method", "topics", *_COLUMNS, "yardstick", "training s"],
        run(options),
    )


if __name__ == "__main__":
    main()
