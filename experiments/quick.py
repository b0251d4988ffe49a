"""Run every script of the experiments on small made corpora: `make experiments-quick`.

    python experiments/quick.py                                 all scripts, within a few minutes
    python experiments/quick.py --only relational               the scripts of one folder

The figures mean nothing: the run shows that every script works. Scripts of a folder share one process, because they
import the same modules. Tables are stored in a temporary folder, or in the folder that --results names, and never in
experiments/results.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # shared modules, when this file is run directly

from benchmarks.tables import print_table, say
from experiments.made import write_corpora
from experiments.run import run_script
from experiments.stored import ROOT, read_all, store

_NETWORK = "--topics 4 --sweeps 6"  # of scripts that fit topics to networks
_FOLD = "--topics 3 --folds 1 --jobs 1"
_SHORT = f"{_FOLD} --sweeps 4 --chains 1"
# Options that make each script short.
QUICK: dict[str, str] = {
    "choosing/planted.py": "--topics 3 --seeds 1 --documents 60 --candidates 2 3 5",
    "linked_lda/distances.py": "--samples 200 --starts 2 --cases symmetric",
    "linked_lda/features.py": f"--corpora webkb {_NETWORK} --samples 2",
    "linked_lda/figures3_5.py": f"--corpora cora {_NETWORK} --samplers plain limit",
    "linked_lda/planted.py": "--topics 3 --strengths 0.8 --p 10 --chains 1 --words 40 --seeds 0 --documents 60",
    "linked_lda/samplers.py": "--documents 10 --sweeps 3 --topics 5 --length 400",
    "linked_lda/stacking.py": "--corpora webkb --topics 4 --edges links --methods LDA,\\ BayesNet",
    "linked_lda/strength.py": f"--corpora webkb {_NETWORK} --strengths 1 10",
    "linked_lda/table1.py": "--corpora webkb\\ text --topics 4 --sweeps 4 --in-a-row 2 --fast-sweeps 2 "
    "--samplers sparse(10)",
    "linked_lda/table3.py": "--scale 1000 --length 100 --topics 4 --sweeps 3 --samplers plain sparse(10)",
    "linked_lda/table4.py": f"--corpora webkb\\ text {_NETWORK} --samplers plain sparse(2) --classifiers BayesNet",
    "linked_lda/table5.py": f"--corpora cora {_NETWORK} --features tf.idf linked\\ LDA --classifiers BayesNet "
    "--edges none links",
    "medlda/figure1.py": "--topics 4 --seeds 0 --one-vs-all --jobs 1 --alpha-per-topic --expected",
    "medlda/figure2.py": "--topics 4 --seeds 0 --sweeps 3 6 --jobs 1",
    "medlda/figure4.py": "--topics 4 --seeds 0 --settings c\\ =\\ 4 --jobs 1",
    "medlda/figure5.py": "--corpora bibtex --topics 4 --seeds 0 --sweeps 3 6 --jobs 1",
    "medlda/figure6.py": "--topics 4 --labels 2 5 --sweeps 3 --jobs 1",
    "medlda/scaling.py": "--quick --jobs 1",
    "medlda/table1.py": "--topics 4 --sweeps 3 --jobs 1",
    "online/data.py": "",
    "online/emerging.py": "--topics 3 --seeds 1 --words zipf --documents 30",
    "online/few_documents.py": "--corpora reuters21578 --sizes 40 --seeds 0 --topics 3 --sweeps 4",
    "online/figure10_3.py": "--topics 3 --slices 1 --seeds 0 --sweeps 4 --samples 1 --mentions 1 --strengths 0.01",
    "online/figures10_4_to_10_6.py": "--topics 3 --corpora nips --windows 0 2 --totals 1 --sweeps 2 --whole 1 "
    "--table-10-5 --curves",
    "online/newsgroups.py": "--topics 4 --groups 1 --postings 40",
    "online/seeds.py": "--topics 8 --strengths 1 --seeds 0 --sweeps 10",
    "online/tables10_1_to_10_4.py": "--sizes 16 --seeds 1 --slice 30",
    "online/titles.py": "",
    "predictions/choice_time.py": "--only cora bibtex --topics 4 --turns 1",
    "predictions/features.py": "--topics 4 --seeds 0 --chains 1 --folds 2",
    "predictions/labels.py": "--only cora bibtex --topics 4 --seeds 0 --jobs 1",
    "priors/defaults.py": "--corpora webkb --topics 4 --seeds 0",
    "relational/bars.py": f"--corpora webkb {_SHORT}",
    "relational/combined.py": f"--corpora webkb {_SHORT}",
    "relational/figure1_2.py": f"--corpora webkb --paper --losses probit {_SHORT}",
    "relational/figure3_4.py": f"--paper --costs 4 {_SHORT}",
    "relational/figure5.py": f"--paper --shares 0.01 {_SHORT}",
    "relational/figure6.py": f"{_FOLD} --sweeps 2 4 --averaged",
    "relational/pairs.py": f"--corpora webkb {_SHORT}",
    "relational/table1_2.py": "--topics 3 --sweeps 4",
    "relational/table3.py": "--topics 3 --sweeps 2",
}


def options_of(script: str) -> list[str]:
    """Return the options of the quick run of a script; a backslash keeps a space in an option."""
    parts = QUICK[script].replace("\\ ", "\0").split()
    return [part.replace("\0", " ") for part in parts]


def run_folder(folder: str, results: Path) -> None:
    """Run the scripts of one folder in this process and store their tables and times."""
    for script in QUICK:
        if script.startswith(f"{folder}/"):
            began = time.process_time()
            tables, seconds = run_script(script, options_of(script))
            store(script, options_of(script), tables, seconds, results)
            say(f"{script}: {len(tables)} tables, {time.process_time() - began:.1f} s of processor time")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    folders = sorted({script.partition("/")[0] for script in QUICK})
    parser.add_argument("--only", nargs="+", choices=folders, default=folders, help="folders (all)")
    parser.add_argument("--results", type=Path, metavar="FOLDER", help="keep the tables here")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        data, results = Path(temporary, "data"), options.results or Path(temporary, "results")
        write_corpora(data)
        for folder in options.only:
            code = f"from pathlib import Path; from experiments.quick import run_folder; run_folder({folder!r}, "
            subprocess.run(
                [sys.executable, "-c", code + f"Path({str(results.absolute())!r}))"],
                cwd=ROOT,
                env=os.environ | {"PLAIT_DATA": str(data)},
                check=True,
                stdout=subprocess.DEVNULL,
            )
        stored = read_all(results).values()
        seconds = {one.script: one.seconds or 0.0 for one in stored}
        rows = [
            [script, str(sum(one.script == script for one in stored)), f"{seconds[script]:.1f}"] for script in seconds
        ]
    total = f"{sum(seconds.values()):.1f}"
    print_table(f"Scripts on made corpora: {len(seconds)} in {total} s", ["script", "tables", "seconds"], rows)


if __name__ == "__main__":
    main()
