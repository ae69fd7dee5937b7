"""Mulan's and MEKA's formats: ARFF, dense or sparse, with labels named by an XML file or counted in the head."""

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from scipy import sparse

from polytopic.corpus import Corpus, is_real_valued
from polytopic.datasets.fetching import listed, reading


def read_mulan(files, name="corpus"):
    """Return the Corpus of one ARFF file, or of a training and a test file, and their label XML.

    ``files`` holds the ARFF paths and one path ending in .xml. Labels are in the XML's order, words in the
    order of the other attributes. Without an XML file labels are, as in MEKA, the first N attributes where the
    relation's name has ``-C N``, or the last N where it has ``-C -N``. Rows of the first file come before rows
    of the second, which then make split 0. Values that are not all whole and 0 or more make the corpus
    real-valued. Every value must be a number, those of nominal attributes too, and none may be missing; a label
    is 0 or 1.

    Raises DamagedFile for a file that cannot be read, ValueError when a label of the XML is no attribute, or
    when the two ARFF files have different attributes.
    """
    files = listed(files)
    tables = [file for file in files if Path(file).suffix.lower() != ".xml"]
    xml = next((file for file in files if Path(file).suffix.lower() == ".xml"), None)
    if len(tables) not in (1, 2):
        raise ValueError(f"give one or two ARFF files and one label XML, got {[str(file) for file in files]}")
    label_names = _label_names(xml) if xml else _labels_of_relation(tables[0])
    (attributes, *others), matrices = zip(*map(_read_arff, tables), strict=True)
    if others not in ([], [attributes]):
        raise ValueError(f"{tables[0]} and {tables[1]} have different attributes: they aren't of one corpus")
    words, labels = _columns(attributes, label_names, xml or tables[0])
    matrix = sparse.vstack(matrices, format="csr")
    counts = matrix[:, words]
    n_first = matrices[0].shape[0]
    splits = [(np.arange(n_first), np.arange(n_first, matrix.shape[0]))] if len(tables) == 2 else ()
    with reading(*files):
        vocabulary, real = [attributes[j] for j in words], is_real_valued(counts)
        return Corpus(counts, matrix[:, labels], vocabulary, label_names, splits, name, real_valued=real)


def _label_names(xml):
    with reading(xml):
        tags = ElementTree.parse(xml).iter()
        return [tag.attrib["name"] for tag in tags if tag.tag.rpartition("}")[2] == "label"]


def _labels_of_relation(file):
    """Return the names of the attributes that the number after -C in an ARFF file's relation makes labels."""
    attributes, n = [], 0
    with reading(file), open(file, encoding="utf-8") as lines:
        for line in map(str.strip, lines):
            if line.lower().startswith("@relation"):
                found = re.search(r"-C\s+(-?\d+)", line)
                n = int(found[1]) if found else 0
            elif line.lower().startswith("@attribute"):
                attributes.append(_attribute_name(line))
            elif line.lower().startswith("@data"):
                break
    if not 0 < abs(n) < len(attributes):
        raise ValueError(
            f"{file}: which attributes are labels? Give Mulan's label XML too, or write -C N into the name of the "
            "relation, as MEKA does"
        )
    return attributes[:n] if n > 0 else attributes[n:]


def _read_arff(file):
    """Return the attributes' names and the (rows, attributes) CSR matrix of an ARFF file, dense or sparse."""
    attributes, rows = [], []
    with reading(file), open(file, encoding="utf-8") as lines:
        lines = (line.strip() for line in lines)
        lines = (line for line in lines if line and not line.startswith("%"))
        for line in lines:
            if line.lower().startswith("@attribute"):
                attributes.append(_attribute_name(line))
            elif line.lower().startswith("@data"):
                rows = [_row(line, len(attributes)) for line in lines]
        if not rows:
            raise ValueError("there is no @data section, or nothing in it")
        if len(set(attributes)) < len(attributes):
            raise ValueError("it has two attributes of one name")
        lengths = [len(columns) for columns, _ in rows]
        columns, values = (np.concatenate(parts) for parts in zip(*rows, strict=True))
    matrix = sparse.csr_matrix((values, columns, np.cumsum([0, *lengths])), (len(lengths), len(attributes)))
    matrix.sort_indices()
    matrix.eliminate_zeros()
    return attributes, matrix


def _attribute_name(line):
    """Return the name in an @attribute line; quotes around it and backslashes in them are not part of it."""
    quoted, plain = re.match(
        r"""@attribute\s+(?:(?P<q>['"])((?:[^\\]|\\.)*?)(?P=q)|(\S+))""", line, re.I
    ).group(2, 3)
    if plain and plain[0] in "'\"":
        raise ValueError(f"the name in {line[:40]!r} has no closing quote")
    return plain if quoted is None else re.sub(r"\\(.)", r"\1", quoted)


def _row(line, n_columns):
    """Return the columns and the values of a data line: ``{3 1,7 0.5}`` where it is sparse, else ``0,1,0.5``."""
    if not line.startswith("{"):
        values = np.array(line.split(","), dtype=np.float64)
        if values.size != n_columns:
            raise ValueError(f"a row has {values.size} values for {n_columns} attributes: {line[:40]}")
        return np.arange(n_columns), values
    if not line.endswith("}"):
        raise ValueError(f"a sparse row does not end: {line[:40]}")
    cells = np.array(line[1:-1].replace(",", " ").split(), dtype=np.float64).reshape(-1, 2)
    columns = cells[:, 0]
    there = (columns >= 0) & (columns < n_columns) & (columns == np.floor(columns))
    if not there.all() or np.unique(columns).size < columns.size:
        raise ValueError(f"a row names an attribute that is not there, or one twice: {line[:40]}")
    return columns.astype(np.int64), cells[:, 1]


def _columns(attributes, label_names, xml):
    number = {attribute: j for j, attribute in enumerate(attributes)}
    lost = [label for label in label_names if label not in number]
    if lost:
        raise ValueError(f"{xml} names the label {lost[0]!r}, which the ARFF file lacks ({len(lost)} such)")
    labels = [number[label] for label in label_names]
    return sorted(set(range(len(attributes))) - set(labels)), labels
