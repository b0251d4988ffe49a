"""Parsing of one Python source file: the words of its docstrings and the modules that it imports."""

from __future__ import annotations

import ast
import re
import warnings
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass

# Content of docstrings that is not prose. A doctest with its output ends at the next blank line.
_NOT_PROSE = re.compile(
    r"""
      ^[ \t]*>>>.*(?:\n[ \t]*\S.*)*     # doctests with their output
    | (?s:```.*?```) | ``[^`]+``        # code
    | :math:`[^`]*` | \\[A-Za-z]+       # formulas
    | :[A-Za-z][\w:+-]*:(?=`)           # names of roles; their text is kept
    | ^[ \t]*\.\.[ ][\w:-]+::           # names of directives; their text is kept
    | (?:https?|ftp)://\S+ | www\.\S+   # URLs
    | n['\u2019]t\b                     # leaves the stop word "do" of "don't"
    """,
    re.MULTILINE | re.VERBOSE,
)
# Letters only: a word next to a digit or an underscore is an identifier.
_WORD = re.compile(r"(?<!\w)[^\W\d_]{3,}(?!\w)")


@dataclass(frozen=True)
class SourceModule:
    """Words and imports of one source file.

    Attributes
    ----------
    name : str
        Dotted name of the module.
    title : str
        First line of its docstring, or its name.
    words : list of str
        Words of all its docstrings in lower case, without stop words.
    imports : Counter of str
        Number of import statements by dotted name of the imported module.
    """

    name: str
    title: str
    words: list[str]
    imports: Counter[str]


def parse_module(
    name: str, source: str, *, is_package: bool, known: Collection[str], stop_words: Collection[str]
) -> SourceModule | None:
    r"""Parse one source file without running it.

    Parameters
    ----------
    name : str
        Dotted name of the module.
    source : str
        Text of the file.
    is_package : bool
        Whether the file is the `__init__.py` of a package, which relative imports depend on.
    known : collection of str
        Dotted names of the modules whose imports are counted.
    stop_words : collection of str
        Stop words in lower case.

    Returns
    -------
    SourceModule or None
        Words and imports; None if the file cannot be parsed.

    Examples
    --------
    >>> source = "'''Rivers carry the sand.'''\nfrom . import delta\nimport os"
    >>> module = parse_module("water.river", source, is_package=False, known={"water.delta"}, stop_words={"the"})
    >>> module.words, dict(module.imports)
    (['rivers', 'carry', 'sand'], {'water.delta': 1})
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # such as invalid escape sequences
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        # Null bytes raise a ValueError in Python 3.11; deep nesting raises one of the last two.
        return None
    package = name.split(".") if is_package else name.split(".")[:-1]
    docstrings: list[str] = []
    imports: Counter[str] = Counter()
    for node in _statements(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            docstrings.append(ast.get_docstring(node, clean=False) or "")
        elif isinstance(node, ast.Import | ast.ImportFrom):
            imports.update(_imported_modules(node, package, known))
    del imports[name]
    prose = _NOT_PROSE.sub(" ", "\n\n".join(docstrings)).lower()
    words = [word for word in _WORD.findall(prose) if word not in stop_words]
    # The line above a heading has no letters.
    first_line = next((line for line in docstrings[0].splitlines() if any(map(str.isalnum, line))), name).strip()
    # A docstring may contain a lone surrogate as an escape, which cannot be written to a file.
    return SourceModule(name, first_line.encode(errors="replace").decode(), words, imports)


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield the tree and all its statements; expressions contain no docstrings and no imports."""
    stack: list[ast.AST] = [tree]
    while stack:
        node = stack.pop()
        yield node
        for block in ("body", "orelse", "handlers", "finalbody", "cases"):
            stack.extend(getattr(node, block, ()))


def _imported_modules(statement: ast.Import | ast.ImportFrom, package: list[str], known: Collection[str]) -> set[str]:
    """Return the known modules that an import statement of a module in `package` imports."""
    if isinstance(statement, ast.Import):
        return {alias.name for alias in statement.names if alias.name in known}
    if statement.level > len(package):
        return set()  # beyond the top-level package, which is an error in Python
    parents = package[: len(package) - statement.level + 1] if statement.level else []
    base = ".".join([*parents, *filter(None, [statement.module])])
    inner = (f"{base}.{alias.name}" for alias in statement.names)
    return {module for module in (name if name in known else base for name in inner) if module in known}
