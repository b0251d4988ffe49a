"""Extreme values in files and from Python: an error with a place, never a traceback of another kind or a hang."""

from __future__ import annotations

import json
import time
from fractions import Fraction

import numpy as np
import pytest

from plait.corpus import Corpus, CorpusError, read_corpus
from plait.corpus.values import shown

HUGE = "9" * 400


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("x.jsonl", f'{{"id": "a", "counts": {{"red": {HUGE}}}}}\n', "count too large"),
        ("x.jsonl", f'{{"id": "a", "counts": {{"red": -{HUGE}}}}}\n', "negative count"),
        ("x.jsonl", f'{{"id": "a", "counts": {{"red": {HUGE}.5}}}}\n', "not a number"),
        ("x.jsonl", f'{{"id": "a", "counts": {{"red": {"9" * 5000}}}}}\n', "broken JSON"),
        ("x.csv", f"id,counts\na,red:{HUGE}\n", "count too large"),
        ("x.csv", f"id,counts\na,red:{'9' * 5000}\n", "not a number"),
        ("x.svm", f"1 1:{HUGE}\n", "count too large"),
        ("x.svm", f"1 {'9' * 5000}:1\n", "not a number"),
        ("x.content", f"a\t{HUGE}\tT\n", "count too large"),
        ("docword.x.txt", f"1\n1\n1\n1 1 {HUGE}\n", "count too large"),
    ],
)
@pytest.mark.parametrize("fractional", [False, True])
def test_counts_of_hundreds_of_digits(tmp_path, name, content, kind, fractional):
    path = tmp_path / name
    path.write_text(content)
    (tmp_path / "vocab.x.txt").write_text("red\n")
    with pytest.raises(CorpusError) as caught:
        read_corpus(path, fractional=fractional)
    assert caught.value.kind == kind
    assert len(str(caught.value)) < 400
    with pytest.raises(CorpusError, match="no usable documents"):
        read_corpus(path, fractional=fractional, on_error="skip", max_skipped=1.0)


@pytest.mark.parametrize("weight", [HUGE, f'"{HUGE}"', f"-{HUGE}", "1e999"])
def test_weights_of_hundreds_of_digits(tmp_path, weight):
    (tmp_path / "documents.jsonl").write_text('{"id": "a", "text": "red"}\n{"id": "b", "text": "fox"}\n')
    (tmp_path / "links.jsonl").write_text(f'{{"source": "a", "target": "b", "weight": {weight}}}\n')
    with pytest.raises(CorpusError, match="is not a finite number above 0") as caught:
        read_corpus(tmp_path)
    assert len(str(caught.value)) < 400
    assert read_corpus(tmp_path, on_error="skip", max_skipped=1.0).skipped["bad weight"] == 1


@pytest.mark.parametrize("value", [10**400, 10**5000, Fraction(10**400), -(10**5000)], ids=lambda value: "huge")
def test_huge_numbers_from_python(value):
    assert len(shown(value)) <= 60
    with pytest.raises(CorpusError, match="is not an ISO date"):
        Corpus.from_texts(["red"], times=[value])
    with pytest.raises(CorpusError, match="above 0"):
        Corpus.from_texts(["red", "fox"], ids=["a", "b"], links=[("a", "b", value)])
    for field in ("ids", "labels", "titles"):
        if value == 10**400 and isinstance(value, int):  # text enough for an id
            assert len(Corpus.from_texts(["red"], **{field: [value]})) == 1
            continue
        with pytest.raises(CorpusError, match="neither text nor a number"):
            Corpus.from_texts(["red"], **{field: [value]})


DEEP = "[" * 100_000 + "]" * 100_000


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.jsonl", f'{{"id": "a", "text": {DEEP}}}\n'),
        ("x.jsonl", DEEP + "\n"),
        ("x.csv", 'id,counts\na,"{""red"": ' + DEEP + '}"\n'),
        ("x.jsonl", json.dumps({"id": "a", "counts": '{"red": ' + DEEP + "}"}) + "\n"),
    ],
)
def test_deep_json(tmp_path, name, content):
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(CorpusError, match="is not valid JSON") as caught:
        read_corpus(path)
    assert caught.value.kind == "broken JSON"
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("depth", [100, 300, 500, 800, 900, 950, 990])
def test_json_of_any_depth(tmp_path, depth):
    path = tmp_path / "x.jsonl"
    path.write_text(f'{{"id": "a", "text": {"[" * depth + "]" * depth}}}\n')
    with pytest.raises(CorpusError, match=r"is not text|is not valid JSON"):
        read_corpus(path)


