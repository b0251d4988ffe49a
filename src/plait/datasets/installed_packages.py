"""The demo corpus: the docstrings and imports of the Python packages installed on this machine."""

from __future__ import annotations

import difflib
import gc
import importlib.util
import os
import re
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from plait.datasets.python_source import SourceModule, parse_module
from plait.errors import PlaitError

if TYPE_CHECKING:
    from plait.corpus import Corpus
    from plait.corpus.problems import Problems

# Words that belong to the form of docstrings, not to their content.
DOCSTRING_BOILERPLATE = frozenset(
    """
    arg args argument arguments attribute attributes bool boolean class classes cls copyright default
    defaults deprecated dict docstring does example examples false float func function functions instance int
    integer kwarg kwargs license list method methods module none note notes obj object objects optional param
    parameter parameters params raise raised raises reference references return returned returning returns
    self str string tuple true type types use used uses using value values warning warnings yield yields
    """.split()  # noqa: SIM905 (a list of 70 quoted words is harder to read and to edit)
)
TEST_FOLDERS = frozenset({"test", "tests"})
VENDORED_FOLDERS = frozenset({"_vendor", "_vendored", "extern", "externals", "vendor", "vendored"})


def installed_packages(
    packages: Sequence[str] | None = None,
    *,
    min_words: int = 20,
    stop_words: str | Path | Collection[str] | None = "english",
    min_df: int | float = 2,
    max_df: int | float = 0.5,
    max_words: int | None = None,
    root: str | Path | None = None,
) -> Corpus:
    """Return the Python packages installed on this machine as a corpus; no code is imported or executed.

    A document is a module. Its id is its dotted name, its words are those of the docstrings of the module, its classes
    and functions, its title is the first line of its own docstring (or its name), and its label is the top-level
    package. An import of another module of the corpus is a link; its weight is the number of import statements.
    ``from a import b`` links to ``a.b`` if that is a module, else to ``a``.

    Words have at least three letters and are in lower case. Doctests, code literals, formulas and URLs are left out,
    and so are words next to a digit or an underscore. The same installed files give the same corpus, bit for bit.

    The following are left out and counted in `Corpus.skipped`: modules named ``test_*`` or ``conftest``, or with
    ``test`` or ``tests`` in their dotted name; copies of other packages in a folder named ``vendor``, ``vendored``,
    ``_vendor``, ``_vendored``, ``extern`` or ``externals``; files that cannot be read, decoded or parsed; modules with
    fewer than `min_words` words; links to modules left out for one of the last two reasons. Packages installed in
    editable mode are not found, except plait.

    Parameters
    ----------
    packages : sequence of str or None, default None
        Import names (``"sklearn"``) or distribution names (``"scikit-learn"``); None for all packages.
    min_words : int, default 20
        Minimum number of words per module, without stop words.
    stop_words : str, path, collection of str or None, default "english"
        Stop words: ``"english"`` for scikit-learn's list and `DOCSTRING_BOILERPLATE`; a collection, or a file with one
        word per line; None for none.
    min_df : int or float, default 2
        Minimum number (int) or share (float) of modules that contain a word of the vocabulary.
    max_df : int or float, default 0.5
        Maximum number (int) or share (float) of modules that contain a word of the vocabulary.
    max_words : int or None, default None
        Maximum size of the vocabulary: the most frequent words are kept.
    root : str, path or None, default None
        Folder with the installed packages and their metadata; None for the packages of this Python.

    Returns
    -------
    Corpus
        Corpus with titles, labels and links, in the order of the dotted names.

    Examples
    --------
    >>> corpus = installed_packages(["rich", "typer"])
    >>> corpus.label_names
    ('rich', 'typer')
    >>> console, text = (list(corpus.ids).index(name) for name in ("rich.console", "rich.text"))
    >>> bool(corpus.links[console, text] > 0)
    True
    """
    from plait.corpus import Corpus
    from plait.corpus.problems import Problems
    from plait.corpus.text.stop_words import load_stop_words

    left_out = Problems("skip")
    excluded = load_stop_words(stop_words)
    if stop_words == "english":
        excluded |= DOCSTRING_BOILERPLATE
    files = _find_files(packages, None if root is None else Path(root), left_out)
    modules = _read_modules(files, excluded, min_words, left_out)
    if not modules:
        raise PlaitError(f"none of the {len(files):,} modules has {min_words} words; lower min_words, or add packages")
    corpus = Corpus.from_texts(
        [" ".join(module.words) for module in modules],
        ids=[module.name for module in modules],
        titles=[module.title for module in modules],
        labels=[module.name.partition(".")[0] for module in modules],
        links=_find_links(modules, left_out),
        stop_words=None,
        min_df=min_df,
        max_df=max_df,
        max_words=max_words,
        tokenizer=str.split,
        lowercase=False,
        language=None,
        html=False,
        urls="keep",
        numbers="keep",
        on_error="skip",
    )
    # The words are found by `parse_module`, so the options of this step do not say how.
    return replace(corpus, skipped=left_out.skipped() + corpus.skipped, text_options=None)


