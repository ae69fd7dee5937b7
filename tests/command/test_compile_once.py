"""Compiling before several processes would each do it."""

import subprocess

from polytopic import kernels
from polytopic.command import compiling, runner
from polytopic.models import unseen


def pretend(monkeypatch, tmp_path, status):
    """Let a process that compiles end at once with a status; return the list of those that were called."""
    calls = []
    monkeypatch.setattr(kernels.compiling, "folder", lambda: tmp_path)
    monkeypatch.setattr(subprocess, "call", lambda command, **how: calls.append(command) or status)
    return calls


def test_it_is_done_once_for_a_folder_and_said(monkeypatch, tmp_path, capsys):
    calls = pretend(monkeypatch, tmp_path, 0)
    for _ in range(2):
        runner.compile_once()
    assert len(calls) == 1 and calls[0][-1] == "polytopic.command.compiling"
    assert capsys.readouterr().out == "Compiling the samplers, once for this machine: about a minute\n"


def test_what_failed_is_tried_again(monkeypatch, tmp_path):
    calls = pretend(monkeypatch, tmp_path, 1)
    for _ in range(2):
        runner.compile_once()
    assert len(calls) == 2


def test_both_samplers_of_unseen_documents_are_among_it():
    """With few labels alone, the sparse sampler would be compiled by every notebook that needs it."""
    assert compiling.FEW_LABELS < unseen.SPARSE_FROM < compiling.MANY_LABELS
