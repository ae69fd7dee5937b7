"""ARFF, the format of Weka: a head that declares attributes, then rows, dense or sparse, as numbers."""

import io
import re
from itertools import pairwise

import numpy as np
from scipy import sparse

from polytopic.datasets.fetching import DamagedFile, reading
from polytopic.datasets.unpacking import check_stream, unpacked

QUOTED = r"""(?P<q>['"])(?P<quoted>(?:\\.|(?!(?P=q))[^\\])*)(?P=q)"""
ATTRIBUTE = re.compile(rf"@attribute\s+(?:{QUOTED}|(?P<plain>[^\s'\"{{][^\s{{]*))(?P<type>.*)", re.I)
TOKEN = re.compile(rf"""\s*(?:(?P<comment>%.*)|{QUOTED}|(?P<sign>[{{}},])|(?P<bare>[^\s,{{}}'"%]+))""")
NUMERIC = "numeric", "real", "integer"
COMMA, OPEN, CLOSE, MISSING = ("sign", ","), ("sign", "{"), ("sign", "}"), ("bare", "?")
NO = 0.0, -1.0, "-", "f", "n", "false", "no", "neg", "negative", "off", "absent"
YES = 1.0, "+", "t", "y", "true", "yes", "pos", "positive", "on", "present"
MEANING = dict.fromkeys(NO, 0.0) | dict.fromkeys(
    YES, 1.0
)  # of one of two values, whichever is declared first


def read_arff(file, labels_of):
    """Return the relation's name, the attributes' names, those of labels, and the (rows, attributes) CSR matrix.

    ``labels_of(relation, attributes)`` returns the names of the attributes that are labels: they are 0 or 1. Nominal
    attributes have two values at most: numbers, or words that stand for 0 and 1 as ``MEANING`` has it. What a sparse
    row leaves out is the value declared first, and else 0.

    Raises DamagedFile, which names the line and the attribute, for whatever else there is; TooLarge.
    """
    with reading(file):
        check_stream(file)
        with unpacked(file) as content:
            lines = _Lines(file, content)
            relation, declared = _head(lines)
            attributes = list(declared)
            labels = labels_of(relation, attributes)
            numbers = [_numbers(lines, name, name in set(labels), *told) for name, told in declared.items()]
            return relation, attributes, labels, _matrix(lines, attributes, numbers)


class _Lines:
    """The lines of a file but for empty ones and comments; ``fault`` makes the error for the last one, or another."""

    def __init__(self, file, content):
        self.file, self.number = file, 0
        self.text = io.TextIOWrapper(content, encoding="utf-8-sig", errors="surrogateescape")

    def __iter__(self):
        for line in self.text:
            self.number += 1
            line = line.strip()
            if line and not line.startswith("%"):
                if not line.isascii() and re.search("[\ud800-\udfff]", line):
                    raise self.fault(
                        "it is not in UTF-8: convert the file, from Latin-1 by iconv -f LATIN1 -t UTF-8"
                    )
                yield line

    def fault(self, reason, number=None):
        return DamagedFile(f"{self.file}, line {number or self.number}: {reason}")


# The head


def _head(lines):
    """Return the relation's name and {attribute: (its values, or None for numbers; its line)}, up to @data."""
    relation, declared = "", {}
    for line in lines:
        if line.lower().startswith("@relation"):
            relation = line[len("@relation") :].strip().strip("'\"")
        elif line.lower().startswith("@attribute"):
            name, values = _attribute(lines, line)
            if name in declared:
                raise lines.fault(f"it is the second attribute of the name {name!r}: give each its own")
            declared[name] = values, lines.number
        elif line.lower().startswith("@data"):
            break
    return relation, declared


