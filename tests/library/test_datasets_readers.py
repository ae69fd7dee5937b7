"""One tiny file per format, read and checked by hand; cut-short and foreign files end in one clear error."""

import gzip
import os
import re
import tempfile

import numpy as np
import pandas as pd
import pyreadr
import pytest
import rdata
from hypothesis import given
from hypothesis import strategies as st
from scipy import io, sparse

from polytopic.corpus import Corpus
from polytopic.datasets import (
    DamagedFile,
    MissingCorpus,
    papers_acts,
    read_bills,
    read_converted,
    read_eurlex57k,
    read_labelsets,
    read_mldr,
    read_mulan,
    read_rcv1,
    read_reuters,
    read_rubin,
    read_svmlight,
    read_tibkat,
    read_titles,
    write_converted,
)
from reference.tiny_files import acts, bills, eu_acts, library, put, questions, rubin_file, story

HEAD = """% a comment
@RELATION tiny

@attribute 'red apple' {0,1}
@attribute Fruit {0,1}
@attribute pear numeric
@attribute green {0,1}
@data
"""
XML = """<?xml version="1.0" encoding="utf-8"?>
<labels xmlns="http://mulan.sourceforge.net/labels">
<label name="green"><label name="Fruit"></label></label>
</labels>"""


def test_mulan_sparse_pair(tmp_path):
    files = put(tmp_path, a__arff=HEAD + "{0 1,1 1}\n{2 3,3 1}\n", b__arff=HEAD + "{}\n{1 1}\n", l__xml=XML)
    corpus = read_mulan(files, "tiny")
    assert corpus.vocabulary == ("red apple", "pear") and corpus.label_names == ("green", "Fruit")
    assert corpus.counts.toarray().tolist() == [[1, 0], [0, 3], [0, 0], [0, 0]]
    assert corpus.labels.toarray().tolist() == [[0, 1], [1, 0], [0, 0], [0, 1]]
    assert [rows.tolist() for rows in corpus.splits[0]] == [[0, 1], [2, 3]]
    assert not corpus.real_valued and corpus.name == "tiny"


def test_mulan_dense_and_sparse_agree(tmp_path):
    dense = put(tmp_path, a__arff=HEAD + "1,1,0,0\n0,0,2.5,1\n", l__xml=XML)
    sparse_file = put(tmp_path, b__arff=HEAD + "\n% x\n{0 1,1 1}\n{3 1,2 2.5}\n")
    first, second = read_mulan(dense), read_mulan([*sparse_file, dense[1]])
    assert first.digest == second.digest and first.real_valued and first.splits == ()
    assert first.counts[1, 1] == 2.5


A, B, C = ([1, 3, 3], [1]), ([2], [1, 2]), ([3, 4], [2])


def test_rubin_matches_documents_across_splits(tmp_path):
    """The last word is in no training half but the second's, so the first file has no name for it."""
    files = [rubin_file(tmp_path / "1.mat", [A, B], [C], 3), rubin_file(tmp_path / "2.mat", [C], [B, A], 4)]
    corpus = read_rubin(files)
    assert corpus.counts.toarray().tolist() == [[1, 0, 2, 0], [0, 1, 0, 0], [0, 0, 1, 1]]
    assert corpus.labels.toarray().tolist() == [[1, 0], [1, 1], [0, 1]]
    assert [[rows.tolist() for rows in pair] for pair in corpus.splits] == [[[0, 1], [2]], [[2], [1, 0]]]
    assert corpus.vocabulary == ("1", "2", "3", "4") and corpus.label_names == ("1", "2")
    assert read_rubin(files[:1]).n_words == 4


def test_rubin_refuses_what_cannot_be_matched(tmp_path):
    first = rubin_file(tmp_path / "1.mat", [A, B], [C], 4)
    with pytest.raises(ValueError, match=r"2\.mat does not hold the same documents"):
        read_rubin([first, rubin_file(tmp_path / "2.mat", [A, B], [([1], [1])], 4)])
    twins = rubin_file(tmp_path / "3.mat", [A, A], [C], 4)
    with pytest.raises(ValueError, match="exactly alike"):
        read_rubin([twins, twins])
    assert read_rubin([twins]).n_documents == 3


