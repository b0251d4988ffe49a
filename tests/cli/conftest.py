"""A runner of commands, and the small corpus and a model of it as files."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer.testing
from typer.testing import CliRunner, Result

from plait.cli.app import app
from tests.cli.small import QUICK, THREE, documents, labelled, write_lines, write_linked

# Building the commands from their functions takes longer than most of them; runners would do so for each call.
typer.testing._get_command = cache(typer.testing._get_command)


@pytest.fixture(scope="session")
def run() -> Callable[..., Result]:
    """Run a command; a bug in it is raised here, with its traceback."""

    def run_command(*arguments: Any) -> Result:
        return CliRunner(env={"PLAIT_DEBUG": "1"}).invoke(
            app, [str(argument) for argument in arguments], catch_exceptions=False
        )

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


@pytest.fixture
def labelled_file(tmp_path: Path) -> Path:
    """Documents with one label and a number of stars each."""
    return write_lines(tmp_path / "labelled.jsonl", labelled())


@pytest.fixture
def several_file(tmp_path: Path) -> Path:
    """Documents with one label or two."""
    return write_lines(tmp_path / "several.jsonl", labelled(several=True))


@pytest.fixture(scope="session")
def _fitted_with_labels(tmp_path_factory: pytest.TempPathFactory, run: Callable[..., Result]) -> Path:
    folder = tmp_path_factory.mktemp("labels")
    one = write_lines(folder / "one.jsonl", labelled())
    two = write_lines(folder / "two.jsonl", [row for row in labelled() if row.get("label") != "music"])
    several = write_lines(folder / "several.jsonl", labelled(several=True))
    for name, corpus, *options in (
        ("one", one, "--model", "medlda"),
        ("two", two, "--model", "medlda"),
        ("several", several, "--model", "medlda"),
        ("stars", one, "--model", "slda", "--label", "stars"),
    ):
        result = run("fit", corpus, "-o", folder / f"{name}.plait", "--split", "train", *THREE, *options)
        assert result.exit_code == 0, result.output
    return folder


@pytest.fixture
def label_model(_fitted_with_labels: Path) -> Path:
    """A model of one of three labels, of the training documents; not to be written to."""
    return _fitted_with_labels / "one.plait"


@pytest.fixture
def two_label_model(_fitted_with_labels: Path) -> Path:
    """A model of one of two labels; not to be written to."""
    return _fitted_with_labels / "two.plait"


@pytest.fixture
def several_model(_fitted_with_labels: Path) -> Path:
    """A model of several labels a document; not to be written to."""
    return _fitted_with_labels / "several.plait"


@pytest.fixture
def stars_model(_fitted_with_labels: Path) -> Path:
    """A model of a number; not to be written to."""
    return _fitted_with_labels / "stars.plait"


@pytest.fixture
def linked_folder(tmp_path: Path) -> Path:
    """Documents with links between them."""
    return write_linked(tmp_path / "linked")


@pytest.fixture
def braided_folder(tmp_path: Path) -> Path:
    """Documents with labels, stars and links between them."""
    return write_linked(tmp_path / "braided", labels=True)


@pytest.fixture(scope="session")
def influence_model(tmp_path_factory: pytest.TempPathFactory, run: Callable[..., Result]) -> Path:
    """A model that follows one link of each of the training documents; not to be written to."""
    folder = tmp_path_factory.mktemp("influence")
    corpus = write_linked(folder / "corpus")
    options = ["--split", "train", "--model", "linked", "--most-links", "1", *THREE]
    result = run("fit", corpus, "-o", folder / "m.plait", *options)
    assert result.exit_code == 0, result.output
    return folder / "m.plait"


@pytest.fixture(scope="session")
def combined_model(tmp_path_factory: pytest.TempPathFactory, run: Callable[..., Result]) -> Path:
    """A model of labels, links and influence, of the training documents; not to be written to."""
    folder = tmp_path_factory.mktemp("combined")
    corpus = write_linked(folder / "corpus", labels=True)
    options = ["--split", "train", "--model", "combined", "--use", "labels,links,influence", "--chains", "1", *THREE]
    result = run("fit", corpus, "-o", folder / "m.plait", *options)
    assert result.exit_code == 0, result.output
    return folder / "m.plait"


@pytest.fixture(scope="session")
def link_model(tmp_path_factory: pytest.TempPathFactory, run: Callable[..., Result]) -> Path:
    """A model of links, of the training documents; not to be written to."""
    folder = tmp_path_factory.mktemp("links")
    corpus = write_linked(folder / "corpus")
    result = run(
        "fit",
        corpus,
        "-o",
        folder / "m.plait",
        "--split",
        "train",
        "--model",
        "relational",
        *THREE,
        "--pair-features",
        "none",
    )
    assert result.exit_code == 0, result.output
    return folder / "m.plait"
