"""The text of a CUDA source file with everything that it includes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

FOLDER = Path(__file__).parent
# Products and sums are rounded one by one, as on the CPU.
OPTIONS = ("--std=c++17", "--fmad=false")
_INCLUDE = re.compile(r'^#include "(.+)"$', re.MULTILINE)


def read_source(name: str, macros: Mapping[str, object]) -> str:
    """Return a source file as one text, so that a cache of compiled code notices a change of any included file.

    Parameters
    ----------
    name : str
        Name of a `.cu` file of this folder.
    macros : mapping of str to object
        Macros that the file expects to be defined.

    Examples
    --------
    >>> "weigh_token" in read_source("frozen.cu", {"BLOCKS": 2})
    True
    """
    defined = "".join(f"#define {macro} {value}\n" for macro, value in macros.items())
    return defined + _join(name, set())


def _join(name: str, seen: set[str]) -> str:
    if name in seen:
        return ""
    seen.add(name)
    text = (FOLDER / name).read_text(encoding="utf-8").replace("#pragma once\n", "")
    return _INCLUDE.sub(lambda found: _join(found[1], seen), text)
