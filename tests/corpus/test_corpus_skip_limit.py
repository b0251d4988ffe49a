"""Reading that would skip too much stops, and names the setting that would probably help."""

from __future__ import annotations

import polars
import pytest

from plait.corpus import Corpus, CorpusError, read_corpus
from plait.corpus.dates import check_date_format, guess_date_formats
from plait.corpus.readers.encodings import encoding_of, guess_encoding
from plait.corpus.readers.remedies import TooManySkippedError

TEXTS = {
    "cp1252": ["Größe über alles: Müller „sagt“ – 5 €", "El niño comió piñas. ¿Qué más?", "L’été où ça s’est passé"],
    "cp1250": ["Příliš žluťoučký kůň úpěl ďábelské ódy"],
    "cp1251": ["Съешь ещё этих мягких французских булок"],
    "koi8-r": ["Съешь ещё этих мягких французских булок"],
    "cp1253": ["Ξεσκεπάζω την ψυχοφθόρα βδελυγμία"],
    "cp1255": ["כל בני האדם נולדו בני חורין"],
    "cp1256": ["يولد جميع الناس أحرارا متساوين"],
    "shift_jis": ["吾輩は猫である。名前はまだ無い。"],
    "euc_jp": ["吾輩は猫である。名前はまだ無い。"],
    "euc_kr": ["모든 국민은 법 앞에 평등하다."],
    "gb18030": ["人人生而自由，在尊严和权利上一律平等。"],
    "utf-16": ["Größe über"],
    "utf-16-le": ["river and bank " * 20],
    "utf-8": ["Größe", "plain"],
}


def german_csv(n_rows: int = 120, date: str = "{day:02d}.05.2024") -> str:
    rows = [f"{row};Die Größe des Flusses {row};{date.format(day=row % 28 + 1)}" for row in range(n_rows)]
    return "\n".join(["id;text;date", *rows]) + "\n"


@pytest.mark.parametrize(("encoding", "text"), [(name, text) for name, texts in TEXTS.items() for text in texts])
def test_encodings_are_guessed(encoding, text, write):
    assert encoding_of(text.encode(encoding)) == encoding
    assert guess_encoding(write("x.txt.gz", text.encode(encoding))) == encoding


def test_bytes_that_are_no_text_have_no_encoding():
    assert encoding_of(bytes(range(128, 256)) * 20) is None


def test_a_cp1252_csv_stops_with_its_encoding(write):
    ascii_rows = "\n".join(f"x{row};plain words {row};2024-05-01" for row in range(30))
    path = write("survey.csv", (german_csv(90, "2024-05-{day:02d}") + ascii_rows).encode("cp1252"))
    with pytest.raises(TooManySkippedError) as caught:
        read_corpus(path, on_error="skip")
    assert str(caught.value).startswith(
        "survey.csv: 90 of 120 rows (75%; the limit is 5%) were skipped: 90 × wrong encoding (survey.csv,"
    )
    assert 'the text seems to be cp1252: give encoding="cp1252"; max_skipped=1.0 continues' in str(caught.value)
    assert [(one.parameter, one.value) for one in caught.value.remedies] == [("encoding", "cp1252")]
    assert len(read_corpus(path, on_error="skip", encoding="cp1252")) == 120
    assert len(read_corpus(path, on_error="skip", max_skipped=0.75)) == 30
    with pytest.raises(
        CorpusError, match=r'line 2: byte 0xf6 is not utf-8.*seems to be cp1252: give encoding="cp1252"'
    ):
        read_corpus(path)


def test_a_header_in_another_encoding_names_it(write):
    path = write("survey.csv", "Größe;text\n1;rot über grün\n".encode("cp1252"))
    with pytest.raises(CorpusError, match=r"line 1: byte 0xf6 is not utf-8; correct the header; .*cp1252") as caught:
        read_corpus(path)
    assert caught.value.parameter == "encoding"


def test_a_folder_of_texts_in_another_encoding(write):
    for number in range(4):
        path = write(f"texts/{number}.txt", f"Größe über alles {number}".encode("cp1252"))
    with pytest.raises(TooManySkippedError, match=r'4 of 4 rows \(100%; the limit is 5%\).*give encoding="cp1252"'):
        read_corpus(path.parent, on_error="skip")


def test_german_dates_stop_with_their_format(write):
    path = write("survey.csv", german_csv())
    with pytest.raises(TooManySkippedError) as caught:
        read_corpus(path, on_error="skip")
    assert "the date of 120 of 120 rows (100%; the limit is 5%) was skipped: 120 × bad date" in str(caught.value)
    assert 'dates such as "01.05.2024" seem to be %d.%m.%Y: give date_format="%d.%m.%Y"' in str(caught.value)
    corpus = read_corpus(path, date_format="%d.%m.%Y")
    assert str(corpus.times[2]) == "2024-05-03T00:00:00"
    with pytest.raises(CorpusError, match=r'"2024-05-01" is not a date of the format "%d.%m.%Y"'):
        read_corpus(write("iso.csv", german_csv(3, "2024-05-{day:02d}")), date_format="%d.%m.%Y")


def test_dates_without_a_known_format_ask_for_the_field(write):
    path = write("survey.csv", german_csv(date="spring"))
    with pytest.raises(TooManySkippedError, match=r'the field "date" has no dates such as 2024-05-31: give date='):
        read_corpus(path, on_error="skip")


