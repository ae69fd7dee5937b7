"""Evidence by content: what is proved is skipped, visibly, and whatever changed runs."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import evidence
from polytopic import paths, source

KERNEL = '"""A sweep."""\nSTEP = 1\n'
TWIN = "STEP = 1\n"
PROOF = """
from reference import twin
def compiled():
    from polytopic.kernels import sweep
    return sweep
def test_agreement():
    assert True
def test_more():
    assert True
"""
CONFTEST = f"""
import evidence, os
from pathlib import Path
from polytopic import source
source.ROOT = Path({{root!r}}) / "lib" / "polytopic"
def pytest_configure(config):
    asked = os.environ.get("{evidence.VARIABLE}", "")
    config.pluginmanager.register(evidence.Evidence("use" in asked, "record" in asked))
"""


@pytest.fixture
def study(tmp_path, monkeypatch, write_notebook):
    """A study of one proof, one plain test and three notebooks, with kernels of its own."""
    texts = {
        "lib/polytopic/kernels/sweep.py": KERNEL,
        "lib/polytopic/models/flat.py": "STEP = 1\n",
        "lib/polytopic/study/words.py": "STEP = 1\n",
        "tests/reference/__init__.py": "",
        "tests/reference/twin.py": TWIN,
        "tests/library/test_geweke.py": PROOF,
        "tests/library/test_plain.py": "def test_plain():\n    assert True\n",
        "tests/conftest.py": CONFTEST.format(root=str(tmp_path)),
        "notebooks/params/quick.yaml": "scale: quick\n",
        "data/reported/all.csv": "1\n",
        "pytest.ini": "[pytest]\n",
    }
    for name, text in texts.items():
        write(tmp_path / name, text)
    cells = (
        ("parameters", "seed = 0"),
        ("code", "if seed < 0:\n    from polytopic.study import words\n    words.STEP"),
    )
    for number in (1, 2, 3):
        write_notebook(tmp_path / "notebooks" / "demo2000" / f"fig_{number}.ipynb", ("md", "# One"), *cells)
    monkeypatch.setenv(paths.HOME, str(tmp_path))
    monkeypatch.setattr(source, "ROOT", tmp_path / "lib" / "polytopic")
    return tmp_path


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def run(study, asked, *more, places=("tests", "notebooks")):
    """Run pytest over the study as `polytopic test` does, and return what it printed."""
    command = [sys.executable, "-m", "pytest", "-rs", "-v", "-p", "no:cacheprovider", "--nbval-lax"]
    path = os.pathsep.join([str(Path(evidence.__file__).parent), str(Path(paths.__file__).parents[1])])
    variables = {evidence.VARIABLE: asked, "PYTHONPATH": path, paths.HOME: str(study)}
    ended = subprocess.run(
        [*command, "--nbval-current-env", *more, *places],
        cwd=study, env=os.environ | variables, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return ended.stdout + ended.stderr


def recorded(study):
    return json.loads((study / "tests" / evidence.FILE).read_text())


def test_what_is_proved_is_skipped_visibly_and_what_changed_runs(study):
    tests = {"places": ["tests"]}
    assert "3 passed" in run(study, "use+record", "-n", "2", **tests)
    assert list(recorded(study)) == ["tests/library/test_geweke.py"]
    printed = run(study, "use", "-n", "2", **tests)
    assert "1 passed, 2 skipped" in printed
    assert f"proved at digest {recorded(study)['tests/library/test_geweke.py']['digest']}" in printed
    assert "2 tests of 1 files were not run" in printed
    assert "3 passed" in run(study, "record", **tests)
    write(study / "lib/polytopic/kernels/sweep.py", KERNEL.replace("1", "2"))
    assert "3 passed" in run(study, "use", **tests)


def test_only_what_passed_whole_is_recorded(study):
    write(study / "tests/library/test_geweke.py", PROOF.replace("True\n", "False\n", 1))
    run(study, "record", places=["tests"])
    assert recorded(study) == {}
    skipped = PROOF + "import pytest\npytest.skip(allow_module_level=True)"
    write(study / "tests/library/test_geweke.py", skipped)
    run(study, "record", places=["tests"])
    assert recorded(study) == {}


GEWEKE, SCRIPTS = "tests/library/test_geweke.py", "tests/command/test_benchmarks.py"
NOTEBOOK = "notebooks/demo2000/fig_1.ipynb"


@pytest.mark.parametrize(
    ("proof", "name", "text", "runs"),
    [
        (GEWEKE, "lib/polytopic/kernels/sweep.py", KERNEL.replace("1", "2"), True),
        (
            GEWEKE,
            "lib/polytopic/kernels/sweep.py",
            KERNEL + "# the text counts: some tests change it\n",
            True,
        ),
        (GEWEKE, "lib/polytopic/kernels/simd.py", "STEP = 1", True),
        (GEWEKE, "tests/reference/twin.py", "STEP = 2", True),
        (GEWEKE, GEWEKE, PROOF + "\n", True),
        (GEWEKE, "requirements.lock", "numba==1", True),
        (GEWEKE, "lib/polytopic/models/flat.py", "STEP = 2", False),
        (GEWEKE, "lib/polytopic/study/words.py", "STEP = 2", False),
        (GEWEKE, "data/reported/all.csv", "2\n", False),
        (SCRIPTS, "benchmarks/scan.py", "from polytopic.models import flat\n", True),
        (SCRIPTS, "benchmarks/aims.csv", "question\n", True),
        (SCRIPTS, "lib/polytopic/study/words.py", "STEP = 2", True),  # which a script uses
        (SCRIPTS, "lib/polytopic/models/flat.py", "STEP = 2", False),
        (SCRIPTS, "benchmarks/README.md", "Scripts.\n", False),
        (NOTEBOOK, "lib/polytopic/study/words.py", "STEP = 2", True),
        (NOTEBOOK, "data/reported/all.csv", "2\n", True),
        (NOTEBOOK, "figures/demo2000_fig_1.json", "{}", True),
        (NOTEBOOK, "figures/demo2000_fig_2.json", "{}", False),
        (NOTEBOOK, "lib/polytopic/models/flat.py", "STEP = 2", False),
        (NOTEBOOK, "notebooks/demo2000/fig_2.ipynb", "{}", False),
    ],
)
def test_a_proof_depends_on_what_it_rests_on_and_on_nothing_else(study, proof, name, text, runs):
    write(study / "benchmarks" / "words.py", "from polytopic.study.words import STEP\nprint(STEP)\n")
    write(study / SCRIPTS, "def test_scripts():\n    pass\n")
    before = evidence.digest(proof)
    write(study / name, text)
    assert (evidence.digest(proof) != before) == runs


def test_one_notebook_of_each_folder_runs_always(study):
    """The quickest: no kernel is started for the others."""
    names = [f"notebooks/demo2000/fig_{number}.ipynb" for number in (1, 2, 3)]
    entries = [
        {"digest": evidence.digest(name), "seconds": s} for name, s in zip(names, (3, 1, 2), strict=True)
    ]
    write(study / "tests" / evidence.FILE, json.dumps(dict(zip(names, entries, strict=True))))
    printed = run(study, "use", places=["tests", "notebooks"])
    assert "5 passed, 4 skipped" in printed  # a notebook has two cells of code, the tests are three
    skipped = [line for line in printed.splitlines() if "SKIPPED" in line]
    assert any("fig_1" in line for line in skipped) and not any("fig_2" in line for line in skipped)


def test_what_is_named_as_a_proof_is_there():
    stems = {path.stem for path in (paths.checkout() / "tests").rglob("test_*.py")}
    assert stems >= evidence.PROOFS.keys()
