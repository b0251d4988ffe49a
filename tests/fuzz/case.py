"""A fuzz case: the files of a corpus, how they are read, and what is known about the result."""

from __future__ import annotations

import base64
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

# What a format generator can return for a document: its number of tokens and its labels.
Intact = dict[str, tuple[int, tuple[str, ...]]]

# Shares of the commands; "read" is `plait.read_corpus`.
COMMANDS = {
    "read": 0.7,
    "inspect": 0.15,
    "transform": 0.04,
    "predict": 0.03,
    "fit": 0.03,
    "topics": 0.01,
    "stream": 0.03,
    "knowledge": 0.01,
}


@dataclass(frozen=True)
class Case:
    """Case `number` of `seed` of a format; the same three always give the same bytes.

    Parameters
    ----------
    format : str
        Name of the format's generator.
    seed, number : int
        Seed and number of the case.
    description : str
        What was changed.
    files : dict of str to bytes
        Contents by relative path. A path can have bytes that are not UTF-8 (as lone surrogates, like `os.fsdecode`).
    symlinks : dict of str to str
        Targets of symbolic links by relative path.
    path : str
        Relative path of the corpus.
    options : dict
        Arguments of `read_corpus`; "by" is the unit of `Corpus.slice_by_time`; "links", "stop_words" and "seeds" are
        relative paths.
    command : str
        "read" for `read_corpus`, "seeds" for the file of seeds alone, or the command of plait that reads the corpus.
    records : int or None
        Number of documents and distinct links in the input; None if it is unknown.
    intact : dict of str to (int, tuple of str)
        Tokens and labels of the documents that were not changed, by id.
    must_report : bool
        Whether the input is wrong, so that it must be refused or something must be skipped.
    """

    format: str
    seed: int
    number: int
    description: str
    files: dict[str, bytes]
    symlinks: dict[str, str]
    path: str
    options: dict[str, Any]
    command: str = "read"
    records: int | None = None
    intact: Intact = field(default_factory=dict)
    must_report: bool = False

    @property
    def name(self) -> str:
        """Name of the case, which `--case` takes."""
        return f"{self.format}/{self.seed}/{self.number}"

    def write(self, folder: Path) -> Path:
        """Write the files below a folder and return the path of the corpus."""
        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        for name, target in self.symlinks.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.symlink_to(target)
        return folder / self.path

    def to_json(self) -> str:
        """Return the case as text, for a file of `regressions/`."""
        values = asdict(self)
        values["files"] = {name: base64.b64encode(content).decode() for name, content in self.files.items()}
        return json.dumps(values, indent=1)

    @classmethod
    def from_json(cls, text: str) -> Case:
        """Return the case that `to_json` wrote."""
        values = json.loads(text)
        values["files"] = {name: base64.b64decode(content) for name, content in values["files"].items()}
        values["intact"] = {name: (tokens, tuple(labels)) for name, (tokens, labels) in values["intact"].items()}
        return cls(**values)


@dataclass
class Draft:
    """A case in the making: a valid corpus that mutations change.

    Parameters
    ----------
    path : str
        Relative path of the corpus.
    files : dict of str to bytes
        Contents by relative path.
    main : str
        The file that byte mutations change.
    records : int or None
        Number of documents and distinct links.
    intact : dict
        Documents that were not changed.
    lines : str
        How the records of `main` are counted after byte mutations: "json", "svmlight" or "" if they cannot be.
    has_fields : bool
        Whether the format has named fields.
    commands : dict of str to float
        Shares of the commands that read the corpus.
    companions : tuple of str
        Files without which the corpus must be refused.
    """

    path: str
    files: dict[str, bytes]
    main: str
    records: int | None
    intact: Intact
    lines: str = ""
    has_fields: bool = False
    commands: dict[str, float] = field(default_factory=lambda: COMMANDS)
    binary: bool = False
    companions: tuple[str, ...] = ()
    symlinks: dict[str, str] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    must_report: bool = False

    def note(self, text: str) -> None:
        """Add a mutation to the description."""
        self.notes.append(text)

    def forget(self) -> None:
        """Note that the number of records and the documents are unknown from now on."""
        self.records, self.intact, self.must_report = None, {}, False
