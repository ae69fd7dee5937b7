"""Mulan's format: ARFF, dense or sparse, with an XML file that says which attributes are labels."""

from pathlib import Path
from xml.etree import ElementTree

import arff
import numpy as np
from scipy import sparse

from polytopic.corpus import Corpus, is_real_valued
from polytopic.datasets.fetching import reading


def read_mulan(files, name="corpus"):
    """Return the Corpus of one ARFF file, or of a training and a test file, and their label XML.

    ``files`` holds the ARFF paths and one path ending in .xml. Labels are in the XML's order, words in the
    order of the other attributes. Rows of the first file come before rows of the second, which then make
    split 0. Values that are not all whole and 0 or more make the corpus real-valued. Nominal attributes must
    have numbers for values; a label is 0 or 1.

    Raises DamagedFile for a file that cannot be read, ValueError when a label of the XML is no attribute, or
    when the two ARFF files have different attributes.
    """
    tables = [file for file in files if Path(file).suffix.lower() != ".xml"]
    xml = next((file for file in files if Path(file).suffix.lower() == ".xml"), None)
    if xml is None or len(tables) not in (1, 2):
        raise ValueError(f"give one or two ARFF files and one label XML, got {[str(file) for file in files]}")
    label_names = _label_names(xml)
    attributes, matrices = _tables(tables)
    words, labels = _columns(attributes, label_names, xml)
    matrix = sparse.vstack(matrices, format="csr")
    counts = matrix[:, words]
    n_first = matrices[0].shape[0]
    return Corpus(
        counts=counts,
        labels=matrix[:, labels],
        vocabulary=[attributes[j] for j in words],
        label_names=label_names,
        splits=[(np.arange(n_first), np.arange(n_first, matrix.shape[0]))] if len(tables) == 2 else (),
        name=name,
        real_valued=is_real_valued(counts),
    )


def _label_names(xml):
    with reading(xml):
        tags = ElementTree.parse(xml).iter()
        return [tag.attrib["name"] for tag in tags if tag.tag.rpartition("}")[2] == "label"]


def _tables(files):
    read = [_read_arff(file) for file in files]
    if any(attributes != read[0][0] for attributes, _ in read):
        raise ValueError(f"{files[0]} and {files[1]} have different attributes: they do not belong together")
    return read[0][0], [matrix for _, matrix in read]


def _read_arff(file):
    with reading(file), open(file, encoding="utf-8") as lines:
        content = arff.load(lines, return_type=arff.LOD if _is_sparse(file) else arff.DENSE)
        attributes = [attribute for attribute, _ in content["attributes"]]
        return attributes, _matrix(content["data"], len(attributes))


def _is_sparse(file):
    with open(file, encoding="utf-8") as lines:
        for line in lines:
            if line.strip().lower() == "@data":
                break
        return next((line.strip() for line in lines if line.strip() and line[0] != "%"), "").startswith("{")


def _matrix(rows, n_columns):
    if rows and not isinstance(rows[0], dict):
        return sparse.csr_matrix(np.array(rows, dtype=np.float64))
    lengths = [len(row) for row in rows]
    columns = np.array([j for row in rows for j in row], dtype=np.int32)
    values = np.array([value for row in rows for value in row.values()], dtype=np.float64)
    matrix = sparse.csr_matrix((values, columns, np.cumsum([0, *lengths])), shape=(len(rows), n_columns))
    matrix.sort_indices()
    return matrix


def _columns(attributes, label_names, xml):
    number = {attribute: j for j, attribute in enumerate(attributes)}
    lost = [label for label in label_names if label not in number]
    if lost:
        raise ValueError(
            f"{xml} names the label {lost[0]!r}, which the ARFF file does not have ({len(lost)} such)"
        )
    labels = [number[label] for label in label_names]
    return sorted(set(range(len(attributes))) - set(labels)), labels
