"""Prepared corpora: what is written is read again, in pieces; damaged and forged files are errors."""

from __future__ import annotations

import contextlib
import json
import pickle
import random

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from plait import Corpus, CorpusError, PlaitError, TextOptions, prepare_corpus, read_corpus
from plait.corpus.prepared import prepare, spool, writer
from plait.corpus.prepared.files import digest_bytes, write_arrays
from plait.corpus.prepared.manifest import NAME, read_manifest

WORDS = [f"word{chr(97 + number % 26)}{chr(97 + number // 26)}" for number in range(150)]


@pytest.fixture(autouse=True)
def small_files(monkeypatch):
    """Make files so small that a few documents need several."""
    for module in (writer, spool):
        monkeypatch.setattr(module, "MOST_ENTRIES", 120)
        monkeypatch.setattr(module, "MOST_DOCUMENTS", 25)


def write_documents(path, first, last, words=WORDS, seed=0):
    """Write documents with every field as JSON lines."""
    rng = random.Random(seed)
    with path.open("w") as file:
        for number in range(first, last):
            row = {
                "id": f"d{number}",
                "text": " ".join(rng.choices(words, k=20)),
                "labels": rng.sample(["a", "b", "c"], number % 3),
                "title": f"Title {number}" if number % 2 else "",
                "date": f"19{number % 90 + 10}-02-03",
                "split": "train" if number % 5 else "test",
                "party": "x" * (number % 4),
            }
            file.write(json.dumps(row) + "\n")
    return path


def assert_same(stored, memory):
    """Compare all fields of two corpora."""
    assert stored.shape == memory.shape
    assert len(stored) == len(memory)
    assert stored.counts.dtype == memory.counts.dtype
    for name in ("data", "indices", "indptr"):
        assert np.array_equal(getattr(stored.counts, name), getattr(memory.counts, name)), name
    for name in ("ids", "vocabulary", "titles", "times", "splits", "excerpts"):
        mine, other = getattr(stored, name), getattr(memory, name)
        assert (mine is None) == (other is None), name
        assert mine is None or np.array_equal(mine, other), name
    assert stored.labels == memory.labels
    assert (stored.links is None) == (memory.links is None)
    assert stored.links is None or (stored.links != memory.links).nnz == 0
    assert {name: values.tolist() for name, values in (stored.metadata or {}).items()} == {
        name: values.tolist() for name, values in (memory.metadata or {}).items()
    }
    assert stored.text_options == memory.text_options
    assert stored.skipped == memory.skipped
    assert stored.n_tokens == memory.n_tokens
    assert np.array_equal(stored.lengths, memory.lengths)
    assert repr(stored) == repr(memory)


@pytest.mark.parametrize(
    "options", [{}, {"min_df": 15}, {"max_words": 40}, {"phrases": True}, {"stop_words": ["wordaa"]}]
)
def test_preparing_gives_the_corpus_that_reading_gives(options, tmp_path):
    path = write_documents(tmp_path / "papers.jsonl", 0, 120)
    options = options | {"metadata": ["party"]}
    stored = prepare_corpus(path, tmp_path / "papers.corpus", **options)
    memory = read_corpus(path, **options)
    assert len(stored.manifest.words) > 5
    assert_same(stored, memory)
    assert_same(read_corpus(tmp_path / "papers.corpus"), memory)
    assert stored.fields == memory.fields
    stored.check()
    assert sorted(one.name for one in tmp_path.iterdir()) == ["papers.corpus", "papers.jsonl"]


def test_writing_a_corpus_gives_it_back(tmp_path):
    corpus = read_corpus(write_documents(tmp_path / "papers.jsonl", 0, 60), links=[("d0", "d7", 2.0), ("d9", "d0")])
    stored = corpus.write(tmp_path / "papers.corpus")
    assert_same(stored, corpus)
    assert_same(stored.write(tmp_path / "again.corpus"), corpus)  # read chunk by chunk
    assert stored.manifest.counts_digest == read_manifest(tmp_path / "again.corpus").counts_digest


