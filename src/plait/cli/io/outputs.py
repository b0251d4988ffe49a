"""Output files of commands: a file that cannot be written is an error before the work starts."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from plait.errors import PlaitError

Force = Annotated[bool, typer.Option("--force", help="Overwrite the output file if it exists.")]


def check_output(path: Path, *, overwrite: bool, remedy: str = "--force to overwrite it") -> Path:
    """Return the file to write to, or raise an error that says why it cannot be written.

    A symbolic link is followed: the file it points to is replaced.

    Parameters
    ----------
    path : Path
        The output file.
    overwrite : bool
        Whether an existing file may be replaced.
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
    if target.exists() and not overwrite:
        raise PlaitError(f"{path} exists already; give {remedy}, or another name")
    if not target.parent.is_dir():
        raise PlaitError(f"the folder {path.parent} of {path.name} does not exist; make it first")
    # Only an attempt shows whether it works: permissions, read-only disks and quotas differ between systems.
    probe = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        probe.touch(exist_ok=False)
        probe.unlink()
    except OSError as error:
        raise PlaitError(
            f"nothing can be written in the folder {path.parent} ({error.strerror}); name another one"
        ) from error
    return target