def test_rubin_cut_short(tmp_path):
    file = rubin_file(tmp_path / "1.mat", [A, B], [C])
    file.write_bytes(file.read_bytes()[:700])
    with pytest.raises(DamagedFile, match=r"1\.mat cannot be read as a corpus .*fetch it again"):
        read_rubin([file])
    io.savemat(file, {"traindata": 1})
    with pytest.raises(DamagedFile, match=r"1\.mat cannot be read"):
        read_rubin([file])


def test_reuters_rules(tmp_path):
    grain = "<TITLE>Grain &lt;GRX></TITLE><DATELINE>left out, left</DATELINE><BODY>grain SAID x2y\n{}</BODY>"
    first = story(2, "TEST", topics="oil", text=grain.format("oil oil")) + story(
        3, status="NO", text="raw grx grx"
    )
    second = story(1, topics="grain oil", text=grain.format("said oil")) + story(4, "TEST", "BYPASS")
    files = put(tmp_path, a__sgm=first, b__sgm=second, topics__txt="acq\ngrain\noil\n")
    corpus = read_reuters(files)
    assert corpus.vocabulary == ("grain", "grx", "oil")  # "raw" is rare, "said" a stop word, "x2y" no word
    assert corpus.counts.toarray().tolist() == [[2, 1, 1], [2, 1, 2], [0, 2, 0], [0, 0, 0]]
    assert corpus.label_names == ("acq", "grain", "oil")
    assert corpus.labels.toarray().astype(int).tolist() == [[0, 1, 1], [0, 0, 1], [0, 0, 0], [0, 0, 0]]
    assert corpus.split_names == ("modapte", "modapte_topics", "modlewis")  # too few for first11000
    splits = [[rows.tolist() for rows in pair] for pair in corpus.splits]
    assert splits == [[[0], [1]], [[0], [1]], [[0, 2], [1]]]


@pytest.mark.parametrize(
    "text",
    [
        '<REUTERS x="1">\n' * 30_000,
        story(1).replace("<TEXT>&#2;\n</TEXT>", "<TEXT " * 300_000),
        story(1, topics="acq", text="<TITLE>" * 300_000),
        story(1).replace("</TOPICS>", "<D>" * 300_000 + "</TOPICS>"),
        story(1).replace("NEWID", "a" * 300_000 + " NEWID"),
    ],
    ids=["stories without end", "texts without end", "titles without end", "topics", "a flag"],
)
def test_reuters_reads_hostile_files_in_one_go(tmp_path, text):
    """Expressions that look for the end again from every beginning take minutes to hours for each of these."""
    files = put(tmp_path, a__sgm=text, topics__txt="acq\n")
    if "</REUTERS>" in text:
        assert read_reuters(files).n_documents == 1
    else:
        with pytest.raises(DamagedFile, match="no whole <REUTERS> story"):
            read_reuters(files)


def test_reuters_elements_are_those_of_the_first_beginning(tmp_path):
    text = "<TEXTS>no</TEXTS><TEXT TYPE='x'\n>one <TEXT>two two two</TEXT> three three three</TEXT>"
    file = story(1).replace("<TEXT>&#2;\n</TEXT>", text)
    assert read_reuters(put(tmp_path, a__sgm=file, topics__txt="acq\n")).vocabulary == ("two",)


def test_titles_rules(tmp_path):
    """Empty keyword cells are no label and a missing title is no word."""
    corpus = read_titles([acts(tmp_path)])
    assert corpus.vocabulary == ("cod", "council", "fishing", "herring", "quotas", "regulation")
    assert corpus.label_names == ("9", "10", "c_1a")
    rows = [[1, 0, 1], [1, 0, 0], [1, 1, 0], [0, 0, 0]]  # by date, then celex: R0, R1, R9, D1
    assert corpus.labels.toarray().astype(int).tolist() == rows
    assert corpus.counts.toarray().tolist() == [[1] * 6] * 3 + [[0] * 6]


def test_near_duplicate_titles_stay_together(tmp_path):
    corpus = read_titles([acts(tmp_path)])
    assert len(corpus.splits) == 5
    for train, test in corpus.splits:
        assert {0, 1, 2} <= set(train) or {0, 1, 2} <= set(test)


