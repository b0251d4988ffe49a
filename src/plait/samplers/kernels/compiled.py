"""Decorators that compile kernels: without the GIL, cached on disk, recompiled when a source file changes.

Numba's cache depends on the time and size of the compiled function's own file. A kernel inlines functions from several
files of `samplers`, so its cache depends on the contents of all of these instead, and of its own file. A cache can be
copied with the source files to another folder or machine.

Numba is imported when a kernel is first called: it takes as long to load as all of plait.

Where neither the installation nor the home folder can be written, as in many containers, the cache is a private folder
of the user in the folder for temporary files, or kernels are compiled without a cache. A cache contains code, so no
folder is used that another user could have written.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import os
import stat
import tempfile
import threading
import time
import warnings
from collections.abc import Callable
from functools import cache, update_wrapper
from pathlib import Path
from typing import Any

from plait._utils.locking import try_lock


@cache
def _digest(file: Path) -> str:
    """Return a digest of the contents of a source file."""
    return hashlib.blake2b(file.read_bytes(), digest_size=16).hexdigest()


@cache
def _samplers_digest() -> tuple[tuple[str, str], ...]:
    """Return the name and a digest of every source file of `samplers`."""
    folder = Path(__file__).parents[1]
    return tuple((file.relative_to(folder).as_posix(), _digest(file)) for file in sorted(folder.rglob("*.py")))


_LONGEST_ACCESS = 10.0  # seconds to wait for other processes, which need milliseconds to read or write a file
_LONGEST_COMPILATION = 120.0  # seconds to wait for other processes, which need up to 20 to compile a kernel
_making = threading.RLock()  # held while Numba's object for a function is made

# References are not counted: the caller owns all arrays while a kernel runs, and counting would cost more than drawing
# a topic. A kernel therefore cannot allocate arrays; the caller passes working memory.
# Nothing calls kernels from C.
_OPTIONS: Any = {"error_model": "numpy", "_nrt": False, "no_cfunc_wrapper": True}
_INLINE: Any = {"forceinline": True, "no_cpython_wrapper": True, **_OPTIONS}


class _MadeOnUse:
    """Stand-in for an object of Numba, which is made when it is first called or compiled into a kernel."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._made: Any = None

    @property
    def made(self) -> Any:
        """The object of Numba."""
        if self._made is None:
            with _making:
                if self._made is None:
                    self._made = self._make()
        return self._made

    @property
    def _numba_type_(self) -> Any:
        """What Numba asks for when a kernel that it compiles uses this object."""
        from numba.core.registry import cpu_target

        return cpu_target.typing_context.resolve_value_type(self.made)

    def __call__(self, *arguments: Any) -> Any:
        return self.made(*arguments)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # nothing that asks an object what it is loads Numba
            raise AttributeError(name)
        return getattr(self.made, name)

    def __deepcopy__(self, memo: Any) -> _MadeOnUse:
        return self  # Numba copies statements of a kernel with the objects that they name


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function that Python code calls, such as a sweep."""
    return update_wrapper(_MadeOnUse(lambda: _make_kernel(function)), function)


def inline_kernel(function: Callable[..., Any]) -> Any:
    """Compile a function that only kernels call; it is inlined into them.

    Python cannot call it: the code that converts arguments would take longer to compile than the function.
    """
    return update_wrapper(_MadeOnUse(lambda: _njit(**_INLINE)(function)), function)


def intrinsic_of(module: str, name: str) -> Any:
    """Return an operation that a module defines as a Numba intrinsic; the module is imported when it is compiled."""
    return _MadeOnUse(lambda: _import_intrinsic(module, name))


def _import_intrinsic(module: str, name: str) -> Any:
    from numba.core.registry import cpu_target

    found = getattr(importlib.import_module(module), name)
    cpu_target.typing_context.refresh()  # the compilation that asks for it began before it was known
    return found


def _njit(**options: Any) -> Any:
    import numba

    return numba.njit(**options)


def _make_kernel(function: Callable[..., Any]) -> Any:
    """Return Numba's dispatcher of a kernel."""
    from numba.core.compiler_lock import global_compiler_lock

    dispatcher = _cached_dispatcher(function)
    cache_file: Any = getattr(dispatcher._cache, "_cache_file", None)
    # These attributes are private to Numba. Without them only a change of the kernel's own file is noticed.
    if hasattr(cache_file, "_source_stamp"):
        cache_file._source_stamp = (_digest(Path(function.__code__.co_filename)), _samplers_digest())
    if hasattr(cache_file, "_load_index"):
        cache_file._load_index = _empty_on_error(cache_file._load_index)
    if hasattr(cache_file, "load") and hasattr(cache_file, "save"):
        folder, source = Path(cache_file._cache_path), Path(function.__code__.co_filename).stem
        lock = folder / f".{function.__name__}.lock"
        cache_file.load = _locked(cache_file.load, lock, _LONGEST_ACCESS)
        cache_file.save = _locked(cache_file.save, lock, _LONGEST_ACCESS)
        compilation = folder / f".{source}.{function.__name__}.compile.lock"
        # Threads wait first, so that a thread that waits for another process keeps no lock that this one needs.
        dispatcher.compile = global_compiler_lock(_locked(dispatcher.compile, compilation, _LONGEST_COMPILATION))
    if hasattr(dispatcher._cache, "save_overload"):
        dispatcher._cache.save_overload = _unless_disk_full(dispatcher._cache.save_overload)
    return dispatcher


