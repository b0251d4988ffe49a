"""Replacing a file in one step: whoever looks sees the old file or the whole new one, never a part."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from plait.errors import PlaitError


def replace_file(path: Path, write: Callable[[BinaryIO], object], example: str = "model.plait") -> None:
    """Write a file beside the one named, make sure that the disk has it, and put it in its place.

    Whatever goes wrong, Ctrl-C included, the file that was there stays as it was and nothing is left beside
    it. A symbolic link stays a link: the file it points to is replaced. A new file gets the permissions
    that any new file gets; one that is replaced hands its own on.

    Parameters
    ----------
    path
        Where the file goes; its folder must exist.
    write
        Is given the open file, and writes all of it.
    example
        A name for such a file, where a folder was named.
    """
    target = Path(os.path.realpath(path))
    mode = _mode_before(path, target, example)
    temporary = target.parent / f".plait-{secrets.token_hex(8)}.tmp"
    try:
        try:
            _write_through(temporary, mode, write)
            temporary.replace(target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise PlaitError(f"{path} could not be written: {reason}; what was there before is unchanged") from error
    _sync_folder(target.parent)


def _mode_before(path: Path, target: Path, example: str) -> int | None:
    """Return the permissions of the file to be replaced, None for a new one; refuse what is not a file."""
    if target.is_dir():
        raise PlaitError(f"{path} is a folder; give the name of a file in it, such as {path / example}")
    if not target.parent.is_dir():
        raise PlaitError(f"{path} cannot be written: there is no folder {target.parent}; make it first")
    if not target.exists():
        return None
    found = target.stat().st_mode
    if not stat.S_ISREG(found):  # a device or a pipe would be lost if a file took its name
        raise PlaitError(f"{path} is a device or a pipe; give the name of an ordinary file")
    return stat.S_IMODE(found)


def _write_through(temporary: Path, mode: int | None, write: Callable[[BinaryIO], object]) -> None:
    def private_from_the_start(name: str, flags: int) -> int:
        return os.open(name, flags, 0o666 if mode is None else mode)

    with open(temporary, "xb", opener=private_from_the_start) as file:
        write(file)
        file.flush()
        os.fsync(file.fileno())
    if mode is not None:
        temporary.chmod(mode)


def _sync_folder(folder: Path) -> None:
    """Make the new name last through a power cut, on systems whose folders can be synced."""
    # The file is whole and in place by now: where the system refuses, there is nothing to take back.
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
