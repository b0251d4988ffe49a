"""Lists of dataclass instances stored by column."""

from __future__ import annotations

import dataclasses

import numpy as np

from plait import Corpus, OnlineLDA, load, save
from plait.models.online import Slice
from plait.store.codecs import Packer, Unpacker


def _stream() -> OnlineLDA:
    model = OnlineLDA(2, n_sweeps=5, n_samples=1, random_state=0, verbose=False)
    first = Corpus.from_texts(["red fox", "blue sea été"] * 4)
    return model.partial_fit(first, label="a").partial_fit(first.select([]), label="b").partial_fit(first, ahead=True)


def _assert_same(one: Slice, other: Slice) -> None:
    for field in dataclasses.fields(Slice):
        before, after = getattr(one, field.name), getattr(other, field.name)
        if isinstance(before, np.ndarray):
            assert (before.dtype, before.shape) == (after.dtype, after.shape), field.name
            assert all(left == right or left != left for left, right in zip(before.flat, after.flat, strict=True))
        else:
            assert (type(before), before) == (type(after), after), field.name


def test_slices_are_restored_exactly(tmp_path):
    model = _stream()
    again = load(save(model, tmp_path / "m.plait"))
    assert len(again.slices_) == 3  # the second is empty: its arrays have other shapes
    for one, other in zip(model.slices_, again.slices_, strict=True):
        _assert_same(one, other)


def test_the_number_of_tensors_does_not_grow_with_the_rows():
    slices = _stream().slices_
    few, many = Packer(), Packer()
    few.pack(slices[:2], "slices_")
    packed = many.pack(slices * 50, "slices_")
    assert len(many.tensors) <= len(few.tensors) + 1  # for numbers that only some rows have
    back = Unpacker(many.tensors).unpack(packed)
    assert len(back) == 150
    _assert_same(back[149], slices[2])


def test_long_words():
    slices = _stream().slices_
    long = dataclasses.replace(slices[0], words=np.array([["x" * 300, "é"]], dtype=object))
    packer = Packer()
    back = Unpacker(packer.tensors).unpack(packer.pack([long, slices[2]], "slices_"))
    _assert_same(back[0], long)
    _assert_same(back[1], slices[2])


def test_columns_of_different_types_are_stored_by_item():
    slices = _stream().slices_
    mixed = [slices[0], dataclasses.replace(slices[2], drift=np.zeros(2, dtype=np.float32))]
    packer = Packer()
    back = Unpacker(packer.tensors).unpack(packer.pack(mixed, "slices_"))
    for one, other in zip(mixed, back, strict=True):
        _assert_same(one, other)
