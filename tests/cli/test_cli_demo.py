from __future__ import annotations

import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from plait.cli.demo.compile import compile_ahead, compile_samplers
from plait.corpus import Corpus
from plait.engine.interrupt import StopRequest
from plait.samplers.plain import _sweep
from plait.store import load
from tests.cli.small import MONEY, WATER, documents, request_stop
from tests.report.html_page import check_page


@pytest.fixture(autouse=True)
def few_packages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Stand in for the packages of this machine, which take half a minute; the report goes to a folder of the test."""
    monkeypatch.chdir(tmp_path)
    rows = documents()
    corpus = Corpus.from_texts(
        [row["text"] for row in rows],
        ids=[f"package.{row['id']}" for row in rows],
        labels=["package"] * len(rows),
        links=[("package.d0", "package.d1")],
    )
    monkeypatch.setattr("plait.datasets.installed_packages", lambda: corpus)
    monkeypatch.setattr("plait.cli.commands.demo.compile_ahead", nullcontext)


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
    assert "left out: this needs two packages of at least 5 modules" in result.stdout


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
    assert "learned from 78 modules of 2 packages (of 5 modules or more), 20 held out" in result.stdout
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
    monkeypatch.setattr(StopRequest, "__enter__", request_stop)
    result = run("demo", "--topics", "2")
    assert result.exit_code == 130
    assert "saves nothing" in result.stderr
    assert not list(Path().iterdir())


@pytest.mark.slow  # fits all parts of the demo
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
    compile_samplers()
    compiled = len(_sweep.signatures)
    result = run("demo", "--topics", "2")
    assert result.exit_code == 0, result.stderr
    assert len(_sweep.signatures) <= compiled + 2  # the second process compiles all but topics and labels
    lines = result.stdout.splitlines()
    assert any(line.startswith("   learned from ") and "80 modules; 20 modules held out" in line for line in lines)
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
    page = check_page(Path("plait-demo.html").read_text(encoding="utf-8"))
    for number, section in enumerate(["topics", "labels", "links", "influence"], start=1):
        assert f"p{number}-{section}" in page.ids
    assert "p5" not in page.ids


def _check_influence(lines: list[str]) -> None:
    """Check what is said of who shapes whom: modules import others of their own theme only."""
    first, last = (next(i for i, line in enumerate(lines) if line.startswith(step)) for step in ("10. ", "11. "))
    assert lines[first - 1].endswith("300 imports are followed, at most 10 per module")
    assert lines[first + 1].split() == ["module", "tokens", "of", "others", "imported", "by"]
    shaping = [line.split() for line in lines[first + 2 : last]]
    assert len(shaping) == 5
    assert all(followers == "3" for *_, followers in shaping)
    end = next(i for i, line in enumerate(lines) if line.startswith("12. "))
    examples = [line.split() for line in lines[last + 2 : end]]
    assert [(name.split(".")[0], imports) for name, imports, *_ in examples] == [("money", "3"), ("water", "3")]
    for module, _, own, *others in examples:
        shares = [own, *others[1::2]]
        assert sum(float(share.rstrip("%,")) for share in shares) == pytest.approx(100, abs=2)
        assert {name.split(".")[0] for name in others[::2]} == {module.split(".")[0]}


def test_follows_topics_through_a_stream_of_packages(run, monkeypatch):
    rows = documents(120)
    ids = [f"{'abc'[row % 3]}.d{row}" for row in range(120)]
    texts = [f"{row['text']} {'xyz'[number % 3] * 4} {'xyz'[number % 3] * 5}" for number, row in enumerate(rows)]
    corpus = Corpus.from_texts(texts, ids=ids, labels=[name[0] for name in ids])
    monkeypatch.setattr("plait.datasets.installed_packages", lambda: corpus)
    result = run("demo", "--topics", "2")
    assert result.exit_code == 0, result.stderr
    assert "   3 packages as time slices; 0 smaller packages are left out" in result.stdout.splitlines()
    assert "the order only shows how topics continue, emerge and fade" in result.stdout
    page = check_page(Path("plait-demo.html").read_text(encoding="utf-8"))
    assert any(name.endswith("-stream") for name in page.ids)


@pytest.mark.parametrize("error", [None, KeyboardInterrupt])
def test_the_second_process_ends_with_the_demo(monkeypatch, error):
    started = []
    popen = subprocess.Popen
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    monkeypatch.setattr(
        "subprocess.Popen", lambda *given, **options: started.append(popen(*given, **options)) or started[0]
    )
    with pytest.raises(error) if error else nullcontext(), compile_ahead():
        assert started[0].poll() is None
        if error:
            raise error
    assert started[0].returncode is not None


def test_no_second_process_on_one_processor(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    monkeypatch.setattr("subprocess.Popen", None)
    with compile_ahead():
        pass


def test_a_model_that_no_demo_saved_stays(run):
    Path("plait-demo.plait").write_text("mine")
    result = run("demo", "--topics", "2")
    assert result.exit_code == 0, result.stderr
    assert "was not saved: plait-demo.plait exists already" in result.stdout
    assert Path("plait-demo.plait").read_text() == "mine"


def test_few_imports_are_not_learned_from(run):
    result = run("demo", "--topics", "2")
    assert "left out: this needs 20 imports between held-out modules and the others" in result.stdout
    assert result.stdout.count("left out: this needs 20 imports\n") == 1


def test_writes_a_report_and_replaces_that_of_an_earlier_demo(run):
    pytest.importorskip("jinja2")
    result = run("demo", "--topics", "2")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.splitlines()[-3:-1] == [
        "Web page with all models: plait-demo.html",
        "Explore the topics live: plait serve plait-demo.plait",
    ]
    assert load("plait-demo.plait").n_topics == 2
    first = Path("plait-demo.html").read_text(encoding="utf-8")
    page = check_page(first)
    assert {*MONEY, *WATER, "The Python packages on this machine"} <= set(page.texts)
    assert "p1-labels" not in page.ids  # of one package there is nothing to tell
    assert run("demo", "--topics", "3").exit_code == 0
    assert Path("plait-demo.html").read_text(encoding="utf-8") != first
    assert run("demo", "--topics", "2", "--report", "again.htm").exit_code == 0
    assert Path("again.htm").read_text(encoding="utf-8") == first


@pytest.fixture
def no_work(monkeypatch):
    """Let the demo fail where its long work begins."""
    monkeypatch.setattr("plait.datasets.installed_packages", lambda: pytest.fail("the work has begun"))


@pytest.mark.usefixtures("no_work")
def test_a_file_that_no_demo_wrote_stays_and_this_is_said_at_once(run):
    pytest.importorskip("jinja2")
    for name, options in (("plait-demo.html", []), ("mine.html", ["--report", "mine.html"])):
        Path(name).write_text("mine")
        result = run("demo", *options)
        assert (result.exit_code, result.stderr) == (
            1,
            f"error: {name} exists already and is not the page of a demo; --report names another file, "
            "--no-report writes none\n",
        )
        assert Path(name).read_text() == "mine"


@pytest.mark.usefixtures("no_work")
def test_places_for_a_report_that_cannot_be(run):
    pytest.importorskip("jinja2")
    Path("plait-demo.html").mkdir()
    assert "is a folder; name a file in it (--report names another file" in run("demo").stderr
    assert "must end in .html" in run("demo", "--report", "demo.pdf").stderr
    result = run("demo", "--report", "nowhere/demo.html")
    assert (result.exit_code, "the folder nowhere of demo.html does not exist" in result.stderr) == (1, True)
    assert run("demo", "--report", "a.html", "--no-report").exit_code == 2


def test_no_report_where_none_is_wanted(run):
    Path("plait-demo.html").write_text("mine")
    result = run("demo", "--topics", "2", "--no-report")
    assert result.exit_code == 0, result.stderr
    assert "web page" not in result.stdout
    assert Path("plait-demo.html").read_text() == "mine"


def test_without_jinja_the_demo_says_how_to_get_a_report(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    result = run("demo", "--topics", "2")
    assert result.exit_code == 0, result.stderr
    line = "No report was written: a report needs Jinja2: pip install '.[report]' in a checkout of plait"
    assert result.stdout.splitlines()[-2] == line
    assert not list(Path().iterdir())
    asked = run("demo", "--report", "a.html")
    assert (asked.exit_code, asked.stderr) == (
        1,
        "error: a report needs Jinja2: pip install '.[report]' in a checkout of plait\n",
    )
