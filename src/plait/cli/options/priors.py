"""Priors on the command line: one that `plait knowledge` saved, or seeds in a file of words by topic."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import typer

from plait.errors import PlaitError

_SEEDS_FORM = 'JSON such as {"finance": ["loan", "bank"]}, or lines such as "finance: loan bank"'


def with_prior(given: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a model with --prior or --seeds as the priors themselves, in place of --beta.

    Parameters
    ----------
    given
        Options that were given, by name.
    """
    asked = dict(given)
    strength = asked.pop("seed_strength", None)
    if strength is not None and "seeds" not in asked:
        raise typer.BadParameter("--seed-strength is for --seeds")
    if "prior" in asked and "seeds" in asked:
        raise typer.BadParameter("--prior and --seeds both say what topics begin from; give one of them")
    if "prior" in asked:
        if "beta" in asked:
            raise typer.BadParameter("--prior has a β of its own, plait knowledge --beta; leave --beta out")
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
    """Load a prior, with an error that says what such a file is."""
    from plait.priors import is_prior
    from plait.store import load

    if not path.exists():
        raise PlaitError(f"{path} does not exist; give a prior that plait knowledge saved")
    prior = load(path)
    if not is_prior(prior):
        raise PlaitError(f"{path} holds a model ({type(prior).__name__}), not a prior; give one of plait knowledge")
    return prior


def read_seeds(path: Path) -> dict[str, list[str]]:
    """Read words by topic: a JSON object, or a line a topic."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        reason = error.strerror or str(error)
        raise PlaitError(f"{path} cannot be read: {reason}; give a file of seeds: {_SEEDS_FORM}") from error
    except UnicodeDecodeError as error:
        raise PlaitError(
            f"{path} cannot be read as UTF-8 text ({error}); give a file of seeds: {_SEEDS_FORM}"
        ) from None
    seeds = _of_json(text, path) if text.lstrip().startswith("{") else _of_lines(text.splitlines(), path)
    if not seeds:
        raise PlaitError(f"{path} holds no seeds; write {_SEEDS_FORM}")
    return seeds


def _of_json(text: str, path: Path) -> dict[str, list[str]]:
    try:
        seeds: dict[str, list[str]] = json.loads(text)
    except json.JSONDecodeError as error:
        raise PlaitError(f"{path}, line {error.lineno}: {error.msg}; write {_SEEDS_FORM}") from None
    return seeds  # SeedPrior says what is wrong with names and words


def _of_lines(lines: Iterable[str], path: Path) -> dict[str, list[str]]:
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
