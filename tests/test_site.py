"""The documentation site: every public name is in the reference, every page in the navigation, no link is dead."""

from __future__ import annotations

import base64
import hashlib
import importlib
import importlib.util
import inspect
import io
import pkgutil
import re
import shutil
import tarfile
from pathlib import Path

import pytest

import plait
from tests.check_site import broken_links, outside_requests

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "site"
REFERENCE = ROOT / "docs/reference"
DIRECTIVE = re.compile(r"^::: ([\w.]+)$", re.MULTILINE)
CONSTANTS = ("AUTO", "AnyPrior", "FEATURES", "FORMAT", "LOSSES", "MIXINGS", "MODELS", "PRIORS", "RESPONSES", "SAMPLERS")

needs_site = pytest.mark.skipif(not (SITE / "index.html").is_file(), reason="the site is not built; make docs")


def public_modules():
    """Return the modules of plait that name their public parts."""
    names = [f"plait.{module.name}" for module in pkgutil.iter_modules(plait.__path__) if module.name[0] != "_"]
    modules = [plait, *map(importlib.import_module, names)]
    return [module for module in modules if hasattr(module, "__all__")]


def public_objects():
    """Return every public object by one of its names; constants are apart."""
    named = [
        (f"{module.__name__}.{name}", getattr(module, name)) for module in public_modules() for name in module.__all__
    ]
    return {
        id(value): (name, value) for name, value in reversed(named) if name.rpartition(".")[2] not in CONSTANTS
    }.values()


def resolve(name):
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)


def documented():
    """Return (page, name) of every object that a page of the reference shows."""
    return [
        (page.name, name)
        for page in sorted(REFERENCE.glob("*.md"))
        for name in DIRECTIVE.findall(page.read_text("utf-8"))
    ]


def test_every_public_name_is_in_the_reference_once():
    assert len(public_modules()) > 12
    shown = [id(resolve(name)) for _, name in documented()]
    assert len(shown) == len(set(shown))
    missing = [name for name, value in public_objects() if id(value) not in shown]
    assert not missing
    known = {id(value) for _, value in public_objects()}
    private = [name for _, name in documented() if id(resolve(name)) not in known]
    assert not private


