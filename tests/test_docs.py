"""The documentation is true: Python blocks run, commands, options, paths and links exist."""

from __future__ import annotations

import ast
import difflib
import doctest
import importlib
import importlib.util
import re
import shlex
import shutil
import sys
import tomllib
import types
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

import plait
from plait.cli.app import app
from tests.check_imports import LAYERS

ROOT = Path(__file__).resolve().parents[1]
GUIDES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]  # test_readme_… run the first
TASKS = [ROOT / "docs/quickstart.md", *sorted(ROOT.glob("docs/guides/*.md"))]  # their commands are run, too
TUTORIALS = TASKS[1:]  # their outputs are compared, too
PAGES = [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/**/*.md")), *sorted(ROOT.glob("experiments/*.md"))]
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS

BLOCK = re.compile(r"^(?:<!-- (?P<mark>[^>]*) -->\n)?```(?P<language>\w*)\n(?P<code>.*?)^```", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"(?<!`)`([^`\n]+(?:\n[^`\n]+)?)`(?!`)")
SHELL = ("console", "bash", "sh")

# Python blocks of the guides that no test runs, each marked in its page by <!-- not run: reason -->.
NOT_RUN = {"docs/gpu.md": 2, "docs/measurements/graph.md": 1, "docs/scaling.md": 2}

# Pages with tables of parameters, and the class that they describe.
CLASS_OF = {
    "docs/graph.md": plait.StackedGraphClassifier,
    "docs/lda.md": plait.LDA,
    "docs/linked.md": plait.LinkedLDA,
    "docs/medlda.md": plait.MedLDA,
    "docs/online.md": plait.OnlineLDA,
    "docs/relational.md": plait.RelationalTopicModel,
    "docs/slda.md": plait.SupervisedLDA,
}

# Paths that pages may name although no file has them: examples of users' files and parts of names.
EXAMPLE_PATHS = re.compile(r"papers|news|links\.|NAME|vocabulary\.txt|\.(plait|html|csv|jsonl|txt|json)$")
PATH = re.compile(r"[\w./]*\w\.(py|md|toml|yml|cff)|[\w/]+/[\w/]*")


def name_of(page):
    return page.relative_to(ROOT).as_posix()


@cache
def text_of(page):
    return page.read_text(encoding="utf-8")


def blocks_of(page, *languages):
    """Return (mark, code) of every fenced block in one of the languages; the mark is the HTML comment before it."""
    return [
        (match["mark"] or "", match["code"])
        for match in BLOCK.finditer(text_of(page))
        if match["language"] in languages
    ]


def is_run(mark):
    return not mark.startswith("not run:")


@pytest.mark.slow  # many fits
@pytest.mark.parametrize(
    "page", [page for page in GUIDES[1:] if blocks_of(page, "python") and page not in TUTORIALS], ids=name_of
)
def test_python_blocks_run(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)  # examples write files
    languages = ["python"]
    if page in TASKS:
        languages += SHELL
        copy_example_files(tmp_path)
    known = {"__name__": "__main__"}
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    for number, (mark, code) in enumerate(blocks_of(page, *languages), start=1):
        place = f"{name_of(page)}, block {number}"
        if not is_run(mark):
            continue
        if is_shell(page, code):
            run_commands(code, place)
        elif ">>>" in code:
            examples = doctest.DocTestParser().get_doctest(code, known, place, name_of(page), 0)
            runner.run(examples, clear_globs=False)
            known = examples.globs
        else:
            exec(compile(code, place, "exec"), known)
    assert runner.failures == 0, capsys.readouterr().out


@cache
def tutorial_runner():
    spec = importlib.util.spec_from_file_location("run_tutorials", ROOT / "docs/guides/run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def words_without_numbers(text):
    return [word for word in text.split() if not re.search(r"\d", word)]


@pytest.mark.slow  # whole tutorials
@pytest.mark.parametrize("page", TUTORIALS, ids=name_of)
def test_tutorials_print_what_they_show(page):
    """Run the page. Numbers may differ between machines, and with them a few words and rows."""
    assert text_of(page).count("<!-- output -->") >= 3
    shown, printed = (
        words_without_numbers(text) for text in (text_of(page), tutorial_runner().run_page(text_of(page)))
    )
    same = difflib.SequenceMatcher(None, shown, printed, autojunk=False).ratio()
    assert same > 0.9, "python docs/guides/run.py updates the outputs"


def test_tutorials_show_errors_of_their_blocks():
    run_page = tutorial_runner().run_page
    assert (
        run_page("```python\nprint(6 * 7)\n```\n")
        == "```python\nprint(6 * 7)\n```\n\n<!-- output -->\n```text\n42\n```\n"
    )
    with pytest.raises(ZeroDivisionError):
        run_page("```python\n1 / 0\n```\n")
    with pytest.raises(SystemExit, match=r"gone\.plait"):
        run_page("```console\nplait topics gone.plait\n```\n")


def copy_example_files(folder):
    for file in (ROOT / "docs/guides/data").glob("*.csv"):
        shutil.copy(file, folder)


def is_shell(page, code):
    return any(code == command for _, command in blocks_of(page, *SHELL))


def run_commands(code, place):
    """Run every plait command of a block in this process; other programs, such as pip, are not run."""
    for line in code.splitlines():
        program, *arguments = shlex.split(line, comments=True) or [""]
        if program == "plait":
            result = CliRunner(env={"PLAIT_DEBUG": "1"}).invoke(app, arguments)
            assert result.exit_code == 0, f"{place}: {line}\n{result.output}"
        else:
            assert program in ("", "python3", "pip"), f"{place}: {line}"


def test_pages_with_tasks_have_commands_and_python():
    assert {name_of(page) for page in TASKS} >= {"docs/quickstart.md", "docs/guides/survey.md"}
    assert all(blocks_of(page, "python") and blocks_of(page, *SHELL) for page in TASKS)


def test_blocks_that_do_not_run_are_listed():
    skipped = {name_of(page): sum(not is_run(mark) for mark, _ in blocks_of(page, "python")) for page in GUIDES}
    assert {page: count for page, count in skipped.items() if count} == NOT_RUN


def test_readme_fits_texts_and_saves_a_model(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    copy_example_files(tmp_path)
    (_, topics), (_, labels) = blocks_of(ROOT / "README.md", "python")
    assert len(topics.strip().splitlines()) <= 10
    known = {}
    exec(compile(topics, "README.md", "exec"), known)
    header, *rows = capsys.readouterr().out.splitlines()
    assert header.split() == ["topic", "share", "words"]
    assert len(rows) == 6
    assert plait.load("texts.plait").topic_names_[int(known["shares"].argmax())] == "transport"
    exec(compile(labels, "README.md", "exec"), known)
    predicted, explained, *_ = capsys.readouterr().out.splitlines()
    assert predicted == "['billing']"
    assert explained.startswith("billing:")


def test_readme_commands_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    copy_example_files(tmp_path)
    (_, code), *_ = blocks_of(ROOT / "README.md", "console")
    run_commands(code, "README.md")


def test_readme_says_first_how_to_set_up_and_where_to_start():
    text = text_of(ROOT / "README.md")
    places = [text.index(one) for one in ("make demo", "make test", "docs/quickstart.md", "## Installation", "![")]
    assert places == sorted(places)
    (image,) = re.findall(r"!\[[^]]+\]\(([^)]+)\)", text)
    width, height = map(float, re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', text_of(ROOT / image)).groups())
    assert height < 0.7 * width  # on a page of 900 pixels, no taller than a screen


def test_readme_lists_the_extras():
    extras = tomllib.loads(text_of(ROOT / "pyproject.toml"))["project"]["optional-dependencies"]
    for_developers = {"bench", "dev", "docs", "experiments"}
    listed = set(re.findall(r"^\| `(\w+)` \| ", text_of(ROOT / "README.md").split("## Quick start")[0], re.MULTILINE))
    assert listed == extras.keys() - for_developers
    assert set(re.findall(r"\w+", extras["all"][0])) - {"plait"} == listed - {"all", "cuda"}


# Examples of new parts in CONTRIBUTING.md


def parts_to_add():
    """Return (kind, file, code) of every example of a new part."""
    marked = [(mark.split(), code) for mark, code in blocks_of(ROOT / "CONTRIBUTING.md", "python")]
    return [(words[1], words[2], code) for words, code in marked if words[:1] == ["example:"]]


def fitted(**parameters):
    texts = ["river stream water", "water river bank", "money loan bank", "loan money credit"] * 5
    kind = plait.TopicModel if {"mixing", "responses"} & parameters.keys() else plait.LDA
    return kind(2, n_sweeps=3, n_samples=1, random_state=0, verbose=False, **parameters).fit(
        plait.Corpus.from_texts(texts)
    )


USES = {
    "loss": lambda loss: loss().begin(np.array([1.0, -1.0]), np.array([2.0, 3.0])).pull.tolist() == [2.0, -3.0],
    "response": lambda response: fitted(responses=[response()]).topic_word_.shape[0] == 2,
    "mixing": lambda mixing: fitted(mixing=mixing(0.1)).alpha_[0] > fitted(mixing=mixing(0.1)).alpha_[1],
    "prior": lambda prior: fitted(beta=prior()).topic_word_.shape[0] == 2,
    "sampler": lambda sampler: fitted(sampler=sampler()).topic_word_.shape[0] == 2,
    "executor": lambda executor: (
        fitted(executor=executor(), n_shards=2).topic_word_ == fitted(n_shards=2).topic_word_
    ).all(),
}


@pytest.mark.parametrize(("kind", "file", "code"), parts_to_add(), ids=[kind for kind, _, _ in parts_to_add()])
def test_examples_of_new_parts_run(kind, file, code, monkeypatch):
    module = types.ModuleType(Path(file).stem)
    monkeypatch.setitem(sys.modules, module.__name__, module)  # data classes look themselves up there
    exec(compile(code, file, "exec"), vars(module))
    (part,) = [value for value in vars(module).values() if getattr(value, "__module__", "") == module.__name__]
    assert USES[kind](part)


def test_every_kind_of_part_has_one_example():
    assert sorted(kind for kind, _, _ in parts_to_add()) == sorted(USES)


# Commands


@cache
def options_by_command():
    """Return the options of every plait command, and whether they take a value."""
    group = typer.main.get_command(app)
    return {
        name: {
            option: not getattr(parameter, "is_flag", False)
            for parameter in command.params
            if parameter.param_type_name == "option"
            for option in [*parameter.opts, *parameter.secondary_opts]
        }
        | {"--help": False}
        for name, command in group.commands.items()
    }


@cache
def script_options(folder):
    """Return the options that the scripts of a folder, and what they import from its parent, define."""
    files = [*folder.glob("*.py"), *folder.parent.glob("*.py")]
    return {option for file in files for option in re.findall(r'"(--[\w-]+)"', text_of(file))} | {"--help"}


def commands_in(page):
    """Return every command that a page shows, in blocks or inline, as lists of words."""
    lines = [line for _, code in blocks_of(page, *SHELL) for line in code.splitlines()]
    prose = BLOCK.sub("", text_of(page))
    lines += [" ".join(span.split()) for span in SPAN.findall(prose)]
    indented = re.findall(r"^ {4}((?:make|plait|python) .*)$", prose, re.MULTILINE)
    found = []
    for line in lines + indented:
        for piece in re.split(r"(?<!\\)\|", line):
            try:
                words = shlex.split(piece.strip().removeprefix("$ "), comments=True)
            except ValueError:  # an apostrophe in prose
                continue
            while words and re.fullmatch(r"[A-Z_]+=\S*", words[0]):
                words = words[1:]
            if words and words[0] in ("plait", "python", "make"):
                found.append(words)
    return found


def wrong_with(words):
    """Return what is wrong with a command; "" for nothing."""
    program, *rest = words
    options = [word.split("=")[0] for word in rest if re.match(r"--?[a-zA-Z]", word)]
    if program == "make":
        targets = re.findall(r"^([\w-]+):", text_of(ROOT / "Makefile"), re.MULTILINE)
        return "" if rest[:1] and rest[0] in targets else "no such target"
    if program == "plait":
        if not rest or rest[0] in ("COMMAND", "--help", "--version"):
            return ""
        if rest[0] not in options_by_command():
            return "no such command"
        known = options_by_command()[rest[0]]
        unknown = [option for option in options if option not in known]
        return f"unknown options {unknown}" if unknown else ""
    if not rest or rest[0].startswith("-"):
        return ""
    if rest[0] == "experiments/run.py" and rest[1:] != ["SCRIPT", "OPTIONS"]:  # it runs another script
        return wrong_with(["python", f"experiments/{rest[1]}", *rest[2:]])
    script = ROOT / rest[0]
    if not script.is_file():
        return "no such script"
    unknown = [option for option in options if option not in script_options(script.parent)]
    return f"unknown options {unknown}" if unknown else ""


def test_the_check_of_commands_finds_mistakes():
    assert wrong_with(["plait", "fit", "papers.jsonl", "--topics", "3", "-o", "papers.plait"]) == ""
    assert wrong_with(["plait", "fit", "--topicz", "3"]) == "unknown options ['--topicz']"
    assert wrong_with(["plait", "fitt"]) == "no such command"
    assert wrong_with(["python", "experiments/medlda/figure1.py", "--no-such"]) == "unknown options ['--no-such']"
    assert wrong_with(["python", "experiments/run.py", "medlda/figure1.py", "--topics", "3"]) == ""
    assert wrong_with(["python", "experiments/run.py", "medlda/figure1.py", "--no-such"]).startswith("unknown options")
    assert wrong_with(["python", "experiments/run.py", "medlda/figure0.py"]) == "no such script"
    assert wrong_with(["make", "nothing"]) == "no such target"
    assert len([words for page in PAGES for words in commands_in(page) if words[0] == "plait"]) > 40


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_commands_and_options_exist(page):
    if page.name == "CHANGELOG.md":
        pytest.skip("the changelog also names options of the past")
    wrong = [(" ".join(words), why) for words in commands_in(page) if (why := wrong_with(words))]
    assert not wrong


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_options_named_in_the_text_exist(page):
    if page.name == "CHANGELOG.md":
        pytest.skip("the changelog also names options of the past")
    known = {option for options in options_by_command().values() for option in options} | {"--version"}
    for folder in [ROOT / "experiments", *ROOT.glob("experiments/*/"), ROOT / "benchmarks", ROOT / "tests/digests"]:
        known |= script_options(folder)
    spans = SPAN.findall(BLOCK.sub("", text_of(page)))
    named = {option for span in spans if not span.startswith(("pip", "ruff", "git")) for option in OPTION.findall(span)}
    assert not named - known


OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")


# Parameters


def parameter_rows(page):
    """Return (names, defaults) of every row of the tables whose first two columns are "parameter" and "default"."""
    rows = []
    for table in re.findall(r"^\| parameter \| default \|.*\n\|[-|: ]+\n((?:\|.*\n)+)", text_of(page), re.MULTILINE):
        for line in table.splitlines():
            names, defaults = line.strip("|").split("|")[:2]
            rows.append((re.findall(r"`(\w+)`", names), defaults.strip()))
    return rows


@pytest.mark.parametrize("page", CLASS_OF)
def test_tables_of_parameters_match_the_constructor(page):
    rows = parameter_rows(ROOT / page)
    assert rows
    actual = CLASS_OF[page]().get_params(deep=False)
    unknown = {name for names, _ in rows for name in names} - actual.keys()
    assert not unknown
    for names, stated in rows:
        if len(names) == 1 and names[0] in actual and re.fullmatch(r"-?[\d.]+|None|True|False", stated):
            assert actual[names[0]] == ast.literal_eval(stated), (page, names[0])


def test_every_table_of_parameters_is_checked():
    assert {name_of(page) for page in GUIDES if parameter_rows(page)} == CLASS_OF.keys()


# Paths and names


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page):
    missing = []
    for target in re.findall(r"\]\((?!https?:)([^)]+)\)", text_of(page)):
        path, _, anchor = target.partition("#")
        file = (page.parent / path) if path else page
        if not file.exists() or (anchor and anchor not in anchors_of(file)):
            missing.append(target)
    assert not missing


