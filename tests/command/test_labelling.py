"""``polytopic fit``, ``predict`` and ``evaluate``, as a reader with a CSV file uses them."""

import csv
import io
import json

import pytest

from polytopic.command import cli
from polytopic.labeller import Labeller

ROWS = [("a red apple", "fruit;red"), ("a red car", "red"), ("an apple and a pear", "fruit")] * 8
TABLE = "text,labels\n" + "".join(f"{text},{labels}\n" for text, labels in ROWS)


@pytest.fixture
def own(tmp_path, monkeypatch):
    monkeypatch.setenv("POLYTOPIC_CORPORA", str(tmp_path / "corpora"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tags.csv").write_text(TABLE)
    assert cli.main(["import", "tags.csv"]) == 0
    assert cli.main(["fit", "tags", "--model", "FlatLDA", "-p", "n_test_chains=2", "--to", "model"]) == 0
    return tmp_path


def run(capsys, *arguments):
    capsys.readouterr()
    status = cli.main([str(one) for one in arguments])
    told = capsys.readouterr()
    return status, told.out, told.err


def test_a_model_is_kept_with_its_settings(own):
    kept = Labeller.load(own / "model")
    assert kept.label_names == ("fruit", "red") and kept.corpus["documents"] == 24
    assert kept.model.n_test_chains == 2 and kept.vectorizer is not None


def test_texts_of_a_table_are_labelled_by_name(own, capsys):
    (own / "new.csv").write_text("id,body\n1,a red red car\nbroken\n2,an apple\n")
    status, out, err = run(capsys, "predict", "model", "new.csv", "--text", "body", "--top", 1)
    assert status == 0 and "line 3 left out: it has 1 cells, the header 2" in err
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [(row["line"], row["label"]) for row in rows] == [("2", "red"), ("4", "fruit")]


def test_a_text_a_line_and_standard_input(own, capsys, monkeypatch):
    (own / "new.txt").write_text("a red car\n\nan apple\n")
    assert run(capsys, "predict", "model", "new.txt", "--to", "labels.jsonl")[0] == 0
    rows = [json.loads(line) for line in (own / "labels.jsonl").read_text().splitlines()]
    assert [row["line"] for row in rows] == [1, 3] and rows[0]["labels"][0]["label"] == "red"
    monkeypatch.setattr("sys.stdin", io.StringIO("a red car\n"))
    status, out, _ = run(capsys, "predict", "model", "-", "--top", 1)
    assert status == 0 and out.splitlines()[1].startswith("1,1,red,")


def test_a_kept_model_is_judged(own, capsys):
    status, out, _ = run(capsys, "evaluate", "model", "tags")
    assert (
        status == 0
        and "the documents that the model learned from" in out
        and "precision at 1, 3 and 5" in out
    )
    status, out, _ = run(capsys, "evaluate", "model", own / "corpora" / "tags", "--split", 0)
    assert status == 0 and "learned from" not in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fit", "tags", "--to", "model"], "add --force to replace it"),
        (["fit", "tags", "--model", "FlatLda", "--to", "new"], "did you mean 'FlatLDA'"),
        (
            ["fit", "tags", "--model", "FlatLDA", "-p", "alpha=1", "--to", "new"],
            "unknown setting of FlatLDA 'alpha'",
        ),
        (["fit", "tags", "--model", "FlatLDA", "-p", "alpha", "--to", "new"], "write NAME=VALUE"),
        (["fit", "tgas", "--to", "new"], "tgas"),
        (["predict", "nothing", "tags.csv"], "there is no model in nothing"),
        (["predict", "model", "none.csv"], "there is no file none.csv"),
        (["predict", "model", "tags.csv", "--text", "body"], "unknown column 'body'"),
        (["predict", "model", "tags.csv", "--to", "labels.xls"], "ends in .csv or .jsonl"),
        (["predict", "model", "tags.csv", "--probabilities"], "FlatLDA gives no probabilities"),
        (["evaluate", "model", "debtags", "--split", "0"], "has none of the model's labels"),
        (["evaluate", "model", "tags", "--split", "9"], "has no split 9"),
    ],
)
def test_mistakes_are_told_in_a_sentence(own, capsys, arguments, message):
    status, _, err = run(capsys, *arguments)
    assert status == 2 and message in err, err
