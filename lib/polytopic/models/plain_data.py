"""Fitted models as plain data: a JSON tree and numpy arrays, from which the same objects are made again.

Nothing in the data is executed. A tree names classes, and only those are made again that this library defines, or
that stand in OTHERS; an object is made empty and given its attributes.
"""

import importlib
import math
from dataclasses import is_dataclass

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from polytopic.validation import check_indices

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
FORMATS = {"csr": sparse.csr_matrix, "csc": sparse.csc_matrix, "coo": sparse.coo_matrix}
ARRAYS = {"csr": sparse.csr_array, "csc": sparse.csc_array, "coo": sparse.coo_array}
KIND = "is"  # the key under which a mapping of the tree says what it stands for


class Unpackable(TypeError):
    """A value that cannot be kept as plain data."""


def pack(value):
    """Return a value as (tree, {name: array}): what JSON holds, and what npz does.

    Raises Unpackable, naming the place, for functions, open files, and objects of classes that are not known here.
    """
    arrays = {}
    return _packed(value, "", arrays), arrays


def unpack(tree, arrays):
    """Return what ``pack`` was given, from the tree and a mapping of arrays.

    Raises ValueError for a tree that names a class that is not known here, or that is none of ``pack``'s.
    """
    if isinstance(tree, list):
        return [unpack(one, arrays) for one in tree]
    if not isinstance(tree, dict):
        return tree
    kind = tree.get(KIND)
    if kind not in READ:
        raise ValueError(f"the data hold a {kind!r}, which this version of polytopic does not know")
    return READ[kind](tree, arrays)


def _packed(value, place, arrays):
    if value is None or isinstance(value, (bool, str)) or type(value) is int:
        return value
    if type(value) is float:
        return value if math.isfinite(value) else {KIND: "float", "value": repr(value)}
    if isinstance(value, np.random.RandomState):
        name, keys, *rest = value.get_state(legacy=True)
        return {KIND: "random", "name": name, "rest": rest, "keys": _array(keys, arrays)}
    if isinstance(value, np.generic):
        return {KIND: "scalar", "value": _array(np.asarray(value), arrays)}
    if isinstance(value, np.ndarray):
        return _packed_array(value, place, arrays)
    if sparse.issparse(value):
        return _packed_sparse(value, arrays)
    if getattr(value, "__name__", None) and f"{value.__module__}.{value.__name__}" in FUNCTIONS:
        return {KIND: "function", "name": f"{value.__module__}.{value.__name__}"}
    if isinstance(value, type) and issubclass(value, np.generic):
        return {KIND: "dtype", "name": np.dtype(value).str}
    if isinstance(value, range):
        return {KIND: "range", "ends": [value.start, value.stop, value.step]}
    if type(value) in (list, tuple, set, frozenset):
        own = [_packed(one, f"{place}[{i}]", arrays) for i, one in enumerate(value)]
        return own if type(value) is list else {KIND: type(value).__name__, "items": own}
    if type(value) is dict:
        pairs = [
            [_packed(key, place, arrays), _packed(one, f"{place}[{key!r}]", arrays)]
            for key, one in value.items()
        ]
        return {KIND: "dict", "items": pairs}
    return _packed_object(value, place, arrays)


def _packed_array(value, place, arrays):
    if value.dtype == object:
        own = [_packed(one, f"{place}[{i}]", arrays) for i, one in enumerate(value.ravel().tolist())]
        return {KIND: "objects", "shape": list(value.shape), "items": own}
    return {KIND: "array", "name": _array(value, arrays)}


def _packed_sparse(value, arrays):
    form = value.format if value.format in FORMATS else "csr"
    whole = value.asformat(form)
    names = ("row", "col", "data") if form == "coo" else ("indptr", "indices", "data")
    parts = {name: _array(getattr(whole, name), arrays) for name in names}
    return {
        KIND: "sparse",
        "format": form,
        "array": isinstance(value, sparse.sparray),
        "shape": whole.shape,
        **parts,
    }


