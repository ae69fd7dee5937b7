"""What a first compilation says, and where what is compiled is kept."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from polytopic.kernels import compiling

SCRIPT = """
import numpy as np
from polytopic.kernels import generator
for name in range(2):
    generator.seed(np.zeros((4, 1), np.uint32), np.array([name], np.uint64), 0)
"""


PLAIN = """
import hashlib
import numpy as np
from scipy import sparse
from polytopic.models import LDA, DependencyLDA, unseen

rng = np.random.default_rng(0)
X, Y = sparse.csr_matrix(rng.poisson(0.8, (5, 6))), sparse.csr_matrix(rng.random((5, 3)) < 0.6)
few = {"n_chains": 1, "n_sweeps": 2, "n_topics": 2, "n_topic_chains": 1, "n_topic_sweeps": 2, "random_state": 0}
read = {"n_test_chains": 1, "burn_in": 2, "n_samples": 2, "lag": 1}
with np.errstate(over="ignore"):
    for sparse_from in (0, 100):
        unseen.SPARSE_FROM = sparse_from
        for inference in ("fast", "proper"):
            scores = DependencyLDA(inference=inference, **few, **read).fit(X, Y).decision_function(X)
            print(sparse_from, inference, hashlib.sha256(scores.tobytes()).hexdigest())
    topics = LDA(2, n_sweeps=2, random_state=0).fit(X).components_
    print(hashlib.sha256(topics.tobytes()).hexdigest())
"""


def test_the_kernels_are_python_without_the_compiler():
    """The samplers draw the same bits then. Mean field and CVB0 need not: numba has an exponential of its own."""
    compiled, plain = (
        subprocess.run(
            [sys.executable, "-c", PLAIN], env=os.environ | more, capture_output=True, text=True, check=True
        ).stdout
        for more in ({}, {"NUMBA_DISABLE_JIT": "1"})
    )
    assert plain == compiled and len(set(compiled.splitlines())) == 5


@pytest.fixture
def told(tmp_path):
    """A function that compiles in a process of its own and returns what that says."""

    def compile_here(**variables):
        kept = {name: value for name, value in os.environ.items() if name != "TQDM_DISABLE"}
        settings = kept | {"NUMBA_CACHE_DIR": str(tmp_path)} | variables
        ended = subprocess.run(
            [sys.executable, "-c", SCRIPT], env=settings, capture_output=True, text=True, check=False
        )
        assert ended.returncode == 0, ended.stderr
        return ended.stderr

    return compile_here


def test_a_first_compilation_says_once_that_it_is_one(told):
    first = told()
    assert first.count("compiling the samplers") == 1 and first.count("\n") == 1
    assert told() == ""


def test_it_says_nothing_where_progress_is_not_wanted(told):
    assert told(TQDM_DISABLE="1") == ""


def test_compiled_functions_are_never_older_than_the_kernels(tmp_path, monkeypatch):
    """numba does not see a change in the files of the functions that a function calls; an update left old ones."""
    monkeypatch.setattr(compiling, "__file__", str(tmp_path / "compiling.py"))
    sweep = tmp_path / "sweep.py"
    sweep.write_text("STEP = 1")
    before = compiling.folder()
    assert compiling.folder() == before
    sweep.write_text("STEP = 2")
    after = compiling.folder()
    (tmp_path / "simd.py").write_text("STEP = 1")
    newest = compiling.folder()
    monkeypatch.setattr(compiling.numba, "__version__", "0")
    assert len({before, after, newest, compiling.folder()}) == 4


# A user who can read everything and write nothing

STRANGER = 12345
AS_STRANGER = (
    f"setpriv --reuid {STRANGER} --regid {STRANGER} --clear-groups --inh-caps +dac_read_search "
    "--ambient-caps +dac_read_search"
).split()
COMPILING = f"{SCRIPT}print(generator.seed.stats.cache_path)"


@pytest.fixture
def stranger(tmp_path):
    """A function that runs code as a user without a home; its folder for temporary files is ``tmp_path / "tmp"``."""
    if getattr(os, "geteuid", lambda: 1)() or subprocess.call(
        [*AS_STRANGER, "true"], stderr=subprocess.DEVNULL
    ):
        pytest.skip("only the system's administrator can run a command as somebody else")
    for folder in (tmp_path.parent.parent, tmp_path.parent, tmp_path):
        folder.chmod(0o755)
    place = tmp_path / "tmp"
    place.mkdir()
    place.chmod(0o1777)

    def run(code, **variables):
        own = {"HOME": "/proc/none", "TMPDIR": str(place), "PATH": os.environ["PATH"]} | variables
        command = [*AS_STRANGER, sys.executable, "-c", code]
        ended = subprocess.run(command, env=own, cwd="/", capture_output=True, text=True, check=False)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout.splitlines(), ended.stderr

    return run


def test_who_can_write_nowhere_compiles_into_a_folder_of_their_own(stranger, tmp_path):
    """numba has no place for what it compiles beside a read-only package, and refused to import it."""
    (place,), said = stranger(COMPILING)
    own = tmp_path / "tmp" / f"polytopic-{STRANGER}"
    assert place.startswith(f"{own}/") and list(Path(place).glob("*.nbc"))
    assert own.stat().st_uid == STRANGER and own.stat().st_mode & 0o777 == 0o700
    assert said.count(str(own)) == 1 and "POLYTOPIC_CACHE" in said
    (again,), said = stranger(COMPILING)
    assert again == place and "compiling" not in said


@pytest.mark.parametrize("trap", ["open to all", "of another", "a link"])
def test_compiled_code_is_not_read_from_a_folder_that_others_can_write(stranger, tmp_path, trap):
    """Reading compiled code executes it: whoever makes the folder first would be obeyed."""
    own = tmp_path / "tmp" / f"polytopic-{STRANGER}"
    target = tmp_path / "target"
    target.mkdir()
    made = own if trap != "a link" else target
    made.mkdir(exist_ok=True)
    if trap != "of another":
        os.chown(made, STRANGER, STRANGER)
    made.chmod(0o777)
    if trap == "a link":
        own.symlink_to(target)
    (place,), _ = stranger(COMPILING)
    assert not place.startswith((f"{own}/", f"{target}/")) and not list(made.iterdir())
    assert Path(place).is_relative_to(tmp_path / "tmp")


def test_folders_that_are_named_come_first(stranger, tmp_path):
    for name, below in (("POLYTOPIC_CACHE", "compiled/"), ("NUMBA_CACHE_DIR", "")):
        folder = tmp_path / name
        folder.mkdir()
        os.chown(folder, STRANGER, STRANGER)
        (place,), said = stranger(COMPILING, **{name: str(folder)})
        assert place.startswith(f"{folder}/{below}") and str(tmp_path / "tmp") not in said


@pytest.mark.parametrize("name", ["POLYTOPIC_CACHE", "NUMBA_CACHE_DIR"])
def test_what_cannot_be_kept_is_compiled_all_the_same(stranger, name):
    _, said = stranger(SCRIPT, **{name: "/proc/none"})
    assert said.count("not kept: /proc/none/") == 1
