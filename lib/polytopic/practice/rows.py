"""Rows of a file of texts: its packing, encoding and layout are found out; a row that cannot be read is a Fault."""

import codecs
import csv
import io
import json
import re
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from polytopic.datasets.source_files import (
    ENDINGS,
    DamagedFile,
    MissingCorpus,
    check_stream,
    ending,
    reading,
    refuse_beyond,
    unpacked,
)
from polytopic.validation import check_name

DELIMITED, LINES, PARQUET = (".csv", ".tsv", ".txt"), (".jsonl", ".ndjson", ".json"), (".parquet", ".pq")
LAYOUTS = ("table", "fasttext", "annif")
PREFIX = "__label__"  # of a label in fastText's files
ADDRESSES = re.compile(r"(?:\s*<[^<>\s]+>)+\s*")
ARRIVING = 1 << 20  # bytes of a stream that are taken at a time
LONGEST_FIELD = 1 << 27  # characters of one text
START = 1 << 16  # characters by which encoding, delimiter and layout are told
LOOKED_AT = 100  # rows of them
MOST_LINES = 100  # of a row, beyond which a quote may not be closed
ROWS_AT_ONCE = 8  # of a parquet file, which may hold a text once for all rows
FEW, TENTH = 5, 10  # lines that are not in UTF-8: more of them, or a tenth of all, mean another encoding
MARKS = {
    b"\xff\xfe\0\0": "utf-32", b"\0\0\xfe\xff": "utf-32", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16",
}  # fmt: skip
USUAL = "utf-8-sig"
HALF = re.compile("[\ud800-\udfff]")
STRANGE = "\udcff"  # what stands for bytes that are not in the encoding
EXCEL = re.compile(r'"?sep=(.)"?\s*?(?:\r\n|\n|\r)')
ESCAPED = re.compile(r'\\(["\\])')
QUOTED = re.compile(r'(?:^|\t)"[^\t]*"(?:\t|$)', re.MULTILINE)
BLANK = re.compile(r"\s*")

codecs.register_error("polytopic.strange", lambda error: (STRANGE, error.end))


class Fault(NamedTuple):
    """Something wrong with a row: the line on which it begins, what, and whether the row is in the corpus still.

    Line 0 is of the table as a whole.
    """

    line: int
    reason: str
    kept: bool


def rows_of(path, text, labels, delimiter=None, encoding=None, layout=None):
    """Yield (line, [cells of text], [cells of labels]) for the rows of a file, a Fault for each that is unreadable.

    text and labels are lists of columns; layout None is found out, as far as it is unmistakable. Raises as
    ``tables.read_table``.
    """
    path = Path(path)
    kind = kind_of(path, layout)
    if kind in PARQUET:
        rows = _of_parquet(path, [*text, *labels])
    else:
        encoding = encoding_of(path, encoding)
        layout = layout or layout_of(path, kind, encoding)
        if layout == "annif":
            objects = kind in LINES and '"subject_uris"' not in _start(path, encoding)
            text, labels = ["text"], ["subjects" if objects else "subject_uris"]
        if layout == "fasttext" or (layout == "annif" and kind in (".tsv", ".txt")):
            rows, text = _of_lines(path, encoding, _fasttext if layout == "fasttext" else _annif), ["text"]
        elif kind in LINES:
            rows = _of_json(path, [*text, *labels], encoding)
        else:
            sign = delimiter or ("\t" if kind == ".tsv" else None)
            rows = _of_delimited(path, [*text, *labels], sign, encoding)
    for row in rows:
        if not isinstance(row, Fault):
            line, cells = row
            own = cells[len(text) :]
            row = line, cells[: len(text)], list(map(_addresses, own)) if layout == "annif" else own
            if any(map(_is_half, cells)):
                row = Fault(line, "has half a character", False)
        yield row


def kind_of(path, layout=None):
    """Return the ending of a file of texts without that of its packing: within a zip, of the file in it.

    fastText's files may end in anything and count as .txt. Raises MissingCorpus, DamagedFile, TooLarge, and
    ValueError for another kind of file.
    """
    if not path.is_file():
        raise MissingCorpus(f"there is no file {path}")
    known, found = (*DELIMITED, *LINES, *PARQUET), ending(path)
    if found in ("", *known) or layout == "fasttext":
        with reading(path):
            check_stream(path)
            with unpacked(path) as file:
                found = ending(str(getattr(file, "name", ""))) or found
    if layout == "fasttext":
        return ".txt"
    if found not in known:
        raise ValueError(
            f"{path} is of a kind that is not known: a table of texts ends in one of {', '.join(known)}, packed also "
            f"in {', '.join(ENDINGS)}; save a spreadsheet as CSV"
        )
    return found


# How it is encoded


