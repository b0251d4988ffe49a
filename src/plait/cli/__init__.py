"""The command line: parses options, calls the library and prints what it returns.

`app` registers the commands, `commands/` has one file per command. `options/` declares options and builds models from
them, `io/` reads and writes files, `show/` prints tables, `demo/` has the steps of `plait demo`, `help` shortens help
pages, `errors` turns exceptions into one line and an exit code.
"""

from __future__ import annotations


def main() -> None:
    """Run the command line."""
    import gc

    gc.disable()  # collections while modules are loaded find nothing
    try:
        from plait.cli.app import main as run
    finally:
        gc.freeze()
        gc.enable()
    run()
