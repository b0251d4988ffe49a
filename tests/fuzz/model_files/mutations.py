"""Changes of model files, each a pure function of a seed: numbers of arrays, their types and shapes, the manifest."""

from __future__ import annotations

import copy
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from plait.store.container import TYPE_CODES
from plait.store.registry import classes_by_name
from tests.store.forging import read, write

Parts = tuple[dict[str, Any], dict[str, np.ndarray]]
NUMBERS = [-1, 0, 1, 2, 3, 16, 24, 100, 255, 65_535, 2**31 - 1, 2**31, 2**32, 2**63 - 1, -(2**63), 200_000_000]
REALS = [np.nan, np.inf, -np.inf, -1.0, 0.0, -0.0, 0.5, 1e-300, 1e-40, 1e38, 1e300, 1e12, -1e300]
TEXTS = ["", "labels", "full", "\x1b[31mred\x07", "x" * 10_000, "\u202ereversed", "nan", "plain", "sparse(1e308)"]
VALUES = [*NUMBERS, *TEXTS, None, True, False, 0.5, 1e308, -1.5, 10**30, 10**400, [], {}, [[]], {"tuple": []}, ["a"]]


def forge_file(original: Path, path: Path, seed: int, number: int) -> str:
    """Write a forged copy of a file; return what was changed."""
    random = np.random.default_rng([seed, number])
    if random.random() < 0.08:
        return _damage_bytes(original, path, random)
    manifest, tensors = read(original)
    done = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numbers are cast to types that do not hold them, on purpose
        for _ in range(random.choice([1, 1, 1, 2, 3])):
            change = CHANGES[random.choice(len(CHANGES), p=WEIGHTS)]
            done.append(f"{change.__name__}: {change((manifest, tensors), random)}")
    try:
        write(path, manifest, tensors, describe=isinstance(manifest.get("tensors"), dict))
    except (TypeError, ValueError, UnicodeEncodeError):  # a number or a text that JSON cannot hold
        return _damage_bytes(original, path, random)
    return "; ".join(done)


def _damage_bytes(original: Path, path: Path, random: np.random.Generator) -> str:
    """Change bytes and leave the digests as they are."""
    content = bytearray(original.read_bytes())
    kind = random.integers(3)
    for _ in range(random.integers(1, 8)):
        content[random.integers(len(content))] = random.integers(256)
    if kind == 1:
        content = content[: random.integers(len(content))]
    elif kind == 2:
        content += random.bytes(random.integers(1, 99))
    path.write_bytes(content)
    return "bytes"


def _pick_tensor(tensors: dict[str, np.ndarray], random: np.random.Generator) -> str:
    # Names of samples are frequent: half of the picks are among other tensors.
    names = sorted(tensors)
    rare = [name for name in names if "samples" not in name]
    return str(random.choice(rare if rare and random.random() < 0.5 else names)) if names else ""


def change_number(parts: Parts, random: np.random.Generator) -> str:
    """Set some numbers of an array."""
    name = _pick_tensor(parts[1], random)
    if not name or not parts[1][name].size:
        return "nothing"
    array = parts[1][name].copy()
    places = random.integers(array.size, size=random.choice([1, 1, 2, array.size]))
    pool = REALS if array.dtype.kind == "f" else NUMBERS
    limit = random.integers(3)
    value: Any = pool[random.integers(len(pool))]
    if limit == 0 and array.dtype.kind in "iu":
        value = int(array.max()) + int(random.integers(-2, 3))
    if array.dtype.kind in "iu":
        value = np.array(value).astype(array.dtype)
    array.reshape(-1)[places] = value
    parts[1][name] = array
    return f"{name} = {value} at {places[:3]}"


def change_order(parts: Parts, random: np.random.Generator) -> str:
    """Reverse or shuffle an array, or replace it by random bytes."""
    name = _pick_tensor(parts[1], random)
    if not name or not parts[1][name].size:
        return "nothing"
    array, kind = parts[1][name], random.integers(3)
    if kind == 0:
        parts[1][name] = array.reshape(-1)[::-1].reshape(array.shape).copy()
    elif kind == 1:
        parts[1][name] = random.permutation(array.reshape(-1)).reshape(array.shape)
    else:
        parts[1][name] = (
            np.frombuffer(random.bytes(array.nbytes), dtype=np.uint8).view(array.dtype).reshape(array.shape)
        )
    return f"{name}, {kind}"


def change_type(parts: Parts, random: np.random.Generator) -> str:
    """Cast an array, or read its bytes as another type."""
    name = _pick_tensor(parts[1], random)
    if not name:
        return "nothing"
    kind = np.dtype(str(random.choice(sorted(TYPE_CODES))))
    array = parts[1][name]
    if random.random() < 0.2 and array.size and array.nbytes % kind.itemsize == 0 and kind.kind != "b":
        parts[1][name] = np.frombuffer(array.tobytes(), dtype=kind)
    else:
        parts[1][name] = array.astype(kind)
    return f"{name} as {kind}"


