"""Every reader, handed mangled files: it reads a checked corpus, or says which file is at fault.

For each reader a tiny valid file is made, then mangled by one to three edits: cut, flipped, doubled, deleted, other
encodings, other numbers, baits for slow regular expressions. What is packed is mangled outside or within.
"""

import gzip
import hashlib
import json
import re
import shutil
import signal
import struct
import tempfile
import warnings
import zipfile
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from polytopic import paths
from polytopic.corpus import Corpus
from polytopic.datasets import (
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
    read_years,
    write_converted,
)
from polytopic.models import FlatLDA, persistence
from polytopic.practice.labeller import Labeller
from polytopic.practice.tables import read_table, read_vectorizer, write_vectorizer
from polytopic.study.store import Place, Result, experiment
from reference.memory import at_most
from reference.tiny_files import RECORDS, acts, bills, eu_acts, library, put, questions, rubin_file, story

SECONDS = 2  # of the processor, for one file
MEGABYTES = 600  # that all files of a test together may add to the peak: two million names take 130
QUICK, MANY = 60, 2000  # examples for each reader

# What goes wrong with a file: each edit makes other bytes of bytes, by two whole numbers

NUMBERS = [b"", b"9" * 5000, *b"0 -1 1.5 nan inf -inf 1e308 1e999 1e-320 0x10 1_0 \xd9\xa3".split()]
NUMBERS += b"2147483648 -2147483649 9223372036854775808 99999999999999999999999".split()
SNIPPETS = [bytes([one]) for one in b"\0\x1a\r\n\t \"'{}[]<>&%#,;:\\"]
SNIPPETS += [b"\xff\xfe", b"\xed\xa0\x80", b"\xf0\x9f\x8c\xb7", b"\xe2\x80\xa8", b".I", b"@data\n"]
BAITS = [bytes([one]) * 20_000 for one in b"([{\"'\\ a1\n"] + [
    *(one * 20_000 for one in (b"<TEXT ", b"<D>", b"&#9")),
    *(
        one * 5_000
        for one in (b"<REUTERS ", b"a=", b"@attribute 'a", b"(notified under document number ", b"{1 ")
    ),
    b'<!DOCTYPE a [<!ENTITY a "' + b"a" * 10_000 + b'">]><a>' + b"&a;" * 10_000 + b"</a>",
]
EXTREMES = [0, 1, -1, 255, 2**15, 2**31 - 1, -(2**31), 2**24]
ENCODINGS = ["utf-16", "utf-32", "utf-8-sig", "latin-1", "cp500", "utf-7"]


