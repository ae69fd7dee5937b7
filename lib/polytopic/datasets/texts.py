"""Corpora from tables of texts: CSV, TSV, JSON lines or parquet, a document a row, labels in a column or several."""

import csv
import json
import re
import unicodedata
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import MultiLabelBinarizer
from sklearn.utils.validation import check_is_fitted

from polytopic.corpus import Corpus
from polytopic.datasets.converted import read_converted
from polytopic.datasets.fetching import DamagedFile, MissingCorpus, reading
from polytopic.files import write_whole
from polytopic.unpacking import bounded, refuse_beyond
from polytopic.validation import check_name

DELIMITED, LINES, PARQUET = (".csv", ".tsv", ".txt"), (".jsonl", ".ndjson", ".json"), (".parquet", ".pq")
VECTORIZER = "vectorizer.json"
UNTOLD = (
    "vocabulary",
    "dtype",
    "analyzer",
    "preprocessor",
    "tokenizer",
    "input",
)  # not of every vectoriser in JSON
ARRIVING = 1 << 20  # bytes of a stream that are taken at a time
LONGEST_FIELD = 1 << 27  # characters of one text
SNIFFED = 1 << 16  # characters by which the delimiter is told
INVISIBLE = re.compile(
    "[\u00ad\u200b\u2060\ufeff]"
)  # soft hyphens, spaces without width, marks of byte order
UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f]")
MOST_LINES = 100  # of a row whose quotes are all closed, as far as one would think
ROWS_AT_ONCE = (
    8  # of a parquet file, whose size is known when they are read: a text may stand once for all rows
)
LEAST_DOCUMENTS = 2  # with a word, for the word to count


class Fault(NamedTuple):
    """Something wrong with a row: the line on which it begins, what, and whether the row is in the corpus still."""

    line: int
    reason: str
    kept: bool


class Imported(NamedTuple):
    """A corpus made of texts, the fitted scikit-learn vectoriser that counted their words, and a list of Faults."""

    corpus: Corpus
    vectorizer: CountVectorizer
    faults: list


def read_table(
    path, text="text", labels="labels", separator=";", delimiter=None, vectorizer=None, name=None, splits=5
):
    """Return what a file of texts holds, as Imported: a row is a document.

    The file is CSV or TSV with a header (.csv, .tsv, .txt), JSON lines (.jsonl, .ndjson, .json: an object a line), or
    parquet (.parquet, where pyarrow is installed), in UTF-8. text names a column, or several whose texts are joined.
    labels names a column, whose cell is split at ``separator`` or holds a list (in JSON also a list as text), or
    several columns with a label each, empty ones aside; a label's white space is evened out, signs in it that are not
    shown are dropped, its letters are composed (NFC), and a label twice counts once. delimiter None finds out whether
    commas, semicolons, tabs or bars part the columns of a CSV file.

    vectorizer counts the words, None for ``CountVectorizer(min_df=2)``; one that is fitted keeps its vocabulary. The
    corpus is called ``name``, or as the file; it gets so many seeded splits, four fifths of the documents for
    training, and none where there are fewer than ten documents.

    A row that cannot be read (too few or too many cells, no UTF-8, no JSON object, a cell that is no text or list) is
    left out; one without words or without labels is kept. Each is a Fault, in the order of the lines, so that nothing
    is lost silently.

    Raises ValueError for a kind of file that is not known, columns that are not there, naming those that are, and a
    file without a single document; MissingCorpus where there is no file; DamagedFile for a parquet file that is none,
    TooLarge for one that unpacks to more than ``unpacking.most``; ModuleNotFoundError, with the remedy, for parquet
    without pyarrow.
    """
    path = Path(path)
    columns = _listed(text), _listed(labels)
    if not path.is_file():
        raise MissingCorpus(f"there is no file {path}")
    documents, faults = [], []
    for one in _rows(path, [*chain(*columns)], delimiter):
        if isinstance(one, Fault):
            faults.append(one)
            continue
        line, cells = one
        read = _document(cells, *columns, separator)
        if isinstance(read, str):
            faults.append(Fault(line, read, False))
        else:
            documents.append((line, *read))
    if not documents:
        told = f": {faults[0].reason}, line {faults[0].line}" if faults else ""
        raise ValueError(f"{path} holds no document that could be read{told}")
    lines, texts, sets = zip(*documents, strict=True)
    counts, vectorizer = _counted(path, texts, vectorizer)
    binarizer = MultiLabelBinarizer(sparse_output=True)
    found = binarizer.fit_transform(sets)
    for line, words, own in zip(lines, counts.getnnz(axis=1), sets, strict=True):
        faults += [Fault(line, "has no word that counts", True)] if not words else []
        faults += [Fault(line, "has no label", True)] if not own else []
    vocabulary = vectorizer.get_feature_names_out()
    corpus = Corpus(counts, found, vocabulary, binarizer.classes_, name=name or path.name.split(".")[0])
    if splits and corpus.n_documents >= 10:
        corpus = corpus.with_splits(n_splits=splits, train_fraction=0.8)
    return Imported(corpus, vectorizer, sorted(faults))


