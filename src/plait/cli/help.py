"""Help of commands with many options: common options are shown, the others are named by group.

`--help` fits two screens. `--help-all` shows every option with its text.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection
from typing import Annotated, Any, get_type_hints

import typer
from typer.core import TyperCommand

from plait.cli.options.model_options import MODEL_PANEL

# Panels that --help shows as a whole. Options without a panel are always shown.
SHOWN_PANELS = frozenset({MODEL_PANEL, "Slices"})
# Options that --help shows although the rest of their panel is only named, by the names of their fields.
COMMON = frozenset({"text_field", "label_field", "date_field", "links", "by", "language"})
COMMON_PANEL = "Input"

_ALL = "plait.all_options"


class FoldedCommand(TyperCommand):
    """A command whose --help shows common options and names the others by panel."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help page; without the folded options, unless --help-all asked for them."""
        if ctx.meta.get(_ALL):
            super().format_help(ctx, formatter)
            return
        options: list[Any] = list(self.params)
        folded = folded_options(options)
        panels = {option: panel_of(option) for option in options if _is_folded_panel(option)}
        try:
            for option in panels:
                option.rich_help_panel = COMMON_PANEL
            for option in folded:
                option.hidden = True
            super().format_help(ctx, formatter)
        finally:
            for option in folded:
                option.hidden = False
            for option, panel in panels.items():
                option.rich_help_panel = panel
        _print_groups(ctx.command_path, folded)


def folded_options(options: Collection[Any]) -> list[Any]:
    """Return the options that --help only names.

    Parameters
    ----------
    options : collection of typer.core.TyperOption
        Parameters of a command.

    Returns
    -------
    list of typer.core.TyperOption
        Options of panels that are not shown, without the common ones.
    """
    return [option for option in options if _is_folded_panel(option) and option.name not in COMMON]


def panel_of(option: Any) -> str | None:
    """Return the panel of an option; None for the first one.

    Parameters
    ----------
    option : typer.core.TyperOption
        Parameter of a command.

    Returns
    -------
    str or None
        Name of the panel.
    """
    return getattr(option, "rich_help_panel", None)


def _is_folded_panel(option: Any) -> bool:
    """Return whether the panel of an option is not shown as a whole."""
    return panel_of(option) is not None and panel_of(option) not in SHOWN_PANELS


def _print_groups(command: str, options: list[Any]) -> None:
    """Print the names of options by panel."""
    from rich import box
    from rich.console import Console
    from rich.panel import Panel
    from rich.table import Table
    from rich.text import Text

    groups: dict[str, list[str]] = {}
    for option in options:
        groups.setdefault(str(panel_of(option)), []).append("/".join([*option.opts, *option.secondary_opts]))
    if not groups:
        return
    table = Table(box=None, show_header=False, pad_edge=False)
    for panel, names in groups.items():
        table.add_row(Text(panel), Text(" ".join(names)))
    title = Text(f"More options: {command} --help-all")
    Console().print(Panel(table, title=title, title_align="left", box=box.ROUNDED, border_style="dim"))


def _show_all(context: typer.Context, wanted: bool) -> None:
    """Print the help page with all options."""
    if wanted and not context.resilient_parsing:
        context.meta[_ALL] = True
        print(context.get_help(), end="")
        raise typer.Exit


_HelpAll = Annotated[
    bool, typer.Option("--help-all", help="Show all options and exit.", callback=_show_all, is_eager=True)
]


def add_help_all(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command with the option --help-all.

    Parameters
    ----------
    command : callable
        A command.

    Returns
    -------
    callable
        The same command with one more option, which ends it before it starts.
    """
    hints = get_type_hints(command, include_extras=True)
    own = [one.replace(annotation=hints[name]) for name, one in inspect.signature(command).parameters.items()]
    added = inspect.Parameter("help_all", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=_HelpAll)

    @functools.wraps(command)
    def with_help_all(**given: Any) -> None:
        del given["help_all"]  # Typer has called `_show_all`
        command(**given)

    with_help_all.__signature__ = inspect.Signature([*own, added])  # type: ignore[attr-defined]
    with_help_all.__annotations__ = {one.name: one.annotation for one in [*own, added]}
    return with_help_all
