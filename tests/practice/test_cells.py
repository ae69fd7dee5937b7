"""What cells say of labels: every shape that people's tables have gives the labels, or says that it does not."""

import json
import re

import pytest
from sklearn.feature_extraction.text import CountVectorizer

from polytopic.practice.tables import read_table

TEXTS = ["a red apple", "a red car", "an apple tree", "a pear tree", "a green pear"] * 3
SETS = [["fruit", "machine learning"], ["red"], ["fruit"], ["tree", "fruit"], ["fruit"]] * 3
NAMES = ("fruit", "machine learning", "red", "tree")


def read(folder, cells, labels="labels", **settings):
    """Return (label names, labels of each document, Faults) of a table with these cells of labels."""
    rows = [{"text": text} | (cell if isinstance(cell, dict) else {"labels": cell}) for text, cell in cells]
    path = folder / "t.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    corpus, _, faults = read_table(path, labels=labels, vectorizer=CountVectorizer(), splits=0, **settings)
    own = [[corpus.label_names[label] for label in row.indices] for row in corpus.labels]
    return corpus.label_names, own, faults


def all_rows(shape):
    return [(text, shape(labels)) for text, labels in zip(TEXTS, SETS, strict=True)]


def warnings(faults):
    return [one.reason for one in faults if one.line == 0]


@pytest.mark.parametrize(
    "shape",
    [
        list,
        repr,
        lambda own: repr(tuple(own)),
        lambda own: "{" + ", ".join(map(repr, own)) + "}",
        lambda own: f"frozenset({{{', '.join(map(repr, own))}}})",
        lambda own: "[" + " ".join(map(repr, own)) + "]",
        lambda own: "[" + "\n ".join(map(repr, own)) + "]",
        lambda own: "[" + ", ".join(f"np.str_({one!r})" for one in own) + "]",
        lambda own: f"array({own}, dtype=object)",
        lambda own: " " + json.dumps(own),
        lambda own: "".join(f"<{one}>" for one in own),
        lambda own: "".join(f"&lt;{one}&gt;" for one in reversed(own)),
        lambda own: f"|{'|'.join(own)}|",
        lambda own: ";".join(own),
    ],
)
def test_lists_and_tags_give_their_labels(tmp_path, shape):
    """Lists as pandas writes them, and tags as StackExchange's, were one label each, and nothing said so."""
    names, own, faults = read(tmp_path, all_rows(shape))
    assert (names, faults) == (NAMES, [])
    assert own == [sorted(one) for one in SETS]


@pytest.mark.parametrize(
    ("cell", "labels"),
    [
        ("[0, 13]", ["0", "13"]),
        ([0, 13], ["0", "13"]),
        ("[007 13]", ["007", "13"]),
        (13, ["13"]),
        ("(1, 2)", ["1", "2"]),
        ("set()", []),
        ("[]", []),
        (r"['owner\'s', 'b\\c']", ["b\\c", "owner's"]),
        ('["x\\/y"]', ["x/y"]),
        ("[unripe]", ["[unripe]"]),
        ("(2019)", ["(2019)"]),
        ("<unk>", ["<unk>"]),
    ],
)
def test_a_number_is_a_label_by_its_digits_and_a_bracket_may_belong_to_one(tmp_path, cell, labels):
    _, own, faults = read(tmp_path, [("a text", cell), ("a text", "a;b;c"), ("a text", "d")])
    assert own[0] == labels and [one.line for one in faults] == ([] if labels else [1])


@pytest.mark.parametrize(
    "cell",
    [
        "[fruit, food]",
        "{fruit,food}",
        "['fruit', 'fo",
        "['a' 'b' ... 'z']",
        "['a''b']",
        "[{'id': 1, 'name': 'fruit'}]",
        "{'fruit': 1}",
        "[['fruit']]",
        '[{"name": "fruit"}]',
        r"['\d']",
        [{"name": "fruit"}],
    ],
)
def test_what_is_a_list_and_cannot_be_read_is_left_out(tmp_path, cell):
    names, _, faults = read(tmp_path, [("a text", cell), ("a text", "a"), ("a text", "b")])
    (fault,) = faults
    assert names == ("a", "b") and (fault.line, fault.kept) == (1, False)
    assert "list" in fault.reason


INDICATORS = [
    lambda there: int(there),
    lambda there: str(float(there)),
    lambda there: str(there),
    lambda there: there,
    lambda there: "1" if there else "",
    lambda there: "1.0" if there else None,
    lambda there: "x" if there else " ",
    lambda there: "yes" if there else "no",
]


@pytest.mark.parametrize("say", INDICATORS)
def test_columns_of_0_and_1_give_their_names(tmp_path, say):
    """A column a label with 0 or 1, scikit-learn's own shape, made the two labels "0" and "1"."""
    cells = all_rows(lambda own: {name: say(name in own) for name in NAMES})
    names, own, faults = read(tmp_path, cells, list(NAMES))
    assert names == NAMES and own == [sorted(one) for one in SETS] and faults == []


