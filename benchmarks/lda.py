"""LDA compared with other packages on one core: speed, held-out perplexity, memory, threads, fold-in, start-up time.

    python benchmarks/lda.py                      plait and tomotopy
    python benchmarks/lda.py --peers all          and topica, gensim, scikit-learn
    python benchmarks/lda.py --documents 1000 --sweeps 10 --repeats 1       a quick run
    python benchmarks/lda.py --curve 10,30,100    perplexity against seconds: one turn for each number of sweeps

All packages get the same counts and priors (α = 0.1 per topic, β = 0.01, not learned) and run in turns, each turn in
its own process; speed is that of the best turn. The same code computes all perplexities: φ of each package's last state
is passed to plait's `FoldIn`, half of each test document's tokens are folded in (20 sweeps), the other half is
predicted. The halves and the random numbers are the same for all.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import mean

import numpy as np
import scipy.sparse as sparse
from contestants import ALPHA, BETA, CONTESTANTS, Contestant
from corpora import NAME, BenchmarkCorpus, benchmark_corpus
from startup import startup_seconds
from tables import print_table, say
from worker import Turn, run_turn

from plait.engine.fold_in import FoldIn
from plait.engine.sample import Sample
from plait.executors import Threads
from plait.metrics import completion_perplexity, unigram_perplexity

_FOLD_IN_SWEEPS = 20
_OURS, _TWO_THREADS, _RIVAL = "plait", "plait, 2 threads", "tomotopy"


@dataclass
class Result:
    """All turns of one package with one number of topics."""

    contestant: Contestant
    n_topics: int
    turns: list[Turn] = field(default_factory=list)
    perplexities: list[float] = field(default_factory=list)
    first_topic_word: np.ndarray | None = None

    @property
    def speed(self) -> float:
        """Tokens per second in the best turn."""
        return max(turn.tokens_per_second for turn in self.turns)


Results = dict[tuple[str, int], Result]


def as_fold_in(topic_word: np.ndarray, alpha: np.ndarray | None = None) -> FoldIn:
    """Return plait's fold-in for a given φ: a sample whose counts are φ, without smoothing; α is `ALPHA` if None."""
    alpha = np.full(topic_word.shape[0], ALPHA) if alpha is None else alpha
    return FoldIn([Sample(sparse.csr_array(topic_word.T), alpha, 0.0)], real=False, seed=0)


def measure(corpus: BenchmarkCorpus, contestants: list[Contestant], options: argparse.Namespace) -> Results:
    """Run the packages in turns."""
    results: Results = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        corpus.save(folder)
        for n_topics in options.topics:
            for turn_number in range(options.repeats):
                for contestant in contestants:
                    if contestant.once and turn_number:
                        continue
                    result = results.setdefault((contestant.name, n_topics), Result(contestant, n_topics))
                    turn, topic_word = run_turn(folder, contestant.name, n_topics, options.sweeps, turn_number)
                    result.turns.append(turn)
                    result.perplexities.append(_perplexity(topic_word, corpus))
                    if result.first_topic_word is None:
                        result.first_topic_word = topic_word
                    speed = turn.tokens_per_second / 1e6
                    say(f"{n_topics} topics, turn {turn_number + 1}: {contestant.name} {speed:.1f} M tokens/s")
    return results


def _perplexity(topic_word: np.ndarray, corpus: BenchmarkCorpus) -> float:
    return completion_perplexity(as_fold_in(topic_word), corpus.test, _FOLD_IN_SWEEPS, Threads()).perplexity