def test_titles_damaged(tmp_path):
    file = acts(tmp_path)
    file.write_bytes(file.read_bytes()[:40])
    with pytest.raises(DamagedFile, match=r"acts\.RData cannot be read"):
        read_titles([file])
    pyreadr.write_rdata(file, pd.DataFrame({"title": ["a"], "celex": ["b"], "date_doc": ["c"]}), df_name="x")
    with pytest.raises(DamagedFile, match="its table has no keyword columns"):
        read_titles([file])


def test_mldr(tmp_path):
    corpus = read_mldr(questions(tmp_path), "site")
    assert corpus.vocabulary == ("acid", "bread") and corpus.label_names == ("tag_a", "tag_b")
    assert corpus.counts[:3].toarray().tolist() == [[0, 3], [2, 1], [0, 0]]
    assert corpus.labels[:3].toarray().tolist() == [[1, 0], [0, 0], [1, 1]]
    assert len(corpus.splits) == 5 and not corpus.real_valued
    assert read_mldr([questions(tmp_path, value=0.5)]).real_valued


@pytest.mark.parametrize("label", [np.nan, -1.0])
def test_a_label_of_mldr_that_is_missing_or_no_label_is_refused(tmp_path, label):
    """Whatever was not 0 was a label, R's NA among it."""
    with pytest.raises(DamagedFile, match=rf"site\.rda .*labels\[0, 1\] = {label} is neither 0 nor 1"):
        read_mldr(questions(tmp_path, label=label))


def test_mldr_damaged(tmp_path):
    file = questions(tmp_path)
    file.write_bytes(file.read_bytes()[:40])
    with pytest.raises(DamagedFile, match=r"site\.rda cannot be read"):
        read_mldr(file)
    rdata.write_rda(file, {"x": {"name": "no table"}})
    with pytest.raises(DamagedFile, match=r"site\.rda cannot be read"):
        read_mldr(file)
    with pytest.raises(ValueError, match=r"give one \.rda file"):
        read_mldr([file, file])


def test_tibkat(tmp_path):
    """Words are those of five training records, of three letters, digits or signs, and no stop words."""
    library(tmp_path)
    corpus = read_tibkat(tmp_path, "x", languages=("en",))
    assert corpus.vocabulary == ("c++", "cell", "genomes", "viral", "virus-free", "zellen", "über")
    assert corpus.label_names == ("Müller, A. (30)", "Viren (4-2)", "(5)")
    assert corpus.counts[0].toarray().tolist() == [[0, 0, 3, 0, 0, 0, 0]]  # dev goes before train
    assert corpus.counts[1].toarray().tolist() == [[1, 1, 1, 1, 1, 1, 1]]
    assert corpus.labels.toarray().astype(int).tolist() == [[0, 0, 1]] + 5 * [[1, 1, 0]]
    assert [rows.tolist() for rows in corpus.splits[0]] == [[1, 2, 3, 4, 5], [0]]


def test_tibkat_parts_languages_and_names(tmp_path):
    library(tmp_path)
    names = tmp_path / "names.tsv"
    names.write_text('https://d-nb.info/gnd/4-2\tViruses "all"\nhttps://d-nb.info/gnd/9\tNot here\n', "utf-8")
    corpus = read_tibkat(tmp_path, parts=("train", "dev", "test"), names=names)
    assert corpus.label_names == ("(30)", 'Viruses "all" (4-2)', "(5)")
    assert corpus.split_names == ("dev", "test") and corpus.n_documents == 8
    assert [rows.tolist() for rows in corpus.splits[1]] == [[0, 2, 3, 4, 5, 6, 7], [1]]
    assert "über" not in corpus.vocabulary and "genomes" in corpus.vocabulary
    assert corpus.labels[2].nnz == 1  # a subject given twice


def test_tibkat_refuses(tmp_path):
    library(tmp_path)
    with pytest.raises(MissingCorpus, match="there are no records in .*dev"):
        read_tibkat(tmp_path, languages=("de",))
    with pytest.raises(ValueError, match="part"):
        read_tibkat(tmp_path, parts=("train", "exam"))
    with pytest.raises(ValueError, match="language"):
        read_tibkat(tmp_path, languages=("fr",))
    file = next(tmp_path.rglob("*3A7.jsonld"))
    file.write_text(file.read_text("utf-8")[:30], "utf-8")
    with pytest.raises(DamagedFile, match="3A7.jsonld cannot be read"):
        read_tibkat(tmp_path)


