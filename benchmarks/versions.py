"""Seconds of two versions of plait, in turns: this one and one that another Python imports.

    python benchmarks/versions.py /path/to/other/.venv/bin/python
    python benchmarks/versions.py OTHER --cases lda:20:1 medlda:40:2 --turns 9
    python benchmarks/versions.py OTHER --defaults cora:20 cora:50

A case is model:topics:threads. Each turn is its own process and gives the median seconds of its sweeps; the table has
the median over the turns of each version and the median of the ratios of neighbouring turns. Above 1, this version is
slower. Corpora: 20 Newsgroups for LDA and MedLDA, cora for models with links; PLAIT_DATA names their folder.

--defaults compares whole fits of LDA, corpus:topics, in which each version has its own default priors, sampler and
burn-in. A turn gives the processor seconds of its second fit in one thread, after the kernels are compiled.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from tables import print_table, say

_CASES = ("lda:20:1", "lda:100:1", "medlda:40:2", "relational:20:2", "linked:20:1")
# Only names that both versions have; run in the other environment, too.
_TURN = """
import sys, warnings
from statistics import median
import plait
warnings.simplefilter("ignore")
model, n_topics, n_jobs, n_sweeps, data = sys.argv[1], *map(int, sys.argv[2:5]), sys.argv[5]
settings = dict(n_sweeps=n_sweeps, n_samples=1, tolerance=0, random_state=0, verbose=False, n_jobs=n_jobs)
with_responses = settings | dict(n_chains=1)
given = dict(c=16.0, class_weight=None, threshold=0.0, features=None)  # topics alone, as in versions without features
topics_alone = {name: value for name, value in given.items() if name in plait.MedLDA().get_params()}
no_pair_features = {name: None for name in ("pair_features",) if name in plait.RelationalTopicModel().get_params()}
estimators = {
    "lda": lambda: plait.LDA(n_topics, alpha=0.1, beta=0.01, **settings),
    "medlda": lambda: plait.MedLDA(n_topics, **with_responses, **topics_alone),
    "relational": lambda: plait.RelationalTopicModel(n_topics, weights_every=1, **with_responses, **no_pair_features),
    "linked": lambda: plait.LinkedLDA(n_topics, **settings),
}
folder = "20news_bydate" if model in ("lda", "medlda") else "cora"
corpus = plait.read_corpus(f"{data}/{folder}", on_error="skip")
seconds = [record.seconds for record in estimators[model]().fit(corpus).history_]
print(median(after - before for before, after in zip(seconds[2:], seconds[3:])))
"""
_WHOLE_FIT = """
import sys, time, warnings
import plait
warnings.simplefilter("ignore")
corpus = plait.read_corpus(f"{sys.argv[3]}/{sys.argv[1]}", on_error="skip")
for seed in (0, 1):
    start = time.process_time()
    plait.LDA(int(sys.argv[2]), random_state=seed, n_jobs=1, verbose=False).fit(corpus)
print(time.process_time() - start)
"""


def turn(python: str, case: str, code: str, options: Sequence[str]) -> float:
    """Return the seconds that the code prints for a case in a new process."""
    command = [python, "-c", code, *case.split(":"), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parent)
    if done.returncode:
        raise RuntimeError(f"{case} with {python} failed:\n{done.stderr}")
    return float(done.stdout.splitlines()[-1])


def compare(options: argparse.Namespace, case: str, code: str, arguments: Sequence[str]) -> list[str]:
    """Return a row of the table: median milliseconds of both versions, median and range of their ratios."""
    seconds: list[tuple[float, float]] = []
    for number in range(options.turns):
        say(f"{case}, turn {number + 1}")
        # Each version is first in every second turn.
        pythons = [options.other, sys.executable]
        times = {python: turn(python, case, code, arguments) for python in pythons[:: (-1) ** number]}
        seconds.append((times[options.other], times[sys.executable]))
    other, ours = (median(times) for times in zip(*seconds, strict=True))
    ratios = sorted(mine / theirs for theirs, mine in seconds)
    spread = f"{ratios[0]:.2f}–{ratios[-1]:.2f}"
    return [case, f"{other * 1000:.1f}", f"{ours * 1000:.1f}", f"{median(ratios):.2f}", spread]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", help="Python that imports the other version")
    parser.add_argument("--cases", nargs="+", default=_CASES, metavar="MODEL:TOPICS:THREADS")
    parser.add_argument("--defaults", nargs="+", metavar="CORPUS:TOPICS", help="whole fits of LDA instead")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--sweeps", type=int, default=40)
    options = parser.parse_args()
    data = os.environ.get("PLAIT_DATA")
    if data is None:
        parser.error("set PLAIT_DATA to the folder of corpora")
    data = str(Path(data).resolve())
    columns = ["Case", "Other", "This", "Ratio", "Range"]
    if options.defaults:
        rows = [compare(options, case, _WHOLE_FIT, [data]) for case in options.defaults]
        print_table("Processor milliseconds of a fit with default settings", columns, rows)
        return
    rows = [compare(options, case, _TURN, [str(options.sweeps), data]) for case in options.cases]
    print_table("Milliseconds per sweep", columns, rows)


if __name__ == "__main__":
    main()
