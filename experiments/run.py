"""Run one script of the experiments and store the tables that it prints in experiments/results.

    python experiments/run.py linked_lda/table4.py --paper --seeds 0 1 2

The options after the script are the script's. A later run with the same options replaces the stored tables. `--results
FILE` of a script is not part of them, because it does not change the tables; the time of a run that finds figures in
FILE is not recorded.
`python experiments/pages.py` then puts them into the pages of the documentation.
"""

from __future__ import annotations

import argparse
import runpy
import shlex
import sys
import time
from collections.abc import Sequence
from contextlib import chdir
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # shared modules, when this file is run directly

from benchmarks.tables import Table, printed_tables, say
from experiments.stored import FOLDER, ROOT, store


def run_script(script: str, options: Sequence[str]) -> tuple[list[Table], float]:
    """Run a script as `python experiments/SCRIPT OPTIONS` does; return its tables and the seconds that it took.

    Scripts of a folder share modules such as `common`: run those of different folders in different processes.
    """
    path = ROOT / "experiments" / script
    before = sys.argv, list(sys.path)
    sys.argv = [str(path), *options]
    sys.path.insert(0, str(path.parent))
    began = time.perf_counter()
    try:
        with chdir(ROOT), printed_tables() as tables:
            runpy.run_path(str(path), run_name="__main__")
    finally:
        sys.argv, sys.path[:] = before[0], before[1]
    return tables, time.perf_counter() - began


def split_results(options: Sequence[str]) -> tuple[list[str], Path | None]:
    """Return the options without `--results FILE`, and FILE."""
    if "--results" not in options:
        return list(options), None
    place = list(options).index("--results")
    if place + 1 == len(options):
        raise SystemExit("--results needs a file")
    return [*options[:place], *options[place + 2 :]], Path(options[place + 1])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("script", help="path below experiments/, such as linked_lda/table4.py")
    parser.add_argument("options", nargs=argparse.REMAINDER, help="options of the script")
    given = parser.parse_args()
    if not (ROOT / "experiments" / given.script).is_file():
        parser.error(f"experiments/ has no script {given.script}")
    options, figures = split_results(given.options)
    whole = figures is None or not figures.exists()
    tables, seconds = run_script(given.script, given.options)
    path = store(given.script, options, tables, seconds if whole else None, FOLDER)
    say(f"{shlex.join([given.script, *options])}: {len(tables)} tables in {seconds:.0f} s, stored in {path}")


if __name__ == "__main__":
    main()
