"""Save and load fitted models and priors.

A model file is a safetensors file. It contains no code and is never unpickled.

- Arrays are stored as tensors. All other values are stored as JSON, the manifest, in the metadata of the safetensors
  header. The metadata also has a digest of the manifest, and the manifest has the type, shape and digest of every
  tensor, so any damaged byte is detected.
- The manifest has the keys "format" (version of the format, an integer), "plait" (version of plait), "model" (class),
  "tensors", and for a model "parameters" (constructor parameters) and "fitted" (all other attributes), for a prior
  "prior". It refers to arrays by tensor name.
- Classes are stored under the names in `registry.py`, not by module.
- "format" increases when older versions of plait cannot read new files. Files of earlier versions can be read.

A file may come from a stranger, and digests only protect against accidents: whoever forges a file computes them, too.
Compiled code does not check its indices. So nothing reaches it that was not compared with the sizes of the model:

1. The container has the digests that it declares, and no tensor is larger than the file (`container.py`; `mapping.py`
   maps tensors into memory).
2. Each value agrees with itself: shapes, rows and columns of sparse arrays, offsets of texts, types of fields
   (`codecs.py`, `columns.py`, `documents.py`, `features.py`, `parsing.py`, `tensors.py`, `text_options.py`,
   `fields.py`). Only classes in `registry.py` are made.
3. The values of a model agree with each other: numbers of topics, words, documents and tasks, ranges of topics and
   documents, finite numbers (`checks.py`, `stream_checks.py`, `pair_checks.py`, and a method `check_sizes` of each
   class that is kept in a file).
4. The state of an interrupted chain agrees with the corpus that the fit is resumed with: `Chain.restore` checks the
   topic of every token and the source of every token, because only the corpus says how many there are.

`checkpoints.py` writes and reads the folder of an unfinished fit. `older.py` converts the content of files written by
earlier versions before step 3.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sparse

from plait import __version__
from plait._utils.atomic import replace_file
from plait._utils.text import short
from plait.errors import PlaitError
from plait.inputs.features import as_matrix
from plait.models import MODELS, TopicEstimator
from plait.models.fitting import checkpoint_folder
from plait.priors import AnyPrior, is_prior
from plait.store.checkpoints import has_checkpoint, read_newest, remove_checkpoint
from plait.store.checks import check_model, check_parameters, check_unfinished
from plait.store.codecs import Packer, Unpacker
from plait.store.container import FORMAT, FileError, damaged, pack_header, read_container, write_container
from plait.store.documents import share_ids
from plait.store.fields import check_fields
from plait.store.older import add_missing, convert_older, rename_parameters

__all__ = ["FORMAT", "load", "save"]


def save(model: TopicEstimator | AnyPrior, path: str | os.PathLike[str]) -> Path:
    """Save a fitted model or a prior to a file.

    The file is replaced atomically. It is a safetensors file with a JSON manifest and digests, and contains no code.
    An interrupted fit can be resumed from it: `plait.load(path).resume(corpus)`. The checkpoint of the same fit beside
    the file, which it replaces, is removed.

    A generator passed as `random_state` is not saved; the loaded model has `random_state=None`. The seed drawn from
    it, `seed_`, is saved, so a resumed fit gives the same result. An executor other than
    "threads" is not saved either.

    Parameters
    ----------
    model : TopicEstimator or prior
        A fitted model of plait, or a prior.
    path : str or path
        File to write. An existing file is replaced.

    Returns
    -------
    Path
        The path.

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
    content = {"prior": packer.pack(model, "prior")} if is_prior(model) else _pack_model(model, packer)
    header = pack_header({"plait": __version__, "model": type(model).__name__, **content}, packer.tensors)
    replace_file(Path(path), lambda file: write_container(file, header, packer.tensors))
    if not is_prior(model):
        remove_checkpoint(checkpoint_folder(path), model)
    return Path(path)


def _pack_model(model: Any, packer: Packer) -> dict[str, Any]:
    """Return the manifest entries of a fitted model; its arrays are added to the packer."""
    kind = type(model).__name__
    if MODELS.get(kind) is not type(model):
        raise PlaitError(f"save takes plait's own models ({', '.join(MODELS)}) and priors, not {kind} objects")
    if not _is_fitted(model):
        raise PlaitError(f"this {kind} is not fitted; fit it before saving it")
    parameters = savable_parameters(model)
    fitted = {name: value for name, value in vars(model).items() if name not in parameters}
    content = {
        "parameters": {name: packer.pack(value, name) for name, value in parameters.items()},
        "fitted": {name: packer.pack(value, name) for name, value in fitted.items()},
    }
    check_parameters(model)  # a parameter may have been changed after the fit, and `load` would reject it
    return content


def savable_parameters(model: TopicEstimator) -> dict[str, Any]:
    """Return the parameters of a model without those that belong to this process.

    Parameters
    ----------
    model : TopicEstimator
        The model.

    Returns
    -------
    dict of str to object
        Parameters by name.
    """
    parameters: dict[str, Any] = model.get_params(deep=False)
    if _is_generator(parameters.get("random_state")):
        parameters["random_state"] = None
    features = parameters.get("features")
    if features is not None and type(features) not in (str, np.ndarray, sparse.csr_array):  # a data frame, say
        parameters["features"] = as_matrix(features)
    if parameters["executor"] != "threads":  # a model that was fitted on a cluster is used anywhere
        parameters["executor"] = None
    return parameters


