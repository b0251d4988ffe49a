"""How the documents of a stream are read. The model file keeps it, so that all slices are read in the same way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, get_type_hints

from plait.corpus.readers.fields import FieldNames
from plait.corpus.text.languages import is_language
from plait.corpus.text.options import LIMITS, TextOptions
from plait.corpus.text.stop_words import load_stop_words
from plait.errors import PlaitError
from plait.models.online import Consumed
from plait.store.fields import check_types

_DIGEST = "stop_words_digest"
_NAMED_STOP_WORDS = ("auto", "none")
_FOUND = "text_options"
_EARLIER = "scikit-learn"
_SAME = ("accents", "numbers", "urls", "html", "min_length", "normalize", "phrases")  # as in TextOptions


@dataclass(frozen=True)
class StreamReading:
    """How the documents of a stream are read.

    Parameters
    ----------
    text_field : list of str, optional
        Fields with the text; None to guess.
    tokens_field, counts_field, id_field : str, optional
        Fields with tokens, counts and the id; None to guess.
    sheet : str, optional
        Sheet of workbooks; None for the first.
    encoding : str, default "utf-8"
        Encoding of text files.
    keep_case : bool, default False
        Whether text is not converted to lower case.
    fractional : bool, default False
        Whether counts may be fractions.
    date_format : str, optional
        Format of dates that are text; None for ISO dates and years.
    stop_words : str, default "auto"
        "auto", "none", a language or a file with one word per line.
    min_df, max_df : int or float, default 1 and 1.0
        Minimum and maximum number (int) or share (float) of the documents of a slice with a word.
    max_words : int, optional
        Maximum number of words per slice.
    even_words : {"keep", "drop", "auto"}, default "keep"
        Whether common words that are spread evenly over the documents of a slice are kept.
    date_field : str, optional
        Field with the date; None to guess.
    title_field : str, optional
        Field with the title; None to guess.
    language : str or None, default "auto"
        As in `plait.TextOptions`, and so are the following. The language is guessed in the first slice.
    accents, numbers, urls : str
        Whether diacritics, numbers and addresses are kept.
    html : bool, default True
        Whether HTML markup is removed.
    min_length : int, optional
        Fewest characters of a word.
    normalize : str, optional
        "lemmas" or "stems".
    phrases : bool or list of str, default False
        Phrases to join. True finds them in the first slice.
    tokenizer : str, optional
        "scikit-learn" for streams that were started before plait had text options: words as in CountVectorizer.

    Examples
    --------
    >>> StreamReading(text_field=["body"], date_format="%d.%m.%Y").encoding
    'utf-8'
    """

    text_field: list[str] | None = None
    tokens_field: str | None = None
    counts_field: str | None = None
    id_field: str | None = None
    sheet: str | None = None
    encoding: str = "utf-8"
    keep_case: bool = False
    fractional: bool = False
    stop_words: str = "auto"
    min_df: int | float = 1
    max_df: int | float = 1.0
    max_words: int | None = None
    even_words: str = "keep"
    date_field: str | None = None
    title_field: str | None = None
    date_format: str | None = None
    language: str | None = "auto"
    accents: str = "keep"
    numbers: str = "drop"
    urls: str = "drop"
    html: bool = True
    min_length: int | None = None
    normalize: str | None = None
    phrases: bool | list[str] = False
    tokenizer: str | None = None

    @classmethod
    def from_record(cls, consumed: Consumed) -> StreamReading:
        """Return how the documents of a started stream are read.

        Parameters
        ----------
        consumed : Consumed
            Record in the model file.

        Returns
        -------
        StreamReading
            The same as at the start of the stream.
        """
        return cls(**check_types(_with_defaults(consumed.reading), get_type_hints(cls)))

    def to_record(self) -> dict[str, object]:
        """Return what the model file keeps, including a digest of the stop words in a file.

        Returns
        -------
        dict
            Values by name.
        """
        record = asdict(self)
        if self.stop_words not in _NAMED_STOP_WORDS and not is_language(self.stop_words):
            words = "\n".join(sorted(load_stop_words(self.stop_words)))
            record[_DIGEST] = blake2b(words.encode(), digest_size=16).hexdigest()
        return record

    def check_same(self, consumed: Consumed, path: Path) -> None:
        """Raise an error if a started stream was read in another way.

        Parameters
        ----------
        consumed : Consumed
            Record in the model file.
        path : Path
            The model file, for messages.
        """
        now = self.to_record()
        for name, value in now.items():
            before = _with_defaults(consumed.reading).get(name)
            if before == value:
                continue
            if name == _DIGEST:
                raise PlaitError(
                    f"the stop words in {self.stop_words} have changed since {path} was started; all slices must be "
                    "read in the same way: restore them, or start a new model in another file"
                )
            raise PlaitError(
                f"{path} was started with {name} {before}, not {value}; all slices must be read in the same way: "
                "leave it out to continue, or start a new model in another file",
                parameter=name.removesuffix("_field"),
            )

    def field_names(self) -> FieldNames:
        """Return the fields for the readers of `plait.corpus`.

        Returns
        -------
        FieldNames
            Names by role.
        """
        return FieldNames(
            text=self.text_field or None,
            tokens=self.tokens_field,
            counts=self.counts_field,
            id=self.id_field,
            date=self.date_field,
            title=self.title_field,
            sheet=self.sheet,
        )

    def text_options(self, consumed: Consumed | None = None) -> TextOptions:
        """Return the options for words.

        Parameters
        ----------
        consumed : Consumed, optional
            Record in the model file: the language, stop words and phrases that the first slice had.

        Returns
        -------
        TextOptions
            The options.
        """
        found = None if consumed is None else consumed.reading.get(_FOUND)
        if found is not None:
            return TextOptions.from_dict(found)
        words: dict[str, Any] = {
            "language": None if self.language == "none" else self.language,
            "lowercase": not self.keep_case,
            **{name: getattr(self, name) for name in _SAME},
        }
        stop_words = None if self.stop_words == "none" else self.stop_words
        if self.tokenizer == _EARLIER:
            from sklearn.feature_extraction.text import CountVectorizer

            words = {"tokenizer": CountVectorizer(lowercase=not self.keep_case)}
            stop_words = "english" if stop_words == "auto" else stop_words
        return TextOptions(**words, stop_words=stop_words, **{name: getattr(self, name) for name in LIMITS})


def record_options(consumed: Consumed, options: TextOptions | None) -> Consumed:
    """Return the record of a stream with the text options of its first slice, unless it has them.

    Parameters
    ----------
    consumed : Consumed
        Record in the model file.
    options : TextOptions or None
        The options with the language and phrases that were found; None if the slice had no text.

    Returns
    -------
    Consumed
        The record.
    """
    if options is None or _FOUND in consumed.reading:
        return consumed
    return replace(consumed, reading={**consumed.reading, _FOUND: options.to_dict()})


def _with_defaults(reading: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record with the fields that were added later: earlier streams split text as scikit-learn does."""
    tokenizer = None if "language" in reading else _EARLIER
    return {**asdict(StreamReading(tokenizer=tokenizer)), **reading}
