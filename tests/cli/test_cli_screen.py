from __future__ import annotations

import pytest

from plait._utils.text import printable
from plait.cli.show.screen import Table


def _table() -> Table:
    table = Table(["topic", "words"], right={"topic"})
    table.add("0", " ".join(f"word{number}" for number in range(40)))
    return table


def test_pipes_get_plain_text_with_nothing_cut(capsys):
    _table().show()
    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    assert len(printed.splitlines()) == 2
    assert printed.splitlines()[1].endswith("word38 word39")


def test_terminals_get_a_rich_table_that_wraps_between_words(capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "60")
    _table().show()
    printed = capsys.readouterr().out
    assert "\x1b[" in printed
    assert all(f"word{number}" in printed.replace("\n", " ").split() for number in range(40))


def test_what_looks_like_markup_is_shown_as_it_is(capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    table = Table(["words"])
    table.add("[bold]x[/bold]")
    table.show()
    assert "[bold]x[/bold]" in capsys.readouterr().out


def test_control_characters_do_not_reach_the_terminal():
    assert printable("a\nb\x1b[2J") == "a\\nb\\x1b[2J"


def test_a_row_must_fill_the_columns():
    with pytest.raises(ValueError, match="2 cells for 1 columns"):
        Table(["words"]).add("a", "b")
