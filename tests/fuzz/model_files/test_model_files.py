"""A fixed share of the forged model files, and the promises of the generator itself."""

from __future__ import annotations

import sys
from collections import Counter

import pytest

from plait.store import load
from tests.fuzz.model_files.mutations import forge_file
from tests.fuzz.model_files.originals import write_originals
from tests.fuzz.model_files.run import GOOD, Child, Limits, run


@pytest.mark.slow  # many files
def test_forged_files_are_refused_or_can_be_used(tmp_path):
    # The files of tests/store/files are of all models but one; `python -m tests.fuzz.model_files` uses more.
    outcomes = run(120, 7, tmp_path, limits=Limits(), only="old_")
    assert [one for one in outcomes if one.status not in GOOD] == []
    counts = Counter(one.status for one in outcomes)
    assert counts["refused"] > 60
    assert counts["loaded"] > 10
    assert len({one.original for one in outcomes}) == 11


@pytest.mark.slow
def test_the_originals_contain_interrupted_fits_of_every_model(tmp_path):
    models = [load(path) for path in write_originals(tmp_path) if "Prior.model" not in path.name[-11:]]
    unfinished = {type(model).__name__ for model in models if getattr(model, "_unfinished", None) is not None}
    assert unfinished == {
        "LDA", "LinkedLDA", "MedLDA", "OnlineLDA", "RelationalTopicModel", "SupervisedLDA", "TopicModel",
    }  # fmt: skip


def test_a_forged_file_can_be_made_again(tmp_path):
    (original,) = write_originals(tmp_path, "old_lda")
    changes = set()
    for number in range(40):
        one, other = tmp_path / "one", tmp_path / "other"
        changes.add(forge_file(original, one, 3, number))
        assert forge_file(original, other, 3, number) in changes
        assert one.read_bytes() == other.read_bytes()
    assert len(changes) > 30


ANSWER = "import sys; sys.stdin.readline(); "


@pytest.mark.parametrize(
    ("script", "status"),
    [
        ("import os; os.abort()", "CRASHED"),
        ("import time; time.sleep(60)", "NO ANSWER IN TIME"),
        ("""print('{"status": "TRACEBACK FROM LOAD", "detail": ""}', flush=True)""", "TRACEBACK FROM LOAD"),
    ],
)
def test_a_failure_of_the_child_is_noticed(tmp_path, script, status):
    child = Child(Limits(seconds=2.0 if "sleep" in script else 60.0), [], [sys.executable, "-c", ANSWER + script])
    try:
        assert child.examine(tmp_path / "any")[0] == status
    finally:
        child.close()