def test_eurlex57k(tmp_path):
    """Words are those used 20 times in the first part; acts go by the names of their files, brackets first."""
    eu_acts(tmp_path)
    corpus = read_eurlex57k(tmp_path)
    assert corpus.vocabulary == ("acid", "barley", "import")
    assert corpus.label_names == ("barley (10)", "(99)")
    assert corpus.counts.toarray().tolist() == [[0, 7, 21], [21, 14, 0], [1, 0, 0], [0, 0, 0]]
    assert corpus.labels.toarray().astype(int).tolist() == [[1, 0], [0, 1], [1, 1], [0, 0]]
    assert corpus.split_names == ("train_test", "train_dev")
    assert [[rows.tolist() for rows in pair] for pair in corpus.splits] == [[[0, 1], [3]], [[0, 1], [2]]]
    (tmp_path / "dev" / "31958R0001.json").write_text("{}")
    with pytest.raises(DamagedFile, match=r"31958R0001\.json"):
        read_eurlex57k(tmp_path)
    for file in (tmp_path / "dev").iterdir():
        file.unlink()
    with pytest.raises(MissingCorpus, match="there are no acts in .*dev"):
        read_eurlex57k(tmp_path)


def test_acts_are_found_by_label_sets_and_order():
    """Six acts, a to f; of the documents the first and the last are known at once, and two by what stands between."""
    label_sets = [["fish"], ["sugar"], ["wine"], ["sugar"], ["fish", "old wine"], ["lost"], ["fish", "sugar"]]
    of_acts = [["fish"], ["sugar"], ["sugar"], ["sugar"], ["fish", "wine"], ["fish", "sugar"]]
    names = {"fish": 0, "sugar": 1, "wine": 2, "old wine": 2, "lost": 3}
    acts = np.zeros((6, 3), bool)
    for row, own in enumerate(of_acts):
        acts[row, [names[one] for one in own]] = True
    theirs = ("fish", "lost", "old wine", "sugar", "wine")
    given = np.array([[one in own for one in theirs] for own in label_sets])
    counts = np.full((6, 2), (20, 3), np.int32)
    corpus = Corpus(counts, acts, ["word", "rare"], ["fish (7)", "sugar (8)", "wine (9)"])
    concepts = {"7": ("fish", []), "8": ("Sugar!", []), "9": ("wine", ["old wine"])}
    concepts = {key: {"label": name, "alt_labels": others} for key, (name, others) in concepts.items()}
    celex = ["31990R0001", "31989R0001", "31990R0002", "31995R0001", "31990R0003", "31991R0001"]
    part, pairs = papers_acts(corpus, celex, Corpus(np.zeros((7, 0), int), given, [], theirs), concepts)
    assert pairs.tolist() == [[0, 0], [4, 4], [6, 5]]  # rows 1 and 3 would both be the act 2
    given[3] = given[2]
    part, pairs = papers_acts(corpus, celex, Corpus(np.zeros((7, 0), int), given, [], theirs), concepts)
    assert pairs.tolist() == [[0, 0], [1, 2], [4, 4], [6, 5]]
    assert (
        part.label_names == ("fish (7)", "sugar (8)", "wine (9)") and part.vocabulary == ("word", "rare")[:1]
    )
    assert part.labels.toarray().astype(int).tolist() == [[1, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 0]]


def test_bills(tmp_path):
    bills(tmp_path)
    corpus = read_bills(tmp_path)
    assert corpus.vocabulary == ("guam", "radiation") and corpus.label_names == ("Claims", "Guam")
    assert corpus.counts.toarray().tolist() == [[1, 0], *[[2, 1]] * 4, [0, 1]]
    assert corpus.labels.toarray().astype(int).tolist() == [[0, 1], *[[1, 1]] * 4, [1, 0]]
    (tmp_path / "hr" / "hr2" / "data.json").write_text("[")
    with pytest.raises(DamagedFile, match=r"data\.json"):
        read_bills(tmp_path)
    with pytest.raises(MissingCorpus, match="give the folder that has hr/hr1/data.json"):
        read_bills(tmp_path / "hr")


