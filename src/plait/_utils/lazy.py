"""Names of a package whose modules are imported when the names are first used, so that a short import stays short."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def import_on_use(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package.

    Parameters
    ----------
    package : str
        `__name__` of the package.
    homes : mapping of str to str
        Module of each name.

    Returns
    -------
    callable
        Imports the module of a name, and keeps the value as an attribute of the package.

    Examples
    --------
    >>> import_on_use("plait", {"LDA": "plait.models.lda"})("LDA").__name__
    'LDA'
    """

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return get
