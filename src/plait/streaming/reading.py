"""How the documents of a stream are read. The model file keeps it, so that all slices are read in the same way."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import get_type_hints

from plait.corpus.readers.fields import FieldNames
from plait.corpus.text.options import TextOptions
from plait.corpus.text.stop_words import load_stop_words
from plait.errors import PlaitError
from plait.models.online import Consumed
from plait.store.fields import check_types

_DIGEST = "stop_words_digest"
_NAMED_STOP_WORDS = ("auto", "english", "none")


@dataclass(frozen=True)
class StreamReading:
    """How the documents of a stream are read.

    Parameters
    ----------
    text_field : list of str, optional
        Fields with the text; None to guess.
    tokens_field, counts_field, id_field, date_field : str, optional
        Fields with tokens, counts, the id and the date; None to guess.
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
        "auto", "english", "none" or a file with one word per line.
    min_df, max_df : int or float, default 1 and 1.0
        Minimum and maximum number (int) or share (float) of the documents of a slice with a word.
    max_words : int, optional
        Maximum number of words per slice.
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
    date_field: str | None = None
    date_format: str | None = None

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
        return cls(**check_types(consumed.reading, get_type_hints(cls)))

    def to_record(self) -> dict[str, object]:
        """Return what the model file keeps, including a digest of the stop words in a file.

        Returns
        -------
        dict
            Values by name.
        """
        record = asdict(self)
        if self.stop_words not in _NAMED_STOP_WORDS:
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
            before = consumed.reading.get(name)
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
            sheet=self.sheet,
        )

    def text_options(self) -> TextOptions:
        """Return the options for words.

        Returns
        -------
        TextOptions
            Stop words, limits and case.
        """
        return TextOptions(
            stop_words=None if self.stop_words == "none" else self.stop_words,
            min_df=self.min_df,
            max_df=self.max_df,
            max_words=self.max_words,
            lowercase=not self.keep_case,
        )