def test_labelsets(tmp_path):
    text = "7,\"['zinc', 'EC agreement', 'zinc']\"\n\n3,\"['owner\\'s right']\"\n"
    corpus = read_labelsets(put(tmp_path, a__csv=text))
    assert corpus.label_names == ("EC agreement", "owner's right", "zinc")
    assert corpus.labels.toarray().astype(int).tolist() == [[0, 1, 0], [1, 0, 1]]
    assert corpus.counts.shape == (2, 0) and corpus.vocabulary == ()


def test_svmlight_of_the_extreme_classification_repository(tmp_path):
    train = "3 4 5\n0,4 0:1 3:2\n 1:1\n2\n"  # a row without labels, a row without words
    files = put(tmp_path, a__txt=train, b__txt="1 4 5\n4,1 2:7\n")
    corpus = read_svmlight(files)
    assert corpus.counts.toarray().tolist() == [[1, 0, 0, 2], [0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 7, 0]]
    assert [row.nonzero()[0].tolist() for row in corpus.labels.toarray()] == [[0, 4], [], [2], [1, 4]]
    assert corpus.n_labels == 5 and corpus.vocabulary[-1] == "3" and corpus.label_names[0] == "0"
    assert [rows.tolist() for rows in corpus.splits[0]] == [[0, 1, 2], [3]]


def test_svmlight_without_sizes_counts_words_from_one(tmp_path):
    files = put(tmp_path, a__svm="101,7 1:0.5 3:1\n7 2:1\n", b__svm="101 4:1\n")
    corpus = read_svmlight(files)
    assert corpus.counts.toarray().tolist() == [[0.5, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 1]]
    assert corpus.label_names == ("7", "101") and corpus.vocabulary == ("1", "2", "3", "4")
    assert corpus.real_valued
    assert (
        read_svmlight(files[0]).digest
        == read_svmlight(str(files[0])).digest
        == read_svmlight(files[:1]).digest
    )


def test_rcv1(tmp_path):
    train, test = TRAIN, ".I 30000\n.W\nnew oil oil\n"
    topics = "GCAT 2286 1\nC11 2286 1\nC11 30000 1\nE11 99 1\nGCAT 2287 0\n"
    files = put(tmp_path, train__dat=train, test_pt0__dat=test, topics__qrels=topics)
    corpus = read_rcv1(files)
    assert corpus.vocabulary == ("mexic", "new", "oil", "recov") and corpus.label_names == (
        "C11",
        "E11",
        "GCAT",
    )
    assert corpus.counts.toarray().tolist() == [[1, 0, 0, 2], [0, 0, 1, 0], [0, 1, 2, 0]]
    assert corpus.labels.toarray().astype(int).tolist() == [[1, 0, 1], [0, 0, 0], [1, 0, 0]]
    assert [rows.tolist() for rows in corpus.splits[0]] == [[0, 1], [2]]
    packed = tmp_path / "train.dat.gz"
    packed.write_bytes(gzip.compress(train.encode()))
    assert read_rcv1([packed, files[2]]).counts.shape == (2, 3)
    packed.write_bytes(packed.read_bytes()[:30])
    with pytest.raises(DamagedFile, match=r"train\.dat\.gz cannot be read"):
        read_rcv1([packed, files[2]])


