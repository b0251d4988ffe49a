"""Experiments and benchmarks run: all print help; all experiments run on made corpora; pages have the stored tables."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from experiments.made import write_corpora
from experiments.pages import PAGES, PLOTS, rewrite
from experiments.quick import QUICK
from experiments.run import split_results
from experiments.stored import StoredTable, read_all
from tests.forks import start_python

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted(
    path.relative_to(ROOT)
    for folder in ("experiments", "benchmarks")
    for path in (ROOT / folder).rglob("*.py")
    if "__main__" in path.read_text(encoding="utf-8")
)
FOLDERS = sorted({script.parent for script in SCRIPTS})
QUICK_FOLDERS = sorted({script.partition("/")[0] for script in QUICK})

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


RUN_FOLDER = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from experiments.quick import run_folder
run_folder(sys.argv[2], Path(sys.argv[3]))
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return a folder with made corpora."""
    folder = tmp_path_factory.mktemp("made") / "data"
    write_corpora(folder)
    return folder


def test_every_script_of_the_experiments_has_a_quick_run():
    scripts = {path.relative_to("experiments").as_posix() for path in SCRIPTS if len(path.parts) == 3}
    assert scripts == QUICK.keys(), "add the script to QUICK in experiments/quick.py, with options that make it short"


@pytest.mark.slow
@pytest.mark.parametrize("folder", QUICK_FOLDERS)
def test_every_script_runs_on_made_corpora(folder, made, tmp_path):
    """And what some of them print is what the made corpora have: classes and links that words tell."""
    run_python(RUN_FOLDER, ROOT, folder, tmp_path, data=made)
    stored = read_all(tmp_path).values()
    assert {table.script for table in stored} == {script for script in QUICK if script.startswith(f"{folder}/")}
    for table in stored:
        assert table.rows, table.key
        assert all(len(row) == len(table.columns) for row in table.rows), table.key
        assert (table.date, table.seconds) > ("2020", 0.0)
    for check in CHECKS.get(folder, ()):
        check({(table.script.partition("/")[2], table.number): as_rows(table) for table in stored})


def as_rows(table):
    """Return the rows of a stored table as dictionaries by column name."""
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def topics_classify(tables):
    rows = tables["table4.py", 1]
    names = [row["model / sampler"] for row in rows if row["features"] == "doc_topic_"]
    assert names[:4] == ["LDA / plain", "LDA / sparse(2)", "linked LDA / plain", "linked LDA / sparse(2)"]
    assert min(float(row["BayesNet AUC"]) for row in rows) > 0.5
    assert max(float(row["BayesNet AUC"]) for row in rows) > 0.9


def links_help(tables):
    found = {(row["features"], row["edges"]): float(row["BayesNet AUC"]) for row in tables["table5.py", 1]}
    assert len(found) == 4
    assert found["tf.idf", "links"] >= found["tf.idf", "none"] > 0.8


def both_models_are_timed(tables):
    plain, sparse = tables["table1.py", 1]
    assert (plain["sampler"], sparse["sampler"]) == ("plain", "sparse(10)")
    assert (plain["plain : linked"], sparse["paper, plain : linked"]) == ("1.00", "7.62")
    assert float(sparse["ms, linked"]) > 0
    assert [row["paper, s"] for row in tables["table1.py", 2]] == ["949", "2,656", "757", "19,826"]


def likelihood_and_auc_improve(tables):
    assert all(float(row["6"]) < float(row["2"]) for row in tables["figures3_5.py", 1])
    assert all(float(row["6"]) > float(row["2"]) for row in tables["figures3_5.py", 2])


def labels_are_predicted(tables):
    accuracy = {row["method"]: float(row["accuracy"]) for row in tables["figure1.py", 1]}
    assert accuracy["TF-IDF + LinearSVC"] > 0.9
    assert accuracy["MedLDA, plait's"] > 0.5 > accuracy["LDA + LinearSVC"]
    assert "MedLDA, expected classifier" in accuracy


def links_are_predicted(tables):
    areas = {row["method"]: float(row["AUC"]) for row in tables["figure1_2.py", 1] if row["AUC"]}
    assert areas["gRTM, plait's"] > 0.7
    assert {"gRTM, probit loss", "Var-RTM, 0.2% negatives", "RTM, paper's, c = 1, 0.2 %"} <= areas.keys()


def all_rows_of_table_10_5_are_printed(tables):
    rows = tables["figures10_4_to_10_6.py", 2]
    assert len(rows) == 22
    assert [row["δ"] for row in rows] == list("01" + "2" * 5 + "3" * 5 + "4" * 6 + "5" * 4)
    whole = tables["figures10_4_to_10_6.py", 3]
    assert all(float(row["whole documents, eq. (10.11)"].replace(",", "")) > 1 for row in whole)


