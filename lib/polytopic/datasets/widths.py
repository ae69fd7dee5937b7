"""How many columns a file may tell of: each gets a name, so a few bytes could fill the memory."""

FEW_COLUMNS, MOST_COLUMNS = 1_000_000, 10_000_000


def check_width(n, size, what):
    """Raise ValueError for more than a million columns where there are more than bytes, or more than ten million.

    n counts columns, or rows that cost memory without an entry; size is of the file, unpacked, in bytes; ``what``
    says what the columns are.
    """
    most = max(FEW_COLUMNS, min(MOST_COLUMNS, size))
    if n > most:
        raise ValueError(f"it tells of {n:,} {what}, and {most:,} is the most for a file of {size:,} bytes")
