"""Roles of fields whose names are not plain: guessed from names in several languages and from a sample of values."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from plait.corpus.dates import guess_date_formats
from plait.corpus.problems import BadValueError
from plait.corpus.values import is_missing, parse_time, shown

SAMPLE_ROWS = 500
_BY_NAME = "its name"
# Without accents, in lower case, words joined by "_": English, German, French, Spanish, Italian, Portuguese, Dutch,
# Polish, Swedish, Turkish, Russian.
_NAMES: dict[str, frozenset[str]] = {
    role: frozenset(names.split())
    for role, names in {
        "text": (
            "answer answers response responses comment comments review reviews post tweet description speech feedback "
            "note notes statement article story transcript verbatim open_answer free_text fulltext "
            "antwort antworten kommentar kommentare freitext inhalt beschreibung nachricht rede beitrag volltext "
            "zusammenfassung bemerkung anmerkung texte reponse reponses commentaire commentaires contenu corps resume "
            "texto respuesta respuestas comentario comentarios contenido descripcion mensaje resumen cuerpo testo "
            "risposta risposte commento contenuto descrizione messaggio resposta respostas conteudo descricao mensagem "
            "tekst antwoord antwoorden opmerking inhoud beschrijving bericht odpowiedz komentarz tresc opis svar "
            "innehall metin yorum cevap текст ответ комментарии содержание"
        ),
        "id": (
            "nr no number nummer lfd_nr lfdnr kennung schlussel identifiant numero identificador codigo clave "
            "identificativo codice numer respondent respondent_id response_id row_id номер"
        ),
        "title": (
            "titel uberschrift betreff titre sujet objet titulo asunto titolo oggetto assunto onderwerp tytul temat "
            "rubrik baslik заголовок название"
        ),
        "date": (
            "datum zeitpunkt zeitstempel erstellt erstellt_am veroffentlicht veroffentlicht_am jahr jour annee "
            "date_de_publication fecha ano data anno jaar rok tarih created_at published_at submitted_at start_date "
            "end_date submit_date дата год"
        ),
        "label": (
            "klasse kategorie etikett thema gruppe sentiment categorie etiquette classe etiqueta categoria clase tema "
            "etichetta rotulo label_name kategoria kategori sinif категория метка"
        ),
    }.items()
}


@dataclass(frozen=True)
class FieldChoice:
    """The field that was taken for a role, and why.

    Parameters
    ----------
    role : str
        Such as "text" or "date"; "sheet" for the sheet of a workbook.
    names : tuple of str
        The fields; empty if none was taken.
    reason : str
        Why.
    others : tuple of str, default ()
        Other fields that it could have been.
    named : bool, default False
        Whether the caller named the field.

    Examples
    --------
    >>> print(FieldChoice("text", ("Antwort",), "longest texts", ("Notiz",)))
    text: field "Antwort" (longest texts; text= changes it, for example to "Notiz")
    """

    role: str
    names: tuple[str, ...]
    reason: str
    others: tuple[str, ...] = ()
    named: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether nothing need be said: the caller named the field, or its name says its role and no other does."""
        return self.named or (self.reason == _BY_NAME and not self.others)

    def describe(self, setting: str) -> str:
        """Return one line about the choice.

        Parameters
        ----------
        setting : str
            What changes it, such as ``"--text-field"``.

        Returns
        -------
        str
            The line.
        """
        what = "sheet" if self.role == "sheet" else "field"
        taken = f"{what} {' and '.join(map(shown, self.names))}" if self.names else "none"
        verb = "changes it" if self.names else "takes one"
        example = f", for example {'to ' if self.names else ''}{' or '.join(map(shown, self.others[:3]))}"
        return f"{self.role}: {taken} ({self.reason}; {setting} {verb}{example if self.others else ''})"

    def __str__(self) -> str:
        return self.describe(f"{self.role}=")


def choice_by_name(role: str, names: Sequence[str], others: Iterable[str] = (), named: bool = False) -> FieldChoice:
    """Return a choice that the name of the field decided, or the caller.

    Parameters
    ----------
    role : str
        The role.
    names : sequence of str
        The fields.
    others : iterable of str
        Other fields with a name for this role.
    named : bool, default False
        Whether the caller named them.

    Returns
    -------
    FieldChoice
        The choice.
    """
    return FieldChoice(role, tuple(names), "named by the caller" if named else _BY_NAME, tuple(others), named)


