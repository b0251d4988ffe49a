"""The corpus of installed packages, read from a folder of small packages."""

from __future__ import annotations

import gc
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from plait.corpus import Corpus
from plait.datasets import installed_packages
from plait.datasets.installed_packages import DOCSTRING_BOILERPLATE
from plait.datasets.python_source import parse_module
from plait.errors import PlaitError

PROSE = "Rivers carry sediment towards estuaries while glaciers grind mountains slowly."


def install(root: Path, distribution: str, files: Mapping[str, str | bytes], top_level: str | None = None) -> None:
    """Write a distribution as an installer does: its files, and a dist-info folder that lists them."""
    info = root / f"{distribution}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
    (info / "RECORD").write_text("".join(f"{name},,\n" for name in files))
    if top_level is not None:
        (info / "top_level.txt").write_text(top_level)
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content if isinstance(content, bytes) else content.encode())


def module(docstring: str = PROSE, code: str = "") -> str:
    return f'"""{docstring}"""\n{code}\n'


def read(root: Path, packages: list[str] | None = None, **options: object) -> Corpus:
    return installed_packages(packages, root=root, **{"min_words": 5, "min_df": 1, "max_df": 1.0, **options})  # type: ignore[arg-type]


def links_of(corpus: Corpus) -> dict[tuple[str, str], float]:
    assert corpus.links is not None
    entries = corpus.links.tocoo()
    return {
        (corpus.ids[source], corpus.ids[target]): weight
        for source, target, weight in zip(*entries.coords, entries.data, strict=True)
    }


def words_of(corpus: Corpus, document: str) -> dict[str, int]:
    row = corpus.counts[[list(corpus.ids).index(document)]].toarray()[0]
    return {word: int(count) for word, count in zip(corpus.vocabulary, row, strict=True) if count}


def test_documents_are_modules_labelled_by_package_and_sorted(tmp_path: Path) -> None:
    install(tmp_path, "zeta", {"zeta.py": module("Zeta waves.\n\n" + PROSE)})
    install(
        tmp_path,
        "Alpha.Dist",
        {"alpha/__init__.py": module(), "alpha/deep/part.py": f"def f():\n  '''{PROSE}'''\n"},
    )
    corpus = read(tmp_path)
    assert list(corpus.ids) == ["alpha", "alpha.deep.part", "zeta"]
    assert corpus.labels == (("alpha",), ("alpha",), ("zeta",))
    assert corpus.titles is not None
    assert list(corpus.titles) == [PROSE, "alpha.deep.part", "Zeta waves."]
    assert not corpus.skipped


def test_link_weights_count_import_statements(tmp_path: Path) -> None:
    code = """
import pkg.b, os
from pkg import b, c
from pkg import NAME, OTHER
def later():
    try:
        import pkg.b
    except ImportError:
        from other import anything
    import pkg.missing
"""
    files = {
        "pkg/__init__.py": module(),
        "pkg/a.py": module(code=code),
        "pkg/b.py": module(),
        "pkg/c.py": module(),
    }
    install(tmp_path, "pkg", files)
    install(tmp_path, "other", {"other.py": module(code="from pkg.c import *\nimport other")})
    corpus = read(tmp_path)
    assert not corpus.skipped
    assert links_of(corpus) == {
        ("pkg.a", "pkg.b"): 3,
        ("pkg.a", "pkg.c"): 1,
        ("pkg.a", "pkg"): 1,
        ("pkg.a", "other"): 1,
        ("other", "pkg.c"): 1,
    }


def test_relative_imports_are_resolved_from_modules_and_from_packages(tmp_path: Path) -> None:
    files = {
        "pkg/__init__.py": module(code="from . import sub, __version__"),
        "pkg/top.py": module(),
        "pkg/sub/__init__.py": module(code="from .leaf import x\nfrom .. import top"),
        "pkg/sub/leaf.py": module(
            code="from ..top import y\nfrom . import other\nfrom .. import z\nfrom .... import top"
        ),
        "pkg/sub/other.py": module(),
    }
    install(tmp_path, "pkg", files)
    assert links_of(read(tmp_path)) == {
        ("pkg", "pkg.sub"): 1,
        ("pkg.sub", "pkg.sub.leaf"): 1,
        ("pkg.sub", "pkg.top"): 1,
        ("pkg.sub.leaf", "pkg.top"): 1,
        ("pkg.sub.leaf", "pkg.sub.other"): 1,
        ("pkg.sub.leaf", "pkg"): 1,
    }


