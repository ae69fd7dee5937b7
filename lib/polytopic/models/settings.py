"""What the estimators share: settings that are written once, fits that are whole or nothing, seeds and widths."""

from __future__ import annotations

import dataclasses
import inspect
import numbers
import os
import re
import textwrap
from functools import partial, wraps
from typing import dataclass_transform

import numpy as np
from joblib import Memory, Parallel
from joblib import hash as digest
from numpy.random import RandomState
from scipy import sparse
from sklearn.utils.validation import _check_feature_names, check_is_fitted
from tqdm.auto import tqdm

from polytopic import source
from polytopic.validation import check_count, check_counts, check_labels, check_one_of, check_values

LEARNED = "\nAttributes\n----------\n"

check_whole = partial(check_count, minimum=0)


def setting(default=dataclasses.MISSING, about="", check=None, *, positional=False):
    """Return the field of one setting of a ``configured`` class.

    about is what help says of it, by default what the base class says. check is called with the value under the
    setting's name and raises ValueError; it is inherited likewise. positional: the name may be left out.
    """
    return dataclasses.field(
        default=default, kw_only=not positional, metadata={"about": about, "check": check}
    )


@dataclass_transform(eq_default=False, kw_only_default=True, field_specifiers=(setting,))
def configured(cls):
    """Give a class whose settings are fields its ``__init__`` and a numpydoc section of its parameters.

    Settings of base classes are its own as well, and come after those of the class itself. So does what is learned:
    the class's own entries come first, then those of its bases that are no properties. scikit-learn's get_params,
    clone and repr then work as they do for a hand-written ``__init__``.
    """
    dataclasses.dataclass(eq=False, repr=False)(cls)
    known = {field.name: field for field in dataclasses.fields(cls)}
    names = dict.fromkeys(name for base in cls.__mro__ for name in inspect.get_annotations(base))
    names = sorted((name for name in names if name in known), key=lambda name: known[name].kw_only)
    parameters = inspect.signature(cls.__init__).parameters
    shown = [parameters["self"], *(parameters[name] for name in names)]
    cls.__init__.__signature__ = inspect.Signature([p.replace(annotation=p.empty) for p in shown])
    section = "\n".join(_described(cls, known[name]) for name in names)
    learned = _learned(cls)
    text = inspect.cleandoc(cls.__doc__).partition(LEARNED)[0].rstrip()
    learned = LEARNED + "\n".join(learned) if learned else ""
    cls.__doc__ = f"{text}\n\nParameters\n----------\n{section}\n{learned}"
    return cls


def check_settings(model):
    """Raise ValueError for the first setting out of its range, and where ``_check_together``, if any, finds fault."""
    for field in dataclasses.fields(model):
        check = _inherited(type(model), field.name, "check") or COMMON.get(field.name)
        if check is not None:
            check(**{field.name: getattr(model, field.name)})
    if hasattr(model, "_check_together"):
        model._check_together()


def one_of(*known):
    """Return a check that a setting is one of these values."""
    return partial(check_one_of, known)


def each(check):
    """Return a check of all the values that a setting lists; there must be one at least."""

    def check_all(**settings):
        for name, values in settings.items():
            if not np.size(values) or not np.ndim(values):
                raise ValueError(f"{name} must list at least one value, got {values!r}")
            for value in values:
                check(**{name: value})

    return check_all


def unless_none(check):
    """Return a check that lets None pass."""
    return lambda **settings: check(**{name: v for name, v in settings.items() if v is not None})


def all_or_nothing(fit):
    """Let a method that learns run on a copy, whose attributes become the estimator's at its end, all at once.

    So an interrupted first fit leaves an estimator that is not fitted, an interrupted second one leaves the first
    model whole, and nothing learned in one fit is left over in the next. Before it the settings are checked. The
    columns' names of a table that has them are kept, as scikit-learn does (``feature_names_in_``).
    """

    @wraps(fit)
    def fit_on_a_copy(self, X, *arguments, **named):
        check_settings(self)
        copy = object.__new__(type(self))
        copy.__dict__ = {name: value for name, value in vars(self).items() if not name.endswith("_")}
        _check_feature_names(copy, X, reset=True)
        result = fit(copy, X, *arguments, **named)
        self.__dict__ = copy.__dict__
        return self if result is copy else result

    return fit_on_a_copy


def check_seed(random_state):
    """Raise ValueError unless a random_state is one of scikit-learn's kinds; integers may be as large as you like."""
    whole = isinstance(random_state, numbers.Integral) and random_state >= 0
    known = (
        whole or random_state is None or random_state is np.random or isinstance(random_state, RandomState)
    )
    if not known:
        raise ValueError(
            f"random_state must be None, an integer of 0 or more or a RandomState, got {random_state!r}"
        )