TRAIN = ".I 2286\n.W\nrecov recov\nmexic\n\n.I 2287\n.W\noil\n\n"
REFUSED = [  # the smallest files of text -> what is said
    (
        read_mulan,
        {"a__arff": HEAD.replace("pear", "'pear"), "l__xml": XML},
        r"a\.arff, line 6: .*has no closing quote",
    ),
    (
        read_mulan,
        {"a__arff": HEAD.replace("pear", "green"), "l__xml": XML},
        r"a\.arff, line 7: it is the second attribute of the name 'green'",
    ),
    (
        read_mulan,
        {"a__arff": HEAD + "{}\n", "b__arff": HEAD.replace("pear", "plum") + "{}\n", "l__xml": XML},
        r"a\.arff and .*b\.arff have different attributes",
    ),
    (
        read_mulan,
        {"a__arff": HEAD + "{}\n", "l__xml": XML.replace("green", "blue")},
        r"l\.xml names the label 'blue', which the ARFF file lacks",
    ),
    (
        read_mulan,
        {"a__arff": HEAD + "{}\n"},
        r"a\.arff: which attributes are labels\? Give Mulan's label XML too",
    ),
    (read_mulan, {"l__xml": XML}, "give one or two ARFF files and one label XML"),
    (read_mulan, {"a__arff": HEAD + "{}\n", "l__xml": XML[:-12]}, r"l\.xml cannot be read"),
    (read_reuters, {"a__sgm": story(1)}, r"give one \.txt file of topics"),
    (
        read_reuters,
        {"a__sgm": story(1)[:-15], "t__txt": "acq"},
        r"a\.sgm cannot be read .*no whole <REUTERS> story",
    ),
    (
        read_reuters,
        {"a__sgm": story(1).replace("NEWID", "ID"), "t__txt": "acq"},
        r"a\.sgm cannot be read .*NEWID",
    ),
    (read_reuters, {"a__sgm": story(7) * 2, "t__txt": "acq"}, r"a\.sgm .*NEWID 7 is there more than once"),
    (read_labelsets, {"a__csv": "7,['a']\n", "b__csv": ""}, r"give one CSV file, got \[.*a\.csv.*b\.csv"),
    (read_labelsets, {"a__csv": "7,\"['zinc', 'EC"}, r"a\.csv cannot be read .*unterminated string"),
    (read_labelsets, {"a__csv": ""}, r"a\.csv cannot be read .*there is no document in it"),
    (read_labelsets, {"a__csv": "7,'abc'\n"}, r"a\.csv cannot be read .*is no list of strings"),
    (read_labelsets, {"a__csv": "7,\"['a', 3]\"\n"}, r"a\.csv cannot be read .*is no list of strings"),
    (read_rcv1, {"a__dat": TRAIN, "b__dat": TRAIN}, r"give \.dat token files and one \.qrels file"),
    (read_rcv1, {"a__dat": TRAIN * 2, "t__qrels": "A 2286 1\n"}, r"a\.dat .*a story is there more than once"),
    (read_rcv1, {"a__dat": TRAIN, "t__qrels": "A 1 1\n"}, r"a\.dat .*no story has a topic"),
    *(
        (read_svmlight, {"a__txt": text}, rf"a\.txt.*{message}")
        for text, message in [
            ("3 4 5\n0 0:1\n\n# note\n 1:1\n2,-3 0:1\n", "line 6: there is a label -3"),
            ("1 4 5\n9 0:1\n", "line 2: there is a label 9, but its first line says 5 labels"),
            ("7 1:1\n0,1.5 1:1\n", "line 2: there is a label 1.5, but labels are whole numbers from 0"),
            ("nan 1:1\n", "line 1: there is a label nan"),
            ("inf 1:1\n", "line 1: there is a label inf"),
            ("1e300 1:1\n", r"line 1: there is a label 1e\+300"),
            ("7 1:1\n# note\n\n7 2000000000:1\n", "line 4: it tells of 2,000,000,000 words, and 1,000,000"),
            ("1 2000000000 5\n0 0:1\n", "it tells of 2,000,000,000 words, and 1,000,000 is the most"),
            ("1 4 1000000000000\n0 0:1\n", "it tells of 1,000,000,000,000 labels"),
            ("1 4 5\n0 0:1e999\n", r"counts\[0, 0\] = inf is not finite"),
            ("", "there is no document in it"),
            ("# nothing\n", "there is no document in it"),
            ("0 4 5\n", "there is no document in it"),
        ]
    ),
]


@pytest.mark.parametrize(("read", "files", "message"), REFUSED)
def test_what_cannot_be_read_is_named(tmp_path, read, files, message):
    with pytest.raises(ValueError, match=message) as refused:
        read(put(tmp_path, **files))
    assert isinstance(refused.value, DamagedFile) or not re.search("line|cannot be read", message)


@pytest.mark.parametrize("read", [read_mulan, read_svmlight, read_labelsets, read_rubin])
def test_a_file_that_is_not_there_is_missing(tmp_path, read):
    with pytest.raises(MissingCorpus, match=r"there is no file .*none\.arff"):
        read(tmp_path / "none.arff")


def folder_corpus(**changes):
    parts = {
        "counts": [[1, 0], [300, 2], [0, 0]],
        "labels": [[1], [0], [1]],
        "splits": [([0], [1]), ([1], [2])],
    }
    return Corpus(**{**parts, "vocabulary": ["a", "b"], "label_names": ["ü"], "name": "tiny", **changes})


