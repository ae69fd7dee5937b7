"""R data files of one multi-label data set, an object of the class mldr."""

import warnings

import numpy as np
from scipy import sparse

from polytopic.corpus import Corpus, is_real_valued
from polytopic.datasets.source_files import check_stream, reading, single


def read_mldr(files, name="corpus"):
    """Return the Corpus of an .rda file that holds an object of the R package mldr.

    Labels are the columns that its table of labels names, by their position; words are all others, but for those
    whose name begins with a dot, which mldr adds. No split is in such a file: five seeded ones are made (see
    ``make_splits``). Values that are not counts make the corpus real-valued.

    Raises DamagedFile for a file that cannot be read and for one without such an object, TooLarge.
    """
    file = single(files, ".rda file")
    try:
        import rdata
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "R objects are read with rdata: pip install rdata, or polytopic with the extra study"
        ) from error
    with reading(file), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rdata's about R classes; what a table holds is checked below
        expanded = _expanded(rdata.parser.DEFAULT_ALTREP_MAP, check_stream(file))
        (held,) = rdata.read_rda(file, altrep_constructor_dict=expanded).values()
        table, positions = held["dataset"], held["labels"]["index"].to_numpy(float) - 1
        columns = np.arange(table.shape[1])
        if not np.isin(positions, columns).all():
            raise ValueError(f"its labels are columns {positions + 1}, and its table has {len(columns)}")
        is_label = np.isin(columns, positions)
        is_word = ~is_label & ~table.columns.str.startswith(".")
        values = sparse.csr_matrix(table.loc[:, is_word].to_numpy(float))
        labels = sparse.csr_matrix(table.loc[:, is_label].to_numpy(float))
        real_valued = is_real_valued(values)
        names = (tuple(table.columns[chosen].map(str)) for chosen in (is_word, is_label))
        return Corpus(values, labels, *names, name=name, real_valued=real_valued).with_splits()


def _expanded(constructors, size):
    """Return rdata's constructors of what R keeps in short, but for sequences longer than the file has bytes."""

    def bounded(constructor):
        def construct(state):
            if state.value[0] > size:
                raise ValueError(f"a sequence of {state.value[0]:,.0f} numbers in {size:,} bytes")
            return constructor(state)

        return construct

    short = {name: bounded(one) for name, one in constructors.items() if name.startswith(b"compact_")}
    return {**constructors, **short}
