from __future__ import annotations

import sys

import pytest

from plait.priors import SymmetricPrior
from plait.store import load, save
from tests.cli.small import MONEY, WATER
from tests.report.html_page import check_page


def read(path):
    return check_page(path.read_text(encoding="utf-8"))


def test_a_page_on_a_model(run, model_file, tmp_path):
    pytest.importorskip("jinja2")
    path = tmp_path / "report.html"
    result = run("report", model_file, "-o", path)
    assert result.exit_code == 0, result.stderr
    assert result.stdout == f"wrote {path}: LDA, 2 topics\n"
    page = read(path)
    assert page.texts.count(f"Topics of {model_file.name}") == 2  # title and heading
    assert "LDA, 2 topics" in page.texts
    assert set(MONEY) | set(WATER) <= set(page.texts)
    assert sorted(tmp_path.iterdir()) == [model_file, path]


def test_title_words_and_documents(run, model_file, tmp_path):
    pytest.importorskip("jinja2")
    path = tmp_path / "report.htm"
    result = run("report", model_file, "-o", path, "--title", "Rain & gold", "--words", "1", "--documents", "1")
    assert result.exit_code == 0, result.stderr
    page = read(path)
    assert page.texts.count("Rain & gold") == 2
    typical = load(model_file).typical_documents(top=2)
    assert all(one[0] in page.texts and two[0] not in page.texts for one, two in typical)


@pytest.mark.parametrize(
    ("model", "section"),
    [
        ("label_model", "labels"),
        ("two_label_model", "labels"),
        ("several_model", "labels"),
        ("stars_model", "values"),
        ("link_model", "links"),
        ("influence_model", "influence"),
    ],
)
def test_what_else_a_model_knows(run, request, tmp_path, model, section):
    pytest.importorskip("jinja2")
    path = tmp_path / "report.html"
    assert run("report", request.getfixturevalue(model), "-o", path).exit_code == 0
    others = {"labels", "values", "links", "influence", "stream", "periods"} - {section}
    ids = set(read(path).ids)
    assert f"p1-{section}" in ids
    assert not ids & {f"p1-{other}" for other in others}


def test_a_page_that_is_there_stays(run, model_file, tmp_path):
    pytest.importorskip("jinja2")
    path = tmp_path / "report.html"
    path.write_text("mine")
    result = run("report", model_file, "-o", path)
    assert (result.exit_code, result.stderr) == (
        1,
        f"error: {path} exists already; give --force to overwrite it, or another name\n",
    )
    assert path.read_text() == "mine"
    assert run("report", model_file, "-o", path, "--force").exit_code == 0
    read(path)


def test_mistakes(run, model_file, tmp_path):
    pytest.importorskip("jinja2")
    result = run("report", model_file, "-o", tmp_path / "report.pdf")
    assert (result.exit_code, result.stderr) == (
        1,
        f"error: {tmp_path / 'report.pdf'} must end in .html, as a report is a web page\n",
    )
    assert "does not exist; give a model" in run("report", tmp_path / "none.plait", "-o", tmp_path / "r.html").stderr
    prior = save(SymmetricPrior(), tmp_path / "prior.plait")
    assert "holds a prior (SymmetricPrior), not a model" in run("report", prior, "-o", tmp_path / "r.html").stderr
    assert run("report", model_file).exit_code == 2
    assert not list(tmp_path.glob("r*"))


def test_without_jinja_it_is_said_what_to_install(run, model_file, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    result = run("report", model_file, "-o", tmp_path / "r.html")
    assert (result.exit_code, result.stderr) == (
        1,
        "error: a report needs Jinja2: pip install '.[report]' in a checkout of plait\n",
    )
    assert not (tmp_path / "r.html").exists()
