"""The catalogue: names, mirror, downloads, cache, folders, and what happens when one of them fails."""

import csv
import hashlib
import os
import re
import socket
import sys
import tempfile
import warnings
from pathlib import Path

import pooch
import pytest

from polytopic import paths
from polytopic.corpus import Corpus
from polytopic.datasets import catalogue, list_corpora, load_corpus, source_files, write_converted
from polytopic.datasets.catalogue import catalogue_table, describe
from polytopic.datasets.source_files import DamagedFile, MissingCorpus

README = paths.checkout() / "data" / "README.md"
ARFF = """@relation tiny
@attribute apple {0,1}
@attribute fruit {0,1}
@attribute pear {0,1}
@attribute green {0,1}
@data
"""
XML = (
    '<labels xmlns="http://mulan.sourceforge.net/labels"><label name="green"/><label name="fruit"/></labels>'
)


@pytest.fixture(autouse=True)
def bare(tmp_path, monkeypatch):
    """No mirror, no folder of corpora, no network, an empty cache."""
    for name in (paths.MIRROR, catalogue.CORPORA, paths.HOME):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(paths.CACHE, str(tmp_path / "cache"))

    def refuse(*args, **kwargs):
        raise OSError("no network in tests")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.fixture
def mirror(tmp_path, monkeypatch):
    """A mirror with a tiny ``delicious``, and a table of sources that knows its checksums."""
    base = tmp_path / "mirror"
    known = source_files.sources(catalogue.SOURCES)
    content = {
        "train.arff": ARFF + "{0 1,1 1}\n{2 1,3 1}\n",
        "test.arff": ARFF + "{0 1,3 1}\n",
        "tiny.xml": XML,
    }
    (base / "folder").mkdir(parents=True)
    rows = [source for name in known if name != "delicious" for source in known[name]]
    for file, text in content.items():
        (base / "folder" / file).write_text(text)
        digest = hashlib.sha256(text.encode()).hexdigest()
        rows.append(["delicious", f"folder/{file}", f"https://example.invalid/{file}", digest, len(text)])
    with open(base / "sources.csv", "w", newline="") as out:
        csv.writer(out).writerows([["dataset", "file", "url", "sha256", "bytes"], *rows])
    monkeypatch.setattr(catalogue, "SOURCES", base / "sources.csv")
    monkeypatch.setenv(paths.MIRROR, str(base))
    return base / "folder"


def cached():
    return sorted((paths.cache() / "corpora").glob("*"))


@pytest.mark.parametrize("name", ["debtags", "Debtags", " DEBTAGS "])
def test_debtags_needs_nothing(name):
    assert load_corpus(name).name == "debtags"


@pytest.mark.parametrize("name", ["EURLEX_titles", "eurlex-titles", "Yahoo-Arts-Rubin"])
def test_case_hyphen_and_underscore_make_no_difference(name):
    assert catalogue.canonical(name) in ("eurlex-titles", "yahoo_arts_rubin")


def test_the_catalogue_needs_no_checkout(monkeypatch, tmp_path):
    """An installed package knew no corpus at all, not even one's own."""
    monkeypatch.setattr(paths, "checkout", lambda: None)
    monkeypatch.setenv(paths.HOME, str(tmp_path))
    write_converted(own_corpus(), tmp_path / "mine" / "own")
    monkeypatch.setenv(catalogue.CORPORA, str(tmp_path / "mine"))
    assert load_corpus("debtags").n_labels == 597
    assert load_corpus("own").digest == own_corpus().digest
    assert list(catalogue.entries())[-1] == "own" and catalogue.at_hand("debtags")


def test_without_pandas_the_table_says_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install pandas, or use .*catalogue\.entries\(\)"):
        list_corpora()
    assert catalogue.entries()["debtags"]["documents"] == 11_366


def test_unknown_name_is_met_with_suggestions():
    with pytest.raises(ValueError, match=r"no corpus 'delicous': did you mean delicious\?"):
        load_corpus("delicous")
    with pytest.raises(ValueError, match=r"no corpus 'qqq': list_corpora\(\) names them all"):
        load_corpus("qqq")


