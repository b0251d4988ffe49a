"""Model files: content, values that cannot be saved, and rejection of damaged or forged files."""

from __future__ import annotations

import hashlib
import json
import pickle
from collections import namedtuple

import numpy as np
import pytest
import scipy.sparse as sparse
from safetensors import safe_open
from safetensors.numpy import save_file

import plait
from plait import priors
from plait.errors import PlaitError
from plait.models import LDA
from plait.models.answers.topics import Topic
from plait.store import FORMAT, container, load, save
from tests.models.small import stopped_after
from tests.store.small import QUICK, counts, same


def rewritten(file, change):
    """Change the manifest of a file and correct its digest, as an attacker would."""
    with safe_open(file, framework="np") as opened:
        manifest = json.loads(opened.metadata()["plait"])
        tensors = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118
    change(manifest)
    text = json.dumps(manifest)
    digest = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
    save_file(tensors, file, metadata={"plait": text, "digest": digest})


def record(name, **fields):
    return {"part": {"class": name, "fields": fields}}


def test_the_manifest_names_format_version_and_model(file, small):
    with safe_open(file, framework="np") as opened:
        manifest = json.loads(opened.metadata()["plait"])
        assert same(opened.get_tensor("topic_word_"), small.topic_word_)
    assert (manifest["format"], manifest["plait"], manifest["model"]) == (FORMAT, plait.__version__, "LDA")
    again = save(small, file.with_name("again"))
    assert again.read_bytes() == file.read_bytes()


def test_shared_arrays_are_written_once(tmp_path):
    table = np.full((3, 8), 0.2)
    path = save(stopped_after(8, LDA(**(QUICK | {"beta": table})).fit, counts()), tmp_path / "unfinished")
    with safe_open(path, framework="np") as opened:
        names = opened.keys()
        tables = [name for name in names if "beta" in name and opened.get_slice(name).get_shape() == [3, 8]]
        assert (
            len([name for name in names if name.endswith("word_topic.data")]) == len(load(path)._chain_samples[0]) == 2
        )
    assert len(tables) == 2  # the parameter, and the array of the chain


UNSUPPORTED = {
    "set": ("alpha", {0.1, 0.2}, "alpha cannot be saved: a model file cannot contain set objects"),
    "object in a prior": ("beta", priors.TablePrior([0.1, object()]), r"beta.table\[1\] cannot be saved"),
    "complex": ("later_", [np.array([1j])], r"later_\[0\] cannot be saved.*complex128"),
    "masked": ("later_", np.ma.masked_array([1, 2]), "later_ cannot be saved.*MaskedArray"),
    "None among text": ("later_", np.array(["a", None], dtype=object), r"later_\[1\] cannot be saved.*NoneType"),
    "tuple as key": ("later_", {(1,): 2}, r"later_ cannot be saved: its key \(1,\) is neither text nor a number"),
    "named tuple": ("later_", namedtuple("Pair", "a b")(1, 2), "later_ cannot be saved.*Pair"),
    "unregistered class": ("later_", Topic(0, 1.0, [], []), r"later_ cannot be saved.*topics\.Topic"),
    "coo": ("later_", sparse.coo_array((2, 2)), "later_ cannot be saved.*coo_array"),
    "huge int": ("later_", 10**5000, "later_ cannot be saved.*int objects"),
    "half a pair": (
        "vocabulary_",
        np.array(["a", "b\ud800"], dtype=object),
        r"vocabulary_\[1\] cannot be saved: 'b\\ud800' contains half",
    ),
    "half a pair in a parameter": ("sampler", "\udfff", "sampler cannot be saved.*half of a surrogate pair"),
}


@pytest.mark.parametrize("case", UNSUPPORTED)
def test_a_value_that_cannot_be_saved_is_named_before_anything_is_written(tmp_path, small, case):
    name, value, message = UNSUPPORTED[case]
    model = LDA()
    vars(model).update(vars(small), **{name: value})
    with pytest.raises(PlaitError, match=message):
        save(model, tmp_path / "model")
    assert not list(tmp_path.iterdir())


def test_a_header_too_large_for_safetensors_is_rejected(tmp_path, small, monkeypatch):
    monkeypatch.setattr(container, "_MAX_HEADER_BYTES", 100)
    with pytest.raises(PlaitError, match="values other than arrays take"):
        save(small, tmp_path / "model")


def test_only_fitted_models_of_plait_are_saved(tmp_path, small):
    with pytest.raises(PlaitError, match="this LDA is not fitted; fit it"):
        save(LDA(), tmp_path / "model")
    with pytest.raises(PlaitError, match=r"own models \(LDA.*\) and priors, not dict objects"):
        save({}, tmp_path / "model")
    own = type("LDA", (LDA,), {})()
    with pytest.raises(PlaitError, match="own models"):
        save(own, tmp_path / "model")