def encoding_of(path, encoding=None):
    """Return the name of a file's encoding: as given, by its byte order mark, or else UTF-8.

    Raises ValueError for an unknown encoding, and where none is given and more than a few lines are not in UTF-8.
    """
    if encoding:
        return check_encoding(encoding)
    with unpacked(path) as file:
        start = file.read(START)
    marked = next((name for mark, name in MARKS.items() if start.startswith(mark)), None)
    if marked:
        return marked
    for place, order in enumerate(("be", "le")):
        if start[place::2].count(0) > len(start) / 4:
            raise ValueError(f"{path} looks like UTF-16 without its mark: give --encoding utf-16-{order}")
    n_lines, strange = 0, {}
    with unpacked(path) as file:
        for line in chain.from_iterable(part.splitlines() for part in file):
            n_lines += 1
            try:
                line.decode()
            except UnicodeDecodeError:
                strange[n_lines] = line if len(strange) < LOOKED_AT else b""
    if len(strange) > min(FEW, max(1, n_lines / TENTH)):
        raise ValueError(
            f"{len(strange):,} of {n_lines:,} lines of {path} are not in UTF-8, line {next(iter(strange))} first; "
            f"{_looks_like(strange.values())}, or --encoding utf-8 to leave such rows out"
        )
    return USUAL


def check_encoding(name):
    """Return the name of an encoding, of UTF-8 that which drops a byte order mark, or raise ValueError."""
    try:
        io.TextIOWrapper(io.BytesIO(), encoding=name)
        return USUAL if codecs.lookup(name).name == "utf-8" else name
    except (LookupError, ValueError):
        message = f"there is no encoding {name!r}: --encoding takes utf-8, cp1252, utf-16 and others"
        raise ValueError(message) from None


def _looks_like(lines):
    """Return in words what to give for lines that are not in UTF-8."""
    sample = b"\n".join(lines)
    signs = len(sample.translate(None, bytes(range(128))))
    letters = len(re.findall(rb"[A-Za-z]", sample))
    if signs * 2 < letters and STRANGE not in sample.decode("cp1252", "polytopic.strange"):
        return "it looks like cp1252, as Excel writes it in Western Europe: give --encoding cp1252"
    return "it may be in cp1251, gb18030, shift_jis or another code page: name it by --encoding"


def _text(path, encoding, newline=None):
    return io.TextIOWrapper(unpacked(path), encoding, "polytopic.strange", newline)


def _start(path, encoding):
    with _text(path, encoding, newline="") as file:
        return file.read(START)


def _is_strange(cell):
    return not cell.isascii() and STRANGE in cell


def _is_half(cell):
    if isinstance(cell, str):
        return not cell.isascii() and HALF.search(cell) is not None
    return isinstance(cell, list) and any(map(_is_half, cell))


def _not_in(line, encoding):
    return Fault(line, f"is not in {'UTF-8' if encoding == USUAL else encoding}", False)


def lines_of(stream, encoding=USUAL):
    """Yield (line, text) for each line of a binary stream that is not blank, as they arrive.

    A line that is not in the encoding is a Fault. None comes before more is waited for.
    """
    decoder = codecs.getincrementaldecoder(encoding)("polytopic.strange")
    decoder = io.IncrementalNewlineDecoder(decoder, translate=True)
    number, begun, arrived = 0, [], True
    while arrived:
        arrived = stream.read1(ARRIVING)
        *whole, rest = decoder.decode(arrived, final=not arrived).split("\n")
        for end in whole if arrived else [*whole, rest]:
            text, begun, number = "".join([*begun, end]), [], number + 1
            if _is_strange(text):
                yield _not_in(number, encoding)
            elif text.strip():
                yield number, text
        begun.append(rest)
        yield None


# How it is laid out


def layout_of(path, kind, encoding):
    """Return "fasttext" or "annif" for a file that begins as theirs do, else "table"."""
    start = _start(path, encoding)
    lines = [line for line in start.splitlines()[: LOOKED_AT if len(start) < START else -1] if line.strip()]
    if kind in DELIMITED and lines and lines[0].startswith(PREFIX):
        return "fasttext"
    ends = [line.partition("\t")[2].strip() for line in lines if kind in (".tsv", ".txt")]
    headless = any(ends) and all(not end or ADDRESSES.fullmatch(end) for end in ends)
    return "annif" if headless else "table"


def _of_lines(path, encoding, parse):
    """Yield the rows of a file with one a line; ``parse`` returns a line's cells, or what is wrong with it."""
    with unpacked(path) as file:
        for one in filter(None, lines_of(file, encoding)):
            if not isinstance(one, Fault):
                cells = parse(one[1])
                one = Fault(one[0], cells, False) if isinstance(cells, str) else (one[0], cells)
            yield one


