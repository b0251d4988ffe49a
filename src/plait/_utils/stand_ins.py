"""Import of a package without other packages that only few of its functions use."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from types import ModuleType
from typing import Any


class _StandIn(ModuleType):
    """Stand-in for a module that is imported when one of its attributes is read."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(importlib.import_module(self.__name__), name)


def import_without(module: str, others: tuple[str, ...]) -> None:
    """Import a module; others that it imports are loaded when it uses them.

    Parameters
    ----------
    module : str
        Name of the module.
    others : tuple of str
        Names of modules that it imports, and uses only inside functions. What is imported already is not replaced.

    Examples
    --------
    >>> import_without("wave", ("struct",))
    """
    if module in sys.modules:
        return
    # A package that is not installed gets no stand-in: the module may do without it.
    stand_ins = {name: _StandIn(name) for name in others if name not in sys.modules and importlib.util.find_spec(name)}
    sys.modules.update(stand_ins)
    try:
        importlib.import_module(module)
    finally:
        for name, stand_in in stand_ins.items():
            if sys.modules.get(name) is stand_in:
                del sys.modules[name]
