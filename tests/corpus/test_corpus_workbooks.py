"""Workbooks of spreadsheet programs: rows, sheets, and files that are damaged or hostile."""

from __future__ import annotations

import sys
from contextlib import suppress
from datetime import date

import pytest

from plait.corpus import CorpusError, read_corpus
from tests.corpus.workbooks import ods, ods_parts, pack, xlsx, xlsx_parts

pytest.importorskip("python_calamine")
ROWS = [
    ["Nr", "text", "date", "label"],
    [1, "red fox", date(2024, 5, 31), "warm"],
    [2, "blue sea & sky", date(2024, 6, 1), None],
    [None, None, None, None],
    [3, 2024, None, "cold"],
]
SHEETS = {"Answers": ROWS, "Notes": [["text"], ["nothing here"]]}


@pytest.mark.parametrize(("name", "make"), [("survey.xlsx", xlsx), ("survey.ods", ods), ("survey.xlsx.gz", xlsx)])
def test_rows_of_the_first_sheet(name, make, write):
    path = write(name, make(SHEETS))
    corpus = read_corpus(path, id="Nr", numbers="keep")
    assert corpus.ids.tolist() == ["1", "2", "3"]
    assert sorted(corpus.vocabulary) == ["2024", "blue", "fox", "red", "sea", "sky"]
    assert [str(time)[:10] for time in corpus.times] == ["2024-05-31", "2024-06-01", "NaT"]
    assert corpus.labels == (("warm",), (), ("cold",))


@pytest.mark.parametrize(("name", "make"), [("survey.xlsx", xlsx), ("survey.ods", ods)])
def test_a_sheet_is_chosen_by_its_name(name, make, write):
    path = write(name, make(SHEETS))
    assert read_corpus(path, sheet="Notes", stop_words=None).vocabulary.tolist() == ["here", "nothing"]
    with pytest.raises(CorpusError, match=r'has no sheet "notes"; its sheets are Answers, Notes') as caught:
        read_corpus(path, sheet="notes")
    assert caught.value.parameter == "sheet"
    with pytest.raises(CorpusError, match=r"x\.csv is not a workbook, so it has no sheets"):
        read_corpus(write("x.csv", "text\nred"), sheet="Notes")


def test_places_name_the_row_of_the_sheet(write):
    path = write("x.xlsx", xlsx({"A": [*ROWS[:1], [1, "red", "soon", None]]}))
    with pytest.raises(CorpusError, match=r'^x\.xlsx, row 2, field "date": "soon"'):
        read_corpus(path)


def test_columns_without_a_name_have_their_letter(write):
    path = write("x.xlsx", xlsx({"A": [["id", None, "text"], ["a", "warm", "red"], ["b", "cold", "sea"]]}))
    assert read_corpus(path, label="column B").labels == (("warm",), ("cold",))
    with pytest.raises(CorpusError, match='row 1: two columns have the name "text"'):
        read_corpus(write("y.xlsx", xlsx({"A": [["text", "text"], ["a", "b"]]})))


def test_workbooks_need_their_library(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(CorpusError, match=r"x\.xlsx is a workbook.*pip install '\.\[excel\]'"):
        read_corpus(write("x.xlsx", xlsx(SHEETS)))


@pytest.mark.parametrize("suffix", [".xlsx", ".ods"])
@pytest.mark.parametrize("content", [b"", b"text\nred fox\n", b"PK\x03\x04", b"\xd0\xcf\x11\xe0" * 200], ids=repr)
def test_files_that_are_no_workbooks(content, suffix, write):
    with pytest.raises(CorpusError, match=rf"^x\{suffix} is not a (readable )?workbook") as caught:
        read_corpus(write(f"x{suffix}", content))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("make", [xlsx, ods])
def test_damaged_workbooks(make, write):
    content = make(SHEETS)
    for end in range(100, len(content), 97):
        with pytest.raises(CorpusError):
            read_corpus(write(f"x.{make.__name__}", content[:end]))
    for start in range(30, len(content) - 60, 53):
        damaged = content[:start] + b"\xff\x00" + content[start + 2 :]
        with suppress(CorpusError):
            assert len(read_corpus(write(f"x.{make.__name__}", damaged), on_error="skip", max_skipped=1.0)) <= 3


def test_empty_workbooks(write):
    with pytest.raises(CorpusError, match=r'the sheet "A" has no rows below a header'):
        read_corpus(write("x.xlsx", xlsx({"A": [["text"]]})))
    with pytest.raises(CorpusError, match=r'the sheet "A" has no rows below a header'):
        read_corpus(write("x.ods", ods({"A": []})))


def test_a_stray_cell_does_not_fill_the_memory(write):
    parts = xlsx_parts(SHEETS)
    sheet = "xl/worksheets/sheet1.xml"
    parts[sheet] = parts[sheet].replace(
        "</sheetData>", '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'
    )
    with pytest.raises(CorpusError, match=r"x\.xlsx has a sheet of 1,048,576 × 16,384 cells, more than 50,000,000"):
        read_corpus(write("x.xlsx", pack(parts)))
    parts = ods_parts(SHEETS)
    stray = (
        '<table:table-row table:number-rows-repeated="1048576"><table:table-cell office:value-type="float" '
        'office:value="1" table:number-columns-repeated="16384"/></table:table-row></table:table>'
    )
    parts["content.xml"] = parts["content.xml"].replace("</table:table>", stray, 1)
    with pytest.raises(CorpusError, match=r"x\.ods has a sheet of 1,048,5\d\d × 16,384 cells"):
        read_corpus(write("x.ods", pack(parts)))


def test_empty_cells_that_are_repeated_are_no_cells(write):
    parts = ods_parts(SHEETS)
    rest = '<table:table-row table:number-rows-repeated="1048000"><table:table-cell/></table:table-row></table:table>'
    parts["content.xml"] = parts["content.xml"].replace("</table:table>", rest, 1)
    assert len(read_corpus(write("x.ods", pack(parts)), numbers="keep")) == 3


def test_document_types_and_large_parts_are_refused(write, monkeypatch):
    parts = xlsx_parts(SHEETS)
    sheet = "xl/worksheets/sheet1.xml"
    parts[sheet] = parts[sheet].replace("<worksheet", '<!DOCTYPE worksheet [<!ENTITY a "aaaa">]><worksheet', 1)
    with pytest.raises(CorpusError, match=r"x\.xlsx declares a document type"):
        read_corpus(write("x.xlsx", pack(parts)))
    monkeypatch.setattr("plait.corpus.readers.formats.workbook_size._MOST_BYTES", 1000)
    with pytest.raises(CorpusError, match=r"x\.xlsx expands to more than 1,000 bytes"):
        read_corpus(write("x.xlsx", xlsx(SHEETS)))
