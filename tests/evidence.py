"""Evidence by content: a proof that passed need not run again while all that it depends on stays as it is.

``tests/evidence.json`` holds, for each proof, the digest of what it depended on when it last passed. Under
``polytopic test`` a proof of the same digest is skipped, visibly, and counted; whatever changed runs, and so does
everything that nobody recorded. Proofs are the tests in PROOFS, which take minutes: those of the samplers rest on the
kernels, on what of the library they import, and on their twins; those of the benchmarks and of the wheel on the files
named with them besides. And the notebooks, which rest on what ``polytopic figures`` knows of them. The quickest
notebook of each folder runs always.
"""

import ast
import hashlib
import json
from collections import Counter
from pathlib import Path

import pytest

from polytopic import paths, source
from polytopic.command import notebooks, runner
from polytopic.files import write_whole

VARIABLE = "POLYTOPIC_EVIDENCE"  # "use", "record", "use+record" or nothing: set by `polytopic test`
FILE = "evidence.json"
DIGITS = 16
SAMPLERS = (
    "test_branches",
    "test_broken_samplers",
    "test_exactness",
    "test_fast_inference",
    "test_fastxml",
    "test_geweke",
    "test_layered_lda",
    "test_lda_kernels",
    "test_online",
    "test_pd_sparse",
    "test_proper_inference",
    "test_sparse_prediction",
    "test_training_kernels",
    "test_whole_predictions",
)
BENCHMARKS = ("benchmarks/*.py", "benchmarks/aims.csv")
WHEEL = (
    "pyproject.toml",
    "lib/polytopic/*.py",
    *(
        f"lib/polytopic/{room}/**/*.py"
        for room in ["command", "datasets", "kernels", "metrics", "models", "practice"]
    ),
    "lib/polytopic/datasets/embedded/**/*",
)
PROOFS = dict.fromkeys(SAMPLERS, ()) | {"test_benchmarks": BENCHMARKS, "test_wheel": WHEEL}


class Evidence:
    """A plugin of pytest that skips what is proved, and on request notes what passes."""

    def __init__(self, use, record):
        self.use, self.record = use, record
        self.file = paths.root() / "tests" / FILE
        self.known = json.loads(self.file.read_text(encoding="utf-8")) if self.file.is_file() else {}
        self.seconds, self.not_whole = Counter(), set()

    def pytest_collection_modifyitems(self, items):
        if not self.use:
            return
        always = self.always()
        digests = {}
        for item in items:
            name = item.nodeid.partition("::")[0]
            if name in self.known and name not in always:
                if name not in digests:
                    digests[name] = digest(name)
                if digests[name] == self.known[name]["digest"]:
                    reason = f"proved at digest {digests[name]}; `polytopic test --all` runs it"
                    item.add_marker(pytest.mark.skip(reason=reason))

    def always(self):
        """Return the quickest notebook of each folder."""
        by_folder = {}
        for name, entry in self.known.items():
            if name.endswith(".ipynb"):
                by_folder.setdefault(Path(name).parent, []).append((entry["seconds"], name))
        return {min(entries)[1] for entries in by_folder.values()}

    def pytest_runtest_logreport(self, report):
        name = report.nodeid.partition("::")[0]
        self.seconds[name] += report.duration
        if not report.passed:
            self.not_whole.add(name)

    def pytest_sessionfinish(self, session, exitstatus):
        """Write what has passed whole. Of several processes that run tests, only the one that hears of all does."""
        heard_all = not hasattr(session.config, "workerinput")
        ended = exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
        if not (self.record and heard_all and ended):
            return
        entries = {name: entry for name, entry in self.known.items() if (paths.root() / name).is_file()}
        for name in self.seconds.keys() - self.not_whole:
            found = digest(name) if is_proof(name) else None
            if found and entries.get(name, {}).get("digest") != found:
                entries[name] = {"digest": found, "seconds": round(self.seconds[name])}
        write_whole(self.file, json.dumps(entries, indent=1, sort_keys=True) + "\n")

    def pytest_terminal_summary(self, terminalreporter):
        skipped = terminalreporter.stats.get("skipped", [])
        proved = [report for report in skipped if "proved at digest" in str(report.longrepr)]
        if proved:
            files = {report.nodeid.partition("::")[0] for report in proved}
            terminalreporter.write_line(
                f"{len(proved)} tests of {len(files)} files were not run, for what they depend on is as it was when "
                "they passed: `polytopic test --all` runs them"
            )


def is_proof(name):
    """Return whether the file of this name, relative to the checkout, is one whose evidence is kept."""
    path = Path(name)
    return path.suffix == ".ipynb" or path.stem in PROOFS


def digest(name):
    """Return the digest of all that a proof depends on, 16 hexadecimal digits."""
    path = paths.root() / name
    found = _of_notebook(path) if path.suffix == ".ipynb" else _of_tests(path)
    return hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()[:DIGITS]


def _of_notebook(path):
    """Return what a notebook's standard run depends on, its committed outputs, and the numbers of its figures."""
    name = path.relative_to(paths.notebooks()).with_suffix("").as_posix()
    (run,) = runner.plan([notebooks.Notebook(path, name)])
    drawn = [one for one in (paths.root() / "figures").glob("*.json") if run.notebook.draws(one.name)]
    return runner.inputs(run) | {"outputs": runner.content_digest(paths.root(), [path, *drawn])}


def _of_tests(path):
    """Return the digests of a test file, of what it imports or runs, and of what all that reaches in the package.

    Of kernels the very text counts, for some tests change it.
    """
    root, files = paths.root(), _behind(path)
    files += sorted({one for pattern in PROOFS[path.stem] for one in root.glob(pattern) if one.is_file()})
    code = [file.read_text(encoding="utf-8") for file in files if file.suffix == ".py"]
    reached = source.reached_by_text("\n".join(code))
    kernels = (source.ROOT / "kernels").glob("*.py")
    return {
        "tests": runner.content_digest(root, files),
        "code": source.digests(reached),
        "kernels": runner.content_digest(source.ROOT, kernels),
        "requirements.lock": runner.content_digest(root, [root / "requirements.lock"]),
    }


def _behind(path):
    """Return a test file, what all tests share, and all files below ``tests`` that they import, step by step."""
    tests = paths.root() / "tests"
    found, waiting = set(), [path, tests / "conftest.py"]
    while waiting:
        file = waiting.pop()
        if file in found or not file.is_file():
            continue
        found.add(file)
        for name in _imported(file):
            for place in {file.parent, tests, tests / "library"}:
                base = place.joinpath(*name.split("."))
                waiting += [base.with_suffix(".py"), base / "__init__.py"]
    return sorted(found)


def _imported(file):
    """Return the names that a file imports, those of packages and what may be their modules."""
    names = set()
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names
