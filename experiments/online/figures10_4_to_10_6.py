"""Perplexity by window and weight of the history: Figures 10.4, 10.5 and 10.6 of AlSumait et al. (2010).

    python experiments/online/figures10_4_to_10_6.py --results history.jsonl
    python experiments/online/figures10_4_to_10_6.py --corpora reuters --windows 0 5 --totals 1 --sweeps 50     quick
    python experiments/online/figures10_4_to_10_6.py --table-10-5 --results history.jsonl     the paper's own weights

A stream is learned slice by slice, 500 sweeps each. Each slice is predicted before it is learned: the perplexity of
document completion (half of a document's tokens from the other half), by the last sample, as in the paper. --whole adds
the perplexity of whole documents, eq. (10.11): exp(−Σ log p(w_d) / Σ N_d), with p(w_d) estimated without bias by the
left-to-right method (`plait.metrics.marginal_likelihoods`); the paper does not say how it computed p(w_d). K = 50, α =
50 / K; b = 0.01 beside the history, and β = 0.05 without a window, as in the paper; a part of the difference comes from
that, so β = 0.01 without a window is included, too. --distributions adds history as distributions, with b for all words
or for new words only ("smoothed"). All slices share one vocabulary. If PLAIT_DATA has no folder
"nips", Figure 10.5 uses the State of the Union addresses by decades. The paper shows curves without numbers; what it
says of them is printed below each table.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from common import Figures, Results, Setting, base_parser, listed, print_table
from data import has_papers, load_slices
from plots import draw_over_slices

from plait import OnlineLDA
from plait.metrics import marginal_likelihoods

_FIXED_BETA, _NEW_WORDS = 0.05, 0.01
_TOTALS = (0.05, 0.1, 0.15, 0.2, 1.0)  # of Figure 10.6
# Table 10.5: weights of past slices, oldest first, and the corpora on which the paper has the model.
_BOTH = "Reuters, NIPS"
_PAPER_WEIGHTS: dict[str, tuple[list[float], str]] = {
    "1/ω(1)": ([1], _BOTH),
    "2/ω(1)": ([1, 1], _BOTH),
    "2/ω(0.8)": ([0.2, 0.8], "Reuters"),
    "2/ω(0.7)": ([0.3, 0.7], _BOTH),
    "2/ω(0.6)": ([0.4, 0.6], _BOTH),
    "2/ω(0.5)": ([0.5, 0.5], _BOTH),
    "3/ω(1)": ([1, 1, 1], _BOTH),
    "3/ω(0.8)": ([0.05, 0.15, 0.8], _BOTH),
    "3/ω(0.7)": ([0.1, 0.2, 0.7], _BOTH),
    "3/ω(0.6)": ([0.15, 0.25, 0.6], "Reuters"),
    "3/ω(0.33)": ([0.33, 0.33, 0.34], _BOTH),
    "4/ω(1)": ([1, 1, 1, 1], _BOTH),
    "4/ω(0.9)": ([0.01, 0.03, 0.06, 0.9], "NIPS"),
    "4/ω(0.8)": ([0.03, 0.07, 0.1, 0.8], "Reuters"),
    "4/ω(0.7)": ([0.05, 0.1, 0.15, 0.7], _BOTH),
    "4/ω(0.6)": ([0.05, 0.15, 0.2, 0.6], "Reuters"),
    "4/ω(0.25)": ([0.25, 0.25, 0.25, 0.25], _BOTH),
    "5/ω(1)": ([1, 1, 1, 1, 1], "NIPS"),
    "5/ω(0.7)": ([0.05, 0.05, 0.1, 0.15, 0.7], "NIPS"),
    "5/ω(0.6)": ([0.05, 0.1, 0.15, 0.2, 0.6], "NIPS"),
    "5/ω(0.2)": ([0.2, 0.2, 0.2, 0.2, 0.2], _BOTH),
}
_SAID_OF_NIPS = (
    "Paper, NIPS: larger windows are better, but better than the fixed prior only from 4 on, and smaller "
    "weights of the history are better."
)
_SAID = {
    "reuters": "Paper, Reuters: every window is better than the fixed prior, larger windows are better, and so "
    "are larger weights of history.",
    "nips": _SAID_OF_NIPS,
    "sotu": _SAID_OF_NIPS,
}


def measure(setting: Setting) -> Figures:
    """Return the perplexity of every slice except the first, predicted before it is learned, and their mean."""
    given = dict(setting)
    particles = given.pop("particles", 0)
    slices = load_slices(given.pop("corpus"))
    window = given["window"]
    model = OnlineLDA(
        given.pop("topics"),
        alpha=50 / setting["topics"],
        beta=given.pop("beta", _NEW_WORDS if window else _FIXED_BETA),
        n_sweeps=given.pop("sweeps"),
        random_state=given.pop("seed"),
        n_samples=1,
        tolerance=0.0,
        verbose=False,
        **given,
    )
    perplexity, whole = [], []
    for number, (_, part) in enumerate(slices):
        counts = part.counts  # a matrix: all models know the whole vocabulary from the start
        if number > 0:
            perplexity.append(model.perplexity(counts))
            if particles:
                found = marginal_likelihoods(counts, model.topic_word_, model.alpha_, n_particles=particles)
                whole.append(float(np.exp(-found.sum() / counts.sum())))
        model.partial_fit(counts)
    figures = {"mean": float(np.mean(perplexity))} | ({"whole": float(np.mean(whole))} if whole else {})
    return figures | {f"slice {n}": value for n, value in enumerate(perplexity, start=1)}


def settings_of(corpus: str, topics: int, options: argparse.Namespace) -> dict[tuple[int, str], Setting]:
    """Return the settings to measure on a stream, by window and name of the weights."""
    shared: Setting = {"corpus": corpus, "topics": topics, "sweeps": options.sweeps}
    shared |= {"particles": options.whole} if options.whole else {}
    found: dict[tuple[int, str], Setting] = {}
    for window in options.windows:
        if window == 0:
            found[0, ""] = shared | {"window": 0}
            found[0, f"none, β = {_NEW_WORDS}"] = shared | {"window": 0, "beta": _NEW_WORDS}
            continue
        for total in options.totals:
            found[window, f"{total:g}"] = shared | {"window": window, "history_weights": total}
        if options.distributions:
            for form in ("distributions", "smoothed"):
                found[window, form] = shared | {"window": window, "history_weights": 1.0, "history_form": form}
    if options.table_10_5:
        for name, (weights, _) in _PAPER_WEIGHTS.items():
            found[len(weights), name] = shared | {"window": len(weights), "history_weights": weights}
    return found


def rows_of(found: dict[tuple[int, str], list[Figures]], fixed: float | None) -> list[list[str]]:
    """Return a row per weight of the history, with a cell per window."""
    windows = sorted({window for window, _ in found})
    rows = []
    for name in dict.fromkeys(name for _, name in found):
        cells = []
        for window in windows:
            figures = found.get((window, name))
            mean = None if figures is None else float(np.mean([one["mean"] for one in figures]))
            change = "" if mean is None or fixed is None or not name else f" ({mean / fixed - 1:+.1%})"
            cells.append("" if mean is None else f"{mean:,.0f}{change}")
        rows.append([name or f"none, β = {_FIXED_BETA}", *cells])
    return rows


def table_10_5(found: dict[tuple[int, str], list[Figures]], fixed: float | None) -> list[list[str]]:
    """Return a row per model of Table 10.5: its δ and ω, where the paper has it, and our perplexity."""
    rows = []
    if fixed is not None:
        rows.append(["OLDAFixed", "0", f"none, β = {_FIXED_BETA}", _BOTH, f"{fixed:,.0f}", ""])
    for name, (weights, corpora) in _PAPER_WEIGHTS.items():
        mean = float(np.mean([one["mean"] for one in found[len(weights), name]]))
        change = "" if fixed is None else f"{mean / fixed - 1:+.1%}"
        rows.append([name, str(len(weights)), ", ".join(f"{w:g}" for w in weights), corpora, f"{mean:,.0f}", change])
    return rows


def whole_documents(found: dict[tuple[int, str], list[Figures]]) -> list[list[str]]:
    """Return a row per setting: perplexity by document completion and of whole documents."""
    rows = []
    for (window, name), figures in found.items():
        means = [float(np.mean([one[what] for one in figures])) for what in ("mean", "whole")]
        rows.append([name or f"none, β = {_FIXED_BETA}", str(window), *(f"{mean:,.0f}" for mean in means)])
    return rows


def main() -> None:
    parser = base_parser(__doc__ or "", [50])
    chosen = ["reuters", "nips" if has_papers() else "sotu"]
    parser.add_argument("--corpora", nargs="+", choices=list(_SAID), default=chosen, help=f"streams ({listed(chosen)})")
    parser.add_argument("--windows", type=int, nargs="+", default=[0, 1, 2, 3, 4, 5], help="δ (0 to 5)")
    parser.add_argument("--totals", type=float, nargs="+", default=_TOTALS, help="total weights of the history")
    parser.add_argument("--distributions", action="store_true", help="also history as distributions, of weight 1")
    parser.add_argument("--table-10-5", action="store_true", help="also the paper's own weights")
    parser.add_argument("--whole", type=int, default=0, metavar="PARTICLES", help="also eq. (10.11), with so many (0)")
    parser.add_argument("--sweeps", type=int, default=500, help="sweeps per slice (500)")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0], help="seeds of the chains (0)")
    parser.add_argument("--jobs", type=int, default=1, help="processes, each with one thread (1)")
    parser.add_argument("--curves", action="store_true", help="also print the perplexity of every slice")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="save the curves of Figures 10.4 and 10.5")
    options = parser.parse_args()
    results = Results(options.results)
    panels: dict[str, dict[str, list[float]]] = {}
    for corpus in options.corpora:
        for topics in options.topics:
            settings = settings_of(corpus, topics, options)
            asked = [setting | {"seed": seed} for setting in settings.values() for seed in options.seeds]
            figures = iter(results.get_all(asked, measure, options.jobs))
            found = {key: [next(figures) for _ in options.seeds] for key in settings}
            fixed = float(np.mean([one["mean"] for one in found[0, ""]])) if (0, "") in found else None
            windows = sorted({window for window, name in found if name not in _PAPER_WEIGHTS})
            print_table(
                f"{corpus}, {topics} topics: mean perplexity of the next slice by window δ and total weight of "
                "the history, and relative to the fixed prior",
                ["weight", *(f"δ = {window}" for window in windows)],
                rows_of({key: value for key, value in found.items() if key[1] not in _PAPER_WEIGHTS}, fixed),
            )
            print(_SAID[corpus])
            if options.table_10_5:
                heads = ["model", "δ", "ω, oldest first", "paper's corpora", "perplexity", "to OLDAFixed"]
                print_table(f"{corpus}, {topics} topics: Table 10.5", heads, table_10_5(found, fixed))
            if options.whole:
                heads = ["weight", "δ", "document completion", "whole documents, eq. (10.11)"]
                print_table(f"{corpus}, {topics} topics: two perplexities", heads, whole_documents(found))
            shown = {key: value for key, value in found.items() if key[1] in ("", f"{max(options.totals):g}")}
            curves = {_curve(key): _means(value) for key, value in shown.items()}
            panels[f"perplexity, {corpus}"] = curves
            if options.curves:
                rows = [[str(number), *(f"{value:,.0f}" for value in values)]
                        for number, values in enumerate(zip(*curves.values(), strict=True), start=1)]  # fmt: skip
                print_table(f"{corpus}, {topics} topics: perplexity by slice", ["slice", *curves], rows)
    if options.plot is not None:
        draw_over_slices(panels, options.plot)


def _curve(key: tuple[int, str]) -> str:
    window, weight = key
    return f"δ = {window}" + (f", weight {weight}" if weight else ", fixed prior")


def _means(figures: list[Figures]) -> list[Any]:
    names = [name for name in figures[0] if name.startswith("slice ")]
    return [float(np.mean([one[name] for one in figures])) for name in names]


if __name__ == "__main__":
    main()
