"""The child process that runs cases: it reads a case, checks the result, and answers with an outcome."""

from __future__ import annotations

import faulthandler
import importlib
import io
import json
import os
import re
import resource
import shutil
import signal
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

import plait
from plait.cli.app import main
from plait.cli.options.priors import read_seeds
from plait.priors import SeedPrior
from tests.cli.small import labelled, write_lines
from tests.fuzz.case import Case
from tests.fuzz.outcome import ACCEPTED, LOSS, REFUSED, Outcome, check_command, check_corpus, of_exception
from tests.fuzz.pool import WAITING

FIT = ("--topics", "2", "--sweeps", "2", "--samples", "1", "--sample-every", "1")
SMALL = {
    "fit": FIT,
    "stream": ("--topics", "2", "--sweeps", "2", "--by", "4", "--final"),
    "knowledge": ("--topics", "2", "--sweeps", "2", "--min-mentions", "1"),
}
SIDE_FILES = ("links", "stop_words", "seeds")  # options that are paths beside the corpus
FIELDS = ("text", "tokens", "counts", "id", "title", "label", "date", "split")
EXTRA = ("title", "label", "date", "split")  # fields that commands for new documents do not take
OUTPUT = {"fit": "model.plait", "knowledge": "prior.plait", "transform": "out.jsonl", "predict": "out.jsonl"}


def serve(pipe: Connection, home: str, memory: int, seconds: float, commands: bool) -> None:
    """Answer cases until None arrives. The process ends itself when a case takes too long.

    Parameters
    ----------
    pipe : Connection
        Sends cases and receives outcomes.
    home : str
        Folder of this child; "stack.txt" in it says where the child hung.
    memory : int
        Address space that cases may use, in bytes, beyond that of the started child.
    seconds : float
        Processor time limit of a case; a case that only waits has `WAITING` times as long.
    commands : bool
        Whether models for the commands are fitted in advance.
    """
    warnings.simplefilter("ignore")
    tempfile.tempdir = home
    corpus = write_lines(Path(home, "models.jsonl"), labelled(30))
    _import_libraries(corpus)
    models = _fit_models(Path(home), corpus) if commands else {}
    used = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (used + memory, used + memory))
    with Path(home, "stack.txt").open("w") as stack, Path(home, "stderr.txt").open("w") as errors:
        os.dup2(errors.fileno(), 2)  # libraries print their own messages about damaged files
        # The limit is in seconds of processor time, because other processes may use the processor.
        faulthandler.register(signal.SIGPROF, file=stack, chain=True)
        pipe.send(None)
        while (case := pipe.recv()) is not None:
            faulthandler.dump_traceback_later(WAITING * seconds, exit=True, file=stack)
            signal.setitimer(signal.ITIMER_PROF, seconds)
            outcome = run_case(case, Path(home), models)
            signal.setitimer(signal.ITIMER_PROF, 0.0)
            faulthandler.cancel_dump_traceback_later()
            pipe.send(outcome)


def run_case(case: Case, home: Path, models: dict[str, Path]) -> Outcome:
    """Run a case in a folder of its own.

    Parameters
    ----------
    case : Case
        The case.
    home : Path
        Folder for temporary files.
    models : dict of str to Path
        Fitted models for the commands "transform", "predict" and "topics"; without them "inspect" replaces these.

    Returns
    -------
    Outcome
        The outcome.
    """
    folder = Path(tempfile.mkdtemp(dir=home))
    try:
        path = case.write(folder / "input")
        if case.command == "read":
            return _read(case, path)
        if case.command == "seeds":
            return _read_seeds(case, path)
        return _run_command(case, path, folder, models)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a panic of Polars is not an Exception
        return of_exception(error)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _read(case: Case, path: Path) -> Outcome:
    options = dict(case.options)
    by = options.pop("by", None)
    options |= {name: path.parent / options[name] for name in SIDE_FILES if name in options}
    try:
        corpus = plait.read_corpus(path, **options, max_skipped=1.0)
        if by is not None and corpus.times is not None:
            corpus.slice_by_time(by, on_error="skip")
    except (plait.PlaitError, OSError) as error:
        return Outcome(REFUSED, str(error)[:200])
    return check_corpus(corpus, case)


def _read_seeds(case: Case, path: Path) -> Outcome:
    try:
        seeds = read_seeds(path.parent / case.options["seeds"])
        SeedPrior(seeds).for_vocabulary(np.array(["river", "bank"], dtype=object), 5)
    except (plait.PlaitError, OSError) as error:
        return Outcome(REFUSED, str(error)[:200])
    if case.must_report:
        return Outcome(LOSS, f"not reported: {case.description}", "not reported: seeds")
    return Outcome(ACCEPTED)


def _run_command(case: Case, path: Path, folder: Path, models: dict[str, Path]) -> Outcome:
    command = case.command if models else "inspect"
    output = folder / OUTPUT.get(command, "")
    lines = b""
    arguments = [command]
    if command == "stream":
        arguments.append(str(folder / "model.plait"))
    elif command == "knowledge":
        arguments.append(str(path))
    if command in ("transform", "predict"):
        arguments.append(str(models[command]))
    if command in OUTPUT:
        arguments += ["--output", str(output)]
    arguments += _topics(case, path, models) if command == "topics" else _corpus(case, path, command)
    if command == "stream" and path.suffix in (".jsonl", ".ndjson") and path.is_file() and case.number % 2:
        lines, arguments[-1] = path.read_bytes(), "-"
    code, screen, errors = run_main(arguments, lines)
    outcome = check_command(code, screen, errors)
    if outcome.failed or outcome.kind == REFUSED:
        return outcome
    if command in ("transform", "predict"):
        return _check_table(case, output, screen) or outcome
    if command == "fit":
        plait.load(output)
    if command == "inspect" and case.must_report and outcome.kind == ACCEPTED:
        return Outcome(LOSS, f"not reported: {case.description}", f"not reported by inspect: {case.format}")
    return outcome


