"""Decorators that compile kernels: without the GIL, cached on disk, recompiled when a source file changes.

Numba's cache depends on the file of the compiled function only. A kernel inlines functions from several files of
`samplers`, so its cache also depends on all files of that folder.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba import njit


def _source_stamps() -> tuple[tuple[str, int, int], ...]:
    """Return path, modification time and size of every source file of `samplers`."""
    files = sorted(Path(__file__).parents[1].rglob("*.py"))
    return tuple((str(file), file.stat().st_mtime_ns, file.stat().st_size) for file in files)


_STAMPS = _source_stamps()


# References are not counted: the caller owns all arrays while a kernel runs, and counting would cost more than drawing
# a topic. A kernel therefore cannot allocate arrays; the caller passes working memory.
_OPTIONS: Any = {"error_model": "numpy", "_nrt": False}


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function that Python code calls, such as a sweep."""
    dispatcher: Any = njit(nogil=True, cache=True, **_OPTIONS)(function)
    cache_file: Any = getattr(dispatcher._cache, "_cache_file", None)
    # These attributes are private to Numba. Without them only a change of the kernel's own file is noticed.
    if hasattr(cache_file, "_source_stamp"):
        cache_file._source_stamp = (cache_file._source_stamp, _STAMPS)
    if hasattr(cache_file, "_load_index"):
        cache_file._load_index = _empty_on_error(cache_file._load_index)
    return dispatcher


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


def inline_kernel(function: Callable[..., Any]) -> Any:
    """Compile a function that only kernels call; it is inlined into them."""
    return njit(forceinline=True, **_OPTIONS)(function)
