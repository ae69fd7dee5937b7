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
from polytopic.practice.rows import Fault, encoding_of, kind_of, layout_of, lines_of, rows_of

VECTORIZER = "vectorizer.json"
NOT_WRITTEN = ("vocabulary", "dtype", "analyzer", "preprocessor", "tokenizer", "input")  # settings
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
    .json), or parquet (.parquet, .pq, with pyarrow); .gz, .bz2, .xz and .zip are unpacked. text names a column, or
    several whose texts are joined. delimiter None chooses between commas, semicolons, tabs and bars; encoding None
    takes UTF-8, or what a byte order mark says. layout "fasttext" is a text a line, its labels with ``__label__``
    before them; "annif" a text, a tab and <addresses>, or columns ``text`` and ``subject_uris``; None knows both
    where their beginning is unmistakable.

    labels names a column, whose cell is split at ``separator`` or holds a list, also as Python, numpy or JSON write
    it, or tags as in ``<a><b>`` or ``|a|b|``; or several columns with a label each, or with 0 and 1, True and no and
    the like, of which those with 1 give their names. A number is a label by its digits. White space in a label is
    evened out, invisible signs are dropped, letters are composed (NFC), and a label counts once a document. nan,
    None, NULL and the like, outside of lists, are none.

    vectorizer counts the words, None for ``CountVectorizer(min_df=2)``; one that is fitted keeps its vocabulary.
    The corpus is called ``name``, or as the file; from ten documents on it gets ``splits`` seeded splits, four fifths
    of the documents for training.

    A row that cannot be read is left out; one without words or labels is kept. Each is a Fault, in the order of the
    lines. What is odd about the labels or the words as a whole is a Fault of line 0.

    Raises ValueError for another kind of file, missing columns, another encoding, and a file without a document or
    without a label; MissingCorpus where there is no file; DamagedFile for one that is cut short; TooLarge for one
    that unpacks to more than ``source_files.most``; ModuleNotFoundError for parquet without pyarrow.
    """
    path, columns = Path(path), _as_list(labels)
    rows, texts, faults = [], [], []
    for one in rows_of(path, _as_list(text), columns, delimiter, encoding, layout):
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
    readable = [place for place, own in enumerate(sets) if own is not None]
    texts, sets = [texts[place] for place in readable], [sets[place] for place in readable]
    if not any(sets):
        what = "label" if sets else "document that could be read"
        reason = next((f": line {one.line} {one.reason}" for one in faults if one.line), "")
        raise ValueError(f"{path} holds no {what}{reason}")
    counts, vectorizer = _count_words(path, texts, vectorizer)
    binarizer = MultiLabelBinarizer(sparse_output=True)
    indicators = binarizer.fit_transform(sets)
    for place, words, own in zip(readable, counts.getnnz(axis=1), sets, strict=True):
        faults += [Fault(rows[place][0], "has no word that counts", True)] if not words else []
        faults += [Fault(rows[place][0], "has no label", True)] if not own else []
    if vectorizer.token_pattern == CountVectorizer().token_pattern and _lack_blanks(texts):
        faults.append(Fault(0, UNPARTED, True))
    vocabulary = vectorizer.get_feature_names_out()
    corpus = Corpus(counts, indicators, vocabulary, binarizer.classes_, name=name or path.name.split(".")[0])
    if splits and corpus.n_documents >= 10:
        corpus = corpus.with_splits(n_splits=splits, train_fraction=0.8)
    return Imported(corpus, vectorizer, sorted(faults))


def texts_of(path, text="text", delimiter=None, encoding=None):
    """Yield (line, text) for the rows of a file as they are read, and a Fault for each that cannot be.

    Files and columns are as of ``read_table``; of a .txt file each line is a text. Raises as ``read_table``.
    """
    path = Path(path)
    kind = kind_of(path)
    if kind == ".txt":
        encoding = encoding_of(path, encoding)
        if layout_of(path, kind, encoding) == "table":
            with unpacked(path) as file:
                yield from filter(None, lines_of(file, encoding))
            return
    for one in rows_of(path, _as_list(text), [], delimiter, encoding):
        yield one if isinstance(one, Fault) else _text(*one[:2])


def write_vectorizer(vectorizer, folder):
    """Write the settings of a CountVectorizer into a corpus folder, whose words are the vocabulary."""
    settings = {name: value for name, value in vectorizer.get_params().items() if name not in NOT_WRITTEN}
    text = json.dumps(settings, indent=1, ensure_ascii=False, default=list)
    write_whole(Path(folder) / VECTORIZER, text + "\n")


def read_vectorizer(folder):
    """Return the fitted CountVectorizer of a corpus folder that ``write_vectorizer`` wrote to, for further texts.

    Raises MissingCorpus where the folder has none; DamagedFile where it is damaged.
    """
    path = Path(folder) / VECTORIZER
    with reading(path):
        settings = json.loads(path.read_text(encoding="utf-8"))
        settings["ngram_range"] = shortest, longest = tuple(settings["ngram_range"])
        if not 1 <= shortest <= longest:
            raise ValueError(f"ngram_range is {shortest} to {longest}, no range of lengths from 1 on")
        vectorizer = CountVectorizer(**settings, vocabulary=list(read_converted(folder).vocabulary))
        with warnings.catch_warnings():  # stop words that no token matches leave none out
            warnings.filterwarnings("ignore", "Your stop_words may be inconsistent", UserWarning)
            vectorizer.transform([""])  # checks the settings
        return vectorizer


def _count_words(path, texts, vectorizer):
    if vectorizer is None:
        vectorizer = CountVectorizer(min_df=min(LEAST_DOCUMENTS, len(texts)))
    try:
        check_is_fitted(vectorizer, "vocabulary_")
    except ValueError:
        try:
            return vectorizer.fit_transform(texts).astype(np.int32), vectorizer
        except ValueError as error:
            left = f"no word is left of {len(texts)} texts of {path} by {vectorizer}"
            raise ValueError(f"{left}: {error}; is it the right column?") from None
    return vectorizer.transform(texts).astype(np.int32), vectorizer


def _as_list(names):
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
