"""Seconds per sweep by number of labels on bibtex, all else fixed: Figure 6 of Zhu et al. (2013).

    python experiments/medlda/figure6.py
    python experiments/medlda/figure6.py --sweeps 5 --labels 5 40 159               a quick run

Zhu, Zheng, Zhou and Zhang (2013), *Scalable inference in max-margin topic models*, distribute RCV1's 103 labels over as
many machines as they need and find that time grows more slowly than the number of labels; the figure has no numbers.
This script uses one machine. All numbers of labels run in turns, sweep by sweep; seconds are medians. Growth is that of
time divided by that of labels: 1 is linear, less is better; "since last" compares with the row above.
"""

from __future__ import annotations

import argparse

from common import Figures, Results, average, make_course, options_parser, print_table, take_turns
from data import load_bibtex

from plait.inputs.targets import read_targets


def measure(options: argparse.Namespace, n_topics: int, seed: int, exact: bool) -> Figures:
    """Return the seconds of each step for every number of labels."""
    train, _ = load_bibtex()
    signs = read_targets(None, len(train), train).signs
    courses = {
        str(n_labels): make_course(train, n_topics, signs[:, :n_labels], exact=exact, seed=seed)
        for n_labels in options.labels
    }
    figures = {}
    for name, steps in take_turns(courses, options.sweeps, options.jobs).items():
        figures |= {f"{name} {step}": seconds for step, seconds in steps._asdict().items()}
    return figures


def rows_of(figures: Figures, mode: str, n_topics: int, labels: list[int]) -> list[list[str]]:
    rows = []
    seconds: list[float] = []
    for place, n_labels in enumerate(labels):
        steps = [figures[f"{n_labels} {step}"] for step in ("weights", "topics", "auxiliaries")]
        seconds.append(sum(steps))
        growth = [
            f"{(seconds[place] / seconds[since]) / (n_labels / labels[since]):.2f}" if place else ""
            for since in (0, place - 1)
        ]
        shown = [f"{1000 * step:.1f}" for step in (*steps, seconds[place])]
        rows.append([mode, str(n_topics), str(n_labels), *shown, f"{1000 * seconds[place] / n_labels:.2f}", *growth])
    return rows


def main() -> None:
    parser = options_parser(__doc__ or "", topics=[40], seeds=[0])
    parser.add_argument("--labels", type=int, nargs="+", default=[5, 10, 20, 40, 80, 159], help="numbers of labels")
    parser.add_argument("--sweeps", type=int, default=20, help="timed sweeps (20)")
    options = parser.parse_args()
    if min(options.labels) < 1 or max(options.labels) > 159:
        parser.error("--labels must lie between 1 and 159: bibtex has 159")
    options.labels = sorted(set(options.labels))
    results = Results(options.results)
    rows = []
    for n_topics in options.topics:
        for mode in ("exact", "cached"):
            setting = {
                "mode": mode, "topics": n_topics, "labels": options.labels, "sweeps": options.sweeps,
                "jobs": options.jobs,
            }  # fmt: skip
            per_seed = [
                results.get(
                    setting | {"seed": seed},
                    lambda mode=mode, k=n_topics, seed=seed: measure(options, k, seed, mode == "exact"),
                )
                for seed in options.seeds
            ]
            rows += rows_of(average(per_seed), mode, n_topics, options.labels)
    print_table(
        f"bibtex: milliseconds per sweep by number of labels, {options.jobs} thread(s)",
        ["mode", "topics", "labels", "weights", "topics", "auxiliaries", "sweep", "per label", "growth since first",
         "since last"],
        rows,
    )  # fmt: skip


if __name__ == "__main__":
    main()
