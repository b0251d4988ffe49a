"""What `from plait import LDA` must not import: modules that only some users need, and that take time to load."""

from __future__ import annotations

import json
import subprocess
import sys

NOT_IMPORTED = (
    "polars", "matplotlib", "plotly", "ray", "typer", "starlette", "sklearn.linear_model", "sklearn.feature_extraction",
    "plait.cli", "plait.serve", "plait.report", "plait.evaluation", "plait.streaming", "plait.knowledge",
    "plait.baselines", "plait.graph", "plait.datasets", "plait.plots.figure", "plait.plots.topics",
    "plait.executors.cuda", "plait.executors.cuda_device", "plait.executors.ray", "plait.corpus.readers.read",
    "plait.corpus.prepared.prepare", "plait.corpus.prepared.writer", "plait.corpus.readers.formats.jsonl",
    "plait.corpus.readers.formats.workbook",
)  # fmt: skip


def loaded_by(code):
    program = f"import json, sys\n{code}\nprint(json.dumps(sorted(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    return set(json.loads(found.stdout))


def test_a_model_is_imported_without_what_it_does_not_need():
    loaded = loaded_by("from plait import LDA")
    assert "plait.models.lda" in loaded
    assert not loaded.intersection(NOT_IMPORTED)


def test_plait_alone_imports_no_package():
    loaded = loaded_by("import plait")
    assert not {name.partition(".")[0] for name in loaded}.intersection({"numpy", "scipy", "sklearn", "numba"})
