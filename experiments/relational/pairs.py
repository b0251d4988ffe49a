"""Links of new documents from topics and pair features, compared with simple methods, on four networks.

    python experiments/relational/pairs.py --seeds 0 1 2 --results pairs.jsonl
    python experiments/relational/pairs.py --prepare networks          write all networks as matrices, in a folder
    python experiments/relational/pairs.py --data networks --jobs 16   read them there: PLAIT_DATA is not needed
    python experiments/relational/pairs.py --corpora webkb --folds 1 --sweeps 20 --chains 1                 a quick run

Documents are held out with all their links, in five folds, and their links are predicted from their words. Networks are
cora, webkb, citeseer, and the linked articles of wikipedia_vital. gRTM has plait's defaults, with 30 topics (40 on
Wikipedia); "gRTM, pair features" is the same with pair_features="auto", which reads the labels of training documents,
too; "no labels" is without them. All weights are learned from training documents. hits@10 is the share of a document's
links among its first ten suggestions, precision@10 the share of links among these ten. Cells are means over folds; ± is
the standard deviation over seeds.
"""

from __future__ import annotations

import argparse
import json
import os
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sparse
from common import N_FOLDS, Figures, Results, Setting, add_schedule, cells, fit_seconds, options_parser, print_table
from common import schedule as schedule_of
from contestants import VOTERS, load_code, votes_name
from threadpoolctl import threadpool_limits

from experiments.results import average
from plait import Corpus, RelationalTopicModel
from plait.baselines import KnnVotes, LdaLogistic, LsaBilinear, TfidfCosine, VarRTM
from plait.metrics import score_link_ranks, split_documents, undirected_links

NETWORKS = ("cora", "webkb", "citeseer", "wikipedia_vital")
TOPICS = {"wikipedia_vital": 40}  # 30 elsewhere
COLUMNS = ("link rank", "AUC", "hits@10", "precision@10", "training s")
# What pair features must reach: link rank, AUC, hits@10. On Wikipedia they must not be behind any simple method.
BARS = {"cora": (190, 0.915, 0.36), "webkb": (62, 0.915, 0.50), "citeseer": (125, 0.958, 0.57)}
PAIRED = "gRTM, pair features"
UNLABELLED = f"{PAIRED}, no labels"
_MATRICES = ("counts", "links")  # of a Network
MATRICES = "PLAIT_NETWORKS"  # variable that tells the processes of --jobs the folder of --data


class Network(NamedTuple):
    """Word counts, links, row to column, and labels of each document, if there are some."""

    counts: sparse.csr_array
    links: sparse.csr_array
    labels: tuple[tuple[str, ...], ...] | None


def read_network(name: str) -> Network:
    """Return a network of PLAIT_DATA; of wikipedia_vital, the articles with links to other articles."""
    from data import load

    corpus = load(name)
    links = sparse.csr_array(corpus.links)
    rows = (
        np.flatnonzero(np.diff(undirected_links(links).indptr)) if name == "wikipedia_vital" else np.arange(len(corpus))
    )
    labels = tuple(corpus.labels[row] for row in rows) if corpus.labels else None
    return Network(sparse.csr_array(corpus.counts[rows]), sparse.csr_array(links[rows][:, rows]), labels)


@lru_cache(maxsize=1)
def load_network(name: str) -> Network:
    """Return a network of the folder of matrices, or of PLAIT_DATA without one."""
    folder = os.environ.get(MATRICES)
    if folder is None:
        return read_network(name)
    counts, links = (sparse.csr_array(sparse.load_npz(Path(folder, f"{name}_{part}.npz"))) for part in _MATRICES)
    labels = json.loads(Path(folder, f"{name}_labels.json").read_text())
    return Network(counts, links, labels and tuple(tuple(names) for names in labels))


