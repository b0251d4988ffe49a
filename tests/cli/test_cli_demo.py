from __future__ import annotations

import pytest

from plait.corpus import Corpus
from tests.cli.small import MONEY, WATER, documents


@pytest.fixture(autouse=True)
def few_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in for the packages of this machine, which take half a minute."""
    rows = documents()
    corpus = Corpus.from_texts(
        [row["text"] for row in rows],
        ids=[f"package.{row['id']}" for row in rows],
        labels=["package"] * len(rows),
        links=[("package.d0", "package.d1")],
    )
    monkeypatch.setattr("plait.datasets.installed_packages", lambda: corpus)


def test_shows_topics_with_their_words_and_modules(run):
    result = run("demo", "--topics", "2")
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert [line[0] for line in lines if line[:2] in ("1.", "2.", "3.")] == ["1", "2", "3"]
    assert "60 modules of 1 packages, 16 words, 360 tokens, 1 imports" in lines[1]
    rows = [line for line in lines if "package.d" in line]
    assert len(rows) == 2
    assert {frozenset(row.split()[2:10]) for row in rows} == {frozenset(WATER), frozenset(MONEY)}
    assert all(row.count("package.d") == 3 for row in rows)


def test_one_package_cannot_be_told_from_others(run):
    result = run("demo", "--topics", "2")
    assert result.exit_code == 0
    assert "left out: it takes two packages of at least 5 modules" in result.stdout


def test_tells_the_package_of_modules_held_out(run, monkeypatch):
    rows = documents(100)
    packages = ["money" if row % 2 == 0 else "water" for row in range(100)]
    packages[0] = packages[1] = "small"  # too few modules to learn from
    corpus = Corpus.from_texts(
        [row["text"] for row in rows],
        ids=[f"{package}.{row['id']}" for package, row in zip(packages, rows, strict=True)],
        labels=packages,
    )
    monkeypatch.setattr("plait.datasets.installed_packages", lambda: corpus)
    result = run("demo", "--topics", "2")
    assert result.exit_code == 0, result.stderr
    assert "learnt from 78 modules of 2 packages (of 5 modules or more), 20 held out" in result.stdout
    lines = result.stdout.splitlines()
    shares = {line.split()[0]: line.split()[-1] for line in lines if line.endswith("%")}
    assert shares == {"MedLDA,": "100.0%", "TF-IDF": "100.0%", "always": "50.0%"}
    examples = [line.split() for line in lines if line.startswith(("money.d", "water.d"))][:6]
    assert len(examples) >= 5
    for module, guess, mark, *words in examples:
        assert module.startswith(guess) == (mark == "right")
        assert set(words) <= set(MONEY if module.startswith("money") else WATER)
        assert words


def test_ctrl_c(run, monkeypatch):
    monkeypatch.setattr("plait.interrupt.StopRequest.requested", True, raising=False)
    monkeypatch.setattr("plait.interrupt.StopRequest.__init__", lambda self: None)
    monkeypatch.setattr("plait.interrupt.StopRequest._before", None, raising=False)
    result = run("demo", "--topics", "2")
    assert result.exit_code == 130
    assert "saves nothing" in result.stderr


def test_suggests_imports_for_modules_held_out(run, monkeypatch):
    rows = documents(100)
    ids = [f"{'water' if row % 2 else 'money'}.d{row}" for row in range(100)]
    corpus = Corpus.from_texts(
        [row["text"] for row in rows],
        ids=ids,
        labels=[name.split(".")[0] for name in ids],
        links=[(ids[row], ids[(row + step) % 100]) for row in range(100) for step in (2, 4, 6)],
    )
    monkeypatch.setattr("plait.datasets.installed_packages", lambda: corpus)
    result = run("demo", "--topics", "2")
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert any(line.startswith("   learnt from ") and "80 modules; 20 modules held out" in line for line in lines)
    first, last = (next(i for i, line in enumerate(lines) if line.startswith(step)) for step in ("6. ", "7. "))
    ranks = {line.split()[0]: float(line.split()[-2]) for line in lines[first:last] if line.endswith("%")}
    assert ranks["RelationalTopicModel,"] < ranks["chance"] == 40.5
    first, last = (next(i for i, line in enumerate(lines) if line.startswith(step)) for step in ("8. ", "9. "))
    examples = lines[first + 2 : last]
    assert len(examples) >= 5
    for line in examples:
        module, *suggested = line.split()[:6]
        assert all(name.startswith(module.split(".")[0]) for name in suggested)
    assert any("*" in line for line in examples)
    _check_influence(lines)


def _check_influence(lines: list[str]) -> None:
    """Check what is said of who shapes whom: modules import others of their own theme only."""
    first, last = (next(i for i, line in enumerate(lines) if line.startswith(step)) for step in ("10. ", "11. "))
    assert lines[first - 1].endswith("300 imports are followed, at most 10 of a module")
    assert lines[first + 1].split() == ["module", "words", "drawn", "by", "others", "imported", "by"]
    shaping = [line.split() for line in lines[first + 2 : last]]
    assert len(shaping) == 5
    assert all(followers == "3" for *_, followers in shaping)
    examples = [line.split() for line in lines[last + 2 : -1]]
    assert [(name.split(".")[0], imports) for name, imports, *_ in examples] == [("money", "3"), ("water", "3")]
    for module, _, own, *others in examples:
        shares = [own, *others[1::2]]
        assert sum(float(share.rstrip("%,")) for share in shares) == pytest.approx(100, abs=2)
        assert {name.split(".")[0] for name in others[::2]} == {module.split(".")[0]}


def test_few_imports_are_not_learnt_from(run):
    result = run("demo", "--topics", "2")
    assert "left out: it takes 20 imports between the modules held out and the others" in result.stdout
    assert result.stdout.count("left out: it takes 20 imports\n") == 1
