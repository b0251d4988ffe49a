"""Micro and macro F1 and training time by burn-in with several labels per document: Figure 5 of Zhu et al. (2013).

    python experiments/medlda/figure5.py --results figure5.jsonl
    python experiments/medlda/figure5.py --corpora bibtex --topics 20 --seeds 0 --sweeps 5 20        a quick run

Zhu, Zheng, Zhou and Zhang (2013), *Scalable inference in max-margin topic models*, show the F-measure on 1.1 million
Wikipedia pages: burn-in of 40, 60 or 80 sweeps gives stable predictions, 20 is not enough, and training time grows
linearly. The figure has no numbers, and the pages are not public; this script uses Reuters-21578 and bibtex, as
figure4.py. Predictions use one sample of one chain, as in the paper, with the costs that figure4.py chose.
"""

from __future__ import annotations

import argparse

from common import Figures, Results, average, medlda, options_parser, paper_settings, print_table, score_medlda
from figure4 import CHOSEN, CORPORA


def settings_of(name: str, n_topics: int, n_sweeps: int) -> dict[str, object]:
    """Return the parameters of MedLDA: the paper's one sample, and the costs chosen for the corpus."""
    costs = {key: CHOSEN[name][key] for key in ("c", "class_weight")}
    return paper_settings(n_topics) | costs | {"n_sweeps": n_sweeps, "min_documents": 1}


def run(name: str, options: argparse.Namespace, results: Results) -> list[list[str]]:
    train, test = CORPORA[name]()
    rows = []
    for n_topics in options.topics:
        for n_sweeps in options.sweeps:
            per_seed: list[Figures] = []
            for seed in options.seeds:
                setting = {"corpus": name, "topics": n_topics, "sweeps": n_sweeps, "seed": seed}
                model = medlda(n_topics, options, seed, **settings_of(name, n_topics, n_sweeps))
                per_seed.append(results.get(setting, lambda model=model: score_medlda(model, train, test)))
            means = average(per_seed)
            shown = [f"{means['micro F1']:.4f}", f"{means['macro F1']:.4f}", f"{means['seconds']:.1f}"]
            rows.append([name, str(n_topics), str(n_sweeps), *shown])
    return rows


def main() -> None:
    parser = options_parser(__doc__ or "", topics=[110], seeds=[0, 1, 2])
    parser.add_argument("--corpora", nargs="+", choices=CORPORA, default=list(CORPORA), help="which corpora (both)")
    parser.add_argument(
        "--sweeps", type=int, nargs="+", default=[5, 10, 20, 40, 60, 80], help="burn-in (5 10 20 40 60 80)"
    )
    options = parser.parse_args()
    results = Results(options.results)
    print_table(
        f"Several labels per document, by burn-in, one sample, mean of {len(options.seeds)} seed(s), "
        f"{options.jobs} thread(s); paper: stable from 40 sweeps on, time grows linearly",
        ["corpus", "topics", "burn-in", "micro F1", "macro F1", "training s"],
        [row for name in options.corpora for row in run(name, options, results)],
    )


if __name__ == "__main__":
    main()
