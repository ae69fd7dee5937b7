"""The digest of code: what it covers, what changes it, and what does not."""

import pytest

from polytopic import source

FILES = {
    "__init__": "from demo.models.flat import Flat\n__version__ = '1'",
    "kernels/__init__": "",
    "kernels/sweep": "STEP = 1\ndef sweep():\n    '''Sweep once.'''\n    return STEP\n",
    "models/__init__": "from demo.models.flat import Flat\nfrom demo.models.other import Other\n",
    "models/flat": "import demo\nfrom demo.kernels import sweep\nclass Flat:\n    pass\n",
    "models/other": "class Other:\n    pass\n",
    "study": "def unit():\n    from demo.models import Flat\n    return Flat\n",
}


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of its own, and a function that writes one of its modules and returns the study's digest."""
    monkeypatch.setattr(source, "ROOT", tmp_path)
    monkeypatch.setattr(source, "PACKAGE", "demo")

    def write(name, text):
        path = tmp_path / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return source.digest("demo.study")

    for name, text in FILES.items():
        write(name, text)
    return write


def test_the_closure_follows_imports_and_hands_names_on(package):
    assert sorted(source.closure("demo.study")) == ["demo.kernels.sweep", "demo.models.flat", "demo.study"]


def test_a_change_in_what_is_imported_changes_the_digest(package):
    """Two results lay under one key, because the code behind them was no part of it."""
    before = package("study", FILES["study"])
    assert package("kernels/sweep", FILES["kernels/sweep"].replace("STEP = 1", "STEP = 2")) != before
    assert package("kernels/sweep", FILES["kernels/sweep"]) == before


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("kernels/sweep", "Sweep once.", "Sweep all tokens once."),
        ("kernels/sweep", "STEP = 1\n", "# how far to go\nSTEP = 1\n\n\n"),
        ("models/other", "pass", "value = 3"),
    ],
    ids=["docstring", "comment and layout", "what is not imported"],
)
def test_other_changes_leave_it(package, name, old, new):
    before = package("study", FILES["study"])
    assert package(name, FILES[name].replace(old, new)) == before


def test_a_version_number_is_no_code(package):
    """Otherwise a release would make every notebook due that imports from the package's top."""
    package("study", "from demo import Flat\nfrom demo import other\n")
    before = package("__init__", FILES["__init__"] + "\nother = 1")
    assert "demo" in source.closure("demo.study")
    assert package("__init__", FILES["__init__"].replace("'1'", "'2'") + "\nother = 1") == before
    assert package("__init__", FILES["__init__"] + "\nother = 2") != before


def test_a_notebooks_code_has_a_closure(package):
    text = "import numpy\nfrom demo.models import Other\n"
    assert list(source.closure_of_text(text)) == ["demo.models.other"]
    before = source.digests(*source.closure_of_text(text))
    package("models/other", "class Other:\n    value = 4\n")
    after = source.digests(*source.closure_of_text(text))
    assert list(before) == list(after) == ["demo.models.other"] and before != after


def test_code_mentions_what_it_says_outside_of_docstrings(package):
    package("study", '"""As rubin2012 does."""\nPAPER = "ueda2002"  # not tai2012\n')
    (path,) = source.closure("demo.study").values()
    assert source.mentioned(["rubin2012", "tai2012", "ueda2002"], [path]) == {"ueda2002"}


def test_what_is_apart_is_left_out_with_what_it_alone_imports(package):
    before = source.digest("demo.study", apart=["demo.models"])
    package("kernels/sweep", "STEP = 5\n")
    assert source.digest("demo.study", apart=["demo.models"]) == before
    assert list(source.closure("demo.study", apart=["demo.mod"])) != ["demo.study"]


def test_the_real_closure_of_a_model_holds_its_kernels_and_no_other_model():
    from polytopic.models import PMM

    closure = source.closure(PMM.__module__)
    assert "polytopic.kernels.mixtures" in closure and "polytopic.models.svm" not in closure