def _fasttext(line):
    words = line.split()
    labels = [word.removeprefix(PREFIX) for word in words if word.startswith(PREFIX)]
    return [" ".join(word for word in words if not word.startswith(PREFIX)), labels]


def _annif(line):
    """Return the cells of a line of Annif's tables without a header: a text, a tab, addresses in angle brackets."""
    text, tab, addresses = line.partition("\t")
    if tab and (not addresses.strip() or ADDRESSES.fullmatch(addresses)):
        return [text, addresses]
    return "is no text, a tab and <addresses>"


def _addresses(cell):
    """Return the addresses of a cell of Annif's: a text with blanks between them, or a list; or the cell as it is."""
    if isinstance(cell, list):
        return [one.get("uri") if isinstance(one, dict) else one for one in cell]
    if not isinstance(cell, str):
        return cell
    return re.findall(r"<([^<>\s]+)>", cell) if "<" in cell else cell.split()


def _of_delimited(path, columns, delimiter, encoding):
    start = _start(path, encoding)
    sep_line = EXCEL.match(start)
    if sep_line:
        start, delimiter = start[sep_line.end() :], delimiter or sep_line[1]
    before = int(sep_line is not None)  # lines
    with _text(path, encoding, newline="") as file, ExitStack() as afterwards:
        afterwards.callback(csv.field_size_limit, csv.field_size_limit(LONGEST_FIELD))
        if sep_line:
            file.readline()
        reader, header = _reader(path, file, start, columns, delimiter, before)
        _check_columns(path, columns, header)
        places = [header.index(name) for name in columns]
        while True:
            line = reader.line_num + before + 1
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                yield Fault(line, f"cannot be read: {error}{_reach(line, reader, before)}", False)
                continue
            if not cells:
                continue
            if len(cells) != len(header):
                reach = _reach(line, reader, before)
                yield Fault(line, f"has {len(cells)} cells, the header {len(header)}{reach}", False)
            elif any(_is_strange(cells[place]) for place in places):
                yield _not_in(line, encoding)
            else:
                yield line, [cells[place] for place in places]
                if reader.line_num + before - line >= MOST_LINES:
                    yield Fault(line, f"is long{_reach(line, reader, before)}", True)


def _reach(line, reader, before):
    """Return how far a row goes, if beyond its line."""
    last = reader.line_num + before
    return f", and goes on to line {last}: is a quote not closed?" if last > line else ""


def _reader(path, file, start, columns, delimiter, before):
    """Return a reader of a CSV file's rows, past its header, and the header.

    Of the delimiters and ways of quoting (doubled, by a backslash, or none with tabs) it takes that which gives the
    wanted columns, and most rows as many cells as the header.
    """
    delimiters = [delimiter.replace("\\t", "\t")] if delimiter else list(",;\t|")
    ways = [(sign, False, csv.QUOTE_MINIMAL) for sign in delimiters]
    ways += [(sign, True, csv.QUOTE_MINIMAL) for sign in delimiters if '\\"' in start]
    if "\t" in delimiters and "\t" in start.partition("\n")[0] and not QUOTED.search(start):
        ways.append(("\t", False, csv.QUOTE_NONE))
    sample = start if len(start) < START else start[: start.rfind("\n") + 1] or start
    try:
        best = max(ways, key=lambda way: _fit(_rows_as(io.StringIO(sample, newline=""), *way), columns))
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path} cannot be read with delimiter {delimiter!r}: {error}") from None
    reader = _rows_as(file, *best)
    try:
        return reader, [name.strip("\ufeff \t\r\n") for name in next(reader, [])]
    except csv.Error as error:
        where = f"{path}, line {reader.line_num + before}"
        raise ValueError(f"{where}: its header cannot be read ({error})") from None


def _rows_as(lines, delimiter, escaped, quoting):
    if escaped:
        lines = (ESCAPED.sub(lambda found: found[1].replace('"', '""'), line) for line in lines)
    return csv.reader(lines, delimiter=delimiter, quoting=quoting, strict=True, skipinitialspace=True)


def _fit(reader, columns):
    """Return how well the first rows can be read: how many columns are there, and the share of rows as long."""
    rows = []
    while len(rows) < LOOKED_AT:
        try:
            rows.append(next(reader))
        except StopIteration:
            break
        except csv.Error:
            rows.append(None)
    header, *rest = rows or [None]
    if header is None:
        return -1, False, 0, 0
    names = [name.strip("\ufeff \t\r\n") for name in header]
    whole = [len(row or ()) == len(header) for row in rest if row != []]
    share = sum(whole) / max(len(whole), 1)
    return len(set(columns) & set(names)), len(header) > 1, share, len(header)


