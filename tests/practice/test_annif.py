"""The backend for Annif, by Annif's own commands, where it is installed; each in a process of its own."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from polytopic import paths
from polytopic.models import BinaryRelevanceSVM, FlatLDA, HybridClassifier
from polytopic.practice.labeller import Labeller

PAGE = Path(paths.checkout()) / "docs" / "annif.md"
VOCABULARY = "".join(f"<http://example.org/{name}>\t{name}\n" for name in ("fruit", "red", "boat"))
LINES = {
    "train.tsv": [("a red apple", "fruit red"), ("a red car", "red"), ("an apple and a pear", "fruit")] * 8,
    "test.tsv": [("the red car", "red"), ("a pear", "fruit")],
    "more.tsv": [("a strange boat", "boat"), ("the boat", "boat")] * 4,
}


def test_confidences_keep_the_order_and_lie_between_0_and_1():
    X, Y = np.eye(4, dtype=int), np.eye(4, dtype=bool)
    shares = np.array([0, 1e-12, 0.1, 0.5, 1.0])
    topics = FlatLDA(n_chains=1, n_sweeps=1, random_state=0).fit(X, Y)

    def confidences(model, scores):
        return [Labeller(model, (), ())._confidence(score) for score in scores]

    assert confidences(topics, shares) == pytest.approx(
        shares, rel=1e-12
    )  # one label a document: as many draws
    topics.cardinality_ = 3.0
    assert confidences(topics, shares) == pytest.approx(1 - (1 - shares) ** 3, abs=1e-12)
    margins = np.array([-5.0, 0.0, 5.0])
    assert confidences(BinaryRelevanceSVM(), margins) == pytest.approx(1 / (1 + np.exp(-margins)))
    assert confidences(HybridClassifier(), shares) == list(shares)


@pytest.fixture
def place(tmp_path):
    pytest.importorskip("annif", reason="Annif is not installed: pip install 'polytopic[annif]'")
    (tmp_path / "fruits.tsv").write_text(VOCABULARY)
    for name, rows in LINES.items():
        (tmp_path / name).write_text("".join(f"{text}\t{_subjects(labels)}\n" for text, labels in rows))
    (tmp_path / "text.txt").write_text("a red car")
    (tmp_path / "projects.cfg").write_text(
        "\n".join(re.findall(r"```ini\n(.*?)```", PAGE.read_text(), re.DOTALL))
    )
    return tmp_path


def _subjects(labels):
    return " ".join(f"<http://example.org/{label}>" for label in labels.split())


def annif(place, *arguments, text=None, status=0):
    line = [sys.executable, "-m", "polytopic.command.cli", "annif", *arguments]
    done = subprocess.run(line, cwd=place, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stderr
    return done.stdout + done.stderr


def suggested(place, project, text):
    """Return {name: score} of what Annif prints."""
    lines = (line.split("\t") for line in annif(place, "suggest", project, text=text).splitlines())
    return {line[1]: float(line[2]) for line in lines if len(line) == 3}


def measured(told, name):
    return float(re.search(rf"{re.escape(name)}:\s+([\d.]+)", told)[1])


@pytest.mark.slow
def test_the_commands_of_the_documentation_run(place):
    commands = re.findall(r"^polytopic annif (.*)$", PAGE.read_text(), re.MULTILINE)
    assert [line.partition(" ")[0] for line in commands[1:]] == ["train", "suggest", "eval", "train", "learn"]
    told = {line: annif(place, *line.split()) for line in commands}
    assert "red\t" in told["suggest fruits text.txt"]
    assert measured(told["eval fruits test.tsv"], "NDCG") > 0.9  # the worse order of two subjects has .82
    assert suggested(place, "stream", "the boat")["boat"] > 0.5  # no training document of the first had it


@pytest.mark.slow
def test_a_backend_suggests_what_its_model_does_and_annif_asks_it_over_http(place):
    annif(place, "load-vocab", "fruits", "fruits.tsv", "--language", "en")
    annif(place, "train", "fruits", "train.tsv")
    folder = place / "data" / "projects" / "fruits" / "model"
    assert sorted(path.name for path in folder.iterdir()) == ["arrays.npz", "model.json"]
    kept = Labeller.load(folder)
    (found,) = kept.confidences(["a red car"], 10)
    expected = {name.rpartition("/")[2]: pytest.approx(score, abs=1e-4) for name, score in found}
    assert suggested(place, "fruits", "a red car") == expected
    assert suggested(place, "fruits", "zzz") == {}
    line = [sys.executable, "-m", "polytopic.command.cli", "serve", str(folder), "--port", "0"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as server:
        try:
            port = re.search(r":(\d+)[.]", server.stdout.readline())[1]
            config = place / "projects.cfg"
            config.write_text(config.read_text().replace(":8765", f":{port}"))
            assert suggested(place, "over-http", "a red car") == expected
            assert measured(annif(place, "eval", "over-http", "test.tsv"), "NDCG") > 0.9
        finally:
            server.terminate()


@pytest.mark.slow
def test_subjects_without_documents_are_suggested_by_their_names(place):
    config = place / "projects.cfg"
    project = "language=en\nbackend=polytopic\nvocab=fruits\n"
    projects = f"\n[named]\nname=A\n{project}unused_subjects=true\n[plain]\nname=B\n{project}"
    config.write_text(config.read_text() + projects)
    rows = [*LINES["train.tsv"], ("a red boat", "red"), ("a boat", "red")]
    (place / "boats.tsv").write_text("".join(f"{text}\t{_subjects(labels)}\n" for text, labels in rows))
    annif(place, "load-vocab", "fruits", "fruits.tsv", "--language", "en")
    for name in ("named", "plain"):
        annif(place, "train", name, "boats.tsv")
    assert suggested(place, "named", "the boat")["boat"] > 0
    assert "boat" not in suggested(place, "plain", "the boat")
