"""`python -m plait`: the command `plait` where the script is not on the path."""

from __future__ import annotations

from plait.cli import main

main()
