"""Who is answered: host names, origins, tokens, headers; and no way from a request to a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from plait.errors import PlaitError
from plait.serve.settings import Settings

from .conftest import open_client

TOKEN = "a-token-of-twenty-characters"


def test_other_addresses_need_a_token():
    with pytest.raises(PlaitError, match="a token is needed"):
        Settings(Path("m.plait"), "m", host="0.0.0.0")
    with pytest.raises(PlaitError, match="at least 16"):
        Settings(Path("m.plait"), "m", token="short")
    assert TOKEN not in repr(Settings(Path("m.plait"), "m", host="0.0.0.0", token=TOKEN))


@pytest.mark.parametrize("host", ["localhost:8000", "127.0.0.1:8000", "[::1]:8000", "192.168.7.7", "LOCALHOST"])
def test_known_hosts_are_answered(client, host):
    assert client.get("/health", headers={"host": host}).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "", "a b", "localhost:x", "user@localhost"])
def test_other_hosts_are_rejected(client, host):
    response = client.get("/api/topics", headers={"host": host})
    assert response.status_code == 421
    assert "--allow-host" in response.json()["error"]


def test_a_host_can_be_allowed(plain_file):
    client = open_client(plain_file, allowed_hosts=("topics.example.org",))
    assert client.get("/health", headers={"host": "Topics.example.org"}).status_code == 200
    with pytest.raises(PlaitError, match="not a host name"):
        open_client(plain_file, allowed_hosts=("https://topics.example.org",))


@pytest.mark.parametrize(
    "headers",
    [{"origin": "http://evil.example"}, {"origin": "null"}, {"sec-fetch-site": "cross-site"}],
)
def test_forms_of_other_sites_are_rejected(client, headers):
    assert client.post("/analyse", data={"text": "river"}, headers=headers).status_code == 403
    own = {"origin": "http://localhost:8000", "sec-fetch-site": "same-origin"}
    assert client.post("/analyse", data={"text": "river"}, headers=own).status_code == 200


def test_token_is_asked_for_everywhere(plain_file):
    client = open_client(plain_file, token=TOKEN, host="0.0.0.0")
    for path in ("/", "/api/topics", "/api/openapi.json", "/metrics", "/documents/0"):
        response = client.get(path)
        assert response.status_code == 401
        assert response.headers["www-authenticate"] == "Bearer"
    assert client.get("/", headers={"accept": "text/html"}, follow_redirects=False).headers["location"] == "/login"
    assert client.get("/health").json() == {"status": "ok"}
    for wrong in ("", "Bearer", f"Bearer {TOKEN}x", f"Basic {TOKEN}", f"Bearer {TOKEN[:-1]}"):
        assert client.get("/api/topics", headers={"authorization": wrong}).status_code == 401
    assert client.get("/api/topics", headers={"authorization": f"Bearer {TOKEN}"}).status_code == 200


def test_pages_use_a_cookie(plain_file):
    client = open_client(plain_file, token=TOKEN)
    wrong = client.post("/login", data={"token": "wrong"})
    assert wrong.status_code == 401
    assert "plait_session" not in client.cookies
    response = client.post("/login", data={"token": TOKEN}, follow_redirects=False)
    cookie = response.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert TOKEN not in cookie
    assert client.get("/").status_code == 200
    client.post("/logout")
    assert client.get("/").status_code == 401


@pytest.mark.parametrize("path", ["/", "/api/topics", "/static/page.css", "/nothing", "/api/nothing"])
def test_every_answer_has_security_headers(client, path):
    headers = client.get(path).headers
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'self'")
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert "access-control-allow-origin" not in headers


@pytest.mark.parametrize(
    "path",
    [
        "/static/../settings.py", "/static/%2e%2e/settings.py", "/static//etc/passwd", "/static/..%2f..%2fapp.py",
        "/%2e%2e/%2e%2e/etc/passwd", "/documents/../../../etc/passwd", "/static/page.css%00.html",
    ],
)  # fmt: skip
def test_no_path_leads_to_a_file(client, path):
    response = client.get(path)
    assert response.status_code in (404, 422)
    assert "root:" not in response.text
    assert "import" not in response.text
