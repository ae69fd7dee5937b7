"""``polytopic explain``, as a reader with a CSV file uses it."""

import csv
import io
import json

import pytest
from test_labelling import own, run  # noqa: F401

from polytopic.practice import prediction
from polytopic.practice.labeller import Labeller

EXPLAIN = Labeller.explain


@pytest.fixture
def texts(own):  # noqa: F811
    (own / "new.csv").write_text('id,body\n1,"a <b>red</b> red car"\nbroken\n2,an apple and a pear\n')
    return own


def test_words_of_each_label_as_a_table(texts, capsys):
    status, out, err = run(capsys, "explain", "model", "new.csv", "--text", "body", "--top", 1)
    assert status == 0 and "line 3 left out: it has 1 cells, the header 2" in err
    rows = list(csv.DictReader(io.StringIO(out)))
    assert {(row["line"], row["rank"], row["label"]) for row in rows} == {
        ("2", "1", "red"),
        ("4", "1", "fruit"),
    }
    first = next(row for row in rows if row["word"] == "red")
    assert first["count"] == "2" and float(first["share"]) > 0.5 and first["parent"] == ""
    line = [row for row in rows if row["line"] == "2"]
    total = float(line[0]["base"]) + sum(float(row["part"]) for row in line)
    assert abs(total - float(line[0]["score"])) < 1e-4


def test_json_lines_say_where_the_words_stand(texts, capsys):
    assert run(capsys, "explain", "model", "new.csv", "--text", "body", "--to", "why.jsonl")[0] == 0
    rows = [json.loads(line) for line in (texts / "why.jsonl").read_text().splitlines()]
    assert [row["line"] for row in rows] == [2, 4] and rows[0]["kind"] == "tokens"
    for row in rows:
        for word in row["words"]:
            assert {row["text"][a:b] for a, b in word["places"]} == {word["word"]}


def interrupt(monkeypatch, after):
    """Let explaining end by an interruption at its batch ``after``; return the list of batches that began."""
    begun = []

    def until(self, texts, *given):
        begun.append(texts)
        if len(begun) > after:
            raise KeyboardInterrupt
        return EXPLAIN(self, texts, *given)

    monkeypatch.setattr(Labeller, "explain", until)
    return begun


@pytest.mark.parametrize("ending", ["html", "jsonl", "csv"])
def test_an_interrupted_run_goes_on_where_it_stopped(texts, capsys, monkeypatch, ending):
    """It began anew, and kept all explanations in memory until the end."""
    (texts / "many.txt").write_text("a red car\nan apple\n\na pear and a car\na blue car\nred\n")
    command = ["explain", "model", "many.txt", "--to"]
    assert run(capsys, *command, f"whole.{ending}")[0] == 0  # in one batch
    monkeypatch.setattr(prediction, "EXPLAINED", 2)
    interrupt(monkeypatch, after=1)
    status, _, err = run(capsys, *command, f"out.{ending}")
    assert status == 130 and "goes on from there" in err and not (texts / f"out.{ending}").exists()
    status, _, err = run(capsys, *command, f"out.{ending}", "--top", 1)
    assert status == 2 and "of another options" in err
    begun = interrupt(monkeypatch, after=9)
    status, out, err = run(capsys, *command, f"out.{ending}")
    assert status == 0 and "Going on after 2 texts" in err and "Explanations of 5 texts" in out
    assert [len(one) for one in begun] == [2, 1]
    assert (texts / f"out.{ending}").read_bytes() == (texts / f"whole.{ending}").read_bytes()
    assert not list(texts.glob("*.part"))
