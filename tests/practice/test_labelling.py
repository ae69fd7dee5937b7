"""``polytopic fit``, ``predict`` and ``evaluate``, as a reader with a CSV file uses them."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from polytopic import datasets
from polytopic.command import cli
from polytopic.models import BinaryRelevanceRidge, HybridClassifier
from polytopic.practice import prediction, training
from polytopic.practice.labeller import Labeller
from polytopic.practice.tables import read_vectorizer

ROWS = [("a red apple", "fruit;red"), ("a red car", "red"), ("an apple and a pear", "fruit")] * 8
SUGGEST = Labeller.suggest
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


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5", 5), (".5", 0.5), ("1e-3", 0.001), ("[1, 2]", [1, 2]), ("null", None), ("None", None), ("true", True),
        ("(2, 3)", (2, 3)), ("mean_field", "mean_field"), ("'5'", "5"), ("a: b", "a: b"),
        ("__import__('os')", "__import__('os')"),
    ],
)  # fmt: skip
def test_settings_are_read_as_json_or_python(text, value):
    assert training.settings_of([f"name={text}"]) == {"name": value}


def test_texts_of_a_table_are_labelled_by_name(own, capsys):
    (own / "new.csv").write_text("id,body\n1,a red red car\nbroken\n2,an apple\n")
    status, out, err = run(capsys, "predict", "model", "new.csv", "--text", "body", "--top", 1)
    assert status == 0 and "line 3 left out: it has 1 cells, the header 2" in err
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [(row["line"], row["label"]) for row in rows] == [("2", "red"), ("4", "fruit")]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("import 日本.csv --force", "日本"),
        ("predict 🍎 日本.csv --format jsonl", "früchte 🍎"),
        ("explain 🍎 日本.csv", "früchte 🍎"),
        ("evaluate 🍎 日本", "24 documents"),
        ("data 日本", "日本"),
        ("data 日本語", ""),
    ],
)
def test_what_is_printed_is_utf8_whatever_the_terminal_says(tmp_path, monkeypatch, line, expected):
    """A table of labels ended after its header, or could not be imported: a redirected Python may print in cp1252."""
    monkeypatch.setenv("POLYTOPIC_CORPORA", str(tmp_path / "corpora"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "日本.csv").write_text(TABLE.replace("fruit", "früchte 🍎"), encoding="utf-8")
    for one in ("import 日本.csv", "fit 日本 --model FlatLDA -p n_test_chains=2 --to 🍎"):
        assert cli.main(one.split()) == 0
    out, err = io.BytesIO(), io.BytesIO()
    for name, stream in (("stdout", out), ("stderr", err)):
        monkeypatch.setattr(sys, name, io.TextIOWrapper(stream, "cp1252", write_through=True))
    assert cli.main(line.split()) == (0 if expected else 2)
    assert expected in out.getvalue().decode("utf-8")
    assert expected or rb"\u65e5\u672c" in err.getvalue()


def test_a_text_a_line_and_standard_input(own, capsys, monkeypatch):
    (own / "new.txt").write_text("a red car\n\nan apple\n")
    assert run(capsys, "predict", "model", "new.txt", "--to", "labels.jsonl")[0] == 0
    rows = [json.loads(line) for line in (own / "labels.jsonl").read_text().splitlines()]
    assert [row["line"] for row in rows] == [1, 3] and rows[0]["labels"][0]["label"] == "red"
    pipe(monkeypatch, b"a red car\n")
    status, out, _ = run(capsys, "predict", "model", "-", "--top", 1)
    assert status == 0 and out.splitlines()[1].startswith("1,1,red,")


@pytest.fixture
def hybrid(own):
    """A model with probabilities, on the same corpus."""
    corpus = datasets.load_corpus("tags")
    model = HybridClassifier([("ridge", BinaryRelevanceRidge())], random_state=0)
    model.fit(corpus.counts, corpus.labels)
    Labeller.of(model, corpus, read_vectorizer(own / "corpora" / "tags")).save(own / "hybrid")
    return Labeller.load(own / "hybrid")


def test_a_cutoff_takes_what_is_as_likely_and_says_so(own, hybrid, capsys):
    (own / "new.txt").write_text("a red car\nan apple and a pear\na red apple\n")
    texts = (own / "new.txt").read_text().splitlines()
    chances = hybrid.model.predict_proba(hybrid.vectorizer.transform(texts))
    status, out, err = run(capsys, "predict", "hybrid", "new.txt", "--cutoff", "0.6", "--format", "jsonl")
    assert status == 0 and "those with a probability of 0.6 or more, by HybridClassifier.predict_proba" in err
    for row, own_chances in zip(map(json.loads, out.splitlines()), chances, strict=True):
        named = zip(hybrid.label_names, own_chances, strict=True)
        assert {one["label"]: one["score"] for one in row["labels"]} == {
            name: round(chance, 6) for name, chance in named if chance >= 0.6
        }
    status, out, err = run(capsys, "predict", "hybrid", "new.txt", "--cutoff", "model")
    assert status == 0 and "those of HybridClassifier.predict." in err
    taken = [(row["line"], row["label"]) for row in csv.DictReader(io.StringIO(out))]
    expected = hybrid.model.predict(hybrid.vectorizer.transform(texts))
    assert len(taken) == expected.sum() > 0
    status, out, _ = run(capsys, "evaluate", "hybrid", "tags", "--cutoff", "0.6")
    assert status == 0 and "Taken: those with a probability of 0.6 or more" in out


def pipe(monkeypatch, content):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))


class TestGoingOn:
    """An interrupted run with --to is taken up where it stopped, with the same output."""

    @pytest.fixture
    def many(self, own, monkeypatch):
        monkeypatch.setattr(prediction, "TEXTS", 5)
        (own / "new.csv").write_text(TABLE)
        return own

    def interrupt(self, monkeypatch, after):
        """Let labelling end by an interruption at its batch ``after``; return the list of batches that began."""
        begun = []

        def until(self, texts, *given):
            begun.append(texts)
            if len(begun) > after:
                raise KeyboardInterrupt
            return SUGGEST(self, texts, *given)

        monkeypatch.setattr(Labeller, "suggest", until)
        return begun

    def whole(self, capsys):
        assert run(capsys, "predict", "model", "new.csv", "--to", "whole.csv")[0] == 0
        return Path("whole.csv").read_text()

    def test_after_an_interruption(self, many, capsys, monkeypatch):
        expected = self.whole(capsys)
        self.interrupt(monkeypatch, after=2)
        status, _, err = run(capsys, "predict", "model", "new.csv", "--to", "out.csv")
        assert status == 130 and "goes on from there" in err and not (many / "out.csv").exists()
        begun = self.interrupt(monkeypatch, after=99)
        status, out, err = run(capsys, "predict", "model", "new.csv", "--to", "out.csv")
        assert status == 0 and "Going on after 10 texts" in err and "Labels of 24 texts" in out
        assert [len(texts) for texts in begun] == [5, 5, 4]
        assert (many / "out.csv").read_text() == expected and not list(many.glob("*.part"))

    @pytest.mark.parametrize("cut", [1, 40, 10**6])
    def test_after_a_crash_in_the_middle_of_writing(self, many, capsys, monkeypatch, cut):
        """Whatever the last write left of its line, no half row gets into the output."""
        expected = self.whole(capsys)
        self.interrupt(monkeypatch, after=3)
        run(capsys, "predict", "model", "new.csv", "--to", "out.csv")
        monkeypatch.undo()
        monkeypatch.chdir(many)
        monkeypatch.setattr(prediction, "TEXTS", 5)
        part = many / "out.csv.part"
        part.write_bytes(part.read_bytes()[:-cut])
        assert run(capsys, "predict", "model", "new.csv", "--to", "out.csv")[0] == 0
        assert (many / "out.csv").read_text() == expected

    @pytest.mark.parametrize(
        ("change", "named"),
        [
            (["--top", "1"], "another options"),
            (["--text", "labels"], "another options"),
            (None, "another input"),
        ],
    )
    def test_batches_of_something_else_are_refused_unless_they_are_to_go(
        self, many, capsys, monkeypatch, change, named
    ):
        self.interrupt(monkeypatch, after=2)
        run(capsys, "predict", "model", "new.csv", "--to", "out.csv")
        if change is None:
            (many / "new.csv").write_text(TABLE.replace("a red car", "a car"))
        command = ["predict", "model", "new.csv", "--to", "out.csv", *(change or [])]
        status, _, err = run(capsys, *command)
        assert status == 2 and named in err and "add --force" in err
        self.interrupt(monkeypatch, after=99)
        assert run(capsys, *command, "--force")[0] == 0
        rows = (many / "out.csv").read_text().splitlines()
        assert len(rows) == 1 + 24 * (1 if change == ["--top", "1"] else 2)

    def test_a_pipe_goes_on_as_long_as_it_brings_the_same_texts(self, many, capsys, monkeypatch):
        lines = "".join(f"{text}\n" for text, _ in ROWS).encode()
        pipe(monkeypatch, lines)
        self.interrupt(monkeypatch, after=2)
        assert run(capsys, "predict", "model", "-", "--to", "out.csv")[0] == 130
        begun = self.interrupt(monkeypatch, after=99)
        pipe(monkeypatch, lines.replace(b"car", b"pear"))
        status, _, err = run(capsys, "predict", "model", "-", "--to", "out.csv")
        assert status == 2 and "of another input" in err and not begun
        pipe(monkeypatch, lines)
        assert run(capsys, "predict", "model", "-", "--to", "out.csv")[0] == 0
        assert len((many / "out.csv").read_text().splitlines()) == 1 + 2 * 24


def test_a_pipe_is_answered_before_it_ends(own):
    """The first answer comes while the writer still holds the pipe open."""
    command = [sys.executable, "-m", "polytopic.command.cli", "predict", "model", "-", "--top", "1"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as going:
        going.stdin.write(b"a red car\n")
        going.stdin.flush()
        assert going.stdout.readline() == b"line,rank,label,score\n"
        assert going.stdout.readline().startswith(b"1,1,red,")
        going.stdin.write(b"an apple")
        going.stdin.close()
        assert going.stdout.readline().startswith(b"2,1,fruit,")
        assert going.wait(60) == 0


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
        (
            ["fit", "tags", "--label-texts", "tags.csv", "--to", "new"],
            "line 1 of tags.csv is not of the form",
        ),
        (["fit", "tags", "--label-texts", "none.tsv", "--to", "new"], "none.tsv"),
        (["fit", "tgas", "--to", "new"], "tgas"),
        (["predict", "nothing", "tags.csv"], "there is no model in nothing"),
        (["predict", "model", "none.csv"], "there is no file none.csv"),
        (["predict", "model", "tags.csv", "--text", "body"], "unknown column 'body'"),
        (["predict", "model", "tags.csv", "--to", "labels.xls"], "ends in .csv or .jsonl"),
        (
            ["predict", "model", "tags.csv", "--to", "labels.csv", "--format", "jsonl"],
            "labels.csv does not fit",
        ),
        (["predict", "model", "tags.csv", "--cutoff", "0.5"], "FlatLDA gives no probabilities"),
        (["evaluate", "model", "tags", "--cutoff", "0.5"], "FlatLDA gives no probabilities"),
        (["predict", "model", "tags.csv", "--probabilities"], "FlatLDA gives no probabilities"),
        (["evaluate", "model", "debtags", "--split", "0"], "has none of the model's labels"),
        (["evaluate", "model", "tags", "--split", "9"], "has no split 9"),
    ],
)
def test_mistakes_are_told_in_a_sentence(own, capsys, arguments, message):
    status, _, err = run(capsys, *arguments)
    assert status == 2 and message in err, err


def test_names_of_labels_count_without_a_word(own, capsys):
    assert run(capsys, "fit", "tags", "--to", "hybrid")[0] == 0
    table = Labeller.load("hybrid").model.label_names
    assert table.shape == (2, 6) and table.sum() == 1  # "red" is a word of the texts, "fruit" is none
    assert run(capsys, "fit", "tags", "-p", "label_names=null", "--to", "plain")[0] == 0
    assert Labeller.load("plain").model.label_names is None


def test_texts_of_labels_bring_labels_without_documents(own, capsys):
    (own / "about.tsv").write_text("fruit\tapple pear\n\ntravel\tcars\nfruit\tand so on\n", encoding="utf-8")
    for model in ("HybridClassifier", "PriorLDA"):
        fit = ["fit", "tags", "--model", model, "--label-texts", "about.tsv", "--to", model]
        status, out, _ = run(capsys, *fit)
        assert status == 0 and "1 labels of about.tsv have no document" in out
        kept = Labeller.load(model)
        assert kept.label_names == ("fruit", "red", "travel")
        ((first, *others),) = kept.suggest(["car car"], 3)
        assert [first[0], others[0][0]] == ["red", "travel"]
    table = kept.model.label_words.toarray()
    of_fruit = dict(zip(kept.vocabulary, table[0], strict=True))
    assert of_fruit == {"an": 0, "and": 1, "apple": 1, "car": 0, "pear": 1, "red": 0} and table[2].sum() == 1
    status, _, err = run(
        capsys, "fit", "tags", "--model", "SCVB", "--label-texts", "about.tsv", "--to", "other"
    )
    assert status == 2 and "SCVB has no use for --label-texts" in err


def test_a_text_that_gets_no_label_keeps_its_line(own, hybrid, capsys):
    (own / "new.txt").write_text("a red car\na red apple\n")
    _, out, _ = run(capsys, "predict", "hybrid", "new.txt", "--cutoff", "1")
    assert out.splitlines() == ["line,rank,label,score", "1,,,", "2,,,"]
    _, out, _ = run(capsys, "predict", "hybrid", "new.txt", "--cutoff", "1", "--format", "jsonl")
    assert [json.loads(line) for line in out.splitlines()] == [{"line": n, "labels": []} for n in (1, 2)]
