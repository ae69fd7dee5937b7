"""The readers on the public source files, against pinned facts and against an independent conversion.

Both need the source files in the folder that POLYTOPIC_MIRROR names, the second also the conversions in the
folder that POLYTOPIC_CORPORA names.
"""

import gzip
import json
import os
import time
from pathlib import Path

import numpy as np
import pytest

from polytopic import paths
from polytopic.datasets import (
    catalogue,
    load_corpus,
    papers_acts,
    read_bills,
    read_converted,
    read_eurlex57k,
    read_mulan,
    read_tibkat,
)
from polytopic.datasets.catalogue import describe

pytestmark = [
    pytest.mark.real_data,
    pytest.mark.skipif(not os.environ.get(paths.MIRROR), reason=f"{paths.MIRROR} is not set"),
]
CONVERTED = os.environ.get(catalogue.CORPORA)
PUBLIC = [name for name, row in catalogue.facts().items() if row["how"] == "download"]
MADE_BY_US = ("tibkat", "tibkat-de")  # of which there is no independent conversion
FOLDERS = [
    name for name, row in catalogue.facts().items() if row["how"] == "folder" and name not in MADE_BY_US
]
needs_conversions = pytest.mark.skipif(not CONVERTED, reason=f"{catalogue.CORPORA} is not set")


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory):
    """Parse every set anew, once for this module."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(paths.CACHE, str(tmp_path_factory.mktemp("cache")))
        yield


def expected(name):
    row = catalogue.facts()[name]
    return {key: row.get(key) for key in describe(load_corpus(name))}


@pytest.mark.parametrize("name", PUBLIC)
def test_reader_yields_the_stated_figures_and_content(name):
    if not catalogue.at_hand(name):
        pytest.skip(f"{name} is neither in the mirror nor among the conversions")
    corpus = load_corpus(name)
    assert describe(corpus) == expected(name)
    assert corpus.digest == catalogue.facts()[name]["digest"]
    assert load_corpus(name).digest == corpus.digest  # read back from the cache


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("yahoo_arts_rubin", [(1000, 6441)] * 5),
        ("yahoo_health_rubin", [(1000, 8109)] * 5),
        ("delicious", [(12920, 3185)]),
        ("yeast", [(1500, 917)]),
        ("emotions", [(391, 202)]),
        ("bibtex", [(4880, 2515)]),
        ("corel5k", [(4500, 500)]),
        ("reuters21578", [(9603, 3299), (7775, 3019), (13625, 6188), (10000, 1000)]),
    ],
)
def test_splits_have_the_published_sizes(name, sizes):
    assert [(len(train), len(test)) for train, test in load_corpus(name).splits] == sizes


def test_delicious_without_unlabelled_documents_is_the_papers():
    """Papanikolaou et al., table 4."""
    train, test = load_corpus("delicious").split(0)
    labelled = [half.select(np.diff(half.labels.indptr) > 0) for half in (train, test)]
    assert [half.n_documents for half in labelled] == [12_910, 3_181]
    assert round(labelled[0].labels.nnz / 983, 2) == 250.34


def test_delicious_is_read_in_seconds():
    files = [catalogue.source_files.fetch(source) for source in catalogue._sources("delicious")]
    start = time.process_time()
    read_mulan(files)
    assert time.process_time() - start < 3  # 0.8 s; 5 s when sparse rows are read as dense ones


def test_titles_splits_hold_no_near_duplicates_apart():
    corpus = load_corpus("eurlex-titles")
    assert int((np.diff(corpus.labels.indptr) == 0).sum()) == 17
    for train, test in corpus.splits:
        seen = np.asarray(corpus.labels[train].sum(axis=0)).ravel() > 0
        assert seen[corpus.labels[test].indices].all()
        assert 0.4 < len(train) / corpus.n_documents < 0.6
    train, test = (half.counts > 0 for half in corpus.split(0))
    sample = test[::50].astype(int)
    shared = (sample @ train.T.astype(int)).toarray()
    union = np.diff(sample.indptr)[:, None] + np.diff(train.indptr) - shared
    assert (shared / np.maximum(union, 1)).max() < 0.9  # 1.0 when titles are split one by one


def test_years_follow_one_another():
    corpus, titles = load_corpus("eurlex-years"), load_corpus("eurlex-titles")
    assert (corpus.counts != titles.counts).nnz == (corpus.labels != titles.labels).nnz == 0
    assert corpus.split_names == tuple(map(str, range(2005, 2020)))
    met = len(corpus.splits[0][0])
    assert met == 1433  # acts of 2004
    for train, test in corpus.splits:
        assert np.array_equal(np.concatenate([train, test]), np.arange(met + len(test)))
        met += len(test)
    assert met == corpus.n_documents


def same(ours, theirs):
    return ours.shape == theirs.shape and (ours != theirs).nnz == 0


@needs_conversions
@pytest.mark.parametrize("name", [name for name in PUBLIC if name not in ("eurlex-titles", "eurlex-years")])
def test_reader_equals_the_conversion(name):
    ours, theirs = load_corpus(name), read_converted(Path(CONVERTED) / name)
    if ours.splits and not theirs.splits:
        theirs = theirs.with_splits()
    if ours.real_valued:
        ours.counts.data[:] = ours.counts.data.astype(np.float32)  # the conversion keeps single precision
    assert same(ours.counts, theirs.counts) and same(ours.labels, theirs.labels)
    assert (ours.vocabulary, ours.label_names) == (theirs.vocabulary, theirs.label_names)
    assert ours.split_names == theirs.split_names and len(ours.splits) == len(theirs.splits)
    for our_halves, their_halves in zip(ours.splits, theirs.splits, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(our_halves, their_halves, strict=True))


@needs_conversions
def test_titles_equal_the_conversion_but_for_its_missing_cells():
    """The conversion takes missing cells for text: a label <NA> in all acts but one, and a word "na".

    The act without a title gets the word "na" there, which lifts that word over the limit of three titles.
    """
    ours, theirs = load_corpus("eurlex-titles"), read_converted(Path(CONVERTED) / "eurlex-titles")
    label, word = theirs.label_names.index("<NA>"), theirs.vocabulary.index("na")
    assert theirs.labels[:, label].nnz == 33_281 and theirs.counts[:, word].nnz == 3
    labels = np.delete(np.arange(theirs.n_labels), label)
    words = np.delete(np.arange(theirs.n_words), word)
    assert same(ours.labels, theirs.labels[:, labels]) and same(ours.counts, theirs.counts[:, words])
    assert ours.label_names == tuple(theirs.label_names[j] for j in labels)
    assert ours.vocabulary == tuple(theirs.vocabulary[j] for j in words)


@needs_conversions
@pytest.mark.parametrize("name", FOLDERS)
def test_folder_has_the_stated_figures_and_content(name):
    corpus = load_corpus(name)
    assert describe(corpus) == expected(name)
    assert corpus.digest == catalogue.facts()[name]["digest"]


@needs_conversions
@pytest.mark.parametrize(
    ("whole", "name"), [("yahoo_arts", "yahoo_arts_rubin"), ("yahoo_health", "yahoo_health_rubin")]
)
def test_rubins_sets_are_the_whole_problems_cut_down(whole, name):
    """Labels of 100 pages, pages that keep one, words in five of those: the same rows in another order."""
    whole, rubin = load_corpus(whole), load_corpus(name)
    labels = whole.labels[:, whole.labels.sum(axis=0).A1 >= 100]
    kept = np.diff(labels.indptr) > 0
    counts = whole.counts[kept]
    counts = counts[:, (counts > 0).sum(axis=0).A1 >= 5]
    assert sorted(rows(counts, labels[kept])) == sorted(rows(rubin.counts, rubin.labels))


RECORDS = Path(os.environ.get(paths.MIRROR, "")) / "sciknoworg+subject-indexing-dataset"
NAMES = (
    Path(os.environ.get(paths.MIRROR, "")) / "NatLibFi+Annif-LLMs4Subjects/tools/translation/gnd-core-en.tsv"
)


@pytest.mark.skipif(not RECORDS.is_dir() or not NAMES.is_file(), reason="the mirror has no library records")
def test_library_records_are_those_of_the_conversion():
    """Of a part of the records, each English one is a document of the whole conversion, with the same subjects."""
    part = read_tibkat(RECORDS, languages=("en",), names=NAMES)
    assert part.n_documents > 100 and len(part.splits) == 1
    if not CONVERTED:
        pytest.skip(f"{catalogue.CORPORA} is not set")
    whole = read_converted(Path(CONVERTED) / "tibkat-en")
    known = {(words, labels) for words, labels in named_rows(whole, part.vocabulary)}
    assert all(pair in known for pair in named_rows(part, part.vocabulary))


PUBLISHED = {  # corpora of which the mirror has a part of the files
    "eurlex57k": (read_eurlex57k, "SalvatoreTucci+lmtc-emnlp2020-master/data/datasets/EURLEX57K"),
    "bills-109": (read_bills, "aloverso+DataScienceFinalProject/data/109/bills"),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_counts_in_the_checkout_are_those_of_the_published_files(name):
    """Of a part of the files, each is a document of the whole, with the same labels."""
    read, place = PUBLISHED[name]
    folder = Path(os.environ.get(paths.MIRROR, "")) / place
    if not os.environ.get(paths.MIRROR) or not folder.is_dir():
        pytest.skip(f"the mirror has no {name}")
    part, whole = read(folder), load_corpus(name)
    assert part.n_documents > 100
    known = set(named_rows(whole, part.vocabulary))
    assert all(pair in known for pair in named_rows(part, part.vocabulary))


def test_the_papers_acts_in_the_checkout_are_those_that_their_label_sets_show():
    file = Path(os.environ.get(paths.MIRROR, "")) / PUBLISHED["eurlex57k"][1] / "EURLEX57K.json"
    if not file.is_file() or not CONVERTED:
        pytest.skip("the concepts of EURLEX57K or the label sets of EUR-Lex are not at hand")
    acts, folder = load_corpus("eurlex57k"), paths.checkout() / "data" / "corpora"
    with gzip.open(folder / "eurlex57k" / "celex.txt.gz", "rt") as lines:
        celex = lines.read().split()
    label_sets = read_converted(Path(CONVERTED) / "eurlex-labelsets")
    found, pairs = papers_acts(acts, celex, label_sets, json.loads(file.read_text("utf-8")))
    assert found.digest == load_corpus("eurlex-papers").digest
    own = np.array(celex)[pairs[:, 1]]
    assert (own[1:] > own[:-1]).mean() > 0.95  # at random half of them would rise


def named_rows(corpus, vocabulary):
    """Yield each document's words of a vocabulary, with their counts, and its labels, by name."""
    wanted = np.isin(corpus.vocabulary, vocabulary)
    for words, own in rows_with_counts(corpus.counts, corpus.labels):
        named = frozenset((corpus.vocabulary[j], n) for j, n in words if wanted[j])
        yield named, frozenset(corpus.label_names[j] for j in own)


def rows_with_counts(counts, labels):
    for i in range(counts.shape[0]):
        words, own = slice(*counts.indptr[i : i + 2]), slice(*labels.indptr[i : i + 2])
        yield list(zip(counts.indices[words], counts.data[words], strict=True)), labels.indices[own]


def rows(counts, labels):
    for i in range(counts.shape[0]):
        words, own = counts[[i]], labels[[i]]
        yield words.indices.tolist(), words.data.tolist(), own.indices.tolist()