def test_list_names_everything_and_says_what_is_at_hand(mirror):
    table = list_corpora()
    assert list(table.index[:2]) == ["debtags", "yahoo_arts_rubin"] and len(table) == 33
    assert table.index[table["at_hand"]].tolist() == [
        "debtags",
        "delicious",
        "eurlex57k",
        "eurlex-papers",
        "bills-109",
    ]
    assert table.loc["yeast", "cardinality"] == 4.237 and table.loc["yeast", "labels"] == 14
    (mirror / "tiny.xml").unlink()
    assert not list_corpora().loc["delicious", "at_hand"]


def test_mirror_is_read_and_the_result_kept(mirror):
    first = load_corpus("delicious")
    assert first.vocabulary == ("apple", "pear") and first.label_names == ("green", "fruit")
    assert first.labels.toarray().tolist() == [[0, 1], [1, 0], [1, 0]]
    assert [half.n_documents for half in first.split(0)] == [2, 1]
    for file in mirror.iterdir():
        file.unlink()
    assert load_corpus("delicious").digest == first.digest  # from the cache, as the sources are gone


def test_a_new_reader_makes_the_cache_stale(mirror, monkeypatch):
    load_corpus("delicious")
    read = catalogue.READERS["read_mulan"]
    monkeypatch.setitem(catalogue.READERS, "read_mulan", lambda files, name: read(files, name))
    load_corpus("delicious")
    assert len(cached()) == 2


@pytest.mark.parametrize(
    "damage", [lambda content: content[: len(content) // 2], lambda content: b"nonsense"]
)
def test_broken_cache_is_made_again(mirror, damage):
    digest = load_corpus("delicious").digest
    (file,) = cached()
    file.write_bytes(damage(file.read_bytes()))
    with pytest.warns(UserWarning, match="is damaged and is made again"):
        assert load_corpus("delicious").digest == digest
    assert load_corpus("delicious").digest == digest  # without a warning: it is whole again


def test_every_flipped_byte_of_the_cache_is_noticed_or_harmless(mirror):
    digest = load_corpus("delicious").digest
    (file,) = cached()
    whole = file.read_bytes()
    for place in range(0, len(whole), 97):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 255]) + whole[place + 1 :])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert load_corpus("delicious").digest == digest


@pytest.mark.parametrize("failing", ["mkstemp", "replace", "mkdir"])
def test_full_disk_costs_the_cache_and_not_the_corpus(mirror, monkeypatch, failing):
    def full(*args, **kwargs):
        raise OSError(28, "No space left on device")

    owner = {"mkstemp": tempfile, "replace": os, "mkdir": Path}[failing]
    monkeypatch.setattr(owner, failing, full)
    with pytest.warns(UserWarning, match="delicious could not be kept in .*No space left on device"):
        assert load_corpus("delicious").n_documents == 3
    assert cached() == []


def test_altered_file_in_the_mirror_is_named(mirror):
    file = mirror / "test.arff"
    file.write_text(file.read_text().replace("{0 1,3 1}", "{0 1,1 1}"))
    with pytest.raises(DamagedFile, match=r"test\.arff is not the file .*its content differs .*Delete it"):
        load_corpus("delicious")


def test_truncated_file_in_the_cache_is_named(mirror, monkeypatch):
    monkeypatch.delenv(paths.MIRROR)
    for file in mirror.iterdir():
        copy = paths.cache() / "downloads" / "folder" / file.name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(file.read_bytes()[:-5] if file.name == "tiny.xml" else file.read_bytes())
    with pytest.raises(
        DamagedFile, match=r"tiny\.xml is not the file .*holds \d+ bytes instead of \d+ .*Delete it"
    ):
        load_corpus("delicious")


def test_missing_set_ends_in_one_clear_message(monkeypatch, tmp_path):
    monkeypatch.setenv(paths.MIRROR, str(tmp_path / "nothing"))
    with pytest.raises(MissingCorpus) as caught:
        load_corpus("yeast")
    message = str(caught.value)
    source = source_files.sources(catalogue.SOURCES)["yeast"][0]
    for part in ("yeast is not at hand", source.url, source.sha256, "yeast-train.arff", "1,501,117 bytes"):
        assert part in message
    assert str(paths.cache() / "downloads" / source.file) in message
    assert "POLYTOPIC_MIRROR" in message and str(tmp_path / "nothing") in message
    assert "Traceback" not in message and "HTTPSConnectionPool" not in message
    assert list(tmp_path.rglob("*.arff")) == []


