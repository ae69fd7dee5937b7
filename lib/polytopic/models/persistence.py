"""A fitted model in a folder: model.json and arrays.npz, plain data with checksums, written whole.

Nothing in the files is executed at reading: the data name classes, and only those are made again that this library
defines, or that stand in OTHERS; an object is made empty and given its attributes. While a model is replaced, the old
one or the new one is there at every moment: the new arrays first lie beside the old ones, under a name by their
checksum. Processes that write one folder take turns, and who reads it waits until they are done.
"""

import hashlib
import importlib
import json
import math
import os
import time
from contextlib import suppress
from dataclasses import is_dataclass
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

import polytopic
from polytopic.datasets.source_files import TooLarge, check_archive
from polytopic.files import drafted, held
from polytopic.validation import check_indices

MODEL, ARRAYS = "model.json", "arrays.npz"
BESIDE = "arrays-{}.npz"  # by the checksum that model.json has of them, until they get their name
FORMAT = 2  # 1 had no kind: all were labellers
OTHERS = {  # what fitted models hold of other libraries
    "sklearn.cluster._kmeans.KMeans",
    "sklearn.feature_extraction.text.CountVectorizer",
    "sklearn.feature_extraction.text.TfidfTransformer",
    "sklearn.feature_extraction.text.TfidfVectorizer",
    "sklearn.linear_model._coordinate_descent.LassoCV",
    "sklearn.linear_model._logistic.LogisticRegression",
    "sklearn.linear_model._ridge.Ridge",
    "sklearn.pipeline.Pipeline",
    "sklearn.preprocessing._data.StandardScaler",
    "sklearn.preprocessing._function_transformer.FunctionTransformer",
    "sklearn.svm._classes.LinearSVC",
    "sklearn.svm._classes.LinearSVR",
}
FUNCTIONS = {"polytopic.models.hybrid._by_frequency"}  # that fitted models call
SEQUENCES = {"tuple": tuple, "set": set, "frozenset": frozenset}
PARTS = {"coo": ("data", "row", "col")}  # of a sparse matrix; otherwise:
COMPRESSED = ("data", "indices", "indptr")
KIND = "is"  # the key under which a mapping of the tree says what it stands for


class DamagedModel(ValueError):
    """A saved model is cut short or altered."""


class Unpackable(TypeError):
    """A value that cannot be saved as plain data."""


def write(folder, state, **facts):
    """Write a mapping of objects, with facts for JSON, into a folder. A model that is there is replaced.

    Raises Unpackable, with nothing written, for an object that holds anything but data; OSError for a full disk, with
    what was there left as it was.
    """
    folder, arrays = Path(folder), {}
    tree = pack(state, arrays)
    folder.mkdir(parents=True, exist_ok=True)
    with drafted(folder / ARRAYS, lambda file: np.savez(file, **arrays)) as draft:
        head = {
            "format": FORMAT,
            "polytopic": polytopic.__version__,
            "made": time.strftime("%Y-%m-%d", time.gmtime()),
            **facts,
            "arrays": {"bytes": os.path.getsize(draft), "sha256": checksum(draft)},
            "state": tree,
        }
        text = json.dumps({"checksum": digest(head)} | head, ensure_ascii=False, allow_nan=False) + "\n"
        with drafted(folder / MODEL, text) as head_draft, held(folder):
            beside = _beside(folder, head)
            os.replace(draft, beside)
            os.replace(head_draft, folder / MODEL)
            os.replace(beside, folder / ARRAYS)
            for left in folder.glob(BESIDE.format("?" * 16)):  # by processes that were killed
                with suppress(OSError):
                    left.unlink()


