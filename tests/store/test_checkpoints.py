"""Checkpoints: atomic, checksummed, two generations, resumed on any executor; and what `resume` refuses."""

from __future__ import annotations

import json
import shutil
import signal
import sys
import textwrap
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import plait
from plait import LDA, LabelResponse, MedLDA, OnlineLDA, PlaitError, TopicModel
from plait.engine.state_files import StoredState
from plait.executors import Threads
from plait.store.checkpoints import remove_checkpoint
from tests.executors.processes import Pickled, Processes
from tests.executors.test_contract import CASES, COUNTS, LABELS, QUICK, assert_same_bits
from tests.forks import start_python
from tests.models.small import stopped_after

# Sweeps of these samplers are compiled for few tests.
pytestmark = pytest.mark.slow_with("linked, limit")

EXECUTORS = {"threads": lambda: Threads(2), "processes": Processes}


@pytest.fixture
def folder(tmp_path):
    """Checkpoints of an LDA after 0, 2 and 4 sweeps of 6; the last two are kept."""
    LDA(**QUICK).fit(COUNTS, checkpoint=tmp_path / "m.plait", checkpoint_every=2)
    return tmp_path / "m.plait.checkpoint"


def newest(folder):
    return sorted(folder.glob("generation-*"))[-1]


@pytest.mark.parametrize(("first", "second"), [("threads", "processes"), ("processes", "threads")])
@pytest.mark.parametrize("case", CASES)
def test_a_checkpoint_is_resumed_on_another_executor(case, first, second, tmp_path):
    model, targets = CASES[case]
    path = tmp_path / "m.plait"
    with EXECUTORS[first]() as executor:
        whole = clone(model).set_params(executor=executor)
        whole.fit(COUNTS, **targets, checkpoint=path, checkpoint_every=3)
    kept = plait.load(path)
    assert 0 < kept.n_sweeps_ < whole.n_sweeps_
    with EXECUTORS[second]() as executor:
        kept.set_params(executor=executor).resume(COUNTS, **targets)
    assert_same_bits(kept, whole)


def resume_with(path, executor, targets):
    """Resume a fit on an executor; return the model and the arrays of shards that this process read."""
    kept = plait.load(path)
    (state, _), found = kept._unfinished, []
    kept.set_params(executor=executor).resume(COUNTS, **targets)
    if "_joined" in vars(state):
        found = list(state)
    return kept, found


@pytest.mark.parametrize("case", CASES)
def test_shards_read_their_own_files(case, tmp_path):
    model, targets = CASES[case]
    whole = clone(model).fit(COUNTS, **targets, checkpoint=tmp_path / "m.plait", checkpoint_every=3)
    executor = Pickled()
    kept, read_here = resume_with(tmp_path / "m.plait", executor, targets)
    assert_same_bits(kept, whole)
    # Responses of links have pairs of documents of several shards, which the chain divides again.
    with_links = case.startswith("relational") or case == "combined"
    assert bool(read_here) == with_links
    assert ("read_checkpoint" in [method for method, _ in executor.sent]) == (not with_links)


@pytest.mark.parametrize("case", ["LDA", "MedLDA", "linked, limit"])
def test_files_that_a_worker_does_not_see_are_sent_to_it(case, tmp_path):
    class Elsewhere(Pickled):
        def each(self, method, message=None):
            if method == "read_checkpoint":
                message = StoredState({}, str(tmp_path / "not mounted here"), message.files)
            return super().each(method, message)

    model, targets = CASES[case]
    whole = clone(model).fit(COUNTS, **targets, checkpoint=tmp_path / "m.plait", checkpoint_every=3)
    kept, read_here = resume_with(tmp_path / "m.plait", Elsewhere(), targets)
    assert_same_bits(kept, whole)
    assert read_here


