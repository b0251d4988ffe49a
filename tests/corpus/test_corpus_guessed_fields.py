"""Fields without plain names: guessed from names in several languages and from values, and said."""

from __future__ import annotations

import pickle
import warnings

import pandas
import polars
import pytest

from plait import LDA
from plait.corpus import Corpus, CorpusError, read_corpus
from plait.corpus.readers.field_guesses import FieldChoice, guess_fields, normalize_name
from tests.corpus.workbooks import xlsx

LONG = "The river was wide and the boats went slowly past the old town number"


def rows(**columns):
    """Thirty rows; a column is a function of the row number."""
    return [{name.replace("_", " "): make(n) for name, make in columns.items()} for n in range(30)]


def by_role(corpus):
    return {choice.role: choice for choice in corpus.fields}


def write_rows(write, name, made):
    lines = [";".join(made[0]), *(";".join(map(str, row.values())) for row in made)]
    return write(name, "\n".join(lines) + "\n")


@pytest.mark.parametrize(
    ("text", "id", "title", "date", "label"),
    [
        ("Antwort", "Nr", "Titel", "Datum", "Kategorie"),
        ("Réponse", "Identifiant", "Titre", "Date de publication", "Catégorie"),
        ("Respuesta", "Código", "Título", "Fecha", "Categoría"),
        ("Risposta", "Codice", "Titolo", "Data", "Classe"),
        ("Resposta", "Número", "Assunto", "Ano", "Rótulo"),
        ("Antwoord", "Nummer", "Onderwerp", "Jaar", "Categorie"),
        ("ответ", "номер", "название", "дата", "категория"),
    ],
)
def test_headers_in_other_languages(text, id, title, date, label, write):
    made = rows(a=lambda n: f"x{n}", b=lambda n: f"{LONG} {n}", c=lambda n: f"Day {n}", d=lambda n: 1990 + n % 9, e=str)
    header = [id, text, title, date, label]
    content = [";".join(header), *(";".join(map(str, row.values())) for row in made)]
    corpus = read_corpus(write("survey.csv", "\n".join(content)))
    assert {role: choice.names for role, choice in by_role(corpus).items()} == {
        "text": (text,),
        "id": (id,),
        "title": (title,),
        "date": (date,),
        "label": (label,),
    }
    assert corpus.ids[1] == "x1"
    assert corpus.titles[1] == "Day 1"
    assert str(corpus.times[1])[:4] == "1991"
    assert corpus.labels[1] == ("1",)


def test_values_decide_where_names_do_not(write):
    made = rows(
        f1=lambda n: f"k{n}",
        f2=lambda n: f"{LONG} {n}",
        f3=lambda n: f"Past the town {n}",
        f4=lambda n: f"2024-05-{n % 28 + 1:02d}",
        f5=lambda n: "north" if n % 3 else "south",
        f6=lambda n: n * 1.5,
    )
    corpus = read_corpus(write_rows(write, "survey.csv", made))
    assert [str(choice) for choice in corpus.fields] == [
        'text: field "f2" (longest texts; text= changes it)',
        'id: field "f1" (unique values; id= changes it, for example to "f6")',
        'title: field "f3" (short texts; title= changes it)',
        'label: field "f5" (2 distinct values; label= changes it)',
        'date: field "f4" (dates; date= changes it)',
    ]
    assert corpus.label_names == ("north", "south")
    assert corpus.titles[2] == "Past the town 2"
    assert str(corpus.times[1]) == "2024-05-02T00:00:00"
    named = read_corpus(write_rows(write, "survey.csv", made), id="f6", text="f3")
    assert by_role(named)["id"].named
    assert by_role(named)["text"].names == ("f3",)


def test_plain_names_win_over_values(write):
    made = rows(
        id=lambda n: f"a{n}", text=lambda n: f"red {n}", notes=lambda n: f"{LONG} {n}", abstract=lambda n: "sea"
    )
    corpus = read_corpus(write_rows(write, "survey.csv", made))
    assert by_role(corpus)["text"] == FieldChoice("text", ("text",), "its name", ("abstract",))
    assert by_role(corpus)["id"].is_plain
    assert not by_role(corpus)["text"].is_plain


def test_ambiguity_is_said(write):
    made = rows(
        q1=lambda n: f"{LONG} {n}",
        q2=lambda n: f"{LONG[:50]} {n}",
        sex=lambda n: "mf"[n % 2],
        place=lambda n: "abc"[n % 3],
        day=lambda n: f"{n % 28 + 1}.05.2024",
    )
    corpus = read_corpus(write_rows(write, "survey.csv", made))
    assert by_role(corpus)["text"].others == ("q2",)
    assert corpus.labels is None
    assert str(by_role(corpus)["label"]) == (
        'label: none (several fields have few distinct values; label= takes one, for example "sex" or "place")'
    )
    assert corpus.times is None
    assert 'has dates such as "1.05.2024", which is %d.%m.%Y' in str(by_role(corpus)["date"])
    frame = pandas.DataFrame(made)
    with pytest.warns(
        UserWarning, match=r'text: field "q1" \(longest texts.*"q2"\); read the frame with Corpus.from_fr'
    ):
        LDA(2, n_sweeps=2, n_samples=1, verbose=False).fit(frame)


