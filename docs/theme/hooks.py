"""Hooks of mkdocs: pages that live outside docs/, MathJax from its npm package, and notebooks of the tutorials.

MathJax is downloaded when the site is built, checked against its digest, and kept in .cache. Pages load it from the
site.
"""

from __future__ import annotations

import base64
import hashlib
import json
import logging
import os
import re
import tarfile
import urllib.request
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mkdocs.structure.files import File

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

_log = logging.getLogger("mkdocs.hooks.plait")
_ROOT = Path(__file__).parents[2]

# Pages of the repository, and their names in the site.
_PAGES = {
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
    "experiments/README.md": "experiments.md",
    "README.md": "index.md",
}
_NOTE = "*Copy the example files of the folder `data` beside this notebook.*"
_LINK = re.compile(r"(\]\()(?!\w+:|#)([^)\s#]*)(#[^)\s]*)?(\))")

_SEARCH = 'data-md-component="search" role="dialog" aria-label="Search"'
_MATHJAX = "mathjax-3.2.2.tgz"
_MATHJAX_SHA512 = "Bt+SSVU8eBG27zChVewOicYs7Xsdt40qm4+UpHyX7k0/O9NliPc+x77k1/FEsPsjKPZGJvtRZM1vO+geW0OhGw=="
_MATHJAX_FILE = "package/es5/tex-svg.js"  # one file: glyphs are paths, no fonts
_SETTINGS = (
    'window.MathJax={tex:{inlineMath:[["\\\\(","\\\\)"]],displayMath:[["\\\\[","\\\\]"]]},'
    'options:{ignoreHtmlClass:".*|",processHtmlClass:"arithmatex"},svg:{fontCache:"global"}};'
)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages outside docs/, MathJax and the notebooks.

    Parameters
    ----------
    files : Files
        Files of the site.
    config : MkDocsConfig
        Settings of the site.

    Returns
    -------
    Files
        `files`, with more.
    """
    for source, name in _PAGES.items():
        if name != "index.md":
            text = _rewrite_links((_ROOT / source).read_text(encoding="utf-8"), Path(source).parent, Path())
            files.append(File.generated(config, name, content=text))
    files.append(File.generated(config, "theme/mathjax-settings.js", content=_SETTINGS))
    script = _mathjax()
    if script:
        files.append(File.generated(config, "theme/mathjax.js", content=script))
    for file in list(files.documentation_pages()):
        if file.src_uri.startswith("guides/"):
            name = file.src_uri.removesuffix(".md") + ".ipynb"
            text = file.content_string.replace("\n\n", f"\n\n{_NOTE}\n\n", 1)
            files.append(File.generated(config, name, content=json.dumps(notebook(text), indent=1)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Change links to pages outside docs/, and link every tutorial to its notebook.

    Parameters
    ----------
    markdown : str
        Text of the page.
    page : Page
        The page.
    config : MkDocsConfig
        Settings of the site.
    files : Files
        Files of the site.

    Returns
    -------
    str
        The text with links that work in the site.
    """
    source = page.file.src_uri
    if page.file.abs_src_path is None:  # a generated page; on_files did it
        return markdown
    text = _rewrite_links(markdown, Path("docs", source).parent, Path(source).parent)
    if source.startswith("guides/"):
        head, _, rest = text.partition("\n\n")
        name = Path(source).with_suffix(".ipynb").name
        text = f"{head}\n\n[This page as a notebook]({name}){{ .notebook }}\n\n{rest}"
    return text


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Load MathJax on the pages that have formulas, and name the search dialog of the theme for screen readers.

    Parameters
    ----------
    output : str
        HTML of the page.
    page : Page
        The page.
    config : MkDocsConfig
        Settings of the site.

    Returns
    -------
    str
        The HTML, with two scripts if needed.
    """
    output = output.replace('data-md-component="search" role="dialog"', _SEARCH, 1)
    if 'class="arithmatex"' not in output:
        return output
    up = "../" * page.file.dest_uri.count("/")
    scripts = f'<script src="{up}theme/mathjax-settings.js"></script><script src="{up}theme/mathjax.js" async></script>'
    return output.replace("</head>", scripts + "</head>", 1)


def _rewrite_links(text: str, folder: Path, site_folder: Path) -> str:
    """Return the text with links to repository files changed to pages of the site; files without a page become text."""

    def change(match: re.Match[str]) -> str:
        before, path, anchor, after = match.groups()
        target = Path(os.path.normpath(folder / path)).as_posix()
        if target in _PAGES:
            target = _PAGES[target]
        elif target.startswith("docs/"):
            target = target.removeprefix("docs/")
        else:
            return match[0] if not path else before + "\0" + after
        return before + Path(os.path.relpath(target, site_folder)).as_posix() + (anchor or "") + after

    changed = _LINK.sub(change, text)
    return re.sub(r"\[([^\]]*)\]\(\0\)", r"\1", changed)  # LICENSE, CITATION.cff: not in the site


def _mathjax() -> bytes:
    """Return MathJax's script from the cache or the npm registry; b"" with a warning if it cannot be had."""
    cached = _ROOT / ".cache" / "mathjax-3.2.2.js"
    if cached.is_file():
        return cached.read_bytes()
    registry = os.environ.get("NPM_CONFIG_REGISTRY", "https://registry.npmjs.org").rstrip("/")
    try:
        with urllib.request.urlopen(f"{registry}/mathjax/-/{_MATHJAX}", timeout=60) as reply:
            archive = reply.read()
    except OSError as error:
        _log.warning("MathJax cannot be downloaded from %s (%s); formulas would show as TeX", registry, error)
        return b""
    if base64.b64encode(hashlib.sha512(archive).digest()).decode() != _MATHJAX_SHA512:
        _log.warning("%s from %s has another digest than expected; it is not used", _MATHJAX, registry)
        return b""
    with tarfile.open(fileobj=BytesIO(archive)) as files:
        member = files.extractfile(_MATHJAX_FILE)
        assert member is not None
        script = member.read()
    cached.parent.mkdir(exist_ok=True)
    cached.write_bytes(script)
    return script


_FENCE = re.compile(r"^(?:<!--[^>]*-->\n)?```(\w*)[^\n]*\n(.*?)^```\n?", re.MULTILINE | re.DOTALL)

_OUTPUT = re.compile(r"^<!-- output -->\n```text\n.*?^```\n\n?", re.MULTILINE | re.DOTALL)


def notebook(markdown: str) -> dict[str, Any]:
    """Return a page as a Jupyter notebook: Python blocks and commands become cells, the rest is text.

    Parameters
    ----------
    markdown : str
        Text of the page.

    Returns
    -------
    dict
        Notebook in format 4, without outputs.
    """
    cells: list[dict[str, Any]] = []
    markdown = _OUTPUT.sub("", markdown)
    position = 0
    for match in _FENCE.finditer(markdown):
        language, code = match.groups()
        if language not in ("python", "console"):
            continue
        _add_text(cells, markdown[position : match.start()])
        position = match.end()
        lines = code.rstrip("\n").splitlines(keepends=True)
        source = ["!" + line if line.strip() else line for line in lines] if language == "console" else lines
        cells.append({"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source})
    _add_text(cells, markdown[position:])
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    return {"cells": cells, "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}


def _add_text(cells: list[dict[str, Any]], text: str) -> None:
    if text.strip():
        cells.append({"cell_type": "markdown", "metadata": {}, "source": text.strip().splitlines(keepends=True)})
