"""Whole files or none."""

import os

import pytest

from polytopic.files import write_whole


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
