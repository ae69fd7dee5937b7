"""The digest of code: what it covers, what changes it, and what does not."""

import importlib
import inspect
import pkgutil
import sys

import pytest

from polytopic import source

FILES = {
    "__init__": "from demo.models.flat import Flat\n__version__ = '1'",
    "kernels/__init__": "",
    "kernels/sweep": (
        "STEP = 1\nSTEP += 1\ndef sweep():\n    '''Sweep once.'''\n    return STEP\n\ndef other():\n    pass\n"
    ),
    "models/__init__": "from demo.models.flat import Flat\nfrom demo.models.other import Other\n",
    "models/flat": (
        "import demo\nfrom demo.kernels import sweep\nfrom demo.models.base import Base, setting\nTABLE = {}\n"
        "class Flat(Base):\n    width = setting(1, 'how wide')\n    def fit(self):\n        if self.width < 1:\n"
        "            raise ValueError('too narrow')\n        return sweep.sweep(self.step())\n"
        "    def explain(self):\n        return self.shares()\n"
        "def plot():\n    return Flat\n"
        "def used():\n    return TABLE['first']\n"
        "TABLE['first'] = plot\n"
    ),
    "models/base": "def setting(default, about):\n    return default\nclass Base:\n    start = 0\n"
    "    def step(self):\n        return getattr(self, 'by')\n"
    "    @property\n    def by(self):\n        return 2\n"
    "    def shares(self):\n        return 3\nprint('loose')\n",
    "models/other": "class Other:\n    pass\n",
    "study": (
        "from demo import kernels\n"
        "LIMITS = {}\ndef entered(limits):\n    return lambda one: one\n"
        "@entered(LIMITS)\ndef unit():\n    from demo.models import Flat\n    return Flat\n"
        "def picture():\n    return unit\n"
        "def explained():\n    return unit().explain()\n"
        "def handing():\n    return run(kernels.sweep)\n"
    ),
}  # fmt: skip


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of its own, and a function that writes one of its modules."""
    monkeypatch.setattr(source, "ROOT", tmp_path / "demo")
    monkeypatch.setattr(source, "PACKAGE", "demo")
    monkeypatch.syspath_prepend(tmp_path)

    def write(name, text):
        path = tmp_path / "demo" / f"{name}.py"
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(text)

    for name, text in FILES.items():
        write(name, text)
    yield write
    for name in [name for name in sys.modules if name.split(".")[0] == "demo"]:
        del sys.modules[name]


def function(module, name):
    return getattr(importlib.import_module(f"demo.{module}"), name)


def test_what_is_reached_is_followed_step_by_step(package):
    code = source.reached(function("study", "unit"))
    assert list(code) == ["demo.kernels.sweep", "demo.models.base", "demo.models.flat", "demo.study"]
    assert "'sweep'" in code["demo.kernels.sweep"] and "'other'" not in code["demo.kernels.sweep"]
    assert "picture" not in code["demo.study"] and "plot" not in code["demo.models.flat"]
    assert "LIMITS" not in code["demo.study"]  # of a root's own decorator, which holds how it is entered


@pytest.mark.parametrize(
    ("root", "name", "old", "new"),
    [
        ("unit", "kernels/sweep", "STEP = 1", "STEP = 2"),
        ("unit", "kernels/sweep", "STEP += 1", "STEP += 2"),
        ("unit", "models/base", "start = 0", "start = 1"),
        ("unit", "models/base", "'loose'", "'other'"),
        ("unit", "models/base", "self, 'by'", "self, 'start'"),
        ("unit", "models/base", "return 2", "return 4"),
        ("explained", "models/base", "return 3", "return 4"),
        ("unit", "models/flat", "width < 1", "width < 2"),
        ("unit", "models/flat", "setting(1,", "setting(2,"),
        ("picture", "study", "LIMITS = {}", "LIMITS = {1: 1}"),
        ("handing", "kernels/sweep", "pass", "return 1"),
    ],
    ids=[
        "table", "its change", "base class", "loose statement", "method", "method by a text", "method by another",
        "condition", "default", "another's decorator", "module handed on",
    ],
)  # fmt: skip
def test_a_change_in_what_is_reached_changes_the_digest(package, root, name, old, new):
    """Two results lay under one key, because the code behind them was no part of it."""
    reaching = function("study", root)
    before = source.digest(reaching)
    package(name, FILES[name].replace(old, new))
    assert FILES[name].replace(old, new) != FILES[name] and source.digest(reaching) != before
    package(name, FILES[name])
    assert source.digest(reaching) == before


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("kernels/sweep", "Sweep once.", "Sweep all tokens once."),
        ("kernels/sweep", "STEP = 1\n", "# how far to go\nSTEP = 1\n\n\n"),
        ("kernels/sweep", "pass", "return 5"),
        ("models/flat", "return Flat", "return None"),
        ("models/flat", "'too narrow'", "'at least 1'"),
        ("models/flat", "'how wide'", "'how wide it is'"),
        ("models/flat", "self.shares()", "self.shares(1)"),
        ("models/base", "return 3", "return 4"),
        ("models/other", "pass", "value = 3"),
        ("study", "LIMITS = {}", "LIMITS = {1: 1}"),
        ("study", "return unit", "return None"),
    ],
    ids=[
        "docstring", "comment and layout", "function beside", "picture", "error's words", "setting's words",
        "method that nothing names", "what it alone names", "class beside", "its own decorator", "page's function",
    ],
)  # fmt: skip
def test_other_changes_leave_it(package, name, old, new):
    """A changed picture made 3,849 results those of other code."""
    reaching = function("study", "unit")
    before = source.digest(reaching)
    package(name, FILES[name].replace(old, new))
    assert FILES[name].replace(old, new) != FILES[name] and source.digest(reaching) == before


def test_a_table_reaches_what_is_entered_in_it(package):
    assert "plot" in source.reached(function("models.flat", "used"))["demo.models.flat"]


def test_moving_a_function_within_its_module_changes_nothing(package):
    reaching = function("study", "unit")
    before = source.digest(reaching)
    first, rest = FILES["kernels/sweep"].split("def sweep", 1)
    package("kernels/sweep", "def sweep" + rest + first)
    assert source.digest(reaching) == before


def test_a_version_number_is_no_code(package):
    """Otherwise a release would make every notebook due that imports from the package's top."""
    text = "import demo\nprint(demo.__version__)\n"
    before = source.reached_by_text(text)
    assert list(before) == ["demo"]
    package("__init__", FILES["__init__"].replace("'1'", "'2'"))
    assert source.reached_by_text(text) == before


