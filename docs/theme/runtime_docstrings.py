"""Extension of griffe: estimators show the docstrings and the signature that they have at run time.

`plait.models.parameters` adds the shared parameters to both when the class is created; static analysis cannot see them.
"""

from __future__ import annotations

import importlib
import inspect
import re
from typing import Any

import griffe


class RuntimeDocstrings(griffe.Extension):
    """Take docstrings, parameters and assigned methods of estimators from the imported class."""

    def on_class_members(self, *, cls: griffe.Class, **_: Any) -> None:
        """Replace docstring and parameters of an estimator, and add the methods that are assigned in the class.

        Parameters
        ----------
        cls : griffe.Class
            A class that was read from its source.
        """
        if not cls.module.path.startswith("plait.models"):
            return
        actual = getattr(importlib.import_module(cls.module.path), cls.name)
        if any(decorator.callable_path.endswith("declare_parameters") for decorator in cls.decorators):
            cls.docstring = _docstring(cls, actual)
            made = griffe.Function("__init__", parameters=griffe.Parameters(*_parameters(actual)))
            cls.set_member("__init__", made)
        for name, value in vars(actual).items():  # methods that are assigned: predict_values = values.predict_values
            if inspect.isfunction(value) and value.__qualname__ == value.__name__ and not name.startswith("_"):
                cls.set_member(name, griffe.Alias(name, f"{value.__module__}.{value.__name__}"))

    def on_function(self, *, func: griffe.Function, **_: Any) -> None:
        """Replace a docstring with placeholders of shared parameters, such as <as_frame>, by the completed one.

        Parameters
        ----------
        func : griffe.Function
            A function or method that was read from its source.
        """
        if func.docstring is None or not re.search(r"^\s*<\w+>$", func.docstring.value, re.MULTILINE):
            return
        value: Any = importlib.import_module(func.module.path)
        for name in func.path.removeprefix(func.module.path + ".").split("."):
            value = getattr(value, name)
        func.docstring = _docstring(func, value)


def _docstring(read: griffe.Object, actual: Any) -> griffe.Docstring:
    """Return the docstring of an imported object, to be parsed like the one that was read."""
    parser = read.docstring.parser if read.docstring else None
    return griffe.Docstring(inspect.getdoc(actual) or "", parent=read, parser=parser)


def _parameters(actual: type) -> list[griffe.Parameter]:
    """Return self and the parameters of the constructor."""
    kinds = {
        inspect.Parameter.POSITIONAL_OR_KEYWORD: griffe.ParameterKind.positional_or_keyword,
        inspect.Parameter.KEYWORD_ONLY: griffe.ParameterKind.keyword_only,
    }
    found = [griffe.Parameter("self", kind=griffe.ParameterKind.positional_or_keyword)]
    for name, parameter in inspect.signature(actual).parameters.items():
        annotation = parameter.annotation if isinstance(parameter.annotation, str) else None
        default = None if parameter.default is inspect.Parameter.empty else repr(parameter.default)
        found.append(griffe.Parameter(name, kind=kinds[parameter.kind], annotation=annotation, default=default))
    return found