def test_words_come_from_docstrings_without_code_and_boilerplate(tmp_path: Path) -> None:
    docstring = r"""Fold the river map.

    Parameters
    ----------
    n_rivers : int, default=3
        Don't pass ``secret code`` or :func:`folding` at https://hidden.example/page.
        The rate is :math:`latex inside` or \frac of x2 things.

    >>> hidden_call(concealed)
    concealed output

    .. versionadded:: 1.2
    Brought by Zoë.
    """
    code = f"""
class Bridge:
    'Bridge.'
    async def cross(self):
        'Crossing. {PROSE}'
x = 'unseen'
"""
    install(tmp_path, "pkg", {"pkg.py": f'r"""{docstring}"""\n{code}\n'})
    words = words_of(read(tmp_path), "pkg")
    assert {
        "fold",
        "river",
        "map",
        "pass",
        "folding",
        "rate",
        "things",
        "brought",
        "zoë",
        "bridge",
        "crossing",
    } <= set(words)
    unwanted = "don secret code https hidden latex inside frac concealed output versionadded the unseen"
    assert not set(unwanted.split()).intersection(words)
    assert not DOCSTRING_BOILERPLATE.intersection(words)


def test_stop_words_can_be_turned_off_or_given(tmp_path: Path) -> None:
    install(tmp_path, "pkg", {"pkg.py": module("The default river. " + PROSE)})
    assert {"the", "default"} <= set(words_of(read(tmp_path, stop_words=None), "pkg"))
    given = words_of(read(tmp_path, stop_words=["river"]), "pkg")
    assert "the" in given
    assert "river" not in given
    with pytest.raises(PlaitError, match='stop_words is "germna"'):
        read(tmp_path, stop_words="germna")


def test_vocabulary_options_are_applied(tmp_path: Path) -> None:
    shared = "ocean ocean ocean delta delta basin ridge canyon"
    files = {
        "pkg/__init__.py": module(shared + " lagoon"),
        "pkg/a.py": module(shared),
        "pkg/b.py": module(shared + " canyon"),
    }
    install(tmp_path, "pkg", files)
    assert "lagoon" not in read(tmp_path, min_df=2).vocabulary
    assert list(read(tmp_path, max_df=0.5).vocabulary) == ["lagoon"]
    assert set(read(tmp_path, max_words=2).vocabulary) == {"ocean", "delta"}


def test_left_out_modules_are_counted(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "pkg/__init__.py": module(code="from . import broken, small, latin"),
        "pkg/broken.py": module(code="def ("),
        "pkg/nul.py": b'"""' + PROSE.encode() + b'"""\nx = "\0"\n',
        "pkg/latin.py": b'"""caf\xe9 ' + PROSE.encode() + b'"""\n',
        "pkg/cookie.py": b"# -*- coding: klingon -*-\n" + module().encode(),
        "pkg/declared.py": b'# coding: latin-1\n"""caf\xe9 ' + PROSE.encode() + b'"""\n',
        "pkg/small.py": module("Too short."),
        "pkg/tests/test_a.py": module(),
        "pkg/test_b.py": module(),
        "pkg/conftest.py": module(),
        "pkg/_vendor/copy.py": module(),
        "pkg/not-a-module.py": module(),
        "pkg/data-files/script.py": module(),
    }
    install(tmp_path, "pkg", files)
    corpus = read(tmp_path)
    assert list(corpus.ids) == ["pkg", "pkg.declared"]
    assert "café" in corpus.vocabulary
    assert {kind.name: kind.count for kind in corpus.skipped} == {
        "broken syntax": 2,
        "wrong encoding": 2,
        "too few words": 1,
        "test module": 3,
        "vendored copy": 1,
        "link to a module left out": 3,
    }


def test_namespace_packages_are_read_from_all_their_distributions(tmp_path: Path) -> None:
    install(tmp_path, "space-one", {"space/one/__init__.py": module(code="from space.two import tool")})
    install(tmp_path, "space-two", {"space/two/tool.py": module(code="import space.one")}, top_level="space\n")
    corpus = read(tmp_path)
    assert list(corpus.ids) == ["space.one", "space.two.tool"]
    assert corpus.labels == (("space",), ("space",))
    assert links_of(corpus) == {("space.one", "space.two.tool"): 1, ("space.two.tool", "space.one"): 1}


def test_namespace_packages_are_read_from_all_folders_of_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for part in ("one", "two"):
        install(tmp_path / part, f"riverspace-{part}", {f"riverspace/{part}.py": module()})
        monkeypatch.syspath_prepend(str(tmp_path / part))
    corpus = installed_packages(["riverspace"], min_words=5, min_df=1, max_df=1.0)
    assert list(corpus.ids) == ["riverspace.one", "riverspace.two"]


def test_modules_without_words_are_left_out_even_if_min_words_is_0(tmp_path: Path) -> None:
    install(tmp_path, "pkg", {"pkg/__init__.py": module(), "pkg/bare.py": "x = 1\n"})
    corpus = read(tmp_path, min_words=0)
    assert list(corpus.ids) == ["pkg"]
    assert corpus.skipped["empty document"] == 1


