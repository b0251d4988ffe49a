"""One Python source file, parsed and never run: the words of its docstrings, and the modules that it imports."""

from __future__ import annotations

import ast
import re
import warnings
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass

# What a docstring holds besides prose. A doctest runs to the next blank line, because its output does.
_NOT_PROSE = re.compile(
    r"""
      ^[ \t]*>>>.*(?:\n[ \t]*\S.*)*     # doctests with their output
    | (?s:```.*?```) | ``[^`]+``        # code
    | :math:`[^`]*` | \\[A-Za-z]+       # formulas
    | :[A-Za-z][\w:+-]*:(?=`)           # names of roles, whose text stays
    | ^[ \t]*\.\.[ ][\w:-]+::           # names of directives, whose text stays
    | (?:https?|ftp)://\S+ | www\.\S+   # addresses
    | n['\u2019]t\b                     # leaves the stop word "do" of "don't"
    """,
    re.MULTILINE | re.VERBOSE,
)
# Letters only: a word that touches a digit or an underscore is an identifier.
_WORD = re.compile(r"(?<!\w)[^\W\d_]{3,}(?!\w)")


@dataclass(frozen=True)
class SourceModule:
    """What one source file says, and how many of its import statements reach each other module."""

    name: str  # dotted
    title: str  # the first line of its docstring, or its name
    words: list[str]  # of all its docstrings, in lower case, stop words left out
    imports: Counter[str]  # dotted name of another module: import statements that reach it


def parse_module(
    name: str, source: str, *, is_package: bool, known: Collection[str], stop_words: Collection[str]
) -> SourceModule | None:
    r"""Parse one source file once, and take its docstrings and its imports; None where it is not Python.

    Parameters
    ----------
    name
        The dotted name of the module.
    source
        The text of the file.
    is_package
        Whether the file is the `__init__.py` of a package, from which relative imports count.
    known
        Dotted names of the modules whose imports matter; imports of others are not counted.
    stop_words
        Words to leave out, in lower case.

    Examples
    --------
    >>> source = "'''Rivers carry the sand.'''\nfrom . import delta\nimport os"
    >>> module = parse_module("water.river", source, is_package=False, known={"water.delta"}, stop_words={"the"})
    >>> module.words, dict(module.imports)
    (['rivers', 'carry', 'sand'], {'water.delta': 1})
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about other people's escapes
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        # Null bytes are a ValueError in Python 3.11; nesting too deep for the parser is one of the last two.
        return None
    package = name.split(".") if is_package else name.split(".")[:-1]
    docstrings: list[str] = []
    imports: Counter[str] = Counter()
    for node in _statements(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            docstrings.append(ast.get_docstring(node, clean=False) or "")
        elif isinstance(node, ast.Import | ast.ImportFrom):
            imports.update(_targets(node, package, known))
    del imports[name]
    prose = _NOT_PROSE.sub(" ", "\n\n".join(docstrings)).lower()
    words = [word for word in _WORD.findall(prose) if word not in stop_words]
    # A lone surrogate, which a docstring may spell as an escape, could not be written to any file later.
    first_line = docstrings[0].strip().partition("\n")[0].strip().encode(errors="replace").decode()
    return SourceModule(name, first_line or name, words, imports)


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield the tree and all its statements; expressions hold no docstring and no import."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for block in ("body", "orelse", "handlers", "finalbody", "cases"):
            waiting.extend(getattr(node, block, ()))


def _targets(statement: ast.Import | ast.ImportFrom, package: list[str], known: Collection[str]) -> set[str]:
    """Return the known modules that one import statement of a module in `package` reaches."""
    if isinstance(statement, ast.Import):
        return {alias.name for alias in statement.names if alias.name in known}
    if statement.level > len(package):
        return set()  # beyond the top-level package, where Python would refuse too
    parents = package[: len(package) - statement.level + 1] if statement.level else []
    base = ".".join([*parents, *filter(None, [statement.module])])
    inner = (f"{base}.{alias.name}" for alias in statement.names)
    return {module for module in (name if name in known else base for name in inner) if module in known}