def test_a_checkpoint_that_was_removed_after_loading(folder):
    kept = plait.load(folder)
    shutil.rmtree(folder)
    with pytest.raises(PlaitError, match=r"has no shard-00000\.safetensors any more .*; load the checkpoint again"):
        kept.resume(COUNTS)


@pytest.mark.parametrize("every", [1, 4, 5])
def test_a_stream_is_resumed_from_its_checkpoint(every, tmp_path):
    times = [f"2020-{1 + number // 10:02d}-01" for number in range(30)]
    texts = [" ".join(f"w{word}" for word in row.nonzero()[0]) for row in COUNTS.toarray()]
    corpus = plait.Corpus.from_texts(texts, times=times, labels=[["a", "b", "c"][label] for label in LABELS])
    model = OnlineLDA(**QUICK, window=1, responses=[LabelResponse()])
    path = tmp_path / "m.plait"
    whole = clone(model).fit(corpus, times="month", checkpoint=path, checkpoint_every=every)
    kept = plait.load(path)
    assert len(kept.slices_) == 2  # the third was being learned
    assert_same_bits(kept.resume(corpus, times="month"), whole)
    assert kept.documents_.n_documents == 30
    assert [one.label for one in kept.slices_] == [one.label for one in whole.slices_]


def test_two_generations_are_kept_and_nothing_else(folder):
    assert sorted(path.name for path in folder.iterdir()) == ["generation-000002", "generation-000003", "shared"]
    assert sorted(path.name for path in newest(folder).iterdir()) == [
        "manifest.json", "shard-00000.safetensors", "shard-00001.safetensors", "shard-00002.safetensors",
        "state.safetensors",
    ]  # fmt: skip
    manifest = json.loads((newest(folder) / "manifest.json").read_bytes())
    assert (manifest["sweeps"], manifest["model"], len(manifest["shards"])) == (4, "LDA", 3)


