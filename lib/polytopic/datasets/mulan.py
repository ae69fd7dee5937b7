"""Mulan's and MEKA's formats: ARFF files with labels named by an XML file or counted in the head."""

import re
from xml.etree import ElementTree

import numpy as np
from scipy import sparse

from polytopic.corpus import Corpus, is_real_valued
from polytopic.datasets.arff import read_arff
from polytopic.datasets.source_files import DamagedFile, ending, listed, opened, reading

OPTION = re.compile(r"(?<!\S)-(C|c|split-number|split-percentage)\s+(-?[\d.]+)")
SHUFFLED = re.compile(r"(?<!\S)-[Ri](?!\S)")
FILTER = re.compile(r"-[a-z]\w*\.")  # begins what Weka's filters add to a relation's name: -weka.filters.


def read_mulan(files, name="corpus"):
    """Return the Corpus of one ARFF file, or of a training and a test file, and their label XML.

    ``files`` holds the ARFF paths and one path ending in .xml, each plain or packed (.gz, .bz2, .xz). Labels are in
    the XML's order, words in the order of the other attributes. Without an XML file labels are, as in MEKA, the
    first N attributes where the relation's name has ``-C N``, or the last N where it has ``-C -N``. Rows of the first
    file come before rows of the second, which then make split 0. Of one file the first N documents are the training
    half where the relation has ``-split-number N``; where it has ``-split-percentage P``, the first P percent, half
    documents rounded up. Values that are not all whole and 0 or more make the corpus real-valued.

    Attributes are numeric, or nominal with one or two values: numbers, or words that mean 0 and 1, such as
    ``{NO,YES}`` and ``{t,f}``. A label is 0 or 1. A sparse row leaves out the value that is declared first, and
    else 0: that is Weka's rule.

    Raises DamagedFile, which names the line and the attribute, for a value that is missing or none of those declared,
    another type (texts, dates, more values), a weight of a row other than 1, and whatever is not in the format;
    DamagedFile, too, for a relation that tells no labels, or a split that cannot be, and when a label of the XML is
    no attribute; TooLarge; ValueError when the two ARFF files
    have different attributes.
    """
    files = listed(files)
    xml = [file for file in files if ending(file) == ".xml"]
    tables = [file for file in files if ending(file) != ".xml"]
    if len(tables) not in (1, 2) or len(xml) > 1:
        raise ValueError(f"give one or two ARFF files and one label XML, got {[str(file) for file in files]}")

    def labels_of(relation, attributes):
        return (
            _labels_of_xml(xml[0], attributes)
            if xml
            else _labels_of_relation(relation, attributes, tables[0])
        )

    (relation, attributes, label_names, matrix), *others = (read_arff(file, labels_of) for file in tables)
    first = matrix.shape[0] if others else _first_half(relation, matrix.shape[0], tables[0])
    for _, own, _, rows in others:
        if own != attributes:
            raise ValueError(
                f"{tables[0]} and {tables[1]} have different attributes: they aren't of one corpus"
            )
        matrix = sparse.vstack([matrix, rows], format="csr")
    number = {attribute: j for j, attribute in enumerate(attributes)}
    vocabulary = [attribute for attribute in attributes if attribute not in set(label_names)]
    splits = [(np.arange(first), np.arange(first, matrix.shape[0]))] if first else ()
    with reading(*files):
        counts, labels = (matrix[:, [number[one] for one in names]] for names in (vocabulary, label_names))
        real = is_real_valued(counts)
        return Corpus(counts, labels, vocabulary, label_names, splits, name, real_valued=real)


def _labels_of_xml(xml, attributes):
    with opened(xml) as (content, _):
        tags = ElementTree.parse(content).iter()
        names = [tag.attrib["name"] for tag in tags if tag.tag.rpartition("}")[2] == "label"]
        if not names or len(set(names)) < len(names):
            raise ValueError("it names no label, or one twice")
    if lost := [label for label in names if label not in set(attributes)]:
        raise DamagedFile(
            f"{xml} names the label {lost[0]!r}, which the ARFF file lacks ({len(lost)} such): spell labels as there"
        )
    return names


def _labels_of_relation(relation, attributes, file):
    """Return the names of the attributes that the number after -C makes labels."""
    told = set(_options(relation).get("C", "0"))
    if len(told) > 1:
        raise DamagedFile(
            f"{file}: the relation's name has several numbers after -C ({', '.join(sorted(told))}): leave the one "
            "that counts labels, or give Mulan's label XML too"
        )
    (number,) = told
    n = int(number) if re.fullmatch(r"-?\d{1,9}", number) else 0
    if not 0 < abs(n) < len(attributes):
        raise DamagedFile(
            f"{file}: which attributes are labels? Give Mulan's label XML too, or write -C N into the name of the "
            "relation, as MEKA does"
        )
    return attributes[:n] if n > 0 else attributes[n:]


def _first_half(relation, n, file):
    """Return how many of n documents MEKA's options make the training half; 0 where they tell of no split."""
    options = _options(relation)
    option = next((one for one in ("split-percentage", "split-number") if one in options), None)
    if option is None:
        return 0
    told = options[option][0]
    number = float(told) if re.fullmatch(r"\d{1,9}(\.\d*)?", told) else 0
    first = np.floor(n * number / 100 + 0.5) if option == "split-percentage" else number
    if not 0 < first < n or first != int(first):
        raise DamagedFile(
            f"{file}: -{option} {told} in the relation's name leaves no two halves of {n} documents"
        )
    if shuffled := SHUFFLED.search(_meka(relation)):
        raise DamagedFile(
            f"{file}: {shuffled[0]} in the relation's name makes MEKA shuffle or swap the split, which is not done "
            "here: take it, or the split, out"
        )
    return int(first)


def _options(relation):
    """Return {option: [the numbers after it]}; -c is -C."""
    found = {}
    for option, number in OPTION.findall(_meka(relation)):
        found.setdefault({"c": "C"}.get(option, option), []).append(number)
    return found


def _meka(relation):
    """Return where MEKA's options are: after the first colon, and before what Weka's filters add."""
    return FILTER.split(relation.partition(":")[2] or relation)[0]
