"""Rows of tables however they are packed, encoded and laid out: the same corpus, or a sentence with the remedy."""

import bz2
import gzip
import io
import json
import lzma
import zipfile

import pytest

from polytopic.datasets import DamagedFile, TooLarge
from polytopic.practice.rows import lines_of
from polytopic.practice.tables import read_table, texts_of

ROWS = [
    ("a red apple", "fruit;food"),
    ("ein süßer Apfel", "fruit"),
    ("a red car", "road"),
    ("a car", "road;food"),
] * 3
NAMES = ("food", "fruit", "road")


def table(rows=ROWS, sign=",", quote='"{}"'):
    return "".join(sign.join(map(quote.format, row)) + "\n" for row in [("text", "labels"), *rows])


def zipped(files):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return content.getvalue()


def put(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


ADDRESSES = [(text, " ".join(f"<http://e/{one}>" for one in own.split(";"))) for text, own in ROWS]
OBJECTS = [{"text": text, "labels": own.split(";")} for text, own in ROWS]
BY_URI = [{"text": text, "subject_uris": own} for text, own in ADDRESSES]
BY_SUBJECT = [
    {"text": text, "subjects": [{"uri": uri[1:-1]} for uri in own.split()]} for text, own in ADDRESSES
]
TAGS = [(text, f"__label__{own.replace(';', ' __label__')}") for text, own in ROWS]


def named(value):
    """Return no name for bytes: archives hold the time of day, and processes would collect different tests."""
    return "" if isinstance(value, bytes) else None


def json_lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.mark.parametrize(
    ("name", "content", "settings"),
    [
        ("t.csv", table(), {}),
        ("t.csv", "\ufeff" + table(sign=";"), {}),
        ("t.csv", table().replace("\n", "\r\n"), {}),
        ("t.csv", table().replace(";", "|"), {"separator": "|"}),
        ("t.tsv", table(sign="\t"), {}),
        ("t.jsonl", json_lines(OBJECTS), {}),
        ("t.json", json_lines(OBJECTS).replace("\n", "\n\n"), {}),
        ("t.csv.gz", gzip.compress(table().encode()), {}),
        ("t.tsv.bz2", bz2.compress(table(sign="\t").encode()), {}),
        ("t.csv.xz", lzma.compress(table().encode()), {}),
        ("t.zip", zipped({"within.csv": table()}), {}),
        ("t.csv.zip", zipped({"__MACOSX/x": "y", "a/": "", "a/within": table()}), {}),
        ("t.csv", gzip.compress(table().encode()), {}),
        ("t.csv", table().encode("utf-16"), {}),
        ("t.csv", table().encode("utf-32"), {}),
        ("t.csv", table().encode("cp1252"), {"encoding": "cp1252"}),
        ("t.csv", table().encode("utf-16-le"), {"encoding": "utf-16-le"}),
        ("t.csv", ("sep=;\r\n" + table(sign=";")), {}),
        ("t.csv", ('"sep=\t"\n' + table(sign="\t")).encode("utf-16"), {}),
        ("t.csv", table(sign="\t"), {"delimiter": "\\t"}),
        ("t.csv", table([(f"{text}, a; b; c", own) for text, own in ROWS], ";"), {}),
        ("t.csv", table(sign=", "), {}),
        ("t.csv", table().replace('"text","labels"', " text , labels "), {}),
        ("t.csv", table([(rf"{text} \"so\", \\ there", own) for text, own in ROWS]), {}),
        ("t.tsv", table([(f'"{text}" he said', own) for text, own in ROWS], "\t", "{}"), {}),
        ("t.csv", table().replace("\n", "\r"), {}),
        ("t.json", json.dumps(OBJECTS), {}),
        ("t.json", "\ufeff" + json.dumps(OBJECTS, indent=1), {}),
        ("t.json.gz", gzip.compress(json_lines(OBJECTS).encode()), {}),
        ("t.txt", "".join(f"{tags} {text}\n" for text, tags in TAGS), {}),
        ("t.train", "".join(f"{text} {tags}\n" for text, tags in TAGS), {"layout": "fasttext"}),
        ("t.tsv", table(ADDRESSES, "\t", "{}").partition("\n")[2], {}),
        ("t.csv", table(ADDRESSES).replace("labels", "subject_uris"), {"layout": "annif"}),
        ("t.jsonl", json_lines(BY_URI), {"layout": "annif"}),
        ("t.jsonl", json_lines(BY_SUBJECT), {"layout": "annif"}),
    ],
    ids=named,
)
def test_tables_as_people_have_them(tmp_path, name, content, settings):
    path = put(tmp_path, name, content)
    corpus, _, faults = read_table(path, **settings)
    assert faults == [] and corpus.n_documents == 12 and "süßer" in corpus.vocabulary
    assert tuple(one.removeprefix("http://e/") for one in corpus.label_names) == NAMES
    assert corpus.labels.sum(axis=0).tolist() in ([[6, 6, 6]], [6, 6, 6])
    if "layout" not in settings:
        settings = {one: settings[one] for one in ("delimiter", "encoding") if one in settings}
        found = [text for _, text in texts_of(path, **settings)]
        assert len(found) == 12 and "Apfel" in found[1]


HALF_LATIN = "text,labels\n" + "a süß text,x\na plain text,y\n" * 4
GERMAN = HALF_LATIN.replace("labels", "Schlagwörter").encode("latin-1")
UNCLOSED = json.dumps(OBJECTS, indent=1).replace('"food"\n', '"food\n', 1)
LATIN = "4 of 9 lines .*line 2 first; it looks like cp1252.*--encoding cp1252, or --encoding utf-8"


@pytest.mark.parametrize(
    ("name", "content", "settings", "said"),
    [
        ("t.docx", "x", {}, r"t\.docx is of a kind that is not known: .* \.csv"),
        ("t.csv", "txt,labels\na,b\n", {}, "t.csv: unknown column 'text'; did you mean 'txt'"),
        ("t.csv", "", {}, "unknown column 'text'"),
        ("t.csv", "text,labels\n", {}, "holds no document that could be read"),
        ("t.csv", "text,labels\nonly\n", {}, "document that could be read: line 2 has 1 cells, the header 2"),
        ("t.csv", '"text" x,labels\na,b\n', {}, "line 1: its header cannot be read"),
        ("t.csv", "text,labels\n!,x\n", {}, "no word is left of 1 texts"),
        ("t.jsonl", '{"txt": "a", "labels": []}\n', {}, "unknown column 'text'"),
        ("t.csv", HALF_LATIN.encode("cp1252"), {}, LATIN),
        ("t.csv", GERMAN, {"encoding": "utf-8"}, "names of its columns are not in this encoding"),
        ("t.csv", HALF_LATIN.replace("ü", "яблоко").encode("cp1251", "replace"), {}, "may be in cp1251"),
        ("t.csv", HALF_LATIN.encode("utf-16-be"), {}, "UTF-16 without its mark: give --encoding utf-16-be"),
        ("t.csv", HALF_LATIN, {"encoding": "latin-x"}, "there is no encoding 'latin-x'"),
        ("t.csv", HALF_LATIN, {"encoding": "hex"}, "there is no encoding 'hex'"),
        ("t.csv.gz", gzip.compress(HALF_LATIN.encode())[:-9], {}, r"t\.csv\.gz cannot be read"),
        ("t.zip", zipped({"a.csv": "x", "b.csv": "x"}), {}, "archive of 2 files: unpack it and name one"),
        ("t.xlsx", zipped({"a.xml": "x", "b.xml": "x"}), {}, "not known.*save a spreadsheet as CSV"),
        ("t.json", json.dumps(OBJECTS)[:-9], {}, "line 1: its array of records is cut short"),
        ("t.json", UNCLOSED, {}, "line 2: its array of records"),
        ("t.json", "[]\n[]\n", {}, "more follows its array of records: write an object a line"),
        ("t.csv", table().replace("labels", "subject_uris"), {}, "With --format annif"),
        ("t.txt", "a red apple __label__fruit\n", {}, "Give --format fasttext"),
        ("t.csv", table(), {"delimiter": "::"}, "cannot be read with delimiter '::'"),
    ],
    ids=named,
)
def test_what_cannot_be_read_is_told_with_the_remedy(tmp_path, name, content, settings, said):
    path = put(tmp_path, name, content)
    with pytest.raises(ValueError, match=said) as told:
        read_table(path, **settings)
    str(told.value).encode()  # no half of a character is shown
    if not any(word in said for word in ("columns", "format", "document", "word is left")):
        with pytest.raises(ValueError, match=said):
            list(texts_of(path, **settings))


def test_a_few_lines_in_another_encoding_are_left_out_and_so_are_more_where_it_is_said(tmp_path):
    lines = [b"text,labels", *[b"a plain text,road"] * 60]
    lines[3:8] = [b"a s\xfc\xdf text,food"] * 5
    path = put(tmp_path, "t.csv", b"\n".join(lines))
    assert [one.line for one in read_table(path).faults] == [4, 5, 6, 7, 8]
    lines[9] = lines[4]
    path = put(tmp_path, "t.csv", b"\n".join(lines))
    with pytest.raises(ValueError, match="6 of 61 lines"):
        read_table(path)
    faults = read_table(path, encoding="utf-8").faults
    assert [(one.line, one.reason) for one in faults] == [(n, "is not in UTF-8") for n in (4, 5, 6, 7, 8, 10)]
    assert [one.reason for one in texts_of(path, encoding="utf-8") if len(one) == 3] == [
        "is not in UTF-8"
    ] * 6


def test_bombs_of_texts_are_refused(tmp_path):
    path = put(tmp_path, "t.csv.zip", zipped({"t.csv": "text,labels\n" + "a" * (17 << 20) + ",x\n"}))
    for read in (read_table, lambda path: list(texts_of(path))):
        with pytest.raises(TooLarge, match=r"t\.csv\.zip has [\d,]+ bytes and unpacks to"):
            read(path)
    with pytest.raises(DamagedFile):
        read_table(put(tmp_path, "t.csv.zip", path.read_bytes()[:99]))


def test_lines_of_a_stream_in_any_encoding_come_as_they_arrive():
    class Arriving(io.BytesIO):
        def read1(self, size):
            return super().read1(3)

    content = "ä\r\n\nbc\rd"
    for encoding in ("utf-8-sig", "utf-16", "cp1252"):
        found = list(lines_of(Arriving(content.encode(encoding)), encoding))
        assert [one for one in found if one] == [(1, "ä"), (3, "bc"), (4, "d")]
        assert None in found[found.index((1, "ä")) : found.index((4, "d"))]


def test_a_column_that_parts_no_text_is_not_taken_for_a_delimiter(tmp_path):
    """The comma of a name in quotes was counted; texts of one column have commas of their own."""
    path = put(
        tmp_path, "t.csv", '"id, the number";"text";"labels"\n"1";"a red text";"x"\n"2";"a red car";"y"\n'
    )
    assert read_table(path).corpus.label_names == ("x", "y")
    path = put(tmp_path, "t.csv", "text\na red apple, or two\na car\n")
    assert list(texts_of(path)) == [(2, "a red apple, or two"), (3, "a car")]


def test_half_a_character_in_json_is_left_out(tmp_path):
    lines = [r'{"text": "so \ud83d", "labels": "x"}', r'{"text": "a text", "labels": ["x\ud83d"]}']
    lines += ['{"text": "a text", "labels": "x"}', '{"text": "a text", "labels": "y"}']
    corpus, _, faults = read_table(put(tmp_path, "t.jsonl", "\n".join(lines)))
    assert faults == [(1, "has half a character", False), (2, "has half a character", False)]
    assert corpus.label_names == ("x", "y")


def test_records_of_an_array_are_named_by_their_lines(tmp_path):
    content = '[{"text": "a text", "labels": "x"},\n\n {"text": "a text"},\n {"text": "a text", "labels": "y"}\n, 7]'
    faults = read_table(put(tmp_path, "t.json", content)).faults
    assert faults == [(3, "has no labels", False), (5, "is no JSON object", False)]
