"""Whole files or none."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from polytopic import files
from polytopic.files import forget_drafts, write_whole


def test_text_and_bytes_replace_what_was_there(tmp_path):
    path = tmp_path / "new" / "file.txt"
    write_whole(path, "first, an é")
    write_whole(path, b"second")
    assert path.read_bytes() == b"second"
    assert [found.name for found in path.parent.iterdir()] == ["file.txt"]


def test_permissions_are_those_of_any_new_file(tmp_path):
    write_whole(tmp_path / "ours", "")
    (tmp_path / "usual").write_text("")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "usual").stat().st_mode


@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_an_interrupted_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, failure):
    write_whole(tmp_path / "file", "old")

    def fail(*arguments):
        raise failure

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(type(failure)):
        write_whole(tmp_path / "file", "new")
    assert (tmp_path / "file").read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


WRITER = """
import sys, time
from polytopic.files import drafted
with drafted(sys.argv[1], "half") as draft:
    print(draft, flush=True)
    time.sleep(300)
"""


@pytest.mark.skipif(files.fcntl is None, reason="files are not locked here")
def test_drafts_of_killed_processes_go_and_those_of_living_ones_stay(tmp_path):
    path = tmp_path / "file"
    command = [sys.executable, "-c", WRITER, str(path)]
    writers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    killed, living = (Path(writer.stdout.readline().strip()) for writer in writers)
    try:
        write_whole(path, "whole")
        assert killed.exists() and living.exists()
        writers[0].kill()
        writers[0].wait()
        write_whole(tmp_path / "other", "")
        assert killed.exists()  # of another file
        write_whole(path, "whole again")
        assert not killed.exists() and living.exists()
        writers[1].kill()
        writers[1].wait()
        forget_drafts(tmp_path.parent)
        assert not living.exists() and path.read_text() == "whole again"
    finally:
        for writer in writers:
            writer.kill()
            writer.communicate()


def test_a_draft_that_was_taken_for_a_dead_one_is_begun_again(tmp_path, monkeypatch):
    """Between its making and its lock another process can take it for one that a killed process left."""
    made, taken = files._locked, []

    def take_first(handle):
        if not taken:
            taken.extend(tmp_path.glob(".file.*.part"))
            taken[0].unlink()
        return made(handle)

    monkeypatch.setattr(files, "_locked", take_first)
    write_whole(tmp_path / "file", "whole")
    assert taken and (tmp_path / "file").read_text() == "whole"
    assert [found.name for found in tmp_path.iterdir()] == ["file"]
