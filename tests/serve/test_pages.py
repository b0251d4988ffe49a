"""Pages show the model, escape everything, and need no inline script or style."""

from __future__ import annotations

import re

import pytest

from .conftest import LOANS, RIVERS, SCRIPT, open_client

PAGES = [
    "/", "/topics/0", "/topics/2?words=frequent", "/documents", "/documents?label=nature&topic=1", "/documents/0",
    "/labels", "/labels/1", "/figures", "/figures/documents", "/figures/links", "/figures/influence", "/figures/time",
    "/search?q=river", "/search", "/analyse", "/api",
]  # fmt: skip


@pytest.mark.parametrize("path", PAGES)
def test_page_is_escaped_and_has_nothing_inline(client, path):
    response = client.get(path)
    assert response.status_code == 200
    page = response.text
    assert "<h1>" in page or "<h1 " in page
    assert SCRIPT not in page
    assert not re.search(r"<script(?![^>]* src=)|<style|\sstyle=|\son[a-z]+=|javascript:", page)
    outside = [one for one in re.findall(r'(?:src|href|action)="([^"]*)"', page) if not one.startswith(("/", "#"))]
    assert outside == []


def test_a_title_with_markup_stays_text(client):
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in client.get("/documents").text
    assert "&lt;script&gt;" in client.get("/search", params={"q": SCRIPT}).text


def test_links_between_pages_work(client):
    seen, todo = set(), ["/"]
    while todo:
        path = todo.pop()
        if path in seen or path.startswith("/search"):
            continue
        seen.add(path)
        response = client.get(path)
        assert response.status_code == 200, path
        if "html" in response.headers["content-type"]:
            todo += [one.replace("&amp;", "&") for one in re.findall(r'(?:src|href)="(/[^"#]*)', response.text)]
    assert len([path for path in seen if path.startswith("/documents/")]) == 12


def test_text_is_analysed(client):
    page = client.post("/analyse", data={"text": f"{RIVERS} {SCRIPT}", "links": "r/1, r/2"}).text
    assert re.search(r'<span class="w c\d"[^>]*>river</span>', page)
    assert "Suggested links" in page
    assert "Nearest documents" in page
    assert 'class="label" href="/documents?label=nature">nature</a>' in page
    assert SCRIPT not in page
    assert "nothing to say" in client.post("/analyse", data={"text": "zzz"}).text


@pytest.mark.parametrize(
    ("fields", "says"),
    [({"text": ""}, "Paste a text"), ({"text": LOANS, "links": "unknown"}, "no document has the id")],
)
def test_problems_are_shown_beside_the_box(client, fields, says):
    response = client.post("/analyse", data=fields)
    assert response.status_code == 422
    assert says in response.text
    assert '<textarea id="text"' in response.text


def test_model_without_text_says_why(tmp_path):
    import numpy as np

    import plait

    model = plait.LDA(2, n_sweeps=5, n_samples=1, random_state=0, verbose=False).fit(np.eye(4, dtype=int) * 3)
    client = open_client(plait.save(model, tmp_path / "matrix.plait"))
    assert "cannot read texts" in client.get("/analyse").text
    assert client.get("/").status_code == 200
    assert client.get("/documents/3").status_code == 200
    assert client.post("/api/transform", json={"texts": ["a"]}).status_code == 422


def test_errors_are_pages_outside_the_api(client):
    response = client.get("/topics/99")
    assert response.status_code == 404
    assert "there is no topic 99" in response.text
    assert client.get("/documents?page=7").status_code == 404
    assert client.get("/topics/x").status_code == 422
