"""The options that commands read a corpus with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

_FIELDS = "Input fields"

CorpusPath = Annotated[
    Path,
    typer.Argument(
        metavar="PATH",
        show_default=False,
        help="The corpus: a folder with documents.* (and links.*) or of plait prepare, a .jsonl, .csv, .tsv, .parquet, "
        ".xlsx or .ods file, a folder of .txt files, UCI docword.*.txt, LINQS .content or SVMlight .svm; plain, .gz, "
        ".bz2, .xz or .zst.",
    ),
]


def _field(name: str, help: str) -> Any:
    return typer.Option(f"--{name}-field", metavar="FIELD", help=help, show_default=False, rich_help_panel=_FIELDS)


TitleField = Annotated[str | None, _field("title", "Field with the title. Guessed if not given.")]


def label_option(panel: str = _FIELDS) -> Any:
    """Return the description of the option for the field of labels.

    It has two names: --label as an option of a model, --label-field as one of the fields.

    Parameters
    ----------
    panel : str
        Panel of the help page.

    Returns
    -------
    object
        The result of `typer.Option`.
    """
    return typer.Option(
        "--label",
        "--label-field",
        metavar="FIELD",
        help="Field with the label or labels. Guessed if not given.",
        show_default=False,
        rich_help_panel=panel,
    )


def links_option(panel: str = _FIELDS) -> Any:
    """Return the description of the option for a file of links.

    Parameters
    ----------
    panel : str
        Panel of the help page.

    Returns
    -------
    object
        The result of `typer.Option`.
    """
    return typer.Option(
        "--links",
        metavar="FILE",
        help="File of links (source, target, weight), in place of links.* in the corpus folder.",
        show_default=False,
        rich_help_panel=panel,
    )


def date_option() -> Any:
    """Return the description of the option for the field of dates.

    Returns
    -------
    object
        The result of `typer.Option`.
    """
    return _field("date", "Field with the date (ISO date or year). Guessed if not given.")


def metadata_option() -> Any:
    """Return the description of the option for fields of metadata.

    Returns
    -------
    object
        The result of `typer.Option`.
    """
    return typer.Option(
        "--metadata",
        metavar="FIELD",
        help="Field to keep with the documents, such as party or journal. Repeat for several.",
        show_default=False,
        rich_help_panel=_FIELDS,
    )


@dataclass(frozen=True)
class WordSource:
    """The fields with the words of the documents, and what happens to invalid input."""

    text_field: Annotated[
        list[str] | None,
        _field("text", "Field with the text of a document. Repeat to join several. Guessed if not given."),
    ] = None
    tokens_field: Annotated[
        str | None, _field("tokens", "Field with a list of tokens, in place of text. Guessed if not given.")
    ] = None
    counts_field: Annotated[
        str | None, _field("counts", "Field with {word: count}, in place of text. Guessed if not given.")
    ] = None
    id_field: Annotated[str | None, _field("id", "Field with the id. Guessed if not given; else numbers from 1.")] = (
        None
    )
    sheet: Annotated[
        str | None,
        typer.Option(
            "--sheet",
            metavar="NAME",
            help="Sheet of a workbook (.xlsx, .ods); the first if not given.",
            show_default=False,
            rich_help_panel=_FIELDS,
        ),
    ] = None
    encoding: Annotated[str, typer.Option("--encoding", help="Encoding of text files.", rich_help_panel=_FIELDS)] = (
        "utf-8"
    )
    keep_case: Annotated[
        bool,
        typer.Option("--keep-case", help="Do not convert text to lower case.", rich_help_panel=_FIELDS),
    ] = False
    fractional: Annotated[
        bool,
        typer.Option(
            "--fractional",
            help="Allow fractional counts (samplers limit and sparse only).",
            rich_help_panel=_FIELDS,
        ),
    ] = False
    date_format: Annotated[
        str | None,
        typer.Option(
            "--date-format",
            metavar="FORMAT",
            help="Format of dates, such as %d.%m.%Y; ISO dates and years if not given.",
            show_default=False,
            rich_help_panel=_FIELDS,
        ),
    ] = None
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Stop at invalid input with file, line and field, instead of skipping and counting it.",
            rich_help_panel=_FIELDS,
        ),
    ] = False
    allow_skips: Annotated[
        bool,
        typer.Option(
            "--allow-skips",
            help="Continue even if more than 5 % of the rows are skipped.",
            rich_help_panel=_FIELDS,
        ),
    ] = False

    def __post_init__(self) -> None:
        if self.strict and self.allow_skips:
            raise typer.BadParameter("--strict stops at invalid input, --allow-skips continues; choose one")

    @property
    def on_error(self) -> str:
        """What happens to invalid input: "raise" or "skip"."""
        return "raise" if self.strict else "skip"

    @property
    def max_skipped(self) -> float:
        """Largest share of the rows that may be skipped."""
        from plait.corpus.problems import MAX_SKIPPED

        return 1.0 if self.allow_skips else MAX_SKIPPED

    def keywords(self) -> dict[str, Any]:
        """Return the arguments of `read_corpus`.

        Returns
        -------
        dict
            Keyword arguments.
        """
        return {
            "text": self.text_field or None,
            "tokens": self.tokens_field,
            "counts": self.counts_field,
            "id": self.id_field,
            "sheet": self.sheet,
            "encoding": self.encoding,
            "lowercase": not self.keep_case,
            "fractional": self.fractional,
            "date_format": self.date_format,
            "on_error": self.on_error,
            "max_skipped": self.max_skipped,
        }


@dataclass(frozen=True)
class SplitOptions:
    """Which documents are used."""

    split: Annotated[
        str | None,
        typer.Option(
            "--split",
            metavar="NAME",
            help="Use only the documents of one split, such as train; all if not given.",
            show_default=False,
        ),
    ] = None
    split_field: Annotated[str | None, _field("split", "Field with the split of a document. Guessed if not given.")] = (
        None
    )


@dataclass(frozen=True)
class DocumentFields:
    """The fields that say which document is which: its title, and what is kept with it."""

    title_field: TitleField = None
    metadata: Annotated[list[str] | None, metadata_option()] = None

    def keywords(self) -> dict[str, Any]:
        """Return the arguments of `read_corpus`.

        Returns
        -------
        dict
            Keyword arguments.
        """
        return {"title": self.title_field, "metadata": self.metadata or ()}


@dataclass(frozen=True)
class ExtraFields(DocumentFields):
    """The fields with what documents have besides words."""

    label_field: Annotated[str | None, label_option()] = None
    date_field: Annotated[str | None, date_option()] = None
    links: Annotated[Path | None, links_option()] = None

    def keywords(self) -> dict[str, Any]:
        """Return the arguments of `read_corpus`.

        Returns
        -------
        dict
            Keyword arguments.
        """
        return super().keywords() | {
            "label": self.label_field,
            "date": self.date_field,
            "links": self.links,
        }