def _places(content, a, b):
    return sorted((a * len(content) // 65536, b * len(content) // 65536))


def cut(content, a, b):
    return content[: a * len(content) // 65536]


def flip(content, a, b):
    place = a * len(content) // 65536
    return (
        content[:place]
        + bytes(one ^ (b % 255 + 1) for one in content[place : place + 1])
        + content[place + 1 :]
    )


def delete(content, a, b):
    first, last = _places(content, a, b)
    return content[:first] + content[last:]


def double(content, a, b):
    first, last = _places(content, a, b)
    return content[:last] + content[first:]


def line(content, a, b):
    """Delete, double or move a line."""
    lines = content.splitlines(keepends=True) or [b""]
    one = lines.pop(a % len(lines))
    for _ in range(b % 3):
        lines.insert(b // 3 % (len(lines) + 1), one)
    return b"".join(lines)


def number(content, a, b):
    found = list(re.finditer(rb"\d+(?:\.\d+)?", content))
    if not found:
        return content + NUMBERS[b % len(NUMBERS)]
    first, last = found[a % len(found)].span()
    return content[:first] + NUMBERS[b % len(NUMBERS)] + content[last:]


def word(content, a, b):
    """Write another number over four or eight bytes, in either order."""
    kind = ("<i", ">i", "<q", ">q", "<d", ">d")[b % 6]
    value = struct.pack(kind, EXTREMES[b // 6 % len(EXTREMES)])
    place = a * len(content) // 65536 // 4 * 4
    return content[:place] + value + content[place + len(value) :]


def insert(content, a, b):
    place = a * len(content) // 65536
    return content[:place] + SNIPPETS[b % len(SNIPPETS)] + content[place:]


def bait(content, a, b):
    place = a * len(content) // 65536
    return content[:place] + BAITS[b % len(BAITS)] + content[place:]


def encode(content, a, b):
    return content.decode("utf-8", "replace").encode(ENCODINGS[b % len(ENCODINGS)], "replace")


def breaks(content, a, b):
    return content.replace(b"\n", (b"\r\n", b"\r", b"\0", b"", b"\n\n")[b % 5])


def empty(content, a, b):
    return (b"", b"\n", b"\0", b" ", b"0")[b % 5]


EDITS = (cut, flip, delete, double, line, number, word, insert, bait, encode, breaks, empty)
PLACE = st.integers(0, 65535)
CHANGES = st.lists(st.tuples(st.sampled_from(EDITS), PLACE, PLACE), min_size=1, max_size=3)


def changed(content, changes):
    for edit, a, b in changes:
        content = edit(content, a, b)
    return content


# Where a file is mangled: as it lies there, or within what it packs


def plain(path, which, change):
    path.write_bytes(change(path.read_bytes()))


def within_gzip(path, which, change):
    path.write_bytes(gzip.compress(change(gzip.decompress(path.read_bytes())), 1))


def within_archive(path, which, change):
    """Mangle an array of an npz file, its header included, and pack it again."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    name = sorted(parts)[which % len(parts)]
    with zipfile.ZipFile(path, "w") as archive:
        for other, content in parts.items():
            archive.writestr(other, change(content) if other == name else content)


def within_model(path, which, change):
    """Mangle a number, text or key of a kept model, and make its checksums anew."""
    head = json.loads(path.read_text("utf-8"))
    del head["checksum"]
    text = json.dumps(head).encode()
    with suppress(
        ValueError, TypeError, RecursionError
    ):  # no JSON any more: edits of the plain file see to that
        head = json.loads(change(text))
        path.write_text(json.dumps({"checksum": persistence.digest(head)} | head), "utf-8")


def within_arrays(path, which, change):
    """Mangle an array of a kept model, and make its checksums anew."""
    within_archive(path, which, change)
    model = path.with_name(persistence.MODEL)
    head = json.loads(model.read_text("utf-8"))
    del head["checksum"]
    head["arrays"] = {"bytes": path.stat().st_size, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
    model.write_text(json.dumps({"checksum": persistence.digest(head)} | head), "utf-8")


# A tiny valid file for each reader


class Reader(NamedTuple):
    """make(folder) writes valid files; read(folder) reads them; places are (file, where in it it is mangled)."""

    make: callable
    read: callable
    places: list


ARFF = "@relation 'tiny'\n% note\n@attribute 'red apple' {0,1}\n@attribute Fruit numeric\n@attribute b {0,1}\n@data\n"
XML = '<?xml version="1.0" encoding="utf-8"?>\n<labels xmlns="x">\n<label name="b"></label>\n</labels>\n'


def make_mulan(folder):
    put(folder, a__arff=ARFF + "{0 1,1 2}\n{2 1}\n", b__arff=ARFF + "1,3,0\n0,0,1\n", l__xml=XML)


def make_svmlight(folder):
    put(folder, a__svm="2 4 5\n0,4 0:1 3:2\n 1:1\n", b__svm="1 4 5\n2\n", c__svm="101,7 1:0.5 3:1\n7 2:1\n")
    (folder / "c.svm.gz").write_bytes(gzip.compress((folder / "c.svm").read_bytes()))


def make_rcv1(folder):
    text = ".I 2286\n.W\nrecov recov\nmexic\n\n.I 2287\n.W\noil\n\n"
    put(folder, a__dat=text, t__qrels="GCAT 2286 1\nC11 2287 1\n")
    (folder / "b.dat.gz").write_bytes(gzip.compress(b".I 30000\n.W\nnew oil oil\n"))


def make_reuters(folder):
    text = "<TITLE>Oil &lt;GRX></TITLE><BODY>oil oil oil prices</BODY>"
    put(folder, a__sgm="".join(story(i, topics="oil", text=text) for i in (1, 2)), topics__txt="acq\noil\n")


def make_rubin(folder, packed=False):
    train, test = [([1, 3], [1]), ([3, 2], [2])], [([3, 4], [1, 2])]
    rubin_file(folder / "1.mat", train, test, packed=packed)


def make_mldr(folder):
    questions(folder).rename(folder / "packed.rda")
    questions(folder, compression=None)


def make_tibkat(folder):
    (library(folder) / "names.tsv").write_text(
        "https://d/gnd/4-2\tViruses\nhttps://d/gnd/9\tNot here\n", "utf-8"
    )


def make_labelsets(folder):
    put(folder, a__csv="7,\"['zinc', 'EC agreement']\"\n3,\"['owner\\'s right']\"\n")


def make_table(folder):
    rows = [("a red apple", "tree;fruit"), ("a red car", ""), ('an "apple" tree; red', "tree"), ("", "fruit")]
    for name, sign in (("t.csv", ","), ("t.tsv", "\t")):
        pd.DataFrame(rows, columns=["text", "labels"]).to_csv(folder / name, sep=sign, index=False)
    lines = (json.dumps({"text": text, "labels": labels.split(";")}) for text, labels in rows)
    (folder / "t.jsonl").write_text("\n".join(lines), "utf-8")


def make_parquet(folder):
    frame = pd.DataFrame({"text": ["a red apple", "a red car"] * 9, "labels": [["tree"], ["car", "red"]] * 9})
    frame.to_parquet(folder / "t.parquet")


def corpus():
    counts = [[1, 0, 2], [300, 2, 0], [0, 0, 1], [1, 1, 0]]
    names = {"vocabulary": ["apple", "red", "\u00fc"], "label_names": ["tree", "fruit"]}
    return Corpus(
        counts, [[1, 0], [0, 1], [1, 1], [0, 0]], **names, splits=[([0, 1], [2, 3])], split_names=["dev"]
    )


def make_converted(folder):
    write_converted(corpus(), folder)
    write_vectorizer(CountVectorizer(stop_words=["the"], ngram_range=(1, 2)), folder)


def make_model(folder):
    words = CountVectorizer(vocabulary=list(corpus().vocabulary))
    model = FlatLDA(n_chains=1, n_sweeps=2, n_test_chains=1, burn_in=1, n_samples=1, random_state=0)
    Labeller.of(model.fit(corpus().counts, corpus().labels), corpus(), words).save(folder)


SCALES = {"quick": {"split": [0]}, "paper": {"split": range(3), "kind": ["svm"]}}


@experiment("fuzzed2000", scales=SCALES, corpora=["tiny"])
def measured(corpus, *, split, kind="svm", seed):
    raise NotImplementedError


def make_results(folder):
    with results_in(folder):
        place = Place(measured, "tiny", "paper", 0)
        for split in range(2):
            unit = {"split": split, "kind": "svm"}
            rows = pd.DataFrame({"measure": ["f1", "auc"], "value": [0.5 + split, float("nan")]})
            kept = Result(rows, {"more": rows}, {"scores": np.arange(3.0)}, {"picked": [1, 2]})
            place.add(unit, kept, "d" * 64)


def read_results(folder):
    with results_in(folder):
        place = Place(measured, "tiny", "paper", 0)
        for kept in place.units("d" * 64).values():
            assert isinstance(kept, Result)


@contextmanager
def results_in(folder):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paths, "results", lambda: folder)
        patch.setenv(paths.CACHE, str(folder / "cache"))
        yield


def of_files(make, read, *files, packed=None):
    """Return the Reader of files that are handed over in a list; one that is packed is mangled within, too."""
    within = [(packed, within_gzip)] if packed else []
    return Reader(
        make,
        lambda folder: read([folder / file for file in files]),
        [*((file, plain) for file in files), *within],
    )


def read_texts(files):
    return read_table(*files).corpus


READERS = {
    "mulan": of_files(make_mulan, read_mulan, "a.arff", "b.arff", "l.xml"),
    "svmlight with sizes": of_files(make_svmlight, read_svmlight, "a.svm", "b.svm"),
    "svmlight": of_files(make_svmlight, read_svmlight, "c.svm"),
    "svmlight, packed": of_files(make_svmlight, read_svmlight, "c.svm.gz", packed="c.svm.gz"),
    "rcv1": of_files(make_rcv1, read_rcv1, "a.dat", "b.dat.gz", "t.qrels", packed="b.dat.gz"),
    "reuters": of_files(make_reuters, read_reuters, "a.sgm", "topics.txt"),
    "rubin": of_files(make_rubin, read_rubin, "1.mat"),
    "rubin, packed": of_files(partial(make_rubin, packed=True), read_rubin, "1.mat"),
    "titles": of_files(acts, read_titles, "acts.RData"),
    "years": of_files(acts, read_years, "acts.RData"),
    "mldr": of_files(make_mldr, read_mldr, "site.rda"),
    "mldr, packed": of_files(make_mldr, read_mldr, "packed.rda", packed="packed.rda"),
    "tibkat": Reader(
        make_tibkat,
        lambda folder: read_tibkat(folder, names=folder / "names.tsv", languages=("en",)),
        [("names.tsv", plain), (f"{RECORDS}/train/Book/en/3A1.jsonld", plain)],
    ),
    "eurlex57k": Reader(
        eu_acts, read_eurlex57k, [("EURLEX57K.json", plain), ("train/31958D1127.json", plain)]
    ),
    "bills": Reader(bills, read_bills, [("hr/hr1/data.json", plain)]),
    "labelsets": of_files(make_labelsets, read_labelsets, "a.csv"),
    "table, csv": of_files(make_table, read_texts, "t.csv"),
    "table, tsv": of_files(make_table, read_texts, "t.tsv"),
    "table, json": of_files(make_table, read_texts, "t.jsonl"),
    "table, parquet": of_files(make_parquet, read_texts, "t.parquet"),
    "converted": Reader(
        make_converted,
        read_converted,
        [
            *((f"{name}.npz", where) for name in ("X", "Y", "splits") for where in (plain, within_archive)),
            *((f"{name}.txt.gz", where) for name in ("vocab", "labels") for where in (plain, within_gzip)),
        ],
    ),
    "vectorizer": Reader(make_converted, read_vectorizer, [("vectorizer.json", plain)]),
    "kept model": Reader(
        make_model,
        Labeller.load,
        [(persistence.MODEL, plain), (persistence.MODEL, within_model)]
        + [(persistence.ARRAYS, where) for where in (plain, within_arrays)],
    ),
    "stored results": Reader(
        make_results,
        read_results,
        [
            (f"fuzzed2000/measured/tiny-paper-seed0{ending}", plain)
            for ending in (".csv", ".json", ".more.csv")
        ],
    ),
}


class Hang(BaseException):
    """A file took longer than it may."""


@contextmanager
def within_seconds(seconds):
    """Raise Hang once so much time of the processor has gone; machines under load are not to blame."""

    def stop(number, frame):
        raise Hang(f"took more than {seconds} s")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def outcome(reader, folder):
    """Read the files and return what came of it: "read" or the name of the documented exception."""
    with warnings.catch_warnings(record=True) as told, within_seconds(SECONDS):
        warnings.simplefilter("always")
        try:
            result = reader.read(folder)
        except (ValueError, FileNotFoundError) as error:
            assert str(folder) in str(error), f"names no file: {type(error).__name__}: {error}"
            result = type(error).__name__
    assert not told, [str(one.message) for one in told]
    if isinstance(result, Corpus):
        for matrix in (result.counts, result.labels):
            matrix.check_format(full_check=True)
        assert len(result.digest) == 64
        return "read"
    return result if isinstance(result, str) else "read"


@pytest.fixture(scope="module")
def valid(tmp_path_factory):
    """{reader's name: a folder with its valid files}, made once."""
    made = {}

    def folder(name):
        if name not in made:
            made[name] = tmp_path_factory.mktemp("valid")
            READERS[name].make(made[name])
        return made[name]

    return folder


def try_one(reader, source, place, which, changes):
    """Mangle one file of a copy and read it."""
    with tempfile.TemporaryDirectory() as base:
        folder = Path(base) / "files"
        shutil.copytree(source, folder)
        file, where = reader.places[place % len(reader.places)]
        where(folder / file, which, lambda content: changed(content, changes))
        return outcome(reader, folder)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there is no timer of the processor's time")
@pytest.mark.parametrize("examples", [QUICK, pytest.param(MANY, marks=pytest.mark.slow)], ids=["few", "many"])
@pytest.mark.parametrize("name", READERS)
def test_a_mangled_file_is_read_or_named(name, examples, valid):
    if name == "table, parquet":
        pytest.importorskip("pyarrow.parquet")
    reader, source = READERS[name], valid(name)
    assert outcome(reader, source) == "read"  # what is mangled was valid

    @settings(max_examples=examples)
    @given(PLACE, PLACE, CHANGES)
    def check(place, which, changes):
        try_one(reader, source, place, which, changes)

    if name == "vectorizer":  # the stop word "th e", which no word of a text is, made scikit-learn warn
        content = (source / "vectorizer.json").read_bytes()
        middle = -(-(content.index(b"the") + 2) * 65536 // len(content))
        check = example(0, 0, [(insert, middle, SNIPPETS.index(b" "))])(check)

    with at_most(MEGABYTES):
        check()
