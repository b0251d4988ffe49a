"""Which priors and which end of burn-in LDA should have by default, on every corpus of PLAIT_DATA.

    PLAIT_DATA=... python experiments/priors/defaults.py                       the tables
    PLAIT_DATA=... python experiments/priors/defaults.py --prepare counts/     the corpora as matrices, for --data

Each corpus is read with the default text options. 30 % of its documents are held out, drawn by the seed. They give the
perplexity (document completion) and the NPMI of the ten most probable words of each topic; a second NPMI is that in all
documents. Seconds are processor seconds of the fit on one thread. The defaults were chosen on the seeds 0 and 2, and
are reported on the seeds 1, 3 and 5. The first table has means over seeds, and each setting relative to the defaults
before ("fixed"); the second one means over corpora as well; the third one shows what the end of burn-in costs.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import scipy.sparse as sparse

sys.path.insert(0, str(Path(__file__).parents[2]))  # shared modules, when the script is run directly

from benchmarks.tables import print_table, say
from experiments.options import FIXED_PRIORS, base_parser, listed
from experiments.results import Figures, Results, Setting, average
from plait import LDA, read_corpus
from plait.metrics import coherence

CORPORA = (
    "cora", "cora_rtm", "citeseer", "webkb", "20news_matlab", "20news_bydate", "reuters21578", "bibtex",
    "wikipedia_vital", "sotu", "uci_kos",
)  # fmt: skip
FIXED, DEFAULT, LONG = "fixed", "default", "500 sweeps"
PRIORS: dict[str, dict[str, Any]] = {
    FIXED: FIXED_PRIORS,  # the defaults before
    DEFAULT: {},
    "late": {"learn_alpha": "late"},  # the default, by its name
    "one α": {"learn_alpha": "symmetric"},
    "α per topic": {"learn_alpha": True},
    "α fixed": {"alpha": 0.1},
    "β fixed": {"beta": 0.01},
    LONG: {"n_sweeps": 500, "tolerance": 0.0},
}
HELD_OUT = 0.3
MOST_JUDGED = 1500  # documents that give the perplexity


def prepare(folder: Path, corpora: Sequence[str], most: int | None) -> None:
    """Write the counts of corpora, of at most so many documents each."""
    from experiments.folders import folder as corpus_folder

    folder.mkdir(parents=True, exist_ok=True)
    for name in corpora:
        counts = sparse.csr_array(read_corpus(corpus_folder(name), on_error="skip").counts)
        if most is not None and counts.shape[0] > most:
            counts = counts[np.sort(np.random.default_rng(0).permutation(counts.shape[0])[:most])]
        sparse.save_npz(folder / f"{name}.npz", counts)
        say(f"{name}: {counts.shape[0]:,} documents, {int(counts.sum()):,} tokens")


def measure(setting: Setting) -> Figures:
    """Fit one model and judge it on held-out documents."""
    counts = sparse.csr_array(sparse.load_npz(Path(setting["data"], f"{setting['corpus']}.npz")))
    words = [str(column) for column in range(counts.shape[1])]
    held_out = np.random.default_rng(setting["seed"]).random(counts.shape[0]) < HELD_OUT
    training, judged = counts[~held_out], counts[held_out]
    model = LDA(setting["topics"], random_state=setting["seed"], n_jobs=1, verbose=False, **PRIORS[setting["prior"]])
    start = time.process_time()
    model.fit(training)
    seconds = time.process_time() - start
    top = [[words[word] for word in row] for row in np.argsort(-model.topic_word_, axis=1)[:, :10]]
    return {
        "perplexity": model.perplexity(judged[:MOST_JUDGED]),
        "npmi": float(coherence(top, judged, words).mean()),
        "npmi_all": float(coherence(top, counts, words).mean()),
        "seconds": seconds,
        "sweeps": model.n_sweeps_,
        "ended": float(model.settled_),
        "alpha": float(model.alpha_.sum()),
        "beta": float(model.beta_),
    }


def main() -> None:
    """Measure all settings and print the tables."""
    parser = base_parser(__doc__ or "", (20, 50))
    parser.add_argument("--corpora", nargs="+", choices=CORPORA, default=CORPORA, metavar="NAME", help="all by default")
    parser.add_argument("--prepare", type=Path, metavar="FOLDER", help="write the corpora as matrices, and stop")
    parser.add_argument("--documents", type=int, metavar="N", help="use at most N documents per corpus")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="folder that --prepare wrote")
    parser.add_argument("--seeds", type=int, nargs="+", default=(1, 3, 5), help="seeds of split and fit (1 3 5)")
    parser.add_argument("--priors", nargs="+", choices=list(PRIORS), default=list(PRIORS), help=listed(list(PRIORS)))
    parser.add_argument("--processes", type=int, default=1, help="fits at the same time (1)")
    options = parser.parse_args()
    if options.prepare is not None:
        prepare(options.prepare, options.corpora, options.documents)
        return
    if options.data is not None:
        report(options)
        return
    with tempfile.TemporaryDirectory() as folder:
        options.data = Path(folder)
        prepare(options.data, options.corpora, options.documents)
        report(options)


def report(options: argparse.Namespace) -> None:
    """Print the tables."""
    groups: dict[tuple[str, int, str], list[Setting]] = {
        (corpus, topics, prior): [
            {"data": str(options.data), "corpus": corpus, "topics": topics, "prior": prior, "seed": seed}
            for seed in options.seeds
        ]
        for corpus in options.corpora
        for topics in options.topics
        for prior in options.priors
    }
    settings = [setting for group in groups.values() for setting in group]
    found = iter(Results(options.results).get_all(settings, measure, options.processes))
    print_tables({key: average([next(found) for _ in group]) for key, group in groups.items()})


def print_tables(means: dict[tuple[str, int, str], Figures]) -> None:
    """Print the tables of figures by corpus, number of topics and setting."""
    rows, ratios = [], []
    for (corpus, topics, prior), one in means.items():
        fixed = means.get((corpus, topics, FIXED))
        if fixed is None:
            continue
        ratios.append((prior, topics, _relative(one, fixed)))
        figures = [f"{one['perplexity']:,.0f}", f"{one['npmi']:.3f}", f"{one['npmi_all']:.3f}", f"{one['sweeps']:.0f}"]
        figures += [f"{one['seconds']:.1f}", *_formatted(ratios[-1][2], prior)]
        rows.append([corpus, str(topics), prior, *figures])
    relative = ["perplexity ×", "NPMI +", "NPMI, all +", "seconds ×"]
    columns = ["corpus", "K", "setting", "perplexity", "NPMI", "NPMI, all", "sweeps", "seconds", *relative]
    print_table("Priors of LDA", columns, rows)
    summary = []
    for prior in dict.fromkeys(prior for prior, _, _ in ratios if prior != FIXED):
        own = [figures for name, _, figures in ratios if name == prior]
        worst = max(one["perplexity"] for one in own)
        summary.append([prior, str(len(own)), *_formatted(average(own), prior), f"{worst:.3f}"])
    print_table("Means over corpora", ["setting", "cases", *relative, "most perplexity ×"], summary)
    ends = []
    for (corpus, topics, prior), one in means.items():
        if prior == DEFAULT and (corpus, topics, LONG) in means:
            longer = means[corpus, topics, LONG]
            loss = one["perplexity"] / longer["perplexity"] - 1
            ends.append((corpus, topics, one["sweeps"], one["ended"], loss, one["npmi"] - longer["npmi"]))
    if ends:
        columns = ["corpus", "K", "sweeps", "burn-in ended early", "perplexity beside 500 sweeps", "NPMI"]
        lines = [[name, str(k), f"{n:.0f}", f"{e:.0%}", f"{loss:+.1%}", f"{d:+.3f}"] for name, k, n, e, loss, d in ends]
        total = [mean(row[place] for row in ends) for place in range(2, 6)]
        lines.append(["mean", "", f"{total[0]:.0f}", f"{total[1]:.0%}", f"{total[2]:+.1%}", f"{total[3]:+.3f}"])
        print_table("End of burn-in", columns, lines)


def _relative(one: Figures, fixed: Figures) -> Figures:
    """Return ratios of perplexity and seconds, and differences of NPMI."""
    differences = {name: one[name] - fixed[name] for name in ("npmi", "npmi_all")}
    return differences | {name: one[name] / fixed[name] for name in ("perplexity", "seconds")}


def _formatted(one: Figures, prior: str) -> list[str]:
    if prior == FIXED:
        return [""] * 4
    return [f"{one['perplexity']:.3f}", f"{one['npmi']:+.3f}", f"{one['npmi_all']:+.3f}", f"{one['seconds']:.2f}"]


if __name__ == "__main__":
    main()
