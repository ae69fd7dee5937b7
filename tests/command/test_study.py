"""The bootstrap study.py, with a made-up lock and without a network."""

import ast
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

from polytopic import paths

SOURCE = paths.checkout() / "study.py"
POSIX = pytest.mark.skipif(os.name == "nt", reason="a process cannot become another on Windows")


@pytest.fixture
def study():
    spec = importlib.util.spec_from_file_location("study", SOURCE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def root(tmp_path):
    (tmp_path / "requirements.lock").write_text("numpy==2.4.6 --hash=sha256:00\n")
    (tmp_path / "pyproject.toml").write_text(
        '[project.scripts]\npolytopic = "polytopic.command.cli:main"\n\n[tool]\n'
    )
    return tmp_path


def finish(study, root, polytopic="#!/bin/sh\n"):
    """Leave what a finished environment is known by."""
    for name in ("python", "polytopic"):
        program = study.program(root, name)
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(polytopic)
        program.chmod(0o755)
    (root / ".venv" / "study.stamp").write_text(study.stamp(root))


def pretend(study, monkeypatch, root, ending=None):
    """Let ``run`` note its commands in place of running them; the last one may end in an exception."""
    commands = []

    def run(command, log, folder):
        commands.append(command)
        if "-e" in command:
            if ending:
                raise ending
            finish(study, root)
            (root / ".venv" / "study.stamp").unlink()

    monkeypatch.setattr(study, "run", run)
    monkeypatch.setattr(study, "hand_over", lambda command, arguments, variables: 0)
    return commands


def test_an_old_python_can_read_it():
    ast.parse(SOURCE.read_text(encoding="utf-8"), feature_version=(3, 6))


def test_an_old_python_is_told_so(study, root, monkeypatch, capsys):
    monkeypatch.setattr(sys, "version_info", (3, 9, 2, "final", 0))
    assert study.main(["list"], root) == 1
    message = capsys.readouterr().err
    assert "3.9.2" in message and "python3.11 study.py" in message
    assert not (root / ".venv").exists()


def moved_to(root):
    shutil.copytree(root, root / "elsewhere")
    return root / "elsewhere"


def edit(root, name, old, new):
    (root / name).write_text((root / name).read_text().replace(old, new))


@pytest.mark.parametrize(
    ("change", "ready"),
    [
        (lambda root: None, True),
        (lambda root: edit(root, "requirements.lock", "2.4.6", "2.5.0"), False),
        (lambda root: edit(root, "pyproject.toml", "polytopic.command.cli", "polytopic.elsewhere"), False),
        (lambda root: edit(root, "pyproject.toml", "[tool]", "[tool]\nline-length = 110"), True),
        (lambda root: next((root / ".venv").rglob("polytopic*")).unlink(), False),
        (moved_to, False),
    ],
)
def test_an_environment_is_ready_while_all_it_was_made_from_is_as_it_was(study, root, change, ready):
    """That of an older checkout ended in ModuleNotFoundError once the module that the program calls had moved."""
    assert not study.is_ready(root)
    finish(study, root)
    assert study.is_ready(change(root) or root) == ready


def test_it_installs_the_lock_by_checksum_and_then_the_study(study, root, monkeypatch):
    commands = pretend(study, monkeypatch, root)
    assert study.main(["env"], root) == 0
    assert study.is_ready(root)
    packages, itself = commands[-2:]
    assert {"--require-hashes", "--only-binary", ":all:"} <= set(packages)
    assert packages[-1] == str(root / "requirements.lock")
    assert {"--no-deps", "--no-index", "--no-build-isolation"} <= set(itself)
    assert study.main(["env"], root) == 0
    assert len(commands) == 3


def test_what_was_cut_short_is_made_again(study, root, monkeypatch, capsys):
    pretend(study, monkeypatch, root, ending=KeyboardInterrupt())
    assert study.main(["list"], root) == 130
    assert "Interrupted" in capsys.readouterr().err
    assert not study.is_ready(root)
    pretend(study, monkeypatch, root)
    assert study.main(["list"], root) == 0
    assert study.is_ready(root)


def test_of_two_at_once_one_makes_it_and_the_other_waits(study, root):
    script = f"""
import pathlib, sys, time
sys.path.insert(0, {str(SOURCE.parent)!r})
import study
def make(root):
    with open(root / "made", "a") as made:
        made.write("once ")
    time.sleep(1)
    for path in (study.program(root, "python"), study.program(root, "polytopic")):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (root / ".venv" / "study.stamp").write_text(study.stamp(root))
study.make = make
study.prepare(pathlib.Path({str(root)!r}))
"""
    both = [subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE) for _ in range(2)]
    errors = b"".join(process.communicate(timeout=60)[1] for process in both)
    assert [process.returncode for process in both] == [0, 0]
    assert (root / "made").read_text() == "once "
    assert errors.count(b"Waiting for another process") == 1


@POSIX
def test_arguments_and_status_are_handed_over(study, root):
    shutil.copy(SOURCE, root)
    script = "import os, sys; print(sys.argv[1:], 'here' in os.environ.values(), flush=True); sys.exit(7)"
    finish(study, root, f"#!{sys.executable}\n{script}\n")
    command = [sys.executable, str(root / "study.py"), "figures", "a b", "--scale=paper", "*"]
    variables = os.environ | dict.fromkeys(("PYTHONPATH", "PYTHONDONTWRITEBYTECODE"), "here")
    result = subprocess.run(command, capture_output=True, text=True, env=variables, check=False)
    assert result.stdout == "['figures', 'a b', '--scale=paper', '*'] False\n"
    assert result.returncode == 7


@POSIX
def test_a_signal_reaches_the_command(study, root):
    shutil.copy(SOURCE, root)
    script = (
        "import sys, time\ntry:\n    print('up', flush=True)\n    time.sleep(60)\n"
        "except KeyboardInterrupt:\n    sys.exit(130)"
    )
    finish(study, root, f"#!{sys.executable}\n{script}\n")
    command, pipe = [sys.executable, str(root / "study.py"), "lab"], subprocess.PIPE
    # A job in the background ignores the signal, and so would what it starts.
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True)
    signal.signal(signal.SIGINT, usual)
    assert process.stdout.readline() == "up\n"
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (130, "")
    assert time.monotonic() - began < 20  # the command sleeps for 60 seconds


@pytest.mark.parametrize(("missing", "marks"), [((), ()), (("ensurepip",), ("--without-pip", "--python"))])
def test_it_does_without_ensurepip(study, root, monkeypatch, missing, marks):
    monkeypatch.setattr(study, "has_module", lambda name: name not in missing)
    commands = pretend(study, monkeypatch, root)
    study.prepare(root)
    used = {part for command in commands for part in command}
    assert {"--without-pip", "--python"} & used == set(marks)
