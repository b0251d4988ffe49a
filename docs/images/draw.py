"""Draw docs/images/demo.svg: the output of `plait demo` on a terminal of 120 columns.

python docs/images/draw.py
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

_COLUMNS = 120


def main() -> None:
    """Run the demo in its own process and write the image."""
    # FORCE_COLOR makes Rich draw as it does on a terminal.
    terminal = {"FORCE_COLOR": "1", "COLUMNS": str(_COLUMNS)}
    command = [sys.executable, "-m", "plait.cli", "demo"]
    shown = subprocess.run(command, env=os.environ | terminal, stdout=subprocess.PIPE, text=True, check=True).stdout
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        console = Console(record=True, width=_COLUMNS, file=nowhere)
        console.print(Text.from_ansi(f"$ plait demo\n{shown}"))
        console.save_svg(str(Path(__file__).with_name("demo.svg")), title="plait demo")


if __name__ == "__main__":
    main()
