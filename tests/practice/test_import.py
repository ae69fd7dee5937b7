"""``polytopic import``: from a reader's file to a corpus that takes part by its name."""

import bz2
import gzip
import lzma

import pytest

from polytopic import load
from polytopic.command import cli
from polytopic.datasets import load_corpus
from polytopic.practice.tables import read_vectorizer

TABLE = "id,text,tags\n" + "".join(
    f"{i},{text},{tags}\n"
    for i, (text, tags) in enumerate(
        [("a red apple", "fruit;red"), ("a red car", "red"), ("an apple", "fruit")] * 8
    )
)


@pytest.fixture
def own(tmp_path, monkeypatch):
    monkeypatch.setenv("POLYTOPIC_CORPORA", str(tmp_path / "corpora"))
    (tmp_path / "tags.csv").write_text(TABLE + "too few\n,,red\n")
    return tmp_path


def test_a_table_becomes_a_corpus_that_loads_by_name(own, capsys):
    assert cli.main(["import", str(own / "tags.csv"), "--labels", "tags"]) == 0
    told = capsys.readouterr().out
    assert "1 row left out" in told and "line 26 has 1 cells, the header 3" in told
    assert "1 row kept, but to look at" in told and "polytopic fit" in told
    assert "Most frequent labels: red (17), fruit (16)" in told
    corpus = load_corpus("tags")
    assert (corpus.n_documents, corpus.label_names, len(corpus.splits)) == (25, ("fruit", "red"), 5)
    counted = read_vectorizer(own / "corpora" / "tags").transform(["a red, red apple"])
    assert counted.sum() == 3
    assert (own / "corpora" / "tags" / "import.csv").read_text().splitlines()[1:] == [
        '26,"has 1 cells, the header 3",no', "27,has no word that counts,yes",
    ]  # fmt: skip


XMC = "\n0,1 1:2 3:1\n1 2:1\n0 0:1\n"
MEKA = "@relation 'mail: -C {}'\n{}@data\n{}"
WORDS, LABELS = "@attribute w{} numeric\n", "@attribute l{} {{0,1}}\n"


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("train.txt", b"3 4 2"),
        ("train.xmc", b"3 4 2"),
        ("train.txt.gz", b"3 4 2 "),
        ("train.txt", b"\xef\xbb\xbf3\t4 2\t"),
    ],
)
def test_files_of_the_extreme_classification_repository_are_known(own, name, head):
    content = head + XMC.encode()
    (own / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    assert cli.main(["import", str(own / name), "--name", "extreme"]) == 0
    corpus = load_corpus("extreme")
    assert corpus.counts.toarray().tolist() == [[0, 2, 0, 1], [0, 0, 1, 0], [1, 0, 0, 0]]
    assert corpus.labels.toarray().tolist() == [[1, 1], [0, 1], [1, 0]]


def test_features_and_labels_in_files_of_their_own_are_one_corpus(own):
    for name, content in (("Xf", "2 3\n0:1 2:2\n1:1\n"), ("Y", "2 2\n0:1\n1:1.0\n")):
        (own / f"trn_X_{name}.txt.xz").write_bytes(lzma.compress(content.encode()))
    files = [str(own / f"trn_X_{name}.txt.xz") for name in ("Y", "Xf")]
    assert cli.main(["import", *files, "--name", "halves"]) == 0
    corpus = load_corpus("halves")
    assert corpus.counts.toarray().tolist() == [[1, 0, 2], [0, 1, 0]]
    assert corpus.labels.toarray().tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize("first", [True, False])
def test_arff_files_of_meka_name_their_labels_themselves(own, first):
    labels, words = LABELS.format(0) + LABELS.format(1), "".join(map(WORDS.format, range(3)))
    n, head, rows = (
        (2, labels + words, "1,0,5,0,2\n0,1,0,3,0\n")
        if first
        else (-2, words + labels, "5,0,2,1,0\n0,3,0,0,1\n")
    )
    (own / "mail.arff.bz2").write_bytes(bz2.compress(MEKA.format(n, head, rows).encode()))
    assert cli.main(["import", str(own / "mail.arff.bz2")]) == 0
    corpus = load_corpus("mail")
    assert (corpus.vocabulary, corpus.label_names) == (("w0", "w1", "w2"), ("l0", "l1"))
    assert corpus.counts.toarray().tolist() == [[5, 0, 2], [0, 3, 0]]
    assert corpus.labels.toarray().tolist() == [[1, 0], [0, 1]]


def test_arff_without_a_word_on_labels_is_refused(own, capsys):
    (own / "mail.arff").write_text(MEKA.format("x", WORDS.format(0), "1\n"))
    assert cli.main(["import", str(own / "mail.arff")]) == 2
    assert "which attributes are labels? Give Mulan's label XML" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.csv"], "there is no file"),
        (["tags.csv", "--labels", "tgas"], "did you mean 'tags'"),
        (["tags.csv", "tags.csv"], "one table at a time"),
        (["tags.csv", "--encoding", "latin-x"], "there is no encoding 'latin-x'"),
        (["tags.csv", "--stop-words", "none.txt"], "--stop-words none.txt cannot be read"),
        (["tags.csv", "--min-df", "5", "--max-df", "2"], "--min-df 5 is above --max-df 2"),
        (["rows.svm", "--min-df", "5"], "options for words and --subjects are for texts"),
        (["tags.csv", "--format", "svmlight"], "tags.csv, line 1: 'id' is no label"),
    ],
)
def test_mistakes_are_told_in_a_sentence(own, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(own)
    assert cli.main(["import", *arguments]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--min-df", "0", "'0' is no number of documents"),
        ("--max-df", "1.5", "'1.5' is no number of documents"),
        ("--ngrams", "2-1", "write 1-2"),
        ("--ngrams", "0-2", "no range of lengths from 1 to 10"),
        ("--ngrams", "1,3", "no range of lengths"),
        ("--token-pattern", "(", "'(' is no regular expression"),
        ("--token-pattern", r"\w*", "also finds words without a letter"),
        ("--token-pattern", "(a)(b)", "has 2 groups"),
    ],
)
def test_settings_of_words_that_are_none_are_refused_by_their_option(own, capsys, option, value, message):
    with pytest.raises(SystemExit):
        cli.main(["import", str(own / "tags.csv"), option, value])
    told = capsys.readouterr().err
    assert f"argument {option}: " in told and message in told


