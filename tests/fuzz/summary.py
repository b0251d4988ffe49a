"""Counts of outcomes per format, groups of equal failures, and kept inputs."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

from tests.fuzz.case import Case
from tests.fuzz.formats import FORMATS
from tests.fuzz.outcome import FAILURES, KINDS, Outcome


class Summary:
    """Collects outcomes.

    Parameters
    ----------
    keep : Path or None
        Folder for the inputs of failures.
    """

    def __init__(self, keep: Path | None = None) -> None:
        self._keep = keep
        self._counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._groups: defaultdict[tuple[str, str], list[tuple[Case, Outcome]]] = defaultdict(list)

    def add(self, case: Case, outcome: Outcome) -> None:
        """Count an outcome; print a failure when it is the first of its group, and keep its input.

        Parameters
        ----------
        case : Case
            The case.
        outcome : Outcome
            Its outcome.
        """
        self._counts[case.format][outcome.kind] += 1
        if not outcome.failed:
            return
        group = self._groups[outcome.group]
        group.append((case, outcome))
        if len(group) == 1:
            print(f"{describe(case, outcome)}", flush=True)
        if self._keep is not None:
            folder = self._keep / case.name.replace("/", "-")
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "case.json").write_text(case.to_json(), encoding="utf-8")
            if not (folder / "input").exists():
                case.write(folder / "input")

    @property
    def failures(self) -> int:
        """Number of failed cases."""
        return sum(counts[kind] for counts in self._counts.values() for kind in FAILURES)

    def groups(self) -> list[str]:
        """Return one paragraph per group of equal failures, the largest first.

        Returns
        -------
        list of str
            Their descriptions.
        """
        ranked = sorted(self._groups.values(), key=len, reverse=True)
        return [f"{len(group)} × {describe(*group[0])}" for group in ranked]

    def table(self) -> str:
        """Return the number of outcomes of each kind per format.

        Returns
        -------
        str
            The table.
        """
        rows = [["format", "cases", *KINDS]]
        total: Counter[str] = Counter()
        for name, counts in sorted(self._counts.items()):
            rows.append([name, str(counts.total()), *(str(counts[kind]) for kind in KINDS)])
            total += counts
        rows.append(["all", str(total.total()), *(str(total[kind]) for kind in KINDS)])
        return "\n".join(f"{row[0]:<12}" + "".join(f"{cell:>12}" for cell in row[1:]) for row in rows)


def describe(case: Case, outcome: Outcome) -> str:
    """Return a failure in a few lines: the case, what was changed, what happened, and how to run it again.

    Parameters
    ----------
    case : Case
        The case.
    outcome : Outcome
        Its outcome.

    Returns
    -------
    str
        The description.
    """
    again = f"--case {case.name}" if case.format in FORMATS else "--replay CASE.json"
    return (
        f"{outcome.kind}: {outcome.place}\n"
        f"    case {case.number}, seed {case.seed}, format {case.format}, {case.command} {case.options}\n"
        f"    input: {ascii(case.description)[1:-1][:200]}\n"
        f"    result: {ascii(outcome.detail)[1:-1]}\n"
        f"    again: python -m tests.fuzz.run {again}"
    )