def test_the_line_above_a_heading_is_no_title() -> None:
    parts = {"is_package": False, "known": (), "stop_words": ()}
    heading = parse_module("waves", "'''\n=====\nWaves\n=====\n\nMore.'''", **parts)
    only_lines = parse_module("waves", "'''-----'''", **parts)
    assert heading is not None
    assert only_lines is not None
    assert (heading.title, only_lines.title) == ("Waves", "waves")


def test_titles_can_be_encoded_as_utf8(tmp_path: Path) -> None:
    install(tmp_path, "pkg", {"pkg.py": module("\\ud800 " + PROSE)})
    titles = read(tmp_path).titles
    assert titles is not None
    assert titles[0].encode() == b"? " + PROSE.encode()


@pytest.mark.parametrize("enabled", [True, False])
def test_the_state_of_the_garbage_collector_is_restored(tmp_path: Path, enabled: bool) -> None:
    install(tmp_path, "pkg", {"pkg.py": module()})
    was_enabled = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        read(tmp_path)
        assert gc.isenabled() == enabled
    finally:
        (gc.enable if was_enabled else gc.disable)()


def test_nothing_is_executed(tmp_path: Path) -> None:
    witness = tmp_path / "witness"
    code = f"open({str(witness)!r}, 'w').close()"
    install(tmp_path, "pkg", {"pkg/__init__.py": module(code=code), "pkg/__main__.py": module(code=code)})
    (tmp_path / "pkg.pth").write_text(f"import os; {code}\n")
    assert list(read(tmp_path, ["pkg"]).ids) == ["pkg", "pkg.__main__"]
    assert not witness.exists()


def test_packages_are_selected_by_import_name_or_distribution_name(tmp_path: Path) -> None:
    install(tmp_path, "scikit-rivers", {"skrivers.py": module(), "_skrivers.py": module()})
    install(tmp_path, "lakes", {"lakes.py": module(code="import skrivers")})
    assert list(read(tmp_path, ["Scikit_Rivers"]).ids) == ["_skrivers", "skrivers"]
    assert list(read(tmp_path, ["skrivers"]).ids) == ["skrivers"]
    assert links_of(read(tmp_path, ["lakes"])) == {}


def test_remains_of_an_uninstalled_distribution_are_ignored(tmp_path: Path) -> None:
    install(tmp_path, "pkg", {"pkg.py": module()})
    install(tmp_path, "half", {"half.py": module()})
    install(tmp_path, "gone", {"gone.py": module()})
    (tmp_path / "half-1.0.dist-info" / "METADATA").unlink()
    (tmp_path / "gone.py").unlink()
    (tmp_path / "empty-1.0.dist-info").mkdir()
    assert list(read(tmp_path).ids) == ["half", "pkg"]


def test_a_package_that_is_not_installed_is_an_error_with_near_matches(tmp_path: Path) -> None:
    install(tmp_path, "scikit-rivers", {"skrivers.py": module()})
    with pytest.raises(PlaitError, match=r'"skriver" is not installed .*; did you mean skrivers'):
        read(tmp_path, ["skriver"])
    with pytest.raises(PlaitError, match="'skrivers' is not a list of names"):
        installed_packages("skrivers", root=tmp_path)
    with pytest.raises(PlaitError, match="is not a list of names"):
        read(tmp_path, [])


def test_a_folder_without_packages_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(PlaitError, match=r"no installed package with Python source was found in .*nowhere"):
        read(tmp_path / "nowhere")


def test_modules_that_are_all_too_short_are_an_error(tmp_path: Path) -> None:
    install(tmp_path, "pkg", {"pkg.py": module("Short.")})
    with pytest.raises(PlaitError, match="none of the 1 modules has 5 words; lower min_words"):
        read(tmp_path)


def test_the_same_folder_gives_the_same_corpus(tmp_path: Path) -> None:
    install(
        tmp_path,
        "b",
        {"b/__init__.py": module(code="import a"), "b/c.py": module("Another matter. " + PROSE)},
    )
    install(tmp_path, "a", {"a.py": module()})
    first, second = read(tmp_path), read(tmp_path)
    for name in ("ids", "vocabulary", "titles"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(first.counts, name), getattr(second.counts, name))
        np.testing.assert_array_equal(getattr(first.links, name), getattr(second.links, name))


def test_this_machine_has_packages_and_plait_itself() -> None:
    corpus = installed_packages(["plait", "rich"])
    assert corpus.label_names == ("plait", "rich")
    assert "rich.console" in corpus.ids
    assert "plait.datasets.installed_packages" in corpus.ids
    assert corpus.n_links > 50
