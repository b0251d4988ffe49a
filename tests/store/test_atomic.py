"""Atomic replacement of files: errors, permissions, links and pipes."""

from __future__ import annotations

import os
import stat

import pytest

from plait.errors import PlaitError
from plait.store import load, save
from tests.store.small import fitted, same

needs_posix = pytest.mark.skipif(os.name != "posix", reason="permissions, links and pipes as on POSIX")


@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device"), KeyboardInterrupt(), MemoryError()], ids=repr
)
@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failure_leaves_the_old_file_and_nothing_else(file, monkeypatch, step, error):
    def fail(*_):
        raise error

    before = file.read_bytes()
    monkeypatch.setattr(os, step, fail)
    expected = PlaitError if isinstance(error, OSError) else type(error)
    with pytest.raises(expected) as caught:
        save(fitted(), file)
    if expected is PlaitError:
        reason = "could not be written: No space left on device; what was there before is unchanged"
        assert str(caught.value) == f"{file} {reason}"
    assert file.read_bytes() == before
    assert list(file.parent.iterdir()) == [file]


def test_the_file_is_synced_before_it_is_renamed(file, small, monkeypatch):
    steps = []
    for step in ("fsync", "replace"):
        real = getattr(os, step)
        monkeypatch.setattr(os, step, lambda *given, step=step, real=real: [steps.append(step), real(*given)])
    save(small, file)
    assert steps == ["fsync", "replace", "fsync"] or (os.name == "nt" and steps[:2] == ["fsync", "replace"])


def test_paths_that_cannot_be_written_are_rejected(tmp_path, small):
    with pytest.raises(PlaitError, match=r"is a folder; give the name of a file in it, such as .*model.plait"):
        save(small, tmp_path)
    with pytest.raises(PlaitError, match=r"there is no folder .*nowhere; make it first"):
        save(small, tmp_path / "nowhere" / "model")
    assert not list(tmp_path.iterdir())


@needs_posix
def test_a_new_file_has_default_permissions_and_a_replaced_one_keeps_its_own(tmp_path, small):
    before = os.umask(0o027)
    try:
        path = save(small, tmp_path / "model")
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        for mode in (0o600, 0o666):
            path.chmod(mode)
            assert stat.S_IMODE(save(small, path).stat().st_mode) == mode
    finally:
        os.umask(before)


@needs_posix
def test_a_symbolic_link_is_followed_and_a_pipe_is_rejected(tmp_path, small):
    (tmp_path / "folder").mkdir()
    link, target = tmp_path / "link", tmp_path / "folder" / "target"
    link.symlink_to(target)
    for _ in range(2):  # the file it points to is new, then replaced
        assert save(small, link) == link
        assert link.is_symlink()
        assert list(target.parent.iterdir()) == [target]
        assert same(load(link).topic_word_, small.topic_word_)
    os.mkfifo(tmp_path / "pipe")
    for use in (load, lambda path: save(small, path)):
        with pytest.raises(PlaitError, match="is a device or a pipe"):
            use(tmp_path / "pipe")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
