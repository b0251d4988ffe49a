"""A fixed share of the fuzz cases, every past failure, and the harness itself."""

from __future__ import annotations

import gzip
import hashlib
import os
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path, PurePath
from types import SimpleNamespace
from typing import Any

import pytest

from plait.corpus import Corpus
from plait.corpus.readers import discovery, formats
from plait.corpus.readers.formats.link_files import LINK_SUFFIXES
from plait.corpus.readers.streams import COMPRESSIONS
from tests.fuzz.case import COMMANDS, Case
from tests.fuzz.formats import FAMILIES, FORMATS
from tests.fuzz.generate import make_case
from tests.fuzz.mutations import COMPRESS
from tests.fuzz.outcome import (
    ACCEPTED,
    HANG,
    LOSS,
    OTHER,
    REFUSED,
    SKIPS,
    TRACEBACK,
    Outcome,
    check_command,
    check_corpus,
    of_exception,
)
from tests.fuzz.pool import Child
from tests.fuzz.run import cases_of
from tests.fuzz.summary import Summary, describe

SEED = 2026
CASES = 330
NEED_MODELS = set(COMMANDS) - {"read", "inspect"}
REGRESSIONS = sorted((Path(__file__).parent / "regressions").glob("*.json"))


@pytest.fixture(scope="module")
def child() -> Iterator[Child]:
    with Child(seconds=20.0, commands=False) as running:
        yield running


@pytest.fixture(scope="module")
def command_child() -> Iterator[Child]:
    with Child(seconds=60.0) as running:
        yield running


@pytest.mark.slow
def test_fixed_share(child: Child) -> None:
    failures = [
        describe(case, outcome) for case in cases_of(CASES, SEED, list(FORMATS)) if (outcome := child.run(case)).failed
    ]
    assert not failures, "\n".join(failures)


@pytest.mark.slow
def test_fixed_share_of_the_commands(command_child: Child) -> None:
    cases = (make_case(name, SEED, number) for name in FORMATS for number in range(60))
    chosen = {(case.format, case.command): case for case in cases if case.command in NEED_MODELS}
    assert {command for _, command in chosen} == NEED_MODELS
    failures = [describe(case, found) for case in chosen.values() if (found := command_child.run(case)).failed]
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize("path", REGRESSIONS, ids=lambda path: path.stem)
def test_past_failure(path: Path, request: pytest.FixtureRequest) -> None:
    case = Case.from_json(path.read_text(encoding="utf-8"))
    running = request.getfixturevalue("command_child" if case.command in NEED_MODELS else "child")
    outcome = running.run(case)
    assert not outcome.failed, describe(case, outcome)


def test_every_format_has_a_generator() -> None:
    modules = {module.name for module in pkgutil.iter_modules(formats.__path__)}
    assert modules == {name for family in FAMILIES for name in family.MODULES}
    made = {suffix for family in FAMILIES for suffix in family.SUFFIXES}
    assert {*discovery._ROW_SUFFIXES, *discovery._SVMLIGHT_SUFFIXES, *LINK_SUFFIXES} <= made
    assert set(COMPRESSIONS) <= set(COMPRESS)


def test_every_suffix_is_generated() -> None:
    files = [file for name in FORMATS for number in range(100) for file in make_case(name, 0, number).files]
    for suffix in {suffix for family in FAMILIES for suffix in (*family.SUFFIXES, *COMPRESS)}:
        assert any(PurePath(file).match(f"*{suffix}*") for file in files), suffix


def _digest() -> str:
    cases = [make_case(name, 3, number).to_json() for name in FORMATS for number in range(20)]
    return hashlib.sha256("".join(cases).encode()).hexdigest()


def test_a_case_is_the_same_in_every_process() -> None:
    code = "from tests.fuzz.test_fuzz_readers import _digest; print(_digest())"
    environment = {**os.environ, "PYTHONHASHSEED": "12345", "PYTHONPATH": os.pathsep.join(sys.path)}
    found = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == _digest()


def test_a_case_survives_its_file(tmp_path: Path) -> None:
    made = (make_case("text_folder", 0, number) for number in range(500))
    case = next(case for case in made if any("\udce9" in name for name in case.files))
    assert Case.from_json(case.to_json()) == case
    assert case.write(tmp_path).is_dir()