def texts_of(path, text="text", delimiter=None):
    """Yield (line, text) for the rows of a file as they are read, and a Fault for each that cannot be.

    Files and columns are as of ``read_table``; of a .txt file each line is a text. Raises as ``read_table``.
    """
    path, columns = Path(path), _listed(text)
    if not path.is_file():
        raise MissingCorpus(f"there is no file {path}")
    if path.suffix.lower() == ".txt":
        with open(path, "rb") as file:
            yield from (one for one in texts_of_lines(file) if one is not None)
        return
    for one in _rows(path, columns, delimiter):
        if not isinstance(one, Fault):
            line, cells = one
            read = _document(cells, columns, [], None)
            one = Fault(line, read, False) if isinstance(read, str) else (line, read[0])
        yield one


def texts_of_lines(stream):
    """Yield (line, text) for each line of a binary stream that is not blank, as they arrive, in UTF-8.

    A line that is not in UTF-8 is a Fault. None is yielded where all that has arrived is handed on, before more is
    waited for.
    """
    number, parts = 0, []
    while arrived := stream.read1(ARRIVING):
        *whole, rest = arrived.split(b"\n")
        for one in whole:
            number += 1
            yield from _text_of_line(number, b"".join([*parts, one]))
            parts = []
        parts.append(rest)
        yield None
    yield from _text_of_line(number + 1, b"".join(parts))


def _text_of_line(number, line):
    try:
        text = line.decode("utf-8-sig" if number == 1 else "utf-8").removesuffix("\r")
    except UnicodeDecodeError:
        yield Fault(number, "is not in UTF-8", False)
    else:
        if text.strip():
            yield number, text


def write_vectorizer(vectorizer, folder):
    """Write the settings of a CountVectorizer into a corpus folder, whose words are the vocabulary."""
    told = {name: value for name, value in vectorizer.get_params().items() if name not in UNTOLD}
    write_whole(
        Path(folder) / VECTORIZER, json.dumps(told, indent=1, ensure_ascii=False, default=list) + "\n"
    )


def read_vectorizer(folder):
    """Return the fitted CountVectorizer of a corpus folder that ``write_vectorizer`` wrote to, for further texts.

    Raises MissingCorpus where the folder has none; DamagedFile where it is damaged.
    """
    path = Path(folder) / VECTORIZER
    with reading(path):
        told = json.loads(path.read_text(encoding="utf-8"))
        told["ngram_range"] = shortest, longest = tuple(told["ngram_range"])
        if not 1 <= shortest <= longest:
            raise ValueError(f"ngram_range is {shortest} to {longest}, no range of lengths from 1 on")
        vectorizer = CountVectorizer(**told, vocabulary=list(read_converted(folder).vocabulary))
        vectorizer.transform([""])  # a setting that is none is met here
        return vectorizer


def _counted(path, texts, vectorizer):
    if vectorizer is None:
        vectorizer = CountVectorizer(min_df=min(LEAST_DOCUMENTS, len(texts)))
    try:
        check_is_fitted(vectorizer, "vocabulary_")
    except ValueError:
        try:
            return vectorizer.fit_transform(texts).astype(np.int32), vectorizer
        except ValueError as error:
            raise ValueError(
                f"no word is left of {len(texts)} texts of {path} by {vectorizer}: {error}; is it the right column?"
            ) from None
    return vectorizer.transform(texts).astype(np.int32), vectorizer


def _listed(names):
    return [names] if isinstance(names, str) else list(names)


def _document(cells, text, labels, separator):
    """Return the text and the labels of a row's {column: cell}, or what is wrong with it."""
    texts = ["" if cells[name] is None else cells[name] for name in text]
    wrong = next((name for name, one in zip(text, texts, strict=True) if not isinstance(one, str)), None)
    if wrong is not None:
        return f"{wrong} is no text but {type(cells[wrong]).__name__}"
    found = []
    for name in labels:
        own = _labels(cells[name], separator if len(labels) == 1 else None)
        if own is None:
            return f"{name} is neither a text nor a list of texts"
        found += own
    return "\n".join(texts), sorted({_plain(one) for one in found} - {""})


def _plain(label):
    """Return a label as it is seen: composed letters, white space evened out, no signs that are not shown."""
    return " ".join(UNSEEN.sub(" ", INVISIBLE.sub("", unicodedata.normalize("NFC", label))).split())


