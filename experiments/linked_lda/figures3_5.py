"""Likelihood and AUC by sweep, model and sampler: Figures 3, 4 and 5 of Bíró and Szabó (2009).

    python experiments/linked_lda/figures3_5.py --paper --results figures3_5.jsonl --plot figures3_5.svg
    python experiments/linked_lda/figures3_5.py --corpora webkb --sweeps 10 --samplers plain limit        a quick run

A chain is measured after every second of 50 sweeps: the perplexity of each token given all others (lower is better;
that of the last sweep, as in `history_`), and the AUC of BayesNet on the current document–topic distributions, ten
folds, each class against the rest. The paper's figures have no numbers. It says that both are stable after 20 to 30
sweeps, that likelihood and AUC are correlated (Figure 3), that linked LDA's likelihood is about 1 % better than LDA's,
that aggregated and limit sampling cost nearly nothing (Figure 4), and that sparse sampling costs more for larger ℓ
(Figure 5). The last column is the correlation of both over the sweeps of a chain: -1 if the AUC rises exactly as the
perplexity falls.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from common import (
    PAPER_SECONDS,
    Figures,
    Results,
    Setting,
    caption,
    cell,
    chosen_settings,
    options_parser,
    print_table,
)
from data import CORPORA, load
from models import LDA, LINKED, classifiers, correlation, make_chain, n_words
from plots import draw_over_sweeps
from threadpoolctl import threadpool_limits

from experiments.chains import doc_topic
from plait.engine.history import History
from plait.executors import Threads
from plait.metrics import cross_validate_labels

_LOOK_EVERY, _SWEEPS = 2, 50
_SHOWN_EVERY = 10  # sweeps between two columns of the table
_LIKELIHOOD, _AUC = "likelihood", "AUC"
_NOT_OF_CHAINS = ("n_sweeps", "n_samples", "tolerance")  # settings of a fit that do not apply to a chain


def measure(setting: Setting) -> Figures:
    """Return the likelihood and the AUC of BayesNet after every second sweep of a chain."""
    given = dict(setting)
    name, seed, n_sweeps = given.pop("corpus"), given["seed"], given.pop("sweeps")
    corpus = load(name)
    figures: Figures = {}
    with threadpool_limits(1), Threads(1) as executor:
        chain, history = make_chain(corpus, **given), History()
        chain.start(executor)
        while chain.n_sweeps < n_sweeps:
            record = history.add(chain.n_sweeps + 1, chain.sweep())
            if chain.n_sweeps % _LOOK_EVERY == 0:
                found = cross_validate_labels(
                    classifiers(seed)["BayesNet"], doc_topic(chain), corpus.label_vector(), seed=seed
                )
                figures |= {f"{_LIKELIHOOD} {record.sweep}": record.perplexity, f"{_AUC} {record.sweep}": found.auc}
    return figures


def course(figures: Figures, what: str) -> dict[int, float]:
    """Return a figure by sweep."""
    return {int(name.rsplit(" ", 1)[1]): value for name, value in figures.items() if name.startswith(what)}


def rows_of(named: dict[str, list[Figures]], what: str, sweeps: list[int]) -> list[list[str]]:
    """Return a row per model and sampler: a figure after some sweeps, and its correlation with the other."""
    rows = []
    for name, seeds in named.items():
        courses = [course(figures, what) for figures in seeds]
        cells = [cell([one[sweep] for one in courses], 1 if what == _LIKELIHOOD else 3) for sweep in sweeps]
        together = [
            correlation(list(course(figures, _LIKELIHOOD).values()), list(course(figures, _AUC).values()))
            for figures in seeds
        ]
        rows.append([name, *cells, cell(together, 2)])
    return rows


def plot(named: dict[str, list[Figures]], path: Path) -> None:
    """Plot likelihood and AUC of the first seed by sweep."""
    heights = {"perplexity per token; lower is better": _LIKELIHOOD, "mean AUC of BayesNet": _AUC}
    panels = {
        height: {name: course(seeds[0], what) for name, seeds in named.items()} for height, what in heights.items()
    }
    draw_over_sweeps(panels, path)


def measured(corpus: str, topics: int, options: argparse.Namespace, results: Results) -> dict[str, list[Figures]]:
    """Return the figures of every model and sampler, one per seed."""
    given = chosen_settings(options, topics, n_words(corpus))
    parameters = {name: value for name, value in given.items() if name not in _NOT_OF_CHAINS}
    shared = {"corpus": corpus, "topics": topics, "sweeps": options.sweeps} | parameters
    listing = [(model, sampler) for model in (LDA, LINKED) for sampler in options.samplers]
    settings = [
        shared | {"model": model, "sampler": sampler, "seed": seed}
        for model, sampler in listing
        for seed in options.seeds
    ]
    figures = iter(results.get_all(settings, measure, options.jobs))
    return {f"{model} / {sampler}": [next(figures) for _ in options.seeds] for model, sampler in listing}


def main() -> None:
    parser = options_parser(__doc__ or "", CORPORA, ["webkb text"])
    parser.set_defaults(sweeps=_SWEEPS)
    names = list(PAPER_SECONDS)
    parser.add_argument("--samplers", nargs="+", choices=names, default=names, help="samplers (all)")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="save a plot of one corpus and one number of topics")
    options = parser.parse_args()
    if options.sweeps < 2 * _LOOK_EVERY:
        parser.error(f"--sweeps must be at least {2 * _LOOK_EVERY}")
    if options.plot and len(options.corpora) * len(options.topics) > 1:
        parser.error("--plot draws one corpus with one number of topics")
    results = Results(options.results)
    looks = range(_LOOK_EVERY, options.sweeps + 1, _LOOK_EVERY)
    sweeps = sorted({looks[0], *(sweep for sweep in looks if sweep % _SHOWN_EVERY == 0), looks[-1]})
    for corpus in options.corpora:
        for topics in options.topics:
            named = measured(corpus, topics, options, results)
            for what, meaning in ((_LIKELIHOOD, "perplexity per token"), (_AUC, "mean AUC of BayesNet, ten folds")):
                print_table(
                    caption(f"{corpus}, {topics} topics: {meaning}, by sweep", options),
                    ["model / sampler", *map(str, sweeps), "correlation of both"],
                    rows_of(named, what, sweeps),
                )
            if options.plot:
                plot(named, options.plot)


if __name__ == "__main__":
    main()