def change_shape(parts: Parts, random: np.random.Generator) -> str:
    """Give an array another size or shape."""
    name = _pick_tensor(parts[1], random)
    if not name:
        return "nothing"
    array = parts[1][name]
    sizes = [0, 1, array.size - 1, array.size + 1, 2 * array.size, array.size + 16]
    size = max(0, int(random.choice(sizes)))
    kind = random.integers(5)
    if kind == 0:
        changed = array.T.copy()
    elif kind == 1 and array.ndim:
        rows = max(0, array.shape[0] + int(random.integers(-2, 3)))
        changed = np.resize(array, (rows, *array.shape[1:]))
    elif kind == 2:
        changed = array.reshape(1, *array.shape)
    elif kind == 3:
        changed = np.resize(array, (10**9, 0))
    else:
        changed = np.resize(array, size) if array.size else np.zeros(size, array.dtype)
    parts[1][name] = changed
    return f"{name} {array.shape} to {changed.shape}"


def swap_tensors(parts: Parts, random: np.random.Generator) -> str:
    """Exchange two arrays, remove one, or use one in the place of another."""
    one, other = _pick_tensor(parts[1], random), _pick_tensor(parts[1], random)
    if not one or not other:
        return "nothing"
    kind = random.integers(3)
    tensors = parts[1]
    if kind == 0:
        tensors[one], tensors[other] = tensors[other], tensors[one]
    elif kind == 1:
        tensors[one] = tensors[other]
    else:
        del tensors[one]
    return f"{one} and {other}, {kind}"


def _find_place(value: Any, random: np.random.Generator) -> tuple[Any, Any]:
    """Return a container inside a JSON value, and a key of it, by a random walk from the root."""
    container, key = value, str(random.choice(["parameters", "fitted", "fitted", "fitted"]))
    if key not in container:
        key = sorted(container)[random.integers(len(container))]
    while True:
        inner = container[key]
        if not isinstance(inner, (dict, list)) or not inner or random.random() < 0.08:
            return container, key
        keys = sorted(inner) if isinstance(inner, dict) else list(range(len(inner)))
        container, key = inner, keys[random.integers(len(keys))]


def change_value(parts: Parts, random: np.random.Generator) -> str:
    """Replace a value of the manifest."""
    container, key = _find_place(parts[0], random)
    before = json.dumps(container[key])[:50]
    container[key] = _any_value(container[key], parts, random)
    return f"{key}: {before} = {json.dumps(container[key])[:60]}"


def _any_value(value: Any, parts: Parts, random: np.random.Generator) -> Any:
    """Return another value: a near number, one of a list, an array of the file, or an instance of some class."""
    kind = random.integers(6)
    if isinstance(value, (int, float)) and not isinstance(value, bool) and kind < 3:
        return value + int(random.integers(-2, 3))
    if kind == 3 and parts[1]:
        return {"array": {"tensor": _pick_tensor(parts[1], random), "order": str(random.choice(["C", "F"]))}}
    if kind == 4:
        name = sorted(classes_by_name())[random.integers(len(classes_by_name()))]
        return {"part": {"class": name, "fields": {}}}
    if kind == 5:
        names = [_pick_tensor(parts[1], random) for _ in range(3)]
        return {"csr": dict(zip(("data", "indices", "indptr"), names, strict=True)) | {"shape": [24, 3]}}
    return copy.deepcopy(VALUES[random.integers(len(VALUES))])


def change_structure(parts: Parts, random: np.random.Generator) -> str:
    """Remove, repeat, rename or exchange parts of the manifest."""
    container, key = _find_place(parts[0], random)
    other, other_key = _find_place(parts[0], random)
    kind = random.integers(4)
    if kind == 0:
        del container[key]
    elif kind == 1:
        container[key], other[other_key] = copy.deepcopy(other[other_key]), copy.deepcopy(container[key])
    elif kind == 2 and isinstance(container, dict):
        container[TEXTS[random.integers(len(TEXTS))]] = container.pop(key)
    elif isinstance(container, list):
        container.insert(0, copy.deepcopy(container[key]))
    return f"{key} and {other_key}, {kind}"


def change_header(parts: Parts, random: np.random.Generator) -> str:
    """Change a key at the top of the manifest."""
    key = str(random.choice(["format", "plait", "model", "parameters", "fitted", "tensors", "prior"]))
    value = VALUES[random.integers(len(VALUES))]
    if key == "model" and random.random() < 0.7:
        value = str(random.choice(["LDA", "MedLDA", "TopicModel", "OnlineLDA", "LinkedLDA", "RelationalTopicModel"]))
    parts[0][key] = copy.deepcopy(value)
    return f"{key} = {json.dumps(value)[:50]}"


CHANGES = [
    change_number, change_order, change_type, change_shape, swap_tensors, change_value, change_structure, change_header,
]  # fmt: skip
WEIGHTS = [0.34, 0.06, 0.08, 0.12, 0.06, 0.2, 0.1, 0.04]
