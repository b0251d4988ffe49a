from __future__ import annotations

import json
import os
import signal
import time

import numpy as np
import pytest

from plait import OnlineLDA, read_corpus
from plait.store import load
from tests.cli.small import THEMES, write_lines
from tests.cli.streams import SMALL, finish, kill_at_random, months, start, write_months

# Kills of a run: few here; PLAIT_KILLS=20 for a thorough proof.
KILLS = int(os.environ.get("PLAIT_KILLS", "3"))


@pytest.fixture
def stream_file(tmp_path):
    return write_lines(tmp_path / "papers.jsonl", months())


def _line_of_mistake(result) -> str:
    assert result.exit_code == 1, result.output
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


def _ok(result) -> str:
    assert result.exit_code == 0, result.stderr
    return result.stdout


def _slices_said(out: str) -> list[str]:
    """What was said, without what is new in the slices."""
    return [line for line in out.splitlines() if not line.startswith("  new in topic")]


def test_a_month_is_learned_when_the_next_one_begins(run, stream_file, tmp_path):
    path = tmp_path / "m.plait"
    lines = _slices_said(_ok(run("stream", path, stream_file, "--by", "month", "--ahead", *SMALL)))
    assert [line.split(":")[0] for line in lines[:3]] == ["2020-01", "2020-02", "2020-03"]
    assert "12 documents, 84 tokens, 25 new words" in lines[0]
    assert "perplexity ahead" not in lines[0]
    assert "1 new word, perplexity ahead" in lines[1]
    assert lines[3].startswith("not learned yet: 12 documents of a slice that may not have ended; give them again")
    assert lines[4] == f"3 new slices, 3 slices in all; saved {path}"
    model = load(path)
    assert [one.label for one in model.slices_] == ["2020-01", "2020-02", "2020-03"]
    assert (model.n_topics, model.window, model.random_state) == (3, 2, 0)


def test_the_slices_are_those_that_python_learns(run, stream_file, tmp_path):
    path = tmp_path / "m.plait"
    _ok(run("stream", path, stream_file, "--by", "month", "--final", *SMALL))
    model = OnlineLDA(3, window=2, n_sweeps=10, n_samples=2, sample_every=2, random_state=0, verbose=False)
    for label, part in read_corpus(stream_file).slice_by_time("month"):
        model.partial_fit(part, label=label)
    streamed = load(path)
    assert np.array_equal(streamed.topic_word_, model.topic_word_)
    assert streamed.vocabulary_.tolist() == model.vocabulary_.tolist()
    assert [one.begins for one in streamed.slices_] == [one.begins for one in model.slices_]


