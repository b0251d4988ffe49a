"""Files that commands write: refused before the work when they cannot be, whole or not there at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from plait.errors import PlaitError

Force = Annotated[bool, typer.Option("--force", help="Overwrite the output file if it exists.")]


def check_output(path: Path, *, overwrite: bool, way_out: str = "--force to overwrite it") -> Path:
    """Return where to write, or say why nothing can be written there.

    A link is followed, so that the file it points to is replaced and not the link.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise PlaitError(f"{path} is a folder; name a file in it")
    if target.exists() and not target.is_file():
        raise PlaitError(f"{path} is not an ordinary file; name another one")
    if target.exists() and not overwrite:
        raise PlaitError(f"{path} exists already; give {way_out}, or another name")
    if not target.parent.is_dir():
        raise PlaitError(f"the folder {path.parent} of {path.name} does not exist; make it first")
    # Only trying tells: permissions, read-only disks and quotas differ from system to system.
    probe = _beside(target)
    try:
        probe.touch(exist_ok=False)
        probe.unlink()
    except OSError as error:
        raise PlaitError(
            f"nothing can be written in the folder {path.parent} ({error.strerror}); name another one"
        ) from error
    return target


@contextmanager
def written_whole(target: Path) -> Iterator[Path]:
    """Give a path beside the target to write to; it becomes the target when all went well, or goes."""
    part = _beside(target)
    try:
        yield part
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def _beside(target: Path) -> Path:
    # The process number keeps two runs apart.
    return target.with_name(f".{target.name}.{os.getpid()}.part")
