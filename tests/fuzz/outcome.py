"""The outcome of a case, and the checks that decide it."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import plait
from tests.fuzz.case import Case

ACCEPTED, SKIPS, REFUSED = "accepted", "with skips", "refused"
TRACEBACK, HANG, LOSS, OTHER = "tracebacks", "hangs", "losses", "other"
KINDS = (ACCEPTED, SKIPS, REFUSED, TRACEBACK, HANG, LOSS, OTHER)
FAILURES = (TRACEBACK, HANG, LOSS, OTHER)

# Problems of a value: the document or link is kept without it. All other problems skip a record.
VALUE_PROBLEMS = ("bad date", "bad title", "bad label", "bad split", "blank word", "token outside the vocabulary")
_SOURCE = str(Path(plait.__file__).parent)


@dataclass(frozen=True)
class Outcome:
    """What happened to a case.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    detail : str
        The message of a failure, in one line.
    place : str
        Where it was raised: file and function of plait. Failures of the same kind and place are one group.
    """

    kind: str
    detail: str = ""
    place: str = ""

    @property
    def failed(self) -> bool:
        """Whether the case broke an invariant."""
        return self.kind in FAILURES

    @property
    def group(self) -> tuple[str, str]:
        """What equal failures have in common."""
        return self.kind, self.place or self.detail


def of_exception(error: BaseException) -> Outcome:
    """Return the outcome of an exception that no user can be shown."""
    if isinstance(error, MemoryError):
        return Outcome(HANG, f"memory limit: {error}", _place(error))
    name = type(error).__name__
    return Outcome(TRACEBACK, " ".join(f"{name}: {error}".split())[:300], f"{name} in {_place(error)}")


def _place(error: BaseException) -> str:
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(_SOURCE)]
    if not frames:
        return "no frame of plait"
    return f"{frames[-1].filename.removeprefix(_SOURCE + '/')}, {frames[-1].name}"


def check_corpus(corpus: Any, case: Case) -> Outcome:
    """Return the outcome of a corpus that was read: valid, complete, and wrong input reported."""
    problem = _invalid(corpus)
    if problem:
        return Outcome(OTHER, f"the corpus is not valid: {problem}", "invalid corpus")
    problem = _lost(corpus, case)
    if problem:
        # The digits of a message differ from case to case; the words make the group.
        what = "".join(character for character in problem.partition(":")[0] if not character.isdigit())
        return Outcome(LOSS, problem, f"{what.strip()}, {case.format}: {case.description.partition(' ')[0]}")
    return Outcome(SKIPS if corpus.skipped else ACCEPTED)


def _invalid(corpus: Any) -> str:
    """Return why a model of the corpus could not be saved; "" if it could."""
    texts = [*corpus.ids, *corpus.vocabulary]
    for values in (corpus.titles, corpus.splits):
        texts.extend(() if values is None else values)
    for names in corpus.labels or ():
        texts.extend(names)
    for text in texts:
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            return f"{ascii(text)[:60]} is not valid UTF-8"
    if not np.isfinite(corpus.counts.data).all() or (corpus.counts.data < 0).any():
        return "a count is negative or not finite"
    if corpus.links is not None and not (np.isfinite(corpus.links.data).all() and (corpus.links.data > 0).all()):
        return "a weight is not a finite number above 0"
    return ""


def _lost(corpus: Any, case: Case) -> str:
    """Return what was lost without a word; "" if nothing was."""
    skipped = sum(kind.count for kind in corpus.skipped if kind.name not in VALUE_PROBLEMS)
    n_links = 0 if corpus.links is None else corpus.links.nnz
    if case.must_report and not corpus.skipped:
        return f"not reported: {case.description}"
    found = len(corpus) + n_links
    if case.records is not None and not found <= case.records <= found + skipped:
        return f"{case.records} records: {len(corpus)} documents + {n_links} links + {skipped} skipped"
    row_of = {name: row for row, name in enumerate(corpus.ids)}
    for name, (tokens, labels) in case.intact.items():
        if name not in row_of:
            return f"document lost: {name!a}"
        row = row_of[name]
        if int(corpus.counts[[row]].sum()) != tokens:
            return f"tokens lost: {name!a} has {corpus.counts[[row]].sum()} of {tokens} tokens"
        if tuple(corpus.labels[row] if corpus.labels else ()) != labels:
            return f"labels changed: {name!a} has {corpus.labels and corpus.labels[row]}, not {labels}"
    return ""


def check_command(code: Any, screen: str, errors: str) -> Outcome:
    """Return the outcome of a command: exit code 0, or 1 and one line that starts with "error: "."""
    lines = [line for line in errors.split("\n") if line and not line.startswith("warning: ")]
    control = next((c for c in screen + errors if (c < " " and c not in "\n\t\r") or "\x7f" <= c <= "\x9f"), None)
    if control is not None:
        return Outcome(OTHER, f"the terminal got the control character {control!a}", "control character")
    if code in (0, None):
        return Outcome(SKIPS if "skipped" in screen and "nothing skipped" not in screen else ACCEPTED)
    if code != 1:
        return Outcome(OTHER, f"exit code {code}: {' '.join(errors.split())[:200]}", f"exit code {code}")
    if len(lines) != 1 or not lines[0].startswith("error: "):
        return Outcome(OTHER, f"{len(lines)} lines of error: {' '.join(errors.split())[:200]}", "not one line")
    return Outcome(REFUSED, lines[0][:200])
