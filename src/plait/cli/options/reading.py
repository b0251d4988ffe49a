"""How commands read a corpus: the options, written once, and what is said about what was read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plait.errors import PlaitError

if TYPE_CHECKING:
    import numpy as np

    from plait.corpus import Corpus, Skipped

_FIELDS = "Where things stand in the corpus"
_WORDS = "Which words are kept"

CorpusPath = Annotated[
    Path,
    typer.Argument(
        metavar="PATH",
        show_default=False,
        help="The corpus: a folder with documents.* (and links.*), a .jsonl, .csv, .tsv or .parquet file, a "
        "folder of .txt files, UCI docword.*.txt, LINQS .content or SVMlight .svm; plain, .gz or .zst.",
    ),
]


def _limit(text: str) -> int | float:
    """Read a number of documents, or with a decimal point a share of them."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is neither a number of documents nor a share such as 0.5") from None


def _field(name: str, help: str) -> Any:
    return typer.Option(f"--{name}-field", metavar="FIELD", help=help, show_default=False, rich_help_panel=_FIELDS)


def label_option(panel: str = _FIELDS) -> Any:
    """Describe the option that names the field of labels.

    It has two names: --label is what a model that learns labels asks for, --label-field is one of the fields.
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
    """Describe the option that names a file of links."""
    return typer.Option(
        "--links",
        metavar="FILE",
        help="File of links (source, target, weight), in place of links.* in the corpus folder.",
        show_default=False,
        rich_help_panel=panel,
    )


def date_option() -> Any:
    """Describe the option that names the field of dates."""
    return _field("date", "Field with the date (ISO date or year). Guessed if not given.")


@dataclass(frozen=True)
class WordSource:
    """Where the words of the documents are, and what happens to bad input."""

    text_field: Annotated[
        list[str] | None,
        _field("text", "Field with the text of a document; give it again to join several. Guessed if not given."),
    ] = None
    tokens_field: Annotated[
        str | None, _field("tokens", "Field with a list of words, in place of text. Guessed if not given.")
    ] = None
    counts_field: Annotated[
        str | None, _field("counts", "Field with {word: count}, in place of text. Guessed if not given.")
    ] = None
    id_field: Annotated[
        str | None, _field("id", "Field with the id. Guessed if not given; numbers from 1 if there is none.")
    ] = None
    encoding: Annotated[str, typer.Option("--encoding", help="Encoding of text files.", rich_help_panel=_FIELDS)] = (
        "utf-8"
    )
    keep_case: Annotated[
        bool,
        typer.Option("--keep-case", help="Do not put text in lower case.", rich_help_panel=_FIELDS),
    ] = False
    fractional: Annotated[
        bool,
        typer.Option(
            "--fractional",
            help="Let counts be fractions (only the samplers limit and sparse take them).",
            rich_help_panel=_FIELDS,
        ),
    ] = False
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Make every bad thing in the corpus an error that names file, line and field. "
            "Without it, bad things are left out, counted and reported.",
            rich_help_panel=_FIELDS,
        ),
    ] = False

    def keywords(self) -> dict[str, Any]:
        """Return the same for `read_corpus`."""
        return {
            "text": self.text_field or None,
            "tokens": self.tokens_field,
            "counts": self.counts_field,
            "id": self.id_field,
            "encoding": self.encoding,
            "lowercase": not self.keep_case,
            "fractional": self.fractional,
            "on_error": "raise" if self.strict else "skip",
        }


@dataclass(frozen=True)
class Vocabulary:
    """Which words stay."""

    stop_words: Annotated[
        str,
        typer.Option(
            "--stop-words",
            metavar="auto|english|none|FILE",
            help="Words to leave out: auto is English for text and none for tokens and counts; "
            "a file has a word a line.",
            rich_help_panel=_WORDS,
        ),
    ] = "auto"
    min_df: Annotated[
        Any,
        typer.Option(
            "--min-df",
            parser=_limit,
            metavar="NUMBER|SHARE",
            help="Keep words that are in at least so many documents (5), or that share of them (0.01).",
            rich_help_panel=_WORDS,
        ),
    ] = "1"
    max_df: Annotated[
        Any,
        typer.Option(
            "--max-df",
            parser=_limit,
            metavar="NUMBER|SHARE",
            help="Keep words that are in at most so many documents (900), or that share of them (0.5).",
            rich_help_panel=_WORDS,
        ),
    ] = "1.0"
    max_words: Annotated[
        int | None,
        typer.Option(
            "--max-words",
            min=1,
            help="Keep only so many words, the most frequent ones; all if not given.",
            show_default=False,
            rich_help_panel=_WORDS,
        ),
    ] = None

    def keywords(self) -> dict[str, Any]:
        """Return the same for `read_corpus`."""
        return {"stop_words": None if self.stop_words == "none" else self.stop_words, **self.limits()}

    def limits(self) -> dict[str, Any]:
        """Return the part of it that counts documents, for `Corpus.filter_words`."""
        return {"min_df": self.min_df, "max_df": self.max_df, "max_words": self.max_words}


@dataclass(frozen=True)
class Part:
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
    split_field: Annotated[
        str | None, _field("split", "Field that says which split a document belongs to. Guessed if not given.")
    ] = None


@dataclass(frozen=True)
class HeldOut:
    """A share of the documents that is left out by chance."""

    share: float
    seed: int


@dataclass(frozen=True)
class Extras:
    """What documents carry besides words."""

    title_field: Annotated[str | None, _field("title", "Field with the title. Guessed if not given.")] = None
    label_field: Annotated[str | None, label_option()] = None
    date_field: Annotated[str | None, date_option()] = None
    links: Annotated[Path | None, links_option()] = None

    def keywords(self) -> dict[str, Any]:
        """Return the same for `read_corpus`."""
        return {
            "title": self.title_field,
            "label": self.label_field,
            "date": self.date_field,
            "links": self.links,
        }


@dataclass(frozen=True)
class Reading:
    """A corpus, and what was left out while it was read."""

    corpus: Corpus
    skipped: Skipped


def read(
    path: Path, source: WordSource, vocabulary: Vocabulary, part: Part, held_out: HeldOut | None = None, **more: Any
) -> Reading:
    """Read a corpus to look at or to fit a model to; `more` is for `read_corpus`."""
    from plait.corpus import read_corpus

    given = source.keywords() | {"split": part.split_field} | more
    if part.split is None and held_out is None:
        corpus = read_corpus(path, **given, **vocabulary.keywords())
        return Reading(corpus, corpus.skipped)
    # The limits count the chosen documents alone: the others must not choose their words.
    stop_words = vocabulary.keywords()["stop_words"]
    whole = read_corpus(path, **given, stop_words=stop_words)
    chosen = whole if part.split is None else whole.part(part.split)
    if held_out is not None:
        chosen, _ = chosen.split(held_out.share, random_state=held_out.seed)
    return Reading(chosen.filter_words(**vocabulary.limits()), whole.skipped)


def read_for(model: Any, path: Path, source: WordSource, **more: Any) -> Corpus:
    """Read documents that a fitted model is applied to; `more` is for `read_corpus`."""
    from plait.corpus import read_corpus

    return read_corpus(path, **source.keywords(), **more, stop_words=unknown_stop_words(model_words(model)))


def part_for(model: Any, whole: Corpus, split: str | None) -> Reading:
    """Return the documents of a split, or all, in the columns of a model's vocabulary."""
    chosen = whole if split is None else whole.part(split)
    aligned = chosen.with_vocabulary(model_words(model))
    # A part starts with nothing skipped; a whole corpus has its own tally in the aligned one already.
    return Reading(aligned, aligned.skipped if split is None else whole.skipped + aligned.skipped)


