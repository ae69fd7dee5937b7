"""ARFF, svmlight and the extreme classification repository's files as others write them: read right, or refused."""

import bz2
import gzip
import lzma

import pytest

from polytopic.datasets import DamagedFile, read_mulan, read_svmlight

PLAIN = ("numeric", "numeric", "{0,1}", "{0,1}")
DENSE = "2,0,1,0\n0,1,0,1\n"
COUNTS, LABELS = [[2, 0], [0, 1]], [[1, 0], [0, 1]]


def arff(folder, data=DENSE, types=PLAIN, relation="'x: -C -2'"):
    """Write two words, w1 and w2, and two labels, A and B, and return the path; data begins at line 7."""
    head = "".join(
        f"@attribute {name} {one}\n" for name, one in zip(("w1", "w2", "A", "B"), types, strict=True)
    )
    path = folder / "a.arff"
    path.write_text(f"@relation {relation}\n{head}@data\n{data}", encoding="utf-8")
    return path


def tables(corpus):
    return corpus.counts.toarray().tolist(), corpus.labels.toarray().astype(int).tolist()


@pytest.mark.parametrize(
    ("labels", "data"),
    [
        ("{0,1}", "{0 2,2 1}\n{1 1,3 1}\n"),
        ("{1,0}", "{0 2,3 0}\n{1 1,2 0}\n"),
        ("{f,t}", "{0 2,2 t}\n{1 1,3 t}\n"),
        ("{True, False}", "{0 2, 3 False}\n{1 1, 2 False}\n"),
        ("{NEG,POS}", "{2 POS,0 2}\n{3 'POS',1 1}\n"),
        ("{YES,NO}", "2,0,YES,NO\n{1 1,2 NO}\n"),
        ("{-1,1}", "2,0,1,-1\n0,1,-1,1\n"),
        ("{'0','1'}", "2,0,'1','0'\n0, 1, \"0\" ,'1'\n"),
        ("{ absent , present } % of them", "2 0\tpresent\tabsent % first\n{1 1,3 present} % second\n"),
        ("NUMERIC", "2\t0\t1\t0\n0\t1\t0\t1.0\n"),
        ("{0,1}", "2,0,1,0,{1}\n{1 1,3 1}, {1.0}\n"),
        ("{0,1}", "{ 0 2 ,  2\t1 }\n\n% none\n{1\t1,\t3 1}%end\n"),
    ],
)
def test_values_are_read_by_their_types(tmp_path, labels, data):
    """By Weka's rule a sparse row leaves out the value that is declared first: 1 of {1,0} was read as 0."""
    corpus = read_mulan(arff(tmp_path, data, ("numeric", "numeric", labels, labels)))
    assert tables(corpus) == (COUNTS, LABELS)


def test_nominal_words_are_counts_of_none_or_one(tmp_path):
    path = arff(tmp_path, "{2 1}\n{0 NO,1 2,3 1}\n", ("{YES,NO}", "{1,2}", "{0,1}", "{0,1}"))
    assert tables(read_mulan(path)) == ([[1, 1], [0, 2]], LABELS)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("2,?,1,0\n", r"line 7: attribute 'w2' is missing \(\?\): fill it in .*or leave the row out"),
        (DENSE + "% note\n{3 ?}\n", r"line 10: attribute 'B' is missing"),
        ("2,0,1,0,{5}\n", r"line 7: the row has the weight 5, .*take it out, or repeat the row"),
        (DENSE + "{0 1}, {0.5}\n", r"line 9: the row has the weight 0\.5"),
        ("2,many,1,0\n", r"line 7: attribute 'w2' is 'many', and should be a number"),
        ("2,nan,1,0\n", r"line 7: attribute 'w2' is nan, and should be a number"),
        ("2,0,1,2\n", r"line 7: attribute 'B' is 2, and should be 0 or 1"),
        ("2,0,'1',yes\n", r"line 7: attribute 'B' is 'yes', and should be 0 or 1"),
        ("{1 1,3 7}\n", r"line 7: attribute 'B' is 7, and should be 0 or 1"),
        ("2,,1,0\n", "line 7: a cell is empty"),
        ("2,0,1\n", "line 7: it has 3 values for 4 attributes"),
        ("2,0,1,0,0\n", "line 7: it has 5 values for 4 attributes"),
        ("2,0,'1,0\n", r"line 7: a quote does not end: '1,0"),
        (DENSE + "{0 1,3 1\n", r"line 9: .* is cut short"),
        ("{0 1}}\n", r"line 7: .* has a brace too many"),
        ("2,0,1,0,{1},{1}\n", r"line 7: .* has a brace too many"),
        ("{0 1},{1},{1}\n", r"line 7: .* has a brace too many"),
        ("{0 1} 3 1\n", r"line 7: .* has a brace too many"),
        ("{0 1,4 1}\n", r"line 7: attribute '4' is none of those numbered 0 to 3"),
        ("{0.5 1}\n", "line 7: attribute '0.5' is none of those numbered 0 to 3"),
        ("{0 1,0 2}\n", "line 7: it has attribute 'w1' twice"),
        ("{0 1,3}\n", "line 7: the number of an attribute has no value"),
        ("", "there is no @data section, or nothing in it"),
    ],
)
def test_a_row_of_another_dialect_is_refused_by_line_and_attribute(tmp_path, data, message):
    with pytest.raises(DamagedFile, match=rf"a\.arff.*{message}") as told:
        read_mulan(arff(tmp_path, data))
    assert ("fetch it again" in str(told.value)) == ("@data" in message)


