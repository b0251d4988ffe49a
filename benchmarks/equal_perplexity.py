"""Seconds to the held-out perplexity that a rival has after 200 sweeps: one thread, in turns, one judge.

    python benchmarks/equal_perplexity.py                          20, 100 and 1,000 topics, all contestants
    python benchmarks/equal_perplexity.py --topics 20 --turns 3    medians of three turns with other seeds
    python benchmarks/equal_perplexity.py --defaults --turns 3     each package with its own default priors
    python benchmarks/equal_perplexity.py --plot curves.svg        also a plot of perplexity against seconds

In a turn, tomotopy makes 200 sweeps, and its perplexity is the target. Every other contestant then runs until two
checks in a row are not above the target; its seconds are those at the first of the two. topica cannot continue a fit,
so it is fitted again with more and more sweeps, and one check is enough.

With --defaults every package learns the priors that it learns by default, from its default values: plait α and β,
tomotopy and topica α. plait is fitted like topica then, as `LDA(n_topics)` with more and more sweeps and one sample.

Counts, test documents, the judge and, without --defaults, the priors are those of lda.py. Seconds are processor time of
the sweeps, with the time to set them up and without the checks, so that other programs on the machine change them less.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

import numpy as np
import scipy.sparse as sparse
from contestants import ALPHA, BETA, documents_of_words, in_columns
from corpora import NAME, benchmark_corpus, load_part
from lda import as_fold_in, machine
from tables import print_table, say
from worker import ONE_THREAD

from plait.executors import Threads
from plait.metrics import completion_perplexity

RIVAL = "tomotopy"
_FITS = (20, 40, 70, 100, 150, 200)  # sweeps of contestants that cannot continue a fit
_FOLD_IN_SWEEPS = 20
_COLOURS = ("#888888", "#4e79a7", "#d1605e", "#f28e2b", "#59a14f", "#b07aa1")  # of the contestants

Point = tuple[int, float, np.ndarray, np.ndarray | None]  # sweeps, processor seconds, φ, and α unless it is fixed


def run_plait(
    train: sparse.csr_array, n_topics: int, seed: int, every: int, defaults: bool, sampler: str
) -> Iterator[Point]:
    """Return the states after every few sweeps, or those of fits with the default priors."""
    run = fit_plait if defaults else sweep_plait
    return run(train, n_topics, seed, every, sampler)


def sweep_plait(train: sparse.csr_array, n_topics: int, seed: int, every: int, sampler: str) -> Iterator[Point]:
    """Yield the state after every few sweeps."""
    from plait.engine.chain import Chain
    from plait.mixing import OwnDocument
    from plait.priors import SymmetricPrior
    from plait.samplers import as_sampler

    def start(counts: sparse.csr_array, threads: Threads) -> Chain:
        chain = Chain(
            counts, n_topics, mixing=OwnDocument(ALPHA), prior=SymmetricPrior(BETA), sampler=as_sampler(sampler),
            seed=seed,
        )  # fmt: skip
        chain.start(threads)
        return chain

    with Threads(1) as threads:
        start(train[:50], threads).sweep()  # compiles, or loads what is compiled
        began = time.process_time()
        chain = start(train, threads)
        seconds = time.process_time() - began
        while True:
            began = time.process_time()
            for _ in range(every):
                chain.sweep()
            seconds += time.process_time() - began
            smoothed = chain.word_topic().T + BETA
            yield chain.n_sweeps, seconds, smoothed / smoothed.sum(axis=1, keepdims=True), None


def fit_plait(train: sparse.csr_array, n_topics: int, seed: int, every: int, sampler: str) -> Iterator[Point]:
    """Yield the states of fits with more and more sweeps, with the default priors of `LDA`."""
    from plait import LDA

    def fit(sweeps: int, counts: sparse.csr_array) -> tuple[float, LDA]:
        model = LDA(
            n_topics, n_sweeps=sweeps, n_samples=1, tolerance=0, sampler=sampler, n_jobs=1,
            keep="nothing", random_state=seed, verbose=False,
        )  # fmt: skip
        began = time.process_time()
        model.fit(counts)
        return time.process_time() - began, model

    fit(20, train[:50])  # compiles, or loads what is compiled
    for sweeps in _FITS:
        seconds, model = fit(sweeps, train)
        yield sweeps, seconds, model.topic_word_, model.alpha_


def run_tomotopy(train: sparse.csr_array, n_topics: int, seed: int, every: int, defaults: bool) -> Iterator[Point]:
    """Yield the state after every few sweeps."""
    import tomotopy

    if defaults:
        model = tomotopy.LDAModel(k=n_topics, seed=seed)
    else:
        model = tomotopy.LDAModel(k=n_topics, alpha=ALPHA, eta=BETA, seed=seed)
        model.burn_in = 0
        model.optim_interval = 0
    for words in documents_of_words(train):
        model.add_doc(words)
    seconds = 0.0
    sweeps = 0
    while True:
        began = time.process_time()
        model.train(every, workers=1)
        seconds += time.process_time() - began
        sweeps += every
        learned = np.array([model.get_topic_word_dist(topic) for topic in range(n_topics)])
        topic_word = in_columns(learned, [int(word) for word in model.used_vocabs], train.shape[1])
        yield sweeps, seconds, topic_word, np.asarray(model.alpha) if defaults else None


def run_topica(
    train: sparse.csr_array, n_topics: int, seed: int, every: int, defaults: bool, sampler: str
) -> Iterator[Point]:
    """Yield the states of fits with more and more sweeps."""
    import topica

    documents = list(documents_of_words(train))
    fixed = {} if defaults else {"alpha_sum": ALPHA * n_topics, "beta": BETA, "optimize_interval": 0, "burn_in": 0}

    def fit(sweeps: int) -> tuple[float, topica.LDA]:
        model = topica.LDA(n_topics, seed=seed, sampler=sampler, **fixed)
        began = time.process_time()
        # Its one sample is taken `sample_interval` sweeps after the others.
        model.fit(documents, iters=sweeps - 1, num_samples=1, sample_interval=1, keep_theta_draws=False, progress=False)
        return time.process_time() - began, model

    overhead = fit(2)[0]  # reading the documents, and two sweeps
    for sweeps in _FITS:
        seconds, model = fit(sweeps)
        per_sweep = (seconds - overhead) / (sweeps - 2)
        learned = in_columns(np.asarray(model.topic_word), [int(word) for word in model.vocabulary], train.shape[1])
        yield sweeps, per_sweep * sweeps, learned, np.asarray(model.alpha) if defaults else None


CONTESTANTS: dict[str, Callable[..., Iterator[Point]]] = {
    RIVAL: run_tomotopy,
    "plait, plain": lambda *arguments: run_plait(*arguments, "plain"),
    "plait, synchronous": lambda *arguments: run_plait(*arguments, "synchronous"),
    "plait, auto": lambda *arguments: run_plait(*arguments, "auto"),
    "topica, sparse": lambda *arguments: run_topica(*arguments, "sparse"),
    "topica, warp": lambda *arguments: run_topica(*arguments, "warp"),
}


def race(folder: Path, name: str, n_topics: int, seed: int, options: argparse.Namespace) -> dict:
    """Run one contestant to the target, or the rival to its number of sweeps; return where it ended."""
    train, test = load_part(folder, "train"), load_part(folder, "test")
    points: list[dict] = []
    checks = 2 if name.startswith("plait") and not options.defaults else 1
    for sweeps, seconds, topic_word, alpha in CONTESTANTS[name](train, n_topics, seed, options.every, options.defaults):
        judged = completion_perplexity(as_fold_in(topic_word, alpha), test, _FOLD_IN_SWEEPS, Threads(1))
        points.append({"sweeps": sweeps, "seconds": seconds, "perplexity": judged.perplexity})
        below = [point["perplexity"] <= options.target for point in points[-checks:]]
        reached = sweeps >= options.sweeps if name == RIVAL else len(below) == checks and all(below)
        if reached:
            return {"contestant": name, "topics": n_topics, "reached": True, "points": points} | points[-checks]
        if name != RIVAL and (sweeps >= options.most_sweeps or seconds > options.most_seconds):
            break
    best = min(points, key=lambda point: point["perplexity"])
    return {"contestant": name, "topics": n_topics, "reached": False, "points": points} | best


def run_races(options: argparse.Namespace) -> list[dict]:
    """Run all contestants in turns, each in its own process."""
    results = []
    with tempfile.TemporaryDirectory() as name:
        benchmark_corpus(options.documents, options.corpus, options.test_documents).save(Path(name))
        for n_topics in options.topics:
            for seed in range(options.turns):
                target, most = options.target, options.most_seconds
                for contestant in options.contestants:
                    command = [
                        sys.executable, __file__, "--race", name, contestant, "--topics", str(n_topics),
                        "--seed", str(seed), "--target", str(target), "--sweeps", str(options.sweeps),
                        "--every", str(options.every), "--most-seconds", str(most),
                        "--most-sweeps", str(options.most_sweeps), *["--defaults"] * options.defaults,
                    ]  # fmt: skip
                    environment = os.environ | dict.fromkeys(ONE_THREAD, "1")
                    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
                    if done.returncode:
                        raise RuntimeError(f"{contestant} failed:\n{done.stderr}")
                    found = json.loads(done.stdout.splitlines()[-1]) | {"seed": seed, "target": target}
                    results.append(found)
                    if contestant == RIVAL:
                        target, most = found["perplexity"], 2 * found["seconds"]
                    said = "" if found["reached"] else ", target not reached"
                    say(
                        f"{n_topics} topics, seed {seed}: {contestant} {found['sweeps']} sweeps, "
                        f"{found['seconds']:.1f} s, perplexity {found['perplexity']:,.0f}{said}"
                    )
                    if options.json:
                        options.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    return results


def show(results: list[dict]) -> None:
    """Print a table per number of topics: medians over turns."""
    for n_topics in dict.fromkeys(result["topics"] for result in results):
        mine = [result for result in results if result["topics"] == n_topics]
        rival = {result["seed"]: result["seconds"] for result in mine if result["contestant"] == RIVAL}
        rows = []
        for name in dict.fromkeys(result["contestant"] for result in mine):
            own = [result for result in mine if result["contestant"] == name]
            reached = sum(result["reached"] for result in own)
            ratios = [result["seconds"] / rival[result["seed"]] for result in own if result["seed"] in rival]
            rows.append(
                [name, f"{median(result['sweeps'] for result in own):.0f}",
                 f"{median(result['seconds'] for result in own):.1f}", f"{median(ratios):.2f}" if ratios else "",
                 f"{median(result['perplexity'] for result in own):,.0f}", f"{reached} of {len(own)}"]
            )  # fmt: skip
        columns = ["", "sweeps", "processor seconds", f": {RIVAL}", "perplexity", "reached"]
        print_table(f"{n_topics} topics", columns, rows)


def plot(results: list[dict], path: Path) -> None:
    """Draw perplexity against processor seconds, a panel per number of topics; the first seed of each contestant."""
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot
    from matplotlib.ticker import LogLocator, NullLocator

    topics = list(dict.fromkeys(result["topics"] for result in results))
    style = {"svg.hashsalt": "plait", "svg.fonttype": "none", "font.family": "sans-serif", "legend.frameon": False}
    with mpl.rc_context(style | {"axes.spines.top": False, "axes.spines.right": False}):
        figure, panels = pyplot.subplots(
            1, len(topics), figsize=(4.5 * len(topics), 4), layout="constrained", squeeze=False
        )
        for axes, n_topics in zip(panels[0], topics, strict=True):
            for result in results:
                if result["topics"] != n_topics or result["seed"]:
                    continue
                name, points = result["contestant"], result["points"]
                style = {"color": _COLOURS[list(CONTESTANTS).index(name)], "marker": ".", "label": name}
                axes.plot([one["seconds"] for one in points], [one["perplexity"] for one in points], **style)
                if name == RIVAL:
                    axes.axhline(result["perplexity"], color="#888888", linestyle=":", linewidth=1)
            axes.set(title=f"{n_topics:,} topics", xlabel="processor seconds", xscale="log")
            axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axes.xaxis.set_major_formatter("{x:g}")
            axes.xaxis.set_minor_locator(NullLocator())
        panels[0][0].set_ylabel("held-out perplexity")
        figure.legend(*panels[0][0].get_legend_handles_labels(), loc="outside upper center", ncols=len(CONTESTANTS))
        figure.savefig(path, metadata={"Date": None})
        pyplot.close(figure)


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    numbers = lambda text: [int(part) for part in text.split(",")]  # noqa: E731
    parser.add_argument("--topics", type=numbers, default=[20, 100, 1000], help="numbers of topics (20,100,1000)")
    parser.add_argument("--sweeps", type=int, default=200, help=f"sweeps of {RIVAL} (200)")
    parser.add_argument("--turns", type=int, default=1, help="turns, with seeds from 0 (1)")
    parser.add_argument("--defaults", action="store_true", help="priors that each package learns by default")
    parser.add_argument("--every", type=int, default=10, help="sweeps between checks (10)")
    parser.add_argument("--target", type=float, default=0.0, help=f"perplexity, if {RIVAL} is not a contestant")
    parser.add_argument("--most-sweeps", type=int, default=400, help="sweeps after which a contestant gives up (400)")
    parser.add_argument("--most-seconds", type=float, default=1e9, help=f"the same; twice {RIVAL}'s seconds if it runs")
    parser.add_argument("--contestants", type=lambda text: text.split(";"), help="names; ... (all)")
    parser.add_argument("--corpus", default=NAME, help=f"folder of PLAIT_DATA ({NAME})")
    parser.add_argument("--documents", type=int, help="maximum number of training and of test documents (all)")
    parser.add_argument("--test-documents", type=int, default=2000, help="maximum number of test documents (2000)")
    parser.add_argument("--json", type=Path, help="also write every figure to this file")
    parser.add_argument("--plot", type=Path, help="also draw perplexity against seconds (needs plait[plots])")
    parser.add_argument("--race", nargs=2, help=argparse.SUPPRESS)  # one contestant, in this process
    parser.add_argument("--seed", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.contestants is None:
        # `auto` is one of the other two where both have the same priors.
        twice = ("plait, plain", "plait, synchronous") if options.defaults else ("plait, auto",)
        options.contestants = [name for name in CONTESTANTS if name not in twice]
    return options


def main() -> None:
    options = parse_options()
    if options.race:
        folder, name = options.race
        print(json.dumps(race(Path(folder), name, options.topics[0], options.seed, options)))
        return
    results = run_races(options)
    print(machine())
    show(results)
    if options.plot:
        plot(results, options.plot)


if __name__ == "__main__":
    main()
