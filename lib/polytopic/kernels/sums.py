"""Counts of the samples' labels, as the parts of a sparse table that is filled row by row."""

from polytopic.kernels.compiling import compiled


@compiled
def count_labels(ptr, labels, tally, row_ptr, columns, counts):
    """Count the labels (samples, N) int32 of the tokens from ptr[r] to ptr[r + 1] as row r of a CSR table.

    row_ptr (R + 1,), columns and counts become the table's: there is room for all of labels. tally (C,) is zeros.
    """
    n = 0
    for r in range(ptr.size - 1):
        for sample in range(labels.shape[0]):
            for i in range(ptr[r], ptr[r + 1]):
                c = labels[sample, i]
                if tally[c] == 0:
                    columns[n] = c
                    n += 1
                tally[c] += 1
        for k in range(row_ptr[r], n):
            counts[k] = tally[columns[k]]
            tally[columns[k]] = 0
        row_ptr[r + 1] = n