@pytest.mark.parametrize(
    "changes",
    [
        {"counts": [[0.5, -1], [0, 0], [1, 1]], "real_valued": True},
        {"counts": sparse.csr_matrix((3, 0)), "vocabulary": ()},
        {"split_names": ["b", "train_1"]},
    ],
)
def test_converted_folder_keeps_the_corpus(tmp_path, changes):
    corpus = folder_corpus(**changes)
    write_converted(corpus, tmp_path / "tiny")
    again = read_converted(tmp_path / "tiny")
    assert again.digest == corpus.digest and again.name == "tiny"


def test_converted_folder_names_numbered_splits(tmp_path):
    write_converted(folder_corpus(), tmp_path)
    np.savez(
        tmp_path / "splits.npz", b_train=[1], b_test=[2], a_train=[0], a_test=[1], train_0=[0], test_0=[1]
    )
    corpus = read_converted(tmp_path)
    assert corpus.split_names == ("a", "b") and corpus.splits[0][0].tolist() == [0]


def test_converted_folder_takes_codes_before_a_tab(tmp_path):
    write_converted(folder_corpus(), tmp_path)
    (tmp_path / "labels.txt.gz").write_bytes(gzip.compress(b"17\tfishing\n"))
    assert read_converted(tmp_path).label_names == ("17",)
    (tmp_path / "labels.txt.gz").unlink()
    (tmp_path / "X.npz").unlink()
    (tmp_path / "vocab.txt.gz").unlink()
    bare = read_converted(tmp_path)
    assert bare.label_names == ("1",) and bare.counts.shape == (3, 0)


def test_a_mark_of_byte_order_is_no_part_of_a_name(tmp_path):
    """A list of names that an editor had saved with one had a label "\ufefffood"; other readers failed."""
    write_converted(folder_corpus(vocabulary=["\ufeffa", "b"]), tmp_path)
    assert read_converted(tmp_path).vocabulary == ("\ufeffa", "b")
    (tmp_path / "labels.txt.gz").write_bytes(gzip.compress(b"\xef\xbb\xbffood\n"))
    assert read_converted(tmp_path).label_names == ("food",)
    assert read_labelsets(put(tmp_path, a__csv="\ufeff7,['zinc']\n")).label_names == ("zinc",)
    names = tmp_path / "names.tsv"
    names.write_text("\ufeff4-2\tViruses\n", "utf-8")
    for file in library(tmp_path).rglob("*.jsonld"):
        file.write_text("\ufeff" + file.read_text("utf-8"), "utf-8")
    assert read_tibkat(tmp_path, names=names).label_names == ("(30)", "Viruses (4-2)", "(5)")


@pytest.mark.parametrize("file", ["X.npz", "Y.npz", "splits.npz", "labels.txt.gz", "vocab.txt.gz"])
def test_converted_folder_cut_short(tmp_path, file):
    write_converted(folder_corpus(), tmp_path)
    whole = (tmp_path / file).read_bytes()
    (tmp_path / file).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DamagedFile, match=rf"{file} cannot be read as a corpus .*fetch it again"):
        read_converted(tmp_path)


def test_converted_folder_incomplete(tmp_path):
    with pytest.raises(MissingCorpus, match=r"is not a corpus folder: it has no Y\.npz"):
        read_converted(tmp_path)
    write_converted(folder_corpus(), tmp_path)
    np.savez(tmp_path / "splits.npz", train_0=[0])
    with pytest.raises(DamagedFile, match=r"splits\.npz has train_0 but no test_0"):
        read_converted(tmp_path)


NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\t\n\r"), max_size=4)
COUNTED = st.lists(st.lists(st.sampled_from([0, 0, 1, 2, 300]), min_size=2, max_size=2), max_size=4)


