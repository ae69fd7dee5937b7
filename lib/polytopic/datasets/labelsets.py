"""Label sets without words: a list of labels per document."""

import ast
import csv

from scipy import sparse

from polytopic.corpus import Corpus
from polytopic.datasets.fetching import reading
from polytopic.datasets.tokens import label_table


def read_labelsets(files, name="corpus"):
    """Return a Corpus of labels alone: its counts have no columns.

    ``files`` holds one CSV file without a header line; a row is a document: its number, then its labels as a
    Python list of strings. Documents are in order of their number, labels in alphabetical order; a label that
    a document names twice counts once.
    """
    (file,) = files
    with reading(file), open(file, newline="", encoding="utf-8") as lines:
        rows = sorted((int(row[0]), set(ast.literal_eval(row[1]))) for row in csv.reader(lines) if row)
    names = sorted({label for _, labels in rows for label in labels})
    Y = label_table([labels for _, labels in rows], names)
    return Corpus(sparse.csr_matrix((len(rows), 0)), Y, label_names=names, name=name)