class _Column:
    """The values of one field in a sample of rows."""

    def __init__(self, name: str, values: list[Any]) -> None:
        self.name = name
        self.key = normalize_name(name)
        self.n_rows = len(values)
        self.known = [value for value in values if not is_missing(value) and value != ""]
        self.is_scalar = all(isinstance(value, str | int | float | date) for value in self.known)
        self.texts = [value for value in self.known if isinstance(value, str)]
        self.is_text = bool(self.texts) and len(self.texts) == len(self.known)
        self.length = sum(map(len, self.texts)) / max(self.n_rows, 1)
        self.words = sum(len(text.split()) for text in self.texts) / max(len(self.texts), 1)
        self.n_distinct = len(set(map(str, self.known))) if self.is_scalar else 0

    @property
    def is_unique(self) -> bool:
        return self.n_distinct == len(self.known) == self.n_rows

    @property
    def is_numeric(self) -> bool:
        return all(_NUMBER.fullmatch(text.strip()) for text in self.texts) if self.is_text else True

    def holds_iso_dates(self) -> bool:
        """Return whether nearly all values are ISO dates with a day, or dates."""
        full = [
            one for one in self.known if isinstance(one, date) or (isinstance(one, str) and _DAY.match(one.strip()))
        ]
        return bool(self.known) and len(full) >= 0.95 * len(self.known) and all(map(_is_time, full[:50]))

    def date_formats(self) -> list[str]:
        """Return the formats of dates that are not ISO dates."""
        return guess_date_formats(self.texts[:100]) if self.is_text and self.words <= 6 else []


_NUMBER = re.compile(r"[-+]?[\d.,]+(?:[eE][-+]?\d+)?%?")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def _is_time(value: Any) -> bool:
    try:
        parse_time(value)
    except BadValueError:
        return False
    return True


def normalize_name(name: object) -> str:
    """Return a field name in lower case, without accents, with words joined by "_".

    Parameters
    ----------
    name : object
        The name.

    Returns
    -------
    str
        The name to compare.

    Examples
    --------
    >>> normalize_name(" Título "), normalize_name("Veröffentlicht am"), normalize_name("Lfd.-Nr.")
    ('titulo', 'veroffentlicht_am', 'lfd_nr')
    """
    plain = unicodedata.normalize("NFKD", str(name)).casefold()
    kept = "".join(one for one in plain if not unicodedata.combining(one))
    return re.sub(r"[\W_]+", "_", kept).strip("_")


def guess_fields(
    rows: Sequence[Mapping[str, Any]], wanted: Iterable[str], taken: Iterable[str]
) -> dict[str, FieldChoice]:
    """Return the fields that a sample of rows suggests for some roles.

    Parameters
    ----------
    rows : sequence of mapping
        The sample.
    wanted : iterable of str
        Roles to guess, of "text", "id", "title", "date" and "label".
    taken : iterable of str
        Fields that have a role already.

    Returns
    -------
    dict of str to FieldChoice
        Choices by role; a choice without a field names fields that the caller could take.

    Examples
    --------
    >>> rows = [{"Nr": str(n), "Antwort": f"a long answer {n}", "Ort": "NS"[n % 2]} for n in range(30)]
    >>> for choice in guess_fields(rows, ("text", "id", "label"), ()).values():
    ...     print(choice)
    text: field "Antwort" (its name; text= changes it)
    id: field "Nr" (its name and unique values; id= changes it)
    label: field "Ort" (2 distinct values; label= changes it)
    """
    used = set(taken)
    names = dict.fromkeys(name for row in rows for name in row)
    columns = [_Column(name, [row.get(name) for row in rows]) for name in names if name not in used]
    columns = [column for column in columns if column.known]
    found: dict[str, FieldChoice] = {}
    text_length = max((column.length for column in columns), default=0.0)
    for role in ("text", "date", "id", "title", "label"):
        if role not in wanted:
            continue
        free = [column for column in columns if column.name not in used]
        choice = _GUESS[role](free, text_length)
        if choice is not None:
            found[role] = choice
            used.update(choice.names)
    return found


def _named(role: str, columns: list[_Column]) -> list[_Column]:
    return [column for column in columns if column.key in _NAMES[role]]