def _find_files(packages: Sequence[str] | None, root: Path | None, left_out: Problems) -> dict[str, Path]:
    """Return the source file of each module of the selected packages, sorted by dotted name."""
    locations, packages_of = _find_packages(root)
    where = "this Python" if root is None else str(root)
    if not locations:
        raise PlaitError(f"no installed package with Python source was found in {where}; give another root=")
    files: dict[str, Path] = {}
    for package in _select_packages(packages, locations, packages_of, where):
        for location in locations[package]:
            for name, path in _source_files(package, location):
                # If two locations have the same name, Python imports the first.
                files.setdefault(name, path)
    for name in sorted(files):
        reason = _exclusion_reason(name)
        if reason is not None:
            left_out.note(reason, name)
            del files[name]
    return dict(sorted(files.items()))


def _find_packages(root: Path | None) -> tuple[dict[str, list[Path]], dict[str, list[str]]]:
    """Return the locations of each top-level package, and the top-level packages of each distribution."""
    locations: dict[str, list[Path]] = {}
    packages_of: dict[str, list[str]] = {}
    for distribution in metadata.distributions(path=sys.path if root is None else [str(root)]):
        names = set((distribution.read_text("top_level.txt") or "").split())
        if not names:
            sources = [file for file in distribution.files or () if file.suffix == ".py"]
            names = {file.parts[0].removesuffix(".py") for file in sources}
        # An interrupted uninstall leaves metadata without a name, or no metadata.
        about = distribution.metadata
        title = _normalise_name(about["Name"]) if about and "Name" in about else ""
        for name in sorted(filter(str.isidentifier, names)):
            folder = Path(str(distribution.locate_file(name)))
            found = [path for path in (folder, folder.with_suffix(".py")) if path.exists()]
            if found:
                locations.setdefault(name, []).extend(found)
                if title:
                    packages_of.setdefault(title, []).append(name)
    if root is None:
        # plait may run from its source tree, where the metadata does not list its files.
        locations["plait"] = [Path(__file__).parents[1]]
    return locations, packages_of


def _normalise_name(distribution: str) -> str:
    """Return the normalised name of a distribution (PEP 503)."""
    return re.sub(r"[-_.]+", "-", distribution).lower()


def _select_packages(
    packages: Sequence[str] | None, locations: Collection[str], packages_of: Mapping[str, list[str]], where: str
) -> list[str]:
    """Return the selected top-level packages, sorted."""
    if packages is None:
        return sorted(locations)
    if isinstance(packages, str) or not packages:
        raise PlaitError(f'packages={packages!r} is not a list of names; give ["numpy"], or None for all')
    selected: set[str] = set()
    for name in packages:
        names = [name] if name in locations else packages_of.get(_normalise_name(name))
        if names is None:
            near = difflib.get_close_matches(name, sorted({*locations, *packages_of}), n=3)
            hint = f"did you mean {' or '.join(near)}?" if near else "use packages=None for all packages"
            raise PlaitError(f'packages: "{name}" is not installed with Python source in {where}; {hint}')
        selected.update(names)
    return sorted(selected)


def _source_files(name: str, location: Path) -> Iterator[tuple[str, Path]]:
    """Yield the dotted name and the path of every module of a package, or of a single-file module."""
    if location.suffix == ".py":
        yield name, location
        return
    for folder, subfolders, files in os.walk(location):
        # Modules in a folder whose name is not an identifier cannot be imported.
        subfolders[:] = sorted(sub for sub in subfolders if sub.isidentifier() and sub != "__pycache__")
        parents = (name, *Path(folder).relative_to(location).parts)
        for file in sorted(files):
            stem = file.removesuffix(".py")
            if file.endswith(".py") and stem.isidentifier():
                names = parents if stem == "__init__" else (*parents, stem)
                yield ".".join(names), Path(folder, file)


def _exclusion_reason(name: str) -> str | None:
    """Return why a module is left out because of its name; None if it is kept."""
    names = name.split(".")
    if TEST_FOLDERS.intersection(names) or names[-1].startswith("test_") or names[-1] == "conftest":
        return "test module"
    return "vendored copy" if VENDORED_FOLDERS.intersection(names[1:]) else None


def _read_modules(
    files: Mapping[str, Path], stop_words: Collection[str], min_words: int, left_out: Problems
) -> list[SourceModule]:
    """Return the parsed modules; files that cannot be parsed or have too few words are counted."""
    modules = []
    with _pause_garbage_collection():
        for name, path in files.items():
            try:
                source = importlib.util.decode_source(path.read_bytes())
            except OSError:
                left_out.note("unreadable file", str(path))
                continue
            except (SyntaxError, UnicodeDecodeError, LookupError):
                # An unknown encoding declaration raises a SyntaxError or a LookupError.
                left_out.note("wrong encoding", str(path))
                continue
            is_package = path.name == "__init__.py"
            module = parse_module(name, source, is_package=is_package, known=files, stop_words=stop_words)
            if module is None:
                left_out.note("broken syntax", str(path))
            elif len(module.words) < min_words:
                left_out.note("too few words", name)
            else:
                modules.append(module)
    return modules


@contextmanager
def _pause_garbage_collection() -> Iterator[None]:
    """Pause the cyclic garbage collector: syntax trees have no cycles, and searching for them doubles the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _find_links(modules: Sequence[SourceModule], left_out: Problems) -> list[tuple[str, str, int]]:
    """Return (source, target, weight) of the imports among the kept modules."""
    kept = {module.name for module in modules}
    links = []
    for module in modules:
        for target, weight in sorted(module.imports.items()):
            if target in kept:
                links.append((module.name, target, weight))
            else:
                left_out.note("link to a module left out", f"{module.name} imports {target}")
    return links
