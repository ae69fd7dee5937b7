"""What is no table of numbers, or a sparse one whose indices point outside it, is refused before any code uses it."""

import subprocess
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone, is_classifier
from test_settings import ESTIMATORS

from polytopic.corpus import Corpus
from polytopic.datasets import DamagedFile, read_converted
from polytopic.metrics import rank_positives, vertex_measures
from polytopic.models import (
    M5P,
    PLST,
    BinaryRelevanceSVM,
    CalibratedLabelRanking,
    DependencyLDA,
    HybridClassifier,
)
from polytopic.validation import check_counts, check_indices, check_labels, check_values

COUNTS = np.array([[2, 0, 1], [0, 3, 0], [1, 0, 4]])
CHECKS = [check_counts, check_values]


def broken(format="csr", **changes):
    """Return COUNTS in a format with some entries of its arrays overwritten, {array: {position: value}}."""
    matrix = sparse.csr_matrix(COUNTS).asformat(format)
    for array, entries in changes.items():
        for position, value in entries.items():
            getattr(matrix, array)[position] = value
    return matrix


@pytest.mark.parametrize("check", [*CHECKS, lambda X, name: check_labels(X > 0, name=name)])
@pytest.mark.parametrize("format", ["csr", "csc", "coo", "bsr", "lil", "dok", "dia"])
def test_sound_matrices_of_all_formats_pass(check, format):
    given = sparse.csr_matrix(COUNTS).asformat(format)
    assert np.array_equal(check(given, "X").toarray() > 0, COUNTS > 0)
    assert check_indices(given) is given


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (broken(indices={1: 3}), r"X\[0, 3\] lies outside the shape 3 x 3 \(1 such entries\): .* anew"),
        (broken(indices={3: 2_000_000_000, 4: 7}), r"X\[2, 2000000000\] lies outside .*\(2 such"),
        (broken(indices={2: -1}), r"X\[1, -1\] lies outside"),
        (broken(indptr={2: 4_000_000}), r"X\.indptr\[2\] = 4000000 must lie between 2 and 5, with 5 entries"),
        (broken(indptr={2: 1}), r"X\.indptr\[2\] = 1 must lie between 2 and 5"),
        (broken(indptr={0: 1}), r"X\.indptr\[0\] = 1 must lie between 0 and 0"),
        (broken(indptr={1: -2}), r"X\.indptr\[1\] = -2 must lie"),
        (broken("csc", indices={0: 9}), r"X\[9, 0\] lies outside the shape 3 x 3"),
        (broken("csc", indptr={1: 100}), r"X\.indptr\[1\] = 100 must lie"),
        (broken("coo", row={4: 5}), r"X\[5, 2\] lies outside"),
        (broken("coo", col={0: -3}), r"X\[0, -3\] lies outside"),
        (broken("bsr", indices={0: 1_000_000}), r"X's block \[0, 1000000\] lies outside"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("check", CHECKS)
def test_indices_outside_the_matrix_are_named(check, matrix, message):
    with pytest.raises(ValueError, match=message):
        check(matrix, "X")


def test_pointers_that_fall_without_entries_are_named_too():
    """scipy's own full check leaves a matrix without entries alone."""
    empty = sparse.csr_matrix((2, 3))
    empty.indptr[1] = 5
    with pytest.raises(ValueError, match=r"Y\.indptr\[1\] = 5 must lie between 0 and 0"):
        check_labels(empty, name="Y")


def test_arrays_of_the_wrong_kind_and_length_are_named():
    matrix = broken()
    matrix.indices = matrix.indices.astype(float)
    with pytest.raises(ValueError, match=r"X\.indices must be one row of integers, got float64"):
        check_counts(matrix)
    matrix = broken()
    matrix.indptr = matrix.indptr[:-1]
    with pytest.raises(ValueError, match=r"X\.indptr has 3 pointers for 3 rows or columns"):
        check_counts(matrix)
    matrix = broken("coo")
    matrix.data = matrix.data[:-1]
    with pytest.raises(ValueError, match="X has rows, columns and values of different number"):
        check_counts(matrix)


def test_entries_behind_the_last_pointer_do_not_count():
    matrix = sparse.csr_matrix((np.array([1, -7]), np.array([0, 99]), np.array([0, 1])), shape=(1, 2))
    assert check_counts(matrix).toarray().tolist() == [[1, 0]]


@pytest.mark.parametrize("matrix", [np.ones((1, 2), complex), sparse.csr_matrix(np.ones((1, 2), complex))])
@pytest.mark.parametrize("check", [*CHECKS, check_labels])
def test_what_is_no_number_is_refused(check, matrix):
    with pytest.raises(ValueError, match="Complex data not supported: Z has dtype complex128"):
        check(matrix, name="Z")


MAKERS = "CountVectorizer makes counts of texts, its MultiLabelBinarizer a label table"
SECRET = "the whole text of a letter"
NO_TABLES = {
    "texts": [SECRET, "another"],
    "texts of one word": ["1", "0"],
    "a table of digits as texts": np.array([["1", "0"], ["0", "1"]], object),
    "a column of texts": pd.Series([SECRET, "another"]),
    "texts as objects": np.array([SECRET, "another"], object),
    "texts beside numbers": pd.DataFrame({"text": [SECRET, "another"], "length": [1, 2]}),
    "categories": pd.Series([SECRET, "another"], dtype="category").to_frame(),
    "label sets joined": pd.Series(["tag;other", "tag"]),
    "names of classes": np.array(["tag", "other"]),
    "lists of tags": [["tag"], ["tag", "other"]],
    "lists of as many tags": [["a", "b"]],
    "a column of lists": pd.Series([["tag"], ["tag", SECRET]]),
    "sets": [{"tag"}, {"tag", "other"}],
    "a column of sets": pd.Series([{"tag"}, set()]),
    "mappings": [{"tag": 1}, {"other": 1}],
    "a mapping": {"tag": [1, 0]},
    "a generator": (one for one in ([1, 0], [0, 1])),
    "bytes": [b"tag", b"other"],
    "dates": pd.to_datetime(["2020-01-01", "2020-01-02"]).to_frame(),
    "dates among numbers": pd.DataFrame({"a": [1, 0], "when": pd.to_datetime(["2020-01-01", "2020-01-02"])}),
    "complex objects": np.array([[1j, 0]], object),
    "classes by number": np.array([2, 1]),
    "a number": 3,
}


@pytest.mark.parametrize("given", NO_TABLES.values(), ids=NO_TABLES)
@pytest.mark.parametrize("check", [*CHECKS, check_labels])
def test_what_is_no_table_of_numbers_is_met_with_who_makes_one(check, given):
    """Python's or NumPy's own words came for most of these, with a document in them; digits as texts passed."""
    with pytest.raises(ValueError, match=MAKERS) as refused:
        check(given, name="Z")
    assert "Z" in str(refused.value) and "letter" not in str(refused.value)


@pytest.mark.parametrize("check", [*CHECKS, check_labels])
@pytest.mark.parametrize("missing", [pd.NA, None, pd.NaT])
def test_a_missing_entry_is_named_by_its_place(check, missing):
    table = pd.DataFrame({"a": [1, 0, 1], "b": pd.Series([0, 1, missing], dtype=object)})
    with pytest.raises(ValueError, match=r"Z\[2, 1\] is missing: fill it"):
        check(table, name="Z")
    for kind, values in (("Int64", [0, 1, None]), ("boolean", [False, True, None])):
        table = pd.DataFrame({"a": [1, 0, 1], "b": pd.array(values, dtype=kind)})
        with pytest.raises(ValueError, match=r"Z\[2, 1\] is (missing|not finite)|Z\[2, 1\] = nan"):
            check(table, name="Z")


@pytest.mark.parametrize("check", [*CHECKS, check_labels])
@pytest.mark.parametrize(
    "given",
    [
        np.array([[1, 0], [0, 1]], np.float16),
        np.array([[1, False], [Fraction(0), Decimal(1)]], object),
        np.array([[np.int8(1), np.bool_(0)], [0.0, np.float32(1)]], object),
        pd.DataFrame({"a": pd.array([1, 0], "Int64"), "b": pd.array([False, True], "boolean")}),
        pd.DataFrame({"a": [1, 0], "b": [0, 1]}).astype(pd.SparseDtype(int, 0)),
    ],
    ids=["float16", "exact numbers", "scalars", "nullable", "sparse"],
)
def test_numbers_of_whatever_kind_are_counts(check, given):
    assert check(given).toarray().astype(int).tolist() == [[1, 0], [0, 1]]


def test_a_number_that_no_float_holds_is_refused():
    with pytest.raises(ValueError, match="X must hold real numbers that fit 64 bits"):
        check_counts(np.array([[10**400]], object))


LABEL_SETS = ["sets", "a column of lists", "label sets joined", "texts", "names of classes", "lists of tags"]
CLASSIFIERS = {type(one).__name__: one for one in ESTIMATORS if is_classifier(one)}


@pytest.mark.parametrize("model", CLASSIFIERS.values(), ids=CLASSIFIERS)
def test_every_classifier_says_what_makes_a_label_table(model):
    for case in LABEL_SETS:
        with pytest.raises(ValueError, match=MAKERS):
            clone(model).fit(np.ones((2, 3), int), NO_TABLES[case])
        with pytest.raises(ValueError, match=MAKERS):
            clone(model).fit(NO_TABLES["a column of texts"], np.eye(2, dtype=int))


def test_weights_are_met_with_who_takes_them():
    """The hybrid, which weighs counts itself, was said to be a topic model."""
    with pytest.raises(
        ValueError, match=r"X\[0, 0\] = 0\.5 is fractional .* HybridClassifier weighs them itself"
    ):
        HybridClassifier().fit(np.full((4, 3), 0.5), np.eye(4, dtype=int))


@pytest.mark.parametrize("check", CHECKS)
def test_duplicates_add_up_whatever_their_type(check):
    """In eight bits 200 and 100 used to make 44."""
    parts = np.array([200, 100], np.uint8), (np.array([0, 0]), np.array([1, 1]))
    assert check(sparse.coo_matrix(parts, shape=(1, 2))).toarray().tolist() == [[0, 300]]
    rows = sparse.csr_matrix((parts[0], np.array([1, 1]), np.array([0, 2])), shape=(1, 2))
    assert check(rows).toarray().tolist() == [[0, 300]]


@pytest.mark.parametrize("part", ["counts", "labels"])
def test_a_corpus_names_its_part(part):
    parts = {"counts": COUNTS, "labels": COUNTS > 0, part: broken(indices={4: 1_000_000}) > 0}
    parts[part].indices[4] = 1_000_000
    for real_valued in (False, True):
        with pytest.raises(ValueError, match=rf"{part}\[2, 1000000\] lies outside the shape 3 x 3"):
            Corpus(**parts, real_valued=real_valued)


MODELS = [
    DependencyLDA(n_topics=2),
    BinaryRelevanceSVM(),
    PLST(),
    PLST(n_dimensions="auto"),
    CalibratedLabelRanking(),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_models_refuse_such_features_and_labels(model):
    with pytest.raises(ValueError, match=r"X\[2, 31\] lies outside"):
        model.fit(broken(indices={4: 31}), COUNTS > 0)
    with pytest.raises(ValueError, match=r"Y\[2, 31\] lies outside"):
        labels = sparse.csr_matrix(COUNTS > 0)
        labels.indices[4] = 31
        model.fit(COUNTS, labels)


def test_model_tree_and_measures_refuse_them():
    outside = r"\[2, 31\] lies outside"
    with pytest.raises(ValueError, match="X" + outside):
        M5P().fit(broken(indices={4: 31}), np.ones(3))
    with pytest.raises(ValueError, match="truth" + outside):
        rank_positives(broken(indices={4: 31}), np.ones((3, 3)))
    with pytest.raises(ValueError, match="scores" + outside):
        rank_positives(COUNTS > 0, broken(indices={4: 31}))
    with pytest.raises(ValueError, match="truth" + outside):
        vertex_measures(broken(indices={4: 31}), np.ones((3, 3)))


STORY = """
import sys
import numpy as np
from scipy import sparse
from polytopic.datasets import read_converted
from polytopic.models import FlatLDA
corpus = read_converted(sys.argv[1])
FlatLDA(n_chains=1, n_sweeps=2, n_test_chains=1, burn_in=1, n_samples=1).fit(corpus.counts, corpus.labels)
"""


def write_arrays(folder, **arrays):
    """Write 40 documents of 25 words and 5 labels, with arrays of X.npz or Y.npz changed as ``X_indices=...``."""
    rng = np.random.default_rng(0)
    tables = {"X": rng.integers(1, 3, size=(40, 25)), "Y": np.eye(5, dtype=np.uint8)[np.arange(40) % 5]}
    for file, table in tables.items():
        matrix = sparse.csr_matrix(table)
        stored = {part: getattr(matrix, part).copy() for part in ("data", "indices", "indptr")}
        for array, change in arrays.items():
            if array.startswith(f"{file}_"):
                change(stored[array[2:]])
        np.savez(folder / f"{file}.npz", format=b"csr", shape=matrix.shape, **stored)


def at(position, value):
    return lambda array: array.__setitem__(position, value)


CASES = {"X": {"X_indices": at(7, 1_000_000)}, "Y": {"Y_indices": at(3, -5)}}


@pytest.mark.parametrize("case", CASES)
def test_a_damaged_folder_ends_in_one_clear_error(tmp_path, case):
    """In a process of its own: it used to end the interpreter (SIGSEGV, SIGABRT), or to train on in silence."""
    write_arrays(tmp_path, **CASES[case])
    file = tmp_path / f"{case}.npz"
    with pytest.raises(DamagedFile, match=rf"{file} cannot be read .* index arrays are damaged"):
        read_converted(tmp_path)
    ended = subprocess.run(
        [sys.executable, "-c", STORY, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 1 and f"DamagedFile: {file}" in ended.stderr


@pytest.mark.parametrize("check", [*CHECKS, check_labels])
def test_masked_entries_are_refused(check):
    """The mask was ignored, and what lay under it counted."""
    table = np.ma.masked_array([[1, 0], [0, 1]], mask=[[True, False], [False, False]])
    with pytest.raises(ValueError, match="masked entries"):
        check(table)
    assert check(np.ma.masked_array([[1, 0]])).nnz == 1
