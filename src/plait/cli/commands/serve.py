"""`plait serve`: pages and a JSON API of a model."""

from __future__ import annotations

from typing import Annotated

import typer

from plait.cli.options.models import ModelPath
from plait.cli.show.screen import print_text

_LIMITS = "Limits of each worker"


def serve(
    model: ModelPath,
    host: Annotated[
        str, typer.Option("--host", help="Address to listen on. Any but this machine's own needs --token.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Port to listen on; 0 for any free one.")
    ] = 8000,
    token: Annotated[
        str | None,
        typer.Option(
            "--token",
            envvar="PLAIT_TOKEN",
            help="Secret that clients must send, at least 16 characters. Processes of this machine can see options; "
            "they cannot see the variable.",
            show_default="none",
        ),
    ] = None,
    edit: Annotated[bool, typer.Option("--edit", help="Allow to rename topics; the model's file is replaced.")] = False,
    title: Annotated[
        str | None, typer.Option("--title", help="Heading of the pages.", show_default="the name of the model's file")
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option("--allow-host", metavar="NAME", help="A name under which the server is reached; repeatable."),
    ] = None,
    workers: Annotated[
        int, typer.Option("--workers", min=1, max=256, help="Processes; they share the memory of the model.")
    ] = 1,
    max_bytes: Annotated[
        int,
        typer.Option("--max-bytes", min=1_000, help="Largest body of a request.", rich_help_panel=_LIMITS),
    ] = 2_000_000,
    max_texts: Annotated[
        int, typer.Option("--max-texts", min=1, help="Most texts per request.", rich_help_panel=_LIMITS)
    ] = 100,
    max_seconds: Annotated[
        float, typer.Option("--max-seconds", min=0.1, help="Longest time of an answer.", rich_help_panel=_LIMITS)
    ] = 30.0,
    max_waiting: Annotated[
        int, typer.Option("--max-waiting", min=1, help="Most requests at once.", rich_help_panel=_LIMITS)
    ] = 100,
    log: Annotated[bool, typer.Option("--log", help="Print one line per request.")] = False,
) -> None:
    """Serve a model: pages to explore it, and a JSON API.

    The pages show topics, documents and labels, search them, and analyse a text that you paste. The API is at /api,
    and described at /api/openapi.json. Ctrl-C stops the server when the present requests are answered.
    """
    from plait.serve.run import check_can_serve, open_socket
    from plait.serve.run import serve as run_server
    from plait.serve.settings import Limits, Settings

    check_can_serve()
    settings = Settings(
        model,
        model.stem if title is None else title,
        host=host,
        port=port,
        token=token,
        edit=edit,
        allowed_hosts=tuple(allow_host or ()),
        workers=workers,
        limits=Limits(max_bytes, max_texts, max_seconds, max_waiting),
    )
    listening = open_socket(host, port)
    shown = f"[{host}]" if ":" in host else host
    line = f"serving {model} at http://{shown}:{listening.getsockname()[1]} (Ctrl-C stops)"
    run_server(settings, listening, lambda: print_text(line), log_level="info" if log else "warning")