@given(COUNTED, st.lists(NAMES, min_size=4, max_size=4, unique=True), st.data())
def test_any_corpus_comes_back_from_its_folder(tmp_path_factory, counts, names, data):
    """Names that a line break of some alphabet splits used to come back as two, or not at all."""
    n = len(counts)
    counts, labels = (np.array(table, int).reshape(n, 2) for table in (counts, [[1, 0]] * n))
    rows = st.permutations(range(n)).map(lambda order: (order[: n // 2], order[n // 2 :]))
    splits = data.draw(st.lists(rows, max_size=3))
    words = st.from_regex(r"\w*[a-z_]\w*", fullmatch=True)
    named = st.lists(words, min_size=len(splits), max_size=len(splits), unique=True)
    split_names = data.draw(st.just([]) | named)
    corpus = Corpus(counts, labels, names[:2], names[2:], splits, split_names=split_names)
    folder = tmp_path_factory.mktemp("corpus")
    write_converted(corpus, folder)
    assert read_converted(folder).digest == corpus.digest


@pytest.mark.parametrize("name", ["a\tb", "a\nb", "a\r", "\ud800"])
@pytest.mark.parametrize("field", ["vocabulary", "label_names"])
def test_names_that_no_folder_can_hold_are_refused(tmp_path, name, field):
    write_converted(folder_corpus(), tmp_path)
    kept = read_converted(tmp_path).digest
    names = [name, "c"][: 2 if field == "vocabulary" else 1]
    with pytest.raises(ValueError, match=rf"{field} has .*, which a folder cannot hold"):
        write_converted(folder_corpus(**{field: names}), tmp_path)
    assert read_converted(tmp_path).digest == kept


@pytest.mark.parametrize("name", ["7", "a b", "a-b", ""])
def test_split_names_that_no_folder_can_hold_are_refused(tmp_path, name):
    """They used to come back without their names, or not at all."""
    with pytest.raises(ValueError, match="split_names has .*, which a folder cannot hold"):
        write_converted(folder_corpus(split_names=["one", name]), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_second_corpus_leaves_nothing_of_the_first(tmp_path):
    """The first one's splits used to stay, on the second one's rows."""
    write_converted(folder_corpus(), tmp_path)
    (tmp_path / "PROVENANCE.md").write_text("by hand")
    write_converted(folder_corpus(splits=()), tmp_path)
    assert read_converted(tmp_path).splits == ()
    assert (tmp_path / "PROVENANCE.md").exists()


def test_a_full_disk_leaves_the_first_corpus(tmp_path, monkeypatch):
    write_converted(folder_corpus(), tmp_path)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    written, open_draft = [], tempfile.mkstemp

    def third_is_too_much(**arguments):
        written.append(arguments["prefix"])
        if len(written) == 3:
            raise OSError(28, "No space left on device")
        return open_draft(**arguments)

    monkeypatch.setattr(tempfile, "mkstemp", third_is_too_much)
    with pytest.raises(OSError, match="No space left"):
        write_converted(folder_corpus(counts=[[9, 9]] * 3), tmp_path)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


@pytest.mark.parametrize("completed", range(5))
def test_an_interruption_leaves_no_mixed_corpus(tmp_path, monkeypatch, completed):
    """Whatever the moment, the folder holds one of the two corpora, or says that it is none."""
    first, second = folder_corpus(), folder_corpus(counts=[[9, 9]] * 3, label_names=["x"])
    write_converted(first, tmp_path)
    done, replace = [], os.replace

    def interrupted(*arguments):
        if len(done) == completed:
            raise KeyboardInterrupt
        done.append(replace(*arguments))

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_converted(second, tmp_path)
    with pytest.raises(MissingCorpus, match=r"is not a corpus folder: it has no Y\.npz"):
        read_converted(tmp_path)
    assert not list(tmp_path.glob(".*"))


def test_an_array_under_the_name_of_a_matrix(tmp_path):
    write_converted(folder_corpus(), tmp_path)
    np.save(tmp_path / "X.npy", np.ones(3))
    (tmp_path / "X.npy").rename(tmp_path / "X.npz")
    with pytest.raises(DamagedFile, match=r"X\.npz cannot be read as a corpus"):
        read_converted(tmp_path)


def test_files_of_different_corpora_name_their_folder(tmp_path):
    write_converted(folder_corpus(), tmp_path)
    (tmp_path / "vocab.txt.gz").write_bytes(gzip.compress(b"a\r\nb\r\nc\r\n"))
    with pytest.raises(
        DamagedFile, match=rf"{tmp_path}/vocab.txt.gz cannot be read .*it has 3 names for 2 columns"
    ):
        read_converted(tmp_path)
    (tmp_path / "vocab.txt.gz").write_bytes(gzip.compress(b"a\r\nb"))
    assert read_converted(tmp_path).vocabulary == ("a", "b")