GRAPH = """<?xml version="1.0" encoding="{encoding}"?>{doctype}
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="w" for="edge" attr.name="weight" attr.type="{type}"/>
<graph edgedefault="directed"><node id="a"/><node id="b"/>
<edge source="a" target="b"><data key="w">{value}</data></edge></graph></graphml>
"""
ENTITIES = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
BOMB = f'<!DOCTYPE graphml [<!ENTITY e0 "red">{ENTITIES}]>'


@pytest.mark.parametrize(
    "changed",
    [
        {"value": "heavy"},
        {"type": "complex"},
        {"encoding": "no-such"},
        {"encoding": "utf-16"},
        {"encoding": "hex"},
        {"value": "</data>"},
        {"value": HUGE * 20, "type": "int"},
    ],
    ids=str,
)
def test_broken_graphml(tmp_path, changed):
    pytest.importorskip("networkx")
    (tmp_path / "documents.jsonl").write_text('{"id": "a", "text": "red"}\n{"id": "b", "text": "fox"}\n')
    given = {"encoding": "utf-8", "type": "double", "value": "2", "doctype": ""}
    links = tmp_path / "links.graphml"
    links.write_text(GRAPH.format(**given))
    assert read_corpus(tmp_path).n_links == 1
    links.write_text(GRAPH.format(**given | changed))
    with pytest.raises(CorpusError, match=r"links\.graphml is not readable GraphML"):
        read_corpus(tmp_path, on_error="skip", max_skipped=1.0)


@pytest.mark.parametrize("doctype", [BOMB, '<!DOCTYPE graphml SYSTEM "file:///etc/passwd">'])
def test_graphml_with_a_document_type_is_refused(tmp_path, doctype):
    pytest.importorskip("networkx")
    (tmp_path / "documents.jsonl").write_text('{"id": "a", "text": "red"}\n{"id": "b", "text": "fox"}\n')
    (tmp_path / "links.graphml").write_text(
        GRAPH.format(encoding="utf-8", type="string", value="&e9;", doctype=doctype)
    )
    with pytest.raises(CorpusError, match=r"links\.graphml.*document type.*remove it"):
        read_corpus(tmp_path, on_error="skip", max_skipped=1.0)


@pytest.mark.parametrize("names", [["9" * 5000], ["id", "9" * 5000], ["9" * 5000, "8" * 5000]])
def test_headers_of_thousands_of_digits(tmp_path, names):
    (tmp_path / "documents.csv").write_text(",".join(names) + "\n" + ",".join("a" for _ in names) + "\n")
    with pytest.raises(CorpusError) as caught:
        read_corpus(tmp_path)
    assert len(str(caught.value)) < 500
    (tmp_path / "documents.csv").write_text("id,text\na,red\nb,fox\n")
    (tmp_path / "links.csv").write_text(",".join(names) + "\na,b\n")
    if len(names) == 2:
        assert read_corpus(tmp_path).n_links == 1
        return
    with pytest.raises(CorpusError, match=r"links need two fields|the row has 2 cells") as caught:
        read_corpus(tmp_path)
    assert len(str(caught.value)) < 500


# Time slices.


@pytest.mark.parametrize("unit", ["day", "week", "month", "year"])
def test_one_wrong_date_does_not_make_thousands_of_slices(unit):
    corpus = Corpus.from_texts(["red", "fox", "sea"], times=["2020-01-01", "2020-01-03", "0001-01-01"])
    start = time.perf_counter()
    with pytest.raises(
        CorpusError, match=r'document "3" .*0001-01-01.*correct the date, or use longer slices'
    ) as caught:
        corpus.slice_by_time(unit)
    assert caught.value.parameter == "by"
    assert time.perf_counter() - start < 1
    corpus = Corpus.from_texts(["red", "fox", "sea"], times=["2020-01-01", "9999-12-31", "2020-01-02"])
    with pytest.raises(CorpusError, match=r'document "2" has the date 9999-12-31.* after the last one, 2020'):
        corpus.slice_by_time(unit)


def test_gaps_up_to_the_limit_are_empty_slices():
    corpus = Corpus.from_texts(["red", "fox"], times=["2020-01-01", "2022-09-27"])
    assert len(corpus.slice_by_time("day")) == 1001
    with pytest.raises(CorpusError, match="1,001 slices"):
        Corpus.from_texts(["red", "fox"], times=["2020-01-01", "2022-09-28"]).slice_by_time("day")


@pytest.mark.parametrize("year", ["-0001", "0000", "10000", "292277026596"])
def test_years_outside_the_calendar(year):
    with pytest.raises(CorpusError, match="year"):
        Corpus.from_texts(["red"], times=[np.datetime64(year)])
    with pytest.raises(CorpusError, match="year"):
        Corpus(counts=np.eye(1), vocabulary=["a"], ids=["1"], times=np.array([year], dtype="datetime64[Y]"))
