"""Shared by the experiments with links: the paper's settings, command-line options, table cells."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, stdev

sys.path.insert(0, str(Path(__file__).parents[2]))  # shared modules, when a script is run directly

from benchmarks.tables import print_table
from experiments.folders import folder
from experiments.options import base_parser
from experiments.results import Figures, Results, Setting
from experiments.timing import Course, fit_seconds, take_turns

N_FOLDS = 5
# Section 4 of Chen, Zhu, Xia and Zhang (2013). They say that less than 0.1 % of Cora's pairs are linked, so that pairs
# have a direction and 1 % is a share of D (D − 1). They do not give α, β and ν: these are plait's.
PAPER_COSTS = {"full": 4.0, "diagonal": 25.0}
PAPER_SHARE, PAPER_SWEEPS = 0.01, 400

COLUMNS = ("link rank", "AUC", "word rank", "training s")  # of the paper's figures
_DIGITS = {
    "link rank": 1, "AUC": 4, "average precision": 4, "hits@10": 3, "precision@10": 3, "word rank": 1,
    "training s": 1, "accuracy": 4, "perplexity": 1,
}  # fmt: skip


def paper_settings(form: str) -> Setting:
    """Return the settings of the paper for full or diagonal weights: one sample of one chain."""
    return {
        "c": PAPER_COSTS[form], "negative_share": PAPER_SHARE, "weights_every": 1, "n_chains": 1,
        "n_sweeps": PAPER_SWEEPS, "n_samples": 1,
    }  # fmt: skip


def options_parser(description: str, topics: list[int]) -> argparse.ArgumentParser:
    """Return a parser with the options of all scripts over folds."""
    parser = base_parser(description, topics)
    parser.add_argument("--folds", type=int, choices=range(1, N_FOLDS + 1), default=N_FOLDS, help="number of folds (5)")
    parser.add_argument("--seed", type=int, default=0, help="seed of all models; folds are always the same (0)")
    parser.add_argument("--jobs", type=int, default=2, help="processes, each with one thread (2)")
    return parser


def add_schedule(parser: argparse.ArgumentParser) -> None:
    """Add options that make runs of relational models shorter."""
    parser.add_argument("--sweeps", type=int, help="burn-in of relational models (each model's default)")
    parser.add_argument("--chains", type=int, help="chains of relational models (each model's default)")


def add_paper(parser: argparse.ArgumentParser) -> None:
    """Add the option to run the paper's settings as well as plait's."""
    parser.add_argument("--paper", action="store_true", help="also the paper's settings")


def schedule(options: argparse.Namespace) -> Setting:
    """Return the parameters given by these options."""
    asked = {"n_sweeps": options.sweeps, "n_chains": options.chains}
    return {name: value for name, value in asked.items() if value is not None}


def cells(folds: Sequence[Figures], names: Sequence[str]) -> list[str]:
    """Return mean and standard deviation, over folds or seeds, of each named figure; "" if there is none."""
    return [_cell([fold[name] for fold in folds if name in fold], _DIGITS[name]) for name in names]


def _cell(values: list[float], digits: int) -> str:
    if not values:
        return ""
    spread = f" ± {stdev(values):.{digits}f}" if len(values) > 1 else ""
    return f"{mean(values):.{digits}f}{spread}"


def caption(what: str, options: argparse.Namespace) -> str:
    """Return the title of a table over folds."""
    folds = f"mean ± standard deviation of {options.folds} folds" if options.folds > 1 else "first fold of 5"
    return f"{what}: {folds}, {options.jobs} process(es) at once"


__all__ = [
    "COLUMNS",
    "N_FOLDS",
    "PAPER_SHARE",
    "PAPER_SWEEPS",
    "Course",
    "Figures",
    "Results",
    "Setting",
    "add_paper",
    "add_schedule",
    "base_parser",
    "caption",
    "cells",
    "fit_seconds",
    "folder",
    "options_parser",
    "paper_settings",
    "print_table",
    "schedule",
    "take_turns",
]
