"""Locks that the operating system releases when their process ends, and the lock of a model that is being written."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import socket
import sys
import threading
import warnings
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from plait.errors import PlaitError

_held: set[tuple[str, int, int]] = set()  # locked files, with process and thread
_OWNER_BYTES = 4096
_LOCKED_BYTE = 1 << 30  # on Windows, where a locked byte cannot be read by others


def try_lock(descriptor: int) -> bool | None:
    """Lock an open file until it is closed, also by the end of the process.

    Parameters
    ----------
    descriptor : int
        Descriptor of the file, open for writing.

    Returns
    -------
    bool or None
        Whether it was locked; False if somebody else holds the lock, None if the file system has no locks.
    """
    try:
        if sys.platform == "win32":
            import msvcrt

            os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return False if error.errno in (errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK) else None
    return True


def is_open_at(descriptor: int, path: Path) -> bool:
    """Return whether an open file is still the one at a path.

    Parameters
    ----------
    descriptor : int
        Descriptor of the file.
    path : Path
        Where it was opened.

    Returns
    -------
    bool
        False if the file was removed or replaced.
    """
    try:
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    except OSError:
        return False


def lock_path(path: Path) -> Path:
    """Return the lock file of a file: `.NAME.lock` beside it.

    Parameters
    ----------
    path : Path
        The file; a symbolic link is followed.

    Returns
    -------
    Path
        The lock file.

    Examples
    --------
    >>> lock_path(Path("/models/news.plait")).as_posix()
    '/models/.news.plait.lock'
    """
    target = Path(os.path.realpath(path))
    name = target.name
    if len(os.fsencode(name)) > 200:  # names have at most 255 bytes
        name = hashlib.blake2b(os.fsencode(name), digest_size=16).hexdigest()
    return target.with_name(f".{name}.lock")


@contextlib.contextmanager
def lock_for_writing(path: Path) -> Iterator[None]:
    """Hold the lock of a file that is written again and again, such as the model of a stream.

    A second process, or a second thread of this one, gets an error that names the owner. The thread that holds the lock
    may enter it again. The lock of a process that was killed is taken over, with a warning.

    Parameters
    ----------
    path : Path
        The file; its folder must exist.

    Yields
    ------
    None
        While the lock is held.
    """
    lock = lock_path(path)
    key = (str(lock), os.getpid(), threading.get_ident())
    if key in _held:
        yield
        return
    descriptor = _acquire(path, lock)
    _held.add(key)
    try:
        yield
    finally:
        _held.discard(key)
        _release(descriptor, lock)


def _acquire(path: Path, lock: Path) -> int:
    """Return the descriptor of the locked lock file."""
    while True:
        descriptor, created = _open(path, lock)
        try:
            locked = try_lock(descriptor)
            owner = {} if created else _read_owner(descriptor)
            if locked is False:
                raise _locked_by(path, owner)
            if not is_open_at(descriptor, lock):  # its owner has just removed it
                os.close(descriptor)
                continue
            if not created:
                _check_ended(path, lock, owner, certain=locked is True)
            _write_owner(descriptor)
        except BaseException:
            with contextlib.suppress(OSError):
                os.close(descriptor)
            raise
        return descriptor


def _open(path: Path, lock: Path) -> tuple[int, bool]:
    """Return the descriptor of the lock file, and whether it is new."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    try:
        try:
            return os.open(lock, flags | os.O_EXCL, 0o644), True
        except FileExistsError:
            return os.open(lock, flags, 0o644), False
    except OSError as error:
        raise PlaitError(f"{path} cannot be written: its lock file {lock} cannot be made ({error.strerror})") from error


def _check_ended(path: Path, lock: Path, owner: dict[str, Any], *, certain: bool) -> None:
    """Raise an error if the owner of an existing lock file may still run; warn if it has ended.

    A lock of this machine is certain. A network folder may not pass locks on, so another machine is believed to run.
    """
    here = _describe_process()
    same_machine = not owner or owner.get("host") == here["host"] or owner.get("boot") == here["boot"] != ""
    if not same_machine:
        raise PlaitError(
            f"{path} is locked by {_name_owner(owner)}, another machine; if that process has ended, remove {lock}"
        )
    if owner and not certain and owner["process"] != here["process"] and _is_running(owner["process"]):
        raise _locked_by(path, owner)
    if owner:
        warnings.warn(
            f"{path} was locked by {_name_owner(owner)}, which has ended without removing {lock.name}; "
            "the lock is taken over",
            stacklevel=5,
        )


def _locked_by(path: Path, owner: dict[str, Any]) -> PlaitError:
    return PlaitError(f"{path} is being written by {_name_owner(owner)}; wait until it has ended, or name another file")


def _name_owner(owner: dict[str, Any]) -> str:
    if not owner:
        return "another process"
    return f"process {owner['process']} on {owner['host']} since {owner['since']}"


def _describe_process() -> dict[str, Any]:
    """Return the owner that is written into a lock file of this process."""
    try:
        # The same in all containers of a machine, whose host names differ.
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        boot = ""
    since = datetime.now(UTC).isoformat(timespec="seconds")
    return {"process": os.getpid(), "host": socket.gethostname(), "boot": boot, "since": since}


def _read_owner(descriptor: int) -> dict[str, Any]:
    """Return the owner in a lock file; an empty dict if there is none."""
    try:
        os.lseek(descriptor, 0, os.SEEK_SET)
        owner = json.loads(os.read(descriptor, _OWNER_BYTES))
        return {"process": int(owner["process"]), **{name: str(owner[name]) for name in ("host", "boot", "since")}}
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return {}


def _write_owner(descriptor: int) -> None:
    # The lock holds on a full disk, too; then only the name of its owner is missing.
    with contextlib.suppress(OSError):
        os.ftruncate(descriptor, 0)
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.write(descriptor, json.dumps(_describe_process()).encode())


def _release(descriptor: int, lock: Path) -> None:
    if sys.platform == "win32":  # an open file cannot be removed
        os.close(descriptor)
    if sys.platform == "win32" or is_open_at(descriptor, lock):
        with contextlib.suppress(OSError):
            lock.unlink()
    if sys.platform != "win32":
        os.close(descriptor)


def _is_running(process: int) -> bool:
    """Return whether a process of this machine runs, where the file system has no locks."""
    if sys.platform == "win32":
        return True  # os.kill would end it
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True
