"""Atomic file replacement: a reader sees the old file or the complete new one."""

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
    """Write a temporary file, sync it to disk and rename it to `path`.

    After any error, including Ctrl-C, the previous file is unchanged and the temporary file is removed. If `path` is
    a symbolic link, the file that it points to is replaced. A replaced file keeps its permissions; a new file gets
    the default ones.

    Parameters
    ----------
    path : Path
        File to write. Its folder must exist.
    write : callable
        Called with the open binary file; writes the whole content.
    example : str, default "model.plait"
        File name that the error message suggests if `path` is a folder.
    """
    target = Path(os.path.realpath(path))
    mode = _permissions(path, target, example)
    temporary = target.parent / f".plait-{secrets.token_hex(8)}.tmp"
    try:
        try:
            _write_and_sync(temporary, mode, write)
            temporary.replace(target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise PlaitError(f"{path} could not be written: {reason}; the previous file is unchanged") from error
    _sync_folder(target.parent)


def _permissions(path: Path, target: Path, example: str) -> int | None:
    """Return the permissions of the file to replace, or None if it is new; reject folders, devices and pipes."""
    if target.is_dir():
        raise PlaitError(f"{path} is a folder; give the name of a file in it, such as {path / example}")
    if not target.parent.is_dir():
        raise PlaitError(f"{path} cannot be written: there is no folder {target.parent}; create it first")
    if not target.exists():
        return None
    found = target.stat().st_mode
    if not stat.S_ISREG(found):  # renaming would replace the device or pipe itself
        raise PlaitError(f"{path} is a device or a pipe; give the name of a regular file")
    return stat.S_IMODE(found)


def _write_and_sync(temporary: Path, mode: int | None, write: Callable[[BinaryIO], object]) -> None:
    """Create a file with the given permissions from the start, write it and sync it to disk."""

    def open_with_mode(name: str, flags: int) -> int:
        return os.open(name, flags, 0o666 if mode is None else mode)

    with open(temporary, "xb", opener=open_with_mode) as file:
        write(file)
        file.flush()
        os.fsync(file.fileno())
    if mode is not None:
        temporary.chmod(mode)


def _sync_folder(folder: Path) -> None:
    """Sync the folder entry to disk, so that the rename survives a power failure."""
    # Not every system can sync a folder. The file itself is already synced, so failure here is harmless.
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
