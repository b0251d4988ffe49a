"""How sweeps are compiled: without the GIL, kept on disk, and made anew when any part of them changes.

Numba keeps compiled code beside the source and makes it anew when that one file changes. A sweep is put
together from several files of this folder, so its stamp must be the whole folder's and its own file's.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba import njit


def _source_stamps() -> tuple[tuple[str, int, int], ...]:
    """Return name, time and size of every source file here."""
    files = sorted(Path(__file__).parents[1].rglob("*.py"))
    return tuple((str(file), file.stat().st_mtime_ns, file.stat().st_size) for file in files)


_STAMPS = _source_stamps()


# No references are counted: arrays belong to the caller for as long as a kernel runs. Counting them would cost
# more than drawing a topic. A kernel therefore cannot make arrays; it is given room to work in.
_OPTIONS: Any = {"error_model": "numpy", "_nrt": False}


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function that Python calls: a sweep, a count, a merge."""
    dispatcher: Any = njit(nogil=True, cache=True, **_OPTIONS)(function)
    cache_file: Any = getattr(dispatcher._cache, "_cache_file", None)
    # Not part of Numba's promises: where it is missing, only a change of the kernel's own file counts.
    if hasattr(cache_file, "_source_stamp"):
        cache_file._source_stamp = (cache_file._source_stamp, _STAMPS)
    if hasattr(cache_file, "_load_index"):
        cache_file._load_index = _empty_on_error(cache_file._load_index)
    return dispatcher


def _empty_on_error(load_index: Callable[[], dict[Any, Any]]) -> Callable[[], dict[Any, Any]]:
    """Return a function that loads a cache index, and an empty one where it names classes that no longer exist.

    Numba unpickles the index before it compares stamps, so the cache of another version of plait could raise.
    """

    def load() -> dict[Any, Any]:
        try:
            return load_index()
        except (AttributeError, ImportError, TypeError, ValueError):
            return {}

    return load


def inline_kernel(function: Callable[..., Any]) -> Any:
    """Compile a function that only kernels call: it becomes part of each of them."""
    return njit(forceinline=True, **_OPTIONS)(function)
