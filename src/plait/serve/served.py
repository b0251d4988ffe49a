"""The served model: loaded from its file, replaced when the file is, renamed under the lock of the file."""

from __future__ import annotations

import copy
import threading
import time
from pathlib import Path
from typing import Any, NamedTuple

from plait._utils.locking import lock_for_writing
from plait.errors import PlaitError
from plait.priors import is_prior
from plait.serve.catalogue import Catalogue
from plait.serve.errors import LOG, RequestError
from plait.serve.texts import TextAnswers
from plait.store import load, save

_CHECK_EVERY = 1.0  # seconds between looks at the file


class Snapshot(NamedTuple):
    """The model as it was at one time; a request uses one snapshot."""

    catalogue: Catalogue
    texts: TextAnswers
    number: int  # increases when the model is replaced
    kept: dict[str, Any]  # parameters of the file that serving does not use


class ServedModel:
    """A model of a file, memory-mapped, so that all workers share its memory.

    A file that was replaced, by a renamed topic or by another process, is loaded beside the requests. If it cannot be
    loaded, the old model stays.

    Parameters
    ----------
    path : Path
        File of the model.
    edit : bool
        Whether topics may be renamed.
    """

    def __init__(self, path: Path, *, edit: bool) -> None:
        self._path = path
        self._edit = edit
        self._lock = threading.Lock()  # held while the model is replaced
        self._loading: threading.Thread | None = None
        self._checked = time.monotonic()
        self.problem = ""  # why the present file could not be loaded
        self._signature = _signature(path)
        self._snapshot = _make_snapshot(path, 1)

    @property
    def can_edit(self) -> bool:
        """Whether topics may be renamed."""
        return self._edit

    def snapshot(self) -> Snapshot:
        """Return the present model; a replaced file is loaded in the background."""
        now = time.monotonic()
        if now - self._checked >= _CHECK_EVERY:
            self._checked = now
            if (self._loading is None or not self._loading.is_alive()) and _signature(self._path) != self._signature:
                self._loading = threading.Thread(target=self._reload, daemon=True, name="plait-load")
                self._loading.start()
        return self._snapshot

    def rename(self, topic: int, name: str | None) -> Snapshot:
        """Name a topic and save the model in one atomic step.

        Parameters
        ----------
        topic : int
            Number of the topic.
        name : str or None
            The name; None removes it.

        Returns
        -------
        Snapshot
            The renamed model.
        """
        if not self._edit:
            raise RequestError(403, "topics cannot be renamed; start the server with --edit")
        try:
            with lock_for_writing(self._path), self._lock:
                if _signature(self._path) != self._signature:  # another worker has renamed a topic
                    self._replace()
                self._snapshot.catalogue.check_topic(topic)
                present = self._snapshot
                named = present.catalogue.model.name_topics({topic: name})
                save(copy.copy(named).set_params(**present.kept), self._path)
                self._signature = _signature(self._path)
                self._snapshot = _snapshot_of(named, present.number + 1, present.kept)
        except PlaitError as error:
            if "is being written by" in str(error):
                message = "the model is being written by somebody else; send the request again in a second"
                raise RequestError(503, message, {"Retry-After": "1"}) from error
            raise
        except OSError as error:
            LOG.error("%s cannot be written", self._path, exc_info=error)
            message = "the file of the model cannot be written; ask whoever runs the server to check it"
            raise RequestError(409, message) from error
        return self._snapshot

    def _reload(self) -> None:
        with self._lock:
            try:
                self._replace()
            except Exception as error:
                LOG.warning("%s was replaced and cannot be loaded; the old model stays: %s", self._path, error)

    def _replace(self) -> None:
        """Load the file; the signature is noted even if that fails, so that it is not tried again and again."""
        self._signature = _signature(self._path)
        try:
            self._snapshot = _make_snapshot(self._path, self._snapshot.number + 1)
            self.problem = ""
        except Exception as error:
            self.problem = str(error)
            raise


def _make_snapshot(path: Path, number: int) -> Snapshot:
    model = load(path, memory_map=True)
    if is_prior(model):
        raise PlaitError(f"{path} is a prior, not a model; give a file that plait fit wrote")
    kept = {name: getattr(model, name) for name in ("n_jobs", "executor")}
    model.set_params(n_jobs=None, executor=None)  # one thread computes; the results are the same
    return _snapshot_of(model, number, kept)


def _snapshot_of(model: Any, number: int, kept: dict[str, Any]) -> Snapshot:
    catalogue = Catalogue(model)
    texts = TextAnswers(catalogue)
    if not catalogue.problem_with_texts and catalogue.predicts_labels:
        texts.predict([" ".join(word["word"] for word in catalogue.topics[0]["words"])])  # compiles what it needs
    return Snapshot(catalogue, texts, number, kept)


def _signature(path: Path) -> tuple[int, ...]:
    """Return what changes when a file is replaced."""
    try:
        found = path.stat()
    except OSError:
        return ()
    return (found.st_ino, found.st_size, found.st_mtime_ns)