@pytest.mark.parametrize(
    "shape",
    [
        list,
        str,
        lambda own: [bool(one) for one in own],
        lambda own: "[" + " ".join(f"{one}." for one in own) + "]",
        lambda own: ";".join(map(str, own)),
    ],
)
def test_a_0_or_1_for_each_label_asks_for_names(tmp_path, shape):
    cells = [("a text", shape(own)) for own in ([0, 0, 1], [1, 0, 0], [1, 1, 0])]
    with pytest.raises(ValueError, match=r"t\.jsonl: labels has a 0 or 1 for each label, and not its name"):
        read(tmp_path, cells)
    assert read(tmp_path, [("a text", [0, 1]), ("a text", [1])])[0] == ("0", "1")


@pytest.mark.parametrize(
    ("shape", "said"),
    [
        (
            "|".join,
            r"Is '\|' what parts labels, as in 'fruit\|machine learning'.*--separator '\|': no cell has ';'",
        ),
        (", ".join, "Is ',' what parts labels, as in 'fruit, machine learning'"),
        ("\n".join, r"Is '\\n' what parts labels"),
        ("\u3001".join, "Is '\u3001' what parts labels"),
        (lambda own: f"({', '.join(own)})", "Most labels have brackets or quotes"),
        (lambda own: ", ".join(map(repr, own)), "Most labels have brackets or quotes"),
        (lambda own: [f"[{one}" for one in own], "Most labels have brackets or quotes"),
        (lambda own: len(own) - 1, "The labels are only '0', '1'"),
        (lambda own: "yn"[len(own) > 1], "The labels are only 'n', 'y'"),
        (lambda own: len(own) > 1, "The labels are only 'False', 'True'"),
        (lambda own: "011" if len(own) > 1 else "001", "The labels are only '001', '011'"),
        (lambda own: len(own) / 3, "Most labels are fractions, such as 0.6"),
        (lambda own: ["nan", *own], "A label is called 'nan'"),
        (lambda own: [f"__label__{own[0]}"], "Labels begin as fastText's"),
        (lambda own: " ".join(f"http://x/{one}" for one in own), "A label has several addresses"),
    ],
)
def test_labels_that_look_wrong_are_told(tmp_path, shape, said):
    _, _, faults = read(tmp_path, all_rows(shape))
    assert any(re.search(said, one) for one in warnings(faults))


@pytest.mark.parametrize("values", [("1", "-1"), ("ja", "nein"), ("2", "0"), ("0", "3")])
def test_columns_that_say_otherwise_than_by_0_and_1_are_told(tmp_path, values):
    """They made the labels "-1", "ja" and "2", silently where these were no flags."""
    cells = all_rows(lambda own: {name: values[name not in own] for name in NAMES})
    assert any("write 1 and 0" in one for one in warnings(read(tmp_path, cells, list(NAMES))[2]))
    named = [("a text", {"first": "war", "second": "art"}), ("a text", {"first": "art", "second": ""})] * 5
    assert warnings(read(tmp_path, named, ["first", "second"])[2]) == []


@pytest.mark.parametrize("sign", ["/", " ", ",", ";"])
def test_parts_that_are_labels_elsewhere_are_told(tmp_path, sign):
    sets = [["fruit", "food"], ["food", "fruit"], ["food"], ["food", "war"], ["war"]]
    cells = [("a text", [sign.join(own)] if sign in ",;" else sign.join(own)) for own in sets]
    (told,) = warnings(read(tmp_path, cells)[2])
    assert f"Is {sign!r} what parts labels" in told and "its parts are found elsewhere" in told
    paths = [("a text", [f"news{sign}{own[0]}"]) for own in sets]
    assert warnings(read(tmp_path, paths)[2]) == []


@pytest.mark.parametrize(
    "value", ["nan", "NaN", "None", "NULL", "<NA>", "\\N", float("nan"), [None], "[nan, None]"]
)
def test_a_missing_value_is_no_label_and_told(tmp_path, value):
    """pandas' astype(str) made labels called nan."""
    names, own, faults = read(tmp_path, [("a text", value), ("a text", "a"), ("a text", "b")])
    assert names == ("a", "b") and own[0] == [] and all(one.kept for one in faults)
    assert any("which counts as no label" in one.reason for one in faults)


@pytest.mark.parametrize("label", ["\x00", "\u200b", "\u200f", "\u3164", "\u2800", "\ufe0f", "\x07\u00ad"])
@pytest.mark.parametrize(
    "shape", [str, lambda label: [label], lambda label: f"a;{label}", lambda label: [label, " "]]
)
def test_a_label_that_cannot_be_seen_is_told(tmp_path, label, shape):
    names, _, faults = read(tmp_path, [("a text", shape(label)), ("a text", "a"), ("a text", "b")])
    assert names == ("a", "b")
    unseen = [one.line for one in faults if "cannot be seen" in one.reason]
    assert unseen == [1] * (2 if " " in shape(label) else 1)


def test_a_table_without_a_label_is_refused(tmp_path):
    with pytest.raises(ValueError, match="holds no label: line 1 labels says nan"):
        read(tmp_path, [("a text", "nan"), ("a text", None)])


def test_labels_of_one_document_each_are_told(tmp_path):
    rows = [("a text", f"id {number}") for number in range(12)]
    (told,) = warnings(read(tmp_path, rows)[2])
    assert told.startswith("12 of 12 labels, such as 'id 0', have one document alone")
    assert warnings(read(tmp_path, [("a text", f"id {number // 2}") for number in range(12)])[2]) == []
