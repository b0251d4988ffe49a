"""Draw docs/images/speeches.svg: a session with the example of docs/guides/speeches.md on a terminal of 112 columns.

python docs/images/draw.py
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

import plait

_COLUMNS = 112
_IMAGE = Path(__file__).with_name("speeches.svg")
_DATA = Path(__file__).parents[1] / "guides/data/speeches.csv"

# A word among the top words of a topic, and the name that the topic gets.
_NAMES = {
    "farmers": "farming",
    "steel": "industry",
    "treaty": "peace",
    "nurses": "health",
    "universities": "education",
    "internet": "digital",
    "carbon": "climate",
}


def _run(command: str, folder: Path) -> str:
    """Run a plait command; return what it prints on a terminal with colours."""
    terminal = {"FORCE_COLOR": "1", "COLUMNS": str(_COLUMNS), "PYTHONPATH": os.pathsep.join(sys.path)}
    arguments = [sys.executable, "-m", "plait", *shlex.split(command)[1:]]
    return subprocess.run(
        arguments, cwd=folder, env=os.environ | terminal, stdout=subprocess.PIPE, text=True, check=True
    ).stdout


def _name_options(model: plait.LDA) -> str:
    """Return the options that name every topic by one of its top words."""
    topics = {topic.index: set(topic.words) for topic in model.topics(10)}
    named = [(next(number for number, words in topics.items() if word in words), name) for word, name in _NAMES.items()]
    if len(dict(named)) < len(_NAMES):
        raise SystemExit("two names are for the same topic; look at the topics and change _NAMES")
    return " ".join(f"--name {number}={name}" for number, name in sorted(named))


def main() -> None:
    """Fit and name the topics of the speeches, and draw what the commands print."""
    with tempfile.TemporaryDirectory() as name, Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        folder = Path(name)
        shutil.copy(_DATA, folder)
        fit = f"plait fit speeches.csv -o fitted.plait --topics {len(_NAMES)}"
        _run(fit, folder)
        edit = f"plait edit fitted.plait -o speeches.plait {_name_options(plait.load(folder / 'fitted.plait'))}"
        _run(edit, folder)
        console = Console(record=True, width=_COLUMNS, file=nowhere)
        for command in (fit, edit):
            console.print(Text(f"$ {command}", style="bold"))
        for command in (
            "plait topics speeches.plait --top 5 --documents 1",
            "plait trends speeches.plait --by 6 --top 3",
        ):
            console.print(Text(f"\n$ {command}", style="bold"))
            console.print(Text.from_ansi(_run(command, folder).rstrip("\n")), no_wrap=True, overflow="ellipsis")
        drawn = console.export_svg(title="Speeches of three parties, 1960 to 2019 (invented)")
    # Rich refers to fonts on the web; a picture that needs no network uses those of the reader.
    _IMAGE.write_text(re.sub(r"@font-face {.*?}\s*", "", drawn, flags=re.DOTALL), encoding="utf-8")


if __name__ == "__main__":
    main()
