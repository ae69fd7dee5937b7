"""Corpora from tables of texts: every kind of file gives the same, and no row is lost silently."""

import csv
import json
import sys

import pytest

from polytopic.datasets import DamagedFile, TooLarge, read_converted, write_converted
from polytopic.practice.tables import Fault, read_table, read_vectorizer, write_vectorizer
from reference.memory import at_most

ROWS = [
    ("a red apple, and a red pear", ["fruit", "red"]),
    ("a red car", ["red"]),
    ("an apple tree", ["fruit"]),
    ("a pear tree in the garden", ["fruit", "garden"]),
]


def as_csv(rows, delimiter=","):
    lines = [f'"{text}"{delimiter}"{"; ".join(labels)}"' for text, labels in rows]
    return "\n".join([f"text{delimiter}labels", *lines]) + "\n"


def as_lines(rows):
    return "".join(json.dumps({"text": text, "labels": labels}) + "\n" for text, labels in rows)


def written(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_dirty_rows_are_reported_by_line_and_the_rest_is_read(tmp_path):
    content = b"\n".join([
        b"id,text,tags",
        b"1,a red apple,fruit;red",
        b"2,too few",
        b'3,"a text of\ntwo lines and an apple",fruit;;  ripe   fruit ;fruit',
        b"4,too,many,cells",
        b"5,caf\xe9 red,drink",
        b"",
        b"6,,red",
        b"7,a red apple,",
    ])  # fmt: skip
    found = read_table(written(tmp_path, "dirty.csv", content), "text", "tags")
    assert found.faults == [
        Fault(3, "has 2 cells, the header 3", False),
        Fault(6, "has 4 cells, the header 3", False),
        Fault(7, "is not in UTF-8", False),
        Fault(9, "has no word that counts", True),
        Fault(10, "has no label", True),
    ]
    assert found.corpus.n_documents == 4 and found.corpus.label_names == ("fruit", "red", "ripe fruit")
    assert found.corpus.vocabulary == ("apple", "red")


def test_dirty_lines_of_json_are_reported(tmp_path):
    content = as_lines(ROWS).encode() + b"\n".join([
        b"{", b"[1]", b'{"text": "a"}', b'{"text": 3, "labels": []}', b'{"text": "a", "labels": [{"a": 1}]}',
        b'{"text": "red \xff", "labels": []}', b'{"text": null, "labels": null}',
    ])  # fmt: skip
    found = read_table(written(tmp_path, "dirty.jsonl", content))
    assert [(one.line, one.kept) for one in found.faults] == [
        (5, False), (6, False), (7, False), (8, False), (9, False), (10, False), (11, True), (11, True),
    ]  # fmt: skip
    reasons = [one.reason for one in found.faults]
    assert reasons[1:6] == [
        "is no JSON object", "has no labels", "has no text but int",
        "labels is neither a text nor a list of texts: it holds a dict", "is not in UTF-8",
    ]  # fmt: skip
    assert found.corpus.n_documents == 5


def test_splits_are_made_where_there_are_enough_documents(tmp_path):
    path = written(tmp_path, "many.csv", as_csv(ROWS * 10))
    corpus = read_table(path, splits=3).corpus
    assert len(corpus.splits) == 3 and len(corpus.splits[0][0]) >= 32
    assert read_table(path, splits=0).corpus.splits == ()
    write_converted(corpus, tmp_path / "many")
    assert read_converted(tmp_path / "many").digest == corpus.digest


def test_parquet_where_pyarrow_is_at_hand(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    import pyarrow

    table = {"text": [text for text, _ in ROWS], "labels": [labels for _, labels in ROWS]}
    parquet.write_table(pyarrow.table(table), tmp_path / "tags.parquet")
    assert read_table(tmp_path / "tags.parquet").corpus.label_names == ("fruit", "garden", "red")
    with pytest.raises(DamagedFile, match="is no parquet file"):
        read_table(written(tmp_path, "bad.parquet", "text"))


def test_a_row_of_parquet_that_is_not_utf_8_is_left_out_by_its_number(tmp_path):
    """It ended in UnicodeDecodeError, which named no file."""
    parquet = pytest.importorskip("pyarrow.parquet")
    import pyarrow

    table, path = (
        {"text": ["a red car", "a red pear", "a red hut"], "labels": ["x", "x", "y"]},
        tmp_path / "t.parquet",
    )
    parquet.write_table(pyarrow.table(table), path, compression="none", use_dictionary=False)
    path.write_bytes(path.read_bytes().replace(b"a red pear", b"a r\xf0d pear"))
    found = read_table(path)
    assert found.faults == [(2, "is not in UTF-8", False)] and found.corpus.n_documents == 2


@pytest.mark.parametrize("repeats", [4096, 1])
def test_bombs_of_parquet_are_refused_with_little_memory(tmp_path, repeats):
    """A text that stands once for many rows: 574 bytes took 1.6 GB, for so many rows were unpacked at a time."""
    parquet = pytest.importorskip("pyarrow.parquet")
    import pyarrow

    text = "a" * (4 << 20) if repeats > 1 else "a" * (17 << 20)
    texts = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0] * repeats, "int32"), pyarrow.array([text]))
    table = pyarrow.table({"text": texts, "labels": ["x"] * repeats})
    parquet.write_table(table, tmp_path / "t.parquet", compression="zstd", store_schema=False)
    with at_most(200), pytest.raises(TooLarge, match=r"t\.parquet has [\d,]+ bytes and unpacks to"):
        read_table(tmp_path / "t.parquet")