def _of_json(path, columns, encoding):
    """Yield the rows of JSON lines, or of one array of objects."""
    known, n_rows = {}, 0
    is_array = _start(path, encoding).lstrip("\ufeff \t\r\n").startswith("[")
    for one in (_in_array if is_array else _json_lines)(path, encoding):
        if not isinstance(one, Fault):
            line, record = one
            if not isinstance(record, dict):
                one = Fault(line, "is no JSON object", False)
            else:
                known |= dict.fromkeys(record)
                missing = [name for name in columns if name not in record]
                n_rows += not missing
                one = line, [record.get(name) for name in columns]
                if missing:
                    one = Fault(line, f"has no {missing[0]}", False)
        yield one
    if not n_rows and known:
        _check_columns(path, columns, list(known))


def _json_lines(path, encoding):
    with _text(path, encoding) as file:
        for line, text in enumerate(file, 1):
            if _is_strange(text):
                yield _not_in(line, encoding)
            elif text.strip():
                try:
                    yield line, json.loads(text.removeprefix("\ufeff"))
                except (ValueError, RecursionError) as error:
                    yield Fault(line, f"is no JSON: {error}", False)


def _in_array(path, encoding):
    """Yield the records of one array, each with the line on which it begins. Raises DamagedFile where it is cut."""
    with _text(path, encoding) as file:
        text = file.read()
    decoder, line, begin, place = json.JSONDecoder(), 1, 0, text.index("[")
    while True:
        place = BLANK.match(text, place + 1).end()  # past the bracket, or a comma
        line, begin = line + text.count("\n", begin, place), place
        try:
            if text[place] != "]":
                record, place = decoder.raw_decode(text, place)
                yield _not_in(line, encoding) if STRANGE in text[begin:place] else (line, record)
                place = BLANK.match(text, place).end()
            if text[place] not in ",]":
                raise ValueError("a comma is missing, or the end")
        except (ValueError, RecursionError, IndexError) as error:
            raise DamagedFile(
                f"{path}, line {line}: its array of records is cut short or damaged ({error}): mend it, or write an "
                "object a line"
            ) from None
        if text[place] == "]":
            if text[place + 1 :].strip():
                raise DamagedFile(
                    f"{path}, line {line}: more follows its array of records: write an object a line"
                )
            return


def _of_parquet(path, columns):
    try:
        from pyarrow import ArrowException, parquet
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError(
            f"{path} needs pyarrow: pip install pyarrow, or save the table as CSV", name=missing.name
        ) from None
    try:
        file = parquet.ParquetFile(path)
        _check_columns(path, columns, file.schema_arrow.names)
        size, total, table = path.stat().st_size, 0, []
        refuse_beyond(path, size, _unpacked_bytes(file.metadata, columns))
        for batch in file.iter_batches(ROWS_AT_ONCE, columns=list(dict.fromkeys(columns))):
            total = refuse_beyond(path, size, total + batch.nbytes)
            table += _plain_rows(batch)
    except (ArrowException, OSError, OverflowError, UnicodeDecodeError) as error:
        raise DamagedFile(f"{path} is no parquet file that can be read: {error}") from None
    for line, row in enumerate(table, 1):
        yield _not_in(line, USUAL) if row is None else (line, [row[name] for name in columns])


def _unpacked_bytes(metadata, columns):
    """Return how many bytes a parquet file tells that columns unpack to; a text of many rows may count once."""
    groups = (metadata.row_group(place) for place in range(metadata.num_row_groups))
    parts = (group.column(place) for group in groups for place in range(group.num_columns))
    return sum(part.total_uncompressed_size for part in parts if part.path_in_schema.split(".")[0] in columns)


def _plain_rows(batch):
    """Return a batch of a parquet file as mappings, None for a row that is not in UTF-8."""
    try:
        return batch.to_pylist()
    except UnicodeDecodeError:
        if batch.num_rows == 1:
            return [None]
        return [row for place in range(batch.num_rows) for row in _plain_rows(batch.slice(place, 1))]


def _check_columns(path, columns, known):
    if any(map(_is_half, known)):
        raise ValueError(
            f"{path}: the names of its columns are not in this encoding: give another --encoding"
        )
    for name in columns:
        if list(known).count(name) > 1:
            raise ValueError(f"{path} has more than one column {name!r}: give them different names")
        try:
            check_name("column", name, known)
        except ValueError as error:
            raise ValueError(f"{path}: {error}{_hint(known)}") from None


def _hint(known):
    """Return which layout a table without the columns that are wanted may have."""
    if "subject_uris" in known or "subjects" in known:
        return ". With --format annif its columns are taken as Annif's"
    if len(known) == 2 and any(ADDRESSES.fullmatch(name) for name in known):
        return ". Is it Annif's, without a header? Give --format annif"
    if any(PREFIX in name for name in known):
        return ". Is it fastText's? Give --format fasttext"
    return ""
