"""The demo corpus: the Python packages installed on this machine, read without importing any of them."""

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

# Words of the form of a docstring rather than of its matter.
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
    """Read the Python packages installed on this machine as a corpus; nothing is imported or executed.

    A module is a document: its id is its dotted name, its words are those of the docstrings of the module,
    its classes and its functions, its title is the first line of its own docstring (or its name), its label
    the top-level package. An import of another module of the corpus is a link, whose weight is the number of
    import statements that reach it; ``from a import b`` reaches ``a.b`` where that is a module, else ``a``.

    Words are runs of at least three letters, in lower case. Doctests, code literals, formulas and addresses
    are left out, and so is a word that touches a digit or an underscore. The same installed files give the
    same corpus, bit for bit.

    Left out and counted in `Corpus.skipped`: modules named ``test_*`` or ``conftest``, or with ``test`` or
    ``tests`` in their dotted name; copies of other packages, below a folder named ``vendor``, ``vendored``,
    ``_vendor``, ``_vendored``, ``extern`` or ``externals``; files that cannot be read, decoded or parsed;
    modules with fewer than `min_words` words; links to modules left out for one of the last two reasons.
    Packages installed in editable mode are not seen, except plait.

    Parameters
    ----------
    packages : sequence of str, optional
        Import names (``"sklearn"``) or distribution names (``"scikit-learn"``); None takes all there are.
    min_words : int
        A module with fewer words, stop words not counted, is left out.
    stop_words : str, path, collection of str or None
        Words to leave out: ``"english"`` for scikit-learn's list and `DOCSTRING_BOILERPLATE`; a collection,
        or a file with a word a line, for exactly these; None for none.
    min_df, max_df : int or float
        A word stays when it is in at least / at most so many modules (an int) or that share of them.
    max_words : int, optional
        Keep only so many of the words, the most frequent ones.
    root : path, optional
        The folder that holds the installed packages and their metadata; None takes those this Python sees.

    Returns
    -------
    Corpus
        With titles, labels and links, in the order of the dotted names.

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
    from plait.corpus.text.analyzers import load_stop_words

    left_out = Problems("skip")
    unwanted = load_stop_words(stop_words)
    if stop_words == "english":
        unwanted |= DOCSTRING_BOILERPLATE
    files = _chosen_files(packages, None if root is None else Path(root), left_out)
    modules = _read_modules(files, unwanted, min_words, left_out)
    if not modules:
        raise PlaitError(f"none of the {len(files):,} modules has {min_words} words; lower min_words or add packages")
    corpus = Corpus.from_texts(
        [" ".join(module.words) for module in modules],
        ids=[module.name for module in modules],
        titles=[module.title for module in modules],
        labels=[module.name.partition(".")[0] for module in modules],
        links=_links(modules, left_out),
        stop_words=None,
        min_df=min_df,
        max_df=max_df,
        max_words=max_words,
        tokenizer=str.split,
        lowercase=False,
        on_error="skip",
    )
    return replace(corpus, skipped=left_out.skipped() + corpus.skipped)


def _chosen_files(packages: Sequence[str] | None, root: Path | None, left_out: Problems) -> dict[str, Path]:
    """Return the source file of each module of the packages asked for, sorted by dotted name."""
    places, names_of = _installed(root)
    where = "this Python" if root is None else str(root)
    if not places:
        raise PlaitError(f"no installed package with Python source was found in {where}; give another root=")
    files: dict[str, Path] = {}
    for package in _chosen(packages, places, names_of, where):
        for place in places[package]:
            for name, path in _source_files(package, place):
                # Where two places hold one name, Python imports the first.
                files.setdefault(name, path)
    for name in sorted(files):
        kind = _kind_left_out(name)
        if kind is not None:
            left_out.note(kind, name)
            del files[name]
    return dict(sorted(files.items()))


def _installed(root: Path | None) -> tuple[dict[str, list[Path]], dict[str, list[str]]]:
    """Return where each top-level package lies, and the top-level packages of each distribution."""
    places: dict[str, list[Path]] = {}
    names_of: dict[str, list[str]] = {}
    for distribution in metadata.distributions(path=sys.path if root is None else [str(root)]):
        names = set((distribution.read_text("top_level.txt") or "").split())
        if not names:
            sources = [file for file in distribution.files or () if file.suffix == ".py"]
            names = {file.parts[0].removesuffix(".py") for file in sources}
        # An uninstall that was interrupted leaves metadata without a name, or none.
        about = distribution.metadata
        title = _normalised(about["Name"]) if about and "Name" in about else ""
        for name in sorted(filter(str.isidentifier, names)):
            folder = Path(str(distribution.locate_file(name)))
            found = [place for place in (folder, folder.with_suffix(".py")) if place.exists()]
            if found:
                places.setdefault(name, []).extend(found)
                if title:
                    names_of.setdefault(title, []).append(name)
    if root is None:
        # plait may run from its source tree, where the metadata does not say which files are its own.
        places["plait"] = [Path(__file__).parents[1]]
    return places, names_of


def _normalised(distribution: str) -> str:
    return re.sub(r"[-_.]+", "-", distribution).lower()


def _chosen(
    packages: Sequence[str] | None, places: Collection[str], names_of: Mapping[str, list[str]], where: str
) -> list[str]:
    """Return the top-level packages that `packages` asks for, in sorted order."""
    if packages is None:
        return sorted(places)
    if isinstance(packages, str) or not packages:
        raise PlaitError(f'packages={packages!r} is not a list of names; give ["numpy"], or None for all')
    chosen: set[str] = set()
    for name in packages:
        names = [name] if name in places else names_of.get(_normalised(name))
        if names is None:
            near = difflib.get_close_matches(name, sorted({*places, *names_of}), n=3)
            hint = f"did you mean {' or '.join(near)}?" if near else "packages=None takes all there are"
            raise PlaitError(f'packages: "{name}" is not installed with Python source in {where}; {hint}')
        chosen.update(names)
    return sorted(chosen)


def _source_files(name: str, place: Path) -> Iterator[tuple[str, Path]]:
    """Yield the dotted name and the path of every module of a package, or the one of a plain module."""
    if place.suffix == ".py":
        yield name, place
        return
    for folder, subfolders, files in os.walk(place):
        # A folder whose name is no identifier (and the cache of compiled files) cannot be imported from.
        subfolders[:] = sorted(sub for sub in subfolders if sub.isidentifier() and sub != "__pycache__")
        parents = (name, *Path(folder).relative_to(place).parts)
        for file in sorted(files):
            stem = file.removesuffix(".py")
            if file.endswith(".py") and stem.isidentifier():
                parts = parents if stem == "__init__" else (*parents, stem)
                yield ".".join(parts), Path(folder, file)


def _kind_left_out(name: str) -> str | None:
    """Say what kind of module is left out by its name alone; None if it is kept."""
    parts = name.split(".")
    if TEST_FOLDERS.intersection(parts) or parts[-1].startswith("test_") or parts[-1] == "conftest":
        return "test module"
    return "vendored copy" if VENDORED_FOLDERS.intersection(parts[1:]) else None


def _read_modules(
    files: Mapping[str, Path], stop_words: Collection[str], min_words: int, left_out: Problems
) -> list[SourceModule]:
    """Return what each file says; files that cannot be used or have too few words are counted instead."""
    modules = []
    with _collector_paused():
        for name, path in files.items():
            try:
                source = importlib.util.decode_source(path.read_bytes())
            except OSError:
                left_out.note("unreadable file", str(path))
                continue
            except (SyntaxError, UnicodeDecodeError, LookupError):
                # An encoding declaration that names no codec is a SyntaxError or a LookupError.
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
def _collector_paused() -> Iterator[None]:
    """Pause the cyclic collector: syntax trees hold no cycles, and its search for some doubles the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _links(modules: Sequence[SourceModule], left_out: Problems) -> list[tuple[str, str, int]]:
    """Return (source, target, weight) for the imports among the modules kept."""
    kept = {module.name for module in modules}
    links = []
    for module in modules:
        for target, weight in sorted(module.imports.items()):
            if target in kept:
                links.append((module.name, target, weight))
            else:
                left_out.note("link to a module left out", f"{module.name} imports {target}")
    return links
