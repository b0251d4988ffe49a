"""Seconds per sweep of two versions of plait, in turns: this one and one that another Python imports.

    python benchmarks/versions.py /path/to/other/.venv/bin/python
    python benchmarks/versions.py OTHER --cases lda:20:1 medlda:40:2 --turns 9

A case is model:topics:threads. Each turn is its own process and gives the median seconds of its sweeps; the table has
the median over the turns of each version and the median of the ratios of neighbouring turns. Above 1, this version is
slower. Corpora: 20 Newsgroups for LDA and MedLDA, cora for models with links; PLAIT_DATA names their folder.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
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
estimators = {
    "lda": lambda: plait.LDA(n_topics, alpha=0.1, beta=0.01, **settings),
    "medlda": lambda: plait.MedLDA(n_topics, **with_responses, **topics_alone),
    "relational": lambda: plait.RelationalTopicModel(n_topics, weights_every=1, **with_responses),
    "linked": lambda: plait.LinkedLDA(n_topics, **settings),
}
folder = "20news_bydate" if model in ("lda", "medlda") else "cora"
corpus = plait.read_corpus(f"{data}/{folder}", on_error="skip")
seconds = [record.seconds for record in estimators[model]().fit(corpus).history_]
print(median(after - before for before, after in zip(seconds[2:], seconds[3:])))
"""


def turn(python: str, case: str, n_sweeps: int, data: str) -> float:
    """Return the median seconds of a sweep in a new process."""
    model, n_topics, n_jobs = case.split(":")
    command = [python, "-c", _TURN, model, n_topics, n_jobs, str(n_sweeps), data]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parent)
    if done.returncode:
        raise RuntimeError(f"{case} with {python} failed:\n{done.stderr}")
    return float(done.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", help="Python that imports the other version")
    parser.add_argument("--cases", nargs="+", default=_CASES, metavar="MODEL:TOPICS:THREADS")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--sweeps", type=int, default=40)
    options = parser.parse_args()
    data = os.environ.get("PLAIT_DATA")
    if data is None:
        parser.error("set PLAIT_DATA to the folder of corpora")
    data = str(Path(data).resolve())
    rows = []
    for case in options.cases:
        seconds: list[tuple[float, float]] = []
        for number in range(options.turns):
            say(f"{case}, turn {number + 1}")
            # Each version is first in every second turn.
            pythons = [options.other, sys.executable]
            times = {python: turn(python, case, options.sweeps, data) for python in pythons[:: (-1) ** number]}
            seconds.append((times[options.other], times[sys.executable]))
        other, ours = (median(times) for times in zip(*seconds, strict=True))
        ratios = sorted(mine / theirs for theirs, mine in seconds)
        rows.append(
            [
                case,
                f"{other * 1000:.1f}",
                f"{ours * 1000:.1f}",
                f"{median(ratios):.2f}",
                f"{ratios[0]:.2f}–{ratios[-1]:.2f}",
            ]
        )
    print_table("Milliseconds per sweep", ["Case", "Other", "This", "Ratio", "Range"], rows)


if __name__ == "__main__":
    main()