class Sender:
    """Stands in for pooch's downloader; ``content`` is what the address yields."""

    def __init__(self, **settings):
        pass

    def __call__(self, url, output_file, owner):
        content = self.content[Path(url).name]
        Path(output_file).write_bytes(content)


def test_download_is_checked_and_done_once(mirror, monkeypatch):
    monkeypatch.delenv(paths.MIRROR)
    Sender.content = {file.name: file.read_bytes() for file in mirror.iterdir()}
    monkeypatch.setattr(pooch, "HTTPDownloader", Sender)
    first = load_corpus("delicious")
    for file in cached():
        file.unlink()
    Sender.content = {}
    assert load_corpus("delicious").digest == first.digest  # a second download would raise KeyError
    assert list_corpora().loc["delicious", "at_hand"]


def test_wrong_download_leaves_nothing_behind(mirror, monkeypatch):
    monkeypatch.delenv(paths.MIRROR)
    Sender.content = dict.fromkeys(("train.arff", "test.arff", "tiny.xml"), b"an error page")
    monkeypatch.setattr(pooch, "HTTPDownloader", Sender)
    with pytest.raises(MissingCorpus, match="the download has the wrong checksum"):
        load_corpus("delicious")
    assert [file for file in paths.cache().rglob("*") if file.is_file()] == []


def test_set_without_download_says_where_it_comes_from_and_goes():
    with pytest.raises(MissingCorpus) as caught:
        load_corpus("yahoo-business")
    for part in (
        "yahoo_business is not at hand",
        "fcharte/mldr.datasets",
        "X.npz and Y.npz",
        "POLYTOPIC_CORPORA",
    ):
        assert part in str(caught.value)


def own_corpus():
    return Corpus([[1, 0], [300, 2]], [[1], [0]], ["a", "b"], ["ü"], splits=[([0], [1])])


def test_a_folder_of_ones_own_is_a_corpus(tmp_path, monkeypatch):
    write_converted(own_corpus(), tmp_path / "mine" / "My-Corpus")
    monkeypatch.setenv(catalogue.CORPORA, str(tmp_path / "mine"))
    assert load_corpus("my_corpus").digest == own_corpus().digest
    assert load_corpus("my_corpus").name == "My-Corpus"
    assert list_corpora().loc["My-Corpus", "at_hand"]
    with pytest.raises(ValueError, match="did you mean My-Corpus"):
        load_corpus("my_corpis")


def test_folder_unlike_the_catalogue_is_met_with_a_warning(tmp_path, monkeypatch):
    write_converted(own_corpus(), tmp_path / "yahoo_arts")
    monkeypatch.setenv(catalogue.CORPORA, str(tmp_path))
    with pytest.warns(UserWarning, match="does not hold yahoo_arts as the catalogue knows it"):
        assert load_corpus("yahoo_arts").n_documents == 2


def test_sources_have_whole_checksums_and_relative_places():
    for name, files in source_files.sources(catalogue.SOURCES).items():
        assert catalogue.facts()[name]["reader"] in catalogue.READERS
        for source in files:
            assert len(source.sha256) == 64 and source.bytes > 0 and source.url.startswith("https://")
            assert not Path(source.file).is_absolute() and ".." not in Path(source.file).parts


def test_every_corpus_of_the_catalogue_has_its_facts_told():
    told = re.findall(r"^### (.*)", README.read_text(), re.MULTILINE)
    told = {name for heading in told for name in heading.split(", ")}
    for name, row in catalogue.facts().items():
        expected = {
            "embedded": name == "debtags",
            "download": "reader" in row,
            "folder": True,
            "checkout": True,
        }
        assert expected[row["how"]] and {"summary", "origin", "licence", "papers", "digest"} <= set(row)
        assert name in told


def test_readme_has_the_table_of_the_catalogue():
    assert catalogue_table() in README.read_text()


def test_describe_by_hand():
    one = Corpus([[1, 0], [3, 2], [0, 0]], [[1, 0, 0], [1, 1, 0], [1, 0, 0]])
    assert describe(one) == {
        "documents": 3,
        "words": 2,
        "labels": 3,
        "cardinality": 1.333,
        "median_frequency": 2.0,
        "label_sets": 2,
        "splits": 0,
        "nonzeros": 3,
        "tokens": 6,
    }
