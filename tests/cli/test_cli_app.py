from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from typer.main import get_command
from typer.testing import CliRunner

import plait
from plait.cli.app import MANY_OPTIONS, app
from plait.cli.errors import describe_error
from plait.cli.help import COMMON, folded_options, panel_of
from plait.cli.options.groups import expand_groups

COMMANDS = {
    "prepare",
    "inspect",
    "find",
    "fit",
    "similar",
    "stream",
    "topics",
    "edit",
    "trends",
    "report",
    "serve",
    "transform",
    "predict",
    "links",
    "influence",
    "knowledge",
    "evaluate",
    "demo",
}


def test_without_arguments_the_help_is_shown(run):
    result = run()
    assert result.exit_code == 0
    assert all(name in result.stdout for name in COMMANDS)


def test_version(run):
    assert run("--version").stdout == f"plait {plait.__version__}\n"


def test_every_option_of_every_command_is_documented():
    commands = get_command(app).commands
    assert set(commands) == COMMANDS
    undocumented = [
        f"{name} {parameter.name}"
        for name, command in commands.items()
        for parameter in command.params
        if not getattr(parameter, "help", None)
    ]
    assert undocumented == []
    assert all(command.help for command in commands.values())


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_help_of_a_command_lists_its_options(run, name):
    result = run(name, "--help")
    assert result.exit_code == 0
    command = get_command(app).commands[name]
    options = [text for parameter in command.params for text in parameter.opts if text.startswith("--")]
    assert options
    assert all(option in result.stdout for option in options)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_help_of_a_command_fits_two_screens(name):
    shown = CliRunner(env={"COLUMNS": "80", "TERMINAL_WIDTH": "80"}).invoke(app, [name, "--help"]).stdout
    assert len(shown.splitlines()) <= 100, "fold the panel of new options, see plait.cli.help"
    assert max(map(len, shown.splitlines())) <= 80


def words_of(text):
    """Return a text without the frames of panels and their line breaks."""
    return " ".join(re.sub(r"[╭╮╰╯│─]", " ", text).split())


@pytest.mark.parametrize("command", MANY_OPTIONS, ids=lambda command: command.__name__)
def test_every_option_is_described_by_help_or_help_all(command):
    name = command.__name__
    terminal = CliRunner(env={"COLUMNS": "300", "TERMINAL_WIDTH": "300"})
    shown, everything = (words_of(terminal.invoke(app, [name, flag]).stdout) for flag in ("--help", "--help-all"))
    parameters = get_command(app).commands[name].params
    folded = folded_options(parameters)
    assert folded
    for parameter in parameters:
        text = words_of(parameter.help)
        assert text in everything
        assert (text in shown) == (parameter not in folded)
        assert all(option in shown for option in parameter.opts if parameter.param_type_name == "option")
    panels = {panel_of(option) for option in folded}
    assert all(panel in shown and panel in everything for panel in panels)
    assert f"More options: plait {name} --help-all" in shown.replace("root", "plait")
    assert "More options" not in everything
    # The help page does not change the command.
    assert words_of(terminal.invoke(app, [name, "--help-all"]).stdout) == everything
    assert not any(option.hidden for option in folded)


def test_common_options_exist():
    known = {parameter.name for command in get_command(app).commands.values() for parameter in command.params}
    assert known >= COMMON


def test_help_all_comes_before_errors(run):
    result = run("fit", "--help-all", "--topics", "nonsense")
    assert (result.exit_code, "--negative-share" in result.stdout) == (0, True)


def test_the_command_line_starts_without_heavy_imports():
    heavy = ("numpy", "scipy", "polars", "sklearn", "numba")
    code = f"import sys, plait.cli; print([name for name in {heavy} if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_wrong_usage_is_exit_code_2(run):
    assert run("nonsense").exit_code == 2
    assert run("fit", "papers.jsonl", "-o", "m.plait", "--topics", "0").exit_code == 2
    assert run("fit", "papers.jsonl", "-o", "m.plait", "--model", "nonsense").exit_code == 2
    assert run("inspect", "papers.jsonl", "--min-df", "few").exit_code == 2


