"""Share of each step in training time on 20 Newsgroups (Table 1 of Zhu et al., 2013), and MedLDA compared with LDA.

    python experiments/medlda/table1.py
    python experiments/medlda/table1.py --topics 20 --sweeps 5                      a quick run

Zhu, Zheng, Zhou and Zhang (2013), *Scalable inference in max-margin topic models*, give the share of drawing the
weights η on 1.1 million documents of Wikipedia with 20 labels, on 10 and 20 machines; communication takes 2.7 to 3.7 %
more. This script uses 11,269 documents with 20 labels on one machine, so the share of the weights, whose cost grows
with the cube of the number of topics and not with documents, is larger. LDA, MedLDA and MedLDA cached run in turns,
sweep by sweep; seconds are medians.
"""

from __future__ import annotations

import argparse

from common import Figures, Results, average, make_course, options_parser, print_table, take_turns
from data import load_20news

from plait.inputs.targets import read_targets

PAPER_SHARES = {500: "2.63 %, 5.01 %", 1000: "16.99 %, 28.73 %"}  # of drawing η, with 10 and with 20 machines
_STEPS = ("weights", "topics", "auxiliaries")


def measure(options: argparse.Namespace, n_topics: int, seed: int) -> Figures:
    """Return the seconds of each step of LDA, MedLDA and MedLDA cached."""
    train, _ = load_20news()
    signs = read_targets(None, len(train), train).signs
    courses = {
        "LDA": make_course(train, n_topics, None, exact=False, seed=seed),
        "exact": make_course(train, n_topics, signs, exact=True, seed=seed),
        "cached": make_course(train, n_topics, signs, exact=False, seed=seed),
    }
    figures = {}
    for name, steps in take_turns(courses, options.sweeps, options.jobs).items():
        figures |= {f"{name} {step}": seconds for step, seconds in steps._asdict().items()}
    return figures


def rows_of(figures: Figures, n_topics: int) -> list[list[str]]:
    rows = []
    plain = figures["LDA topics"]
    for mode in ("exact", "cached"):
        seconds = [figures[f"{mode} {step}"] for step in _STEPS]
        total = sum(seconds)
        shares = [f"{step / total:.1%}" for step in seconds]
        times = [f"{1000 * plain:.0f}", f"{1000 * total:.0f}", f"{total / plain:.2f}"]
        rows.append([str(n_topics), mode, *shares, PAPER_SHARES.get(n_topics, ""), *times])
    return rows


def main() -> None:
    parser = options_parser(__doc__ or "", topics=[40, 100, 500], seeds=[0])
    parser.add_argument("--sweeps", type=int, default=15, help="timed sweeps (15)")
    options = parser.parse_args()
    results = Results(options.results)
    rows = []
    for n_topics in options.topics:
        setting = {"topics": n_topics, "sweeps": options.sweeps, "jobs": options.jobs}
        per_seed = [
            results.get(setting | {"seed": seed}, lambda k=n_topics, seed=seed: measure(options, k, seed))
            for seed in options.seeds
        ]
        rows += rows_of(average(per_seed), n_topics)
    print_table(
        f"20 Newsgroups, 20 labels: share of each step, and sweeps compared with LDA, {options.jobs} thread(s)",
        ["topics", "mode", "draw weights", "draw topics", "draw auxiliaries", "paper's draw weights", "LDA ms",
         "MedLDA ms", ": LDA's"],
        rows,
    )  # fmt: skip


if __name__ == "__main__":
    main()
