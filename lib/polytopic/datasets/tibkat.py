"""Library records with subjects of the German integrated authority file (GND), as JSON-LD: one file per record."""

import csv
import json
import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS
from tqdm.auto import tqdm

from polytopic.corpus import Corpus
from polytopic.datasets.source_files import MissingCorpus, reading
from polytopic.datasets.tokens import GERMAN, count_table, frequent_words, label_table, tally
from polytopic.validation import check_name

RECORDS = "library-records-dataset/data"
PARTS = {"train": "train", "dev": "dev", "test": "test/gold-standard-testset"}
LANGUAGES = {"en": ENGLISH_STOP_WORDS, "de": GERMAN}
KINDS = "Article", "Book", "Conference", "Report", "Thesis"
TOKEN = re.compile(r"[^\W\d_][\w+-]{2,}")
MIN_DOCUMENT_FREQUENCY = 5


class Record(NamedTuple):
    """A library record: text is its title and abstract, subjects are {GND identifier: name, "" if it has none}."""

    part: str
    kind: str
    language: str
    name: str
    text: str
    subjects: dict


def read_tibkat(folder, name="tibkat", parts=("train", "dev"), languages=("en", "de"), names=None):
    """Return the Corpus of the library records in a copy of their repository, with their GND subjects as labels.

    ``folder`` holds library-records-dataset/data, and there PART/TYPE/LANGUAGE/*.jsonld. parts are of "train", "dev"
    and "test", languages of "en" and "de". Documents go by the path of their file.

    Text is title and abstract. Words are a letter and two or more of letters, digits, underscore, ``+`` and ``-``, in
    lower case, in five or more records of the first part; English and German stop words are left out with the
    language, scikit-learn's and our own. Labels are the identifiers of all records read, sorted, each with a name
    before it: that of ``names``, a file of lines "address ending in the identifier, tab, name", else none. Without
    ``names`` it is the records' own, in German.

    Each further part is a split's test half, and all parts before it are the training half; several splits go by the
    name of their test half.

    Raises MissingCorpus for a folder without such records, DamagedFile for a file that cannot be read, ValueError for
    an unknown part or language.
    """
    records = list(read_records(folder, parts, languages))
    part_of = np.array([record.part for record in records])
    stop_words = frozenset().union(*(LANGUAGES[language] for language in languages))
    tallies = [tally(record.text, TOKEN) for record in records]
    first = [one for one, record in zip(tallies, records, strict=True) if record.part == parts[0]]
    words = frequent_words(first, MIN_DOCUMENT_FREQUENCY, stop_words)
    named = {key: said for record in records for key, said in record.subjects.items()}
    if names is not None:
        listed = _names(names)
        named = {key: listed.get(key, "") for key in named}
    keys = sorted(named)
    counts = count_table(tallies, words)
    labels = label_table([record.subjects for record in records], keys)
    splits = [
        (np.flatnonzero(np.isin(part_of, parts[:i])), np.flatnonzero(part_of == parts[i]))
        for i in range(1, len(parts))
    ]
    label_names = [f"{named[key]} ({key})".lstrip() for key in keys]
    split_names = tuple(parts[1:]) if len(splits) > 1 else ()
    with reading(folder):
        return Corpus(counts, labels, words, label_names, tuple(splits), name, split_names)


def read_records(folder, parts=("train", "dev"), languages=("en", "de")):
    """Yield each Record in a folder of them, in the order of ``read_tibkat``, which has what it raises."""
    for part in parts:
        check_name("part", part, PARTS)
        for language in languages:
            check_name("language", language, LANGUAGES)
    for part in sorted(parts):
        place = Path(folder) / RECORDS / PARTS[part]
        files = [
            (kind, language, file)
            for kind in KINDS
            for language in sorted(languages)
            for file in sorted((place / kind / language).glob("*.jsonld"))
        ]
        if not files:
            raise MissingCorpus(
                f"there are no records in {place}: give the folder of a copy of the repository "
                f"subject-indexing-dataset, which has {RECORDS}/{PARTS[part]}/Book/en and so on"
            )
        for kind, language, file in tqdm(files, f"records of {part}", disable=None, leave=False):
            yield _record(file, part, kind, language)


def _record(file, part, kind, language):
    with reading(file):
        nodes = json.loads(file.read_text("utf-8-sig"))["@graph"]
        (own,) = (node for node in nodes if "title" in node)
        said = {node["@id"]: _text(node["sameAs"]) for node in nodes if "sameAs" in node}
        subjects = [node["@id"] for node in _listed(own.get("dcterms:subject", []))]
        named = {one.removeprefix("gnd:"): said.get(one, "") for one in subjects}
        text = " ".join(map(_text, (own["title"], own.get("abstract", ""))))
        return Record(part, kind, language, file.stem, text, named)


def _listed(value):
    return value if isinstance(value, list) else [value]


def _text(value):
    return " ".join(_listed(value))


def _names(file):
    """Return {identifier: name} of a table of addresses and names."""
    with reading(file), open(file, newline="", encoding="utf-8-sig") as lines:
        rows = csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {address.rpartition("/")[2]: name for address, name, *_ in rows}