def _labels(cell, separator):
    """Return the labels of a cell, or None where it holds something else."""
    if cell is None:
        return []
    if isinstance(cell, str) and cell.startswith("["):
        with suppress(ValueError):  # a label may begin so
            cell = json.loads(cell)
    if isinstance(cell, str):
        return cell.split(separator) if separator else [cell]
    if isinstance(cell, (list, tuple, np.ndarray)) and all(isinstance(one, str) for one in cell):
        return list(cell)
    return None


# Kinds of files: each yields (line, {column: cell}), or a Fault


def _rows(path, columns, delimiter):
    ending = path.suffix.lower()
    if ending in DELIMITED:
        return _of_delimited(path, columns, "\t" if ending == ".tsv" and delimiter is None else delimiter)
    if ending in LINES:
        return _of_lines(path, columns)
    if ending in PARQUET:
        return _of_parquet(path, columns)
    known = ", ".join((*DELIMITED, *LINES, *PARQUET))
    raise ValueError(f"{path} is of a kind that is not known: a table of texts ends in one of {known}")


def _of_delimited(path, columns, delimiter):
    with open(path, encoding="utf-8-sig", errors="surrogateescape", newline="") as file, _long_fields():
        delimiter = delimiter or _delimiter(file.read(SNIFFED))
        file.seek(0)
        try:
            reader = csv.reader(file, delimiter=delimiter, strict=True)
        except TypeError as error:
            raise ValueError(f"{path} cannot be read with delimiter {delimiter!r}: {error}") from None
        try:
            header = next(reader, [])
        except csv.Error as error:
            raise ValueError(f"{path}, line {reader.line_num}: its header cannot be read ({error})") from None
        _check_columns(path, columns, header)
        places = {name: header.index(name) for name in columns}
        while True:
            line = reader.line_num + 1
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                yield Fault(line, f"cannot be read: {error}{_reach(line, reader)}", False)
                continue
            if not cells:
                continue
            if len(cells) != len(header):
                yield Fault(
                    line, f"has {len(cells)} cells, the header {len(header)}{_reach(line, reader)}", False
                )
            elif any(_is_no_text(cells[place]) for place in places.values()):
                yield Fault(line, "is not in UTF-8", False)
            else:
                yield line, {name: cells[place] for name, place in places.items()}
                if reader.line_num - line >= MOST_LINES:
                    yield Fault(line, f"is long{_reach(line, reader)}", True)


def _reach(line, reader):
    """Return how far a row goes, if beyond its line."""
    return (
        f", and goes on to line {reader.line_num}: is a quote not closed?" if reader.line_num > line else ""
    )


def _of_lines(path, columns):
    n_rows, known = 0, {}
    with open(path, encoding="utf-8-sig", errors="surrogateescape") as file:
        for line, text in enumerate(file, 1):
            if not text.strip():
                continue
            try:
                found = None if _is_no_text(text) else json.loads(text)
            except (ValueError, RecursionError) as error:
                yield Fault(line, f"is no JSON: {error}", False)
                continue
            if not isinstance(found, dict):
                yield Fault(line, "is not in UTF-8" if found is None else "is no JSON object", False)
                continue
            known |= dict.fromkeys(found)
            missing = [name for name in columns if name not in found]
            if missing:
                yield Fault(line, f"has no {missing[0]}", False)
            else:
                n_rows += 1
                yield line, {name: found[name] for name in columns}
    if not n_rows and known:
        _check_columns(path, columns, list(known))


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
        refuse_beyond(path, path.stat().st_size, _told_bytes(file.metadata, columns))
        batches = file.iter_batches(ROWS_AT_ONCE, columns=list(dict.fromkeys(columns)))
        table = [row for batch in bounded(path, batches) for row in _plain_rows(batch)]
    except (ArrowException, OSError, OverflowError, UnicodeDecodeError) as error:
        raise DamagedFile(f"{path} is no parquet file that can be read: {error}") from None
    for line, row in enumerate(table, 1):
        yield Fault(line, "is not in UTF-8", False) if row is None else (line, row)


def _told_bytes(metadata, columns):
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
    for name in columns:
        if list(known).count(name) > 1:
            raise ValueError(f"{path} has more than one column {name!r}: give them different names")
        try:
            check_name("column", name, known)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None


def _delimiter(text):
    """Return what parts the columns of a table: of comma, semicolon, tab and bar what its header has most of."""
    return max(",;\t|", key=text.partition("\n")[0].count)


def _is_no_text(cell):
    return any("\udc80" <= letter <= "\udcff" for letter in cell) if not cell.isascii() else False


@contextmanager
def _long_fields():
    """Let a cell of a CSV file be as long as a book."""
    before = csv.field_size_limit(LONGEST_FIELD)
    try:
        yield
    finally:
        csv.field_size_limit(before)
