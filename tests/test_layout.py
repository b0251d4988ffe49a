"""The layout of the source tree: short files, few modules at the top, classes with few bases, explained folders."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import plait

SOURCE = Path(plait.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))
FOLDERS = sorted({path.parent for path in FILES})
# Bases that carry no behaviour of plait.
WITHOUT_BEHAVIOUR = {"ABC", "Enum", "Generic", "NamedTuple", "Protocol", "TypedDict"}


def place(path):
    return path.relative_to(SOURCE).as_posix()


def base_name(node):
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value if isinstance(node, ast.Subscript) else ast.Name(node.attr)
    return node.id


def test_no_file_is_longer_than_400_lines():
    lengths = {place(path): len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    assert {name: length for name, length in lengths.items() if length > 400} == {}


@pytest.mark.parametrize("folder", ["", "cli"])
def test_few_modules_lie_at_the_top(folder):
    assert len(list((SOURCE / folder).glob("*.py"))) <= 8


def test_classes_have_at_most_two_bases_with_behaviour():
    many = []
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                bases = [base_name(base) for base in node.bases]
                if len([name for name in bases if name not in WITHOUT_BEHAVIOUR]) > 2:
                    many.append(f"{place(path)}: {node.name}({', '.join(bases)})")
    assert many == []


@pytest.mark.parametrize("folder", FOLDERS, ids=place)
def test_a_folder_names_its_modules_and_folders(folder):
    text = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
    names = [path.stem for path in FILES if path.parent == folder and not path.stem.startswith("__")]
    names += [path.name for path in FOLDERS if path.parent == folder and not path.name.startswith("_")]
    assert [name for name in names if name not in text] == []


@pytest.mark.slow  # starts a process
def test_choosing_the_number_of_topics_of_a_matrix_needs_few_packages():
    code = (
        "import sys, numpy, plait; X = numpy.eye(20, 6, dtype=int) + 1; model = plait.LDA(n_sweeps=2, n_samples=1);"
        "plait.choose_n_topics(X, [1, 2], model=model, n_seeds=2, verbose=False);"
        "print(sorted({'polars', 'polyagamma', 'regex', 'typer', 'safetensors'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