def test_settings_of_words_are_kept_with_the_corpus_and_the_model(own, monkeypatch, capsys):
    monkeypatch.chdir(own)
    (own / "stop.txt").write_text("\ufeffAn\n\ncar's\n", "utf-8")
    words = ["--token-pattern", r"[a-z']+", "--stop-words", "stop.txt", "--min-df", "1", "--max-df", "0.9"]
    command = ["import", "tags.csv", "--labels", "tags", *words, "--ngrams", "1-2"]
    assert cli.main(command) == 0
    corpus = load_corpus("tags")
    assert corpus.vocabulary == ("a", "a red", "apple", "car", "red", "red apple", "red car")
    assert read_vectorizer(own / "corpora" / "tags").get_params()["stop_words"] == ["an", "car's"]
    fit = ["fit", "tags", "--model", "FlatLDA", "-p", "n_chains=1", "-p", "n_sweeps=2", "--to", "model"]
    assert cli.main(fit) == 0
    assert load(own / "model").vectorizer.transform(["an a red car's"]).sum() == 3
    capsys.readouterr()
    table = "Titel;Schlagwort\n" + "a s\xfc\xdf red car;red\n" * 6
    (own / "new.csv.gz").write_bytes(gzip.compress(table.encode("cp1252")))
    predict = ["predict", "model", "new.csv.gz", "--text", "Titel", "--top", "1", "--format", "jsonl"]
    assert cli.main(predict) == 2
    assert "--encoding cp1252" in capsys.readouterr().err
    assert cli.main([*predict, "--encoding", "cp1252"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 6


def test_addresses_get_their_names(own, capsys):
    (own / "a.tsv").write_text("a red car\t<http://e/1> <http://e/2>\na car\t<http://e/3> <http://e/4>\n")
    names = "<http://e/1>\tred\n<http://e/2>\tcar\n<http://e/3>\tcar\n"
    (own / "names.tsv").write_text(names)
    assert cli.main(["import", str(own / "a.tsv"), "--subjects", str(own / "names.tsv")]) == 0
    assert load_corpus("a").label_names == ("red", "http://e/2", "http://e/3", "http://e/4")
    assert "Look at this: 3 labels have no name of their own" in capsys.readouterr().out


def test_files_of_counts_are_known_by_their_ending(own, capsys):
    (own / "rows.svm").write_text("1,2 1:2 3:1\n2 2:1\n")
    assert cli.main(["import", str(own / "rows.svm"), "--name", "rows"]) == 0
    assert load_corpus("rows").labels.shape == (2, 2)
    (own / "rows.txt").write_text("1,2 1:2 3:1\n2 2:1\n")
    assert (
        cli.main(["import", str(own / "rows.txt"), "--format", "svmlight", "--to", str(own / "other")]) == 0
    )
    assert (own / "other" / "Y.npz").exists()
