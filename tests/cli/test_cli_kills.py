"""A kill at any moment leaves the old file or the new one, and the next write leaves nothing else."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from pathlib import Path

import polars
import pytest

from plait.store import load
from tests.cli.small import THEMES, write_lines, write_linked
from tests.cli.streams import SMALL, months
from tests.forks import start_plait, start_python

pytestmark = pytest.mark.slow  # runs commands again and again

# Runs commands again and again. Syncing is slow here, so that many kills fall between a write and its end.
_REPEAT = """
import json, os, sys, time
from typer.testing import CliRunner
from plait.cli.app import app
sync = os.fsync
os.fsync = lambda descriptor: (time.sleep(0.02), sync(descriptor))
commands = json.loads(sys.argv[1])
while True:
    for command in commands:
        result = CliRunner().invoke(app, command)
        if result.exit_code:
            sys.exit(result.output + result.stderr + repr(result.exception))
    print("done", flush=True)
"""

FIT = {
    "lda": ["--model", "lda"],
    "medlda": ["--model", "medlda", "--chains", "1"],
    "relational": ["--model", "relational", "--chains", "1"],
    "online": ["--model", "online", "--by", "2"],
}
QUICK = ["--topics", "3", "--sweeps", "20", "--samples", "1", "--tolerance", "0", "--checkpoint-every", "3"]


def _check_table(path: Path) -> None:
    if path.suffix == ".csv":
        assert polars.read_csv(path).height > 0
    elif path.suffix == ".parquet":
        assert polars.read_parquet(path).height > 0
    elif path.suffix == ".html":
        assert path.read_text(encoding="utf-8").rstrip().endswith("</html>")
    else:
        assert all(json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())


def _check_files(outputs: list[Path]) -> None:
    for path in outputs:
        if path.suffix == ".plait":
            load(path)
        else:
            _check_table(path)


def _kill(commands: list[list[str]], outputs: list[Path], kills: int, seed: int, run) -> None:
    """Kill a process that repeats commands, so many times; check its files, and those of the next writer."""
    chance = random.Random(seed)
    folder = outputs[0].parent
    for _ in range(kills):
        process = start_python(_REPEAT, [json.dumps(commands)])
        began = time.monotonic()
        assert process.stdout.readline() == "done\n", process.communicate()
        began = time.monotonic()
        assert process.stdout.readline() == "done\n", process.communicate()
        time.sleep(chance.uniform(0, time.monotonic() - began))
        assert process.poll() is None, process.communicate()
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        _check_files(outputs)
    for command in commands:
        result = run(*command)
        assert result.exit_code == 0, result.stderr
    _check_files(outputs)
    assert sorted(folder.iterdir()) == sorted(outputs)


@pytest.fixture
def corpus(tmp_path):
    """Documents with labels and links, and dates for slices."""
    folder = write_linked(tmp_path / "corpus", labels=True)
    rows = [json.loads(line) for line in (folder / "documents.jsonl").read_text().splitlines()]
    for number, row in enumerate(rows):
        row["date"] = f"2020-01-{1 + number // 4:02d}"
    write_lines(folder / "documents.jsonl", rows)
    return folder


@pytest.fixture
def outputs(tmp_path):
    (tmp_path / "outputs").mkdir()
    return tmp_path / "outputs"


def test_commands_that_write(run, corpus, label_model, link_model, influence_model, outputs):
    tables = {name: outputs / name for name in ("t.parquet", "t.csv", "p.jsonl", "l.parquet", "i.csv", "r.html")}
    commands = [
        ["transform", label_model, corpus, "-o", tables["t.parquet"]],
        ["transform", label_model, corpus, "-o", tables["t.csv"]],
        ["predict", label_model, corpus, "-o", tables["p.jsonl"]],
        ["links", link_model, "-o", tables["l.parquet"]],
        ["influence", influence_model, "-o", tables["i.csv"]],
        ["report", label_model, "-o", tables["r.html"]],
    ]
    commands = [[*map(str, command), "--force"] for command in commands]
    _kill(commands, list(tables.values()), 2, 1, run)


def test_a_fit_with_checkpoints(run, corpus, outputs):
    command = ["fit", str(corpus), "-o", str(outputs / "m.plait"), *FIT["lda"], *QUICK, "--force"]
    _kill([command], [outputs / "m.plait"], 2, 2, run)


def test_a_prior(run, corpus, outputs, tmp_path):
    titled = [{"title": word, "text": " ".join(words)} for words in THEMES.values() for word in words]
    articles = write_lines(tmp_path / "articles.jsonl", titled)
    command = ["knowledge", str(articles), str(corpus), "-o", str(outputs / "p.plait"), "--topics", "2", "--force"]
    _kill([[*command, "--sweeps", "5"]], [outputs / "p.plait"], 1, 3, run)


@pytest.mark.parametrize(("kind", "kills"), [("lda", 13), ("medlda", 13), ("relational", 12), ("online", 12)])
def test_many_kills_of_a_fit(run, corpus, outputs, kind, kills):
    command = ["fit", str(corpus), "-o", str(outputs / "m.plait"), *FIT[kind], *QUICK, "--force"]
    _kill([command], [outputs / "m.plait"], kills, 4, run)


def test_many_kills_of_a_stream(run, outputs, tmp_path):
    source = write_lines(tmp_path / "news.jsonl", months(8))
    model, whole = outputs / "m.plait", tmp_path / "whole.plait"
    options = [source, "--by", "month", *SMALL, "--sweeps", "200", "--tolerance", "0", "--final"]
    assert run("stream", whole, *options).exit_code == 0
    chance = random.Random(5)
    began = time.monotonic()
    kills = 0
    while kills < 20:
        process = start_plait("stream", model, *options)
        process.stdout.readline()  # the first slice of this run is saved
        time.sleep(chance.uniform(0, 0.3))
        ended = process.poll() is not None
        process.kill()
        _, errors = process.communicate()
        kills += not ended
        if ended:
            assert process.returncode == 0, errors
            assert model.read_bytes() == whole.read_bytes()
            model.unlink()
        elif model.exists():
            load(model)
        assert time.monotonic() - began < 1800
    assert run("stream", model, *options).exit_code == 0
    assert model.read_bytes() == whole.read_bytes()
    assert sorted(outputs.iterdir()) == [model]
