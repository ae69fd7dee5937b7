"""The library as it is installed: a wheel alone in an empty folder, with its own dependencies, down to the lowest."""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import polytopic
from polytopic import paths

pytestmark = pytest.mark.slow

ROOT = paths.checkout()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DEPENDENCIES = PROJECT["dependencies"]
ROWS = ["a red apple,fruit;red", "a red car,red", "an apple and a pear,fruit"] * 8
TABLE = "\n".join(["text,labels", *ROWS]) + "\n"
SDIST = "from setuptools import build_meta; print(build_meta.build_sdist({!r}))"
BLOCKING = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked}:
            raise ModuleNotFoundError(f"No module named {{name!r}}: it is no dependency", name=name)

sys.meta_path.insert(0, Blocked())
"""
STORY = """
import sys
from pathlib import Path
import numpy as np
import polytopic
from polytopic import load_corpus, metrics
from polytopic.corpus import Corpus
from polytopic.datasets import write_converted
from polytopic.datasets.catalogue import facts
from polytopic.models import PLST, BinaryRelevanceSVM, DependencyLDA

folder = Path(polytopic.__file__).parents[1]
assert folder == Path(sys.argv[1]), folder
debtags = load_corpus("debtags")
assert debtags.digest == facts()["debtags"]["digest"]

rng = np.random.default_rng(0)
labels = rng.random((60, 5)) < 0.3
labels[np.arange(60), np.arange(60) % 5] = True
topics = rng.dirichlet(np.full(30, 0.1), 5)
counts = np.array([rng.multinomial(40, topics[row].mean(axis=0)) for row in labels])
write_converted(Corpus(counts, labels, splits=[(np.arange(40), np.arange(40, 60))]), "corpora/own")
train, test = load_corpus("own").split(0)
lda = DependencyLDA(
    n_topics=3, n_chains=1, n_sweeps=20, n_topic_chains=1, n_topic_sweeps=20, n_test_chains=1, burn_in=5,
    n_samples=5, random_state=0,
)
for model in (lda, BinaryRelevanceSVM(), PLST()):
    scores = model.fit(train.counts, train.labels).decision_function(test.counts)
    print(type(model).__name__, metrics.ranking(test.labels, scores)["average_precision"])
"""


PIP = ("-m", "pip", "--disable-pip-version-check")
OFFLINE = ("--no-deps", "--no-index", "--quiet")


def ended(*command, folder=None, **variables):
    """Run a command with none of the caller's settings and return how it ended."""
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH", "TMPDIR") if name in os.environ}
    how = {"capture_output": True, "text": True, "env": kept | variables, "cwd": folder, "check": False}
    return subprocess.run(list(map(str, command)), **how)


def call(*command, **settings):
    """Return what a command printed, or fail with all of it."""
    found = ended(*command, **settings)
    assert found.returncode == 0, f"{command}\n{found.stdout}\n{found.stderr}"
    return found.stdout