def test_a_bug_is_not_passed_off_as_a_users_mistake(monkeypatch, corpus_file):
    def broken(*arguments: object, **keywords: object) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("plait.corpus.read_corpus", broken)
    result = CliRunner(env={"PLAIT_DEBUG": None}).invoke(app, ["inspect", str(corpus_file)])
    assert result.exit_code == 1
    (line,) = result.stderr.splitlines()
    assert line.startswith("error: unexpected ZeroDivisionError: a bug; this should not happen")
    assert "PLAIT_DEBUG=1" in line
    result = CliRunner(env={"PLAIT_DEBUG": "1"}).invoke(app, ["inspect", str(corpus_file)])
    assert isinstance(result.exception, ZeroDivisionError)


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (PermissionError(13, "Permission denied", "a.csv"), "error: a.csv: Permission denied"),
        (OSError(28, "No space left on device"), "error: No space left on device"),
        (
            MemoryError("Unable to allocate 9 TiB"),
            "error: not enough memory (Unable to allocate 9 TiB)",
        ),
        (plait.PlaitError("two\nlines"), "error: two lines"),
    ],
)
def test_what_the_user_can_put_right_is_one_line_and_exit_code_1(run, monkeypatch, corpus_file, error, line):
    def fail(*arguments: object, **keywords: object) -> None:
        raise error

    monkeypatch.setattr("plait.corpus.read_corpus", fail)
    result = run("inspect", corpus_file)
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", line + "\n")


def test_ctrl_c_anywhere_is_exit_code_130(run, monkeypatch, corpus_file):
    def stop(*arguments: object, **keywords: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("plait.corpus.read_corpus", stop)
    result = run("inspect", corpus_file)
    assert (result.exit_code, result.stderr) == (130, "stopped\n")


@pytest.mark.parametrize(
    ("command", "parameter", "arguments", "hint"),
    [
        ("fit", "n_topics", (), " (option --topics)"),
        ("fit", "ell", (), " (option --ell)"),
        ("fit", "c", (), " (option --cost)"),
        ("fit", "p", (), " (option --openness)"),
        ("inspect", "min_df", (), " (option --min-df)"),
        ("inspect", "text", (), " (option --text-field)"),
        ("inspect", "on_error", (), " (leave out --strict)"),
        ("inspect", "split", ("--split", "train"), " (option --split-field)"),
        ("fit", "history_weights", ("--history-weights=1",), " (option --history-weights)"),
        ("fit", "form", ("--link-weights", "full"), " (option --link-weights)"),
        ("topics", "n_topics", (), ""),  # the command has no such option
        ("fit", None, (), ""),
    ],
)
def test_messages_of_the_library_name_options(command, parameter, arguments, hint):
    error = plait.PlaitError("that is wrong", parameter=parameter)
    assert describe_error(error, get_command(app).commands[command], arguments) == f"that is wrong{hint}"


def test_the_option_is_printed_after_the_message(run, corpus_file, tmp_path):
    result = run("fit", corpus_file, "-o", tmp_path / "m.plait", "--topics", "70000")
    assert result.stderr == "error: n_topics must be at most 65,535, not 70000 (option --topics)\n"


def test_two_groups_must_not_have_an_option_in_common():
    from dataclasses import dataclass

    @dataclass
    class Size:
        width: int = 1

    def command(first, second):
        pass

    command.__annotations__ = {"first": Size, "second": Size}
    with pytest.raises(ValueError, match="width"):
        expand_groups(command)


@pytest.mark.slow  # starts processes
def test_a_reader_that_leaves_early_is_no_error(model_file):
    code = "from plait.cli.app import main; main()"
    with subprocess.Popen(
        [sys.executable, "-c", code, "topics", str(model_file), "--top", "16"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        process.stdout.close()
        assert b"Traceback" not in process.stderr.read()


@pytest.mark.slow  # starts processes
def test_words_that_the_output_cannot_show_are_written_out(tmp_path, run):
    path = tmp_path / "greek.jsonl"
    path.write_text('{"id": "a", "tokens": ["λόγος", "λόγος", "μῦθος"]}\n', encoding="utf-8")
    model = tmp_path / "m.plait"
    assert run("fit", path, "-o", model, "--topics", "1", "--sweeps", "2", "--samples", "1").exit_code == 0
    result = subprocess.run(
        [sys.executable, "-m", "plait", "topics", str(model)],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        check=True,
    )
    assert re.search(rb"\\u03bb", result.stdout)
