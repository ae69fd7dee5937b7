"""Label sets without words: a list of labels per document."""

import ast
import csv
import warnings
from operator import itemgetter

from scipy import sparse

from polytopic.corpus import Corpus
from polytopic.datasets.source_files import reading, single
from polytopic.datasets.tokens import label_table


def read_labelsets(files, name="corpus"):
    """Return a Corpus of labels alone: its counts have no columns.

    ``files`` holds one CSV file without a header line; a row is a document: its number, then its labels as a
    Python list of strings. Documents are in order of their number, labels in alphabetical order; a label that
    a document names twice counts once.

    Raises DamagedFile for a file that cannot be read or holds no document.
    """
    file = single(files, "CSV file")
    with reading(file), open(file, newline="", encoding="utf-8-sig") as lines, warnings.catch_warnings():
        warnings.simplefilter("error")  # Python's about texts that it would write otherwise
        found = ((int(row[0]), _label_set(row[1])) for row in csv.reader(lines) if row)
        rows = sorted(found, key=itemgetter(0))
        if not rows:
            raise ValueError("there is no document in it")
    names = sorted({label for _, labels in rows for label in labels})
    Y = label_table([labels for _, labels in rows], names)
    return Corpus(sparse.csr_matrix((len(rows), 0)), Y, label_names=names, name=name)


def _label_set(cell):
    labels = ast.literal_eval(cell)
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        raise ValueError(f"{cell[:40]!r} is no list of strings")
    return set(labels)