def environment(python, folder, *options):
    """Make a virtual environment; return its Python and where it keeps packages."""
    call(python, "-m", "venv", *options, folder)
    inside = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    return inside, call(inside, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()


def fetch(python, *wanted):
    """Install from the caller's index, or skip the test where there is none that has it."""
    command = [python, *PIP, "install", "--only-binary", ":all:", "--retries", "0", *wanted]
    found = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if found.returncode:
        assert "conflict" not in found.stderr.lower(), found.stderr
        pytest.skip(f"no index serves {python}: {found.stderr.strip().splitlines()[-1]}")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel that pip makes, without a network, from the source distribution of this checkout."""
    folder = tmp_path_factory.mktemp("build")
    rest = shutil.ignore_patterns("__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "lib", folder / "source" / "lib", ignore=rest)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder / "source" / name)
    made = call(sys.executable, "-c", SDIST.format(str(folder)), folder=folder / "source").splitlines()[-1]
    call(sys.executable, *PIP, "wheel", *OFFLINE, "--no-build-isolation", "-w", folder, folder / made)
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The folder of the installed wheel."""
    folder = tmp_path_factory.mktemp("installed")
    call(sys.executable, *PIP, "install", *OFFLINE, "--target", folder, wheel)
    return folder


def reached(names):
    """Return the distributions that these need, themselves among them, optional ones left out."""
    found, due = set(), list(names)
    while due:
        name = re.sub(r"[-_.]+", "-", due.pop()).lower()
        if name not in found:
            found.add(name)
            needed = map(Requirement, metadata.requires(name) or [])
            due += [one.name for one in needed if not one.marker or one.marker.evaluate({"extra": ""})]
    return found


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """A folder whose sitecustomize hides every module that is neither Python's nor a dependency's."""
    known = reached(Requirement(line).name for line in DEPENDENCIES) | {"polytopic"}
    hidden = [
        module
        for module, owners in metadata.packages_distributions().items()
        if not {re.sub(r"[-_.]+", "-", owner).lower() for owner in owners} & known
    ]
    assert {"pandas", "matplotlib", "papermill", "psutil", "filelock", "yaml", "pyreadr"} <= set(hidden)
    folder = tmp_path_factory.mktemp("alone")
    (folder / "sitecustomize.py").write_text(BLOCKING.format(blocked=json.dumps(hidden)))
    return folder


def outside(tmp_path, *folders):
    """Return the settings of a command in an empty folder that sees these folders before all others."""
    empty = tmp_path / "empty"
    empty.mkdir()
    return {
        "folder": empty,
        "HOME": str(tmp_path / "home"),
        "PYTHONPATH": os.pathsep.join(map(str, folders)),
        "POLYTOPIC_CORPORA": "corpora",
        "PYTHONWARNINGS": "error",
    }


def test_the_wheel_holds_the_embedded_corpus_and_nothing_of_the_checkout(installed):
    embedded = installed / "polytopic" / "datasets" / "embedded"
    assert {path.name for path in embedded.iterdir()} == {"corpora.csv", "sources.csv", "debtags"}
    assert len(list((embedded / "debtags").iterdir())) == 5
    names = {path.name for path in installed.iterdir() if not path.name.endswith(".dist-info")}
    assert names == {"polytopic", "bin"}


def test_the_library_works_alone_in_an_empty_folder(installed, alone, tmp_path):
    """With pandas and all else of the study out of reach."""
    printed = call(sys.executable, "-c", STORY, installed, **outside(tmp_path, installed, alone))
    assert [line.split()[0] for line in printed.splitlines()] == [
        "DependencyLDA",
        "BinaryRelevanceSVM",
        "PLST",
    ]


def command(installed):
    return [sys.executable, installed / "bin" / "polytopic"]


def test_the_command_lists_corpora_and_models_alone(installed, alone, tmp_path):
    settings = outside(tmp_path, installed, alone)
    printed = call(*command(installed), "list", **settings)
    assert re.search(r"debtags +11366 documents +7277 words +597 labels +at hand", printed)
    assert "DependencyLDA" in printed and "pip install 'polytopic[study]'" in printed
    assert "debtags" in call(*command(installed), "data", **settings)
    assert "documents 11366" in call(*command(installed), "data", "debtags", **settings)


def test_the_wheel_says_what_the_project_says(installed):
    (told,) = installed.glob("polytopic-*.dist-info")
    assert told.name == f"polytopic-{polytopic.__version__}.dist-info"
    (found,) = metadata.distributions(name="polytopic", path=[str(installed)])
    assert found.metadata["Requires-Python"] == PROJECT["requires-python"]
    assert found.metadata["License-Expression"] == "MIT" and list(told.rglob("LICENSE"))
    assert found.metadata["Description-Content-Type"].startswith("text/markdown")
    needed = {Requirement(line).name for line in found.requires if "extra ==" not in line}
    assert needed == {Requirement(line).name for line in DEPENDENCIES}


def test_the_source_distribution_is_the_library_alone(wheel):
    """It makes the wheel by itself; tests, notebooks and results stay in the checkout."""
    (made,) = wheel.parent.glob("*.tar.gz")
    with tarfile.open(made) as content:
        names = {name.partition("/")[2] for name in content.getnames()} - {""}
    top = {name.partition("/")[0] for name in names}
    assert {"pyproject.toml", "README.md", "LICENSE", "lib"} <= top
    assert top <= {"pyproject.toml", "README.md", "LICENSE", "lib", "PKG-INFO", "setup.cfg"}


def test_a_table_becomes_labels_with_the_library_alone(installed, alone, tmp_path):
    settings = outside(tmp_path, installed, alone) | {"OMP_NUM_THREADS": "1"}
    polytopic_ = command(installed)
    (settings["folder"] / "tags.csv").write_text(TABLE)
    (settings["folder"] / "new.txt").write_text("an apple\n")
    assert "24 documents" in call(*polytopic_, "import", "tags.csv", **settings)
    how = ["--model", "PriorLDA", "-p", "inference=mean_field", "--to", "model"]
    call(*polytopic_, "fit", "tags", *how, **settings)
    printed = call(*polytopic_, "predict", "model", "new.txt", "--top", "1", **settings)
    assert printed.splitlines()[1].startswith("1,1,fruit,")
    assert "Micro-F1" in call(*polytopic_, "evaluate", "model", "tags", **settings)


def newest():
    """Return the newest other Python that runs, of those on the path and of pyenv's; None without one."""
    on_path = (shutil.which(f"python3.{minor}") for minor in range(11, 30))
    of_pyenv = (Path.home() / ".pyenv" / "versions").glob("3.*/bin/python")
    found = {}
    for one in filter(None, [*on_path, *of_pyenv]):
        asked = [str(one), "-c", "import sys; print(*sys.version_info[:2])"]
        ended = subprocess.run(asked, capture_output=True, text=True, check=False)
        if ended.returncode == 0:
            found[tuple(map(int, ended.stdout.split()))] = one
    return found.get(max(found.keys() - {sys.version_info[:2]}, default=None))


def test_the_newest_python_at_hand_installs_and_runs_it(wheel, tmp_path):
    """With the newest versions of the dependencies; skipped where there is no other Python, or no index."""
    python = newest()
    if python is None:
        pytest.skip(f"no Python {PROJECT['requires-python']} is at hand but {sys.version.split()[0]}")
    inside, folder = environment(python, tmp_path / "venv")
    fetch(inside, wheel)
    assert call(inside, "-c", STORY, folder, **outside(tmp_path)).count("\n") == 3


@pytest.mark.parametrize("hiding", [True, False], ids=["alone", "with the study's packages"])
@pytest.mark.parametrize("arguments", [["figures"], ["test"], ["data", "nothing"]])
def test_what_needs_more_says_so_in_one_line(installed, alone, tmp_path, arguments, hiding):
    settings = outside(tmp_path, installed, *([alone] if hiding else []))
    found = ended(*command(installed), *arguments, **settings)
    assert found.returncode == 2 and found.stderr.startswith("polytopic: "), found.stderr
    assert found.stderr.count("\n") == 1


def test_the_lowest_versions_suffice(wheel, tmp_path):
    """The floors of pyproject.toml, installed together; skipped where no index has them for this Python."""
    lowest = [line.replace(">=", "==") for line in DEPENDENCIES]
    assert all(line.count("==") == 1 for line in lowest)
    inside, folder = environment(sys.executable, tmp_path / "venv", "--without-pip")
    fetch(sys.executable, "--target", folder, *lowest)
    call(sys.executable, *PIP, "install", *OFFLINE, "--target", folder, wheel)
    assert call(inside, "-c", STORY, folder, **outside(tmp_path)).count("\n") == 3