def read(folder):
    """Return (facts, mapping of objects) as ``write`` was given them, facts with version, format and checksums.

    Raises FileNotFoundError where there is no model; DamagedModel for files that are cut short or altered, naming
    the one, and for a class that is not known, as of an older version; TooLarge for arrays beyond
    ``source_files.most``; ValueError for a model of a newer version of the library.
    """
    folder = Path(folder)
    with held(folder, shared=True):
        head, path = _read_head(folder / MODEL), folder / ARRAYS
        try:
            known = head["arrays"]
            if (beside := _beside(folder, head)).is_file():
                path = beside
            if not path.is_file():
                raise DamagedModel(f"{path} is missing: the model is kept in {MODEL} and {ARRAYS} together")
            if os.path.getsize(path) != known["bytes"] or checksum(path) != known["sha256"]:
                raise DamagedModel(f"{path} is not what was written with {MODEL}: copy both files again")
            check_archive(path)
            with np.load(path, allow_pickle=False) as arrays:
                return head, unpack(head.pop("state"), arrays)
        except (DamagedModel, TooLarge):
            raise
        except MemoryError as error:
            raise TooLarge(f"{path} asks for more memory than there is ({error})") from error
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            raise DamagedModel(f"{path} cannot be read ({reason}): copy both files again") from error