def test_a_field_that_is_not_unique_after_all_is_given_up(write_jsonl):
    made = [{"key field": f"k{n if n < 550 else 7}", "text": f"red fox {n}"} for n in range(600)]
    corpus = read_corpus(write_jsonl(*made))
    assert len(corpus) == 600
    assert corpus.ids[-1] == "600"
    assert by_role(corpus)["id"].names == ()
    assert "is not an id of every row" in by_role(corpus)["id"].reason
    made = [{"key field": f"k{n}", "text": f"red fox {n}"} if n < 550 else {"text": "sea"} for n in range(600)]
    assert len(read_corpus(write_jsonl(*made))) == 600


def test_a_name_of_an_id_with_repeated_values_is_no_id(write_jsonl):
    corpus = read_corpus(write_jsonl(*({"name": "ab"[n % 2], "text": f"red fox {n}"} for n in range(30))))
    assert len(corpus) == 30
    assert 'the values of "name" are repeated' in by_role(corpus)["id"].reason
    with pytest.raises(CorpusError, match="earlier document has the id"):
        read_corpus(write_jsonl(*({"name": "ab"[n % 2], "text": "red fox"} for n in range(30))), id="name")


def test_better_names_that_turn_up_late_replace_guesses(write_jsonl):
    made = [{"words here": f"{LONG} {n}"} for n in range(600)] + [{"words here": "x", "text": "a plain name"}]
    corpus = read_corpus(write_jsonl(*made), on_error="skip", max_skipped=1.0)
    assert len(corpus) == 1
    assert by_role(corpus)["text"].names == ("text",)


def test_nothing_that_looks_like_text_is_an_error(write):
    made = rows(a=lambda n: n, b=lambda n: f"2024-05-{n % 28 + 1:02d}", c=lambda n: "x")
    with pytest.raises(CorpusError, match=r"no field has a known name for words \(the fields are a, b, c\); name one"):
        read_corpus(write_rows(write, "survey.csv", made))


def test_sheets_are_said(write):
    pytest.importorskip("python_calamine")
    table = [["text"], *([f"{LONG} {n}"] for n in range(5))]
    path = write("survey.xlsx", xlsx({"Answers": table, "Notes": table}))
    assert str(by_role(read_corpus(path))["sheet"]) == (
        'sheet: sheet "Answers" (the first of 2 sheets; sheet= changes it, for example to "Notes")'
    )
    assert by_role(read_corpus(path, sheet="Notes"))["sheet"].is_plain


@pytest.mark.parametrize("make", [pandas.DataFrame, polars.DataFrame])
def test_frames_are_guessed_alike(make):
    made = rows(
        nr=lambda n: n, what=lambda n: f"{LONG} {n}", when=lambda n: pandas.Timestamp("2024-05-01").to_pydatetime()
    )
    corpus = Corpus.from_frame(make(made))
    assert {role: choice.names for role, choice in by_role(corpus).items()} == {
        "text": ("what",),
        "id": ("nr",),
        "date": ("when",),
    }


def test_fields_stay_with_the_corpus():
    corpus = Corpus.from_frame(polars.DataFrame({"text": ["red fox", "blue sea"]}))
    assert corpus[[1]].fields == corpus.fields
    assert pickle.loads(pickle.dumps(corpus)).fields == corpus.fields
    assert Corpus.from_texts(["red"]).fields == ()
    with_gaps = guess_fields([{"x": None}, {"x": ""}], ("text", "id"), ())
    assert with_gaps == {}
    assert normalize_name("Größe (cm)") == "grosse_cm"


def test_a_table_without_a_header_is_warned_of(write):
    data = [f"a{n},{LONG} {n} and stayed there for a long time,2024-05-{n % 28 + 1:02d}" for n in range(30)]
    with pytest.warns(UserWarning, match=r"the first row was taken as names of columns, but .* looks like data; if it"):
        read_corpus(write("bare.csv", "\n".join(data)))
    for name in ("text", "What do you think about the buses, trams and trains in the town that you live in?"):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            read_corpus(write("named.csv", "\n".join([f'id,"{name}",date', *data])))


def test_tables_without_words_say_why(write):
    with pytest.raises(CorpusError, match=r"header\.csv has no usable documents: it has only a header row"):
        read_corpus(write("header.csv", "id,text\n"))
    with pytest.raises(CorpusError, match=r"blank\.csv: no row has a text \(the fields are id, text\)"):
        read_corpus(write("blank.csv", "id,text\na,\nb,\n"))