@pytest.mark.slow  # starts processes
def test_a_hang_is_found_and_the_child_replaced() -> None:
    lines = b"".join(b'{"id": %d, "text": "river bank"}\n' % number for number in range(1_000_000))
    slow = Case("jsonl", 0, 0, "slow", {"a.jsonl": lines}, {}, "a.jsonl", {}, records=1_000_000)
    quick = Case("jsonl", 0, 1, "quick", {"a.jsonl": lines[:200].rpartition(b"\n")[0]}, {}, "a.jsonl", {})
    with Child(seconds=2.0, commands=False) as running:
        assert running.run(slow).kind == HANG
        assert running.run(quick).kind == ACCEPTED


@pytest.mark.slow  # starts processes
def test_a_memory_limit_is_found() -> None:
    content = gzip.compress(b'{"id": "a", "text": "' + b"river " * 30_000_000 + b'"}')
    case = Case("jsonl", 0, 0, "bomb", {"a.jsonl.gz": content}, {}, "a.jsonl.gz", {})
    with Child(seconds=60.0, memory=1 << 27, commands=False) as running:
        assert running.run(case).kind == HANG


def _case(**known: Any) -> Case:
    return Case("jsonl", 0, 0, "made by hand", {}, {}, "a.jsonl", {}, **known)


def test_losses_are_found() -> None:
    corpus = Corpus.from_texts(["river bank", "", "money"], ids="abc", labels=["x", "y", "z"], on_error="skip")
    for known, kind in (
        ({"records": 3}, SKIPS),
        ({"records": 3, "must_report": True, "intact": {"a": (2, ("x",)), "c": (1, ("z",))}}, SKIPS),
        ({"records": 4}, LOSS),
        ({"records": 1}, LOSS),
        ({"intact": {"b": (0, ("y",))}}, LOSS),
        ({"intact": {"a": (3, ("x",))}}, LOSS),
        ({"intact": {"a": (2, ("y",))}}, LOSS),
    ):
        assert check_corpus(corpus, _case(**known)).kind == kind, known
    whole = Corpus.from_texts(["river bank"])
    assert check_corpus(whole, _case(records=1)).kind == ACCEPTED
    assert check_corpus(whole, _case(records=1, must_report=True)).kind == LOSS


def test_text_that_cannot_be_saved_is_found() -> None:
    corpus = SimpleNamespace(ids=["a"], vocabulary=["\ud800"], titles=None, splits=None, labels=None)
    outcome = check_corpus(corpus, _case())
    assert (outcome.kind, outcome.place) == (OTHER, "invalid corpus")


@pytest.mark.parametrize(
    ("code", "screen", "errors", "kind"),
    [
        (0, "2 documents; nothing skipped", "", ACCEPTED),
        (0, "2 documents; skipped 1 × bad date", "warning: slow\n", SKIPS),
        (1, "", "error: a.csv is empty\n", REFUSED),
        (1, "", "error: a.csv is\nempty\n", OTHER),
        (1, "", "a.csv is empty\n", OTHER),
        (2, "", "Usage: plait inspect\n", OTHER),
        (0, "red \x1b[31m", "", OTHER),
    ],
)
def test_commands_are_checked(code: int, screen: str, errors: str, kind: str) -> None:
    assert check_command(code, screen, errors).kind == kind


@pytest.mark.slow  # starts processes
def test_equal_failures_are_one_group(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    summary = Summary(tmp_path)
    for number in (1, 2):
        try:
            Corpus.from_texts(["river"], tokenizer=lambda text: 1 / 0)
        except ZeroDivisionError as error:
            outcome = of_exception(error)
        summary.add(make_case("jsonl", 0, number), outcome)
    summary.add(make_case("csv", 0, 3), Outcome(REFUSED))
    assert summary.failures == 2
    assert [group.partition("\n")[0] for group in summary.groups()] == [f"2 × {TRACEBACK}: {outcome.place}"]
    assert "--case jsonl/0/1" in capsys.readouterr().out
    assert Case.from_json((tmp_path / "jsonl-0-2" / "case.json").read_text()).number == 2
