"""The corpora known by name: where each comes from, which reader turns it into a Corpus, and its figures."""

import csv
import difflib
import functools
import gzip
import hashlib
import os
import pickle
import warnings
from itertools import pairwise
from pathlib import Path

import numpy as np

from polytopic import paths, source
from polytopic.datasets import source_files
from polytopic.datasets.converted import read_converted
from polytopic.datasets.eurlex import read_titles, read_years
from polytopic.datasets.labelsets import read_labelsets
from polytopic.datasets.mldr import read_mldr
from polytopic.datasets.mulan import read_mulan
from polytopic.datasets.reuters import read_reuters
from polytopic.datasets.rubin import read_rubin
from polytopic.files import write_whole

CORPORA = "POLYTOPIC_CORPORA"
EMBEDDED = "debtags"
PACKAGED = Path(__file__).with_name("embedded")
FACTS = PACKAGED / "corpora.csv"
SOURCES = PACKAGED / "sources.csv"
INTEGERS = "documents", "words", "labels", "label_sets", "splits", "nonzeros", "tokens"
FIGURES = dict.fromkeys(INTEGERS, int) | {"cardinality": float, "median_frequency": float}
SHOWN = "documents", "words", "labels", "cardinality", "median_frequency", "label_sets", "splits"
HEADINGS = {  # of the table of data/README.md, where they are no names of figures
    "median_frequency": "median label frequency",
    "label_sets": "distinct label sets",
    "papers": "the papers' figures",
    "how": "how to get it",
}
READERS = {
    read.__name__: read
    for read in (read_labelsets, read_mldr, read_mulan, read_reuters, read_rubin, read_titles, read_years)
}  # reader(files, name) takes the source files in the order of their table


def load_corpus(name):
    """Return the corpus of this name; upper case, hyphens and underscores make no difference.

    ``debtags`` comes with the package, and ``eurlex57k`` and ``bills-109`` lie in the checkout. A public corpus is
    read from its source files: those in the folder $POLYTOPIC_MIRROR, else those downloaded before, else from their
    addresses, always checked by SHA-256; the result is kept in the cache. Before it would be downloaded, it is looked
    for where all other names are: as a folder in $POLYTOPIC_CORPORA or the checkout's ``data/corpora``, read by
    ``read_converted``. Splits that the catalogue counts and the folder lacks are made, seeded.

    Raises ValueError for an unknown name, MissingCorpus for one that is not at hand and cannot be
    downloaded, DamagedFile for a file with the wrong content.
    """
    name = canonical(name)
    if name == EMBEDDED:
        return read_converted(PACKAGED / name, name)
    if _sources(name) and (_sources_at_hand(name) or name not in _folders()):
        return _from_sources(name)
    return _from_folder(name)


def list_corpora():
    """Return a table of the known corpora, one row each, indexed by name.

    Columns: documents, words, labels, cardinality (mean labels per document), median_frequency (of labels
    that occur), label_sets (distinct), splits, at_hand (loads without a download) and summary. A folder in
    $POLYTOPIC_CORPORA that the catalogue does not know shows up with its name alone.

    Raises ModuleNotFoundError without pandas; ``entries`` has the same without it.
    """
    try:
        import pandas as pd
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "list_corpora returns a pandas table: pip install pandas, or use polytopic.datasets.catalogue.entries()"
        ) from error
    table = pd.DataFrame.from_dict(entries(), orient="index").reindex(columns=[*SHOWN, "at_hand", "summary"])
    integers = [column for column in SHOWN if FIGURES[column] is int]
    return table.astype(dict.fromkeys(integers, "Int64")).rename_axis("corpus")


def entries():
    """Return {corpus name: what the catalogue says of it, and ``at_hand``}, in the order of ``names``."""
    return {name: {**facts().get(name, {}), "at_hand": at_hand(name)} for name in names()}


def names():
    """Return the names of the catalogue, then those of further folders in $POLYTOPIC_CORPORA."""
    known = list(facts())
    return known + sorted(_folders().keys() - set(known))


def canonical(name):
    """Return the name as the catalogue spells it. Raises ValueError for an unknown one, with suggestions."""
    spellings = {_plain(one): one for one in names()}
    if _plain(str(name)) in spellings:
        return spellings[_plain(str(name))]
    near = [spellings[one] for one in difflib.get_close_matches(_plain(str(name)), spellings, n=3)]
    hint = f"did you mean {' or '.join(near)}?" if near else "list_corpora() names them all."
    raise ValueError(
        f"there is no corpus {name!r}: {hint} A corpus of your own, or one that cannot be downloaded, is a folder of "
        f"that name in the one that ${CORPORA} names ({os.environ.get(CORPORA) or 'now not set'}): read its files "
        "with a reader of polytopic.datasets, such as read_mulan, and make the folder with write_converted"
    )


