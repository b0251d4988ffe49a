"""Output files of commands: a file that cannot be written is an error before the work starts."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from plait.errors import PlaitError

Force = Annotated[bool, typer.Option("--force", help="Overwrite the output file if it exists.")]


def check_output(
    path: Path, *, overwrite: bool, inputs: Iterable[Path | None] = (), remedy: str = "--force to overwrite it"
) -> Path:
    """Return the file to write to, or raise an error that says why it cannot be written.

    A symbolic link is followed: the file it points to is replaced. A file that is read by the same command is never
    replaced.

    Parameters
    ----------
    path : Path
        The output file.
    overwrite : bool
        Whether an existing file may be replaced.
    inputs : iterable of Path or None
        Files and folders that the command reads. Only a model, NAME.plait, may be written into such a folder.
    remedy : str
        What the user can do about an existing file, for the message.

    Returns
    -------
    Path
        The real path.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise PlaitError(f"{path} is a folder; name a file in it")
    if target.exists() and not target.is_file():
        raise PlaitError(f"{path} is not an ordinary file; name another one")
    for source in inputs:
        if source is not None:
            _check_not_read(path, target, source)
    if target.exists() and not overwrite:
        raise PlaitError(f"{path} exists already; give {remedy}, or another name")
    if not target.parent.is_dir():
        raise PlaitError(f"the folder {path.parent} of {path.name} does not exist; make it first")
    # Only an attempt shows whether it works: permissions, read-only disks and quotas differ between systems.
    try:
        tempfile.TemporaryFile(dir=target.parent).close()
    except OSError as error:
        raise PlaitError(
            f"nothing can be written in the folder {path.parent} ({error.strerror}); name another one"
        ) from error
    return target


def _check_not_read(path: Path, target: Path, source: Path) -> None:
    """Raise an error if a file is an input, or would become one by its folder."""
    try:
        if target.exists() and source.exists() and target.samefile(source):
            raise PlaitError(f"{path} is an input of this command ({source}) and would be lost; name another file")
        inside = source.is_dir() and Path(os.path.realpath(source)) in target.parents
    except OSError:  # the reader says why
        return
    if inside and target.suffix.lower() != ".plait":
        raise PlaitError(f"{path} is inside the folder {source}, whose files are inputs; name a file outside of it")
