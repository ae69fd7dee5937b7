"""A corpus in figures, and the catalogue's table of them."""

import numpy as np

from polytopic.datasets import catalogue

COLUMNS = {
    "corpus": "corpus",
    "documents": "documents",
    "words": "words",
    "labels": "labels",
    "cardinality": "cardinality",
    "median_frequency": "median label frequency",
    "label_sets": "distinct label sets",
    "splits": "splits",
    "papers": "the papers' figures",
    "how": "how to get it",
}


def describe(corpus):
    """Return the figures of a corpus as {name: number}.

    Cardinality is the mean number of labels per document, to three decimals; the median frequency is over
    labels that occur; label_sets counts distinct combinations, the empty one included; tokens is the sum of
    counts, or None where they are real values.
    """
    labels = corpus.labels
    frequencies = corpus.label_frequencies
    sets = {labels.indices[a:b].tobytes() for a, b in zip(labels.indptr, labels.indptr[1:], strict=False)}
    return {
        "documents": corpus.n_documents,
        "words": corpus.n_words,
        "labels": corpus.n_labels,
        "cardinality": round(labels.nnz / corpus.n_documents, 3),
        "median_frequency": float(np.median(frequencies[frequencies > 0])),
        "label_sets": len(sets),
        "splits": len(corpus.splits),
        "nonzeros": corpus.counts.nnz,
        "tokens": None if corpus.real_valued else int(corpus.counts.sum()),
    }


def catalogue_table():
    """Return the table of data/README.md as Markdown, made from the catalogue."""
    lines = [_row(COLUMNS.values()), _row(["---"] * len(COLUMNS))]
    for facts in catalogue.facts().values():
        lines.append(_row(_cell(facts.get(key, "")) for key in COLUMNS))
    return "\n".join(lines) + "\n"


def _row(cells):
    return f"| {' | '.join(cells)} |"


def _cell(value):
    return f"{value:,}" if isinstance(value, int) else str(value)
