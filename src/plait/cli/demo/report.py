"""`plait demo`: the web page on all models. A page that cannot be written is an error before the work starts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from plait.cli.commands.report import check_page_name, write_page
from plait.cli.io.outputs import check_output
from plait.cli.show.screen import print_text
from plait.errors import PlaitError

if TYPE_CHECKING:
    from plait.report import Section

DEFAULT = Path("plait-demo.html")
_MADE_BY = "demo"
_TITLE = "The Python packages on this machine"
_ABOUT = "Models of their docstrings and imports by plait demo. A document is a module."
_REMEDY = "--report names another file, --no-report writes none"


class DemoReport:
    """The web page of the demo, built up model by model.

    Parameters
    ----------
    path : Path, optional
        The file; None for `plait-demo.html`, or for no page if Jinja is not installed.
    wanted : bool, default True
        Whether to write a page.
    """

    def __init__(self, path: Path | None, *, wanted: bool = True) -> None:
        self._sections: list[Section] = []
        self._path = DEFAULT if path is None else path
        self._target: Path | None = None
        self._why_not = ""
        self._replaces = False
        if not wanted:
            return
        from plait.report.page import check_can_render, is_made_by

        check_page_name(self._path)
        try:
            check_can_render()
        except PlaitError as error:
            if path is not None:  # requested by the user
                raise
            self._why_not = f"No report was written: {error}"
            return
        try:
            target = check_output(self._path, overwrite=True)
        except PlaitError as error:
            raise PlaitError(f"{error} ({_REMEDY})") from error
        if target.exists() and not is_made_by(target, _MADE_BY):
            raise PlaitError(f"{self._path} exists already and is not the page of a demo; {_REMEDY}")
        self._replaces = target.exists()  # the page of an earlier demo, and so its model
        self._target = target

    def add(self, title: str, about: str, model: Any, corpus: Any = None) -> None:
        """Add a model to the page.

        Parameters
        ----------
        title : str
            Heading of the model.
        about : str
            One sentence about it.
        model : TopicEstimator or None
            The model; None if its step was left out.
        corpus : Corpus, optional
            Its corpus, for pages of documents.
        """
        if model is not None and self._target is not None:
            from plait.report import make_section

            self._sections.append(make_section(model, title, about=about, corpus=corpus))

    def write(self, model: Any) -> None:
        """Write the page, and print its path, or why there is none, and how to explore a model live.

        Parameters
        ----------
        model : TopicEstimator
            The model to explore, which is saved beside the page.
        """
        if self._target is not None:
            from plait.report import render_sections

            write_page(self._target, render_sections(self._sections, _TITLE, about=_ABOUT, made_by=_MADE_BY))
            print_text(f"Web page with all models: {self._path}")
            self._save(model)
        elif self._why_not:
            print_text(self._why_not)

    def _save(self, model: Any) -> None:
        """Save a model beside the page, in place of that of an earlier demo only, and print how to explore it."""
        from plait.store import save

        place = self._path.with_suffix(".plait")
        if place.exists() and not self._replaces:
            print_text(f"The model of the topics was not saved: {place} exists already")
            return
        save(model, place)
        print_text(f"Explore the topics live: plait serve {place}")
