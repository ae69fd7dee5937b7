"""What the cells of a table say of labels: lists, indicators, tags and names; and what is odd about those found."""

import ast
import html
import json
import re
import unicodedata
import warnings
from collections import Counter, defaultdict
from contextlib import suppress
from pathlib import Path

from polytopic.practice.rows import PREFIX, Fault

# soft hyphens, spaces without width, marks of direction and of byte order
INVISIBLE = re.compile("[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f]")
BLANKS = "\u115f\u1160\u2800\u3164\uffa0"  # letters and signs that are empty
MISSING = {"nan", "NaN", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaT", "None", "null", "NULL", "\\N"}
YES = {"1", "1.0", "true", "yes", "x"}
FLAGS = {"1", "0", "1.0", "0.0"}, {"true", "false"}, {"yes", "no"}, {"x"}
OF_FLAGS = re.compile(r"-1|[01]\.0|true|false|yes|no|[01](?:[ ,;|]*[01])*", re.IGNORECASE)
NUMBER = re.compile(r"-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")
TAGS, BARS = re.compile(r"(?:<[^<>]+>\s*)+"), re.compile(r"\|(?:[^|]+\|)+")
ITEM = rf"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|{NUMBER.pattern}|True|False|None|null|nan"""
LISTED = re.compile(rf"(?:np\.\w+\()?({ITEM})\)?(?:\s*,\s*|\s+|$)", re.DOTALL)
WRAPPED = re.compile(r"([\[({])(.*)([\])}])", re.DOTALL)
CALLED = re.compile(r"(?:np\.)?(?:array|frozenset|list|set)\((.*?)(?:,\s*dtype=[^][]*)?\)", re.DOTALL)
CLOSING = {"[": "]", "(": ")", "{": "}", "<": ">", '"': '"', "'": "'"}
SIGNS = (",", ";", "|", "><", "/", "\t", "\n", " ", "\uff0c", "\u3001", "\uff1b")
BY_RECURRENCE = ("/", " ")  # signs that names have: they part labels where the parts are found elsewhere
QUARTER, HALF, MOST = 0.25, 0.5, 0.9
SHOWN = 5
LEAST = 10  # documents, for labels of one document alone to be odd


def label_sets(rows, columns, separator):
    """Return the labels of rows, and Faults: of rows, and with line 0 of them all.

    rows is a list of (line, cells), a cell a column; labels come as a list per row, each sorted and without repeats,
    None for a row that cannot be read. Raises ValueError where no cell names labels but all say by 0 and 1 which ones
    are meant.
    """
    flags, tags = _flags([cells for _, cells in rows], columns), _are_tags(rows)
    separator = (
        separator.replace("\\t", "\t").replace("\\n", "\n") if len(columns) == 1 and separator else None
    )
    sets, faults, texts = [], [], []
    for line, cells in rows:
        found = []
        try:
            for name, cell in zip(columns, cells, strict=True):
                if name in flags:
                    found += [name] if _flag(cell) in YES else []
                    continue
                own, odd, is_split = _labels(cell, separator, tags)
                found += own
                faults += [Fault(line, f"{name} {reason}", True) for reason in odd]
                texts += [cell] if is_split and own and isinstance(cell, str) else []
        except ValueError as error:
            faults, found = [*faults, Fault(line, f"{name} {error}", False)], None
        sets.append(found)
    if len(columns) == 1 and _are_vectors([own for own in sets if own]):
        raise ValueError(
            f"{columns[0]} has a 0 or 1 for each label, and not its name: write the names of those that a text has, "
            "or give each label a column of its own and name all of these by --labels"
        )
    named = sets
    sets = [None if own is None else sorted({_plain(one) for one in own}) for own in named]
    doubts = _doubts([own for own in sets if own], texts, separator, flags)
    if len(columns) > 1 and not flags:
        twice = sum(len(set(own)) < len(own) for own in named if own)
        full = all(own and len(own) >= len(columns) and all(map(NUMBER.fullmatch, own)) for own in named)
        if full or twice >= QUARTER * len(sets):
            doubts.append(
                "The columns of labels have the same values in one row, or numbers alone: if they say whether the "
                "label of their name is there, write 1 and 0."
            )
    if flags and len(flags) < len(columns):
        doubts.append(
            f"{', '.join(sorted(flags))}: columns of 0 and 1, whose names are labels of the texts with 1."
        )
    return sets, faults + [Fault(0, doubt, True) for doubt in doubts]


def read_subjects(path):
    """Return {label: (address, name)} of a file of lines "<address>, tab, name"; a label is either of the two.

    Raises ValueError for a line of another form.
    """
    subjects = {}
    for number, line in enumerate(Path(path).read_text(encoding="utf-8-sig").splitlines(), 1):
        uri, tab, name = line.strip().partition("\t")
        if not (tab and uri.startswith("<") and uri.endswith(">")):
            raise ValueError(f"line {number} of {path} is not of the form <address>, tab, name")
        for label in (name, uri[1:-1]):
            subjects.setdefault(label, (uri[1:-1], name))
    return subjects


# One cell


def _labels(cell, separator, tags):
    """Return the labels that a cell names, what is odd about them, and whether it is a text that was parted.

    Raises ValueError for a cell that is neither a text nor a number, nor a list of these.
    """
    is_split = not isinstance(cell, (list, tuple))
    if isinstance(cell, str):
        cell = html.unescape(cell.strip()) if tags else cell.strip()
        listed = _parse_list(cell)
        is_split = listed is None and not BARS.fullmatch(cell) and not (tags and TAGS.fullmatch(cell))
        if is_split:
            cell = [one for one in (cell.split(separator) if separator else [cell]) if one.strip()]
        elif listed is None:
            cell = cell.strip("|").split("|") if cell[0] == "|" else re.findall("<([^<>]+)>", cell)
        else:
            cell = listed
    elif is_split:
        cell = [] if cell is None else [cell]
    labels, odd = [], []
    for one in cell:
        if one is not None and not isinstance(one, (str, int, float)):
            raise ValueError(f"is neither a text nor a list of texts: it holds a {type(one).__name__}")
        label = str(one)
        if one is None or one != one or (is_split and label.strip() in MISSING):
            odd.append(f"says {label.strip()}, which counts as no label")
        elif not _is_seen(label):
            odd.append(f"has a label that cannot be seen, {label[:20]!a}, which is left out")
        else:
            labels.append(label)
    return labels, odd, is_split


def _parse_list(cell):
    """Return what a text lists as JSON, Python, numpy or pandas write it, None for a text that is no list.

    Raises ValueError for one that can be nothing else, but cannot be read.
    """
    called = CALLED.fullmatch(cell)
    if called:
        cell = called[1].strip() or "[]"
    if cell.startswith("["):
        with suppress(ValueError, RecursionError):
            return json.loads(cell, parse_int=str, parse_float=str)
    wrapped = WRAPPED.fullmatch(cell)
    if not wrapped or CLOSING[wrapped[1]] != wrapped[3]:
        if re.match(r"""[\[({]\s*['"]""", cell):
            raise ValueError(f"begins as a list and does not end as one: it ends in {cell[-20:]!r}")
        return None
    sign, within = wrapped[1], wrapped[2].strip()
    items, place = [], 0
    while place < len(within) and (found := LISTED.match(within, place)):
        items.append(found[1])
        place = found.end()
    if place == len(within) and (sign != "(" or "," in within or within[:1] in "'\""):
        return [_value(item) for item in items]
    listed = sign == "{" or re.match(r"""['"({\[]|np\.""", within) if sign != "(" else within[:1] in "'\""
    if listed or (sign == "[" and re.fullmatch(r"[^][]*,[^][]*", within)):
        raise ValueError(f"looks like a list, {cell[:30]!r}, and cannot be read as one: write it as in JSON")
    return None


def _value(item):
    """Return the value of an item of a list as Python writes it."""
    if item[0] not in "'\"":
        return None if item in ("None", "null", "nan") else item.rstrip(".")
    if "\\" not in item:
        return item[1:-1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # Python's about signs that it would write otherwise
        try:
            return ast.literal_eval(item)
        except (SyntaxError, ValueError):
            message = f"has an item that cannot be read, {item[:30]}: write the list as JSON"
            raise ValueError(message) from None


def _plain(label):
    """Return a label as it is seen: composed letters, white space evened out, no signs that are not shown."""
    return " ".join(UNSEEN.sub(" ", INVISIBLE.sub("", unicodedata.normalize("NFC", label))).split())


def _is_seen(label):
    """Return whether a label has a letter, digit, punctuation sign or symbol that leaves a trace."""
    return any(one not in BLANKS and unicodedata.category(one)[0] in "LNPS" for one in label)


# A whole column


def _flag(cell):
    """Return a cell in lower case, "" where it is empty or says that it is."""
    if cell is None or cell != cell or (isinstance(cell, str) and cell.strip() in MISSING):
        return ""
    return str(cell).strip().lower()


def _flags(rows, columns):
    """Return the columns that say by 0 and 1, or yes and no, whether a text has the label of their name.

    Numbers beside them in another column mean that all are numbers of labels.
    """
    if len(columns) == 1:
        return set()
    values = {name: {_flag(cells[place]) for cells in rows} - {""} for place, name in enumerate(columns)}
    flags = {name for name, own in values.items() if any(own and own <= kind for kind in FLAGS)}
    others = [own for name, own in values.items() if own and name not in flags]
    if any(all(map(NUMBER.fullmatch, own)) for own in others) or not flags:
        return set()
    return flags if others else set(columns)


def _are_tags(rows):
    """Return whether cells are tags in angle brackets: all of them, or one after the other in one cell."""
    cells = [html.unescape(cell.strip()) for _, cells in rows for cell in cells if isinstance(cell, str)]
    cells = [cell for cell in cells if cell and cell not in MISSING]
    found = [cell for cell in cells if TAGS.fullmatch(cell)]
    return bool(found) and (len(found) == len(cells) or any(cell.count("<") > 1 for cell in found))


def _are_vectors(lists):
    """Return whether lists say of each of several labels whether it is there, by 0 and 1."""
    if len({len(own) for own in lists}) != 1 or len(lists[0]) < 2:
        return False
    known = set().union(*lists) <= {"0", "1", "0.0", "1.0", "True", "False"}
    return known and any(len(set(own)) < len(own) for own in lists)


def _doubts(sets, texts, separator, flags):
    """Return in sentences what is odd about the labels that were found."""
    counts = Counter(label for own in sets for label in own)
    names, doubts = list(counts), []
    if not names:
        return []
    absent = [repr(name) for name in sorted(flags - counts.keys())]
    if absent:
        doubts.append(f"No document has the label {', '.join(absent)}: its column never says so.")
    odd = [name for name in names if OF_FLAGS.fullmatch(name) and name not in flags]
    if len(odd) == len(names) or "".join(sorted(names)).lower() in ("ny", "ft", "x"):
        doubts.append(
            f"The labels are only {', '.join(map(repr, sorted(names)[:SHOWN]))}: where columns say whether a label "
            "is there, name all of them by --labels."
        )
    missing = [name for name in names if name in MISSING]
    if missing:
        doubts.append(f"A label is called {missing[0]!r}, as a value that is missing is written.")
    fractions = [name for name in names if re.fullmatch(r"-?\d*\.\d*[1-9]\d*", name)]
    if len(fractions) > HALF * len(names):
        doubts.append(f"Most labels are fractions, such as {fractions[0]}: are they scores?")
    wrapped = [name for name in names if _is_wrapped(name)]
    if len(wrapped) >= HALF * len(names):
        doubts.append(
            f"Most labels have brackets or quotes, such as {wrapped[0]!r}: are they (parts of) lists?"
        )
    doubts += _other_separators(names, texts, separator)
    if any(PREFIX in name for name in names):
        doubts.append(f"Labels begin as fastText's, {PREFIX}: give --format fasttext, or leave this out.")
    addresses = [name for name in names if name.count("://") > 1]
    if addresses:
        doubts.append(
            f"A label has several addresses, {addresses[0][:60]!r}: give --format annif, or --separator."
        )
    alone = sum(n == 1 for n in counts.values())
    if len(sets) >= LEAST and alone >= MOST * len(names) and len(names) >= HALF * len(sets):
        doubts.append(
            f"{alone} of {len(names)} labels, such as {names[0]!r}, have one document alone: is it the "
            "right column, and the right --separator?"
        )
    return doubts


def _is_wrapped(name):
    """Return whether a name stands in brackets or quotes, or has one of a pair alone."""
    if CLOSING.get(name[0]) == name[-1]:
        return True
    return any(name.count(one) != name.count(other) for one, other in CLOSING.items() if one != other)


def _other_separators(names, texts, separator):
    """Yield sentences on signs that seem to part labels, and are not the separator."""
    parted = not separator or any(separator in text for text in texts)
    for sign in SIGNS:
        if (texts and separator and sign in separator) or (sign == " " and (parted or not texts)):
            continue
        cells = [text for text in texts if sign in text.strip()]
        usual = not parted and sign not in BY_RECURRENCE and cells and len(cells) >= QUARTER * len(texts)
        own, recurring = _recurring(names, sign)
        if usual or (own and len(recurring) >= HALF * len(own)):
            why = f"no cell has {separator!r}" if usual else "its parts are found elsewhere, too"
            shown = (cells if usual else recurring)[0][:60]
            remedy = f"give --separator {sign!r}" if texts else "make each an item of its list"
            yield f"Is {sign!r} what parts labels, as in {shown!r}? Then {remedy}: {why}."
            if usual:
                return


def _recurring(names, sign):
    """Return the names that a sign parts, and those of them whose parts are names, or stand elsewhere in names."""
    parts = {name: [part.strip() for part in name.split(sign) if part.strip()] for name in names}
    places = defaultdict(set)
    for own in parts.values():
        for place, part in enumerate(own):
            places[part].add(place if len(own) > 1 else "alone")
    several = [name for name, own in parts.items() if len(own) > 1]
    return several, [name for name in several if all(len(places[part]) > 1 for part in parts[name])]
