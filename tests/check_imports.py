"""Fail when an import inside plait points up: `python tests/check_imports.py`, run by `make lint`.

The parts of plait stand in layers, and a part may import its own layer and those below it. Imports inside
functions count like any other: they are put there to be quick, not to get around the order.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

# From top to bottom; docs/architecture.md says what each part is for. `plait` itself, the front door, stands above all.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("__main__", "cli"),
    ("evaluation", "streaming", "serve"),
    ("models", "store", "knowledge"),
    ("metrics", "baselines", "graph", "engine"),
    ("priors", "mixing", "responses", "pair_features"),
    ("inputs", "executors", "samplers"),
    ("datasets",),
    ("corpus",),
    ("report",),
    ("plots",),
    ("errors", "_utils"),
)
HEIGHT = {part: len(LAYERS) - number for number, parts in enumerate(LAYERS) for part in parts}

# (module that imports, name imported): why it may point up. Nothing else may.
ALLOWED: dict[tuple[str, str], str] = {}

# Names of the front door that every part may read, because they are defined there and load nothing.
FRONT_DOOR = {"__version__"}


class Import(NamedTuple):
    """One name of plait that a module imports, such as `plait.corpus.Corpus`, and the line where."""

    module: str
    name: str
    line: int


def module_name(path: Path, source: Path) -> str:
    """The dotted name of the module in a file, such as `plait.samplers.plain`."""
    parts = path.relative_to(source).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(path: Path, source: Path) -> Iterator[Import]:
    """Every name of plait that a file imports, at its top or inside its functions."""
    module = module_name(path, source)
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = node.module or ""
            if node.level:  # relative: one dot is the module's own package
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                start = ".".join([*above, *([node.module] if node.module else [])])
            names = [f"{start}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            if name == "plait" or name.startswith("plait."):
                yield Import(module, name, node.lineno)


def part_of(name: str) -> str:
    """The part of plait that a dotted name belongs to; "" for the front door."""
    pieces = name.split(".")
    return pieces[1] if len(pieces) > 1 else ""


def complaint(found: Import) -> str:
    """What is wrong with an import; "" for nothing."""
    importer, imported = part_of(found.module), part_of(found.name)
    if importer == "" or (found.module, found.name) in ALLOWED or imported in FRONT_DOOR:
        return ""
    if imported not in HEIGHT:
        return f"imports {found.name} through the front door; import it from the module that defines it"
    if HEIGHT[imported] <= HEIGHT[importer]:
        return ""
    return (
        f"imports {found.name}, but {imported} stands above {importer}; move what both need down to the "
        "lower one, or hand it over as an argument"
    )


def check(source: Path) -> list[str]:
    """All complaints about the package in a source folder, one line each."""
    package = source / "plait"
    parts = {path.stem for path in package.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
    parts.discard("__init__")
    complaints = [
        f"plait.{part} has no place in the order: add it to LAYERS in {Path(__file__).name} and to docs/architecture.md"
        for part in sorted(parts - HEIGHT.keys())
    ]
    if complaints:
        return complaints
    found = [item for path in sorted(package.rglob("*.py")) for item in imports_of(path, source)]
    used = {(item.module, item.name) for item in found}
    complaints += [
        f"{module} no longer imports {name}; take it out of ALLOWED" for module, name in ALLOWED.keys() - used
    ]
    return complaints + [f"{item.module}, line {item.line}: {why}" for item in found if (why := complaint(item))]


def main() -> int:
    """Print the complaints; return 1 if there are any."""
    source = Path(__file__).resolve().parents[1] / "src"
    complaints = check(source)
    for line in complaints:
        print(line)
    if not complaints:
        print(f"imports point down in all {len(list((source / 'plait').rglob('*.py')))} files")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