@pytest.mark.parametrize("form", ["csv", "folder", "uci", "svmlight", "counts"])
def test_every_format_is_prepared(form, tmp_path):
    options = {}
    if form == "csv":
        path = tmp_path / "papers.csv"
        path.write_text("id,text\n" + "".join(f"d{n},red fox number{n % 3}\n" for n in range(60)))
    elif form == "folder":
        path = tmp_path / "texts"
        for n in range(60):
            (path / "ab"[n % 2]).mkdir(parents=True, exist_ok=True)
            (path / "ab"[n % 2] / f"{n:02d}.txt").write_text(f"red fox number{n % 3}")
    elif form == "uci":
        path = tmp_path / "docword.made.txt"
        path.write_text("30\n4\n60\n" + "".join(f"{n} {1 + n % 4} 2\n{n} {1 + (n + 1) % 4} 1\n" for n in range(1, 31)))
        (tmp_path / "vocab.made.txt").write_text("one\ntwo\nthree\nfour\n")
    elif form == "svmlight":
        path = tmp_path / "made.svm"
        path.write_text("".join(f"{n % 2} {1 + n % 4}:2 {6 + n % 3}:1\n" for n in range(60)))
    else:
        path, options = tmp_path / "made.jsonl", {"fractional": True}
        rows = [{"id": str(n), "counts": {"a": 0.25 + n, "b": 0.5}} for n in range(60)]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert_same(prepare_corpus(path, tmp_path / "made.corpus", **options), read_corpus(path, **options))


def test_documents_are_read_in_pieces(tmp_path):
    memory = read_corpus(write_documents(tmp_path / "papers.jsonl", 0, 90))
    stored = memory.write(tmp_path / "papers.corpus")
    rows = np.array([80, 3, 4, 41, 2])
    for which in (rows, slice(10, 60), slice(None, None, 7), memory.splits == "test", ["d4", "d1"], []):
        part, expected = stored[which], memory[which]
        assert type(part) is Corpus
        assert_same(part, expected)
    assert stored[17] == memory[17]
    assert [one.id for one in stored][:3] == ["d0", "d1", "d2"]
    assert_same(stored.part("train"), memory.part("train"))
    assert_same(stored.with_vocabulary(WORDS[:9]), memory.with_vocabulary(WORDS[:9]))
    assert [len(one) for _, one in stored.slice_by_time("year")] == [
        len(one) for _, one in memory.slice_by_time("year")
    ]
    assert stored.word_counts.sum() == memory.counts.sum()
    assert (stored.word_counts.sum(axis=0) == memory.counts.sum(axis=0)).all()


def test_opening_reads_the_manifest_alone(tmp_path):
    folder = read_corpus(write_documents(tmp_path / "papers.jsonl", 0, 60)).write(tmp_path / "p.corpus").folder
    for file in folder.glob("*.safetensors"):
        file.unlink()
    stored = read_corpus(folder)
    assert stored.shape == (60, 150)
    with pytest.raises(CorpusError, match="cannot be read"):
        _ = stored.ids


def test_a_pickle_is_the_folder(tmp_path, monkeypatch):
    stored = read_corpus(write_documents(tmp_path / "papers.jsonl", 0, 90)).write(tmp_path / "papers.corpus")
    monkeypatch.chdir(tmp_path)
    sent = pickle.dumps(read_corpus("papers.corpus"))
    assert len(sent) < 1000
    monkeypatch.chdir("/")
    assert_same(pickle.loads(sent), stored)


def test_appending_gives_the_merged_corpus(tmp_path):
    first = write_documents(tmp_path / "first.jsonl", 0, 70)
    second = write_documents(tmp_path / "second.jsonl", 70, 110, [*WORDS, "newest", "newer"], seed=1)
    folder = tmp_path / "papers.corpus"
    before = prepare_corpus(first, folder, min_df=8, metadata=["party"])
    stored = prepare_corpus(second, folder, append=True, metadata=["party"])
    memory = read_corpus(first, min_df=8, metadata=["party"])
    expected = memory.merge(read_corpus(second, like=memory, metadata=["party"]))
    assert "newest" in stored.vocabulary
    assert_same(stored, expected)
    stored.check()
    assert len(list(folder.glob("*.safetensors"))) == len(stored.manifest.files()) + 2  # vocabulary and sizes before
    assert_same(before, memory)  # opened before, and still there
    assert stored.manifest.counts_digest == expected.write(tmp_path / "whole.corpus").manifest.counts_digest


def test_limits_of_an_append_are_about_new_words(tmp_path):
    folder = tmp_path / "papers.corpus"
    before = prepare_corpus(write_documents(tmp_path / "first.jsonl", 0, 70), folder)
    words = [*WORDS[:20], *["newest"] * 10, "rare"]
    stored = prepare_corpus(write_documents(tmp_path / "second.jsonl", 70, 80, words), folder, append=True, min_df=8)
    assert stored.vocabulary.tolist() == [*before.vocabulary, "newest"]


def test_appended_links_may_point_to_earlier_documents(tmp_path):
    folder = tmp_path / "papers.corpus"
    rows = [{"id": name, "tokens": ["a", "b"]} for name in "pqrs"]
    for name, part, links in (("one", rows[:2], [("p", "q")]), ("two", rows[2:], [("r", "p"), ("s", "r"), ("q", "p")])):
        path = tmp_path / f"{name}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in part))
        stored = prepare_corpus(path, folder, append=name == "two", links=links)
    dense = np.zeros((4, 4))
    dense[[0, 2, 3, 1], [1, 0, 2, 0]] = 1.0
    assert (stored.links.toarray() == dense).all()