def damage(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


DAMAGES = {
    "a shard": lambda made: damage(made / "shard-00001.safetensors"),
    "a truncated shard": lambda made: (made / "shard-00001.safetensors").write_bytes(b"12345"),
    "a missing shard": lambda made: (made / "shard-00001.safetensors").unlink(),
    "the state": lambda made: damage(made / "state.safetensors"),
    "the manifest": lambda made: damage(made / "manifest.json"),
    "no manifest": lambda made: (made / "manifest.json").unlink(),
    "a manifest of another kind": lambda made: (made / "manifest.json").write_text("[]"),
}


@pytest.mark.parametrize("case", DAMAGES)
def test_a_damaged_generation_falls_back_to_the_one_before(case, folder):
    DAMAGES[case](newest(folder))
    with pytest.warns(UserWarning, match=r"generation-000003: .*; the checkpoint before it is used, generation-000002"):
        kept = plait.load(folder)
    assert kept.n_sweeps_ == 2
    assert_same_bits(kept.resume(COUNTS), LDA(**QUICK).fit(COUNTS))


@pytest.mark.parametrize("name", ["../../../etc/passwd", "/etc/passwd", "fit-000001.safetensors/../../x"])
@pytest.mark.parametrize("field", ["fit", "samples", "shards"])
def test_a_manifest_cannot_name_other_files(folder, field, name):
    from plait.store.checkpoints import _manifest_digest

    for made in folder.glob("generation-*"):
        manifest = json.loads((made / "manifest.json").read_bytes())
        del manifest["digest"]
        manifest[field] = {"fit": name, "samples": [[name]], "shards": [{"name": name, "bytes": 1, "digest": ""}]}[
            field
        ]
        text = json.dumps({**manifest, "digest": _manifest_digest(manifest)})
        (made / "manifest.json").write_text(text)
    with pytest.raises(PlaitError, match=r"has no checkpoint that is whole .*that plait does not write"):
        plait.load(folder)


def test_a_folder_without_checkpoints(tmp_path):
    with pytest.raises(PlaitError, match="is a folder without checkpoints"):
        plait.load(tmp_path)


def test_a_model_of_a_checkpoint_has_no_results_before_it_is_resumed(folder, tmp_path):
    kept = plait.load(folder)
    assert kept.interrupted_
    for call in (kept.topics, lambda: kept.transform(COUNTS)):
        with pytest.raises(NotFittedError, match="this LDA is the checkpoint of an unfinished fit and has no results"):
            call()
    with pytest.raises(PlaitError, match="is not fitted; fit it before saving it"):
        plait.save(kept, tmp_path / "other.plait")


def test_saving_the_model_removes_its_checkpoint_and_no_other(folder):
    path = folder.with_name("m.plait")
    other = LDA(**QUICK | {"random_state": 7}).fit(COUNTS)
    plait.save(other, path)
    assert folder.exists()
    stopped = stopped_after(3, LDA(**QUICK).fit, COUNTS)
    plait.save(stopped, path)  # it has fewer sweeps
    assert folder.exists()
    (folder / "notes.txt").write_text("mine")
    plait.save(LDA(**QUICK).fit(COUNTS), path)
    assert [one.name for one in folder.iterdir()] == ["notes.txt"]


def test_a_new_fit_replaces_the_checkpoints_of_an_earlier_one(folder):
    path = folder.with_name("m.plait")
    other = LDA(**QUICK | {"n_topics": 4}).fit(COUNTS, checkpoint=path, checkpoint_every=5)
    assert sorted(one.name for one in folder.glob("g*")) == ["generation-000004", "generation-000005"]
    assert_same_bits(plait.load(path).resume(COUNTS), other)
    remove_checkpoint(folder)
    assert not folder.exists()


def test_what_a_killed_writer_left_is_removed(folder):
    (folder / ".generation-000009.tmp").mkdir()
    (folder / "shared" / "sample-000009-0000.safetensors").write_bytes(b"torn")
    kept = plait.load(folder)
    kept.resume(COUNTS, checkpoint=folder, checkpoint_every=1)
    assert sorted(one.name for one in folder.iterdir()) == ["generation-000004", "generation-000005", "shared"]
    assert not (folder / "shared" / "sample-000009-0000.safetensors").exists()


def test_ctrl_c_writes_a_checkpoint(tmp_path):
    stopped = stopped_after(3, LDA(**QUICK).fit, COUNTS, checkpoint=tmp_path / "m.plait", checkpoint_every=50)
    assert stopped.interrupted_
    assert plait.load(tmp_path / "m.plait").n_sweeps_ == 3


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"alpha": 0.5}, r"alpha was None, is 0\.5"),
        ({"n_topics": 4, "n_sweeps": 9}, "n_sweeps was 4, is 9; n_topics was 3, is 4"),
        ({"sampler": "aggregated"}, r"sampler was Plain\(\), is Aggregated\(\)"),
        ({"beta": np.full((3, 25), 0.1)}, r"beta was None, is array\(3, 25\) \w+"),
    ],
)
def test_another_parameter_is_refused(folder, changes, message):
    with pytest.raises(PlaitError, match=f"the parameters are not those that the fit began with: {message}; set them"):
        plait.load(folder).set_params(**changes).resume(COUNTS)


def test_another_parameter_of_a_part_is_refused(tmp_path):
    model = TopicModel(**QUICK, n_chains=1, responses=[LabelResponse(c=2.0)])
    model.fit(COUNTS, LABELS, checkpoint=tmp_path / "m", checkpoint_every=2)
    with pytest.raises(PlaitError, match=r"responses__labels__c was 2\.0, is 4\.0"):
        plait.load(tmp_path / "m").set_params(responses__labels__c=4.0).resume(COUNTS, LABELS)


def test_another_parameter_of_an_interrupted_model_is_refused(tmp_path):
    stopped = stopped_after(3, LDA(**QUICK).fit, COUNTS)
    for model in (stopped, plait.load(plait.save(stopped, tmp_path / "m.plait"))):
        model.set_params(alpha=0.5)
        with pytest.raises(PlaitError, match=r"alpha was None, is 0\.5"):
            model.resume(COUNTS)
        model.set_params(alpha=0.1)


