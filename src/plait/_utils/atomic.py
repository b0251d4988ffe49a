"""Replacing a file in one step: whoever looks sees the old file or the whole new one, never a part."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
import shutil
import stat
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from plait._utils.locking import is_open_at, try_lock
from plait.errors import PlaitError

# Temporary files have the digest of their target's name, and are locked as long as somebody writes them.
_TEMPORARY = ".plait-{target}-{token}.tmp"
_EARLIER_TEMPORARY = re.compile(r"\.plait-[0-9a-f]{16}\.tmp")  # of plait 0.1 and before, without a target or a lock
_STALE_SECONDS = 24 * 3600  # where a lock cannot tell


class WriteError(PlaitError):
    """A file could not be written, for example because the disk is full; what was there before is unchanged."""


@contextlib.contextmanager
def replacing_file(path: Path, example: str = "model.plait") -> Iterator[BinaryIO]:
    """Give a temporary file beside a path to write to; it replaces the file at the path when the block succeeds.

    If anything fails, Ctrl-C included, the previous file is unchanged and nothing is left beside it. What a killed
    process left is removed by the next one that writes the same file. A symbolic link stays a link: the file it points
    to is replaced. A new file gets default permissions; a replaced file keeps its own.

    Parameters
    ----------
    path : Path
        The file to replace; its folder must exist.
    example : str, default "model.plait"
        Name of such a file, for the message about a path that is a folder.

    Yields
    ------
    BinaryIO
        The temporary file, open for writing; its `name` is its path. Write to it inside `write_errors`.
    """
    target = Path(os.path.realpath(path))
    mode = check_replaceable(path, example)
    _remove_stale(target)
    with write_errors(path):
        file, temporary = _create_temporary(target, mode)
    try:
        yield file
        with write_errors(path):
            file.flush()
            os.fsync(file.fileno())
            if mode is not None:
                temporary.chmod(mode)
            if sys.platform == "win32":  # elsewhere the lock is held until the file is in place
                file.close()
            temporary.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            file.close()  # writes what is in memory, which fails again on a full disk
        temporary.unlink(missing_ok=True)
        raise
    file.close()
    sync_folder(target.parent)


def replace_file(path: Path, write: Callable[[BinaryIO], object], example: str = "model.plait") -> None:
    """Replace a file in one step, as `replacing_file` does.

    Parameters
    ----------
    path : Path
        The file to replace; its folder must exist.
    write : callable
        Called with the temporary file, to write all of it.
    example : str, default "model.plait"
        Name of such a file, for the message about a path that is a folder.
    """
    with replacing_file(path, example) as file, write_errors(path):
        write(file)


@contextlib.contextmanager
def write_errors(path: Path) -> Iterator[None]:
    """Turn errors of the system into one that names the file.

    Parameters
    ----------
    path : Path
        The file that is written.

    Yields
    ------
    None
        While it is written.
    """
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise WriteError(f"{path} could not be written: {reason}; what was there before is unchanged") from error


def check_replaceable(path: Path, example: str = "model.plait") -> int | None:
    """Return the permissions of the file to be replaced, None for a new one; refuse what is not a file.

    Parameters
    ----------
    path : Path
        The file to replace.
    example : str, default "model.plait"
        Name of such a file, for the message about a path that is a folder.

    Returns
    -------
    int or None
        The permissions.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise WriteError(f"{path} is a folder; give the name of a file in it, such as {path / example}")
    if not target.parent.is_dir():
        raise WriteError(f"{path} cannot be written: there is no folder {target.parent}; make it first")
    if not target.exists():
        return None
    found = target.stat().st_mode
    if not stat.S_ISREG(found):  # a device or a pipe would be lost if a file took its name
        raise WriteError(f"{path} is a device or a pipe; give the name of an ordinary file")
    return stat.S_IMODE(found)


def _create_temporary(target: Path, mode: int | None) -> tuple[BinaryIO, Path]:
    """Return a new locked file beside the target, and its path."""

    def open_private(name: str, flags: int) -> int:
        return os.open(name, flags, 0o666 if mode is None else mode)

    while True:
        temporary = target.with_name(_TEMPORARY.format(target=_digest(target), token=secrets.token_hex(8)))
        file = open(temporary, "xb", opener=open_private)  # noqa: SIM115
        if sys.platform == "win32":  # an open file cannot be removed by others
            return file, temporary
        try_lock(file.fileno())
        if is_open_at(file.fileno(), temporary):  # else it was taken for a stale one before it was locked
            return file, temporary
        file.close()


def _remove_stale(target: Path) -> None:
    """Remove temporary files of the target that a killed process left."""
    mine = _TEMPORARY.format(target=_digest(target), token="")[: -len(".tmp")]
    with contextlib.suppress(OSError):
        for entry in os.scandir(target.parent):
            if not entry.name.startswith(".plait-") or not entry.name.endswith(".tmp"):
                continue
            if entry.name.startswith(mine):
                _remove_if_stale(Path(entry.path))
            elif _EARLIER_TEMPORARY.fullmatch(entry.name) and _is_old(Path(entry.path)):
                Path(entry.path).unlink(missing_ok=True)


def _remove_if_stale(temporary: Path) -> None:
    with contextlib.suppress(OSError):  # of another user, or removed by another process
        descriptor = os.open(temporary, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        try:
            locked = None if sys.platform == "win32" else try_lock(descriptor)
            if locked or (locked is None and _is_old(temporary)):
                shutil.rmtree(batch_folder(temporary), ignore_errors=True)
                temporary.unlink()
        finally:
            os.close(descriptor)


def batch_folder(temporary: Path) -> Path:
    """Return the folder for parts of a file before they are joined; it is removed with the temporary file.

    Parameters
    ----------
    temporary : Path
        The temporary file that `replacing_file` yields.

    Returns
    -------
    Path
        The folder, which is not created here.
    """
    return temporary.with_name(f"{temporary.name}.parts")


def _is_old(path: Path) -> bool:
    return time.time() - path.lstat().st_mtime > _STALE_SECONDS


def _digest(target: Path) -> str:
    return hashlib.blake2b(os.fsencode(target.name), digest_size=4).hexdigest()


def sync_folder(folder: Path) -> None:
    """Make a new name in a folder last through a power cut, on systems whose folders can be synced.

    Parameters
    ----------
    folder : Path
        The folder.
    """
    # The file is whole and in place by now: where the system refuses, there is nothing to take back.
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
