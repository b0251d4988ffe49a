"""Labels in every form that people have them in, and what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sparse
from sklearn.exceptions import DataConversionWarning

from plait.corpus import Corpus
from plait.errors import PlaitError
from plait.inputs.targets import read_targets, read_values

NAN = float("nan")
INDICATOR = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 1], [0, 0, 1]])
SIGNS = np.where(INDICATOR, 1, -1)


def corpus_with(labels):
    return Corpus.from_texts(["red green"] * len(labels), labels=labels, ids=[f"d{i}" for i in range(len(labels))])


class Wrapped:
    """Something that only NumPy can read."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.values, dtype=dtype)


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        (["b", "a", "b", "a"], ["a", "b"]),
        (("b", "a", "b", "a"), ["a", "b"]),
        (np.array(["b", "a", "b", "a"]), ["a", "b"]),
        (np.array(["b", "a", "b", "a"], dtype=object), ["a", "b"]),
        (pd.Series(["b", "a", "b", "a"]), ["a", "b"]),
        (pd.Series(["b", "a", "b", "a"], dtype="category"), ["a", "b"]),
        (pl.Series(["b", "a", "b", "a"]), ["a", "b"]),
        ([7, 3, 7, 3], [3, 7]),
        (np.array([1, -1, 1, -1]), [-1, 1]),
        (np.array([1.0, -1.0, 1.0, -1.0]), [-1, 1]),
        ([True, False, True, False], [False, True]),
        (np.array([1, 0, 1, 0], dtype=np.uint8), [0, 1]),
        (Wrapped([1, 0, 1, 0]), [0, 1]),
    ],
)
def test_binary_labels_of_any_type(y, classes):
    targets = read_targets(y, 4)
    assert targets.kind == "binary"
    assert targets.classes.tolist() == classes
    assert targets.signs.dtype == np.int8
    assert targets.signs.tolist() == [[1], [-1], [1], [-1]]
    assert targets.n_unlabelled == 0


def test_text_classes_are_objects_and_numbers_keep_their_type():
    assert read_targets(np.array(["a", "b"] * 2), 4).classes.dtype == object
    assert read_targets(np.array([0.0, 1.0] * 2), 4).classes.dtype == np.float64
    assert read_targets(np.array([0, 1] * 2, dtype=np.int32), 4).classes.dtype == np.int32
    assert read_targets([0, None, 1, 0, 1], 5).classes.dtype.kind == "i"


@pytest.mark.parametrize(
    "y",
    [
        ["a", None, "b", "c", "a", "b", "c"],
        ["a", NAN, "b", "c", "a", "b", "c"],
        pd.Series(["a", pd.NA, "b", "c", "a", "b", "c"], dtype="string"),
        pl.Series(["a", None, "b", "c", "a", "b", "c"]),
        [5, -1, 6, 7, 5, 6, 7],
        np.array([5, -1, 6, 7, 5, 6, 7]),
        np.array([5.0, -1.0, 6, 7, 5, 6, 7]),
        np.array([5.0, NAN, 6, 7, 5, 6, 7]),
        [5, None, 6, 7, 5, 6, 7],
        pd.Series([5, None, 6, 7, 5, 6, 7], dtype="Int64"),
    ],
)
def test_unlabelled_documents_in_a_vector(y):
    targets = read_targets(y, 7)
    assert targets.kind == "multiclass"
    assert targets.n_unlabelled == 1
    first = [[1, -1, -1], [0, 0, 0], [-1, 1, -1], [-1, -1, 1]]
    assert targets.signs.tolist() == [*first, first[0], first[2], first[3]]


def test_minus_one_is_a_class_beside_one_other_and_unlabelled_beside_two():
    assert read_targets([-1, 2, -1, 2, None], 5).classes.tolist() == [-1, 2]
    targets = read_targets([-1, 2, 3, 2, 3], 5)
    assert targets.kind == "binary"
    assert targets.classes.tolist() == [2, 3]
    assert targets.signs.ravel().tolist() == [0, -1, 1, -1, 1]
    # As text it is a label like any other.
    assert read_targets(["-1", "2", "3"] * 2, 6).classes.tolist() == ["-1", "2", "3"]


@pytest.mark.parametrize(
    "y",
    [
        [["a"], ["a", "b"], ["b", "c"], ["c"]],
        [("a",), {"a", "b"}, frozenset(["b", "c"]), np.array(["c"])],
        pd.Series([["a"], ["a", "b"], ["b", "c"], ["c"]]),
        [["a", "a"], ["b", "a"], ["c", "b"], ["c"]],
    ],
)
def test_lists_of_labels(y):
    targets = read_targets(y, 4)
    assert targets.kind == "multilabel"
    assert targets.classes.tolist() == ["a", "b", "c"]
    assert targets.signs.tolist() == SIGNS.tolist()


