"""The Python examples of README.md and docs/ run and show what they say; links between pages lead somewhere."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/*.md")), *sorted(ROOT.glob("experiments/*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
GUIDES = [page for page in PAGES if page.parent != ROOT and BLOCK.search(page.read_text(encoding="utf-8"))]
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def name_of(page):
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", GUIDES, ids=name_of)
def test_examples_run(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)  # examples write files
    known = {"__name__": "__main__"}
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    for number, code in enumerate(BLOCK.findall(page.read_text(encoding="utf-8")), start=1):
        place = f"{name_of(page)}, example {number}"
        if ">>>" in code:
            examples = doctest.DocTestParser().get_doctest(code, known, place, name_of(page), 0)
            runner.run(examples, clear_globs=False)
            known = examples.globs
        else:
            exec(compile(code, place, "exec"), known)
    assert runner.failures == 0, capsys.readouterr().out


def test_the_readmes_quick_start_is_short_and_leaves_a_model(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    topics, labels = BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    assert len(topics.strip().splitlines()) <= 10
    known = {}
    exec(compile(topics, "README.md", "exec"), known)
    assert len(capsys.readouterr().out.splitlines()) == 10
    assert (tmp_path / "scipy.plait").stat().st_size > 0
    exec(compile(labels, "README.md", "exec"), known)
    accuracy, explained, *_ = capsys.readouterr().out.splitlines()
    assert float(accuracy) > 0.8
    assert explained.split(":")[0] in ("numpy", "scipy")


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_between_pages_lead_somewhere(page):
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8"))
    missing = [target for target in targets if not (page.parent / target).exists()]
    assert not missing