@pytest.mark.parametrize(
    ("place", "declared", "message"),
    [
        (0, "{a,b,c}", r"line 2: attribute 'w1' has the values a, b, c,.* one attribute of each"),
        (0, "{0,1,2}", r"line 2: .*'w1' has the values 0, 1, 2,.* declare it numeric"),
        (0, "{M,F}", r"line 2: .*'w1' has the values M, F, not two that mean no and yes"),
        (3, "{A,B,NEG}", r"line 5: label 'B' has the values A, B, NEG.* 0 and 1 in their place"),
        (3, "{K,NEG}", r"line 5: label 'B' has the values K, NEG"),
        (0, "string", r"line 2: attribute 'w1' is of the type string.* a table"),
        (0, "{0,1", r"line 2: attribute 'w1' has no values, or no closing brace"),
        (0, "", r"line 2: attribute 'w1' has no type"),
    ],
)
def test_another_type_is_refused_by_line_and_attribute(tmp_path, place, declared, message):
    types = [declared if i == place else one for i, one in enumerate(PLAIN)]
    with pytest.raises(DamagedFile, match=rf"a\.arff, {message}"):
        read_mulan(arff(tmp_path, types=types))


def test_arff_that_is_not_utf_8_is_refused_by_line(tmp_path):
    path = arff(tmp_path)
    path.write_bytes(b"% M\xfcller\n" + path.read_bytes().replace(b" w2 ", b" gem\xfcse "))
    with pytest.raises(DamagedFile, match=r"a\.arff, line 4: it is not in UTF-8: convert the file"):
        read_mulan(path)


ROWS = "{0 1,2 1}\n{1 1,3 1}\n{0 1,3 1}\n{1 1,2 1}\n"


@pytest.mark.parametrize(
    ("relation", "words", "first"),
    [
        ("'x: -C 2'", ("A", "B"), None),
        ("'x: -C -2 -split-number 3'", ("w1", "w2"), 3),
        ("'x: -split-number 3 -C -2'", ("w1", "w2"), 3),
        ('"x: -c -2 -split-percentage 50"', ("w1", "w2"), 2),
        ("x: -split-percentage 62.5 -C -2", ("w1", "w2"), 3),  # 2.5 documents: a half goes up
        ("'x: -C -2 -split-number 3-weka.filters.unsupervised.attribute.Remove-R4 -C 1'", ("w1", "w2"), 3),
        ("'x-weka.filters.StringToWordVector -C 1 -W 1000: -C -2'", ("w1", "w2"), None),
        ("'weka.filters.StringToWordVector -R 1 -C -T -I -N 0: -C -2 -R'", ("w1", "w2"), None),
        ("'-C -2'", ("w1", "w2"), None),
    ],
)
def test_labels_and_split_are_told_by_the_relation(tmp_path, relation, words, first):
    corpus = read_mulan(arff(tmp_path, ROWS, relation=relation))
    assert corpus.vocabulary == words
    assert [[len(half) for half in split] for split in corpus.splits] == (
        [[first, 4 - first]] if first else []
    )
    assert not first or corpus.splits[0][0].tolist() == list(range(first))