def measure_curve(corpus: BenchmarkCorpus, contestants: list[Contestant], options: argparse.Namespace) -> list[dict]:
    """Return seconds and perplexity of every package after each number of sweeps, measured in turns."""
    points = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        corpus.save(folder)
        for n_topics in options.topics:
            for n_sweeps in options.curve:
                for contestant in contestants:
                    turn, topic_word = run_turn(folder, contestant.name, n_topics, n_sweeps, 0)
                    perplexity = _perplexity(topic_word, corpus)
                    # The first sweep is not timed: it is given the mean time of the others.
                    seconds = turn.seconds * n_sweeps / turn.timed_sweeps
                    speed, memory = turn.tokens_per_second / 1e6, (turn.peak_bytes or 0) / 1e6
                    points.append(
                        {"topics": n_topics, "contestant": contestant.name, "sweeps": n_sweeps, "seconds": seconds,
                         "speed": speed, "perplexity": perplexity, "memory": memory}
                    )  # fmt: skip
                    say(f"{n_topics} topics, {n_sweeps} sweeps: {contestant.name} {seconds:.1f} s, {perplexity:,.0f}")
    return points


def show_curve(corpus: BenchmarkCorpus, points: list[dict]) -> None:
    """Print a table per number of topics."""
    print(f"\n{corpus}\n{machine()}")
    for n_topics in dict.fromkeys(point["topics"] for point in points):
        rows = [
            [point["contestant"], str(point["sweeps"]), f"{point['seconds']:.1f}", f"{point['perplexity']:,.0f}",
             f"{point['speed']:.2f}", f"{point['memory']:,.0f}"]
            for point in sorted(points, key=lambda point: point["contestant"])
            if point["topics"] == n_topics
        ]  # fmt: skip
        columns = ["", "sweeps", "seconds", "perplexity", "M tokens/s", "peak memory, MB"]
        print_table(f"{n_topics} topics", columns, rows)


def show(corpus: BenchmarkCorpus, results: Results, options: argparse.Namespace) -> None:
    """Print a table per number of topics."""
    _, held_out = as_fold_in(np.full((1, corpus.test.shape[1]), 1 / corpus.test.shape[1])).halve(corpus.test)
    baseline = unigram_perplexity(np.asarray(corpus.train.sum(axis=0)).ravel(), held_out, BETA).perplexity
    print(f"\n{corpus}\n{machine()}\nperplexity of the word frequencies alone: {baseline:,.0f}")
    for n_topics in options.topics:
        rows = [_row(result, results.get((_RIVAL, n_topics)), options.sweeps) for result in _with(results, n_topics)]
        print_table(
            f"{n_topics} topics, best of {options.repeats} turn(s)",
            ["", "M tokens/s", f"relative to {_RIVAL}", "sweeps", "perplexity", "peak memory, MB"],
            rows,
        )


def _with(results: Results, n_topics: int) -> list[Result]:
    return [result for (_, topics), result in results.items() if topics == n_topics]


def _row(result: Result, rival: Result | None, sweeps: int) -> list[str]:
    peak = max((turn.peak_bytes or 0) for turn in result.turns)
    return [
        f"{result.contestant.name} ({result.contestant.version()})",
        f"{result.speed / 1e6:.2f}",
        f"{result.speed / rival.speed:.2f}" if rival else "",
        "1 pass" if result.contestant.variational else str(sweeps),
        f"{mean(result.perplexities):,.0f}",
        f"{peak / 1e6:,.0f}" if peak else "",
    ]


def ratios(results: Results, topics: list[int]) -> dict[str, dict[int, float]]:
    """Return the speed of two threads and of fold-in relative to training with one thread, per number of topics."""
    found: dict[str, dict[int, float]] = {"two threads against one": {}, "fold-in tokens/s against training": {}}
    for n_topics in topics:
        ours, two = results.get((_OURS, n_topics)), results.get((_TWO_THREADS, n_topics))
        if ours is None or two is None:  # --peers named others of plait
            continue
        assert ours.first_topic_word is not None
        if not np.array_equal(ours.first_topic_word, two.first_topic_word):
            raise RuntimeError(f"{n_topics} topics: two threads learned another model than one thread; this is a bug")
        fold_in = max(turn.fold_in_tokens_per_second or 0.0 for turn in ours.turns)
        found["two threads against one"][n_topics] = two.speed / ours.speed
        found["fold-in tokens/s against training"][n_topics] = fold_in / ours.speed
    return found