def _packed_object(value, place, arrays):
    cls = type(value)
    name = f"{cls.__module__}.{cls.__qualname__}"
    if _class(name) is not cls:
        raise Unpackable(
            f"{place.lstrip('.') or 'the model'} is a {name}, which cannot be kept as plain data"
        )
    if isinstance(value, tuple):
        return {
            KIND: "named",
            "class": name,
            "items": [_packed(one, f"{place}.{i}", arrays) for i, one in enumerate(value)],
        }
    state = {}
    for key, one in vars(value).items():
        if key == "_stop_words_id":  # of scikit-learn's vectorisers: an address in one process's memory
            continue
        if key == "memory":  # a folder of one machine
            one = None
        state[key] = _packed(one, f"{place}.{key}", arrays)
    return {KIND: "object", "class": name, "state": state}


def _array(value, arrays):
    name = f"a{len(arrays)}"
    arrays[name] = np.asarray(value)
    return name


def _class(name):
    """Return the class of a name, or None where it is none that may be made again."""
    module, _, own = name.rpartition(".")
    if name not in OTHERS and not module.startswith("polytopic."):
        return None
    try:
        found = getattr(importlib.import_module(module), own, None)
    except ModuleNotFoundError:
        return None
    known = isinstance(found, type) and (
        name in OTHERS
        or issubclass(found, (BaseEstimator, tuple))
        or is_dataclass(found)
        or found.__module__ == module
    )
    return found if known else None


def _known(tree):
    found = _class(tree["class"])
    if found is None:
        raise ValueError(f"the data name {tree['class']}, which this version of polytopic does not know")
    return found


def _object(tree, arrays):
    made = object.__new__(_known(tree))
    vars(made).update({key: unpack(one, arrays) for key, one in tree["state"].items()})
    return made


def _function(tree, arrays):
    module, _, name = tree["name"].rpartition(".")
    if tree["name"] not in FUNCTIONS:
        raise ValueError(f"the data name {tree['name']}, which this version of polytopic does not know")
    return getattr(importlib.import_module(module), name)


def _named(tree, arrays):
    cls = _known(tree)
    return tuple.__new__(cls, unpack(tree["items"], arrays))


def _objects(tree, arrays):
    own = np.empty(len(tree["items"]), object)
    own[:] = unpack(tree["items"], arrays)
    return own.reshape(tree["shape"])


def _sparse(tree, arrays):
    form, shape = tree["format"], tuple(tree["shape"])
    cls = (ARRAYS if tree["array"] else FORMATS)[form]
    if form == "coo":
        return check_indices(
            cls((arrays[tree["data"]], (arrays[tree["row"]], arrays[tree["col"]])), shape=shape)
        )
    return check_indices(
        cls((arrays[tree["data"]], arrays[tree["indices"]], arrays[tree["indptr"]]), shape=shape)
    )


def _random(tree, arrays):
    made = np.random.RandomState()
    made.set_state((tree["name"], arrays[tree["keys"]], *tree["rest"]))
    return made


READ = {
    "float": lambda tree, arrays: float(tree["value"]),
    "random": _random,
    "scalar": lambda tree, arrays: arrays[tree["value"]][()],
    "array": lambda tree, arrays: arrays[tree["name"]],
    "objects": _objects,
    "sparse": _sparse,
    "function": _function,
    "dtype": lambda tree, arrays: np.dtype(tree["name"]).type,
    "range": lambda tree, arrays: range(*tree["ends"]),
    "tuple": lambda tree, arrays: tuple(unpack(tree["items"], arrays)),
    "set": lambda tree, arrays: set(unpack(tree["items"], arrays)),
    "frozenset": lambda tree, arrays: frozenset(unpack(tree["items"], arrays)),
    "dict": lambda tree, arrays: {unpack(a, arrays): unpack(b, arrays) for a, b in tree["items"]},
    "named": _named,
    "object": _object,
}
