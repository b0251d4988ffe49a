"""Which priors LDA should have by default: fixed α and β, or learned ones, on every corpus of PLAIT_DATA.

    PLAIT_DATA=... python experiments/priors/defaults.py                       the table
    PLAIT_DATA=... python experiments/priors/defaults.py --prepare counts/     the corpora as matrices, for --data

Each corpus is read with the default text options. 30 % of its documents are held out. They give the perplexity
(document completion) and the NPMI of the ten most probable words of each topic. Seconds are those of the fit on one
thread. The table has the mean over seeds and, in its last lines, over corpora: the ratio to the fixed priors of
perplexity and seconds, the difference of NPMI.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

import numpy as np
import scipy.sparse as sparse

sys.path.insert(0, str(Path(__file__).parents[2]))  # shared modules, when the script is run directly

from benchmarks.tables import print_table, say
from experiments.options import base_parser, listed
from experiments.results import Figures, Results, Setting, average
from plait import LDA, read_corpus
from plait.metrics import coherence

CORPORA = (
    "cora", "cora_rtm", "citeseer", "webkb", "20news_matlab", "20news_bydate", "reuters21578", "bibtex",
    "wikipedia_vital", "sotu", "uci_kos",
)  # fmt: skip
PRIORS: dict[str, dict[str, bool]] = {
    "fixed": {},
    "learn α": {"learn_alpha": True},
    "learn β": {"learn_beta": True},
    "learn both": {"learn_alpha": True, "learn_beta": True},
}
HELD_OUT = 0.3


def prepare(folder: Path, corpora: Sequence[str]) -> None:
    """Write the counts and words of corpora."""
    from experiments.folders import folder as corpus_folder

    folder.mkdir(parents=True, exist_ok=True)
    for name in corpora:
        corpus = read_corpus(corpus_folder(name), on_error="skip")
        sparse.save_npz(folder / f"{name}.npz", sparse.csr_matrix(corpus.counts))
        (folder / f"{name}.json").write_text(json.dumps(list(corpus.vocabulary)), encoding="utf-8")
        say(f"{name}: {corpus.counts.shape[0]:,} documents, {int(corpus.counts.sum()):,} tokens")


def measure(setting: Setting) -> Figures:
    """Fit one model and judge it on held-out documents."""
    path = Path(setting["data"], f"{setting['corpus']}.npz")
    counts = sparse.csr_array(sparse.load_npz(path))
    words = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    held_out = np.random.default_rng(setting["seed"]).random(counts.shape[0]) < HELD_OUT
    training, judged = counts[~held_out], counts[held_out]
    model = LDA(
        setting["topics"],
        random_state=setting["seed"],
        vocabulary=words,
        n_jobs=1,
        verbose=False,
        **PRIORS[setting["prior"]],
    )
    start = time.perf_counter()
    model.fit(training)
    seconds = time.perf_counter() - start
    top = [[words[word] for word in row] for row in np.argsort(-model.topic_word_, axis=1)[:, :10]]
    return {
        "perplexity": model.perplexity(judged),
        "npmi": float(coherence(top, judged, words).mean()),
        "seconds": seconds,
        "sweeps": model.n_sweeps_,
    }


def main() -> None:
    """Measure all settings and print the table."""
    parser = base_parser(__doc__ or "", (20, 100))
    parser.add_argument("--corpora", nargs="+", choices=CORPORA, default=CORPORA, metavar="NAME", help="all by default")
    parser.add_argument("--prepare", type=Path, metavar="FOLDER", help="write the corpora as matrices, and stop")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="folder that --prepare wrote")
    parser.add_argument("--seeds", type=int, nargs="+", default=(0, 1, 2), help="seeds of split and fit (0 1 2)")
    parser.add_argument("--priors", nargs="+", choices=list(PRIORS), default=list(PRIORS), help=listed(list(PRIORS)))
    parser.add_argument("--processes", type=int, default=1, help="fits at the same time (1)")
    options = parser.parse_args()
    if options.prepare is not None:
        prepare(options.prepare, options.corpora)
        return
    if options.data is not None:
        report(options)
        return
    with tempfile.TemporaryDirectory() as folder:
        options.data = Path(folder)
        prepare(options.data, options.corpora)
        report(options)


def report(options: argparse.Namespace) -> None:
    """Print a line per corpus, number of topics and prior."""
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
    means = {key: average([next(found) for _ in group]) for key, group in groups.items()}
    rows = [
        [corpus, str(topics), prior, f"{one['perplexity']:,.1f}", f"{one['npmi']:.3f}", f"{one['seconds']:.1f}"]
        for (corpus, topics, prior), one in means.items()
    ]
    for prior in options.priors:
        pairs = [(one, means[corpus, topics, "fixed"]) for (corpus, topics, own), one in means.items() if own == prior]
        ratios = [one["perplexity"] / fixed["perplexity"] for one, fixed in pairs]
        gain = mean(one["npmi"] - fixed["npmi"] for one, fixed in pairs)
        slower = mean(one["seconds"] / fixed["seconds"] for one, fixed in pairs)
        rows.append(
            ["mean", "", prior, f"× {mean(ratios):.3f}, most {max(ratios):.3f}", f"{gain:+.3f}", f"× {slower:.2f}"]
        )
    print_table("Priors of LDA", ["corpus", "K", "prior", "perplexity", "NPMI", "seconds"], rows)


if __name__ == "__main__":
    main()
