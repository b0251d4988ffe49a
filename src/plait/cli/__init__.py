"""The command line: `app` registers the commands, `commands/` has one file per command.

`options/` reads options and builds models from them, `io/` reads and writes files, `show/` prints tables, `demo/` and
`stream/` hold the steps of the two longest commands, `errors` turns exceptions into one line and an exit code.
"""

from __future__ import annotations


def main() -> None:
    """Run the command line."""
    from plait.cli.app import main as run

    run()