@pytest.mark.parametrize(
    ("row", "options", "message"),
    [
        ({"id": "d0", "text": "wordaa wordab"}, {}, "an earlier document has the id"),
        ({"id": "new", "tokens": ["wordaa"]}, {}, "append documents of the same form"),
        ({"id": "new", "counts": {"wordaa": 1.5}}, {"fractional": True}, "has whole counts"),
        ({"id": "new", "text": "wordaa"}, {"language": "German"}, "language and like are both given"),
    ],
)
def test_what_cannot_be_appended(row, options, message, tmp_path):
    folder = prepare_corpus(write_documents(tmp_path / "first.jsonl", 0, 30), tmp_path / "p.corpus").folder
    before = {one.name: one.read_bytes() for one in folder.iterdir()}
    (tmp_path / "more.jsonl").write_text(json.dumps(row))
    with pytest.raises(CorpusError, match=message):
        prepare_corpus(tmp_path / "more.jsonl", folder, append=True, **options)
    assert {one.name: one.read_bytes() for one in folder.iterdir()} == before


def test_existing_folders_are_not_replaced_unasked(tmp_path):
    path = write_documents(tmp_path / "papers.jsonl", 0, 30)
    folder = prepare_corpus(path, tmp_path / "p.corpus").folder
    with pytest.raises(PlaitError, match="is a prepared corpus already"):
        prepare_corpus(path, folder)
    assert len(prepare_corpus(write_documents(path, 0, 7), folder, overwrite=True)) == 7
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(PlaitError, match="is not a prepared corpus, so it is not replaced"):
        prepare_corpus(path, tmp_path / "mine", overwrite=True)
    with pytest.raises(PlaitError, match="there is no folder"):
        prepare_corpus(path, tmp_path / "no" / "p.corpus")
    with pytest.raises(CorpusError, match="nothing can be appended"):
        prepare_corpus(path, tmp_path / "q.corpus", append=True)
    with pytest.raises(CorpusError, match="is a prepared corpus already; give the files"):
        prepare_corpus(folder, tmp_path / "q.corpus")


