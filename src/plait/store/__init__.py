"""Saving and loading of fitted models and of priors: one file of safetensors and JSON, with a version, never pickle.

`container.py` is the file with its digests, `codecs.py` says how each kind of value is kept, `older.py` reads what
earlier versions wrote. Nothing here knows what a model learns: `save` keeps every attribute that it has. Of a prior it
keeps the fields.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from plait import __version__
from plait._utils.atomic import replace_file
from plait.errors import PlaitError
from plait.models import MODELS, TopicEstimator
from plait.priors import AnyPrior, is_prior
from plait.store.codecs import Packer, Unpacker
from plait.store.container import FORMAT, pack_header, read_container, write_container
from plait.store.older import bring_up_to_date, rename_parameters

__all__ = ["FORMAT", "load", "save"]


def save(model: TopicEstimator | AnyPrior, path: str | os.PathLike[str]) -> Path:
    """Save a fitted model, or a prior, to a file, whole or not at all.

    The file is safetensors with a JSON manifest and digests, and holds no code. A model whose fit was
    stopped can go on from it: `plait.load(path).resume(corpus)`.

    A generator given as `random_state` cannot be kept: the loaded model has None there. The seed that was
    drawn from it, `seed_`, is kept, so a fit that goes on is not changed by this. An executor
    object is not kept, either.

    Parameters
    ----------
    model
        A fitted model of plait, or one of its priors.
    path
        Where to; a file that is there is replaced in one step.

    Returns
    -------
    Path
        The path, as it was given.

    Examples
    --------
    >>> import tempfile
    >>> from plait import LDA, Corpus
    >>> corpus = Corpus.from_texts(["river stream bank", "money loan bank"] * 5)
    >>> model = LDA(n_topics=2, random_state=0, verbose=False).fit(corpus)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     again = load(save(model, Path(folder) / "rivers.plait"))
    >>> bool((again.transform(corpus) == model.transform(corpus)).all())
    True
    """
    packer = Packer()
    content = {"prior": packer.pack(model, "prior")} if is_prior(model) else _packed_model(model, packer)
    header = pack_header({"plait": __version__, "model": type(model).__name__, **content}, packer.tensors)
    replace_file(Path(path), lambda file: write_container(file, header, packer.tensors))
    return Path(path)


def _packed_model(model: Any, packer: Packer) -> dict[str, Any]:
    kind = type(model).__name__
    if MODELS.get(kind) is not type(model):
        raise PlaitError(f"save keeps plait's own models ({', '.join(MODELS)}) and priors, not {kind} objects")
    if not _is_fitted(model):
        raise PlaitError(f"this {kind} has learnt nothing yet; fit it before saving it")
    settings = model.get_params(deep=False)
    if _is_generator(settings.get("random_state")):
        settings["random_state"] = None
    if not isinstance(settings["executor"], str):
        settings["executor"] = None
    learnt = {name: value for name, value in vars(model).items() if name not in settings}
    return {
        "parameters": {name: packer.pack(value, name) for name, value in settings.items()},
        "fitted": {name: packer.pack(value, name) for name, value in learnt.items()},
    }


def load(path: str | os.PathLike[str]) -> Any:
    """Load a model or a prior that `plait.save` wrote; the file says which it is.

    Nothing in the file is run, and only plait's own models and their parts are made from it. It is
    compared with its digests, so one that was damaged or cut off is refused.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    TopicEstimator, or a prior
        The model or the prior, as it was when it was saved.
    """
    place = Path(path)
    try:
        manifest, tensors = read_container(place)
        kind = manifest["model"]
        unpacker = Unpacker(tensors)
        if "prior" in manifest:
            return _checked_prior(unpacker.unpack(manifest["prior"]))
        if kind not in MODELS:
            raise PlaitError(
                f"holds a model of the class {kind}, written by plait {manifest['plait']}; this plait, "
                f"{__version__}, has {', '.join(MODELS)}: upgrade plait"
            )
        settings = {name: unpacker.unpack(value) for name, value in manifest["parameters"].items()}
        learnt = {name: unpacker.unpack(value) for name, value in manifest["fitted"].items()}
        return _rebuilt(MODELS[kind], rename_parameters(kind, settings), bring_up_to_date(learnt))
    except PlaitError as error:
        raise PlaitError(f"{place} {error}") from error
    # The digests were right, so this is no accident on the disk: something else than `save` wrote the file.
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise PlaitError(f"{place} does not hold what a model file of plait must hold: {error!r}") from error


def _checked_prior(prior: Any) -> Any:
    if not is_prior(prior):
        raise PlaitError(f"holds a {type(prior).__name__} in place of a prior")
    return prior


def _rebuilt(kind: type[TopicEstimator], settings: dict[str, Any], learnt: dict[str, Any]) -> TopicEstimator:
    for name in learnt:
        if name in settings or name.startswith("__") or callable(getattr(kind, name, None)):
            raise PlaitError(f"sets {name}, which is not something that {kind.__name__} learns")
    model = kind(**settings)
    model.__dict__.update(learnt)
    if not _is_fitted(model):
        raise PlaitError(f"holds a model, {kind.__name__}, that has learnt nothing")
    return model


def _is_fitted(model: TopicEstimator) -> bool:
    # Set once a chain has run. A fit that failed leaves others behind that end in "_", such as `seed_`.
    return hasattr(model, "topic_word_")


def _is_generator(random_state: Any) -> bool:
    return isinstance(random_state, (np.random.Generator, np.random.RandomState)) or random_state is np.random
