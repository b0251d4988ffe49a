"""Replacing a file in one step: whoever looks sees the old file or the whole new one, never a part."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from plait.errors import PlaitError


@contextlib.contextmanager
def replacing_file(path: Path, example: str = "model.plait") -> Iterator[BinaryIO]:
    """Give a temporary file beside a path to write to; it replaces the file at the path when the block succeeds.

    If anything fails, Ctrl-C included, the previous file is unchanged and nothing is left beside it. A symbolic link
    stays a link: the file it points to is replaced. A new file gets default permissions; a replaced file keeps its own.

    Parameters
    ----------
    path : Path
        The file to replace; its folder must exist.
    example : str, default "model.plait"
        Name of such a file, for the message about a path that is a folder.

    Yields
    ------
    BinaryIO
        The temporary file, open for writing; its `name` is its path.
    """
    target = Path(os.path.realpath(path))
    mode = _mode_before(path, target, example)
    temporary = target.parent / f".plait-{secrets.token_hex(8)}.tmp"

    def open_private(name: str, flags: int) -> int:
        return os.open(name, flags, 0o666 if mode is None else mode)

    try:
        with contextlib.ExitStack() as stack:
            with _write_errors(path):
                file = stack.enter_context(open(temporary, "xb", opener=open_private))
            yield file
            with _write_errors(path):
                file.flush()
                os.fsync(file.fileno())
        with _write_errors(path):
            if mode is not None:
                temporary.chmod(mode)
            temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


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
    with replacing_file(path, example) as file, _write_errors(path):
        write(file)


@contextlib.contextmanager
def _write_errors(path: Path) -> Iterator[None]:
    """Turn errors of the system into one that names the file."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise PlaitError(f"{path} could not be written: {reason}; what was there before is unchanged") from error


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


def _sync_folder(folder: Path) -> None:
    """Make the new name last through a power cut, on systems whose folders can be synced."""
    # The file is whole and in place by now: where the system refuses, there is nothing to take back.
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
