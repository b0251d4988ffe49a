"""Registration by discovery: the classes that the modules of a folder define."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable
from typing import Any


def find_classes(package: str, accept: Callable[[type], bool]) -> list[Any]:
    """Return the concrete classes that the modules of a package define, ordered by module name.

    A new sampler, prior, mixing, loss or response is registered by adding its file to the folder.

    Parameters
    ----------
    package : str
        Dotted name of the package, such as "plait.samplers". Subpackages are not searched.
    accept : callable
        Called with each class; returns whether the class belongs to the registry.

    Returns
    -------
    list of type
        The accepted classes.

    Examples
    --------
    >>> from plait.samplers import Sampler
    >>> [kind.__name__ for kind in find_classes("plait.samplers", lambda kind: issubclass(kind, Sampler))][:2]
    ['Aggregated', 'AggregatedSparse']
    """
    found = []
    for module in pkgutil.iter_modules(importlib.import_module(package).__path__, f"{package}."):
        if module.ispkg or module.name == f"{package}.base":
            continue
        for kind in vars(importlib.import_module(module.name)).values():
            if _is_defined_in(kind, module.name) and accept(kind):
                found.append(kind)
    return found


def _is_defined_in(kind: object, module: str) -> bool:
    """Return whether a value is a public concrete class that a module defines."""
    if not isinstance(kind, type) or kind.__module__ != module or kind.__name__.startswith("_"):
        return False
    return not inspect.isabstract(kind)