def prepare(folder: Path, names: list[str]) -> None:
    """Write networks as matrices."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        network = read_network(name)
        for part in _MATRICES:
            sparse.save_npz(folder / f"{name}_{part}.npz", getattr(network, part))
        (folder / f"{name}_labels.json").write_text(json.dumps(network.labels))


def baselines(topics: int, *, slow: bool) -> dict[str, Any]:
    """Return the simple methods by their names in tables; the slow ones have topics or are variational."""
    from plait import LDA

    found: dict[str, Any] = {"TF-IDF cosine": TfidfCosine(), "TF-IDF cosine, 1 hop": TfidfCosine(hops=1)}
    found["TF-IDF cosine, 2 hops"] = TfidfCosine(hops=2)
    found |= {votes_name(k, itself): KnnVotes(k=k, itself=itself) for k in VOTERS for itself in (False, True)}
    found |= {"LSA-50 + diagonal logistic": LsaBilinear(full=False), "LSA-50 + full logistic": LsaBilinear()}
    if slow:
        found["LDA + logistic"] = LdaLogistic(LDA(topics, random_state=0, verbose=False))
        found["Var-RTM"] = VarRTM(topics)
    return found


def measure(setting: Setting) -> Figures:
    """Return the figures of a method on a fold, measured with one thread."""
    given = dict(setting)
    network = load_network(given.pop("network"))
    with threadpool_limits(1):
        load_code()
        return _figures(network, **given)


def _figures(network: Network, *, fold: int, method: str, topics: int, **given: Any) -> Figures:
    training, held_out = split_documents(network.links.shape[0], N_FOLDS)[fold]
    counts, links = network.counts[training], sparse.csr_array(network.links[training][:, training])
    if method.startswith("gRTM"):
        model = RelationalTopicModel(topics, verbose=False, **given)
        known = network.labels if method == PAIRED else None
        labels = None if known is None else [known[row] for row in training]
        seconds = fit_seconds(model, Corpus.from_matrix(counts, links=links, labels=labels))
    else:
        model = baselines(topics, slow=True)[method]
        seconds = fit_seconds(model, counts, links)
    wanted = undirected_links(network.links)[held_out][:, training]
    found = score_link_ranks(model.score_links(network.counts[held_out]), wanted, hits=[10])
    n_ranked = found.n_documents - found.n_without_links
    return {
        "link rank": found.link_rank,
        "AUC": found.auc,
        "hits@10": found.hits[10],
        "precision@10": found.hits[10] * found.n_links / (10 * n_ranked),
        "training s": seconds,
    }


def contestants(name: str, options: argparse.Namespace) -> dict[str, list[Setting]]:
    """Return the settings of each method, one per seed."""
    topics = options.topics[0] if options.topics else TOPICS.get(name, 30)
    common = {"network": name, "topics": topics}
    found = {method: [common | {"method": method}] for method in baselines(topics, slow=options.slow)}
    auto = {"pair_features": "auto"}
    for method, given in {"gRTM": {"pair_features": None}, UNLABELLED: auto, PAIRED: auto}.items():
        own = common | {"method": method} | given | schedule_of(options)
        found[method] = [own | {"random_state": seed} for seed in options.seeds]
    return {
        method: settings for method, settings in found.items() if options.methods is None or method in options.methods
    }


def tables(options: argparse.Namespace) -> dict[str, list[list[str]]]:
    """Measure all methods on all networks at once; return the rows of a table per network."""
    compared = {name: contestants(name, options) for name in options.corpora}
    # Those that take longest come first, so that no process is left alone with them at the end.
    order = sorted(options.corpora, key=lambda name: name != "wikipedia_vital")
    settings = [
        setting | {"fold": fold}
        for name in order
        for own in reversed(compared[name].values())
        for setting in own
        for fold in range(options.folds)
    ]
    figures = iter(Results(options.results).get_all(settings, measure, options.jobs))
    shown: dict[str, list[list[str]]] = {}
    for name in order:
        rows = []
        for method, own in reversed(compared[name].items()):
            seeds = [average(next(figures) for _ in range(options.folds)) for _ in own]
            rows.append([method, *cells(seeds, COLUMNS)])
        bar = [["bar", *(f"{bar:g}" for bar in BARS[name]), "", ""]] if name in BARS else []
        shown[name] = rows[::-1] + bar
    return shown


def main() -> None:
    parser = options_parser(__doc__ or "", topics=None)
    parser.add_argument("--corpora", nargs="+", choices=NETWORKS, default=list(NETWORKS), help="which networks (all)")
    parser.add_argument("--seeds", type=int, nargs="+", help="several seeds, instead of --seed")
    parser.add_argument("--methods", nargs="+", help="names of methods in the table (all)")
    parser.add_argument("--slow", action="store_true", help="also LDA + logistic and Var-RTM")
    parser.add_argument("--prepare", type=Path, metavar="FOLDER", help="write the networks as matrices, and stop")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="read the networks from such a folder")
    add_schedule(parser)
    options = parser.parse_args()
    options.seeds = options.seeds or [options.seed]
    if options.prepare is not None:
        prepare(options.prepare, options.corpora)
        return
    if options.data is not None:
        os.environ[MATRICES] = str(options.data.resolve())
    found = tables(options)
    for name in options.corpora:
        title = f"{name}: mean over the first {options.folds} of {N_FOLDS} folds, {len(options.seeds)} seed(s)"
        print_table(title, ["method", *COLUMNS], found[name])


if __name__ == "__main__":
    main()