def _attribute(lines, line):
    """Return the name and the values of an @attribute; quotes around a name and backslashes in it are no part."""
    found = ATTRIBUTE.match(line)
    if not found:
        raise lines.fault(f"there is no name, or one that has no closing quote: {line[:40]}")
    name = found["plain"] or _unescaped(found["quoted"])
    (kind, text), *rest = _tokens(lines, found["type"]) or [("bare", "")]
    if text.lower() in NUMERIC:
        return name, None
    if (kind, text) != OPEN:
        told = f"is of the type {text}" if text else "has no type"
        raise lines.fault(
            f"attribute {name!r} {told}: numbers and nominal values are read. For texts make a table "
            "(polytopic import TABLE.csv), or counts of their words (Weka's StringToWordVector)"
        )
    values = [text for _, text in _without_commas(rest[: rest.index(CLOSE)])] if CLOSE in rest else []
    if not values:
        raise lines.fault(f"attribute {name!r} has no values, or no closing brace behind them")
    return name, values


def _numbers(lines, name, is_label, declared, line):
    """Return {value: the number that it stands for} of an attribute; None where each number stands for itself."""
    if declared is None:
        return {0.0: 0.0, 1.0: 1.0} if is_label else None
    values = list(dict.fromkeys(map(_value, declared)))
    if not is_label and len(values) <= 2 and all(isinstance(one, float) for one in values):
        return dict(zip(values, values, strict=True))
    meant = [MEANING.get(one.lower() if isinstance(one, str) else one) for one in values]
    if None not in meant and len(set(meant)) == len(meant):
        return dict(zip(values, meant, strict=True))
    what, first = ("label", "") if is_label else ("attribute", "declare it numeric if they are counts, else ")
    shown = ", ".join(declared[:5]) + ", ..." * (len(declared) > 5)
    raise lines.fault(
        f"{what} {name!r} has the values {shown}, not two that mean no and yes: {first}write 0 and 1 in their place, "
        f"or make one {what} of each value",
        line,
    )


# The rows


def _matrix(lines, attributes, numbers):
    """Return the (rows, attributes) CSR matrix of the lines that are left."""
    omitted = [next(iter(one.values()), 0.0) if one else 0.0 for one in numbers]
    omitted = {j: number for j, number in enumerate(omitted) if number}
    is_plain = not omitted and all(one is None or all(a == b for a, b in one.items()) for one in numbers)
    rows, places = [], []
    for line in lines:
        row = _plain_row(line, len(attributes)) if is_plain else None
        rows.append(row or _row(lines, line, attributes, numbers, omitted))
        places.append(lines.number)
    if not rows:
        raise ValueError("there is no @data section, or nothing in it")
    columns, values = (np.concatenate(parts) for parts in zip(*rows, strict=True))
    ends = np.cumsum([0, *(len(columns) for columns, _ in rows)])
    bounds = [(min(one.values()), max(one.values())) if one else (np.nan, np.nan) for one in numbers]
    low, high = np.array(bounds)[columns].T
    known = np.isfinite(values) & (np.isnan(low) | (values == low) | (values == high))
    if not known.all():
        cell = known.argmin()
        j, row = columns[cell], np.searchsorted(ends, cell, side="right") - 1
        raise lines.fault(_odd(attributes[j], f"{values[cell]:g}", numbers[j]), places[row])
    matrix = sparse.csr_matrix((values, columns, ends), (len(rows), len(attributes)))
    matrix.sort_indices()
    matrix.eliminate_zeros()
    return matrix


def _plain_row(line, n_columns):
    """Return the columns and values of a row of bare numbers, ``{3 1,7 0.5}`` or ``0,1,0.5``; None for any other."""
    try:
        if line[0] != "{":
            values = np.array(line.split(","), dtype=np.float64)
            return (np.arange(n_columns), values) if values.size == n_columns else None
        cells = np.array(line[1:-1].replace(",", " ").split(), dtype=np.float64).reshape(-1, 2)
    except ValueError:
        return None
    columns = cells[:, 0]
    there = (columns >= 0) & (columns < n_columns) & (columns == np.floor(columns))
    if line[-1] != "}" or not there.all() or np.unique(columns).size < columns.size:
        return None
    return columns.astype(np.int64), cells[:, 1]


