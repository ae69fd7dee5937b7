"""Make the study's own Python environment, then run a command of the study in it.

    python3 study.py COMMAND ...    is: polytopic COMMAND ...
    python3 study.py env            makes the environment and stops

The environment is the folder .venv, installed from requirements.lock. It is made anew whenever it is
missing, incomplete, older than the lock, or moved. Needs nothing but Python and its own pip.
"""

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent
OLDEST_PYTHON = (3, 11)
FOREIGN = (
    "PYTHONDONTWRITEBYTECODE", "PYTHONHOME", "PYTHONPATH",
    "PIP_PREFIX", "PIP_REQUIRE_VIRTUALENV", "PIP_TARGET", "PIP_USER",
)  # fmt: skip
LOG_LINES_SHOWN = 20


class Failure(Exception):
    """The environment cannot be made; the message says why and what to do."""


def main(arguments, root=ROOT):
    """Make the environment if need be, hand the arguments to ``polytopic``, return its exit status."""
    try:
        check_python(sys.version_info)
        prepare(root)
    except (Failure, OSError) as failure:
        print(f"study.py: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nInterrupted. The next run makes the environment from the start.", file=sys.stderr)
        return 130
    if arguments == ["env"]:
        print(f"The environment is ready: {root / '.venv'}")
        return 0
    return hand_over(program(root, "polytopic"), arguments, settings(root))


def check_python(version):
    """Raise Failure unless the running Python is new enough."""
    if tuple(version[:2]) < OLDEST_PYTHON:
        found, wanted = (".".join(map(str, numbers)) for numbers in (version[:3], OLDEST_PYTHON))
        raise Failure(
            f"this is Python {found} ({sys.executable}), and the study needs {wanted} or newer. "
            f"Where a newer one is installed, call it by its name: python{wanted} study.py"
        )


def program(root, name):
    """Return the path of an executable of the environment."""
    folder, ending = ("Scripts", ".exe") if os.name == "nt" else ("bin", "")
    return root / ".venv" / folder / (name + ending)


def stamp(root):
    """Return what a finished environment is marked with: the lock's checksum, its programs, and where it was made.

    An environment cannot be moved, for its programs name the folder they were made in, and the modules they call.
    """
    lock = hashlib.sha256((root / "requirements.lock").read_bytes()).hexdigest()
    programs = (root / "pyproject.toml").read_text(encoding="utf-8").partition("[project.scripts]")[2]
    return f"{lock}\n{programs.partition('[')[0].strip()}\n{root}\n"


def is_ready(root):
    """Return whether the environment is complete and made here from the lock as it is now."""
    mark = root / ".venv" / "study.stamp"
    made = mark.is_file() and mark.read_text(encoding="utf-8") == stamp(root)
    return made and program(root, "python").exists() and program(root, "polytopic").exists()


def prepare(root):
    """Make the environment unless it is ready; of several processes one makes it and the others wait."""
    if is_ready(root):
        return
    (root / ".cache").mkdir(exist_ok=True)
    with locked(root / ".cache" / "environment.lock"):
        if not is_ready(root):
            make(root)


@contextmanager
def locked(path):
    """Hold the lock on a file; the system lets go of it when the process ends, however it ends."""
    with open(str(path), "a") as file:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
        else:
            import fcntl

            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                print("Waiting for another process, which is making the environment.", file=sys.stderr)
                fcntl.flock(file, fcntl.LOCK_EX)
        yield


def make(root):
    """Make the environment from nothing. The stamp comes last: a part is never taken for the whole.

    Nothing is compiled to bytecode here: Python does that where a module is imported, and many never are.
    """
    log = root / ".cache" / "environment.log"
    print(f"Making the environment in .venv, which takes about a minute (log: {log})", file=sys.stderr)
    shutil.rmtree(str(root / ".venv"), ignore_errors=True)
    log.write_text("", encoding="utf-8")
    pip = make_empty(root, log)
    quiet = ["--no-input", "--disable-pip-version-check", "--progress-bar", "off"]
    install = [*pip, "install", "--no-compile", *quiet]
    wheels = ["--require-hashes", "--only-binary", ":all:"]
    run([*install, *wheels, "-r", str(root / "requirements.lock")], log, root)
    run([*install, "--no-deps", "--no-index", "--no-build-isolation", "-e", str(root)], log, root)
    (root / ".venv" / "study.stamp").write_text(stamp(root), encoding="utf-8")


def make_empty(root, log):
    """Make an environment without packages and return the command of a pip that installs into it.

    Some systems ship Python without ensurepip; there the system's own pip installs from outside.
    """
    python = getattr(sys, "_base_executable", None) or sys.executable
    venv = [python, "-m", "venv", str(root / ".venv")]
    inside = str(program(root, "python"))
    if has_module("venv") and has_module("ensurepip"):
        run(venv, log, root)
        return [inside, "-m", "pip"]
    if has_module("venv") and has_module("pip"):
        run([*venv, "--without-pip"], log, root)
        return [python, "-m", "pip", "--python", inside]
    raise Failure(
        f"{python} comes without venv or without pip. Install them and try again; "
        "on Debian and Ubuntu: apt install python3-venv"
    )


def has_module(name):
    return importlib.util.find_spec(name) is not None


def run(command, log, root):
    """Run a command with its output in the log; raise Failure with the log's end if it fails."""
    with open(str(log), "a", encoding="utf-8") as out:
        out.write(f"$ {' '.join(command)}\n")
        out.flush()
        status = subprocess.call(command, cwd=str(root), stdout=out, stderr=subprocess.STDOUT, env=clean())
    if status != 0:
        end = log.read_text(encoding="utf-8", errors="replace").splitlines()[-LOG_LINES_SHOWN:]
        raise Failure("\n  ".join([f"the environment could not be made. The end of {log}:", *end]))


def clean():
    """Return the caller's variables without those that would lead pip or Python astray, or have it compile anew."""
    return {name: value for name, value in os.environ.items() if name not in FOREIGN}


def settings(root):
    """Return the variables of a command that runs in the environment."""
    folder = str(program(root, "python").parent)
    path = os.pathsep.join([folder, os.environ.get("PATH", os.defpath)])
    return dict(clean(), PATH=path, VIRTUAL_ENV=str(root / ".venv"))


def hand_over(command, arguments, variables):
    """Become the command; where a process cannot become another, run it and return its exit status."""
    sys.stdout.flush()
    sys.stderr.flush()
    line = [str(command), *arguments]
    if os.name == "nt":
        return subprocess.call(line, env=variables)
    return os.execve(line[0], line, variables)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
