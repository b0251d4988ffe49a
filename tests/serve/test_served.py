"""The served model: renamed in one step, replaced when its file is, shared by workers."""

from __future__ import annotations

import shutil
import time

import pytest

import plait
from plait._utils.locking import lock_for_writing
from plait.serve import served as served_module
from plait.serve.served import ServedModel

from .conftest import open_client


@pytest.fixture
def own_file(plain_file, tmp_path):
    return shutil.copy(plain_file, tmp_path / "own.plait")


def test_topics_are_renamed_only_with_edit(own_file):
    before = own_file.read_bytes()
    client = open_client(own_file)
    assert "Name of the topic" not in client.get("/topics/1").text
    response = client.put("/api/topics/1/name", json={"name": "finance"})
    assert response.status_code == 403
    assert "--edit" in response.json()["error"]
    assert client.post("/topics/1/name", data={"name": "finance"}).status_code == 403
    assert own_file.read_bytes() == before


def test_renamed_topics_are_saved(own_file):
    client = open_client(own_file, edit=True)
    shares = client.post("/api/transform", json={"texts": ["river"]}).json()
    page = client.post("/topics/1/name", data={"name": " money <b> "}).text
    assert "money &lt;b&gt;" in page
    assert plait.load(own_file).topic_names_[1] == "money <b>"
    assert client.put("/api/topics/0/name", json={"name": "nature"}).json() == {"topic": 0, "label": "nature"}
    model = plait.load(own_file)
    assert model.topic_names_[:2] == ["nature", "money <b>"]
    assert model.n_jobs == plait.load(own_file).n_jobs
    assert client.post("/api/transform", json={"texts": ["river"]}).json() == shares
    assert client.put("/api/topics/0/name", json={"name": None}).status_code == 200
    assert plait.load(own_file).topic_names_[0] == ""
    assert client.put("/api/topics/9/name", json={"name": "x"}).status_code == 404
    assert client.put("/api/topics/0/name", json={"name": "x" * 201}).status_code == 422


def test_parameters_of_the_file_are_kept(tmp_path):
    model = plait.LDA(2, n_sweeps=5, n_samples=1, random_state=0, verbose=False, n_jobs=2).fit(["red fox", "sea"] * 3)
    path = plait.save(model, tmp_path / "jobs.plait")
    ServedModel(path, edit=True).rename(0, "animals")
    again = plait.load(path)
    assert (again.n_jobs, again.topic_names_[0]) == (2, "animals")


def test_two_workers_keep_the_names_of_both(own_file):
    first, second = ServedModel(own_file, edit=True), ServedModel(own_file, edit=True)
    first.rename(0, "one")
    second.rename(1, "two")
    assert plait.load(own_file).topic_names_[:2] == ["one", "two"]
    assert second.snapshot().catalogue.topics[0]["label"] == "one"


def test_a_model_that_is_being_written_is_not_renamed(own_file):
    import threading

    client = open_client(own_file, edit=True)
    held, release = threading.Event(), threading.Event()

    def hold():
        with lock_for_writing(own_file):
            held.set()
            release.wait(20)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(20)
    response = client.put("/api/topics/0/name", json={"name": "x"})
    release.set()
    thread.join()
    assert response.status_code == 503
    assert response.headers["retry-after"] == "1"


def test_a_replaced_file_is_loaded(own_file, monkeypatch):
    monkeypatch.setattr(served_module, "_CHECK_EVERY", 0.0)
    served = ServedModel(own_file, edit=False)
    plait.save(plait.load(own_file).name_topics({2: "new"}), own_file)
    _wait(lambda: served.snapshot().catalogue.topics[2]["label"] == "new")
    other = own_file.with_name("broken")
    other.write_bytes(b"broken")
    other.replace(own_file)
    _wait(lambda: bool(served.snapshot()) and served.problem != "")
    assert served.snapshot().catalogue.topics[2]["label"] == "new"


def _wait(is_so):
    end = time.monotonic() + 20
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.02)