@cache
def anchors_of(page):
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", BLOCK.sub("", text_of(page)), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", [page for page in PAGES if page.name != "CHANGELOG.md"], ids=name_of)
def test_paths_and_modules_exist(page):
    bases = [ROOT, ROOT / "src", ROOT / "src/plait", page.parent, ROOT / "experiments", *ROOT.glob("experiments/*/")]
    spans = SPAN.findall(BLOCK.sub("", text_of(page)))
    missing = [span for span in spans if re.fullmatch(r"plait(\.\w+)+", span) and not is_importable(span)]
    paths = [span for span in spans if PATH.fullmatch(span) and not EXAMPLE_PATHS.search(span)]
    missing += [path for path in paths if not any((base / path).exists() for base in bases)]
    assert not missing


def test_architecture_lists_every_folder_in_the_order_of_imports():
    text = text_of(ROOT / "docs/architecture.md")
    (tree,) = [code for _, code in blocks_of(ROOT / "docs/architecture.md", "text") if code.startswith("src/plait/")]
    folders = {path.name for path in (ROOT / "src/plait").iterdir() if (path / "__init__.py").is_file()}
    assert folders <= set(re.findall(r"^  (\w+)/", tree, re.MULTILINE))
    table = text[text.index("| layer, top to bottom |") :].split("\n\n")[0]
    stated = [re.findall(r"`(\w+)`", line) for line in table.splitlines()[2:]]
    layer_of = {folder: number for number, layer in enumerate(LAYERS) for folder in layer}
    numbers = [[layer_of[folder] for folder in row if folder in layer_of] for row in stated]
    assert {folder for row in stated for folder in row} >= layer_of.keys()
    assert [number for row in numbers for number in row] == sorted(number for row in numbers for number in row)


def is_importable(name):
    """Return whether a dotted name is a module, or an attribute of one."""
    module, _, attribute = name.rpartition(".")
    try:
        importlib.import_module(name)
    except ModuleNotFoundError:
        return bool(module) and hasattr(importlib.import_module(module), attribute)
    return True