def load(path: str | os.PathLike[str], *, memory_map: bool = False) -> Any:
    """Load a model or a prior from a file written by `plait.save`, or an unfinished fit from its checkpoint.

    No code in the file is executed, and only plait's own classes are created. Digests, types, sizes and ranges of all
    values are checked, so a damaged, truncated or forged file raises an error.

    Parameters
    ----------
    path : str or path
        The file, or the folder of a checkpoint. Where there is no file, the checkpoint beside it is loaded: that of
        `fit(corpus, checkpoint=path)`. A model from a checkpoint has no results before `resume`.
    memory_map : bool, default False
        Map the arrays of the file into memory instead of reading them: processes that load the same file share its
        memory. The file is never changed through the arrays. It may be replaced, as `save` does, while it is mapped,
        but must not be truncated or overwritten in place.

    Returns
    -------
    TopicEstimator or prior
        The model or prior, as it was when it was saved.

    Examples
    --------
    >>> import tempfile
    >>> import plait
    >>> model = plait.LDA(2, n_sweeps=5, random_state=0, verbose=False).fit(["river stream", "bank loan"] * 5)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     again = plait.load(plait.save(model, f"{folder}/model.plait"))
    >>> bool((again.topic_word_ == model.topic_word_).all())
    True
    """
    place = Path(path)
    folder = place if place.is_dir() else checkpoint_folder(place)
    try:
        if place.is_dir() or (not place.exists() and has_checkpoint(folder)):
            place = folder
            return _read_checkpoint(folder)
        return _read_file(place, memory_map)
    except FileError as error:
        raise PlaitError(f"{short(str(place), 1000)} {short(str(error), 1000)}") from error
    except MemoryError as error:
        raise PlaitError(f"{short(str(place), 1000)} needs more memory than there is") from error


def _read_file(place: Path, memory_map: bool) -> Any:
    """Return the model or the prior of a file; raise `FileError` if it is not valid."""
    with _damage_errors():
        manifest, tensors = read_container(place, mapped=memory_map)
        unpacker, kind = Unpacker(tensors), manifest["model"]
        if "prior" in manifest:
            return _check_prior(unpacker.unpack(manifest["prior"]))
        if kind not in MODELS:
            raise FileError(
                f"contains a model of the class {short(kind)}, written by plait {short(manifest['plait'], 30)};"
                f" this version, {__version__}, has {', '.join(MODELS)}: upgrade plait"
            )
        parameters = {name: unpacker.unpack(value) for name, value in manifest["parameters"].items()}
        fitted = {name: unpacker.unpack(value) for name, value in manifest["fitted"].items()}
        return _make_model(MODELS[kind], rename_parameters(kind, parameters), share_ids(convert_older(fitted)))


def _read_checkpoint(folder: Path) -> TopicEstimator:
    """Return the unfinished model of a checkpoint; raise `FileError` if it is not valid."""
    found = read_newest(folder)
    with _damage_errors():
        if found.kind not in MODELS:
            raise FileError(f"contains a model of the class {short(found.kind)}; upgrade plait")
        unfinished = {"_unfinished": (found.state, found.runs)}
        history = [record for run in found.runs for record in run.history.records]
        attributes = {**found.attributes, **unfinished, "history_": history, "n_sweeps_": len(history)}
        model = _set_attributes(MODELS[found.kind], found.parameters, attributes)
        check_unfinished(model, *found.sizes)
        return model


@contextlib.contextmanager
def _damage_errors() -> Iterator[None]:
    """Turn any error about the content of a file into a `FileError`."""
    try:
        yield
    except (FileError, MemoryError):
        raise
    except PlaitError as error:
        raise damaged(str(error)) from error
    except Exception as error:  # the classes of plait rely on types and sizes, so a forged file can raise any error
        raise damaged(repr(error)) from error


def _check_prior(prior: Any) -> Any:
    """Return the value; raise an error if it is not a prior."""
    if not is_prior(prior):
        raise FileError(
            f"contains a {type(prior).__name__} instead of a prior; give one that plait.save or plait knowledge wrote"
        )
    return prior


def _make_model(kind: type[TopicEstimator], parameters: dict[str, Any], fitted: dict[str, Any]) -> TopicEstimator:
    """Return a model with the given parameters and fitted attributes."""
    model = _set_attributes(kind, parameters, fitted)
    add_missing(model)
    if not _is_fitted(model):
        raise FileError(f"contains a model of the class {kind.__name__} that is not fitted; fit it and save it again")
    check_model(model)
    return model


def _set_attributes(kind: type[TopicEstimator], parameters: dict[str, Any], fitted: dict[str, Any]) -> TopicEstimator:
    """Return a model with parameters and attributes that are not checked against each other yet."""
    for name in fitted:
        if name in parameters or name.startswith("__") or hasattr(kind, name):
            raise FileError(
                f"sets {short(name)}, which is not a fitted attribute of {kind.__name__}; give a file that "
                "plait.save wrote"
            )
    check_fields(kind, parameters)
    model = kind(**parameters)
    model.__dict__.update(fitted)
    return model


def _is_fitted(model: TopicEstimator) -> bool:
    """Return whether a model is fitted."""
    # topic_word_ is set when the chains have run. A failed fit leaves other attributes, such as `seed_`.
    return hasattr(model, "topic_word_")


def _is_generator(random_state: Any) -> bool:
    """Return whether `random_state` is a NumPy generator."""
    return isinstance(random_state, (np.random.Generator, np.random.RandomState)) or random_state is np.random