def at_hand(name):
    """Return whether the corpus of this canonical name loads without a download."""
    if name == EMBEDDED:
        return True
    return name in _folders() or _sources_at_hand(name)


def facts():
    """Return {corpus name: its row of corpora.csv}, numbers as numbers and empty cells left out."""
    return _facts(FACTS)


@functools.cache
def _facts(table):
    with open(table, newline="", encoding="utf-8") as lines:
        rows = [{key: value for key, value in row.items() if value} for row in csv.DictReader(lines)]
    return {row["corpus"]: {key: FIGURES.get(key, str)(value) for key, value in row.items()} for row in rows}


def describe(corpus):
    """Return the figures of a corpus as {name: number}.

    Cardinality is the mean number of labels per document, to three decimals; the median frequency is over
    labels that occur; label_sets counts distinct combinations, the empty one included; tokens is the sum of
    counts, or None where they are real values.
    """
    labels, frequencies = corpus.labels, corpus.label_frequencies
    return {
        "documents": corpus.n_documents,
        "words": corpus.n_words,
        "labels": corpus.n_labels,
        "cardinality": round(labels.nnz / corpus.n_documents, 3),
        "median_frequency": float(np.median(frequencies[frequencies > 0])),
        "label_sets": len({labels.indices[a:b].tobytes() for a, b in pairwise(labels.indptr)}),
        "splits": len(corpus.splits),
        "nonzeros": corpus.counts.nnz,
        "tokens": None if corpus.real_valued else int(corpus.counts.sum()),
    }


def catalogue_table():
    """Return the table of data/README.md as Markdown."""
    columns = ["corpus", *SHOWN, "papers", "how"]
    cells = [[HEADINGS.get(key, key) for key in columns], ["---"] * len(columns)]
    for row in facts().values():
        values = [row.get(key, "") for key in columns]
        cells.append([f"{value:,}" if isinstance(value, int) else str(value) for value in values])
    return "".join(f"| {' | '.join(row)} |\n" for row in cells)


def _plain(name):
    return name.strip().lower().replace("-", "_")


def _from_sources(name):
    """Return a public corpus: as it was kept, or else read from its sources and kept, pickled, with a checksum."""
    files = _sources(name)
    parsed = _parsed(name, files)
    if parsed.is_file():
        try:
            return pickle.loads(gzip.decompress(parsed.read_bytes()))
        except Exception:
            warnings.warn(f"{parsed} is damaged and is made again from the source files", stacklevel=3)
    corpus = _reader(name)([source_files.fetch(file) for file in files], name)
    try:
        write_whole(parsed, gzip.compress(pickle.dumps(corpus), compresslevel=1))
    except OSError as error:
        warnings.warn(
            f"{name} could not be kept in {parsed.parent} ({error}); it will be read again", stacklevel=3
        )
    return corpus


def _sources_at_hand(name):
    files = _sources(name)
    return bool(files) and (_parsed(name, files).is_file() or all(map(source_files.at_hand, files)))


def _sources(name):
    return source_files.sources(SOURCES).get(name, ())


def _reader(name):
    return READERS[facts()[name]["reader"]]


def _parsed(name, files):
    """Return where a corpus is kept once it is read: another place for other files, or another reader's code."""
    content = f"{source.digest(_reader(name))} {' '.join(file.sha256 for file in files)}"
    return paths.cache() / "corpora" / f"{name}-{hashlib.sha256(content.encode()).hexdigest()[:16]}.pickle.gz"


def _from_folder(name):
    base, folder = os.environ.get(CORPORA), _folders().get(name)
    if folder is None:
        raise source_files.MissingCorpus(
            f"{name} is not at hand, and its source has no download with a checksum.\n"
            f"  source:  {facts()[name]['origin']}\n"
            f"  put it:  in {Path(base or 'FOLDER') / name}, as X.npz and Y.npz (scipy sparse, documents\n"
            f"           x words and documents x labels), with splits.npz, labels.txt.gz, vocab.txt.gz if any\n"
            f"  and set: {CORPORA} to that folder ({base or 'now not set'})"
        )
    corpus, known = read_converted(folder, name), facts().get(name, {})
    if known.get("splits") and not corpus.splits:
        corpus = corpus.with_splits()
    expected = known.get("digest", corpus.digest)
    if corpus.digest != expected:
        warnings.warn(
            f"{folder} does not hold {name} as the catalogue knows it (digest {corpus.digest[:12]}, "
            f"expected {expected[:12]}): results will not compare with the study's",
            stacklevel=3,
        )
    return corpus


def _folders():
    """Return {name: folder} of the corpora in the checkout and in $POLYTOPIC_CORPORA, which goes before."""
    bases = [paths.data() / "corpora", *filter(None, [os.environ.get(CORPORA)])]
    inside = (folder for base in bases for folder in Path(base).glob("*"))
    return {folder.name: folder for folder in inside if (folder / "Y.npz").is_file()}