@pytest.mark.parametrize(
    ("relation", "message"),
    [
        ("x-C_-_2", "which attributes are labels"),
        ("'x: -C 4'", "which attributes are labels"),
        ("'a: b -C 1 -W 9: -C -2'", r"several numbers after -C \(-2, 1\)"),
        ("'x: -C -2 -split-number 4'", r"-split-number 4 .* 4 documents"),
        ("'x: -C -2 -split-percentage 0'", r"-split-percentage 0 .* 4 documents"),
        ("'x: -C -2 -split-number 2.5'", r"-split-number 2\.5"),
        ("'x: -C -2 -R -split-number 2'", r"-R .*take it, or the split, out"),
    ],
)
def test_a_relation_that_tells_no_labels_or_no_split_is_refused(tmp_path, relation, message):
    with pytest.raises(ValueError, match=rf"a\.arff: .*{message}"):
        read_mulan(arff(tmp_path, ROWS, relation=relation))


@pytest.mark.parametrize(
    ("end", "pack"), [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)]
)
def test_packed_files_and_marks_of_byte_order(tmp_path, end, pack):
    path, xml = arff(tmp_path), tmp_path / f"a.xml.{end}"
    xml.write_bytes(pack(b'\xef\xbb\xbf<labels><label name="B"/><label name="A"/></labels>'))
    packed = tmp_path / f"a.ARFF.{end}"
    packed.write_bytes(pack(b"\xef\xbb\xbf" + path.read_bytes()))
    assert tables(read_mulan([packed, xml])) == (COUNTS, [[0, 1], [1, 0]])
    rows = tmp_path / f"a.svm.{end}"
    rows.write_bytes(pack(b"\xef\xbb\xbf1,2 1:1 3:2\n2 2:1\n"))
    assert tables(read_svmlight(rows)) == ([[1, 0, 2], [0, 1, 0]], [[1, 1], [0, 1]])


def svm(folder, text, name="a.svm"):
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    return path


@pytest.mark.parametrize(
    "text",
    [
        "1,2 1:1 3:2\n2 2:1\n",
        "1,2 3:2 1:1\r\n2 2:1",
        "2, 1 1:1 3:1 3:1 # note: 7\n2 qid:3 2:1\n",
        "\n1 2\t1:1\t3:2\t\n# none\n 2,,\t2:1 \n",
        "1,2,2,1.0 1:0.5 3:2 1:.5\n2 2:1e0 1:0\n",
    ],
)
def test_rows_of_svmlight_as_others_write_them(tmp_path, text):
    """Words in any order, words twice (added up), blanks between labels, a query's number, notes."""
    corpus = read_svmlight(svm(tmp_path, text))
    assert tables(corpus) == ([[1, 0, 2], [0, 1, 0]], [[1, 1], [0, 1]])
    assert (corpus.vocabulary, corpus.label_names) == (("1", "2", "3"), ("1", "2"))


def test_word_0_tells_that_words_are_numbered_from_0_in_both_files(tmp_path):
    files = svm(tmp_path, "1 1:2\n"), svm(tmp_path, "1 0:1 2:3\n", "b.svm")
    corpus = read_svmlight(files)
    assert corpus.vocabulary == ("0", "1", "2") and corpus.counts.toarray().tolist() == [[0, 2, 0], [1, 0, 3]]
    assert read_svmlight(files[0]).vocabulary == ("1",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 1:1\n+1,-1 1:1\n", r"line 2: there is a label -1.* number them anew"),
        ("1 1:1\nsports 1:1\n", r"line 2: 'sports' is no label: .* whole numbers"),
        ("1 1:1\n1 1: 2\n", r"line 2: '1:' is no number with its value, as 3:1 is"),
        ("1 1:1\n1 one:2\n", r"line 2: 'one:2' is no number"),
        ("1 1:1\n1 2:two\n", r"line 2: '2:two' is no number"),
        ("1 1:1\n1 -2:1\n", r"line 2: '-2:1' is no number"),
        ("1 1:1\n1 2:1_0\n", r"line 2: '2:1_0' is no number"),
        ("1 1:1\n\n1 2:inf\n", r"line 3: '2:inf' is no number"),
        ("2 4 2\n0:1,1:0.5 0:1 3:2\n1 1:1\n", r"line 2: '0:1,1:0\.5' is no number.*have no weights"),
        ("2 4 2\n0,1 1:1 4:2\n1 1:1\n", r"line 2: there is a word 4.*leave its first line out"),
        ("2 4 2\n0 1:1\n\n1 2:1\n0 3:1\n", r"first line says 2 documents, but it has 3"),
        ("0:1\n\n1:1\n", r"no row has a label.* first line"),
        ("2 4\n0:1\n1:1\n", r"a first line of two numbers is .*_Xf\.txt and .*_Y\.txt"),
    ],
)
def test_another_kind_of_row_is_refused_by_line(tmp_path, text, message):
    with pytest.raises(ValueError, match=rf"a\.svm.*{message}"):
        read_svmlight(svm(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("3 4 2 \t\n0,1 0:1 3:2\n\n1 2:1\n", [[1, 0, 0, 2], [0, 0, 0, 0], [0, 0, 1, 0]]),
        ("3 4 2\r\n0,1 0:1 3:2\r\n1 2:1\r\n\r\n", [[1, 0, 0, 2], [0, 0, 1, 0], [0, 0, 0, 0]]),
        ("2 4 2\n0,1 0:1 3:2\n1 2:1\n\n\n", [[1, 0, 0, 2], [0, 0, 1, 0]]),
        ("\ufeff2\t4\t2\n\n0,1 0:1 3:2\n\n1 2:1\n", [[1, 0, 0, 2], [0, 0, 1, 0]]),
    ],
)
def test_a_blank_line_is_a_document_if_the_first_line_counts_it(tmp_path, text, counts):
    """ "It says 3 documents, but it has 2" was said of a file with an empty document."""
    corpus = read_svmlight(svm(tmp_path, text))
    assert corpus.counts.toarray().tolist() == counts
    assert corpus.labels.sum() == 3