@pytest.mark.parametrize(
    ("values", "formats"),
    [
        (["31.05.2024", "1.6.2024"], ["%d.%m.%Y"]),
        (["03/04/2024", "31/05/2024"], ["%d/%m/%Y"]),
        (["03/04/2024", "05/31/2024"], ["%m/%d/%Y"]),
        (["03/04/2024"], ["%d/%m/%Y", "%m/%d/%Y"]),
        (["31.05.2024 12:30"], ["%d.%m.%Y %H:%M"]),
        (["31 May 2024"], ["%d %B %Y", "%d %b %Y"]),
        (["Fri, 31 May 2024 08:00:00 +0200"], ["%a, %d %b %Y %H:%M:%S %z"]),
        (["n.d.", "soon"], []),
        ([" ", ""], []),
    ],
)
def test_formats_of_dates_are_guessed(values, formats):
    assert guess_date_formats(values) == formats


def test_an_open_order_of_day_and_month_is_said(write):
    with pytest.raises(TooManySkippedError, match=r"seem to be %d/%m/%Y \(or %m/%d/%Y, which reads all of them, too\)"):
        read_corpus(write("few.csv", german_csv(9, "0{day}/04/2024")), on_error="skip")


@pytest.mark.parametrize("format", ["%Q", "d.m.Y", "%d.%m.", "", "%"])
def test_formats_that_read_no_dates(format, write):
    with pytest.raises(CorpusError, match=r"date_format is .*give a format with a year such as") as caught:
        read_corpus(write("x.csv", german_csv(3)), date_format=format)
    assert caught.value.parameter == "date_format"
    check_date_format(None)


@pytest.mark.parametrize(("broken", "stops"), [(5, False), (6, True)])
def test_the_limit_is_a_share_of_the_rows(broken, stops, write_jsonl):
    rows = [{"id": str(n), "text": "" if n < broken else "red fox"} for n in range(100)]
    path = write_jsonl(*rows)
    if stops:
        with pytest.raises(
            TooManySkippedError, match=r'6 of 100 rows \(6%; .*\) were.*not in the field "text": give text='
        ):
            read_corpus(path, on_error="skip")
    else:
        assert read_corpus(path, on_error="skip").skipped["empty document"] == 5
    assert len(read_corpus(path, on_error="skip", max_skipped=1.0)) == 100 - broken
    with pytest.raises(TooManySkippedError):
        read_corpus(path, on_error="skip", max_skipped=0.0)


def test_duplicate_ids_ask_for_another_field(write_jsonl):
    path = write_jsonl(*({"id": n % 30, "text": "red fox"} for n in range(60)))
    with pytest.raises(
        TooManySkippedError, match=r'30 of 60 rows .* the field "id" is not an id of every document: give id='
    ):
        read_corpus(path, on_error="skip")


def test_links_to_unknown_documents_have_no_limit(write, write_jsonl):
    path = write_jsonl({"id": "a", "text": "red"}, {"id": "b", "text": "blue"})
    outside = write("outside.csv", "source,target\na,b\n" + "".join(f"a,x{n}\n" for n in range(50)))
    assert read_corpus(path, links=outside, on_error="skip").n_links == 1
    broken = write("broken.csv", "source,target,weight\na,b,1\nb,a,heavy\n")
    with pytest.raises(TooManySkippedError, match=r"1 of 2 links \(50%; the limit is 5%\) was skipped"):
        read_corpus(path, links=broken, on_error="skip")


@pytest.mark.parametrize("share", [-0.1, 1.5, True, "all", None])
def test_shares_that_are_none(share, write_jsonl):
    with pytest.raises(CorpusError, match=r"max_skipped is .*; give a share of the rows from 0.0 to 1.0"):
        read_corpus(write_jsonl({"text": "red"}), on_error="skip", max_skipped=share)


def test_frames_have_the_limit_too():
    frame = polars.DataFrame({"text": ["red fox", "blue sea"], "date": ["1.5.2024", "2.5.2024"]})
    with pytest.raises(TooManySkippedError, match=r'give date_format="%d.%m.%Y"'):
        Corpus.from_frame(frame, on_error="skip")
    assert Corpus.from_frame(frame, date_format="%d.%m.%Y").times is not None
    assert Corpus.from_frame(frame, on_error="skip", max_skipped=1.0).times is None


def test_an_error_about_a_date_proposes_its_format(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text("id,text,date\n1,red fox,31.12.2023\n2,blue sea,n.d.\n")
    with pytest.raises(CorpusError, match=r'seem to be %d\.%m\.%Y: give date_format="%d\.%m\.%Y"'):
        read_corpus(path)
    with pytest.raises(CorpusError, match='is not a date of the format "%d'):
        read_corpus(path, date_format="%d.%m.%Y")


def test_documents_without_a_word_are_skipped_with_a_warning(write):
    path = write("x.csv", "id,text\n" + table_with_empty(3))
    with pytest.warns(UserWarning, match=r"x\.csv: skipped 3 documents without a word \(x\.csv, line 102") as seen:
        corpus = read_corpus(path, stop_words=["the"])
    assert len(seen) == 1
    assert len(corpus) == 100
    assert corpus.skipped["empty document"] == 3
    with pytest.raises(CorpusError, match='line 102, field "text": all words of the document were removed'):
        read_corpus(path, stop_words=["the"], on_error="raise")


def test_too_many_documents_without_a_word_are_an_error(write):
    with pytest.raises(TooManySkippedError, match="10 of 110 rows"):
        read_corpus(write("x.csv", "id,text\n" + table_with_empty(10)), stop_words=["the"])


def test_other_invalid_input_is_an_error_by_default(write):
    with pytest.raises(CorpusError, match='line 2, field "date"'):
        read_corpus(write("x.csv", "id,text,date\na,red fox,soon\n"))


def table_with_empty(n_empty: int) -> str:
    rows = [f"a{row},red fox" for row in range(100)] + [f"b{row},the the" for row in range(n_empty)]
    return "\n".join(rows) + "\n"
