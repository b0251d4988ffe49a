"""Fuzz the readers and the command line: `make fuzz N=10000`, or `python -m tests.fuzz.run --cases 10000`."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.fuzz.case import Case
from tests.fuzz.formats import FORMATS
from tests.fuzz.generate import make_case
from tests.fuzz.pool import MEMORY, SECONDS, run_all
from tests.fuzz.summary import Summary

REPORT_EVERY = 20.0


def cases_of(number: int, seed: int, formats: list[str]) -> Iterator[Case]:
    """Yield cases, the formats in turn.

    Parameters
    ----------
    number : int
        Number of cases.
    seed : int
        Seed.
    formats : list of str
        Names of formats.

    Yields
    ------
    Case
        A case.
    """
    for place in range(number):
        yield make_case(formats[place % len(formats)], seed, place // len(formats))


def _chosen(arguments: argparse.Namespace) -> list[Case]:
    chosen = [Case.from_json(path.read_text(encoding="utf-8")) for path in arguments.replay]
    for name in arguments.case:
        kind, seed, number = name.split("/")
        chosen.append(make_case(kind, int(seed), int(number)))
    return chosen


def main() -> int:
    """Run the cases that the command line asks for; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000, help="number of cases")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--format", choices=FORMATS, action="append", help="only this format; can be repeated")
    parser.add_argument("--case", default=[], action="append", metavar="FORMAT/SEED/NUMBER", help="run one case again")
    parser.add_argument("--replay", type=Path, default=[], action="append", metavar="CASE.json", help="run a kept case")
    parser.add_argument("--keep", type=Path, help="folder for the inputs of failures")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="number of child processes")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="time limit of a case")
    parser.add_argument("--memory", type=int, default=MEMORY, help="memory limit of a case in bytes")
    arguments = parser.parse_args()
    chosen = _chosen(arguments)
    total = len(chosen) or arguments.cases
    cases = chosen or cases_of(arguments.cases, arguments.seed, arguments.format or list(FORMATS))
    summary = Summary(arguments.keep)
    start = reported = time.monotonic()
    limits = {"seconds": arguments.seconds, "memory": arguments.memory}
    for done, (case, outcome) in enumerate(run_all(cases, min(arguments.jobs, total), **limits), start=1):
        summary.add(case, outcome)
        if chosen:
            print(f"{case.name}: {case.description[:200]!a}\n    {outcome.kind}: {outcome.detail!a}")
        if time.monotonic() - reported > REPORT_EVERY:
            reported = time.monotonic()
            print(f"{done:,} of {total:,} cases, {summary.failures} failures, {reported - start:.0f} s", flush=True)
    print("\n" + "\n".join([*summary.groups(), summary.table()]))
    return 1 if summary.failures else 0


if __name__ == "__main__":
    sys.exit(main())