SPLIT_FILES = {
    "trn_X_Xf": "3 4\n0:1.0 3:2.0\n1:1.0\n2:1.0\n",
    "trn_X_Y": "3 2\n0:1.0 1:1.0\n\n1:1.0\n",
    "tst_X_Xf": "1 4 \n\n",
    "tst_X_Y": "1 2\n0:1\n",
}


def parts(folder, names, **changed):
    return [svm(folder, (SPLIT_FILES | changed)[name], f"{name}.txt") for name in names]


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (1, 0, 3, 2), (0, 2, 1, 3)])
def test_features_and_labels_in_files_of_their_own(tmp_path, order):
    names = list(SPLIT_FILES)
    corpus = read_svmlight(parts(tmp_path, [names[i] for i in order]))
    assert corpus.counts.toarray().tolist() == [[1, 0, 0, 2], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0]]
    assert corpus.labels.toarray().astype(int).tolist() == [[1, 1], [0, 0], [0, 1], [1, 0]]
    assert [half.tolist() for half in corpus.splits[0]] == [[0, 1, 2], [3]]
    assert read_svmlight(parts(tmp_path, names[:2])).splits == ()


@pytest.mark.parametrize(
    ("names", "changed", "message"),
    [
        (("trn_X_Xf", "tst_X_Y"), {}, r"Give both, .*_Xf\.txt and .*_Y\.txt"),
        (("trn_X_Xf", "trn_X_Y", "tst_X_Xf"), {}, r"Give both, .*_Xf\.txt and .*_Y\.txt"),
        (("trn_X_Xf", "trn_X_Y"), {"trn_X_Y": "2 2\n0:1\n1:1\n"}, "have 3 and 2 documents"),
        (("trn_X_Xf", "trn_X_Y"), {"trn_X_Y": "3 2\n0:1\n1:0.5\n\n"}, r"_Y\.txt, line 3: .* 0\.5, and should be 1"),
        (("trn_X_Xf", "trn_X_Y"), {"trn_X_Y": "3 2\n0:1\n2:1\n\n"}, r"_Y\.txt, line 3: there is a word 2, but"),
        (("trn_X_Xf", "trn_X_Y"), {"trn_X_Y": "3 2\n0\n1:1\n\n"}, r"_Y\.txt, line 2: there is a label 0, but"),
        (("trn_X_Xf", "trn_X_Y"), {"trn_X_Y": "3 4 2\n0 1:1\n\n\n"}, r"Give both, .*_Xf\.txt and .*_Y\.txt"),
        (
            tuple(SPLIT_FILES), {"tst_X_Y": "1 3\n0:1\n"},
            r"different numbers of words and labels: \(4, 2\), \(4, 3\)",
        ),
    ],
)  # fmt: skip
def test_files_that_are_no_pairs_are_refused(tmp_path, names, changed, message):
    with pytest.raises(ValueError, match=message):
        read_svmlight(parts(tmp_path, names, **changed))