def _guess_text(columns: list[_Column], text_length: float) -> FieldChoice | None:
    texts = [column for column in columns if column.is_text and not column.is_numeric and not column.holds_iso_dates()]
    texts.sort(key=lambda column: -column.length)
    named = _named("text", texts)
    long = [column for column in texts if column.words >= 3 or (column.words < 2 and column.length >= 12)]
    candidates = named or long
    if not candidates:
        return None
    best = candidates[0]
    others = [one for one in long if one is not best and 2 * one.length >= best.length]
    reason = _BY_NAME if named else "longest texts"
    return FieldChoice("text", (best.name,), reason, tuple(one.name for one in others))


def _guess_date(columns: list[_Column], text_length: float) -> FieldChoice | None:
    named = [one for one in _named("date", columns) if one.holds_iso_dates() or _has_years(one) or one.date_formats()]
    dated = [column for column in columns if column.holds_iso_dates()]
    candidates = named or dated
    if candidates:
        best = candidates[0]
        others = tuple(one.name for one in dated if one is not best)
        return FieldChoice("date", (best.name,), "its name and dates" if named else "dates", others)
    for column in columns:
        if (formats := column.date_formats()) and "%d" in formats[0]:
            reason = f"{shown(column.name)} has dates such as {shown(column.texts[0])}, which is {formats[0]}"
            return FieldChoice("date", (), reason, (column.name,))
    return None


def _has_years(column: _Column) -> bool:
    return all(re.fullmatch(r"(1[0-9]|20)\d\d(\.0)?", str(value).strip()) for value in column.known)


def _guess_id(columns: list[_Column], text_length: float) -> FieldChoice | None:
    unique = [one for one in columns if one.is_unique and one.n_rows >= 3 and one.words <= 1 and one.length <= 64]
    unique = [one for one in unique if not any(isinstance(value, float) for value in one.known)]
    named = _named("id", unique)
    # In a short table, values can be unique by chance; an id usually comes first.
    first = columns[0] if columns else None
    likely = [one for one in unique if one.n_rows >= 20 or one is first]
    candidates = named or [one for one in likely if not one.holds_iso_dates()]
    if not candidates:
        return None
    reason = "its name and unique values" if named else "unique values"
    others = tuple(one.name for one in candidates[1:])
    return FieldChoice("id", (candidates[0].name,), reason, others)


def _guess_title(columns: list[_Column], text_length: float) -> FieldChoice | None:
    texts = [one for one in columns if one.is_text and not one.is_numeric and one.length <= text_length]
    named = _named("title", texts)
    short = [
        one
        for one in texts
        if one.n_distinct >= 0.9 * len(one.known) >= 9 and 2 <= one.words <= 15 and 3 * one.length <= text_length
    ]
    candidates = named or short
    if not candidates or (not named and len(short) > 1):
        names = tuple(one.name for one in short)
        return FieldChoice("title", (), "several fields have short texts", names) if names else None
    reason = _BY_NAME if named else "short texts"
    return FieldChoice("title", (candidates[0].name,), reason, tuple(one.name for one in candidates[1:]))


def _guess_label(columns: list[_Column], text_length: float) -> FieldChoice | None:
    few = [
        one
        for one in columns
        if one.is_scalar and 2 <= one.n_distinct <= min(30, len(one.known) / 5) and len(one.known) >= 0.8 * one.n_rows
    ]
    few = [one for one in few if one.length <= 40 and not one.holds_iso_dates() and not _is_fraction(one)]
    named = [one for one in _named("label", columns) if one.is_scalar]
    candidates = named or few
    if not candidates:
        return None
    if len(candidates) > 1 and not named:
        return FieldChoice("label", (), "several fields have few distinct values", tuple(one.name for one in few))
    best = candidates[0]
    reason = _BY_NAME if named else f"{best.n_distinct} distinct values"
    return FieldChoice("label", (best.name,), reason, tuple(one.name for one in candidates[1:]))


def _is_fraction(column: _Column) -> bool:
    return any(isinstance(value, float) and not value.is_integer() for value in column.known)


_GUESS = {
    "text": _guess_text,
    "date": _guess_date,
    "id": _guess_id,
    "title": _guess_title,
    "label": _guess_label,
}
