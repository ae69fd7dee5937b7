"""The corpora known by name: where each comes from and which reader turns it into a Corpus."""

import csv
import difflib
import functools
import hashlib
import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from polytopic import paths
from polytopic.datasets import eurlex, fetching, labelsets, mulan, reuters, rubin, store
from polytopic.datasets.converted import read_converted

CORPORA = "POLYTOPIC_CORPORA"
EMBEDDED = "debtags"
PACKAGED = Path(__file__).with_name("embedded")
FACTS = PACKAGED / "corpora.csv"
SOURCES = PACKAGED / "sources.csv"
FIGURES = dict.fromkeys(
    ("documents", "words", "labels", "label_sets", "splits", "nonzeros", "tokens"), int
) | {
    "cardinality": float,
    "median_frequency": float,
}


@dataclass(frozen=True)
class Reading:
    """How a public corpus is read. ``read(files, name)`` takes its source files in the order of the table.

    ``version`` rises with every change of the reader's result, so that parsed copies in the cache go stale.
    """

    read: Callable
    version: int = 1


READINGS = {
    "yahoo_arts_rubin": Reading(rubin.read_rubin),
    "yahoo_health_rubin": Reading(rubin.read_rubin),
    "delicious": Reading(mulan.read_mulan),
    "yeast": Reading(mulan.read_mulan),
    "emotions": Reading(mulan.read_mulan),
    "bibtex": Reading(mulan.read_mulan),
    "corel5k": Reading(mulan.read_mulan),
    "reuters21578": Reading(reuters.read_reuters),
    "eurlex-titles": Reading(eurlex.read_titles),
    "eurlex-labelsets": Reading(labelsets.read_labelsets),
}


def load_corpus(name):
    """Return the corpus of this name; upper case, hyphens and underscores make no difference.

    ``debtags`` comes with the package. A public corpus is read from its source files: those in the folder
    $POLYTOPIC_MIRROR, else those downloaded before, else from their addresses, always checked by SHA-256;
    the result is kept in the cache. Any other name is a folder in $POLYTOPIC_CORPORA, read by
    ``read_converted``.

    Raises ValueError for an unknown name, MissingCorpus for one that is not at hand and cannot be
    downloaded, DamagedFile for a file with the wrong content.
    """
    name = canonical(name)
    if name == EMBEDDED:
        return read_converted(PACKAGED / name, name)
    if name in READINGS:
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
    shown = ["documents", "words", "labels", "cardinality", "median_frequency", "label_sets", "splits"]
    table = pd.DataFrame.from_dict(entries(), orient="index").reindex(columns=[*shown, "at_hand", "summary"])
    integers = [column for column in shown if column not in ("cardinality", "median_frequency")]
    return table.astype(dict.fromkeys(integers, "Int64")).rename_axis("corpus")


def entries():
    """Return {corpus name: what the catalogue says of it, and ``at_hand``}, in the order of ``names``."""
    return {name: {**facts().get(name, {}), "at_hand": at_hand(name)} for name in names()}


def names():
    """Return the names of the catalogue, then those of further folders in $POLYTOPIC_CORPORA."""
    known = list(facts())
    return known + sorted({folder.name for folder in _folders()} - set(known))


def canonical(name):
    """Return the name as the catalogue spells it. Raises ValueError for an unknown one, with suggestions."""
    spellings = {_plain(one): one for one in names()}
    if _plain(str(name)) in spellings:
        return spellings[_plain(str(name))]
    near = difflib.get_close_matches(_plain(str(name)), spellings, n=3)
    hint = (
        f"did you mean {' or '.join(spellings[one] for one in near)}?"
        if near
        else "list_corpora() names them all."
    )
    raise ValueError(
        f"there is no corpus {name!r}: {hint} A corpus of your own, or one that cannot be downloaded, is a folder of "
        f"that name in the one that ${CORPORA} names ({os.environ.get(CORPORA) or 'now not set'}): read its files "
        "with a reader of polytopic.datasets, such as read_mulan, and make the folder with write_converted"
    )


def at_hand(name):
    """Return whether the corpus of this canonical name loads without a download."""
    if name == EMBEDDED:
        return True
    if name in READINGS:
        files = _sources(name)
        return _parsed(name, files).is_file() or all(fetching.at_hand(source) for source in files)
    return any(folder.name == name for folder in _folders())


def facts():
    """Return {corpus name: its row of corpora.csv}, numbers as numbers and empty cells left out."""
    return _facts(FACTS)


@functools.cache
def _facts(table):
    with open(table, newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    return {row["corpus"]: {key: _number(key, value) for key, value in row.items() if value} for row in rows}


def _number(column, text):
    return FIGURES[column](text) if column in FIGURES else text


def _plain(name):
    return name.strip().lower().replace("-", "_")


def _from_sources(name):
    files = _sources(name)
    parsed = _parsed(name, files)
    if parsed.is_file():
        try:
            return store.load(parsed)
        except Exception:
            warnings.warn(f"{parsed} is damaged and is made again from the source files", stacklevel=3)
    corpus = READINGS[name].read([fetching.fetch(source) for source in files], name)
    try:
        store.save(corpus, parsed)
    except OSError as error:
        warnings.warn(
            f"{name} could not be kept in {parsed.parent} ({error}); it will be read again", stacklevel=3
        )
    return corpus


def _sources(name):
    return fetching.sources(SOURCES)[name]


def _parsed(name, files):
    content = f"{READINGS[name].version} {' '.join(source.sha256 for source in files)}"
    return paths.cache() / "corpora" / f"{name}-{hashlib.sha256(content.encode()).hexdigest()[:16]}.npz"


def _from_folder(name):
    for folder in _folders():
        if folder.name == name:
            return _as_listed(read_converted(folder, name), folder)
    known = facts()[name]
    base = os.environ.get(CORPORA)
    raise fetching.MissingCorpus(
        f"{name} is not at hand, and its source has no download with a checksum.\n"
        f"  source:  {known['origin']}\n"
        f"  put it:  in {Path(base or 'FOLDER') / name}, as X.npz and Y.npz (scipy sparse, documents\n"
        f"           x words and documents x labels), with splits.npz, labels.txt.gz, vocab.txt.gz if any\n"
        f"  and set: {CORPORA} to that folder ({base or 'now not set'})"
    )


def _as_listed(corpus, folder):
    expected = facts().get(corpus.name, {}).get("digest", corpus.digest)
    if corpus.digest != expected:
        warnings.warn(
            f"{folder} does not hold {corpus.name} as the catalogue knows it (digest {corpus.digest[:12]}, "
            f"expected {expected[:12]}): results will not compare with the study's",
            stacklevel=4,
        )
    return corpus


def _folders():
    base = os.environ.get(CORPORA)
    if not base or not Path(base).is_dir():
        return []
    return sorted(folder for folder in Path(base).iterdir() if (folder / "Y.npz").is_file())
