from __future__ import annotations

import numpy as np
import pytest

from plait import OnlineLDA, read_corpus
from plait.store import load
from tests.cli.small import write_lines
from tests.cli.streams import SMALL, months

OPTIONS = ["--model", "online", "--by", "month", *SMALL]


@pytest.fixture
def dated_file(tmp_path):
    return write_lines(tmp_path / "papers.jsonl", list(reversed(months())))


def _usage(result) -> str:
    assert result.exit_code == 2, result.output
    return " ".join(result.stderr.replace("│", " ").split())


def test_a_collection_is_learned_month_by_month(run, dated_file, tmp_path):
    path = tmp_path / "m.plait"
    result = run("fit", dated_file, "-o", path, *OPTIONS, "--history-weights", "0.5,0.25", "--ahead")
    assert result.exit_code == 0, result.stderr
    assert "sweeps of the last of 4 slices" in result.stdout
    python = OnlineLDA(
        3, window=2, history_weights=[0.5, 0.25], n_sweeps=10, n_samples=2, sample_every=2, random_state=0
    )
    python.fit(read_corpus(dated_file), times="month", ahead=True)
    model = load(path)
    assert [one.label for one in model.slices_] == ["2020-01", "2020-02", "2020-03", "2020-04"]
    assert [one.perplexity for one in model.slices_] == [one.perplexity for one in python.slices_]
    assert np.array_equal(model.topic_word_, python.topic_word_)


def test_the_other_commands_take_the_model(run, dated_file, tmp_path):
    path = tmp_path / "m.plait"
    run("fit", dated_file, "-o", path, *OPTIONS)
    assert len(run("topics", path).stdout.splitlines()) == 4
    shares = tmp_path / "shares.csv"
    assert "48 documents, 3 topics" in run("transform", path, dated_file, "-o", shares).stdout
    assert len(shares.read_text().splitlines()) == 49
    assert "perplexity, document completion" in run("evaluate", path, dated_file).stdout


def test_a_fitted_model_goes_on_as_a_stream(run, dated_file, tmp_path):
    path = tmp_path / "m.plait"
    run("fit", dated_file, "-o", path, *OPTIONS)
    more = write_lines(tmp_path / "more.jsonl", months(6)[48:])
    result = run("stream", path, more, "--by", "month", "--final")
    assert result.exit_code == 0, result.stderr
    assert [one.label for one in load(path).slices_][-2:] == ["2020-05", "2020-06"]


def test_documents_without_a_date_are_left_out_and_counted(run, tmp_path):
    rows = months()
    rows[5] = {**rows[5], "date": None}
    source = write_lines(tmp_path / "papers.jsonl", rows)
    assert "left out 1 document without a date" in run("fit", source, "-o", tmp_path / "m.plait", *OPTIONS).stdout
    assert sum(one.n_documents for one in load(tmp_path / "m.plait").slices_) == 47
    result = run("fit", source, "-o", tmp_path / "s.plait", *OPTIONS, "--strict")
    assert (result.exit_code, "belongs to no slice" in result.stderr) == (1, True)
    none = write_lines(tmp_path / "none.jsonl", [{**row, "date": None} for row in rows])
    result = run("fit", none, "-o", tmp_path / "n.plait", *OPTIONS)
    assert "no document of" in result.stderr
    assert "--date-field" in result.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--by", "month"], "--by is for --model online"),
        (["--ahead"], "--ahead is for --model online"),
        (["--window", "2"], "--window is for --model online"),
        (["--model", "online"], "set their length, such as --by month"),
        (["--model", "online", "--by", "decade"], "a number of slices"),
        (["--model", "online", "--by", "2", "--link-weights", "full"], "--link-weights is for --model relational"),
        (["--model", "relational", "--history-weights", "0.5"], "--history-weights is for --model online"),
        (["--model", "online", "--by", "month", "--topics", "2,3"], "with --model online give one number of --topics"),
    ],
)
def test_options_that_do_not_go_together(run, dated_file, tmp_path, options, message):
    assert message in _usage(run("fit", dated_file, "-o", tmp_path / "m.plait", *options))
