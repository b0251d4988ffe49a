"""Commands that name documents show their titles; corpora without titles have no such columns."""

from __future__ import annotations

import json

import polars
import pytest

from plait.store import load
from tests.cli.small import QUICK, THREE, labelled, write_lines, write_linked
from tests.cli.streams import SMALL, months

TITLE = "On <b>rivers</b> and loans"


def titled(rows):
    return [row | {"title": f"{TITLE}, part {number}"} for number, row in enumerate(rows)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = write_linked(tmp_path_factory.mktemp("titled") / "corpus", labels=True)
    file = next(path.glob("documents.*"))
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    write_lines(file, titled(rows))
    return path


@pytest.fixture(scope="module")
def models(tmp_path_factory, run, folder):
    place = tmp_path_factory.mktemp("models")
    options = {"relational": [*THREE, "--pair-features", "none"], "linked": QUICK, "medlda": THREE}
    for name, more in options.items():
        result = run("fit", folder, "-o", place / f"{name}.plait", "--model", name, *more)
        assert result.exit_code == 0, result.stderr
    return place


def test_suggested_links_have_titles_and_scores_that_differ(run, models):
    result = run("links", models / "relational.plait", "-d", "d1", "--top", "5")
    assert result.exit_code == 0, result.stderr
    header, *lines = result.stdout.splitlines()
    assert header.split() == ["id", "title", "rank", "link", "link_title", "score", "value", "topics"]
    assert all(TITLE in line for line in lines[:5])
    values = [line.split()[-2 if "-" in line.split()[-1] else -1] for line in lines[:5]]
    assert len(set(values)) > 1


def test_a_table_of_suggested_links_has_titles(run, models, tmp_path):
    assert run("links", models / "relational.plait", "-o", tmp_path / "x.csv").exit_code == 0
    table = polars.read_csv(tmp_path / "x.csv")
    assert table.columns == ["id", "title", "rank", "link", "link_title", "score", "value", "topics"]
    for name in ("id", "link"):
        title = "title" if name == "id" else "link_title"
        assert (table[title].str.extract(r"(\d+)$") == table[name].str.extract(r"(\d+)$")).all()


def test_influential_documents_have_titles(run, models, tmp_path):
    result = run("influence", models / "linked.plait")
    assert "title" in result.stdout.splitlines()[0].split()
    assert TITLE in result.stdout.splitlines()[1]
    assert TITLE in run("influence", models / "linked.plait", "d3").stdout
    assert run("influence", models / "linked.plait", "-o", tmp_path / "x.csv").exit_code == 0
    table = polars.read_csv(tmp_path / "x.csv")
    assert table.columns == ["source", "target", "influence", "source_title", "target_title"]
    assert table["target_title"].str.starts_with(TITLE).all()


def test_topics_show_typical_titles(run, models):
    header, first, *_ = run("topics", models / "medlda.plait").stdout.splitlines()
    assert header.endswith("typical documents")
    assert TITLE in first
    assert TITLE not in run("topics", models / "medlda.plait", "--documents", "0").stdout
    found = json.loads(run("topics", models / "medlda.plait", "--format", "json", "--documents", "3").stdout)
    assert [len(topic["documents"]) for topic in found] == [3] * len(found)
    assert found[0]["documents"][0]["title"].startswith(TITLE)


def test_topics_of_documents_without_titles_are_as_before(run, model_file):
    assert run("topics", model_file).stdout.splitlines()[0].split() == ["topic", "share", "words"]
    header = run("topics", model_file, "--documents", "1").stdout.splitlines()[0]
    assert header.endswith("typical documents")


@pytest.mark.parametrize("command", ["transform", "predict"])
def test_tables_of_new_documents_have_titles(run, models, tmp_path, command):
    path = write_lines(tmp_path / "new.jsonl", titled(labelled(20)))
    result = run(command, models / "medlda.plait", path, "-o", tmp_path / "x.csv")
    assert result.exit_code == 0, result.stderr
    table = polars.read_csv(tmp_path / "x.csv")
    assert table.columns[:2] == ["id", "title"]
    assert table["title"].to_list() == [f"{TITLE}, part {number}" for number in range(20)]


def test_titles_that_begin_in_a_later_batch_are_written_for_all(run, models, tmp_path, monkeypatch):
    monkeypatch.setattr("plait.cli.io.batches.DOCUMENTS_AT_ONCE", 4)
    rows = labelled(10)
    rows[9] |= {"title": "Late"}
    path = write_lines(tmp_path / "new.jsonl", rows)
    assert run("transform", models / "medlda.plait", path, "-o", tmp_path / "x.csv").exit_code == 0
    assert polars.read_csv(tmp_path / "x.csv")["title"].to_list() == [""] * 9 + ["Late"]


def test_the_report_escapes_titles(run, models, tmp_path):
    for name in ("medlda", "relational", "linked"):
        page = tmp_path / f"{name}.html"
        assert run("report", models / f"{name}.plait", "-o", page).exit_code == 0
        html = page.read_text(encoding="utf-8")
        assert "On &lt;b&gt;rivers&lt;/b&gt; and loans, part " in html
        assert TITLE not in html


def test_a_stream_names_documents_of_new_topics(run, tmp_path):
    old = [{"text": "loan money bank credit", "date": "2001-01-01", "title": f"Old {n}"} for n in range(40)]
    new = [{"text": "comet orbit planet star", "date": "2001-02-01", "title": f"Comets {n}"} for n in range(40)]
    path = write_lines(tmp_path / "s.jsonl", old + new)
    result = run("stream", tmp_path / "m.plait", path, "--by", "month", "--final", *QUICK)
    assert result.exit_code == 0, result.stderr
    assert "(such as Comets " in result.stdout


def test_a_stream_has_the_titles_of_a_named_field(run, tmp_path):
    rows = [row | {"heading": f"{TITLE} {row['id']}"} for row in months(2)]
    model, source = tmp_path / "m.plait", write_lines(tmp_path / "news.jsonl", rows)
    named = ["--by", "month", "--final", "--title-field", "heading", *SMALL]
    result = run("stream", model, source, *named)
    assert result.exit_code == 0, result.stderr
    assert load(model).documents_.titles[0] == f"{TITLE} d12"
    assert run("stream", model, source, *named).exit_code == 0
    other = run("stream", model, source, "--title-field", "id")
    assert other.exit_code == 1
    assert "was started with title_field heading" in other.stderr