def _row(lines, line, attributes, numbers, omitted):
    """Return the columns and values of any row; ``omitted`` has the numbers of what a sparse row leaves out."""
    outside, *braced = _parts(lines, line)
    is_sparse = not outside
    for weight in braced[is_sparse:]:
        told = " ".join(text for _, text in weight)
        if _value(told) != 1:
            raise lines.fault(
                f"the row has the weight {told}, and documents have none here: take it out, or repeat the row"
            )
    read, tokens = (_sparse, braced[0]) if is_sparse else (_dense, outside)
    columns, cells = read(lines, tokens, attributes)
    row = dict(omitted) if is_sparse else {}
    for j, cell in zip(columns, cells, strict=True):
        value = _value(cell[1])
        number = value if numbers[j] is None else numbers[j].get(value)
        if cell == MISSING or not isinstance(number, float):
            raise lines.fault(_odd(attributes[j], None if cell == MISSING else repr(cell[1]), numbers[j]))
        row[j] = number
    return np.array(list(row), np.int64), np.array(list(row.values()), np.float64)


def _parts(lines, line):
    """Return the tokens outside braces, of a dense row, and those within each pair of braces."""
    parts = [[]]  # outside, inside, outside and so on
    for token in _tokens(lines, line):
        if token not in (OPEN, CLOSE):
            parts[-1].append(token)
        elif token == (OPEN, CLOSE)[1 - len(parts) % 2]:
            parts.append([])
        else:
            raise lines.fault(f"the row has a brace too many: {line[:40]}")
    if len(parts) % 2 == 0 or len(parts) > (3 if parts[0] else 5) or any(map(_without_commas, parts[2::2])):
        raise lines.fault(f"the row is cut short, or goes on behind a brace: {line[:40]}")
    return parts[0], *parts[1::2]


def _dense(lines, tokens, attributes):
    """Return the columns and the cells of a dense row."""
    cells = _without_commas(tokens)
    if any(a == b == COMMA for a, b in pairwise([COMMA, *tokens])):
        raise lines.fault("a cell is empty: write 0 there, or leave the row out")
    if len(cells) != len(attributes):
        raise lines.fault(f"it has {len(cells)} values for {len(attributes)} attributes")
    return range(len(attributes)), cells


def _sparse(lines, tokens, attributes):
    """Return the columns and the cells of a sparse row."""
    cells = _without_commas(tokens)
    if len(cells) % 2:
        raise lines.fault("the number of an attribute has no value")
    columns = []
    for _, text in cells[::2]:
        if not re.fullmatch(r"\d{1,9}", text, re.A) or int(text) >= len(attributes):
            raise lines.fault(f"attribute {text!r} is none of those numbered 0 to {len(attributes) - 1}")
        columns.append(int(text))
    if len(set(columns)) < len(columns):
        twice = next(j for j in columns if columns.count(j) > 1)
        raise lines.fault(f"it has attribute {attributes[twice]!r} twice")
    return columns, cells[1::2]


def _odd(attribute, shown, known):
    """Return what is wrong with a value of an attribute, None for one that is missing."""
    if shown is None:
        return f"attribute {attribute!r} is missing (?): fill it in (0 where there is none), or leave the row out"
    wanted = " or ".join(str(one).removesuffix(".0") for one in known or ["a number"])
    return f"attribute {attribute!r} is {shown}, and should be {wanted}"


# What head and rows are made of


def _tokens(lines, line):
    """Return [(kind, text)] of a line up to its comment: what is quoted, bare, or a sign (a brace or comma)."""
    found, place, line = [], 0, line.strip()
    while place < len(line):
        one = TOKEN.match(line, place)
        if one is None:
            raise lines.fault(f"a quote does not end: {line[place : place + 40].strip()}")
        place, kind = one.end(), one.lastgroup
        if kind != "comment":
            found.append((kind, _unescaped(one[kind]) if kind == "quoted" else one[kind]))
    return found


def _unescaped(text):
    return re.sub(r"\\(.)", r"\1", text)


def _without_commas(tokens):
    return [token for token in tokens if token != COMMA]


def _value(text):
    try:
        return float(text)
    except ValueError:
        return text
