"""`python -m plait.cli`, for where the script `plait` is not on the path."""

from __future__ import annotations

from plait.cli import main

main()
