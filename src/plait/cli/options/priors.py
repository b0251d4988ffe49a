"""Priors on the command line: a file that `plait knowledge` saved, or a file of seed words."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import typer

from plait.errors import PlaitError

_SEEDS_FORM = 'JSON such as {"finance": ["loan", "bank"]}, or lines such as "finance: loan bank"'


def with_prior(given: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a model with the prior of --prior or --seeds in place of the path.

    Parameters
    ----------
    given : dict
        Values of the options that were given, by name.

    Returns
    -------
    dict
        Values by name.
    """
    asked = dict(given)
    strength = asked.pop("seed_strength", None)
    if strength is not None and "seeds" not in asked:
        raise typer.BadParameter("--seed-strength is for --seeds")
    if "prior" in asked and "seeds" in asked:
        raise typer.BadParameter("--prior and --seeds both set the prior of the topics; give one of them")
    if "prior" in asked:
        if "beta" in asked:
            raise typer.BadParameter("--prior has its own β (plait knowledge --beta); leave --beta out")
        asked["prior"] = load_prior(asked["prior"])
        if hasattr(asked["prior"], "n_topics"):
            asked.setdefault("topics", asked["prior"].n_topics)
    if "seeds" in asked:
        from plait.priors import SeedPrior

        more = {"strength": strength, "base": asked.pop("beta", None)}
        more = {name: value for name, value in more.items() if value is not None}
        asked["seeds"] = SeedPrior(read_seeds(asked["seeds"]), **more)
    return asked


def load_prior(path: Path) -> Any:
    """Return the prior in a file; another file is an error.

    Parameters
    ----------
    path : Path
        File that `plait knowledge` saved.

    Returns
    -------
    object
        The prior.
    """
    from plait.priors import is_prior
    from plait.store import load

    if not path.exists():
        raise PlaitError(f"{path} does not exist; give a prior that plait knowledge saved")
    prior = load(path)
    if not is_prior(prior):
        raise PlaitError(
            f"{path} holds a model ({type(prior).__name__}), not a prior; give one that plait knowledge saved"
        )
    return prior


def read_seeds(path: Path) -> dict[str, list[str]]:
    """Return seed words by topic from a file: a JSON object, or one line per topic.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    dict
        Seed words by the name of the topic.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        reason = error.strerror or str(error)
        raise PlaitError(f"{path} cannot be read: {reason}; give a file of seeds: {_SEEDS_FORM}") from error
    except UnicodeDecodeError as error:
        raise PlaitError(
            f"{path} cannot be read as UTF-8 text ({error}); give a file of seeds: {_SEEDS_FORM}"
        ) from None
    seeds = _from_json(text, path) if text.lstrip().startswith("{") else _from_lines(text.splitlines(), path)
    if not seeds:
        raise PlaitError(f"{path} holds no seeds; write {_SEEDS_FORM}")
    return seeds


def _from_json(text: str, path: Path) -> dict[str, list[str]]:
    from plait.corpus.problems import BadValueError
    from plait.corpus.values import parse_json

    try:
        seeds: dict[str, list[str]] = parse_json(text)
    except BadValueError as error:
        line = getattr(error.__cause__, "lineno", None)  # of a JSONDecodeError
        place = str(path) if line is None else f"{path}, line {line}"
        raise PlaitError(f"{place}: {error.message}; write {_SEEDS_FORM}") from None
    return seeds  # SeedPrior checks the names and the words


def _from_lines(lines: Iterable[str], path: Path) -> dict[str, list[str]]:
    seeds: dict[str, list[str]] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        name, colon, words = line.partition(":")
        if not colon or not name.strip() or not words.replace(",", " ").split():
            raise PlaitError(f"{path}, line {number}: no topic and words in {line.strip()!r}; write {_SEEDS_FORM}")
        if name.strip() in seeds:
            raise PlaitError(f"{path}, line {number}: the topic {name.strip()!r} is there twice; write it once")
        seeds[name.strip()] = words.replace(",", " ").split()
    return seeds
