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
    "plait.corpus.readers.formats.workbook", "plait.models.medlda", "plait.models.online", "plait.models.registry",
    "pandas", "pyarrow", "scipy.stats", "scipy.special", "scipy.optimize", "scipy.spatial", "numba", "llvmlite",
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


def test_what_scikit_learn_does_without_is_imported_when_it_is_used():
    program = "from plait import LDA\nimport scipy, sklearn.utils.fixes\nprint(sklearn.utils.fixes._mode([1, 2, 2])[0])"
    program += "\nimport scipy.stats, scipy.special\nprint(scipy.special.expit(0.0), scipy.stats.norm.cdf(0.0))"
    found = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert found.stdout.split() == ["[2]", "0.5", "0.5"]