def _corpus(case: Case, path: Path, command: str) -> list[str]:
    """Return the options of a command that reads the corpus of a case."""
    options = case.options
    arguments = [*SMALL.get(command, ()), "--encoding", options.get("encoding", "utf-8")]
    arguments += ["--strict" if options["on_error"] == "raise" else "--allow-skips"]
    arguments += ["--fractional"] if options.get("fractional") and command != "fit" else []
    for field in FIELDS:
        if field in options and not (field in EXTRA and command != "inspect"):
            arguments += [f"--{field}-field", options[field]]
    for name in ("min_df", "max_df", "max_words"):
        if name in options and command in ("fit", "inspect", "stream", "knowledge"):
            arguments += [f"--{name.replace('_', '-')}", str(options[name])]
    for name, commands in (("links", ("inspect",)), ("stop_words", ("inspect", "fit")), ("seeds", ("fit",))):
        if name in options and command in commands:
            arguments += [f"--{name.replace('_', '-')}", str(path.parent / options[name])]
    if command == "fit" and "by" in options and "seeds" not in options:
        arguments += ["--model", "online", "--by", options["by"]]
    return [*arguments, "--", str(path)]


def _topics(case: Case, path: Path, models: dict[str, Path]) -> list[str]:
    """Return the options of `plait topics`, with the input in place of a model in one of two cases."""
    return [str(path if case.number % 2 else models["transform"])]


def _check_table(case: Case, output: Path, screen: str) -> Outcome | None:
    """Return a loss if documents are neither in the table nor among the skipped ones."""
    rows = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    documents = int(re.search(r": ([\d,]+) documents?,", screen)[1].replace(",", ""))  # type: ignore[index]
    if len(rows) != documents or len({row["id"] for row in rows}) != documents:
        return Outcome(LOSS, f"the table has {len(rows)} rows of {documents} documents", "rows of the table")
    # New documents are read without their links.
    if case.format not in ("links", "linqs") and "nothing skipped" in screen and case.records not in (None, documents):
        return Outcome(LOSS, f"{documents} of {case.records} documents, nothing skipped", "documents of the table")
    return None


class _Screen(io.TextIOWrapper):
    """Standard output or standard error, kept in memory."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", write_through=True)

    def text(self) -> str:
        """Return what was printed."""
        return bytes(self.buffer.getbuffer()).decode()  # type: ignore[attr-defined]


@contextmanager
def _replaced(arguments: list[str], lines: bytes, screen: _Screen, errors: _Screen) -> Iterator[None]:
    before = sys.argv, sys.stdin, sys.stdout, sys.stderr
    sys.argv, sys.stdout, sys.stderr = ["plait", *arguments], screen, errors
    sys.stdin = io.TextIOWrapper(io.BytesIO(lines))
    try:
        yield
    finally:
        sys.argv, sys.stdin, sys.stdout, sys.stderr = before


def run_main(arguments: list[str], lines: bytes = b"") -> tuple[Any, str, str]:
    """Run the entry point of the command line in this process.

    Parameters
    ----------
    arguments : list of str
        Command and options.
    lines : bytes
        Standard input.

    Returns
    -------
    code : int or None
        Exit code.
    screen, errors : str
        Standard output and standard error.
    """
    screen, errors = _Screen(), _Screen()
    code: Any = 0
    with _replaced(arguments, lines, screen, errors):
        try:
            main()
        except SystemExit as stop:
            code = stop.code
    return code, screen.text(), errors.text()


def _import_libraries(corpus: Path) -> None:
    """Import what readers import when they need it: the memory limit is for the cases alone."""
    for name in ("bz2", "lzma", "networkx", "polars", "pyarrow.parquet", "python_calamine", "zstandard"):
        importlib.import_module(name)
    code, _, errors = run_main(["inspect", str(corpus)])
    if code not in (0, None):
        raise RuntimeError(errors)


def _fit_models(home: Path, corpus: Path) -> dict[str, Path]:
    """Return a model of words and a model of labels. Run all commands once, so that no case waits for a compiler."""
    models = {}
    for command, name in (("transform", "lda"), ("predict", "medlda")):
        models[command] = home / f"{name}.plait"
        code, _, errors = run_main(["fit", str(corpus), "-o", str(models[command]), "--model", name, *FIT])
        if code not in (0, None):
            raise RuntimeError(errors)
        run_main([command, str(models[command]), str(corpus), "-o", str(home / f"{name}.jsonl")])
    seeds = home / "seeds.txt"
    seeds.write_text("water: river")
    run_main(["fit", str(corpus), "-o", str(home / "seeds.plait"), "--seeds", str(seeds), *FIT])
    run_main(["stream", str(home / "stream.plait"), *SMALL["stream"], str(corpus)])
    articles = write_lines(home / "articles.jsonl", [{"title": "river", "text": "river lake fish"}])
    run_main(["knowledge", *SMALL["knowledge"], "-o", str(home / "prior.plait"), str(articles), str(corpus)])
    return models
