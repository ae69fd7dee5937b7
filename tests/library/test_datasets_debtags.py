"""The debtags builder on a made-up archive of a few packages, and the embedded corpus's stated figures."""

import gzip
import lzma
import runpy

import numpy as np
import pytest

from polytopic import paths
from polytopic.datasets import DamagedFile, catalogue, load_corpus, read_converted, write_converted
from polytopic.datasets.catalogue import describe

build = runpy.run_path(str(paths.checkout() / "data" / "build_debtags.py"))["build"]
SHARED = "alpha beta gamma c++ x11 a-b"


def package(name, tags, source=None, md5="0", short="short"):
    """``tags`` is spread over two lines, as in a real index."""
    half = len(tags) // 2
    lines = [f"Package: {name}", f"Source: {source} (1.0)" if source else "", f"Description: {short}"]
    lines += [f"Description-md5: {md5}", f"Tag: {', '.join(tags[:half])},", f" {', '.join(tags[half:])}"]
    return "\n".join(line for line in lines if line) + "\n"


def translation(name, text, md5="0"):
    return f"Package: {name}\nDescription-md5: {md5}\nDescription-en: short\n {text}\n .\n end\n"


def tags(*names):
    return [f"t::{name}" for name in names]


def archive(folder):
    packages = [
        *(package(f"plain{i}", tags("a", "b", "c")) for i in range(5)),
        package("few", tags("a", "b")),
        package("lib1", tags("a", "b", "c"), "suite"),
        package("lib2", tags("a", "b", "d", "e"), "suite"),  # most tags
        package("doc-long", tags("a", "b", "c"), "pair"),  # as many tags, the longer description
        package("doc", tags("a", "b", "c"), "pair"),
        package("twin-b", tags("a", "b", "c"), "twins"),
        package("twin-a", tags("a", "b", "f"), "twins"),  # all equal: the first by name
        package("bare", tags("a", "b", "g"), md5="no such text", short="Alpha only"),
    ]
    texts = [
        *(translation(f"plain{i}", f"{SHARED} The THE Beta") for i in range(5)),
        translation("lib1", "unseen unseen"),
        translation("lib2", "alpha"),
        translation("doc-long", "gamma gamma gamma"),
        translation("doc", "gamma"),
        translation("twin-a", "first"),
        translation("twin-b", "other"),
    ]
    (folder / "Packages").write_text("\n".join(packages))
    (folder / "Translation-en").write_text("\n".join(texts))
    return folder / "Packages", folder / "Translation-en"


@pytest.fixture
def tiny(tmp_path):
    return build(*archive(tmp_path))


def test_one_package_per_source(tiny):
    """In order of name: bare, doc-long, lib2, plain0 to plain4, twin-a; few has two tags."""
    rows = [[one for j, one in enumerate(tiny.label_names) if row[j]] for row in tiny.labels.toarray()]
    assert rows[:3] == [tags("a", "b", "g"), tags("a", "b", "c"), tags("a", "b", "d", "e")]
    assert rows[3:] == [tags("a", "b", "c")] * 5 + [tags("a", "b", "f")]
    assert tiny.label_names == tuple(tags("a", "b", "c", "d", "e", "f", "g"))


def test_words(tiny):
    """c++ and x11 are words, a-b one word, "the" is none; "short" is the short description of all but one."""
    assert tiny.vocabulary == ("a-b", "alpha", "beta", "c++", "end", "gamma", "short", "x11")
    counts = dict(zip(tiny.vocabulary, tiny.counts.toarray().T.tolist(), strict=True))
    assert counts["alpha"] == [1, 0, 1, 1, 1, 1, 1, 1, 0]  # the first from the short description alone
    assert counts["beta"] == [0, 0, 0, 2, 2, 2, 2, 2, 0]
    assert counts["gamma"] == [0, 3, 0, 1, 1, 1, 1, 1, 0]


def test_a_word_needs_five_documents(tmp_path):
    packages, texts = archive(tmp_path)
    texts.write_text(texts.read_text().replace("x11", "y11", 1))
    assert "x11" not in build(packages, texts).vocabulary  # four documents, five occurrences are not enough


def test_splits_are_seeded(tmp_path):
    files = archive(tmp_path)
    assert build(*files).digest == build(*files).digest != build(*files, seed=1).digest
    assert len(build(*files).splits) == 5


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_packed_indices(tmp_path, tiny, suffix, pack):
    files = [file.with_suffix(suffix) for file in archive(tmp_path)]
    for file in files:
        file.write_bytes(pack(file.with_suffix("").read_bytes()))
    assert build(*files).digest == tiny.digest
    files[1].write_bytes(files[1].read_bytes()[:-20])
    with pytest.raises(DamagedFile, match=r"Translation-en\.\w+ cannot be read"):
        build(*files)


def test_what_is_no_index(tmp_path):
    packages, texts = archive(tmp_path)
    with pytest.raises(ValueError, match=r"is packed with lz4: unpack it first"):
        build(packages.with_suffix(".lz4"), texts)
    with pytest.raises(ValueError, match="has no package with 3 tags or more"):
        build(texts, texts)
    packages.write_text("no index\n")
    with pytest.raises(DamagedFile, match="Packages cannot be read .*is no field"):
        build(packages, texts)


def test_written_corpus_is_the_same_and_its_files_too(tmp_path, tiny):
    for folder in ("one", "two"):
        write_converted(tiny, tmp_path / folder)
    assert read_converted(tmp_path / "one", "debtags").digest == tiny.digest
    for file in (tmp_path / "one").iterdir():
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()


def test_embedded_corpus_has_the_stated_figures(monkeypatch):
    monkeypatch.delenv(paths.HOME, raising=False)
    corpus = load_corpus("debtags")
    row = catalogue.facts()["debtags"]
    assert {key: row[key] for key in describe(corpus)} == describe(corpus)
    assert corpus.digest == row["digest"]
    assert 10_500 < corpus.n_documents < 11_500 and 580 < corpus.n_labels < 620
    assert corpus.labels.sum(axis=1).min() >= 3 and round(row["cardinality"], 1) == 6.3
    assert row["median_frequency"] == 23
    assert (corpus.counts > 0).sum(axis=0).min() >= 5
    assert sum(file.stat().st_size for file in (catalogue.PACKAGED / "debtags").iterdir()) < 2_000_000


def test_embedded_splits_are_those_of_their_seed():
    corpus = load_corpus("debtags")
    again = corpus.with_splits(seed=0)
    assert again.digest == corpus.digest
    for train, test in corpus.splits:
        assert 0.4 <= len(train) / corpus.n_documents < 0.45
        seen = np.asarray(corpus.labels[train].sum(axis=0)).ravel() > 0
        assert seen[corpus.labels[test].indices].all()