def checksum(path):
    """Return the SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest(head):
    """Return the SHA-256 of a mapping for JSON, whatever the order of its keys."""
    text = json.dumps(head, ensure_ascii=False, allow_nan=False, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _beside(folder, head):
    return folder / BESIDE.format(head["arrays"]["sha256"][:16])


def _read_head(path):
    if not path.is_file():
        raise FileNotFoundError(f"there is no model in {path.parent}: {MODEL} is missing")
    try:
        head = json.loads(path.read_text(encoding="utf-8"))
        expected, number, version = head.pop("checksum"), head["format"], head["polytopic"]
        altered = expected != digest(head)
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError) as error:
        raise DamagedModel(f"{path} is not whole ({error}): copy it again") from error
    if altered:
        raise DamagedModel(f"{path} was altered: its checksum is of another content; copy it again")
    if number == 1:
        return head | {"format": FORMAT, "kind": "labeller"}
    if number != FORMAT:
        raise ValueError(
            f"{path} has format {number}, written by polytopic {version}, and polytopic "
            f"{polytopic.__version__} reads {FORMAT}: use the version that wrote it, or train the model again"
        )
    return head


def pack(value, arrays, place=""):
    """Return a value as a tree for JSON, whose numbers in bulk are added to a mapping of arrays for npz.

    Raises Unpackable, naming the place, for functions, open files, and objects of classes that are not known here.
    """

    def array(own):
        arrays[name := f"a{len(arrays)}"] = np.asarray(own)
        return name

    def each(values):
        return [pack(one, arrays, f"{place}[{i}]") for i, one in enumerate(values)]

    cls = type(value)
    name = f"{cls.__module__}.{cls.__qualname__}"
    if value is None or cls in (bool, int) or isinstance(value, str):
        return value
    if cls is float:
        return value if math.isfinite(value) else {KIND: "float", "value": repr(value)}
    if cls is list:
        return each(value)
    if cls in SEQUENCES.values():
        return {KIND: cls.__name__, "items": each(value)}
    if cls is range:
        return {KIND: "range", "ends": [value.start, value.stop, value.step]}
    if cls is dict:
        return {
            KIND: "dict",
            "items": [[pack(k, arrays, place), pack(v, arrays, f"{place}[{k!r}]")] for k, v in value.items()],
        }
    if isinstance(value, np.generic):
        return {KIND: "scalar", "value": array(value)}
    if isinstance(value, np.ndarray):
        if value.dtype == object:
            return {KIND: "objects", "shape": list(value.shape), "items": each(value.ravel().tolist())}
        return {KIND: "array", "name": array(value)}
    if sparse.issparse(value):
        value = value if value.format in ("csr", "csc", "coo") else value.tocsr()
        parts = {part: array(getattr(value, part)) for part in PARTS.get(value.format, COMPRESSED)}
        is_array = isinstance(value, sparse.sparray)
        return {KIND: "sparse", "format": value.format, "array": is_array, "shape": value.shape, **parts}
    if cls is np.random.RandomState:
        generator, keys, *rest = value.get_state(legacy=True)
        return {KIND: "random", "name": generator, "rest": rest, "keys": array(keys)}
    if isinstance(value, type) and issubclass(value, np.generic):
        return {KIND: "dtype", "name": np.dtype(value).str}
    own_name = f"{getattr(value, '__module__', '')}.{getattr(value, '__name__', '')}"
    if own_name in FUNCTIONS:
        return {KIND: "function", "name": own_name}
    if _class(name) is not cls:
        raise Unpackable(
            f"{place.lstrip('.') or 'the model'} is a {name}, which cannot be kept as plain data"
        )
    if isinstance(value, tuple):
        return {KIND: "named", "class": name, "items": each(value)}
    state = dict(vars(value))
    state.pop("_stop_words_id", None)  # of scikit-learn's vectorisers: an address in one process's memory
    if "memory" in state:
        state["memory"] = None  # a folder of one machine
    return {
        KIND: "object",
        "class": name,
        "state": {key: pack(one, arrays, f"{place}.{key}") for key, one in state.items()},
    }


def unpack(tree, arrays):
    """Return what ``pack`` was given, from the tree and a mapping of arrays.

    Raises DamagedModel for a tree that names a class that is not known here, or that is none of ``pack``'s.
    """
    if isinstance(tree, list):
        return [unpack(one, arrays) for one in tree]
    if not isinstance(tree, dict):
        return tree
    kind = tree.get(KIND)
    if kind in SEQUENCES:
        return SEQUENCES[kind](unpack(tree["items"], arrays))
    if kind not in UNPACK:
        raise _unknown(f"hold a {kind!r}")
    return UNPACK[kind](tree, arrays)


def _class(name):
    """Return the class of a name, or None where it is none that may be made again."""
    module, _, own = name.rpartition(".")
    if name not in OTHERS and not module.startswith("polytopic."):
        return None
    try:
        found = getattr(importlib.import_module(module), own, None)
    except ModuleNotFoundError:
        return None
    if not isinstance(found, type):
        return None
    ours = issubclass(found, (BaseEstimator, tuple)) or is_dataclass(found) or found.__module__ == module
    return found if ours or name in OTHERS else None


def _known(tree):
    found = _class(tree["class"])
    if found is None:
        raise _unknown(f"name {tree['class']}")
    return found


def _unknown(what):
    return DamagedModel(
        f"the data {what}, which polytopic {polytopic.__version__} does not know: fit the model again, or use the "
        "version that kept it"
    )


def _object(tree, arrays):
    value = object.__new__(_known(tree))
    vars(value).update({key: unpack(one, arrays) for key, one in tree["state"].items()})
    return value


def _function(tree, arrays):
    if tree["name"] not in FUNCTIONS:
        raise _unknown(f"name {tree['name']}")
    module, _, name = tree["name"].rpartition(".")
    return getattr(importlib.import_module(module), name)


def _objects(tree, arrays):
    values = np.empty(len(tree["items"]), object)
    values[:] = unpack(tree["items"], arrays)
    return values.reshape(tree["shape"])


def _sparse(tree, arrays):
    form = tree["format"]
    data, *places = (arrays[tree[part]] for part in PARTS.get(form, COMPRESSED))
    cls = getattr(sparse, f"{form}_{'array' if tree['array'] else 'matrix'}")
    given = (data, tuple(places)) if form == "coo" else (data, *places)
    return check_indices(cls(given, shape=tuple(tree["shape"])))


def _random(tree, arrays):
    value = np.random.RandomState()
    value.set_state((tree["name"], arrays[tree["keys"]], *tree["rest"]))
    return value


UNPACK = {
    "float": lambda tree, arrays: float(tree["value"]),
    "range": lambda tree, arrays: range(*tree["ends"]),
    "dict": lambda tree, arrays: {unpack(a, arrays): unpack(b, arrays) for a, b in tree["items"]},
    "scalar": lambda tree, arrays: arrays[tree["value"]][()],
    "array": lambda tree, arrays: arrays[tree["name"]],
    "objects": _objects,
    "sparse": _sparse,
    "random": _random,
    "dtype": lambda tree, arrays: np.dtype(tree["name"]).type,
    "function": _function,
    "named": lambda tree, arrays: tuple.__new__(_known(tree), unpack(tree["items"], arrays)),
    "object": _object,
}
