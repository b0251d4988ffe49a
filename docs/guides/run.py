"""Run the commands and the Python blocks of the tutorials, and write what they print below them.

python docs/guides/run.py            all tutorials
python docs/guides/run.py news.md    one of them

An output is a block ```text after <!-- output -->. tests/test_docs.py compares the outputs with those of a run.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

from typer.testing import CliRunner

from plait.cli.app import app

_FOLDER = Path(__file__).parent
_COLUMNS, _LINES = 140, 16  # of what a page shows; longer lines scroll on narrow screens
_BLOCK = re.compile(
    r"^```(?P<language>console|python)\n(?P<code>.*?)^```\n(?:\n<!-- output -->\n```text\n.*?^```\n)?",
    re.MULTILINE | re.DOTALL,
)


def run(language: str, code: str, folder: Path, known: dict[str, object]) -> str:
    """Return what a block prints.

    Parameters
    ----------
    language : {"console", "python"}
        Language of the block.
    code : str
        Commands, one per line, or Python code.
    folder : Path
        Folder to run in, with the example files.
    known : dict
        Variables of the earlier Python blocks of the page; changed.

    Returns
    -------
    str
        Standard output; every command is shown before its output if there are several.
    """
    if language == "python":
        printed = io.StringIO()
        with contextlib.chdir(folder), contextlib.redirect_stdout(printed):
            exec(compile(code, "tutorial", "exec"), known)
        return shorten(printed.getvalue())
    lines = [line.split("#")[0].strip() for line in code.splitlines() if line.startswith("plait ")]
    outputs = [(line, shorten(_run_command(line, folder))) for line in lines]
    shown = [(line, output) for line, output in outputs if output]
    return shown[0][1] if len(shown) == 1 else "\n\n".join(f"$ {line}\n{output}" for line, output in shown)


def _run_command(line: str, folder: Path) -> str:
    """Return what a command prints; it runs in this process, which saves the time to start."""
    with contextlib.chdir(folder):
        result = CliRunner(env={"COLUMNS": str(_COLUMNS)}).invoke(app, shlex.split(line)[1:])
    if result.exit_code:
        raise SystemExit(f"{line}\n{result.output}")
    return result.stdout


def shorten(output: str) -> str:
    """Return an output as a page shows it: without trailing blanks, long lines and the middle of a long output.

    Parameters
    ----------
    output : str
        What a command or a block printed.

    Returns
    -------
    str
        At most some lines of a limited length.
    """
    lines = [line.rstrip() for line in output.strip("\n").splitlines()]
    if len(lines) > _LINES:
        lines = [*lines[: _LINES - 3], "…", *lines[-2:]]
    return "\n".join(line if len(line) <= _COLUMNS else line[: _COLUMNS - 1] + "…" for line in lines)


def run_page(text: str) -> str:
    """Run a page.

    Parameters
    ----------
    text : str
        The page, with or without outputs.

    Returns
    -------
    str
        The page with the outputs of this run.
    """
    known: dict[str, object] = {"__name__": "__main__"}
    with tempfile.TemporaryDirectory() as name:
        for file in (_FOLDER / "data").glob("*.csv"):
            shutil.copy(file, name)

        def fill(match: re.Match[str]) -> str:
            block = f"```{match['language']}\n{match['code']}```\n"
            output = run(match["language"], match["code"], Path(name), known)
            return block + (f"\n<!-- output -->\n```text\n{output}\n```\n" if output else "")

        return _BLOCK.sub(fill, text)


if __name__ == "__main__":
    for file in sys.argv[1:] or sorted(one.name for one in _FOLDER.glob("*.md")):
        page = _FOLDER / file
        page.write_text(run_page(page.read_text(encoding="utf-8")), encoding="utf-8")
