"""Experiments and benchmarks run: all print help; those on linked documents run on a small synthetic network."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.forks import start_python

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted(
    path.relative_to(ROOT)
    for folder in ("experiments", "benchmarks")
    for path in (ROOT / folder).rglob("*.py")
    if "parse_args" in path.read_text(encoding="utf-8") and "__main__" in path.read_text(encoding="utf-8")
)
FOLDERS = sorted({script.parent for script in SCRIPTS})

# One process per folder, because its scripts import the same libraries.
ASK_FOR_HELP = """
import contextlib, io, runpy, sys
sys.path.insert(0, sys.argv[1])
for script in sys.argv[2:]:
    sys.argv, printed = [script, "--help"], io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            runpy.run_path(script, run_name="__main__")
    except SystemExit as stop:
        assert stop.code in (0, None), (script, stop.code)
    assert printed.getvalue().startswith("usage: "), (script, printed.getvalue())
    print(script)
"""


# As `python script arguments` does it.
RUN_SCRIPT = """
import os, runpy, sys
sys.argv = sys.argv[1:]
sys.path.insert(0, os.path.dirname(sys.argv[0]))
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def run_python(code, *arguments, data=None):
    """Run a program in the repository's folder and return its output."""
    with contextlib.chdir(ROOT):
        process = start_python(code, arguments, environment={"PLAIT_DATA": str(data or "")})
    printed, errors = process.communicate(timeout=600)
    assert process.returncode == 0, errors[-3000:]
    return printed


def run(script, *arguments, data=None):
    """Run a script and return its output."""
    return run_python(RUN_SCRIPT, ROOT / script, *arguments, data=data)