CHECKS = {
    "linked_lda": [topics_classify, links_help, both_models_are_timed, likelihood_and_auc_improve],
    "medlda": [labels_are_predicted],
    "relational": [links_are_predicted],
    "online": [all_rows_of_table_10_5_are_printed],
}


def test_a_script_is_run_and_its_tables_are_stored(tmp_path):
    """In place of those of an earlier run with the same options, beside those of other options."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from pathlib import Path; import experiments.run as run; "
        "run.FOLDER = Path(sys.argv[2]); sys.argv = ['run.py', *sys.argv[3:]]; run.main()"
    )
    script = ("online/tables10_1_to_10_4.py", "--sizes", "8", "--seeds", "1", "--slice", "20")
    for more in ((), ("--set", "4"), ()):
        run_python(code, ROOT, tmp_path, *script, *more)
    stored = read_all(tmp_path)
    assert len(stored) == 8
    table = stored["online/tables10_1_to_10_4.py --sizes 8 --seeds 1 --slice 20 --set 4 #1"]
    assert table.columns[0] == "word"
    assert table.command == "python experiments/online/tables10_1_to_10_4.py --sizes 8 --seeds 1 --slice 20 --set 4"


def test_the_file_of_figures_is_no_option_of_stored_tables():
    options = ["--seeds", "0", "--results", "figures.jsonl", "--paper"]
    assert split_results(options) == (["--seeds", "0", "--paper"], Path("figures.jsonl"))
    assert split_results(["--paper"]) == (["--paper"], None)
    with pytest.raises(SystemExit, match="--results needs a file"):
        split_results(["--results"])


def test_pages_have_the_stored_tables():
    stored = read_all()
    for page in sorted(PAGES.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        assert text.count("<!-- results: ") >= 4, page.name
        assert rewrite(text, stored) == text, f"{page.name} is out of date; run: python experiments/pages.py"


def test_curves_of_plots_come_from_stored_tables():
    stored = read_all()
    for plot in PLOTS:
        curves = plot.curves(stored)
        assert len(curves) >= 2
        assert all(len(points) >= 3 for points in curves.values()), plot.name
        assert (PAGES.parent / "images" / f"result-{plot.name}.svg").exists()


def test_a_page_shows_chosen_columns_and_names_what_is_missing():
    table = StoredTable("a/b.py", "--x 1", 1, "t", ["n", "p", "q"], [["r", "1", "2|3"]], "2026-01-01", "abc", "m", 9.0)
    page = "x\n<!-- results: a/b.py --x 1 #1 | columns: n; q -->\nold\n<!-- end of results -->\ny"
    new = rewrite(page, {table.key: table})
    assert "| n | q |\n| --- | ---: |\n| r | 2\\|3 |" in new
    assert "`python experiments/a/b.py --x 1`; measured 2026-01-01 at abc, m, 9 s." in new
    assert rewrite(new, {table.key: table}) == new
    with pytest.raises(SystemExit, match=r"has no table 'a/b\.py --x 1 #1'"):
        rewrite(page, {})
    with pytest.raises(SystemExit, match="has no column 'q'"):
        rewrite(page, {table.key: replace(table, columns=["n", "p", "r"])})


def test_medlda_is_timed_by_workers_documents_and_labels():
    rows = rows_of(run("experiments/medlda/scaling.py", "--quick"))
    by_workers = [row for row in rows if "workers" in row]
    assert [row["documents"] for row in by_workers] == ["300", "300", "300", "600"]
    assert len({row["accuracy, %"] for row in by_workers[:2]}) == 1  # workers do not change the model
    assert [(row["documents"], row["labels"]) for row in rows[4:8]] == [
        ("150", "2"),
        ("150", "5"),
        ("300", "2"),
        ("300", "5"),
    ]
    assert all(float(row["ms per sweep"]) > 0 for row in rows[:8])
    assert (rows[8]["machines"], rows[8]["LP, first / time"]) == ("1", "1.00")
    assert len(rows) == 10


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
    assert done.stderr.strip().endswith("install it with: pip install '.[experiments]'")
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_pair_features_are_compared_from_prepared_matrices(made, tmp_path):
    script, chosen = "experiments/relational/pairs.py", ["--corpora", "cora"]
    run(script, "--prepare", tmp_path, *chosen, data=made)
    quick = ["--topics", 3, "--sweeps", 5, "--chains", 1, "--folds", 2, "--jobs", 1, "--seeds", 0, 1]
    *rows, bar = rows_of(run(script, "--data", tmp_path, *chosen, *quick))
    compared = ["gRTM", "gRTM, pair features, no labels", "gRTM, pair features"]
    assert [row["method"] for row in rows][-3:] == compared
    assert sum(row["method"].startswith("votes") for row in rows) == 6
    assert all("±" in row["AUC"] for row in rows[-3:])  # over seeds
    assert all(0.5 < float(row["AUC"].partition(" ")[0]) < 1 for row in rows)
    assert (bar["method"], bar["AUC"]) == ("bar", "0.915")
