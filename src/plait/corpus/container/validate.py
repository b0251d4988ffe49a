"""Validation of the fields of a corpus: lengths, types and values. The result is read-only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array, issparse

from plait.corpus.container.frozen import FrozenCsr, FrozenMapping, frozen_array, frozen_csr, frozen_texts
from plait.corpus.excerpts import LONGEST_EXCERPT
from plait.corpus.numbers import LARGEST_COUNT
from plait.corpus.problems import BadValueError, CorpusError, Skipped
from plait.corpus.text.options import TextOptions
from plait.corpus.values import check_text, shown

if TYPE_CHECKING:
    from plait.corpus.container.corpus import Corpus

_BY_DOCUMENT = ("titles", "splits", "labels", "links", "times", "excerpts", "metadata")
_WEIGHT_HELP = "a weight must be a finite number above 0"


def validate_fields(corpus: Corpus) -> dict[str, Any]:
    """Return every field of a corpus, validated and read-only.

    Parameters
    ----------
    corpus : Corpus
        A corpus whose fields hold what the caller gave.

    Returns
    -------
    dict of str to object
        The fields by name.
    """
    vocabulary = _unique_texts("vocabulary", corpus.vocabulary)
    ids = _unique_texts("ids", corpus.ids)
    n_documents = len(ids)
    if not isinstance(corpus.skipped, Skipped):
        raise CorpusError(f"skipped is {shown(corpus.skipped)}; give a Skipped object")
    if corpus.text_options is not None and not isinstance(corpus.text_options, TextOptions):
        raise CorpusError(f"text_options is {shown(corpus.text_options)}; give plait.TextOptions(...) or None")
    return {
        "vocabulary": vocabulary,
        "ids": ids,
        "counts": _counts(corpus.counts, vocabulary, ids, bool(corpus.fractional)),
        "fractional": bool(corpus.fractional),
        **{name: check_field(name, getattr(corpus, name), n_documents, ids) for name in _BY_DOCUMENT},
    }


def check_field(name: str, value: Any, n_documents: int, ids: np.ndarray | None = None) -> Any:
    """Return one field of a corpus, validated and read-only.

    Parameters
    ----------
    name : str
        Name of the field; every field but the counts.
    value : object
        Its value; None if the corpus does not have it.
    n_documents : int
        Number of documents.
    ids : array of str, optional
        Ids of the documents, which only links need.

    Returns
    -------
    object
        The value.
    """
    if name in ("vocabulary", "ids"):
        return _unique_texts(name, value)
    if name == "links":
        assert ids is not None
        return _links(value, ids)
    checks: dict[str, Callable[..., Any]] = {
        "labels": _labels,
        "times": _times,
        "excerpts": _excerpts,
        "metadata": _metadata,
    }
    return checks[name](value, n_documents) if name in checks else _texts(name, value, n_documents)


def _same_length(name: str, length: int, n_documents: int) -> None:
    if length != n_documents:
        raise CorpusError(
            f"{name} has {length:,} entries but there are {n_documents:,} documents; give one entry per document",
            field=name,
        )


def check_texts(name: str, values: Sequence[Any] | np.ndarray) -> None:
    """Raise an error if a value is not text that can be saved.

    Parameters
    ----------
    name : str
        Name of the argument.
    values : sequence
        The values.
    """
    try:
        check_text("".join(values))  # all at once, as most texts are valid
    except (TypeError, BadValueError):
        for position, value in enumerate(values):
            _one_text(f"{name}[{position}]", value, name)


def _one_text(place: str, value: Any, name: str) -> None:
    if not isinstance(value, str):
        raise CorpusError(f"{place} is {shown(value)}; it must be text", field=name)
    try:
        check_text(value)
    except BadValueError as error:
        raise CorpusError(
            f"{place} is {shown(value)}: {error.message}; replace it", kind=error.kind, place=place, field=name
        ) from None


def _unique_texts(name: str, values: Iterable[str]) -> np.ndarray:
    texts = frozen_texts(values)
    check_texts(name, texts)
    if len(set(texts)) < len(texts):
        first: dict[str, int] = {}
        for position, text in enumerate(texts):
            if text in first:
                raise CorpusError(
                    f"{name}[{position}] is {shown(text)}, and so is {name}[{first[text]}]; make them unique",
                    kind="duplicate id" if name == "ids" else "duplicate word",
                    field=name,
                )
            first[text] = position
    return texts


def _texts(name: str, values: Iterable[str] | None, n_documents: int) -> np.ndarray | None:
    if values is None:
        return None
    texts = frozen_texts(values)
    _same_length(name, len(texts), n_documents)
    check_texts(name, texts)
    return texts


def _excerpts(excerpts: Iterable[str] | None, n_documents: int) -> np.ndarray | None:
    texts = _texts("excerpts", excerpts, n_documents)
    if texts is not None and (longest := max(map(len, texts), default=0)) > LONGEST_EXCERPT:
        position = next(row for row, text in enumerate(texts) if len(text) == longest)
        raise CorpusError(
            f"excerpts[{position}] has {longest:,} characters; give at most {LONGEST_EXCERPT}", field="excerpts"
        )
    return texts


def _metadata(metadata: Any, n_documents: int) -> FrozenMapping | None:
    if metadata is None:
        return None
    if not isinstance(metadata, Mapping):
        raise CorpusError(f"metadata is {shown(metadata)}; give a mapping from field to values", field="metadata")
    checked = {}
    for name, values in metadata.items():
        _one_text("a field of metadata", name, "metadata")
        checked[name] = _texts(f"metadata[{shown(name)}]", values, n_documents)
        if checked[name] is None:
            raise CorpusError(f"metadata[{shown(name)}] is None; give one text per document", field="metadata")
    return FrozenMapping(checked) if checked else None


def _labels(labels: Sequence[Sequence[str]] | None, n_documents: int) -> tuple[tuple[str, ...], ...] | None:
    if labels is None:
        return None
    checked = tuple(tuple(names) if not isinstance(names, str) else (names,) for names in labels)
    _same_length("labels", len(checked), n_documents)
    for position, names in enumerate(checked):
        if not all(isinstance(name, str) and name for name in names):
            raise CorpusError(
                f"labels[{position}] is {shown(names)}; labels must be text and not empty", field="labels"
            )
        if len(set(names)) < len(names):
            raise CorpusError(f"labels[{position}] is {shown(names)}; name each label once", field="labels")
        for name in names:
            if not name.isascii():
                _one_text(f"labels[{position}]", name, "labels")
    return checked


def _times(times: np.ndarray | None, n_documents: int) -> np.ndarray | None:
    if times is None:
        return None
    array = np.asarray(times)
    if array.dtype.kind != "M":
        raise CorpusError(f"times has the type {array.dtype}; give datetime64 values", field="times")
    _same_length("times", len(array), n_documents)
    # Years first: seconds would overflow.
    years = array.astype("datetime64[Y]").astype(np.int64) + 1970
    wrong = ~np.isnat(array) & ((years < 1) | (years > 9999))
    if wrong.any():
        position = int(np.argmax(wrong))
        raise CorpusError(
            f"times[{position}] is in the year {years[position]}; give years from 1 to 9999", field="times"
        )
    return frozen_array(array.astype("datetime64[s]", copy=False))


def _counts(counts: Any, vocabulary: np.ndarray, ids: np.ndarray, fractional: bool) -> FrozenCsr:
    given = counts if issparse(counts) else np.atleast_2d(np.asarray(counts))
    if given.dtype.kind not in "biuf":
        raise CorpusError(f"counts has the type {given.dtype}; give numbers", kind="not a number", field="counts")
    _no_negative_duplicates("counts", given, "negative count", "a count cannot be negative")
    matrix = csr_array(given)
    if matrix.shape != (len(ids), len(vocabulary)):
        raise CorpusError(
            f"counts is {matrix.shape[0]:,} × {matrix.shape[1]:,} but there are {len(ids):,} documents "
            f"and {len(vocabulary):,} words",
            field="counts",
        )
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    _values_in_range(matrix, vocabulary, ids, fractional)
    return frozen_csr(matrix.astype(np.float64 if fractional else np.int32, copy=False))


def _no_negative_duplicates(name: str, given: Any, kind: str, meaning: str) -> None:
    """Raise an error for a negative entry of a sparse matrix that may be summed with others of the same place."""
    if not issparse(given) or given.format not in ("coo", "csr", "csc") or given.has_canonical_format:
        return
    entries = given.tocoo()
    if (entries.data < 0).any():
        entry = int(np.argmax(entries.data < 0))
        place = f"{name}[{entries.row[entry]}, {entries.col[entry]}]"
        raise CorpusError(f"{place} is {entries.data[entry]}; {meaning}", kind=kind, field=name)


def _values_in_range(matrix: csr_array, vocabulary: np.ndarray, ids: np.ndarray, fractional: bool) -> None:
    data = matrix.data
    tests = [
        ("not a number", ~np.isfinite(data), "not a finite number"),
        ("negative count", data < 0, "negative"),
    ]
    if not fractional:
        if data.dtype.kind == "f":
            tests.append(
                ("fractional count", data != np.floor(data), "not an integer (fractional=True allows fractions)")
            )
        tests.append(("count too large", data > LARGEST_COUNT, "above 2**31 - 1"))
    for kind, wrong, meaning in tests:
        if wrong.any():
            entry = int(np.argmax(wrong))
            row = int(np.searchsorted(matrix.indptr, entry, side="right")) - 1
            column = int(matrix.indices[entry])
            raise CorpusError(
                f"counts[{row}, {column}] (document {shown(ids[row])}, word {shown(vocabulary[column])}) "
                f"is {data[entry]}, {meaning}",
                kind=kind,
                field="counts",
            )


def _links(links: Any, ids: np.ndarray) -> FrozenCsr | None:
    if links is None:
        return None
    given = getattr(links, "matrix", links)  # of plait.Links
    _no_negative_duplicates("links", given, "bad weight", _WEIGHT_HELP)
    matrix = csr_array(given).astype(np.float64, copy=False)
    if matrix.shape != (len(ids), len(ids)):
        raise CorpusError(
            f"links is {matrix.shape[0]:,} × {matrix.shape[1]:,} but there are {len(ids):,} documents",
            field="links",
        )
    frozen = frozen_csr(matrix)
    row_of = np.repeat(np.arange(len(ids)), np.diff(frozen.indptr))
    for kind, wrong, meaning in (
        (
            "bad weight",
            ~(np.isfinite(frozen.data) & (frozen.data > 0)),
            _WEIGHT_HELP,
        ),
        ("self link", row_of == frozen.indices, "a document cannot link to itself"),
    ):
        if wrong.any():
            entry = int(np.argmax(wrong))
            source, target = int(row_of[entry]), int(frozen.indices[entry])
            raise CorpusError(
                f"links[{source}, {target}] (from {shown(ids[source])} to {shown(ids[target])}) "
                f"is {frozen.data[entry]}; {meaning}",
                kind=kind,
                field="links",
            )
    return frozen
