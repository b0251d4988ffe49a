"""Shared by the linked LDA experiments: samplers, the paper's settings, command-line options, table cells."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, stdev
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))  # shared modules, when a script is run directly

from benchmarks.tables import print_table, say
from experiments.folders import folder
from experiments.options import base_parser, listed
from experiments.results import Figures, Results, Setting
from experiments.timing import Course, fit_seconds, take_turns

N_TOPICS = 30
MOST_LINKS = 10  # per document, as in the paper's small corpus

# Seconds per sweep in Table 1 of Bíró and Szabó (2009), on their small corpus: LDA, linked LDA. The paper has no figure
# for aggregated sparse sampling there, and visits distinct words where its text says tokens.
PAPER_SECONDS: dict[str, tuple[int, int] | None] = {
    "plain": (1000, 1303),
    "aggregated": (193, 1006),
    "limit": (190, 970),
    "sparse(2)": (135, 402),
    "sparse(5)": (105, 241),
    "sparse(10)": (91, 171),
    "sparse(20)": (84, 129),
    "sparse(50)": (80, 107),
    "sparse(10, tokens)": None,
    "aggregated_sparse(10)": None,
}


def paper_settings(n_topics: int, n_words: int) -> Setting:
    """Return the settings of section 3.3 of the paper: one sample after 50 sweeps."""
    return {
        "alpha": 50 / n_topics, "beta": 200 / n_words, "p": 10.0, "direction": "out", "n_sweeps": 50, "n_samples": 1,
        "tolerance": 0.0,
    }  # fmt: skip


def options_parser(description: str, corpora: Sequence[str], chosen: Sequence[str]) -> argparse.ArgumentParser:
    """Return a parser with the options of all scripts that fit topics to networks."""
    parser = base_parser(description, [N_TOPICS])
    parser.add_argument("--corpora", nargs="+", choices=corpora, default=chosen, help=f"corpora ({listed(chosen)})")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0], help="seeds of models, classifiers and folds (0)")
    parser.add_argument("--jobs", type=int, default=1, help="processes, each with one thread (1)")
    parser.add_argument("--paper", action="store_true", help="the paper's settings: α = 50 / K, β = 200 / words …")
    parser.add_argument("--alpha", type=float, help="prior of topics in documents (each model's default)")
    parser.add_argument("--beta", type=float, help="prior of words in topics (each model's default)")
    parser.add_argument("--p", type=float, help="prior strength of sources is length / p tokens (10)")
    parser.add_argument("--direction", choices=("out", "in", "both"), help="direction of the links used (out)")
    parser.add_argument("--sweeps", type=int, help="maximum number of sweeps (200; 50 with --paper and in figures)")
    parser.add_argument("--samples", type=int, help="samples to average (each model's default; 1 with --paper)")
    return parser


def chosen_settings(options: argparse.Namespace, n_topics: int, n_words: int) -> Setting:
    """Return the settings given by the options; the rest are plait's defaults, or the paper's with --paper."""
    asked: dict[str, Any] = {name: getattr(options, name) for name in ("alpha", "beta", "p", "direction")}
    asked |= {"n_sweeps": options.sweeps, "n_samples": options.samples}
    named = {name: value for name, value in asked.items() if value is not None}
    return (paper_settings(n_topics, n_words) if options.paper else {}) | named


def cell(values: Sequence[float | None], digits: int = 3) -> str:
    """Return mean and standard deviation over seeds; an empty text without figures."""
    known = [value for value in values if value is not None]
    if not known:
        return ""
    spread = f" ± {stdev(known):.{digits}f}" if len(known) > 1 else ""
    return f"{mean(known):.{digits}f}{spread}"


def caption(what: str, options: argparse.Namespace) -> str:
    """Return the title of a table with its settings and number of seeds."""
    whose = "the paper's settings" if options.paper else "plait's settings"
    seeds = f"mean ± standard deviation of {len(options.seeds)} seeds" if len(options.seeds) > 1 else "one seed"
    return f"{what}; {whose}, {seeds}"


__all__ = [
    "MOST_LINKS",
    "N_TOPICS",
    "PAPER_SECONDS",
    "Course",
    "Figures",
    "Results",
    "Setting",
    "base_parser",
    "caption",
    "cell",
    "chosen_settings",
    "fit_seconds",
    "folder",
    "listed",
    "options_parser",
    "paper_settings",
    "print_table",
    "say",
    "take_turns",
]