@pytest.mark.parametrize("append", [False, True])
def test_an_interrupted_run_leaves_the_corpus_as_it_was(append, tmp_path, monkeypatch):
    folder, path = tmp_path / "p.corpus", write_documents(tmp_path / "papers.jsonl", 0, 60)
    if append:
        prepare_corpus(path, folder)
        path = write_documents(tmp_path / "more.jsonl", 60, 120)
    before = {one.name: one.read_bytes() for one in folder.iterdir()} if append else None

    def stop(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(writer.Manifest, "write", stop)
    with pytest.raises(KeyboardInterrupt):
        prepare_corpus(path, folder, append=append)
    assert ({one.name: one.read_bytes() for one in folder.iterdir()} if append else None) == before
    assert not folder.exists() or len(read_corpus(folder)) == 60
    assert not [one for one in tmp_path.iterdir() if one.name.startswith(".")]


@pytest.mark.parametrize("option", [{"text": "text"}, {"min_df": 2}, {"language": "en"}, {"links": [("d0", "d1")]}])
def test_options_of_reading_come_too_late(option, tmp_path):
    folder = prepare_corpus(write_documents(tmp_path / "papers.jsonl", 0, 30), tmp_path / "p.corpus").folder
    with pytest.raises(CorpusError, match=r"is a prepared corpus: its documents were read .* leave .* out"):
        read_corpus(folder, **option)


# Damage -------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Return a prepared corpus with every kind of file."""
    folder = tmp_path_factory.mktemp("whole")
    path = write_documents(folder / "papers.jsonl", 0, 30)
    corpus = read_corpus(path, metadata=["party"], links=[("d0", "d1"), ("d2", "d1")])
    return corpus.write(folder / "p.corpus").folder


def copy_of(whole, tmp_path):
    """Return a copy of a folder that may be damaged."""
    folder = tmp_path / "p.corpus"
    folder.mkdir(exist_ok=True)
    for file in whole.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    return folder


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_changed_byte_is_found(data, whole, tmp_path):
    folder = copy_of(whole, tmp_path)
    files = sorted(folder.iterdir())
    file = data.draw(st.sampled_from(files))
    content = bytearray(file.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= data.draw(st.integers(1, 255))
    file.write_bytes(content)
    if file.name == NAME:
        with contextlib.suppress(ValueError):
            # White space of the manifest may change.
            assume(json.loads(bytes(content)) != json.loads((whole / NAME).read_bytes()))
    with pytest.raises(CorpusError, match=f"{file.name.split('-')[0]}.*(is damaged|this version of plait)"):
        read_corpus(folder).check()


@pytest.mark.parametrize("damage", ["missing", "short", "not JSON", "a list", "format", "sizes"])
def test_damaged_folders(damage, whole, tmp_path):
    folder = copy_of(whole, tmp_path)
    manifest = json.loads((folder / NAME).read_text())
    if damage == "missing":
        (folder / manifest["words"][0][2][0]).unlink()
    elif damage == "short":
        file = folder / manifest["words"][0][2][0]
        file.write_bytes(file.read_bytes()[:-1])
    elif damage == "not JSON":
        (folder / NAME).write_text("{")
    elif damage == "a list":
        (folder / NAME).write_text("[]")
    else:
        manifest["format" if damage == "format" else "n_documents"] = 99
        forge(folder, manifest)
    messages = {
        "missing": "cannot be read",
        "short": "bytes, not",
        "format": "upgrade plait",
        "sizes": "its parts have",
    }
    with pytest.raises(CorpusError, match=messages.get(damage, "is damaged")):
        read_corpus(folder).check()


def forge(folder, manifest):
    """Write a manifest with a valid digest."""
    manifest.pop("digest", None)
    text = json.dumps(manifest, ensure_ascii=False, indent=1)
    manifest = {"digest": digest_bytes(text.encode()), **manifest}
    (folder / NAME).write_text(json.dumps(manifest, ensure_ascii=False, indent=1))


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("words", lambda array: array + 10**6),
        ("words", lambda array: -array - 1),
        ("words", lambda array: array[::-1].copy()),
        ("words", lambda array: array[:-1]),
        ("words", lambda array: array.astype(np.float64)),
        ("starts", lambda array: array + 1),
        ("starts", lambda array: array[::-1].copy()),
        ("counts", lambda array: array * 0),
        ("counts", lambda array: -array),
        ("counts", lambda array: array + 1),
    ],
)
def test_forged_counts_are_errors_before_they_are_used(name, change, whole, tmp_path):
    """Whoever forges a file computes its digests, too."""
    from plait.corpus.prepared.files import read_arrays

    folder = copy_of(whole, tmp_path)
    manifest = json.loads((folder / NAME).read_text())
    record = read_manifest(folder).words[0].file
    arrays = read_arrays(folder, record)
    arrays[name] = change(arrays[name])
    manifest["words"][0][2] = list(write_arrays(folder, record.name, arrays))
    forge(folder, manifest)
    stored = read_corpus(folder)
    with pytest.raises(CorpusError, match="is damaged"):
        stored.check()
    from plait import LDA

    with pytest.raises(CorpusError, match="is damaged"):
        LDA(2, n_sweeps=1, n_samples=1, verbose=False).fit(stored)


@pytest.mark.parametrize("name", ["../papers.jsonl", "words-000000.safetensors/..", "C:words-0.safetensors", 7])
def test_files_outside_the_folder_are_refused(name, whole, tmp_path):
    folder = copy_of(whole, tmp_path)
    manifest = json.loads((folder / NAME).read_text())
    manifest["vocabulary"][0] = name
    forge(folder, manifest)
    with pytest.raises(CorpusError, match="does not describe a file"):
        read_corpus(folder)


def test_two_writers_do_not_mix(tmp_path):
    from plait._utils.locking import lock_for_writing

    path = write_documents(tmp_path / "papers.jsonl", 0, 30)
    folder = prepare_corpus(path, tmp_path / "p.corpus").folder
    more = write_documents(tmp_path / "more.jsonl", 30, 40)
    import threading

    errors = []

    def append():
        try:
            prepare_corpus(more, folder, append=True)
        except PlaitError as error:
            errors.append(str(error))

    with lock_for_writing(folder / prepare.NAME):
        thread = threading.Thread(target=append)
        thread.start()
        thread.join()
    assert len(errors) == 1
    assert len(read_corpus(folder)) == 30


def test_a_corpus_of_a_function_is_opened_without_it(tmp_path):
    corpus = Corpus.from_texts(["red fox", "blue fox"], tokenizer=str.split)
    stored = corpus.write(tmp_path / "p.corpus")
    assert stored.text_options.differences(corpus.text_options) == []
    assert isinstance(stored.text_options, TextOptions)


def test_memory_of_counts_is_given_back(tmp_path):
    """`counts` of a prepared corpus are kept only as long as somebody uses them."""
    stored = Corpus.from_matrix(csr_array(np.eye(50, dtype=int)), vocabulary=WORDS[:50]).write(tmp_path / "p.corpus")
    counts = stored.counts
    assert stored.counts is counts
    del counts
    assert stored.__dict__["_counts"]() is None
