"""The options for how text becomes words, and which words are kept."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

from plait.errors import PlaitError

_WORDS = "Text and vocabulary"


class Keep(Enum):
    """Whether something is kept as words."""

    drop = "drop"
    keep = "keep"


class EvenWords(Enum):
    """Whether common words without a subject are kept as words."""

    auto = "auto"
    drop = "drop"
    keep = "keep"


class Accents(Enum):
    """Whether diacritics are removed."""

    keep = "keep"
    strip = "strip"


def _limit(text: str) -> int | float | str:
    """Return a number of documents, a share of them if there is a decimal point, or "auto"."""
    if text == "auto":
        return text
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is neither a number of documents nor a share such as 0.5") from None


def _option(*names: str, help: str, **more: Any) -> Any:
    return typer.Option(*names, help=help, rich_help_panel=_WORDS, **more)


@dataclass(frozen=True)
class Vocabulary:
    """How text becomes words, and which words are kept."""

    language: Annotated[
        str,
        _option(
            "--language", metavar="auto|none|de|german|...", help="Language of the texts. auto: guessed from them."
        ),
    ] = "auto"
    stop_words: Annotated[
        str,
        _option(
            "--stop-words",
            metavar="auto|none|LANGUAGE|FILE",
            help="Words to remove. auto: those of the language, none for tokens and counts; a file has one per line.",
        ),
    ] = "auto"
    phrases: Annotated[
        bool, _option("--phrases", help="Join words that often occur together, such as machine learning.")
    ] = False
    phrase_list: Annotated[
        Path | None,
        _option("--phrase-list", metavar="FILE", help="File of phrases to join, one per line.", show_default=False),
    ] = None
    lemmas: Annotated[bool, _option("--lemmas", help="Replace words by their dictionary form.")] = False
    stems: Annotated[bool, _option("--stems", help="Replace words by their stem.")] = False
    min_df: Annotated[
        Any,
        _option(
            "--min-df",
            parser=_limit,
            metavar="auto|NUMBER|SHARE",
            help="Minimum number (5) or share (0.01) of documents with a word. auto: by the number of documents.",
        ),
    ] = "auto"
    max_df: Annotated[
        Any,
        _option(
            "--max-df",
            parser=_limit,
            metavar="auto|NUMBER|SHARE",
            help="Maximum number (900) or share (0.5) of documents with a word. auto: by the number of documents.",
        ),
    ] = "auto"
    max_words: Annotated[
        int | None,
        _option(
            "--max-words",
            min=1,
            help="Keep only the most frequent words, so many; all if not given.",
            show_default=False,
        ),
    ] = None
    even_words: Annotated[
        EvenWords,
        _option("--even-words", help="Drop or keep common words that are spread evenly over the documents."),
    ] = EvenWords.auto
    min_length: Annotated[
        int | None,
        _option("--min-length", min=1, help="Minimum number of characters of a word; usually 3.", show_default=False),
    ] = None
    numbers: Annotated[Keep, _option("--numbers", help="Drop or keep numbers.")] = Keep.drop
    urls: Annotated[Keep, _option("--urls", help="Drop or keep URLs, e-mail addresses and mail headers.")] = Keep.drop
    accents: Annotated[Accents, _option("--accents", help="Keep or strip diacritics.")] = Accents.keep
    keep_html: Annotated[bool, _option("--keep-html", help="Read HTML markup as text.")] = False

    def keywords(self) -> dict[str, Any]:
        """Return the arguments of `read_corpus`.

        Returns
        -------
        dict
            Keyword arguments.
        """
        return {**self.words(), **self.limits()}

    def words(self) -> dict[str, Any]:
        """Return the arguments of `read_corpus` that decide how a text becomes words.

        Returns
        -------
        dict
            Keyword arguments.
        """
        if self.lemmas and self.stems:
            raise typer.BadParameter("give --lemmas or --stems, not both")
        if self.phrases and self.phrase_list is not None:
            raise typer.BadParameter("give --phrases to find phrases, or --phrase-list to name them, not both")
        return {
            "language": None if self.language == "none" else self.language,
            "stop_words": None if self.stop_words == "none" else self.stop_words,
            "phrases": self.phrases if self.phrase_list is None else _lines(self.phrase_list),
            "normalize": "lemmas" if self.lemmas else "stems" if self.stems else None,
            "min_length": self.min_length,
            "numbers": self.numbers.value,
            "urls": self.urls.value,
            "accents": self.accents.value,
            "html": not self.keep_html,
        }

    def limits(self) -> dict[str, Any]:
        """Return the arguments of `Corpus.filter_words`.

        Returns
        -------
        dict
            Keyword arguments.
        """
        limits = {"min_df": self.min_df, "max_df": self.max_df, "max_words": self.max_words}
        return limits | {"even_words": self.even_words.value}

    def stream_settings(self) -> dict[str, Any]:
        """Return the fields of `StreamReading`. Slices have no limits by default.

        Returns
        -------
        dict
            Fields by name.
        """
        limits = self.limits()
        if self.min_df == "auto":
            limits["min_df"] = 1
        if self.max_df == "auto":
            limits["max_df"] = 1.0
        if self.even_words is EvenWords.auto:
            limits["even_words"] = "keep"
        language = {"language": self.language, "stop_words": self.stop_words}
        return {**self.words(), **language, **limits}

    @staticmethod
    def stream_names(given: set[str]) -> set[str]:
        """Return the names of the fields of `StreamReading` whose options were given.

        Parameters
        ----------
        given : set of str
            Names of the options that were given.

        Returns
        -------
        set of str
            Names of fields.
        """
        other = {"lemmas": "normalize", "stems": "normalize", "phrase_list": "phrases", "keep_html": "html"}
        return {other.get(name, name) for name in given}

    def input_files(self) -> list[Path | None]:
        """Return the files that the options name, which an output must not replace.

        Returns
        -------
        list of Path or None
            Files.
        """
        return [Path(self.stop_words), self.phrase_list]


def _lines(path: Path) -> list[str]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PlaitError(
            f"{path} is not a readable UTF-8 file; give a file with one phrase per line", parameter="phrase_list"
        ) from error
    return [line.strip() for line in text.splitlines() if line.strip()]
