"""Settings of a server: what it serves, where it listens, and its limits."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from pathlib import Path

from plait._utils.text import short
from plait.errors import PlaitError

SHORTEST_TOKEN = 16  # characters


@dataclass(frozen=True)
class Limits:
    """Limits on the size, time and number of requests of one worker.

    Parameters
    ----------
    body_bytes : int, default 2,000,000
        Largest body of a request.
    texts : int, default 100
        Most texts per request.
    seconds : float, default 30
        Longest time to read the body of a request, and to wait for an answer.
    waiting : int, default 100
        Most requests that are computed or wait for it; more are rejected.

    Examples
    --------
    >>> limits = Limits(texts=10)
    >>> limits.texts, limits.waiting
    (10, 100)
    """

    body_bytes: int = 2_000_000
    texts: int = 100
    seconds: float = 30.0
    waiting: int = 100


@dataclass(frozen=True)
class Settings:
    """What a server serves, and who has access.

    Parameters
    ----------
    path : Path
        File of the model.
    title : str
        Heading of the pages.
    host : str, default "127.0.0.1"
        Address to listen on. Any other than a loopback address needs a token.
    port : int, default 8000
        Port to listen on.
    token : str or None, default None
        Secret that clients send; None for no secret.
    edit : bool, default False
        Whether topics can be renamed.
    allowed_hosts : tuple of str, default ()
        Names in the header "Host" that are accepted besides localhost and addresses.
    workers : int, default 1
        Number of processes.
    limits : Limits
        Limits of each worker.

    Examples
    --------
    >>> Settings(Path("news.plait"), "News").is_local
    True
    >>> Settings(Path("news.plait"), "News", host="0.0.0.0")
    Traceback (most recent call last):
    plait.errors.PlaitError: 0.0.0.0 can be reached from other machines, so a token is needed; ...
    """

    path: Path
    title: str
    host: str = "127.0.0.1"
    port: int = 8000
    token: str | None = field(default=None, repr=False)
    edit: bool = False
    allowed_hosts: tuple[str, ...] = ()
    workers: int = 1
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        if self.token is not None:
            check_token(self.token)
        elif not self.is_local:
            raise PlaitError(
                f"{short(self.host)} can be reached from other machines, so a token is needed; give --token, or set "
                "PLAIT_TOKEN, or leave --host out",
                parameter="token",
            )
        for name in self.allowed_hosts:
            if not name or any(one in name for one in ":/ *"):
                raise PlaitError(
                    f"{short(repr(name))} is not a host name; give names without a scheme and a port, such as "
                    "topics.example.org",
                    parameter="allow_host",
                )

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the server."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


def check_token(token: str) -> None:
    """Raise an error for a token that is too short or cannot be sent in a header.

    Parameters
    ----------
    token : str
        The token.
    """
    if len(token) < SHORTEST_TOKEN:
        raise PlaitError(
            f"the token has {len(token)} characters, and at least {SHORTEST_TOKEN} are needed; make one with "
            'python -c "import secrets; print(secrets.token_urlsafe())"',
            parameter="token",
        )
    if not token.isascii() or not token.isprintable() or " " in token:
        raise PlaitError("the token must have ASCII letters, digits and signs only, no spaces", parameter="token")