def check_jobs(n_jobs):
    """Raise ValueError unless n_jobs is None or an integer other than 0."""
    whole = isinstance(n_jobs, numbers.Integral) and not isinstance(n_jobs, bool) and n_jobs != 0
    if n_jobs is not None and not whole:
        raise ValueError(f"n_jobs must be None or an integer other than 0, got {n_jobs!r}")


def check_verbose(verbose):
    """Raise ValueError unless verbose is an integer of 0 or more, or a bool."""
    if not isinstance(verbose, (numbers.Integral, np.bool_)) or verbose < 0:
        raise ValueError(f"verbose must be an integer of 0 or more, or a bool, got {verbose!r}")


COMMON = {"n_jobs": check_jobs, "random_state": check_seed, "verbose": check_verbose}  # in whatever class


def seed_of(random_state):
    """Return the seed that a random_state stands for: an integer itself, for None fresh entropy.

    A RandomState gives its next draw, and so does np.random, NumPy's global one. Raises as ``check_seed``.
    """
    check_seed(random_state)
    if random_state is None:
        return int(np.random.SeedSequence().entropy)
    if isinstance(random_state, numbers.Integral):
        return int(random_state)
    return int(random_state.randint(np.iinfo(np.int32).max))


def memory_of(memory):
    """Return the Memory that keeps what is computed, None for None; memory is one, or a folder's path.

    Raise ValueError for anything else.
    """
    if isinstance(memory, (str, os.PathLike)):
        return Memory(memory, verbose=0)
    if memory is not None and not hasattr(memory, "cache"):
        raise ValueError(f"memory must be a folder, a joblib.Memory or None, got {memory!r}")
    return memory


def check_unseen(model, X, check=check_counts, columns="words"):
    """Return unseen documents X (D, W) as CSR, checked by ``check`` and against what the model was fitted on.

    Raises NotFittedError before fit, ValueError where ``check`` does, for columns of another number, and for names of
    columns that are others than in fit or come in another order.
    """
    check_is_fitted(model)
    _check_feature_names(model, X, reset=False)
    X = check(X)
    if X.shape[1] != model.n_features_in_:
        raise ValueError(
            f"X has {X.shape[1]} features, but {type(model).__name__} is expecting {model.n_features_in_} features "
            f"as input: map it to the {columns} of training, in their order"
        )
    return X


def check_width(table, n_fitted, columns="words", name="X"):
    """Raise ValueError unless the table has as many columns as the model was fitted on."""
    if table.shape[1] != n_fitted:
        raise ValueError(
            f"{name} has {table.shape[1]} {columns}, but the model was fitted on {n_fitted}: "
            f"map it to the {columns} of training, in their order"
        )


def check_label_words(X, Y, **tables):
    """Return the one table, a setting by its name, as CSR float64 (C, W): zeros for None.

    X (D, W) and Y (D, C) are training documents. Raise ValueError for another shape, and for entries that are
    negative or not finite.
    """
    ((name, table),) = tables.items()
    shape = Y.shape[1], X.shape[1]
    if table is None:
        return sparse.csr_matrix(shape)
    table = check_values(table, name)
    if table.shape != shape:
        raise ValueError(
            f"{name} has {table.shape[0]} labels by {table.shape[1]} words, the documents {shape[0]} by {shape[1]}: "
            "give it a row for each column of Y, and a column for each of X"
        )
    if table.nnz and table.data.min() < 0:
        raise ValueError(f"{name} has a negative entry, {table.data.min():g}: pseudo-counts are 0 or more")
    return table


def check_training(X, Y):
    """Return counts X and labels Y as CSR, of the documents that have both words and a label.

    Raise ValueError as ``check_counts`` and ``check_labels`` do, and where there is no such document.
    """
    X = check_counts(X)
    Y = check_labels(Y, X.shape[0])
    check_size(X)
    usable = (X.getnnz(axis=1) > 0) & (Y.getnnz(axis=1) > 0)
    if not usable.any():
        raise ValueError(
            "no training document has both words and a label: there is nothing to learn from in "
            f"n_samples = {X.shape[0]}"
        )
    return X[usable], Y[usable]


def check_features(X, Y):
    """Return features X, any finite numbers, and labels Y as CSR of a document or more.

    Raise ValueError as ``check_values`` and ``check_labels`` do, and without documents.
    """
    X = check_values(X)
    Y = check_labels(Y, X.shape[0])
    check_size(X)
    return X, Y


