"""The table of notation: what it calls by name exists."""

import inspect
import re

from polytopic import models, paths
from polytopic.kernels import online
from polytopic.models.estimators import ESTIMATORS

TEXT = (paths.checkout() / "NOTATION.md").read_text(encoding="utf-8")
CLASSES = {name: getattr(models, name) for name in models.__all__ if isinstance(getattr(models, name), type)}


def settings(kind):
    return set(inspect.signature(kind).parameters)


def named():
    """Return the names that the library has: classes, settings, methods, their parameters, and what is learned."""
    known = {*CLASSES, *ESTIMATORS, *online.State._fields}
    for kind in CLASSES.values():
        methods = {name: one for name, one in inspect.getmembers(kind, callable) if not name.startswith("_")}
        learned = inspect.getdoc(kind).partition("\nAttributes\n")[2]
        known |= settings(kind) | set(methods) | set(re.findall(r"^(\w+_) :", learned, re.MULTILINE))
        known |= {name for one in methods.values() for name in inspect.signature(one).parameters}
    return known


def test_every_name_is_the_library_s():
    """beta_c stood for what SCVBDependency calls eta_y."""
    spans = set(re.findall(r"`([^`]+)`", TEXT))
    assert {re.match(r"\w+", span)[0] for span in spans} - named() == set()


def test_a_model_s_setting_is_its_own():
    pairs = re.findall(r"`(\w+)` of `(\w+)`", TEXT)
    assert ("eta_y", "SCVBDependency") in pairs
    assert [(name, kind) for name, kind in pairs if name not in settings(CLASSES[kind])] == []
