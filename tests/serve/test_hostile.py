"""Hostile requests: no status of 500 or more, and nothing of a text becomes markup of a page."""

from __future__ import annotations

import json
import os
import re
from urllib.parse import quote_plus

import pytest

from .hostile import MARKUP, hostile_texts

pytestmark = pytest.mark.slow  # sends many requests

N_TEXTS = int(os.environ.get("PLAIT_HOSTILE_TEXTS", "60"))
_ALLOWED = re.compile(r"<(script src=\"/(static/page|figures)\.js\" defer|/script)>")


def encoded(body: object) -> bytes:
    return json.dumps(body).encode()  # lone surrogates become escapes, as JSON allows


@pytest.mark.parametrize("number", range(0, N_TEXTS, 20))
def test_texts_are_answered_or_rejected(client, number):
    for text in list(hostile_texts(N_TEXTS))[number : number + 20]:
        for path in ("transform", "predict", "explain", "similar", "suggest"):
            body = {"texts": [text]} if len(text) < 10_000 or path == "predict" else {"texts": [text[:10_000]]}
            response = client.post(f"/api/{path}", content=encoded(body), headers={"content-type": "application/json"})
            assert response.status_code in (200, 413, 422), (path, text[:50])
            json.loads(response.content)
        form = f"text={quote_plus(text, errors='replace')}".encode()
        response = client.post("/analyse", content=form, headers={"content-type": "application/x-www-form-urlencoded"})
        assert response.status_code in (200, 413, 422)
        assert "<script" not in _ALLOWED.sub("", response.text)
        assert "onerror=alert" not in re.sub(r"&lt;.*?&gt;", "", response.text)
        query = quote_plus(text[:400], errors="replace")
        for page in (f"/search?q={query}", f"/documents?label={query}", f"/api/search?q={query}"):
            response = client.get(page)
            assert response.status_code in (200, 404, 422)
            assert "<script" not in _ALLOWED.sub("", response.text) or page.startswith("/api")


@pytest.mark.parametrize("text", MARKUP)
def test_names_of_topics_are_text(plain_file, tmp_path, text):
    import shutil

    from .conftest import open_client

    client = open_client(shutil.copy(plain_file, tmp_path / "own.plait"), edit=True)
    assert client.put("/api/topics/0/name", json={"name": text}).status_code in (200, 422)
    for path in ("/", "/topics/0", "/topics/1"):
        page = client.get(path)
        assert page.status_code == 200
        assert "<script" not in _ALLOWED.sub("", page.text)
        assert "49" not in re.findall(r"<h1>.*?</h1>", page.text)


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"[]", b"null", b"1e999", b'{"texts": NaN}', b"\xff\xfe", b"[" * 50_000, b'{"texts":' * 20_000,
        b'{"texts": ["' + b"\\u0000" * 1000 + b'"]}', b'{"texts": [' + b"1" * 10_000 + b"]}",
        b'{"texts": ["a"], "texts": 5}', b'{"texts": {"a": 1}}', b'{"texts": ["\\ud800"]}',
    ],
)  # fmt: skip
def test_bodies_that_are_not_valid_are_4xx(client, body):
    response = client.post("/api/transform", content=body, headers={"content-type": "application/json"})
    assert response.status_code == 200 if b"\\u0000" in body else 400 <= response.status_code < 500
    assert response.json() if response.status_code == 200 else response.json()["error"]


@pytest.mark.parametrize("kind", ["text/plain", "application/xml", "multipart/form-data; boundary=x", ""])
def test_other_types_of_bodies_are_4xx(client, kind):
    response = client.post("/api/transform", content=b'{"texts": ["a"]}', headers={"content-type": kind})
    assert 400 <= response.status_code < 500
