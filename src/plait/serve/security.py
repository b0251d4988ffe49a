"""Who is answered: checks of host name, origin and token before a request reaches the application, and headers."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
from http.cookies import CookieError, SimpleCookie
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from plait._utils.text import short
from plait.serve.errors import RequestError, error_response
from plait.serve.settings import Settings

COOKIE = "plait_session"
_OPEN = ("/health", "/login")  # without a token
_SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
HEADERS = {
    "Content-Security-Policy": "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # with "no-referrer", forms would be sent with the origin "null"
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


def session_value(token: str) -> str:
    """Return the value of the cookie of somebody who has given the token; the token cannot be found from it.

    Parameters
    ----------
    token : str
        The token.

    Returns
    -------
    str
        The value.
    """
    return hmac.new(token.encode(), b"plait serve session", hashlib.sha256).hexdigest()


def is_token(given: str, token: str) -> bool:
    """Return whether a text is the token; the time does not depend on how much of it is right.

    Parameters
    ----------
    given : str
        What a client sent.
    token : str
        The token.

    Returns
    -------
    bool
        Whether they are equal.
    """
    return hmac.compare_digest(given.encode("utf-8", "replace"), token.encode())


class Gate:
    """Rejects requests for other host names, from other sites and without the token.

    - A site whose name is made to point to this machine (DNS rebinding) sends its own name in "Host".
    - A page of another site that sends a form sends its own name in "Origin".

    Parameters
    ----------
    app : ASGI application
        The application.
    settings : Settings
        Token and host names.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._settings = settings
        self._names = {"localhost", settings.host.lower(), *(name.lower() for name in settings.allowed_hosts)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        try:
            self._check_host(headers)
            self._check_origin(scope, headers)
            self._check_token(scope, headers)
        except RequestError as error:
            wants_page = scope["method"] in _SAFE_METHODS and "text/html" in headers.get("accept", "")
            if error.status == 401 and wants_page and not scope["path"].startswith("/api"):
                await RedirectResponse("/login", 303)(scope, receive, send)
                return
            await error_response(scope, error)(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _check_host(self, headers: Headers) -> None:
        name = host_name(headers.get("host", ""))
        if name is None or not (_is_address(name) or name in self._names):
            raise RequestError(
                421,
                f"the server does not answer to the host name {short(repr(headers.get('host', '')), 100)}; use "
                "localhost or an address, or start it with --allow-host and this name",
            )

    def _check_origin(self, scope: Scope, headers: Headers) -> None:
        if scope["method"] in _SAFE_METHODS:
            return
        origin, site = headers.get("origin"), headers.get("sec-fetch-site", "none")
        same = origin is None or urlsplit(origin).netloc.lower() == headers.get("host", "").lower()
        if not same or site not in ("same-origin", "none"):
            raise RequestError(403, "the request comes from a page of another site; send it from this server's pages")

    def _check_token(self, scope: Scope, headers: Headers) -> None:
        token, path = self._settings.token, scope["path"]
        if token is None or path in _OPEN or path.startswith("/static/"):
            return
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and is_token(given.strip(), token):
            return
        if is_token(_cookie(headers), session_value(token)):
            return
        raise RequestError(
            401,
            'the token is missing or wrong; send the header "Authorization: Bearer TOKEN", or open /login',
            {"WWW-Authenticate": "Bearer"},
        )


def host_name(host: str) -> str | None:
    """Return the name or address in a "Host" header in lower case, without the port; None if it has another form.

    Parameters
    ----------
    host : str
        The header.

    Returns
    -------
    str or None
        The name.

    Examples
    --------
    >>> host_name("LocalHost:8000"), host_name("[::1]:8000"), host_name("a@b")
    ('localhost', '::1', None)
    """
    try:
        parts = urlsplit(f"//{host}")
        _ = parts.port
    except ValueError:
        return None
    return parts.hostname if parts.netloc == host and parts.username is None else None


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _cookie(headers: Headers) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return "" if found is None else found.value


class SecurityHeaders:
    """Adds security headers to every answer.

    Parameters
    ----------
    app : ASGI application
        The application.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                if not scope["path"].startswith("/static/"):
                    headers["Cache-Control"] = "no-store"
            await send(message)

        await self._app(scope, receive, send_with_headers if scope["type"] == "http" else send)
