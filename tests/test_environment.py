"""The project files that must agree with one another."""

import json
import re
import shutil
import subprocess
import sysconfig
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

import polytopic
from polytopic import paths

ROOT = paths.checkout()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CONDA_NAMES = {"matplotlib": "matplotlib-base"}
HOSTS = re.compile(r"://|--(extra-)?index-url|--find-links|@ ")


def wanted():
    """Return the requirements of the library, of the study, of its pages and of its tests."""
    extras, tests = PROJECT["project"]["optional-dependencies"], PROJECT["dependency-groups"]["test"]
    lines = PROJECT["project"]["dependencies"] + extras["study"] + extras["site"] + tests
    return [Requirement(line) for line in lines]


def locked(text):
    """Return {name: [(requirement, number of checksums)]} of a lock; a name may stand there several times."""
    found = {}
    for entry in re.split(r"\n(?=\S)", text.strip()):
        requirement = Requirement(entry.partition("\\")[0].strip())
        found.setdefault(requirement.name, []).append((requirement, entry.count("--hash=sha256:")))
    return found


def conda_names(file):
    content = yaml.safe_load((ROOT / file).read_text(encoding="utf-8"))
    return {entry for entry in content["dependencies"] if isinstance(entry, str)}


@pytest.mark.parametrize("file", ["environment.yml", "binder/environment.yml"])
def test_conda_has_the_same_packages_and_ranges(file):
    names = {f"{CONDA_NAMES.get(one.name, one.name)}{one.specifier}" for one in wanted()}
    assert conda_names(file) == names | {"pip", f"python{PROJECT['project']['requires-python']}"}


def test_the_lock_holds_every_requirement_within_its_range():
    versions = locked((ROOT / "requirements.lock").read_text(encoding="utf-8"))
    for requirement in wanted():
        assert requirement.name in versions
        for pinned, _ in versions[requirement.name]:
            (version,) = (one.version for one in pinned.specifier)
            assert requirement.specifier.contains(version), f"{pinned} is outside {requirement}"


def test_everything_locked_is_one_version_with_checksums():
    for entries in locked((ROOT / "requirements.lock").read_text(encoding="utf-8")).values():
        for requirement, checksums in entries:
            assert [one.operator for one in requirement.specifier] == ["=="]
            assert checksums, f"{requirement} has no checksum"


def test_the_lock_names_no_host():
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    assert not HOSTS.search(text)
    assert HOSTS.search(f"--index-url https://example.org/simple\n{text}")


def test_the_versions_agree():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    metadata = json.loads((ROOT / "codemeta.json").read_text(encoding="utf-8"))
    assert citation["version"] == metadata["version"] == polytopic.__version__
    assert metadata["description"] == PROJECT["project"]["description"]
    assert f"## {polytopic.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_licence_is_one():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["license"] == PROJECT["project"]["license"] == "MIT"
    assert (ROOT / "LICENSE").read_text(encoding="utf-8").startswith("MIT License")


def test_releases_are_tried_on_the_oldest_and_the_newest_python():
    release = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8"))
    oldest = PROJECT["project"]["requires-python"].removeprefix(">=")
    pythons = release["jobs"]["install"]["strategy"]["matrix"]["python"]
    assert pythons[0] == oldest and len(pythons) > 1
    assert [*map(int, pythons[-1].split("."))] > [*map(int, oldest.split("."))]


def test_the_oldest_python_is_the_same_everywhere():
    text = (ROOT / "study.py").read_text(encoding="utf-8")
    oldest = re.search(r"OLDEST_PYTHON = \((\d+), (\d+)\)", text).groups()
    assert PROJECT["project"]["requires-python"] == f">={'.'.join(oldest)}"


@pytest.mark.parametrize(
    "planted", ["", "      - run: echo ${{ github.event.issue.title }}\n", "      - rum: true\n"]
)
def test_the_workflows_are_sound(planted, tmp_path):
    """No fault by the linter: a step that runs a stranger's text and a step of no kind are found."""
    for file in (ROOT / ".github").rglob("*.yml"):
        shutil.copy(file, tmp_path)
    with open(tmp_path / "tests.yml", "a", encoding="utf-8") as workflow:
        workflow.write(planted)
    files = [tmp_path / f"{name}.yml" for name in ("pages", "release", "tests")]
    linter = Path(sysconfig.get_path("scripts")) / "zizmor"
    command = [linter, "--offline", "--quiet", "--strict-collection", "--min-severity=medium"]
    found = subprocess.run(
        [*command, f"--config={tmp_path / 'zizmor.yml'}", *files], capture_output=True, text=True
    )
    assert bool(found.returncode) == bool(planted), found.stdout + found.stderr