def test_none_is_unlabelled_and_an_empty_list_has_none_of_the_labels():
    targets = read_targets([["a"], None, [], ["a", "b"], ["b"]], 5)
    assert targets.signs.tolist() == [[1, -1], [0, 0], [-1, -1], [1, 1], [-1, 1]]
    assert targets.n_unlabelled == 1


def test_lists_of_one_label_each_are_multilabel():
    targets = read_targets([[0], [1], [0], [1]], 4)
    assert targets.kind == "multilabel"
    assert targets.signs.tolist() == [[1, -1], [-1, 1]] * 2


@pytest.mark.parametrize(
    "make",
    [
        np.asarray,
        lambda matrix: matrix.astype(bool),
        lambda matrix: matrix.astype(float),
        lambda matrix: matrix.astype(object),
        lambda matrix: matrix.tolist(),
        sparse.csr_array,
        sparse.csc_matrix,
        lambda matrix: sparse.coo_array(matrix.astype(bool)),
    ],
)
def test_indicator_matrices(make):
    targets = read_targets(make(INDICATOR), 4)
    assert targets.kind == "multilabel"
    assert targets.classes.tolist() == [0, 1, 2]
    assert targets.signs.tolist() == SIGNS.tolist()


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_columns_of_a_frame_name_the_labels_in_their_order(frame):
    targets = read_targets(frame(dict(zip(["z", "m", "a"], INDICATOR.T, strict=True))), 4)
    assert targets.classes.tolist() == ["z", "m", "a"]
    assert targets.signs.tolist() == SIGNS.tolist()


@pytest.mark.parametrize("missing", [NAN, None, pd.NA])
def test_unknown_entries_of_an_indicator_matrix(missing):
    matrix = INDICATOR.astype(object)
    matrix[0, 1] = missing
    matrix = np.vstack([matrix, [missing] * 3])
    expected = np.vstack([SIGNS, [0] * 3])
    expected[0, 1] = 0
    for y in (matrix, matrix.tolist(), pd.DataFrame(matrix)):
        targets = read_targets(y, 5)
        assert targets.signs.tolist() == expected.tolist()
        assert targets.n_unlabelled == 1


def test_a_stored_zero_and_a_stored_nan_of_a_sparse_matrix():
    y = sparse.csr_array((np.array([1.0, 0.0, NAN, 1.0]), ([0, 1, 2, 3], [0, 0, 0, 0])), shape=(4, 1))
    assert read_targets(y, 4).signs.ravel().tolist() == [1, -1, 0, 1]


def test_one_column_of_zeros_and_ones_is_one_task():
    targets = read_targets(np.array([[0], [1], [1]]), 3)
    assert targets.kind == "multilabel"
    assert targets.classes.tolist() == [0]
    assert targets.signs.tolist() == [[-1], [1], [1]]


@pytest.mark.parametrize("y", [np.array([[0], [1], [2]] * 2), pd.DataFrame({"topic": ["a", "b", "c"] * 2})])
def test_one_column_of_classes_is_a_vector_with_a_warning(y):
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed when a 1d array was expected"):
        targets = read_targets(y, 6)
    assert targets.kind == "multiclass"
    assert (targets.signs.argmax(axis=1) == [0, 1, 2, 0, 1, 2]).all()


def test_labels_of_a_corpus():
    single = read_targets(None, 5, corpus_with(["a", "b", None, "a", "b"]))
    assert (single.kind, single.n_unlabelled) == ("binary", 1)
    several = read_targets(None, 4, corpus_with([["a", "b"], ["a"], None, ["b"]]))
    assert (several.kind, several.n_unlabelled) == ("multilabel", 1)
    assert several.signs.tolist() == [[1, 1], [1, -1], [0, 0], [-1, 1]]


def test_given_labels_come_before_those_of_the_corpus():
    assert read_targets([1, 2, 1, 2], 4, corpus_with(["a", "b", "a", "b"])).classes.tolist() == [1, 2]


