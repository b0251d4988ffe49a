"""Small models of all kinds, finished and interrupted, whose files are forged."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import plait
from plait.knowledge.related import RelatedArticles, Search
from plait.knowledge.strength import StrengthTrial
from tests.models.small import stopped_after
from tests.store.files import make

QUICK = make.QUICK | {"n_sweeps": 5, "fold_in_sweeps": 3}
SHARDS = QUICK | {"n_shards": 2}
CHAINS = SHARDS | {"n_chains": 2}
DATES = [f"2021-{1 + row // 8:02d}-01" for row in range(make.N_DOCUMENTS)]
SEVERAL = [[name for place, name in enumerate("abc") if (row + place) % 2] for row in range(make.N_DOCUMENTS)]


def dated() -> plait.Corpus:
    """Return documents of three months."""
    corpus = make.documents()
    texts = [make.text(row) for row in range(make.N_DOCUMENTS)]
    links = [(corpus.ids[i], corpus.ids[j]) for i, j in zip(*corpus.links.nonzero(), strict=True) if i // 8 == j // 8]
    return plait.Corpus.from_texts(texts, ids=corpus.ids, labels=corpus.labels, times=DATES, links=links)


def finished(model: Any, X: Any = None, y: Any = None, **more: Any) -> Callable[[Path], None]:
    """Return a function that fits a model and saves it."""
    return lambda path: _save(model.fit(make.documents() if X is None else X, y, **more), path)


def interrupted(model: Any, X: Any = None, y: Any = None, *, every: int = 5, **more: Any) -> Callable[[Path], None]:
    """Return a function that stops a fit after some sweeps and saves it."""
    given = make.documents() if X is None else X
    return lambda path: _save(stopped_after(2 * every, model.fit, given, y, **more), path)


def _save(value: Any, path: Path) -> None:
    plait.save(value, path)


def _knowledge() -> plait.KnowledgePrior:
    words = make.documents().vocabulary[:12]
    counts = np.arange(36.0).reshape(3, 12)
    names = np.array(["River", "Loan"], dtype=object)
    articles = RelatedArticles(names, names, np.array([4, 2]), np.array([[0, 1], [2, 0]]))
    search = Search("texts", 24, 9, 1, 4, 1, 1, 0, 2, 0.5)
    return plait.KnowledgePrior(words, counts, 0.5, 0.01, articles, search, (StrengthTrial(0.5, 20.0),))


def _linked_words(sampler: str, **more: Any) -> Any:
    return plait.LinkedLDA(**CHAINS, sampler=sampler, direction="both", **more)


def _combined(sampler: str, mixing: Any) -> Any:
    responses = [plait.LabelResponse(c=4.0), plait.LinkResponse(negatives_per_link=2.0), plait.ValueResponse()]
    return plait.TopicModel(**CHAINS, mixing=mixing, responses=responses, sampler=sampler)


def _online(**more: Any) -> Any:
    responses = [plait.LabelResponse(c=4.0), plait.LinkResponse(form="diagonal", negatives_per_link=2.0)]
    return plait.OnlineLDA(**QUICK, window=2, responses=responses, **more)


def originals() -> dict[str, Callable[[Path], Any]]:
    """Return functions that write the files, by name."""
    made: dict[str, Callable[[Path], Any]] = {
        f"old {name}": lambda path, name=name: shutil.copy(make.FOLDER / name, path) for name in make.FILES
    }
    for sampler in ("plain", "aggregated", "aggregated_sparse(2)", "limit", "sparse(2)"):
        made[f"LDA {sampler}, interrupted"] = interrupted(plait.LDA(**SHARDS, sampler=sampler, learn_alpha=True))
    counts = make.documents().counts
    values = make.values()
    made |= {
        "LDA of a matrix": finished(plait.LDA(**QUICK), counts),
        "LDA with a KnowledgePrior": finished(plait.LDA(**QUICK, beta=_knowledge())),
        "KnowledgePrior": lambda path: plait.save(_knowledge(), path),
        "SeedPrior": lambda path: plait.save(plait.SeedPrior({"water": ["river"]}), path),
        "MedLDA of several labels, interrupted": interrupted(plait.MedLDA(**CHAINS), y=SEVERAL),
        "MedLDA one against all, interrupted": interrupted(plait.MedLDA(**CHAINS, one_vs_all=True), every=13),
        "MedLDA limit, interrupted": interrupted(plait.MedLDA(**CHAINS, sampler="limit", loss="logistic")),
        "MedLDA of two classes": finished(plait.MedLDA(**CHAINS), y=[row % 2 for row in range(make.N_DOCUMENTS)]),
        "SupervisedLDA": finished(plait.SupervisedLDA(**CHAINS), y=values),
        "SupervisedLDA sparse, interrupted": interrupted(plait.SupervisedLDA(**CHAINS, sampler="sparse(2)"), y=values),
        "RelationalTopicModel diagonal, interrupted": interrupted(
            plait.RelationalTopicModel(**CHAINS, pair_features=None, form="diagonal", fresh_negatives=2)
        ),
        "RelationalTopicModel of low rank, interrupted": interrupted(
            plait.RelationalTopicModel(**CHAINS, pair_features=None, form="low_rank(2)")
        ),
        "RelationalTopicModel limit, interrupted": interrupted(
            plait.RelationalTopicModel(**CHAINS, pair_features=None, sampler="limit", negatives_per_link=2.0)
        ),
        "LinkedLDA plain, interrupted": interrupted(_linked_words("plain")),
        "LinkedLDA limit, interrupted": interrupted(_linked_words("limit", most_links=2)),
        "TopicModel, interrupted": interrupted(_combined("plain", plait.LinkedDocuments(0.3)), values=values),
        "TopicModel limit, interrupted": interrupted(_combined("limit", plait.OwnDocument(0.3)), values=values),
        "OnlineLDA": finished(_online(forget_after=2), dated(), times="month"),
        "OnlineLDA, interrupted": interrupted(_online(), dated(), every=10, times="month"),
    }
    return made


def write_originals(folder: Path, only: str = "") -> list[Path]:
    """Write the files whose names contain `only` to a folder, if they are not there, and return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, write in originals().items():
        path = folder / f"{name.replace(' ', '_').replace(',', '')}.model"
        if only not in path.name:
            continue
        if not path.exists():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                write(path)
        paths.append(path)
    return paths