def check_size(X):
    """Raise ValueError for a table without rows or without columns, in scikit-learn's words."""
    for number, what in zip(X.shape, ("sample", "feature"), strict=True):
        if number == 0:
            raise ValueError(
                f"X has 0 {what}(s) (shape={X.shape}) while a minimum of 1 is required: nothing to learn from"
            )


def _learned(cls):
    """Return the entries of what a class learns, its own before those of its bases; a property has its own words."""
    entries = {}
    for base in cls.__mro__:
        section = inspect.cleandoc(base.__doc__ or "").partition(LEARNED)[2]
        for entry in re.split(r"\n(?=\S)", section) if section else ():
            name = entry.partition(" : ")[0]
            if not isinstance(getattr(cls, name, None), property):
                entries.setdefault(name, entry.rstrip())
    return list(entries.values())


def _described(cls, field):
    """Return a setting's entry in the section of parameters."""
    kind = field.type if isinstance(field.type, str) else inspect.formatannotation(field.type)
    default = "" if field.default is dataclasses.MISSING else f", default={field.default!r}"
    paragraphs = inspect.cleandoc(_inherited(cls, field.name, "about") or "").split("\n\n")
    text = "\n\n".join(textwrap.fill(paragraph, 108) for paragraph in paragraphs)
    return f"{field.name} : {kind}{default}\n{textwrap.indent(text, '    ')}"


def _inherited(cls, name, what):
    """Return what the class, or else the first of its bases that does, says of a setting; None if none does."""
    said = (vars(base).get("__dataclass_fields__", {}).get(name) for base in cls.__mro__)
    return next((field.metadata[what] for field in said if field and field.metadata.get(what)), None)


class Run:
    """How units are carried out: jobs, the memory that keeps finished ones, and whether progress is shown."""

    def __init__(self, n_jobs=None, memory=None, verbose=0):
        self.n_jobs, self.memory, self.verbose = n_jobs, memory, verbose

    def key(self, *given):
        """Return the digest of what units depend on and are not handed by value, None where none is kept."""
        return None if self.memory is None else digest(given)

    def cached(self, function, ignore):
        """Return a unit's function, told the digest of the code behind it, which belongs to its key."""
        if self.memory is None:
            return partial(function, code=None)
        return partial(self.memory.cache(function, ignore=ignore), code=source.digest(function))

    def each(self, calls, total, what):
        """Yield the calls' results in their order, as they are ready.

        A result counts as done when it is handed out: the bar ends full for those who ask for no more than they need.
        Nothing is left to do after the last one, where an interruption would be lost with the generator.
        """
        how = {"prefer": "threads", "return_as": "generator", "batch_size": 1}
        results = Parallel(n_jobs=self.n_jobs, **how)(calls)
        if not self.verbose:
            yield from results
            return
        bar = tqdm(total=total, desc=what, disable=False)
        for done, result in enumerate(results, 1):
            bar.update()
            if done == total:
                bar.close()
            yield result


@configured
class Seeded:
    """What an estimator with random numbers has."""

    random_state: int | RandomState | None = setting(None, "Seed; None for another each time.")


@configured
class Kept:
    """What an estimator has that keeps and tells what it has done."""

    memory: Memory | str | os.PathLike | None = setting(
        None, "Where finished chains are kept, to be found again.", memory_of
    )
    verbose: int = setting(0, "Above 0 shows progress.")


@configured
class Running(Seeded, Kept):
    """How an estimator is computed."""

    n_jobs: int | None = setting(None, "As in joblib; the bits are the same for any number.")

    def _run(self):
        return Run(self.n_jobs, memory_of(self.memory), self.verbose)


@configured
class TrainingChains:
    """Chains over the words' labels."""

    n_chains: int = setting(8, "Training chains, whose last states' counts are pooled for phi.", check_count)
    n_sweeps: int = setting(50, "Sweeps of each training chain.", check_whole)


@configured
class TopicChains:
    """Chains over the labels' topics."""

    n_topic_chains: int = setting(2, "Chains over the labels' topics, each a set of topics.", check_count)
    n_topic_sweeps: int = setting(100, "Sweeps of each chain over the labels' topics.", check_whole)


@configured
class PredictionChains:
    """Chains for unseen documents."""

    n_test_chains: int = setting(32, "Chains for an unseen document.", check_count)
    burn_in: int = setting(8, "Sweeps of such a chain up to its first sample.", check_count)
    n_samples: int = setting(1, "Samples of each such chain.", check_count)
    lag: int = setting(3, "Sweeps from a sample to the next.", check_count)
    streams: str = setting(
        "content",
        """How the random numbers of an unseen document are named, besides by the seed and the chain. "content": by
        its words and their counts, so that a text has the same scores in whatever batch. "row": by its row, so that
        equal documents have draws of their own.""",
        one_of("content", "row"),
    )