def test_names_of_scores():
    assert read_targets(["b", "a", "b", "a"], 4).names(np.array([0.5, -1.0])) == [("b",), ("a",)]
    assert read_targets([7, 8, 9] * 2, 6).names([[-3, -2, -4]]) == [(8,)]
    assert read_targets(INDICATOR, 4).names(SIGNS) == [(0,), (0, 1), (1, 2), (2,)]


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y to be passed, but the target y is None"),
        (["a", "b", "a"], r"labels for 3 documents, but there are 4 documents"),
        (INDICATOR[:3], r"labels for 3 documents, but there are 4 documents"),
        (sparse.csr_array(INDICATOR[:3]), r"labels for 3 documents, but there are 4 documents"),
        (["a"] * 4, r'1 class only: every labelled document \(4\) has "a"'),
        (np.ones(4), "1 class only"),
        ([None, "a", None, "a"], r"1 class only: every labelled document \(2\)"),
        ([["a"]] * 4, "one class"),
        ([[]] * 4, "no document has any label"),
        (np.zeros((4, 2)), "no document has any label"),
        ([None] * 4, "all 4 documents are unlabelled"),
        (np.full(4, NAN), "all 4 documents are unlabelled"),
        (np.full((4, 2), NAN), "all 4 documents are unlabelled"),
        ([0.5, 1.25, 2.0, 3.5], r"Unknown label type: continuous.*3 of 4; document 0 .*SupervisedLDA"),
        (np.array([0.0, 1, NAN, 3.5]), r"1 of 3; document 3 \(counted from 0\) has 3.5"),
        (np.array([[0.5, 0.1]] * 4), "Unknown label type: continuous-multioutput"),
        (np.array([0, 1, np.inf, 1]), "document 2 .*infinite"),
        (["a", "b", 3, "a"], r'document 2 \(counted from 0\) has 3 \(number\), but document 0 .* has "a" \(text\)'),
        ([True, False, 1, 0], "document 2 .*boolean"),
        ([["a"], "b", ["a"], ["b"]], 'document 1 .* has "b" where others have a list of labels'),
        ([["a"], ["b", None], ["a"], ["b"]], "document 1 .* has None among its labels"),
        ([b"a", b"b", b"a", b"b"], r"document 0 .*\(bytes\)"),
        (np.array([[0, 1], [2, 1], [0, 0], [1, 0]]), "document 1 .* has 2 in column 0"),
        (pd.DataFrame({"x": [0, 1, 1, 0], "y": ["a", "b", "a", "b"]}), 'document 0 .* has "a" in column "y"'),
        (pd.DataFrame(INDICATOR, columns=["x", "y", "x"]), 'several columns with the name "x"'),
        (np.zeros((4, 1, 1)), "3 dimensions"),
        ("abca", r'y is "abca" \(str\); give a list'),
        ({"a": 1}, r"\(dict\); give a list"),
        ({"a", "b"}, r"\(set\); give a list"),
        ([10**30, 5, 10**30, 5], "too large for a number"),
    ],
)
def test_what_is_refused(y, message):
    with pytest.raises(PlaitError, match=message):
        read_targets(y, 4)


def test_a_corpus_without_labels():
    with pytest.raises(PlaitError, match="the corpus has no labels"):
        read_targets(None, 1, Corpus.from_texts(["red"]))


def test_a_label_with_one_document_is_named_with_its_document():
    with pytest.raises(PlaitError, match=r'1 of 3 labels has fewer than 2 documents: "c" \(document "d2"\)'):
        read_targets(None, 5, corpus_with(["a", "b", "c", "a", "b"]))
    with pytest.raises(PlaitError, match=r'"b" \(document 0 \(counted from 0\)\).* allow them with min_documents=1'):
        read_targets(["b", "a", "a"], 3)
    assert read_targets(["b", "a", "a"], 3, min_documents=1).signs.ravel().tolist() == [1, -1, -1]


def test_many_rare_labels_are_counted_and_five_named():
    with pytest.raises(PlaitError, match=r"12 of 12 labels have fewer than 2 documents: 0 .*, 4 \([^,]*\) and 7 more;"):
        read_targets(list(range(12)), 12)


def test_a_column_without_documents_needs_min_documents_0():
    empty = np.column_stack([INDICATOR, np.zeros(4, dtype=int)])
    with pytest.raises(PlaitError, match=r"3 \(no document\).*min_documents=0"):
        read_targets(empty, 4)
    assert (read_targets(empty, 4, min_documents=0).signs[:, 3] == -1).all()


@pytest.mark.parametrize("y", [[1, None, 2.5], np.array([1, NAN, 2.5]), pd.Series([1, pd.NA, 2.5], dtype="Float64")])
def test_values_of_a_regression(y):
    values = read_values(y, 3)
    assert values.dtype == np.float64
    np.testing.assert_array_equal(values, [1, NAN, 2.5])


def test_one_column_of_values_is_a_vector_with_a_warning():
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed"):
        assert read_values(np.array([[1.5], [2.0]]), 2).tolist() == [1.5, 2.0]


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y to be passed, but the target y is None"),
        ([1, 2], "values for 2 documents, but there are 3 documents"),
        ([1, "2", 3], r'document 1 \(counted from 0\) has "2"; a regression needs numbers'),
        (np.array(["a", "b", "c"]), "needs numbers"),
        ([1, np.inf, 3], "document 1 .*infinite"),
        ([None, NAN, None], "no sample with a known value"),
        ([None, 2, None], "1 sample with a known value"),
        (np.zeros((3, 2)), "2 dimensions"),
        (3.5, "give a list or an array of numbers"),
    ],
)
def test_values_that_are_refused(y, message):
    with pytest.raises(PlaitError, match=message):
        read_values(y, 3)
