"""Seconds of each step in 400 sweeps of gRTM on Cora, exact and cached: Table 3 of Chen et al. (2013).

    python experiments/relational/table3.py
    python experiments/relational/table3.py --topics 10 --sweeps 10                                         a quick run

Chen, Zhu, Xia and Zhang (2013), *Generalized relational topic models with data augmentation*, give the seconds and
shares of each step of the exact model; in the row of K = 10 they do not agree: the shares imply 63.8 seconds for the
weights. As in the paper, our chains have 1 % of the pairs without a link, c = 4, and draw the weights in every sweep
(plait's default is every fifth). They learn from the first of five folds. Exact and cached run in turns, sweep by
sweep; seconds are 400 times the median of a sweep.
"""

from __future__ import annotations

import argparse

from common import PAPER_SHARE, PAPER_SWEEPS, Course, Figures, Results, base_parser, print_table, take_turns
from data import load_fold

import plait
from plait.corpus import Corpus
from plait.engine.chain import Chain
from plait.inputs.links import read_links
from plait.mixing import OwnDocument
from plait.models.fitting import ChainPlan
from plait.priors import as_prior
from plait.samplers import as_sampler

# Seconds and shares of sampling Z, λ and U.
PAPER = {
    10: {"topics": "331.2 (73.55 %)", "auxiliaries": "55.3 (12.29 %)", "weights": "67.8 (14.16 %)", "total": "454.3"},
    15: {"topics": "746.8 (76.54 %)", "auxiliaries": "55.0 (5.64 %)", "weights": "173.9 (17.82 %)", "total": "975.7"},
    20: {"topics": "1300.3 (74.16 %)", "auxiliaries": "55.4 (3.16 %)", "weights": "397.7 (22.68 %)", "total": "1753.4"},
}
_STEPS = ("topics", "auxiliaries", "weights")


def make_course(train: Corpus, n_topics: int, seed: int, *, cached: bool) -> Course:
    model = plait.RelationalTopicModel(
        n_topics, pair_features=None, c=4.0, negative_share=PAPER_SHARE, weights_every=1, cached=cached, verbose=False
    )
    chain = Chain(
        train.counts,
        n_topics,
        mixing=OwnDocument(model.alpha),
        prior=as_prior(model.beta),
        sampler=as_sampler(model.sampler),
        seed=seed,
        responses=model._chain_responses({"links": read_links(train, None, len(train), None)}, ChainPlan(0, 0)),
    )
    return Course(chain, [])


def measure(options: argparse.Namespace, n_topics: int) -> Figures:
    """Return the median seconds of each step of both models."""
    train = load_fold("cora", 0).train
    courses = {
        mode: make_course(train, n_topics, options.seed, cached=mode == "cached") for mode in ("exact", "cached")
    }
    figures = {}
    for mode, steps in take_turns(courses, options.sweeps, options.jobs).items():
        figures |= {f"{mode} {step}": seconds for step, seconds in steps._asdict().items()}
    return figures


def rows(figures: Figures, n_topics: int) -> list[list[str]]:
    found = []
    for mode in ("exact", "cached"):
        seconds = {step: PAPER_SWEEPS * figures[f"{mode} {step}"] for step in _STEPS}
        total = sum(seconds.values())
        shown = [f"{seconds[step]:.1f} ({seconds[step] / total:.1%})" for step in _STEPS]
        found.append([mode, str(n_topics), *shown, f"{total:.1f}"])
    if n_topics in PAPER:
        known = PAPER[n_topics]
        found.append(["paper's, exact", str(n_topics), *(known[step] for step in _STEPS), known["total"]])
    return found


def main() -> None:
    parser = base_parser(__doc__ or "", topics=[10, 15, 20])
    parser.add_argument("--sweeps", type=int, default=PAPER_SWEEPS, help="timed sweeps (400)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the chains (0)")
    parser.add_argument("--jobs", type=int, default=1, help="threads (1)")
    options = parser.parse_args()
    results = Results(options.results)
    found = []
    for n_topics in options.topics:
        setting = {"topics": n_topics, "sweeps": options.sweeps, "jobs": options.jobs, "seed": options.seed}
        found += rows(results.get(setting, lambda k=n_topics: measure(options, k)), n_topics)
    print_table(
        f"cora, 1 % of pairs without a link: seconds (and shares) of each step in {PAPER_SWEEPS} sweeps, "
        f"{options.jobs} thread(s)",
        ["mode", "topics", "draw topics", "draw auxiliaries", "draw weights", "all"],
        found,
    )


if __name__ == "__main__":
    main()
