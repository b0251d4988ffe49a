"""Decorators that compile kernels: without the GIL, cached on disk, recompiled when a source file changes.

Numba's cache depends on the time and size of the compiled function's own file. A kernel inlines functions from several
files of `samplers`, so its cache depends on the contents of all of these instead, and of its own file. A cache can be
copied with the source files to another folder or machine.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from numba import njit


@cache
def _digest(file: Path) -> str:
    """Return a digest of the contents of a source file."""
    return hashlib.blake2b(file.read_bytes(), digest_size=16).hexdigest()


@cache
def _samplers_digest() -> tuple[tuple[str, str], ...]:
    """Return the name and a digest of every source file of `samplers`."""
    folder = Path(__file__).parents[1]
    return tuple((file.relative_to(folder).as_posix(), _digest(file)) for file in sorted(folder.rglob("*.py")))


# References are not counted: the caller owns all arrays while a kernel runs, and counting would cost more than drawing
# a topic. A kernel therefore cannot allocate arrays; the caller passes working memory.
# Nothing calls kernels from C.
_OPTIONS: Any = {"error_model": "numpy", "_nrt": False, "no_cfunc_wrapper": True}


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function that Python code calls, such as a sweep."""
    dispatcher: Any = njit(nogil=True, cache=True, **_OPTIONS)(function)
    cache_file: Any = getattr(dispatcher._cache, "_cache_file", None)
    # These attributes are private to Numba. Without them only a change of the kernel's own file is noticed.
    if hasattr(cache_file, "_source_stamp"):
        cache_file._source_stamp = (_digest(Path(function.__code__.co_filename)), _samplers_digest())
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
    """Compile a function that only kernels call; it is inlined into them.

    Python cannot call it: the code that converts arguments would take longer to compile than the function.
    """
    return njit(forceinline=True, no_cpython_wrapper=True, **_OPTIONS)(function)
