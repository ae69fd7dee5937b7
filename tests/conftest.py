"""What all tests share: the study's variables, a cache of their own, the public files where they are."""

import json
import os
from pathlib import Path

import hypothesis
import pytest

import evidence
from polytopic import paths
from polytopic.command import runner

os.environ.update(runner.environment())
os.environ.setdefault("NUMBA_CACHE_DIR", str(paths.cache() / "compiled"))
os.environ.update({"TQDM_DISABLE": "1", "POLYTOPIC_CHECK_FIGURES": "1"})
if "PYTEST_XDIST_WORKER_COUNT" in os.environ:
    share = (os.cpu_count() or 1) // int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
    os.environ["LOKY_MAX_CPU_COUNT"] = str(max(1, share))

hypothesis.settings.register_profile("study", deadline=None, derandomize=True)
hypothesis.settings.load_profile("study")

NO_MIRROR = f"{paths.MIRROR} is not set: the public source files are not at hand"


def pytest_configure(config):
    """Take note of what is proved where ``polytopic test`` says so; plain pytest runs all that it is told to."""
    asked = os.environ.get(evidence.VARIABLE, "")
    if asked:
        config.pluginmanager.register(evidence.Evidence("use" in asked, "record" in asked))


def pytest_collection_modifyitems(items):
    """Skip what is marked ``real_data`` where the public files are not at hand."""
    if not os.environ.get(paths.MIRROR):
        for item in items:
            if item.get_closest_marker("real_data"):
                item.add_marker(pytest.mark.skip(reason=NO_MIRROR))


@pytest.fixture
def real_data():
    """The folder of the public source files; a test that asks for it is skipped where there is none."""
    if not os.environ.get(paths.MIRROR):
        pytest.skip(NO_MIRROR)
    return Path(os.environ[paths.MIRROR])


@pytest.fixture(scope="module", autouse=True)
def own_folders(tmp_path_factory):
    """Give each test file an empty cache, and let figures be written: only notebooks compare them.

    Compiled functions stay where all tests find them.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(paths.CACHE, str(tmp_path_factory.mktemp("cache")))
        for name in ("POLYTOPIC_CHECK_FIGURES", paths.FIGURES, paths.RUNS, paths.HOME):
            patch.delenv(name, raising=False)
        yield


KINDS = {"md": "markdown", "parameters": "code", "code": "code"}


@pytest.fixture
def write_notebook():
    """A function that writes a notebook from pairs of a kind ("md", "parameters" or "code") and a source."""

    def write(path, *cells, **changes):
        content = [
            {
                "cell_type": KINDS[kind],
                "id": f"cell-{number}",
                "metadata": {"tags": ["parameters"]} if kind == "parameters" else {},
                "source": source,
                **({"execution_count": None, "outputs": []} if kind != "md" else {}),
            }
            for number, (kind, source) in enumerate(cells)
        ]
        metadata = {"kernelspec": runner.KERNEL, "language_info": {"name": "python"}}
        notebook = {"cells": content, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5} | changes
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(notebook), encoding="utf-8")
        return path

    return write