def test_constants_are_listed_with_an_example_that_runs():
    text = (REFERENCE / "index.md").read_text("utf-8")  # test_docs.py runs its block
    (example,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    for module in public_modules():
        for name in set(module.__all__) & set(CONSTANTS):
            assert f"`{module.__name__}.{name}`" in text
            assert name in example


@pytest.mark.parametrize(
    ("name", "value"), sorted(public_objects()), ids=[name for name, _ in sorted(public_objects())]
)
def test_every_public_name_has_an_example(name, value):
    text = inspect.getdoc(value)  # pytest runs it: --doctest-modules
    assert re.search(r"^Examples\n-+\n(.*\n)*?>>> ", text, re.MULTILINE), name


# Navigation


def navigation():
    """Return the pages that mkdocs.yml names."""
    text = (ROOT / "mkdocs.yml").read_text("utf-8")
    return re.findall(r"^ *- (?:[^:\n]+: )?([\w/-]+\.md)$", text[text.index("\nnav:") :], re.MULTILINE)


def test_every_page_is_in_the_navigation_once():
    hooks = (ROOT / "docs/theme/hooks.py").read_text("utf-8")
    added = set(re.findall(r'^    "[\w/.]+": "([\w.]+)",$', hooks, re.MULTILINE))
    pages = {page.relative_to(ROOT / "docs").as_posix() for page in ROOT.glob("docs/**/*.md")}
    assert {"contributing.md", "experiments.md"} <= added
    assert sorted(navigation()) == sorted(pages | added)


# Notebooks


def hooks():
    pytest.importorskip("mkdocs", reason="pip install plait[docs]")
    spec = importlib.util.spec_from_file_location("hooks", ROOT / "docs/theme/hooks.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_tutorials_become_notebooks():
    blocks = ("```console\nplait topics a.plait\n```", "```text\nout\n```", "```python\nimport plait\nx = 1\n```")
    page = "\n\n".join(["# Title", "Text.", *blocks, "End.\n"])
    made = hooks().notebook(page)
    assert [cell["cell_type"] for cell in made["cells"]] == ["markdown", "code", "markdown", "code", "markdown"]
    assert made["cells"][1]["source"] == ["!plait topics a.plait"]
    assert "".join(made["cells"][3]["source"]) == "import plait\nx = 1"


def test_notebooks_are_valid():
    nbformat = pytest.importorskip("nbformat")
    for page in ROOT.glob("docs/guides/*.md"):
        nbformat.validate(hooks().notebook(page.read_text("utf-8")))


def test_links_out_of_the_folder_lead_to_pages_of_the_site():
    rewrite = hooks()._rewrite_links
    assert rewrite("[a](../CONTRIBUTING.md#rules)", Path("docs"), Path()) == "[a](contributing.md#rules)"
    assert rewrite("[a](../../SECURITY.md)", Path("docs/how-to"), Path("how-to")) == "[a](../security.md)"
    assert rewrite("[a](docs/lda.md)", Path(), Path()) == "[a](lda.md)"
    assert rewrite("[BSD](LICENSE), [x](#y)", Path(), Path()) == "BSD, [x](#y)"


def test_mathjax_is_checked_and_kept(tmp_path, monkeypatch, caplog):
    module = hooks()
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz") as files:
        member = tarfile.TarInfo("package/es5/tex-svg.js")
        member.size = 6
        files.addfile(member, io.BytesIO(b"script"))
    monkeypatch.setattr(module, "_ROOT", tmp_path)
    monkeypatch.setattr(module.urllib.request, "urlopen", lambda *_, **__: io.BytesIO(archive.getvalue()))
    assert module._mathjax() == b""
    assert "another digest" in caplog.text
    digest = base64.b64encode(hashlib.sha512(archive.getvalue()).digest()).decode()
    monkeypatch.setattr(module, "_MATHJAX_SHA512", digest)
    assert module._mathjax() == b"script"
    monkeypatch.setattr(module.urllib.request, "urlopen", unreachable)
    assert module._mathjax() == b"script"  # from the cache
    shutil.rmtree(tmp_path / ".cache")
    assert module._mathjax() == b""
    assert "cannot be downloaded" in caplog.text


def unreachable(*_, **__):
    raise OSError("no network")


# The check itself


def write_site(folder, **pages):
    for name, text in pages.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")


def test_the_check_finds_requests_from_elsewhere(tmp_path):
    write_site(
        tmp_path,
        index='<script src="https://cdn.example.org/a.js"></script><a href="https://example.org">not requested</a>',
        style='<link rel="stylesheet" href="//fonts.example.org/a.css"><div style="background:url(http://e.org/a.png)"></div>',
        fine='<img src="data:image/png;base64,AA=="><link rel="canonical" href="https://example.org/fine.html">',
    )
    (tmp_path / "a.css").write_text(
        "@import url(https://e.org/b.css); p { background: url('c.png') }", encoding="utf-8"
    )
    pages = [one.split(":")[0] for one in outside_requests(tmp_path)]
    assert pages == ["index.html", "style.html", "style.html", "a.css"]


def test_the_check_finds_dead_links(tmp_path):
    write_site(
        tmp_path,
        index='<h2 id="here"></h2><a href="#here"></a><a href="#gone"></a><a href="other.html#there"></a>',
        other='<h2 id="there"></h2><a href="index.html#nowhere"></a><img src="missing.svg"><a href="gone.html"></a>',
    )
    assert broken_links(tmp_path) == [
        "index.html: #gone",
        "other.html: index.html#nowhere",
        "other.html: gone.html",
        "other.html: missing.svg",
    ]


# The built site


@needs_site
def test_links_of_the_site_lead_somewhere_and_nothing_is_requested_from_elsewhere():
    assert len(list(SITE.rglob("*.html"))) >= len(navigation())
    assert not broken_links(SITE)
    assert not outside_requests(SITE)


@needs_site
def test_formulas_are_drawn_by_a_script_of_the_site():
    page = (SITE / "medlda.html").read_text("utf-8")
    assert page.count('class="arithmatex"') > 10
    assert 'src="theme/mathjax.js"' in page
    assert (SITE / "theme/mathjax.js").stat().st_size > 1_000_000
    assert "mathjax" not in (SITE / "quickstart.html").read_text("utf-8")


@needs_site
def test_the_reference_shows_classes_and_functions_and_no_modules():
    for page in (SITE / "reference").glob("*.html"):
        text = page.read_text("utf-8")
        assert "doc-symbol-module" not in text, page.name
        assert len(DIRECTIVE.findall((REFERENCE / page.with_suffix(".md").name).read_text("utf-8"))) <= text.count(
            'class="doc doc-heading"'
        )