def _cached_dispatcher(function: Callable[..., Any]) -> Any:
    """Return a compiled function with the best cache there is: Numba's own, a temporary one, or none."""
    numba_config = _numba_config()
    if _numba_finds_a_cache(Path(function.__code__.co_filename).parent):
        try:
            return _njit(nogil=True, cache=True, **_OPTIONS)(function)
        except RuntimeError:  # "no locator available": no folder of Numba can be written
            pass
    folder = _temporary_cache()
    if folder is None:
        return _njit(nogil=True, **_OPTIONS)(function)
    # Numba reads this when the function is decorated; functions of others keep their own caches.
    before, numba_config.CACHE_DIR = numba_config.CACHE_DIR, str(folder)
    try:
        return _njit(nogil=True, cache=True, **_OPTIONS)(function)
    except RuntimeError:  # removed since, or the disk is full
        return _njit(nogil=True, **_OPTIONS)(function)
    finally:
        numba_config.CACHE_DIR = before


def _numba_config() -> Any:
    """Return Numba's settings, whose attributes are set at run time."""
    from numba import config

    return config


def _numba_finds_a_cache(folder: Path) -> bool:
    """Return whether Numba may look for a cache of source files in a folder.

    For a user without a home folder Numba would use a folder named `~` in the working folder, which can belong to
    anybody.
    """
    home = os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~"))  # noqa: PTH111, as Path raises an error here
    if Path(home).is_absolute():
        return True
    chosen = _numba_config().CACHE_DIR
    caches = [folder / "__pycache__", *([Path(chosen)] if chosen else [])]
    return any(os.access(one if one.exists() else one.parent, os.W_OK | os.X_OK) for one in caches)


def _named_temporary_folders() -> set[str]:
    named = {os.environ.get(name, "") for name in ("TMPDIR", "TEMP", "TMP")}
    return named | {"/tmp", "/var/tmp", "/usr/tmp"}


@cache
def _temporary_cache() -> Path | None:
    """Return a private folder for the cache, None if there is none; warn once."""
    folder = _private_folder()
    where = "not cached, so that every process compiles them" if folder is None else f"cached in {folder}"
    warnings.warn(
        f"neither the folder of plait nor a cache folder of the user can be written: compiled kernels are {where}; set "
        "the environment variable NUMBA_CACHE_DIR to a folder that only you can write",
        RuntimeWarning,
        stacklevel=2,
    )
    return folder


def _private_folder() -> Path | None:
    """Return a folder for temporary files that only this user can write; None if there is none."""
    try:
        parent = Path(tempfile.gettempdir())
        if parent == Path.cwd() and str(parent) not in _named_temporary_folders():
            return None  # Python's last choice
        parent = parent.resolve()
        user = os.geteuid() if hasattr(os, "geteuid") else None  # None: on Windows every user has an own TEMP
        folder = parent / f"plait-kernels-{'' if user is None else user}"
        folder.mkdir(mode=0o700, exist_ok=True)
        found, around = folder.lstat(), parent.stat()
        if user is not None:
            private = stat.S_ISDIR(found.st_mode) and found.st_uid == user and not found.st_mode & 0o077
            # Nobody else may rename the folder and put an own one in its place.
            safe = around.st_uid in (0, user) and (not around.st_mode & 0o022 or around.st_mode & stat.S_ISVTX)
            if not (private and safe):
                return None
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return None
    return folder


def _empty_on_error(load_index: Callable[[], dict[Any, Any]]) -> Callable[[], dict[Any, Any]]:
    """Return a function that loads a cache index, or an empty one if the index refers to removed classes.

    Numba unpickles the index before it compares stamps, so the cache of another version of plait could raise an error.
    """

    def load() -> dict[Any, Any]:
        try:
            return load_index()
        except (AttributeError, ImportError, TypeError, ValueError):
            return {}

    return load


def _locked(access: Callable[..., Any], lock: Path, longest_wait: float) -> Callable[..., Any]:
    """Return a function that uses the cache of a kernel while no other process does.

    Numba picks the name of a data file by an index that it has read before. Two processes that save two signatures of a
    kernel at once could pick the same name, and would then load the code of the other signature. A process that waits
    until another one has compiled a kernel finds it in the cache.
    """

    def access_alone(*arguments: Any) -> Any:
        with contextlib.ExitStack() as stack:
            with contextlib.suppress(OSError):  # a cache that cannot be written is not written by others
                file = stack.enter_context(lock.open("ab"))
                end = time.monotonic() + longest_wait
                while try_lock(file.fileno()) is False and time.monotonic() < end:
                    time.sleep(0.005)
            return access(*arguments)

    return access_alone


def _unless_disk_full(save: Callable[..., None]) -> Callable[..., None]:
    """Return a function that saves a compiled kernel, or does nothing if the cache cannot be written any more."""

    def save_if_possible(*arguments: Any) -> None:
        with contextlib.suppress(OSError):
            save(*arguments)

    return save_if_possible