@pytest.mark.parametrize("folder", FOLDERS, ids=str)
def test_every_script_prints_help_without_data(folder):
    scripts = [str(script) for script in SCRIPTS if script.parent == folder]
    assert run_python(ASK_FOR_HELP, folder, *scripts).splitlines() == scripts


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Return a folder with corpora "cora" and "webkb": sixty pages of three classes with links within each class."""
    rng = np.random.default_rng(0)
    words = [f"{kind}{number}" for kind in ("red", "green", "blue") for number in range(12)]
    labels = np.arange(60) % 3
    lines = []
    for document, label in enumerate(labels):
        own = rng.choice(12, size=30) + 12 * label
        drawn = np.where(rng.random(30) < 0.3, rng.choice(36, size=30), own)
        text = " ".join(words[number] for number in drawn)
        counts = {words[number]: 1 for number in np.unique(drawn)}
        lines.append(json.dumps({"id": f"d{document}", "label": str(label), "text": text, "counts": counts}))
    links = [f"d{one},d{other}" for one in range(60) for other in rng.choice(20, 2) * 3 + labels[one] if one != other]
    root = tmp_path_factory.mktemp("data")
    for name in ("cora", "webkb"):
        (root / name).mkdir()
        (root / name / "documents.jsonl").write_text("\n".join(lines), encoding="utf-8")
        (root / name / "links.csv").write_text("\n".join(["source,target", *links]), encoding="utf-8")
    return root


def rows_of(printed):
    """Return the rows of all printed tables as dictionaries by column name."""
    rows, header = [], None
    for line in printed.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else None
        if cells is None or set(line) <= set("|-"):
            header = None if cells is None else header
        elif header is None:
            header = cells
        else:
            rows.append(dict(zip(header, cells, strict=True)))
    assert rows, printed
    return rows


def test_table_4_classifies_by_topics(data):
    arguments = ["--topics", 6, "--sweeps", 20, "--samplers", "plain", "sparse(2)", "--classifiers", "BayesNet", "SVM"]
    rows = rows_of(run("experiments/linked_lda/table4.py", "--corpora", "webkb text", *arguments, data=data))
    names = [row["model / sampler"] for row in rows if row["features"] == "doc_topic_"]
    assert names[:4] == ["LDA / plain", "LDA / sparse(2)", "linked LDA / plain", "linked LDA / sparse(2)"]
    for row in rows:
        assert min(float(row["BayesNet AUC"]), float(row["SVM AUC"])) > 0.9, row


def test_table_5_improves_with_links(data):
    chosen = ["--features", "tf.idf", "linked LDA", "--classifiers", "BayesNet", "--edges", "none", "links"]
    printed = run(
        "experiments/linked_lda/table5.py", "--corpora", "cora", "--topics", 6, "--sweeps", 20, *chosen, data=data
    )
    found = {(row["features"], row["edges"]): float(row["BayesNet AUC"]) for row in rows_of(printed)}
    assert len(found) == 4
    assert found["tf.idf", "links"] >= found["tf.idf", "none"] > 0.8


def test_table_1_times_both_models(data):
    arguments = ["--topics", 6, "--sweeps", 10, "--samplers", "sparse(10)"]
    plain, sparse = rows_of(run("experiments/linked_lda/table1.py", "--corpora", "webkb text", *arguments, data=data))
    assert (plain["sampler"], sparse["sampler"]) == ("plain", "sparse(10)")
    assert plain["plain : linked"] == "1.00"
    assert float(sparse["ms, linked"]) > 0
    assert sparse["paper, plain : linked"] == "7.62"


@pytest.mark.slow
def test_figures_3_to_5_are_plotted(data, tmp_path):
    arguments = ["--topics", 6, "--sweeps", 12, "--samplers", "plain", "limit", "--plot", tmp_path / "figure.png"]
    rows = rows_of(run("experiments/linked_lda/figures3_5.py", "--corpora", "cora", *arguments, data=data))
    assert len(rows) == 8
    assert all(float(row["12"]) < float(row["2"]) for row in rows[:4])  # perplexity falls
    assert all(float(row["12"]) > float(row["2"]) for row in rows[4:])  # and the AUC rises
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")


def test_medlda_is_timed_by_workers_documents_and_labels():
    rows = rows_of(run("experiments/medlda/scaling.py", "--quick"))
    by_workers = [row for row in rows if "workers" in row]
    assert [row["documents"] for row in by_workers] == ["300", "300", "300", "600"]
    assert len({row["accuracy, %"] for row in by_workers[:2]}) == 1  # workers do not change the model
    assert [(row["documents"], row["labels"]) for row in rows[4:]] == [
        ("150", "2"),
        ("150", "5"),
        ("300", "2"),
        ("300", "5"),
    ]
    assert all(float(row["ms per sweep"]) > 0 for row in rows)


def test_the_cost_model_divides_labels_and_work():
    rows = rows_of(run("benchmarks/cost_model.py", "--quick"))
    constants, model = rows[:7], rows[7:]
    assert all(float(row["value"]) >= 0 for row in constants)
    assert [row["paper"] for row in model if row["paper"]] == ["1424", "5045"]
    for divided, joined in zip(model[::2], model[1::2], strict=True):
        assert float(divided["sums"]) * 20 == pytest.approx(float(joined["sums"]), rel=0.01)
        assert float(divided["40 sweeps"]) < float(joined["40 sweeps"])
    assert float(model[2]["topics"]) * 10 == pytest.approx(float(model[0]["topics"]), rel=0.01)


@pytest.mark.slow
def test_samplers_are_compared_on_synthetic_documents():
    rows = rows_of(run("experiments/linked_lda/samplers.py", "--documents", 20, "--sweeps", 3, "--topics", 5))
    assert rows[0]["sampler"] == "plain"
    assert all(0 < float(row["likelihood"]) < 20_000 for row in rows)


@pytest.mark.slow
def test_shares_in_sixteen_bits_are_close_to_those_in_thirty_two():
    rows = rows_of(run("benchmarks/shares.py", "--scale", 0.01, "--sweeps", 3, "--topics", 5))
    assert [row["sampler"] for row in rows] == ["limit", "sparse"] * 3
    assert all(float(row["distance"]) < 0.01 for row in rows)


def test_online_scripts_name_the_missing_package():
    missing = (
        "import sys; sys.modules['snowballstemmer'] = None; sys.path.insert(0, 'experiments/online'); import data; "
    )
    done = subprocess.run(
        [sys.executable, "-c", missing + "data.cut_into_words()"], cwd=ROOT, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 1
    assert done.stderr.strip().endswith("install it with: pip install 'plait[experiments]'")
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_pair_features_are_compared_from_prepared_matrices(data, tmp_path):
    script, chosen = "experiments/relational/pairs.py", ["--corpora", "cora"]
    run(script, "--prepare", tmp_path, *chosen, data=data)
    quick = ["--topics", 3, "--sweeps", 5, "--chains", 1, "--folds", 2, "--jobs", 1, "--seeds", 0, 1]
    *rows, bar = rows_of(run(script, "--data", tmp_path, *chosen, *quick))
    assert [row["method"] for row in rows][-2:] == ["gRTM", "gRTM, pair features"]
    assert sum(row["method"].startswith("votes") for row in rows) == 6
    assert all("±" in row["AUC"] for row in rows[-2:])  # over seeds
    assert all(0.5 < float(row["AUC"].partition(" ")[0]) < 1 for row in rows)
    assert (bar["method"], bar["AUC"]) == ("bar", "0.915")