BAD = {
    "empty": (lambda good: b"", "is empty"),
    "some bytes": (lambda good: good[:5], "has only 5 bytes: it is truncated, or not a model"),
    "cut in its header": (lambda good: good[:300], r"is truncated: it has 300 bytes of"),
    "cut at its end": (lambda good: good[:-1], r"is truncated: it has ([\d,]+) bytes of at least ([\d,]+);"),
    "more at its end": (lambda good: good + b"\0", "is damaged: its header"),
    "text": (
        lambda good: b"The quick brown fox jumps over the lazy dog.",
        "is not a model file; give a model",
    ),
    "pickle": (
        lambda good: pickle.dumps({"weights": list(range(99))}),
        "is not a model file; give a model",
    ),
    "flipped tensor": (lambda good: good[:-1] + bytes([good[-1] ^ 1]), "is damaged: the tensor"),
    "flipped type": (lambda good: good.replace(b'"dtype":"F64"', b'"dtype":"I64"'), "does not have the type and shape"),
    "flipped manifest": (lambda good: good.replace(b"LDA", b"LDB"), "is damaged: its manifest"),
    "flipped length": (lambda good: good[:6] + b"\1" + good[7:], "is damaged: its header"),
}


@pytest.mark.parametrize("case", BAD)
def test_an_error_names_the_file_and_the_problem(file, case):
    change, message = BAD[case]
    file.write_bytes(change(file.read_bytes()))
    with pytest.raises(PlaitError, match=message) as caught:
        load(file)
    assert str(caught.value).startswith(str(file))


def test_paths_that_are_not_model_files_are_rejected(tmp_path, file):
    with pytest.raises(PlaitError, match="is a folder"):
        load(tmp_path)
    with pytest.raises(PlaitError, match=r"missing\.plait does not exist"):
        load(tmp_path / "missing.plait")
    save_file({"a": np.zeros(3)}, tmp_path / "other")
    with pytest.raises(PlaitError, match="is a safetensors file, but not a model file"):
        load(tmp_path / "other")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"format": FORMAT + 1, "plait": "9.1"},
            rf"written by plait 9.1 with format {FORMAT + 1}; this version reads formats up to {FORMAT}: upgrade",
        ),
        ({"model": "OracleTopicModel", "plait": "9.1"}, "class OracleTopicModel, written by plait 9.1; .*upgrade"),
        ({"fitted": {}}, "contains a model of the class LDA that is not fitted"),
        ({"fitted": {"transform": 1}}, "sets transform, which is not a fitted attribute of LDA"),
        ({"fitted": {"__class__": 1}}, "sets __class__"),
        (
            {"fitted": {"a_": record("os.system", command="true")}},
            "contains os.system, which this version",
        ),
        ({"fitted": {"a_": record("chain.Chain")}}, "contains chain.Chain, which this version"),
        ({"fitted": {"a_": {"pickle": "gASVCQ=="}}}, "is damaged: there is no kind of values .pickle."),
        (
            {"fitted": {"a_": {"array": {"tensor": "nowhere", "order": "C"}}}},
            "is damaged: there is no tensor .nowhere.",
        ),
        ({"parameters": {"no_such_parameter": 1}}, "is damaged: LDA has no field no_such_parameter"),
        ({"parameters": {"sampler": record("samplers.Sparse", sparsity=0)}}, "sparsity must be at least 1"),
        ({"parameters": None}, "is damaged"),
        ({"format": None}, "is damaged: .format. is missing in its manifest, or is not int"),
        ({"tensors": {}}, "its tensors are not those"),
    ],
)
def test_a_forged_file_is_rejected(file, changes, message):
    rewritten(file, lambda manifest: manifest.update(changes))
    with pytest.raises(PlaitError, match=message):
        load(file)


def test_the_header_has_no_padding_outside_the_manifest():
    for length in range(8):
        header = container.pack_header({"text": "x" * length}, {})
        assert len(header) % 8 == 0
        assert header.endswith(b'"}}')


def test_any_changed_byte_is_detected(file):
    good = file.read_bytes()
    rng = np.random.default_rng(0)
    header = 8 + int.from_bytes(good[:8], "little")
    places = {*range(0, 60), *rng.choice(header, 500), *range(header - 40, header), *rng.choice(len(good), 300)}
    for place in map(int, places):
        bad = bytearray(good)
        bad[place] ^= int(rng.choice([1 << rng.integers(8), rng.integers(1, 256)]))
        file.write_bytes(bad)
        with pytest.raises(PlaitError):
            load(file)
    for length in map(int, {*range(0, 40), *rng.choice(len(good), 150)}):
        file.write_bytes(good[:length])
        with pytest.raises(PlaitError):
            load(file)