def model_words(model: Any) -> np.ndarray:
    """Return the vocabulary of a model, without which it cannot be applied to a corpus."""
    if model.vocabulary_ is None:
        raise PlaitError(
            "the model was fitted to a matrix without names of words, so it cannot match the words of a corpus; "
            "fit it to a corpus"
        )
    words: np.ndarray = model.vocabulary_
    return words


def unknown_stop_words(words: np.ndarray) -> list[str]:
    """Return English stop words that a model does not have: they are not counted as outside its vocabulary.

    What a model's vocabulary has is never a stop word for it, whatever it was fitted with.
    """
    from plait.corpus.text.analyzers import load_stop_words

    return sorted(load_stop_words("english") - set(words))


def read_line(path: Path, reading: Reading) -> str:
    """Say in one line what was read and what was left out."""
    corpus = reading.corpus
    sizes = f"{corpus.n_documents:,} documents, {corpus.n_words:,} words, {corpus.n_tokens:,} tokens"
    return f"read {path}: {sizes}; {skipped_line(reading.skipped)}"


def skipped_line(skipped: Skipped) -> str:
    """Say in one line how much was left out, of which kinds."""
    if not skipped:
        return "nothing skipped"
    kinds = ", ".join(f"{kind.count:,} × {kind.name}" for kind in sorted(skipped, key=lambda kind: -kind.count))
    return f"skipped {kinds}"
