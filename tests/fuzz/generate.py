"""The case of a format, a seed and a number: always the same bytes."""

from __future__ import annotations

from random import Random

from tests.fuzz.case import Case
from tests.fuzz.formats import FORMATS
from tests.fuzz.mutations import (
    mutate_bytes,
    mutate_compression,
    mutate_encoding,
    mutate_files,
    mutate_name,
    mutate_options,
)


def make_case(format: str, seed: int, number: int) -> Case:
    """Return a case.

    Parameters
    ----------
    format : str
        One of `FORMATS`.
    seed, number : int
        Seed and number of the case.

    Returns
    -------
    Case
        The case.
    """
    random = Random(f"{format}/{seed}/{number}")
    draft = FORMATS[format](random)
    if random.random() < 0.1:
        mutate_encoding(random, draft)
    if random.random() < (0.15 if draft.notes else 0.7):
        mutate_bytes(random, draft)
    if random.random() < 0.1:
        mutate_name(random, draft)
    if random.random() < 0.35:
        mutate_compression(random, draft, damage=random.random() < 0.5)
    if random.random() < 0.05:
        mutate_files(random, draft)
    if random.random() < 0.1 and "seeds" not in draft.options:
        mutate_options(random, draft)
    draft.options["on_error"] = random.choice(("raise", "skip", "skip"))
    command = random.choices(tuple(draft.commands), tuple(draft.commands.values()))[0]
    return Case(
        format=format,
        seed=seed,
        number=number,
        description="; ".join(draft.notes) or "valid",
        files=draft.files,
        symlinks=draft.symlinks,
        path=draft.path,
        options=draft.options,
        command=command,
        records=draft.records,
        intact=draft.intact,
        must_report=draft.must_report,
    )
