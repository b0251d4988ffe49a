"""What a fitted model keeps of its documents: titles, ids or nothing, in memory and in its file."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import plait
from plait import LDA, Corpus, KnownDocuments, OnlineLDA, PlaitError
from plait.corpus.known_documents import join_documents
from tests.store.forging import forge, read

QUICK = {"n_topics": 2, "n_sweeps": 5, "n_samples": 1, "random_state": 0, "verbose": False}
TEXTS = ["river stream bank", "stream river", "money loan bank", "loan money money"] * 3


def rivers(**changes) -> Corpus:
    given = {
        "ids": [f"d{number}" for number in range(12)],
        "titles": [f"Title {number}" if number % 2 else None for number in range(12)],
        "times": [1990 + number // 4 for number in range(12)],
        "labels": [["water", "wet"], ["water"], ["money"], []] * 3,
        "splits": ["train"] * 8 + ["test"] * 4,
        "metadata": {"party": ["red", "blue", ""] * 4},
    }
    return Corpus.from_texts(TEXTS, **(given | changes))


def same(first: KnownDocuments, second: KnownDocuments) -> None:
    assert repr(first) == repr(second)
    assert first.labels == second.labels
    for name in ("ids", "titles", "excerpts", "splits", "times"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name), err_msg=name)
    assert (first.metadata is None) == (second.metadata is None)
    for name, values in (first.metadata or {}).items():
        np.testing.assert_array_equal(values, second.metadata[name])


def test_a_model_keeps_the_documents_that_it_was_fitted_to():
    corpus = rivers()
    known = LDA(**QUICK).fit(corpus).documents_
    assert len(known) == 12
    same(known, KnownDocuments.from_corpus(corpus))
    assert known.name(1) == "Title 1"
    assert known.name(0) == known.excerpt(0) == "river stream bank"
    assert known.title(0) == ""
    assert known.id(3) == "d3"
    assert str(known.time(4)) == "1991-01-01T00:00:00"
    assert repr(known) == ("KnownDocuments(12 documents: ids, titles, excerpts, splits, times, labels, party)")


@pytest.mark.parametrize(("keep", "ids"), [("ids", True), ("nothing", False)])
def test_a_model_keeps_no_more_than_it_may(keep, ids, tmp_path):
    model = LDA(**QUICK, keep=keep).fit(rivers())
    known = model.documents_
    assert (known.ids is not None) is ids
    assert (model.doc_ids_ is not None) is ids
    for name in ("titles", "excerpts", "splits", "times", "labels", "metadata"):
        assert getattr(known, name) is None, name
    content = plait.save(model, tmp_path / "m.plait").read_bytes()
    assert b"Title 1" not in content
    assert b"river stream bank" not in content
    assert (b"d11" in content) is ids
    assert plait.load(tmp_path / "m.plait").keep == keep


def test_what_is_kept_does_not_change_the_model():
    models = [LDA(**QUICK, keep=keep).fit(rivers()) for keep in ("titles", "ids", "nothing")]
    for model in models[1:]:
        np.testing.assert_array_equal(model.topic_word_, models[0].topic_word_)


def test_keep_is_checked():
    with pytest.raises(PlaitError, match="keep must be 'titles', 'ids' or 'nothing', not 'all'"):
        LDA(keep="all").fit(rivers())


def test_a_matrix_has_documents_without_names():
    model = LDA(**QUICK).fit(rivers().counts)
    assert repr(model.documents_) == "KnownDocuments(12 documents: nothing kept)"
    assert model.documents_.name(3) == model.documents_.id(3) == "3"
    assert not model.documents_.has_names()
    assert model.doc_ids_ is None


@pytest.mark.parametrize("changes", [{}, {"titles": None, "labels": None, "times": None, "metadata": None}])
def test_files_keep_documents(tmp_path, changes):
    model = LDA(**QUICK).fit(rivers(**changes))
    again = plait.load(plait.save(model, tmp_path / "m.plait"))
    same(again.documents_, model.documents_)
    assert again.doc_ids_ is again.documents_.ids
    assert plait.save(again, tmp_path / "again.plait").read_bytes() == (tmp_path / "m.plait").read_bytes()
    same(pickle.loads(pickle.dumps(model)).documents_, model.documents_)
    same(copy.deepcopy(model).documents_, model.documents_)


def test_ids_are_stored_once(tmp_path):
    _, tensors = read(plait.save(LDA(**QUICK).fit(rivers()), tmp_path / "m.plait"))
    assert [name for name in tensors if "ids" in name] == ["doc_ids_.offsets", "doc_ids_.utf8"]


def test_a_record_cannot_be_changed():
    known = KnownDocuments.from_corpus(rivers())
    with pytest.raises(AttributeError):
        known.ids = None
    with pytest.raises(ValueError, match="read-only"):
        known.titles[0] = "x"
    with pytest.raises(TypeError):
        known.metadata["party"] = None


def shorter(name):
    def change(manifest, tensors):
        fields = manifest["fitted"]["documents_"]["documents"]
        packed = fields["metadata"]["dict"]["party"] if name == "party" else fields[name]
        offsets = packed["text"]["offsets"]
        tensors[offsets] = tensors[offsets][[*range(11), 12]]  # 11 texts
        packed["text"]["shape"] = [11]

    return change


def set_field(name, value):
    def change(manifest, tensors):
        manifest["fitted"]["documents_"]["documents"][name] = value

    return change


def set_numbers(name, change_numbers):
    def change(manifest, tensors):
        tensor = manifest["fitted"]["documents_"]["documents"][name]["array"]["tensor"]
        tensors[tensor] = change_numbers(tensors[tensor].copy())

    return change


def put(place, value):
    def change(numbers):
        numbers[place] = value
        return numbers

    return change


@pytest.mark.parametrize(
    "change",
    [
        shorter("titles"),
        shorter("excerpts"),
        shorter("splits"),
        shorter("party"),
        set_field("n_documents", 11),
        set_field("n_documents", "12"),
        set_field("n_documents", -1),
        set_field("titles", ["a", "b"]),
        set_field("titles", {"array": {"tensor": "topic_word_", "order": "C"}}),
        set_field("metadata", []),
        set_field("metadata", {"dict": {"party": 3}}),
        set_field("label_names", None),
        set_field("seconds", "now"),
        set_numbers("seconds", put(0, 2**60)),
        set_numbers("seconds", lambda numbers: numbers[:5]),
        set_numbers("label_numbers", put(0, 99)),
        set_numbers("label_numbers", put(0, -1)),
        set_numbers("label_ends", put(3, 99)),
        set_numbers("label_ends", lambda numbers: numbers[:-1]),
        lambda manifest, tensors: manifest["fitted"].update(doc_ids_=None),
        lambda manifest, tensors: manifest["fitted"].update(documents_=None),
        lambda manifest, tensors: manifest["fitted"].update(documents_="x"),
    ],
)
def test_forged_documents_are_refused(tmp_path, change):
    path = forge(plait.save(LDA(**QUICK).fit(rivers()), tmp_path / "m.plait"), change)
    with pytest.raises(PlaitError, match="damaged"):
        plait.load(path)


def test_a_forged_excerpt_cannot_be_long(tmp_path):
    model = LDA(**QUICK).fit(rivers())
    path = plait.save(model, tmp_path / "m.plait")

    def longer(manifest, tensors):
        texts = manifest["fitted"]["documents_"]["documents"]["excerpts"]["text"]
        tensors[texts["utf8"]] = np.concatenate([np.full(500, 120, np.uint8), tensors[texts["utf8"]]])
        tensors[texts["offsets"]] = np.concatenate([[0], tensors[texts["offsets"]][1:] + 500])

    with pytest.raises(PlaitError, match="more than 200 characters"):
        plait.load(forge(path, longer))


def test_a_file_without_documents_has_the_ids(tmp_path):
    model = LDA(**QUICK).fit(rivers())
    path = plait.save(model, tmp_path / "m.plait")

    def earlier(manifest, tensors):
        del manifest["fitted"]["documents_"]
        del manifest["parameters"]["keep"]

    again = plait.load(forge(path, earlier))
    assert again.keep == "titles"
    assert repr(again.documents_) == "KnownDocuments(12 documents: ids)"


def test_documents_of_a_stream_are_aligned_with_its_topics(tmp_path):
    corpus = rivers()
    model = OnlineLDA(**QUICK).fit(corpus, times="year")
    same(model.documents_, KnownDocuments.from_corpus(corpus))
    assert len(model.doc_topic_) == len(model.documents_)
    assert model.doc_ids_ is model.documents_.ids
    late = rivers(times=[1999] * 12, ids=[f"late {number}" for number in range(12)])[:3]
    model.partial_fit(late)
    same(model.documents_, KnownDocuments.from_corpus(late))
    again = plait.load(plait.save(model, tmp_path / "m.plait"))
    same(again.documents_, model.documents_)


def test_an_interrupted_stream_keeps_the_documents_of_its_slices(tmp_path):
    corpus = rivers()
    model = OnlineLDA(**QUICK)
    path = tmp_path / "m.plait"
    model.fit(corpus, times="year", checkpoint=path, checkpoint_every=1)
    unfinished = plait.load(path)
    assert unfinished.interrupted_
    unfinished.resume(corpus, times="year")
    same(unfinished.documents_, KnownDocuments.from_corpus(corpus))


def test_selected_and_joined_records():
    known = KnownDocuments.from_corpus(rivers())
    same(join_documents([known.select(slice(0, 5)), known.select(np.arange(5, 12))]), known)
    joined = join_documents([known.select(slice(0, 1)), KnownDocuments(2, np.array(["x", "y"], dtype=object))])
    assert joined.ids.tolist() == ["d0", "x", "y"]
    assert joined.titles.tolist() == ["", "", ""]
    assert joined.labels == (("water", "wet"), (), ())
    assert joined.metadata["party"].tolist() == ["red", "", ""]
    assert np.isnat(joined.times).tolist() == [False, True, True]
    assert join_documents([known, KnownDocuments(1)]).ids is None


def test_fields_by_name():
    known = KnownDocuments.from_corpus(rivers())
    assert known.field("label")[:3] == (("water", "wet"), ("water",), ("money",))
    assert known.field("split")[-1] == ("test",)
    assert known.field("party")[:3] == (("red",), ("blue",), ())
    with pytest.raises(PlaitError, match="no field 'parti' of its documents; it knows label, split, 'party'"):
        known.field("parti")
    with pytest.raises(PlaitError, match="no field 'label' of its documents; read the corpus"):
        KnownDocuments(3).field("label")


def test_a_record_as_a_frame():
    frame = KnownDocuments.from_corpus(rivers()).to_frame()
    assert frame.columns == ["id", "title", "excerpt", "split", "time", "labels", "party"]
    assert frame["title"].to_list()[:2] == ["", "Title 1"]
    assert frame["time"].dt.year().to_list() == [1990] * 4 + [1991] * 4 + [1992] * 4
    assert KnownDocuments(2).to_frame().to_dict(as_series=False) == {"id": ["0", "1"]}
