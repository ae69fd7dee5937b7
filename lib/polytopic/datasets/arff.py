"""ARFF, the format of Weka: a head that declares attributes, then rows, dense or sparse, as numbers."""

import io
import re
from itertools import pairwise

import numpy as np
from scipy import sparse

from polytopic.datasets.source_files import at_line, opened

QUOTED = r"""(?P<q>['"])(?P<quoted>(?:\\.|(?!(?P=q))[^\\])*)(?P=q)"""
ATTRIBUTE = re.compile(rf"@attribute\s+(?:{QUOTED}|(?P<plain>[^\s'\"{{][^\s{{]*))(?P<type>.*)", re.I)
TOKEN = re.compile(rf"""\s*(?:(?P<comment>%.*)|{QUOTED}|(?P<sign>[{{}},])|(?P<bare>[^\s,{{}}'"%]+))""")
ROW = re.compile(r"(?:(?P<dense>[x,]+)|\{(?P<sparse>[x,]*)\}),*(?:\{(?P<weight>[x,]*)\},*)?")  # x: a value
NUMERIC = "numeric", "real", "integer"
COMMA, OPEN, CLOSE, MISSING = ("sign", ","), ("sign", "{"), ("sign", "}"), ("bare", "?")
NO = 0.0, -1.0, "-", "f", "n", "false", "no", "neg", "negative", "off", "absent"
YES = 1.0, "+", "t", "y", "true", "yes", "pos", "positive", "on", "present"
MEANING = dict.fromkeys(NO, 0.0) | dict.fromkeys(YES, 1.0)  # whichever of the two is declared first


def read_arff(file, labels_of):
    """Return the relation's name, the attributes' names, those of labels, and the (rows, attributes) CSR matrix.

    ``labels_of(relation, attributes)`` returns the names of the attributes that are labels: they are 0 or 1. Nominal
    attributes have two values at most: numbers, or words that stand for 0 and 1 as ``MEANING`` has it. What a sparse
    row leaves out is the value declared first, and else 0.

    Raises DamagedFile, which names the line and the attribute, for whatever else there is; TooLarge.
    """
    with opened(file) as (content, _):
        text = io.TextIOWrapper(content, encoding="utf-8-sig", errors="surrogateescape")
        lines = _lines(file, text)
        relation, declared = _head(file, lines)
        attributes, numbers = list(declared), []
        labels = labels_of(relation, attributes)
        for name, (values, number) in declared.items():
            with at_line(file, number):
                numbers.append(_numbers(name, name in set(labels), values))
        return relation, attributes, labels, _matrix(file, lines, attributes, numbers)


def _lines(file, text):
    """Yield (number, line) of the lines of an open file but for empty ones and comments."""
    for number, line in enumerate(text, 1):
        line = line.strip()
        if line and not line.startswith("%"):
            with at_line(file, number):
                if not line.isascii() and re.search("[\ud800-\udfff]", line):
                    raise ValueError(
                        "it is not in UTF-8: convert the file, from Latin-1 by iconv -f LATIN1 -t UTF-8"
                    )
            yield number, line


# The head


def _head(file, lines):
    """Return the relation's name and {attribute: (its values, or None for numbers; its line)}, up to @data."""
    relation, declared = "", {}
    for number, line in lines:
        kind = line.lower()
        if kind.startswith("@relation"):
            relation = line[len("@relation") :].strip().strip("'\"")
        elif kind.startswith("@attribute"):
            with at_line(file, number):
                name, values = _attribute(line)
                if name in declared:
                    raise ValueError(f"it is the second attribute of the name {name!r}: give each its own")
            declared[name] = values, number
        elif kind.startswith("@data"):
            break
    return relation, declared


def _attribute(line):
    """Return the name and the values of an @attribute; quotes around a name and backslashes in it are no part."""
    found = ATTRIBUTE.match(line)
    if not found:
        raise ValueError(f"there is no name, or one that has no closing quote: {line[:40]}")
    name = found["plain"] or _unescaped(found["quoted"])
    (kind, text), *rest = _tokens(found["type"]) or [("bare", "")]
    if text.lower() in NUMERIC:
        return name, None
    if (kind, text) != OPEN:
        told = f"is of the type {text}" if text else "has no type"
        raise ValueError(
            f"attribute {name!r} {told}: numbers and nominal values are read. For texts make a table "
            "(polytopic import TABLE.csv), or counts of their words (Weka's StringToWordVector)"
        )
    values = [text for _, text in _without_commas(rest[: rest.index(CLOSE)])] if CLOSE in rest else []
    if not values:
        raise ValueError(f"attribute {name!r} has no values, or no closing brace behind them")
    return name, values


def _numbers(name, is_label, declared):
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
    raise ValueError(
        f"{what} {name!r} has the values {shown}, not two that mean no and yes: {first}write 0 and 1 in their place, "
        f"or make one {what} of each value"
    )


# The rows


