"""Checkpoints: a folder with the last two generations of an unfinished fit, each complete and checksummed.

    papers.plait.checkpoint/
      shared/fit-000003.safetensors         what does not change during a fit: parameters, seed, the past of a stream
      shared/sample-000012-00.safetensors   samples, each written once
      generation-000012/
        shard-00000.safetensors …           written by the shards themselves, at the same time
        state.safetensors                   what is global: α, β, weights of responses, histories
        manifest.json                       size and digest of each file; written last

A generation is written under a temporary name and renamed when it is complete. Whoever looks sees a whole one. If the
newest is damaged all the same (a torn disk, a copy that was interrupted), the one before is read, with a warning.
Files of the driver are those of `container.py`; files of shards are plain safetensors files. Nothing is pickled.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from plait import __version__
from plait._utils.atomic import WriteError, sync_folder, write_errors
from plait._utils.text import short
from plait.engine.run import Run
from plait.engine.sample import Sample
from plait.engine.state_files import StateFile, StoredState, digest_of
from plait.errors import PlaitError
from plait.models.fitting import Fit
from plait.store.codecs import Packer, Unpacker
from plait.store.container import FORMAT, FileError, pack_header, read_container, write_container

_GENERATION = re.compile(r"generation-(\d{6,})")
_SHARD = re.compile(r"shard-\d{5,}\.safetensors")
_SHARED = re.compile(r"(fit|sample)-[0-9-]+\.safetensors")
_KEPT = 2
State = Mapping[str, np.ndarray] | None


class Unfinished(NamedTuple):
    """What a checkpoint has."""

    kind: str  # class of the model
    parameters: dict[str, Any]
    attributes: dict[str, Any]
    sizes: tuple[int, int]  # words and documents
    state: State
    runs: list[Run]


class FolderWriter:
    """Writes the checkpoints of one fit, or of one slice of a stream.

    Parameters
    ----------
    model : TopicEstimator
        The model, whose parameters are kept.
    attributes : dict of str to object
        Attributes that `resume` needs.
    folder : Path
        Folder of the checkpoints, made if it does not exist.
    """

    def __init__(self, model: Any, attributes: dict[str, Any], folder: Path) -> None:
        from plait.store import savable_parameters

        self._folder = Path(folder).absolute()  # workers may have another working directory
        self._constant = {"parameters": savable_parameters(model), "fitted": attributes}
        self._kind = type(model).__name__
        self._serial: int | None = None
        self._kept_names: dict[int, set[str]] = {}  # files in shared/ of each generation
        self._fit_file = ""
        self._sample_files: dict[int, tuple[Sample, str]] = {}  # by id; the reference keeps the id unique

    def write(self, fit: Fit) -> None:
        """Write a generation, and remove those before the last two.

        Parameters
        ----------
        fit : Fit
            The fit, with its current chain.
        """
        first = self._serial is None
        with write_errors(self._folder):
            (self._folder / "shared").mkdir(parents=True, exist_ok=True)
            if first:
                self._serial = max(_list_generations(self._folder), default=0)
            self._serial = (self._serial or 0) + 1
            temporary = self._folder / f".generation-{self._serial:06d}.tmp"
            shutil.rmtree(temporary, ignore_errors=True)
            temporary.mkdir()
        try:
            shared = self._write_generation(fit, temporary)
            with write_errors(self._folder):
                temporary.rename(self._folder / f"generation-{self._serial:06d}")
                sync_folder(self._folder)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            if not has_checkpoint(self._folder):  # leave nothing where nothing was
                shutil.rmtree(self._folder / "shared", ignore_errors=True)
                with contextlib.suppress(OSError):
                    self._folder.rmdir()
            raise
        self._kept_names[self._serial] = shared
        self._remove_old(only_own=first and not fit.continues)

    def read(self) -> tuple[State, list[Run]]:
        """Return the state of the chain and the runs of the newest generation that is whole."""
        # In a stream the generation before may be that of the slice before.
        found = read_newest(self._folder, self._fit_file)
        return found.state, found.runs

    def _write_generation(self, fit: Fit, temporary: Path) -> set[str]:
        """Write all files of a generation; return the names of those in shared/."""
        files: list[StateFile] = []
        own: State = None
        if fit.chain is not None:
            files, own = fit.chain.write_shards(str(temporary)), fit.chain.own_arrays()
            _check_written(temporary, files)
        if not self._fit_file:
            name = f"fit-{self._serial:06d}.safetensors"
            n_documents, n_words = fit.words.counts.shape
            self._write(self._shared(name), {**self._constant, "sizes": (int(n_words), int(n_documents))})
            self._fit_file = name
        samples = [self._write_samples(run) for run in fit.runs]
        skeletons = [replace(run, samples=[], influences=[], doc_topic_sum=None) for run in fit.runs]
        self._write(temporary / "state.safetensors", {"state": own, "runs": skeletons})
        content = {
            "format": FORMAT,
            "plait": __version__,
            "model": self._kind,
            "seed": fit.seed,
            "fingerprint": fit.fingerprint,
            "sweeps": sum(run.n_sweeps for run in fit.runs),
            "fit": self._fit_file,
            "samples": samples,
            "shards": [{"name": one.name, "bytes": one.n_bytes, "digest": one.digest} for one in files],
        }
        text = json.dumps({**content, "digest": _manifest_digest(content)}, indent=1)
        self._create(temporary / "manifest.json", lambda file: file.write(text.encode()))
        return {self._fit_file, *(name for own_names in samples for name in own_names)}

    def _write_samples(self, run: Run) -> list[str]:
        """Write the samples of a run that were not written before; return the names of all."""
        n_influences = len(run.influences)
        for place, sample in enumerate(run.samples):
            if id(sample) in self._sample_files and self._shared(self._sample_files[id(sample)][1]).exists():
                continue
            number = place - len(run.samples) + n_influences  # files of earlier versions have fewer influences
            content = {
                "sample": sample,
                "influences": [run.influences[number]] if 0 <= number < n_influences else [],
                "doc_topic_sum": run.doc_topic_sum if place == len(run.samples) - 1 else None,
            }
            name = f"sample-{self._serial:06d}-{len(self._sample_files):04d}.safetensors"
            self._write(self._shared(name), content)
            self._sample_files[id(sample)] = sample, name
        return [self._sample_files[id(sample)][1] for sample in run.samples]

    def _shared(self, name: str) -> Path:
        return self._folder / "shared" / name

    def _write(self, path: Path, content: dict[str, Any]) -> None:
        """Write values as a file of `container.py`."""
        packer = Packer()
        packed = {name: packer.pack(value, name) for name, value in content.items()}
        header = pack_header({"plait": __version__, "model": self._kind, "content": packed}, packer.tensors)
        self._create(path, lambda file: write_container(file, header, packer.tensors))

    def _create(self, path: Path, write: Callable[[BinaryIO], object]) -> None:
        """Write a file of its own name and sync it; it belongs to no generation before the manifest is in place."""
        with write_errors(self._folder), path.open("wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())

    def _remove_old(self, *, only_own: bool) -> None:
        """Remove all but the last two generations, or all that another fit has left, and files that none needs."""
        found = _list_generations(self._folder)
        for serial in sorted(found)[:-_KEPT] if not only_own else [one for one in found if one != self._serial]:
            shutil.rmtree(found.pop(serial), ignore_errors=True)
            self._kept_names.pop(serial, None)
        for serial, path in found.items():
            if serial not in self._kept_names:  # of the fit that this one continues
                with contextlib.suppress(PlaitError, OSError, ValueError):
                    manifest = _read_manifest(path)
                    self._kept_names[serial] = {manifest["fit"], *(one for own in manifest["samples"] for one in own)}
        needed = set().union(*(self._kept_names.get(serial, set()) for serial in found))
        with contextlib.suppress(OSError):
            for path in (self._folder / "shared").iterdir():
                if path.name not in needed and (_SHARED.fullmatch(path.name) or path.name.endswith(".tmp")):
                    path.unlink()
            for path in self._folder.glob(".generation-*.tmp"):  # of a process that was killed: there is one writer
                shutil.rmtree(path, ignore_errors=True)


def read_newest(folder: Path, fit_file: str | None = None) -> Unfinished:
    """Return what the newest whole generation of a folder has; a damaged one is skipped with a warning.

    Parameters
    ----------
    folder : Path
        Folder of checkpoints.
    fit_file : str or None, default None
        Name of the file of the fit in shared/, if only checkpoints of this fit are wanted.

    Returns
    -------
    Unfinished
        Parameters, state and runs.
    """
    found = _list_generations(folder)
    problems = []
    for serial in sorted(found, reverse=True):
        try:
            unfinished = _read_generation(found[serial], fit_file)
        except (PlaitError, OSError, LookupError, TypeError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else error
            problems.append(f"{found[serial].name}: {short(str(reason), 300)}")
            continue
        if problems:
            warnings.warn(
                f"{folder}: {problems[0]}; the checkpoint before it is used, {found[serial].name}", stacklevel=2
            )
        return unfinished
    if problems:
        raise FileError(f"has no checkpoint that is whole ({problems[0]}); fit again")
    raise FileError("is a folder without checkpoints; give a model that plait.save or plait fit wrote, or a checkpoint")


def has_checkpoint(folder: Path) -> bool:
    """Return whether a folder has a generation of checkpoints.

    Parameters
    ----------
    folder : Path
        The folder, which need not exist.
    """
    return bool(_list_generations(folder))


def remove_checkpoint(folder: Path, model: Any = None) -> None:
    """Remove a folder of checkpoints, unless it belongs to another fit or has more sweeps than a model.

    Parameters
    ----------
    folder : Path
        The folder, which need not exist.
    model : TopicEstimator or None, default None
        The model that was saved; None removes the checkpoints of any fit.
    """
    found = _list_generations(folder)
    if not found:
        return
    if model is not None:
        try:
            newest = _read_manifest(found[max(found)])
        except (PlaitError, OSError, LookupError, TypeError, ValueError):
            return
        same = (newest["model"], newest["seed"]) == (type(model).__name__, model.seed_)
        if not same or newest["fingerprint"] != model._corpus_fingerprint or newest["sweeps"] > model.n_sweeps_:
            return
    for path in [*found.values(), *folder.glob(".generation-*.tmp"), folder / "shared"]:
        shutil.rmtree(path, ignore_errors=True)
    with contextlib.suppress(OSError):  # files of somebody else stay
        folder.rmdir()


def _list_generations(folder: Path) -> dict[int, Path]:
    """Return the generations of a folder by number."""
    if not folder.is_dir():
        return {}
    found = ((_GENERATION.fullmatch(path.name), path) for path in folder.iterdir())
    return {int(match[1]): path for match, path in found if match}


def _manifest_digest(content: dict[str, Any]) -> str:
    return digest_of(json.dumps(content, sort_keys=True).encode())


def _read_manifest(generation: Path) -> dict[str, Any]:
    """Return the manifest of a generation after checking its digest and the names in it."""
    manifest: dict[str, Any] = json.loads((generation / "manifest.json").read_bytes())
    digest = manifest.pop("digest")
    if not isinstance(manifest["format"], int) or manifest["format"] > FORMAT:
        raise FileError(
            f"was written by plait {short(str(manifest.get('plait')), 30)}; this version reads formats up to {FORMAT}: "
            "upgrade plait"
        )
    if digest != _manifest_digest(manifest):
        raise PlaitError("manifest.json does not match its digest")
    names = [manifest["fit"], *(name for own in manifest["samples"] for name in own)]
    if not all(_SHARED.fullmatch(name) for name in names):
        raise PlaitError("manifest.json names files that plait does not write")
    if not all(_SHARD.fullmatch(one["name"]) for one in manifest["shards"]):
        raise PlaitError("manifest.json names shards that plait does not write")
    return manifest


def _read_generation(generation: Path, fit_file: str | None) -> Unfinished:
    manifest, shared = _read_manifest(generation), generation.parent / "shared"
    if fit_file not in (None, manifest["fit"]):
        raise PlaitError("it is of another fit")
    constant = _read(shared / manifest["fit"])
    current = _read(generation / "state.safetensors")
    own, runs = current["state"], current["runs"]
    if len(runs) != len(manifest["samples"]) or not all(type(run) is Run for run in runs):
        raise PlaitError("it has no runs, or others than runs")
    for run, names in zip(runs, manifest["samples"], strict=True):
        for name in names:
            kept = _read(shared / name)
            run.samples.append(kept["sample"])
            run.influences.extend(kept["influences"])
            run.doc_topic_sum = kept["doc_topic_sum"]
    state = None
    if own is not None:
        files = [StateFile(one["name"], one["bytes"], one["digest"]) for one in manifest["shards"]]
        state = StoredState(own, str(generation), files)
        state.check_files()
    sizes = constant["sizes"]
    return Unfinished(manifest["model"], constant["parameters"], constant["fitted"], sizes, state, runs)


def _read(path: Path) -> dict[str, Any]:
    """Return the values of a file that `FolderWriter` wrote."""
    try:
        manifest, tensors = read_container(path)
    except FileError as error:
        raise PlaitError(f"{path.name} {error}") from error
    unpacker = Unpacker(tensors)
    return {name: unpacker.unpack(value) for name, value in manifest["content"].items()}


def _check_written(folder: Path, files: list[StateFile]) -> None:
    """Raise an error if a shard could not write its file, or if this process does not see it."""
    for one in files:
        if one.problem is not None:
            raise WriteError(f"{folder.parent} could not be written: {one.problem}; what was there before is unchanged")
        path = folder / one.name
        if not path.exists() or path.stat().st_size != one.n_bytes:
            raise WriteError(
                f"{folder.parent} is not the same folder on all machines: a worker wrote {one.name}, and the driver "
                "does not see it; name a checkpoint on storage that all nodes share"
            )
