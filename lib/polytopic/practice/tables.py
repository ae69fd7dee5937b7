"""Corpora from tables of texts: CSV, TSV, JSON or parquet, a document a row, labels in a column or several."""

import json
import re
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import MultiLabelBinarizer
from sklearn.utils.validation import check_is_fitted

from polytopic.corpus import Corpus
from polytopic.datasets.converted import read_converted
from polytopic.datasets.source_files import reading, unpacked
from polytopic.files import write_whole
from polytopic.practice.cells import label_sets
from polytopic.practice.rows import Fault, checked, encoding_of, layout_of, lines_of, rows_of

VECTORIZER = "vectorizer.json"
UNTOLD = (
    "vocabulary",
    "dtype",
    "analyzer",
    "preprocessor",
    "tokenizer",
    "input",
)  # not of every vectoriser in JSON
LEAST_DOCUMENTS = 2  # with a word, for the word to count
WITHOUT_BLANKS = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"
)  # Thai, Lao, Burmese, Khmer, Japanese, Chinese
UNPARTED = (
    "The texts have no blanks between words, so that whole sentences count as one: put blanks between them, or make "
    r"each sign a word, by --token-pattern '\w' --ngrams 1-2."
)
LONGEST_WORD, MUCH = 5, 0.3  # letters of a word of these scripts; their share of all letters


class Imported(NamedTuple):
    """A corpus made of texts, the fitted scikit-learn vectoriser that counted their words, and a list of Faults."""

    corpus: Corpus
    vectorizer: CountVectorizer
    faults: list


def read_table(
    path,
    text="text",
    labels="labels",
    separator=";",
    delimiter=None,
    vectorizer=None,
    name=None,
    splits=5,
    encoding=None,
    layout=None,
):
    """Return what a file of texts holds, as Imported: a row is a document.

    The file is CSV or TSV with a header (.csv, .tsv, .txt), JSON lines or an array of objects (.jsonl, .ndjson,
    .json), or parquet (.parquet, where pyarrow is installed); .gz, .bz2, .xz and .zip are unpacked. text names a
    column, or several whose texts are joined. delimiter None finds out whether commas, semicolons, tabs or bars
    part the columns of a CSV file; encoding None takes UTF-8, or what a mark of byte order tells. layout "fasttext"
    is a text a line, its labels with ``__label__`` before them; "annif" is Annif's tables: a text, a tab and
    <addresses>, or columns ``text`` and ``subject_uris``; None knows both by how they begin, where that is
    unmistakable.

    labels names a column, whose cell is split at ``separator`` or holds a list, also as Python, numpy or JSON write
    it, or tags as in ``<a><b>`` or ``|a|b|``; or several columns with a label each, empty ones aside; where such
    columns hold only 0 and 1, or words such as True and no, the names of those with 1 are the labels. A number is a
    label by its digits. A label's white space is evened out, signs in it that are not shown are dropped, its
    letters are composed (NFC), and a label twice counts once; nan, None, NULL and the like, where they are in no
    list, are none.

    vectorizer counts the words, None for ``CountVectorizer(min_df=2)``; one that is fitted keeps its vocabulary.
    The corpus is called ``name``, or as the file; it gets ``splits`` seeded splits, four fifths of the documents for
    training, and none where there are fewer than ten documents.

    A row that cannot be read (too few or too many cells, not in the encoding, no JSON object, a cell that is no
    text or list) is left out; one without words or without labels is kept. Each is a Fault, in the order of the
    lines, so that nothing is lost silently. What is odd about the labels or the words as a whole, such as brackets
    in most labels, is a Fault of line 0.

    Raises ValueError for a kind of file that is not known, columns that are not there, naming those that are, a
    file in another encoding than UTF-8 where none is given, and one without a single document or label;
    MissingCorpus where there is no file; DamagedFile for a file that cannot be unpacked, an array that is cut
    short, or parquet that is none; TooLarge;
    ModuleNotFoundError, with the remedy, for parquet without pyarrow.
    """
    path, columns = Path(path), _listed(labels)
    rows, texts, faults = [], [], []
    for one in rows_of(path, _listed(text), columns, delimiter, encoding, layout):
        if not isinstance(one, Fault):
            line, cells, own = one
            one = _text(line, cells)
        if isinstance(one, Fault):
            faults.append(one)
        else:
            texts.append(one[1])
            rows.append((line, own))
    if rows and len(rows[0][1]) != len(columns):
        columns = ["labels"]
    try:
        sets, odd = label_sets(rows, columns, separator)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    faults = sorted(faults + odd)
    kept = [place for place, own in enumerate(sets) if own is not None]
    texts, sets = [texts[place] for place in kept], [sets[place] for place in kept]
    if not any(sets):
        what = "label" if sets else "document that could be read"
        told = next((f": line {one.line} {one.reason}" for one in faults if one.line), "")
        raise ValueError(f"{path} holds no {what}{told}")
    counts, vectorizer = _counted(path, texts, vectorizer)
    binarizer = MultiLabelBinarizer(sparse_output=True)
    found = binarizer.fit_transform(sets)
    for place, words, own in zip(kept, counts.getnnz(axis=1), sets, strict=True):
        faults += [Fault(rows[place][0], "has no word that counts", True)] if not words else []
        faults += [Fault(rows[place][0], "has no label", True)] if not own else []
    if vectorizer.token_pattern == CountVectorizer().token_pattern and _lack_blanks(texts):
        faults.append(Fault(0, UNPARTED, True))
    vocabulary = vectorizer.get_feature_names_out()
    corpus = Corpus(counts, found, vocabulary, binarizer.classes_, name=name or path.name.split(".")[0])
    if splits and corpus.n_documents >= 10:
        corpus = corpus.with_splits(n_splits=splits, train_fraction=0.8)
    return Imported(corpus, vectorizer, sorted(faults))


def texts_of(path, text="text", delimiter=None, encoding=None):
    """Yield (line, text) for the rows of a file as they are read, and a Fault for each that cannot be.

    Files and columns are as of ``read_table``; of a .txt file each line is a text. Raises as ``read_table``.
    """
    path = Path(path)
    kind = checked(path)
    if kind == ".txt":
        encoding = encoding_of(path, encoding)
        if layout_of(path, kind, encoding) == "table":
            with unpacked(path) as file:
                yield from filter(None, lines_of(file, encoding))
            return
    for one in rows_of(path, _listed(text), [], delimiter, encoding):
        yield one if isinstance(one, Fault) else _text(*one[:2])


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
        with (
            warnings.catch_warnings()
        ):  # scikit-learn's of stop words that no word of a text is: they leave none out
            warnings.filterwarnings("ignore", "Your stop_words may be inconsistent", UserWarning)
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


def _text(line, cells):
    """Return (line, the texts of a row's cells in one), or a Fault."""
    texts = ["" if one is None else one for one in cells]
    wrong = next((type(one).__name__ for one in texts if not isinstance(one, str)), None)
    return Fault(line, f"has no text but {wrong}", False) if wrong else (line, "\n".join(texts))


def _lack_blanks(texts):
    """Return whether many letters are in runs, of scripts that put no blanks between words, as long as sentences."""
    lengths = np.array([len(run) for text in texts for run in WITHOUT_BLANKS.findall(text)], float)
    letters = sum(sum(map(str.isalpha, text)) for text in texts if not text.isascii())
    return lengths.sum() > MUCH * letters and (lengths**2).sum() > LONGEST_WORD * lengths.sum()