def _matrix(file, lines, attributes, numbers):
    """Return the (rows, attributes) CSR matrix of the lines that are left."""
    omitted = {j: next(iter(one.values())) for j, one in enumerate(numbers) if one}
    omitted = {j: number for j, number in omitted.items() if number}
    is_plain = not omitted and all(one is None or all(a == b for a, b in one.items()) for one in numbers)
    bounds = np.array([(min(one), max(one)) if is_plain and one else (np.nan,) * 2 for one in numbers])
    rows = []
    for number, line in lines:
        row = _plain_row(line, bounds) if is_plain else None
        with at_line(file, number):
            rows.append(row or _row(line, attributes, numbers, omitted))
    if not rows:
        raise ValueError("there is no @data section, or nothing in it")
    columns, values = (np.concatenate(parts) for parts in zip(*rows, strict=True))
    ends = np.cumsum([0, *(len(columns) for columns, _ in rows)])
    matrix = sparse.csr_matrix((values, columns, ends), (len(rows), len(attributes)))
    matrix.sort_indices()
    matrix.eliminate_zeros()
    return matrix


def _plain_row(line, bounds):
    """Return the columns and values of a row of numbers that are allowed, ``{3 1,7 0.5}`` or ``0,1,0.5``, else None.

    bounds (attributes, 2) are the two values of each attribute, NaN where any number is allowed.
    """
    try:
        if line[0] != "{":
            values = np.array(line.split(","), np.float64)
            columns = np.arange(values.size)
        elif line[-1] == "}":
            cells = line[1:-1].replace(",", " ").split()
            columns, values = np.array(cells[::2], np.int64), np.array(cells[1::2], np.float64)
        else:
            return None
    except (ValueError, OverflowError):
        return None
    n = len(bounds) if line[0] != "{" else values.size
    if columns.size != n or (n and not 0 <= columns[0] <= columns[-1] < len(bounds)):
        return None
    low, high = bounds[columns].T
    known = np.isnan(low) | (values == low) | (values == high)
    in_order = (columns[1:] > columns[:-1]).all()
    return (columns, values) if in_order and known.all() and np.isfinite(values).all() else None


def _row(line, attributes, numbers, omitted):
    """Return the columns and values of any row; ``omitted`` has the numbers of what a sparse row leaves out."""
    tokens = _tokens(line)
    form = ROW.fullmatch("".join(text if kind == "sign" else "x" for kind, text in tokens))
    if not form:
        raise ValueError(f"the row is cut short, or has a brace too many: {line[:40]}")
    dense, inside, weight = (tokens[slice(*form.span(part))] for part in ("dense", "sparse", "weight"))
    told = " ".join(text for _, text in weight)
    if form["weight"] is not None and _value(told) != 1:
        raise ValueError(
            f"the row has the weight {told}, and documents have none here: take it out, or repeat the row"
        )
    columns, cells = _dense(dense, attributes) if dense else _sparse(inside, attributes)
    row = {} if dense else dict(omitted)
    for j, (kind, text) in zip(columns, cells, strict=True):
        value, known = _value(text), numbers[j]
        row[j] = value if known is None else known.get(value)
        if (kind, text) == MISSING:
            raise ValueError(
                f"attribute {attributes[j]!r} is missing (?): fill it in (0 where there is none), or leave the row "
                "out"
            )
        if not isinstance(row[j], float) or not np.isfinite(row[j]):
            shown = f"{value:g}" if isinstance(value, float) else repr(text)
            wanted = " or ".join(str(one).removesuffix(".0") for one in known or ["a number"])
            raise ValueError(f"attribute {attributes[j]!r} is {shown}, and should be {wanted}")
    return np.array(list(row), np.int64), np.array(list(row.values()), np.float64)


def _dense(tokens, attributes):
    """Return the columns and the cells of a dense row."""
    cells = _without_commas(tokens)
    if any(a == b == COMMA for a, b in pairwise([COMMA, *tokens])):
        raise ValueError("a cell is empty: write 0 there, or leave the row out")
    if len(cells) != len(attributes):
        raise ValueError(f"it has {len(cells)} values for {len(attributes)} attributes")
    return range(len(attributes)), cells


def _sparse(tokens, attributes):
    """Return the columns and the cells of a sparse row."""
    cells = _without_commas(tokens)
    if len(cells) % 2:
        raise ValueError("the number of an attribute has no value")
    columns = {}
    for _, text in cells[::2]:
        if not re.fullmatch(r"\d{1,9}", text, re.A) or int(text) >= len(attributes):
            raise ValueError(f"attribute {text!r} is none of those numbered 0 to {len(attributes) - 1}")
        if int(text) in columns:
            raise ValueError(f"it has attribute {attributes[int(text)]!r} twice")
        columns[int(text)] = True
    return columns, cells[1::2]


# What head and rows are made of


def _tokens(line):
    """Return [(kind, text)] of a line up to its comment: what is quoted, bare, or a sign (a brace or comma)."""
    found, place, line = [], 0, line.strip()
    while place < len(line):
        one = TOKEN.match(line, place)
        if one is None:
            raise ValueError(f"a quote does not end: {line[place : place + 40].strip()}")
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