def test_parquet_without_pyarrow_names_the_remedy(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ModuleNotFoundError, match="pip install pyarrow, or save the table as CSV"):
        read_table(written(tmp_path, "a.parquet", "x"))


def test_a_quote_that_is_not_closed_is_told_with_its_reach(tmp_path):
    rows = [f"text {i},label" for i in range(300)]
    rows[9] = '"text 9,label'
    rows[20] = 'text "20",label'
    found = read_table(written(tmp_path, "tags.csv", "\n".join(["text,labels", *rows]) + "\n"))
    (fault,) = found.faults
    assert fault.line == 11 and fault.reason.endswith("and goes on to line 22: is a quote not closed?")
    assert not fault.kept and found.corpus.n_documents == 300 - 12


def test_labels_that_look_alike_are_one(tmp_path):
    """A space without width, a soft hyphen, a control sign and a letter in two parts made five labels of one."""
    cells = [
        "caf\u00e9 bar",
        "caf\u00e9\u200b bar",
        "cafe\u0301 bar",
        "ca\u00adf\u00e9\x07bar",
        "\ufeffcaf\u00e9  bar",
    ]
    table = "text,labels\n" + "".join(f"a text,{cell}\n" for cell in cells)
    found = read_table(written(tmp_path, "tags.csv", table))
    assert found.corpus.label_names == ("caf\u00e9 bar",) and found.corpus.labels.sum() == 5


def test_a_vectorizer_with_no_range_of_lengths_is_damaged(tmp_path):
    """Lengths from minus nine billion on were counted through, which takes minutes."""
    found = read_table(written(tmp_path, "tags.csv", as_csv(ROWS)))
    write_converted(found.corpus, tmp_path / "own")
    write_vectorizer(found.vectorizer, tmp_path / "own")
    path = tmp_path / "own" / "vectorizer.json"
    kept = json.loads(path.read_text(encoding="utf-8")) | {"ngram_range": [-9_000_000_000, 1]}
    path.write_text(json.dumps(kept), encoding="utf-8")
    with pytest.raises(DamagedFile, match="no range of lengths"):
        read_vectorizer(tmp_path / "own")


def test_a_long_text_is_read_and_the_limit_of_others_stays(tmp_path):
    before = csv.field_size_limit()
    content = "text,labels\n" + "red " * 100_000 + ",a\nred,b\n"
    assert read_table(written(tmp_path, "long.csv", content)).corpus.counts.sum() == 100_001
    assert csv.field_size_limit() == before