@pytest.mark.slow  # learns a stream again and again
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system cannot kill a process outright")
@pytest.mark.parametrize(("way", "kills"), [("files", KILLS), ("input", -(-KILLS // 3))])
def test_a_killed_stream_goes_on_to_the_same_bytes(tmp_path, way, kills):
    words = {name: [f"{word}{number}" for word in words for number in range(20)] for name, words in THEMES.items()}
    rows = months(8, 20, words)
    model, whole = tmp_path / "m.plait", tmp_path / "whole.plait"
    options = ["--by", "15", "--topics", "10", "--sweeps", "30", "--samples", "2", "--ahead", "--quiet", "--final"]
    piped = write_lines(tmp_path / "all.jsonl", rows) if way == "input" else None
    sources = ["-"] if way == "input" else write_months(tmp_path, rows)
    began = time.monotonic()
    finish(start(whole, *sources, *options, piped=piped))
    assert len(load(whole).slices_) == 11
    killed = kill_at_random([model, *sources, *options], model, kills, time.monotonic() - began, piped)
    assert any(len(stopped) > 0 and stopped != whole.read_bytes() for stopped in killed.stopped)
    assert all(ended == whole.read_bytes() for ended in killed.ended)


def test_ctrl_c_stops_and_says_how_to_go_on(run, tmp_path):
    source = write_lines(tmp_path / "papers.jsonl", months(12))
    path, whole = tmp_path / "m.plait", tmp_path / "whole.plait"
    options = [source, "--by", "month", *SMALL, "--sweeps", "300", "--tolerance", "0"]
    _ok(run("stream", whole, *options))
    process = start(path, *options)
    while not path.exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors.startswith(f"stopped: {path} holds all slices up to 20")
    assert "the same command continues" in errors
    assert 0 < len(load(path).slices_) < 11
    _ok(run("stream", path, *options))
    assert path.read_bytes() == whole.read_bytes()


def test_a_file_that_grows_is_taken_where_it_was_left(run, tmp_path):
    rows = months(4)
    path, whole = tmp_path / "m.plait", tmp_path / "whole.plait"
    for end in (5, 20, 41, 48):  # in the middle of months
        source = write_lines(tmp_path / "papers.jsonl", rows[:end])
        _ok(run("stream", path, source, "--by", "month", *SMALL))
    _ok(run("stream", whole, source, "--by", "month", *SMALL))
    assert path.read_bytes() == whole.read_bytes()
    assert len(load(path).slices_) == 3


def test_later_runs_need_not_repeat_options_and_cannot_change_them(run, tmp_path):
    first, second = write_months(tmp_path, months(2))
    path, whole = tmp_path / "m.plait", tmp_path / "whole.plait"
    options = [*SMALL, "--stop-words", "none", "--min-df", "2"]
    _ok(run("stream", path, first, *options))
    for option, value in (("--topics", 4), ("--min-df", 1), ("--by", "month"), ("--stop-words", "english")):
        line = _line_of_mistake(run("stream", path, first, second, option, value))
        name = "--topics" if option == "--topics" else option.removeprefix("--").replace("-", "_")
        assert f"was started with {name} " in line
        assert f"{option} " in line or line.endswith(f"(option {option})\n")
    assert "25 new words" not in _ok(run("stream", path, first, second))
    _ok(run("stream", whole, first, second, *options))
    assert path.read_bytes() == whole.read_bytes()


def test_a_list_of_stop_words_must_stay_the_same(run, stream_file, tmp_path):
    (tmp_path / "stop.txt").write_text("river\n")
    options = ["--stop-words", tmp_path / "stop.txt"]
    _ok(run("stream", tmp_path / "m.plait", stream_file, *options, *SMALL))
    assert "river" not in load(tmp_path / "m.plait").vocabulary_.tolist()
    _ok(run("stream", tmp_path / "m.plait", stream_file))
    (tmp_path / "stop.txt").write_text("bank\n")
    assert "the stop words in" in _line_of_mistake(run("stream", tmp_path / "m.plait", stream_file))


def test_a_file_whose_beginning_changed_is_refused(run, tmp_path):
    rows = months(3)
    source = write_lines(tmp_path / "papers.jsonl", rows)
    path = tmp_path / "m.plait"
    _ok(run("stream", path, source, "--by", "month", *SMALL))
    before = path.read_bytes()
    changed = [{**rows[3], "text": "different text"} if row is rows[3] else row for row in rows]
    write_lines(source, changed)
    assert "does not begin with the 24 documents" in _line_of_mistake(run("stream", path, source, "--final"))
    write_lines(source, rows[:10])
    assert "has 10 documents now, and 24 were learned" in _line_of_mistake(run("stream", path, source))
    assert path.read_bytes() == before
    write_lines(source, [*rows[:24], {**rows[24], "text": "different text"}, *rows[25:]])  # not taken yet: may change
    _ok(run("stream", path, source, "--final"))
    assert "different" in load(path).vocabulary_.tolist()


def test_documents_that_wait_are_not_forgotten(run, tmp_path):
    rows = months(2)
    first, second = write_lines(tmp_path / "a.jsonl", rows[:20]), write_lines(tmp_path / "b.jsonl", rows[20:])
    path = tmp_path / "m.plait"
    _ok(run("stream", path, first, "--by", "month", *SMALL))
    line = _line_of_mistake(run("stream", path, second))
    assert "8 documents of" in line
    assert "a.jsonl were not learned last time" in line
    _ok(run("stream", path, second, "--drop-waiting", "--final"))
    assert [one.n_documents for one in load(path).slices_] == [12, 4]


def test_nothing_is_saved_before_the_first_slice_has_ended(run, tmp_path):
    source = write_lines(tmp_path / "papers.jsonl", months(1))
    out = _ok(run("stream", tmp_path / "m.plait", source, "--by", "month", *SMALL))
    assert out.splitlines()[-1] == "no new slice, 0 slices in all"
    assert not (tmp_path / "m.plait").exists()


def test_files_of_a_folder_are_slices_by_name(run, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    write_months(folder, list(reversed(months(3))))
    (folder / "README").write_text("not a corpus")
    lines = _slices_said(_ok(run("stream", tmp_path / "m.plait", folder, *SMALL)))
    assert [line.split(":")[0] for line in lines[:3]] == ["2020-01", "2020-02", "2020-03"]
    assert lines[3].startswith("3 new slices")


def test_documents_without_ids_are_told_apart_by_their_files(run, tmp_path):
    rows = [{"text": row["text"]} for row in months(1)]
    first, second = write_lines(tmp_path / "a.jsonl", rows[:5]), write_lines(tmp_path / "b.jsonl", rows[5:])
    _ok(run("stream", tmp_path / "m.plait", first, second, "--by", "12", *SMALL))
    assert load(tmp_path / "m.plait").doc_ids_.tolist()[4:6] == ["a.jsonl 5", "b.jsonl 1"]


def test_other_formats_are_read_too(run, tmp_path):
    table = tmp_path / "papers.csv"
    lines = [f"{row['id']},{row['text']},{row['date']}" for row in months(3)]
    table.write_text("\n".join(["id,text,date", *lines]) + "\n")
    write_lines(tmp_path / "papers.jsonl", months(3))
    for name in ("papers.csv", "papers.jsonl"):
        _ok(run("stream", tmp_path / f"{name}.plait", tmp_path / name, "--by", "month", *SMALL))
    a, b = load(tmp_path / "papers.csv.plait"), load(tmp_path / "papers.jsonl.plait")
    assert np.array_equal(a.topic_word_, b.topic_word_)


def test_empty_months_are_noted(run, tmp_path):
    rows = months(4)
    source = write_lines(tmp_path / "papers.jsonl", [row for row in rows if row["date"][:7] != "2020-02"])
    path, whole = tmp_path / "m.plait", tmp_path / "whole.plait"
    out = _ok(run("stream", whole, source, "--by", "month", "--final", *SMALL))
    assert "2020-03 (after 1 empty slice): 12 documents" in out
    assert [one.empty for one in load(whole).slices_] == [False, True, False, False]
    write_lines(source, [row for row in rows[:30] if row["date"][:7] != "2020-02"])
    _ok(run("stream", path, source, "--by", "month", *SMALL))  # stopped after the first, before the empty one
    write_lines(source, [row for row in rows if row["date"][:7] != "2020-02"])
    _ok(run("stream", path, source, "--final"))
    assert path.read_bytes() == whole.read_bytes()


def test_a_date_far_ahead_is_an_error_and_not_thousands_of_slices(run, tmp_path):
    rows = [*months(2), {"id": "x", "text": "river bank", "date": "9999-01-01"}]
    source = write_lines(tmp_path / "papers.jsonl", rows)
    line = _line_of_mistake(run("stream", tmp_path / "m.plait", source, "--by", "month", *SMALL))
    assert "papers.jsonl, line 25: its date 9999-01-01" in line
    assert len(load(tmp_path / "m.plait").slices_) == 2


@pytest.mark.parametrize("by", ["month", "12"])
def test_late_documents(run, tmp_path, by):
    rows = months(3)
    late = {"id": "late", "text": "glacier glacier river", "date": "2020-01-05"}
    source = write_lines(tmp_path / "papers.jsonl", [*rows[:30], late, *rows[30:]])
    options = ["--by", by, "--final", *SMALL]
    line = _line_of_mistake(run("stream", tmp_path / "stop.plait", source, *options))
    assert "papers.jsonl, line 31: its date 2020-01-05 is before" in line
    assert line.endswith("(option --late)\n")
    assert len(load(tmp_path / "stop.plait").slices_) == 2
    assert "1 × late document" in _ok(run("stream", tmp_path / "skip.plait", source, *options, "--late", "skip"))
    assert "glacier" not in load(tmp_path / "skip.plait").vocabulary_.tolist()
    _ok(run("stream", tmp_path / "join.plait", source, *options, "--late", "join"))
    assert "glacier" in load(tmp_path / "join.plait").vocabulary_.tolist()
    _ok(run("stream", tmp_path / "stop.plait", source, "--final", "--late", "join"))  # goes on where it stopped
    assert (tmp_path / "stop.plait").read_bytes() == (tmp_path / "join.plait").read_bytes()


def test_a_slice_that_was_learned_as_final_takes_no_more(run, tmp_path):
    rows = months(1)
    source = write_lines(tmp_path / "papers.jsonl", rows[:9])
    _ok(run("stream", tmp_path / "m.plait", source, "--by", "month", "--final", *SMALL))
    write_lines(source, rows)
    line = _line_of_mistake(run("stream", tmp_path / "m.plait", source))
    assert "line 10: its date 2020-01-10 is before the end of the last learned slice, 2020-01" in line
    _ok(run("stream", tmp_path / "m.plait", source, "--late", "join", "--final"))
    assert [one.label for one in load(tmp_path / "m.plait").slices_] == ["2020-01", "2020-01, late"]


def test_bad_documents_are_counted_or_errors(run, tmp_path):
    rows = months(2)
    lines = [json.dumps(row) for row in rows]
    lines[3] = "{broken"
    lines[5] = json.dumps({**rows[5], "date": None})
    lines[7] = json.dumps({**rows[7], "date": "soon"})
    source = tmp_path / "papers.jsonl"
    source.write_text("\n".join(lines) + "\n")
    options = ["--by", "month", *SMALL]
    out = _ok(run("stream", tmp_path / "m.plait", source, "--allow-skips", *options))
    assert "9 documents" in out
    for kind in ("broken JSON", "document without a time", "bad date"):
        assert f"1 × {kind}" in out.splitlines()[0]
    assert "skipped" not in _ok(run("stream", tmp_path / "m.plait", source, "--final"))  # said once
    for line, what in ((3, "papers.jsonl, line 4"), (5, "line 6"), (7, "line 8")):
        assert what in _line_of_mistake(run("stream", tmp_path / "s.plait", source, "--strict", *options))
        lines[line] = json.dumps(rows[line])
        source.write_text("\n".join(lines) + "\n")
    assert "12 documents" in _ok(run("stream", tmp_path / "s.plait", source, "--strict", *options))


def test_a_slice_without_usable_documents_changes_nothing(run, tmp_path):
    rows = months(3)
    blank = [{**row, "text": ""} if row["date"][:7] == "2020-02" else row for row in rows]
    source = write_lines(tmp_path / "papers.jsonl", blank)
    path, whole = tmp_path / "m.plait", tmp_path / "whole.plait"
    assert "no document can be used; skipped 12 × empty document" in _ok(
        run("stream", whole, source, "--by", "month", "--final", "--allow-skips", *SMALL)
    )
    assert [(one.label, one.empty) for one in load(whole).slices_] == [
        ("2020-01", False),
        ("2020-02", True),
        ("2020-03", False),
    ]
    write_lines(source, blank[:26])
    _ok(run("stream", path, source, "--by", "month", "--allow-skips", *SMALL))
    write_lines(source, blank)
    _ok(run("stream", path, source, "--final", "--allow-skips"))
    assert path.read_bytes() == whole.read_bytes()


def test_better_fields_that_turn_up_are_used_from_the_start(run, tmp_path):
    rows = [{"id": row["id"], "abstract": row["text"], "date": row["date"]} for row in months(2)]
    rows[6]["text"] = "the whole text"
    source = write_lines(tmp_path / "papers.jsonl", rows)
    _ok(run("stream", tmp_path / "m.plait", source, "--by", "month", "--final", *SMALL, "--text-field", "abstract"))
    assert sum(one.n_documents for one in load(tmp_path / "m.plait").slices_) == 24
    out = _ok(run("stream", tmp_path / "n.plait", source, "--by", "month", "--final", "--allow-skips", *SMALL))
    assert "11 × empty document" in out.splitlines()[0]
    late = write_lines(tmp_path / "late.jsonl", [*rows[:6], *rows[7:20], rows[6] | {"date": "2020-02-28"}])
    line = _line_of_mistake(run("stream", tmp_path / "l.plait", late, "--by", "month", *SMALL))
    assert "name the fields" in line
    assert line.endswith("(option --text-field)\n")


@pytest.fixture
def pipe():
    """Run a command with rows piped in."""
    from typer.testing import CliRunner

    from plait.cli.app import app

    def run_piped(rows, *arguments):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        return CliRunner().invoke(app, [str(part) for part in arguments], input=text, catch_exceptions=False)

    return run_piped


def test_standard_input_is_piped_again_or_goes_on(pipe, tmp_path):
    rows = months(5)
    path, whole = tmp_path / "m.plait", tmp_path / "whole.plait"
    options = ["--by", "month", *SMALL]
    _ok(pipe(rows[:30], "stream", path, "-", *options))
    assert len(load(path).slices_) == 2
    assert "does not begin with the 24" in _line_of_mistake(pipe(rows[1:], "stream", path, "-"))
    _ok(pipe(rows[:45], "stream", path, "-"))
    assert len(load(path).slices_) == 3
    line = _line_of_mistake(pipe(rows[45:], "stream", path, "-", "--continue-input"))
    assert "9 documents that were read last time" in line
    for _ in range(2):  # a part that is piped a second time is known again
        _ok(pipe(rows[36:50], "stream", path, "-", "--continue-input"))
        assert len(load(path).slices_) == 4
    _ok(pipe(rows[36:], "stream", path, "-", "--continue-input", "--final"))
    assert len(load(path).slices_) == 5
    _ok(pipe(rows, "stream", path, "-", "--final"))
    _ok(pipe(rows, "stream", whole, "-", *options, "--final"))
    a, b = load(path), load(whole)
    assert len(a.slices_) == len(b.slices_) == 5
    assert np.array_equal(a.topic_word_, b.topic_word_)


def test_standard_input_needs_to_know_how_to_cut(pipe, tmp_path):
    line = _line_of_mistake(pipe(months(2), "stream", tmp_path / "m.plait", "-", *SMALL))
    assert "standard input has no files to divide it by" in line
    assert line.endswith("(option --by)\n")
    line = _line_of_mistake(pipe(months(2), "stream", tmp_path / "m.plait", "-", "--by", "9", "--continue-input"))
    assert "nothing was learned from standard input yet" in line


def test_better_fields_in_standard_input(pipe, tmp_path):
    rows = [{"id": row["id"], "abstract": row["text"], "date": row["date"]} for row in months(2)]
    rows[6]["text"] = "the whole text"
    out = _ok(pipe(rows, "stream", tmp_path / "n.plait", "-", "--by", "month", "--final", "--allow-skips", *SMALL))
    assert "11 × empty document" in out.splitlines()[0]


def test_a_watched_folder(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    rows = months(4)
    names = [f"2020-0{number}.jsonl" for number in (1, 2, 3, 4)]
    path = tmp_path / "m.plait"
    write_lines(folder / names[1], rows[12:24])
    write_lines(folder / names[0], rows[:12])
    (folder / ".hidden.jsonl").write_text("{half a")
    process = start(path, folder, "--watch", "--every", "0.5", *SMALL)

    def wait_for(number: int) -> None:
        deadline = time.monotonic() + 60
        while not path.exists() or len(load(path).slices_) < number:
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline, "the files were not taken"
            time.sleep(0.02)

    wait_for(2)
    with (folder / names[2]).open("w") as file:  # written slowly: it must not be taken before it is whole
        for row in rows[24:36]:
            file.write(json.dumps(row) + "\n")
            file.flush()
            time.sleep(0.01)
    wait_for(3)
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "holds all slices up to 2020-03" in errors
    assert f"waiting for files in {folder}" in out
    write_lines(folder / names[3], rows[36:])
    process = start(path, folder, "--watch", "--every", "0.05", "--quiet")
    wait_for(4)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert [(one.label, one.n_documents) for one in load(path).slices_] == [(name[:7], 12) for name in names]


@pytest.mark.parametrize(
    "wrong",
    [
        ("--by", "decade"),
        ("--by", "0"),
        ("--late", "never"),
        ("--continue-input",),
        ("--history-weights", "full"),
        ("--every", "1"),
    ],
)
def test_wrong_usage(run, stream_file, tmp_path, wrong):
    assert run("stream", tmp_path / "m.plait", stream_file, *wrong).exit_code == 2


def test_a_model_that_is_no_stream_is_refused(run, stream_file, model_file):
    assert "does not learn slice by slice" in _line_of_mistake(run("stream", model_file, stream_file))


def test_weights_of_the_past_reach_the_model(run, stream_file, tmp_path):
    _ok(
        run("stream", tmp_path / "m.plait", stream_file, *SMALL, "--history-weights", "0.5,0.25", "--forget-after", "7")
    )
    model = load(tmp_path / "m.plait")
    assert (model.history_weights, model.forget_after) == ([0.5, 0.25], 7)


def test_what_is_new_is_said(run, tmp_path):
    rows = [{**row, "text": row["text"].rpartition(" ")[0]} for row in months(4, 40)]  # without the months' own words
    rows[120:] = [
        {**row, "text": "ufo saucer alien crater beam orbit"} if row["id"] < "d14" else row for row in rows[120:]
    ]
    source = write_lines(tmp_path / "papers.jsonl", rows)
    options = ["--by", "month", "--final", *SMALL, "--topics", "4", "--sweeps", "40"]
    lines = _ok(run("stream", tmp_path / "m.plait", source, *options)).splitlines()
    assert [number for number, line in enumerate(lines) if line.startswith("  new in topic")] == [4]
    assert "saucer" in lines[4]


def test_slices_that_build_on_nothing(run, stream_file, tmp_path):
    out = _ok(run("stream", tmp_path / "m.plait", stream_file, "--by", "month", *SMALL, "--window", "0"))
    assert "3 new slices" in out
    assert "new in topic" not in out


def test_messages_name_the_options(run, stream_file, tmp_path):
    line = _line_of_mistake(run("stream", tmp_path / "m.plait", stream_file, *SMALL, "--history-weights", "1,2,3"))
    assert line.startswith("error: history_weights must be")
    assert line.endswith("(option --history-weights)\n")
    line = _line_of_mistake(run("stream", tmp_path / "m.plait", stream_file, *SMALL, "--decay", "0"))
    assert line == "error: decay must be a number above 0, not 0.0 (option --decay)\n"