def test_a_notebooks_code_reaches_what_it_takes(package):
    text = "import numpy\nfrom demo.models import Other\nOther()\n"
    before = source.reached_by_text(text)
    assert list(before) == ["demo.models.other"]
    package("models/other", "class Other:\n    value = 4\n")
    after = source.reached_by_text(text)
    assert list(after) == list(before) and source.digests(after) != source.digests(before)


def test_code_mentions_what_it_says_outside_of_docstrings(package):
    package("study", '"""As rubin2012 does."""\nPAPER = "ueda2002"  # not tai2012\n')
    code = source.reached_by_text("from demo import study\nstudy.PAPER")
    assert source.mentioned(["rubin2012", "tai2012", "ueda2002"], code) == {"ueda2002"}


def test_what_is_apart_is_left_out_with_what_it_alone_reaches(package):
    reaching = function("study", "unit")
    before = source.digest(reaching, apart=["demo.models"])
    package("kernels/sweep", "STEP = 5\n")
    assert source.digest(reaching, apart=["demo.models"]) == before
    assert list(source.reached(reaching, apart=["demo.mod"])) != ["demo.study"]


def test_what_other_packages_call_is_reached_by_name():
    """A base class of another package calls such a method, and no code of this one names it."""
    called = set()
    for module in pkgutil.walk_packages([str(source.ROOT)], "polytopic."):
        if module.name.split(".")[1] in {"command", "practice"}:  # no result rests on these
            continue
        values = vars(importlib.import_module(module.name)).values()
        for cls in (one for one in values if inspect.isclass(one) and one.__module__ == module.name):
            others = [one for one in cls.__mro__ if one.__module__.partition(".")[0] != "polytopic"]
            theirs = {name for one in others for name in dir(one) if not name.endswith("__")}
            called |= {name for name in theirs & vars(cls).keys() if inspect.isfunction(vars(cls)[name])}
    ours = {"get_params", "set_params", "score", "on_start", "on_end"}
    assert ours <= called <= source.HOOKS


def test_a_model_reaches_its_kernels_and_no_other_model():
    from polytopic.models import PMM

    code = source.reached(PMM)
    assert "polytopic.kernels.mixtures" in code and "polytopic.models.svm" not in code
