"""Make the debtags corpus again: package descriptions of a Debian archive as word counts, their debtags as labels.

    python data/build_debtags.py Packages Translation-en FOLDER

writes it into the folder, in the layout of the embedded one, lib/polytopic/datasets/embedded/debtags.
"""

import argparse
import bz2
import gzip
import lzma
import re
from pathlib import Path

from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from polytopic.corpus import Corpus
from polytopic.datasets import write_converted
from polytopic.datasets.source_files import reading
from polytopic.datasets.tokens import count_table, frequent_words, label_table, tally

TOKEN = re.compile(r"[a-z][a-z0-9+-]{2,}")
MIN_TAGS = 3
MIN_DOCUMENT_FREQUENCY = 5
OPENERS = {".gz": gzip.open, ".xz": lzma.open, ".bz2": bz2.open}


def build(packages_path, translations_path, seed=0):
    """Return the debtags corpus of an archive's Packages and Translation-en indices, with five seeded splits.

    The indices are plain or end in .gz, .xz or .bz2. Of every source package one binary package is kept: the
    one with most tags, of those the one with the longest description, of those the first by name; it must
    have three tags or more. A description is the short one and the long one. Tokens are
    ``[a-z][a-z0-9+-]{2,}`` of the lower-cased text; scikit-learn's English stop words go, and words in fewer
    than five documents. Documents are in order of package name, words and tags in alphabetical order.

    apt leaves the long descriptions out unless its setting ``Acquire::Languages`` names ``en``, and keeps its
    indices packed with lz4: unpack them first.

    Raises DamagedFile for an index that cannot be read, ValueError for one packed with lz4 and when no
    package is left.
    """
    chosen = sorted(_one_per_source(_packages(packages_path, _descriptions(translations_path))))
    if not chosen:
        raise ValueError(f"{packages_path} has no package with {MIN_TAGS} tags or more")
    tallies = [tally(text, TOKEN) for _, _, text in chosen]
    words = frequent_words(tallies, MIN_DOCUMENT_FREQUENCY, ENGLISH_STOP_WORDS)
    tags = sorted({tag for _, own, _ in chosen for tag in own})
    labels = label_table([own for _, own, _ in chosen], tags)
    return Corpus(count_table(tallies, words), labels, words, tags, name="debtags").with_splits(seed=seed)


def _packages(path, descriptions):
    """Yield (source, package name, tags, description) of every package with enough tags, each name once."""
    seen = set()
    for fields in _paragraphs(path):
        name = fields.get("Package")
        tags = {tag.strip() for tag in fields.get("Tag", "").split(",")} - {""}
        if name in seen or len(tags) < MIN_TAGS:
            continue
        seen.add(name)
        source = fields.get("Source", name).split()[0]
        key = name, fields.get("Description-md5")
        yield source, name, tags, descriptions.get(key) or fields.get("Description", "")


def _one_per_source(packages):
    """Return (package name, tags, description) of the package that stands for each source."""
    best = {}
    for source, name, tags, text in packages:
        rank = -len(tags), -len(text), name
        if source not in best or rank < best[source][0]:
            best[source] = rank, (name, tags, text)
    return [package for _, package in best.values()]


def _descriptions(path):
    """Return {(package name, md5): text}."""
    return {
        (fields.get("Package"), fields.get("Description-md5")): fields["Description-en"]
        for fields in _paragraphs(path)
        if "Description-en" in fields
    }


def _paragraphs(path):
    """Yield the paragraphs of an index as {field: text}; continuation lines are joined by line breaks."""
    if Path(path).suffix == ".lz4":
        raise ValueError(f"{path} is packed with lz4: unpack it first, for example with lz4 -d")
    with reading(path), OPENERS.get(Path(path).suffix, open)(path, "rt", encoding="utf-8") as lines:
        fields, last = {}, None
        for line in lines:
            if line.isspace():
                if fields:
                    yield fields
                fields, last = {}, None
            elif line[0] in " \t":
                fields[last] += "\n" + line.strip()
            else:
                last, colon, value = line.partition(":")
                if not colon:
                    raise ValueError(f"the line {line[:40]!r} is no field")
                fields[last] = value.strip()
        if fields:
            yield fields


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    for name in ("packages", "translations", "folder"):
        parser.add_argument(name)
    given = parser.parse_args()
    write_converted(build(given.packages, given.translations), given.folder)
