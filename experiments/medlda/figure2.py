"""Accuracy, training accuracy and training time by burn-in on 20 Newsgroups: Figure 2 of Zhu et al. (2013).

    python experiments/medlda/figure2.py --results figure2.jsonl
    python experiments/medlda/figure2.py --topics 20 --seeds 0 --sweeps 5 20         a quick run

Zhu, Zheng, Zhou and Zhang (2013), *Scalable inference in max-margin topic models*, say that accuracy is stable within
40 sweeps; their figure has no numbers. As in the paper, predictions use one sample (c = 16, ℓ = 1, α = 6.4 / K);
--averaged also shows four chains of five samples, our default. Training accuracy is that of training documents
predicted from their words alone, as if they were new.
"""

from __future__ import annotations

import argparse

import numpy as np
from common import (
    Figures,
    Results,
    average,
    fit_seconds,
    medlda,
    options_parser,
    paper_settings,
    print_table,
)
from data import load_20news

import plait
from plait.corpus import Corpus


def score_both(model: plait.MedLDA, train: Corpus, test: Corpus) -> Figures:
    seconds = fit_seconds(model, train)
    return {
        "accuracy": float(np.mean(model.predict(test) == test.label_vector())),
        "training accuracy": float(np.mean(model.predict(train) == train.label_vector())),
        "seconds": seconds,
    }


def run(options: argparse.Namespace) -> list[list[str]]:
    train, test = load_20news()
    results = Results(options.results)
    rows = []
    for n_topics in options.topics:
        ways = {"one sample": paper_settings(n_topics)} | ({"four chains": {}} if options.averaged else {})
        for way, parameters in ways.items():
            for n_sweeps in options.sweeps:
                per_seed = []
                for seed in options.seeds:
                    setting = {"way": way, "topics": n_topics, "sweeps": n_sweeps, "seed": seed}
                    model = medlda(n_topics, options, seed, **(parameters | {"n_sweeps": n_sweeps}))
                    per_seed.append(results.get(setting, lambda model=model: score_both(model, train, test)))
                means = average(per_seed)
                shown = [f"{means['accuracy']:.4f}", f"{means['training accuracy']:.4f}", f"{means['seconds']:.1f}"]
                rows.append([way, str(n_topics), str(n_sweeps), *shown])
    return rows


def main() -> None:
    parser = options_parser(__doc__ or "", topics=[40], seeds=[0, 1, 2])
    parser.add_argument(
        "--sweeps", type=int, nargs="+", default=[5, 10, 20, 30, 40, 60, 80, 100], help="burn-in (5 to 100)"
    )
    parser.add_argument("--averaged", action="store_true", help="also four chains of five samples")
    options = parser.parse_args()
    print_table(
        f"20 Newsgroups by burn-in, mean of {len(options.seeds)} seed(s), {options.jobs} thread(s); paper: stable "
        "within 40 sweeps; yardsticks: TF-IDF + LinearSVC 0.824, a C++ Gibbs MedLDA 0.808 (K = 40)",
        ["predicted from", "topics", "burn-in", "accuracy", "training accuracy", "training s"],
        run(options),
    )


if __name__ == "__main__":
    main()