def test_another_corpus_is_refused_with_what_differs(tmp_path):
    path = tmp_path / "m.plait"
    model = MedLDA(**QUICK, n_chains=1)
    model.fit(COUNTS, LABELS, checkpoint=path, checkpoint_every=2)
    swapped, fewer = COUNTS[[1, 0, *range(2, 30)]], COUNTS[:29]
    tokens = f"{COUNTS.sum():,}"
    for X, y, message in (
        (
            fewer,
            LABELS[:29],
            rf"documents was 30, is 29; tokens was {tokens}, is {fewer.sum():,}; labels was \w+, is \w+",
        ),
        (COUNTS, LABELS[::-1], r"labels was \w+, is \w+"),
        (swapped, LABELS, "the words of documents differ; their numbers are the same"),
    ):
        with pytest.raises(PlaitError, match=rf"the fit began with \({message}\); give the same corpus to resume"):
            plait.load(path).resume(X, y)


def test_shards_that_do_not_see_the_folder_are_an_error_before_the_first_sweep(tmp_path):
    class Elsewhere(Threads):
        """Shards on another machine, where the folder of the checkpoint is another one."""

        def each(self, method, message=None):
            if method == "write_checkpoint":
                (tmp_path / "other").mkdir(exist_ok=True)
                message = str(tmp_path / "other")
            return super().each(method, message)

    with pytest.raises(PlaitError, match=r"is not the same folder on all machines: a worker wrote shard-00000.*share"):
        LDA(**QUICK, executor=Elsewhere(1)).fit(COUNTS, checkpoint=tmp_path / "m.plait")


TERMINATED = """
    import os, signal, sys
    import plait
    from plait.engine.chain import Chain
    from tests.executors.test_contract import COUNTS, QUICK

    sweep = Chain.sweep

    def terminated(chain):
        if chain.n_sweeps == 2:
            os.kill(os.getpid(), signal.SIGTERM)
        return sweep(chain)

    Chain.sweep = terminated
    if sys.argv[2] == "handled":
        signal.signal(signal.SIGTERM, lambda *_: print("my own handler"))
    checkpoint = None if sys.argv[2] == "without" else sys.argv[1]
    plait.LDA(**QUICK).fit(COUNTS, checkpoint=checkpoint)
    print("done")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="SIGTERM ends a process at once")
@pytest.mark.parametrize("case", ["plain", "handled", "without"])
def test_sigterm_writes_a_checkpoint_before_the_process_ends(case, tmp_path):
    path = tmp_path / "m.plait"
    process = start_python(textwrap.dedent(TERMINATED), [path, case])
    printed, _ = process.communicate(timeout=120)
    if case == "handled":
        assert printed == "my own handler\ndone\n"
        return
    assert (process.returncode, printed) == (-signal.SIGTERM, "")
    if case == "plain":
        kept = plait.load(path)
        assert kept.n_sweeps_ == 3
        assert_same_bits(kept.resume(COUNTS), LDA(**QUICK).fit(COUNTS))


def test_a_copied_folder_is_as_good_as_the_first(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "copy")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert plait.load(tmp_path / "copy").n_sweeps_ == 4


def test_a_sample_with_weights_of_other_labels_is_refused(tmp_path):
    path = tmp_path / "m.plait"
    MedLDA(**QUICK, n_chains=2).fit(COUNTS, LABELS, checkpoint=path, checkpoint_every=2)
    kept = plait.load(path)
    sample = kept._unfinished[1][0].samples[0]
    sample.weights[0] = sample.weights[0][:2]
    with pytest.raises(PlaitError, match="the checkpoint is damaged: a sample has weights of other responses"):
        kept.resume(COUNTS, LABELS)