def machine() -> str:
    """Return a description of the machine."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{platform.machine()}, {cores} cores, Python {platform.python_version()}"


def warn_if_busy() -> None:
    """Warn if the machine is busy, because this lowers every figure."""
    if hasattr(os, "getloadavg") and os.getloadavg()[0] > 0.5:
        say(f"this machine is busy (load {os.getloadavg()[0]:.1f}): the figures will be too low")


def chosen(peers: str) -> list[Contestant]:
    """Return plait and the requested packages; report those that are not installed.

    If some of plait's contestants are named, the others are left out.
    """
    wanted = set(CONTESTANTS) if peers == "all" else {name.strip() for name in peers.split(";") if name.strip()}
    ours = {name for name in wanted if name.startswith(_OURS)}
    packages = {contestant.package for contestant in CONTESTANTS.values()}
    if unknown := wanted - packages - set(CONTESTANTS):
        raise SystemExit(f"there is no peer {unknown.pop()!r}; there are {', '.join(sorted(packages - {'plait'}))}")
    selected = []
    for contestant in CONTESTANTS.values():
        if contestant.package == _OURS:
            wants = not ours or contestant.name in ours
        else:
            wants = bool({contestant.name, contestant.package} & wanted)
        if not wants:
            continue
        if contestant.is_installed():
            selected.append(contestant)
        else:
            say(f"{contestant.package} is not installed and is skipped: pip install 'plait[bench]'")
    return selected


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    numbers = lambda text: [int(part) for part in text.split(",")]  # noqa: E731
    parser.add_argument("--topics", type=numbers, default=[20, 100], help="numbers of topics (20,100)")
    parser.add_argument("--sweeps", type=int, default=100, help="sweeps of every sampler, at least 3 (100)")
    parser.add_argument("--repeats", type=int, default=3, help="turns of every package (3)")
    parser.add_argument(
        "--peers", default=_RIVAL, help=f"names of packages or contestants, separated by semicolons, or all ({_RIVAL})"
    )
    parser.add_argument("--curve", type=numbers, help="numbers of sweeps: print perplexity against seconds only")
    parser.add_argument("--corpus", default=NAME, help=f"folder of PLAIT_DATA ({NAME})")
    parser.add_argument("--test-documents", type=int, help="maximum number of test documents (all)")
    parser.add_argument("--documents", type=int, help="maximum number of training and of test documents (all)")
    parser.add_argument("--json", type=Path, help="also write every figure to this file")
    options = parser.parse_args()
    if min(options.curve or [options.sweeps]) < 3 or options.repeats < 1:
        parser.error("--sweeps must be at least 3 (the first ones are not timed), --repeats at least 1")
    return options


def main() -> None:
    options = parse_options()
    warn_if_busy()
    corpus = benchmark_corpus(options.documents, options.corpus, options.test_documents)
    say(str(corpus))
    if options.curve:
        points = measure_curve(corpus, chosen(options.peers), options)
        show_curve(corpus, points)
        if options.json:
            options.json.write_text(json.dumps(points, indent=2) + "\n", encoding="utf-8")
        return
    results = measure(corpus, chosen(options.peers), options)
    start = startup_seconds(options.repeats)
    shares = ratios(results, options.topics)
    show(corpus, results, options)
    rows = [
        [name, *(f"{ratio:.2f}" for ratio in by_topics.values())] for name, by_topics in shares.items() if by_topics
    ]
    if rows:
        print_table("plait against itself", ["", *(f"{n} topics" for n in options.topics)], rows)
    print_table("starting up", ["", "seconds"], [[name, f"{seconds:.2f}"] for name, seconds in start.items()])
    if options.json:
        figures = {
            "corpus": str(corpus),
            "machine": machine(),
            "versions": {result.contestant.package: result.contestant.version() for result in results.values()},
            "turns": [asdict(turn) for result in results.values() for turn in result.turns],
            "perplexities": [
                {"contestant": name, "n_topics": n_topics, "perplexities": result.perplexities}
                for (name, n_topics), result in results.items()
            ],
            "ratios": shares,
            "startup_seconds": start,
        }
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
