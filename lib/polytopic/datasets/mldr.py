"""R data files of one multi-label data set, an object of the class mldr."""

import warnings

import numpy as np
from scipy import sparse

from polytopic.corpus import Corpus, is_real_valued
from polytopic.datasets.fetching import reading, single


def read_mldr(files, name="corpus"):
    """Return the Corpus of an .rda file that holds an object of the R package mldr.

    Labels are the columns that its table of labels names, by their position; words are all others, but for those
    whose name begins with a dot, which mldr adds. No split is in such a file: five seeded ones are made (see
    ``make_splits``). Values that are not counts make the corpus real-valued.

    Raises DamagedFile for a file that cannot be read and for one without such an object.
    """
    file = single(files, ".rda file")
    try:
        import rdata
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "R objects are read with rdata: pip install rdata, or polytopic with the extra study"
        ) from error
    with reading(file), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Missing constructor for R class")
        (held,) = rdata.read_rda(file).values()
        table, positions = held["dataset"], held["labels"]["index"].to_numpy(int) - 1
        is_label = np.isin(np.arange(table.shape[1]), positions)
        is_word = ~is_label & ~table.columns.str.startswith(".")
        values = sparse.csr_matrix(table.loc[:, is_word].to_numpy(float))
        labels = sparse.csr_matrix(table.loc[:, is_label].to_numpy(float) != 0)
        real_valued = is_real_valued(values)
        counts = values if real_valued else values.astype(np.int32)
        names = (tuple(table.columns[chosen].map(str)) for chosen in (is_word, is_label))
        return Corpus(counts, labels, *names, name=name, real_valued=real_valued).with_splits()
