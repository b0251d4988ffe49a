"""A runner of commands, and the small corpus and a model of it as files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from plait.cli import app
from tests.cli.small import QUICK, documents, write_lines


@pytest.fixture(scope="session")
def run() -> Callable[..., Result]:
    """Run a command; a bug in it is raised here, with its traceback."""

    def run_command(*arguments: Any) -> Result:
        return CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)

    return run_command


@pytest.fixture
def corpus_file(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "papers.jsonl", documents())


@pytest.fixture(scope="session")
def _fitted(tmp_path_factory: pytest.TempPathFactory, run: Callable[..., Result]) -> Path:
    folder = tmp_path_factory.mktemp("fitted")
    corpus = write_lines(folder / "papers.jsonl", documents())
    result = run("fit", corpus, "-o", folder / "model.plait", "--split", "train", *QUICK)
    assert result.exit_code == 0, result.output
    return folder / "model.plait"


@pytest.fixture
def model_file(tmp_path: Path, _fitted: Path) -> Path:
    """A finished model of the training documents, the test's own copy."""
    path = tmp_path / "model.plait"
    path.write_bytes(_fitted.read_bytes())
    return path
