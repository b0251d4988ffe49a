"""The report that the demo writes: one page on all its models, decided on before the long work starts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from plait.cli.commands.report import check_page_name, write_page
from plait.cli.io.outputs import check_output
from plait.errors import PlaitError

if TYPE_CHECKING:
    from plait.report import Section

DEFAULT = Path("plait-demo.html")
_MADE_BY = "demo"
_TITLE = "The Python packages on this machine"
_ABOUT = "What plait demo found in their docstrings and imports. A document is a module."
_WAY_OUT = "--report names another file, --no-report writes none"


class DemoReport:
    """What the demo's models say, gathered as they are fitted.

    Parameters
    ----------
    path
        Where the page goes; None for `plait-demo.html`, or for no page where what renders it is not installed.
    wanted
        Whether there is to be a page at all.
    """

    def __init__(self, path: Path | None, *, wanted: bool = True) -> None:
        self._sections: list[Section] = []
        self._path = DEFAULT if path is None else path
        self._target: Path | None = None
        self._why_not = ""
        if not wanted:
            return
        from plait.report.page import check_can_render, is_made_by

        check_page_name(self._path)
        try:
            check_can_render()
        except PlaitError as error:
            if path is not None:  # it was asked for
                raise
            self._why_not = f"No report was written: {error}"
            return
        try:
            target = check_output(self._path, overwrite=True)
        except PlaitError as error:
            raise PlaitError(f"{error} ({_WAY_OUT})") from error
        if target.exists() and not is_made_by(target, _MADE_BY):
            raise PlaitError(f"{self._path} exists already, and no demo wrote it, so it is left alone; {_WAY_OUT}")
        self._target = target

    def add(self, title: str, about: str, model: Any) -> None:
        """Add what a model says; None where a step was left out."""
        if model is not None and self._target is not None:
            from plait.report import Section, summarise

            self._sections.append(Section(title, summarise(model), about))

    def write(self) -> None:
        """Write the page, and print in one line where it is, or why there is none."""
        if self._target is not None:
            from plait.report import render_sections

            write_page(self._target, render_sections(self._sections, _TITLE, about=_ABOUT, made_by=_MADE_BY))
            print(f"All of it as a web page: {self._path}")
        elif self._why_not:
            print(self._why_not)
