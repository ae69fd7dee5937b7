"""One experiment: a corpus, a split, a model, its settings and a seed give one stored result.

A result is computed once, written whole (to a temporary file, then renamed) and read back after that. Its key
holds everything it depends on: the corpus's content, the split, the settings, the seed and the library's version.
Quick results live in the cache; larger ones in ``data/results``, which belongs to the repository.
"""

import contextlib
import hashlib
import json
import os
import re
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from filelock import FileLock
from joblib import parallel_config
from packaging.version import Version
from sklearn.base import BaseEstimator, clone

import polytopic
from polytopic import metrics, paths
from polytopic.datasets import load_corpus
from polytopic.files import write_whole
from polytopic.models import (
    PMM,
    BinaryRelevanceSVM,
    DependencyLDA,
    FlatLDA,
    HybridClassifier,
    LearnedDependencyLDA,
    PriorLDA,
)
from polytopic.models.learned_lda import Trial
from polytopic.study import store
from polytopic.validation import check_name

DASK = "POLYTOPIC_DASK"
CACHE_LIMIT = 4_000_000_000  # bytes of finished chains that are kept
MEASURE_COLUMNS = ["corpus", "model", "split", "seed", "scale", "pivot", "cutoff", "measure", "value"]
LABEL_COLUMNS = [
    "corpus",
    "model",
    "split",
    "seed",
    "scale",
    "label",
    "train_frequency",
    "test_frequency",
    "average_precision",
]

MODELS = {
    "Dependency-LDA": DependencyLDA,
    "Prior-LDA": PriorLDA,
    "Flat-LDA": FlatLDA,
    "Tuned SVM": BinaryRelevanceSVM,
    "Vanilla SVM": BinaryRelevanceSVM,
}

# Other readings of the baselines, computed when asked for by name: which model each one varies.
VARIANTS = {
    "Tuned SVM, both weights": "Tuned SVM",
    "Vanilla SVM, no bias": "Vanilla SVM",
    "Vanilla SVM, unit length": "Vanilla SVM",
    "Tuned SVM, unit length": "Tuned SVM",
}

# Models of the other papers, computed and read when asked for by name; they have no chains for a scale to change.
OTHERS = {"PMM1": PMM(1), "PMM2": PMM(2), "PMM1, xi 1.01": PMM(1, xi=1.01)}

# Beyond the paper, computed and read when asked for by name: settings from the training data; what hybrids are of.
LEARNED = {
    "Dependency-LDA, table 6": {},
    "Dependency-LDA, fixed points": {"held_out": 0},
    "Learned Dependency-LDA": {},
}
HYBRIDS = {
    "Hybrid": ("Dependency-LDA", "Vanilla SVM"),
} | {f"Calibrated {name}": (name,) for name in MODELS}
EXTENSIONS = LEARNED | HYBRIDS
SETTINGS = ("train_eta", "beta_w", "n_topics", "gamma", "beta_c", "eta", "alpha_sum", "gamma_sum")
KNOWN = MODELS | VARIANTS | OTHERS | EXTENSIONS

# Chains, sweeps and samples. "paper" is Rubin et al. (2012), appendix B.2; "medium" is for corpora of thousands
# of labels on a small machine; "small" is "quick" with results that are kept.
SCALES = {
    "quick": {
        "train": {"n_chains": 8, "n_sweeps": 50},
        "topics": {"n_topic_chains": 2, "n_topic_sweeps": 100},
        "test": {"n_test_chains": 16, "burn_in": 15, "n_samples": 4, "lag": 3},
    },
    "small": {
        "train": {"n_chains": 8, "n_sweeps": 50},
        "topics": {"n_topic_chains": 2, "n_topic_sweeps": 100},
        "test": {"n_test_chains": 16, "burn_in": 15, "n_samples": 4, "lag": 3},
    },
    "medium": {
        "train": {"n_chains": 16, "n_sweeps": 100},
        "topics": {"n_topic_chains": 4, "n_topic_sweeps": 300},
        "test": {"n_test_chains": 16, "burn_in": 40, "n_samples": 10, "lag": 5},
    },
    "paper": {
        "train": {"n_chains": 48, "n_sweeps": 100},
        "topics": {"n_topic_chains": 10, "n_topic_sweeps": 500},
        "test": {"n_test_chains": 60, "burn_in": 50, "n_samples": 15, "lag": 5},
    },
}

# Rubin et al. (2012), table 6, with the names of its rows put right.
YAHOO = {
    "Dependency-LDA": {"n_topics": 20, "beta_c": 1.0, "gamma_sum": 1.0, "eta": 100.0, "alpha_sum": 1.0},
    "Prior-LDA": {"beta_c": 10.0, "eta": 70.0, "alpha_sum": 30.0},
    "Flat-LDA": {"alpha_sum": 100.0},
}
PRIORS = {"yahoo_arts_rubin": YAHOO, "yahoo_health_rubin": YAHOO}

SVMS = {
    "Tuned SVM": {"tuning": "positive_weight"},
    "Tuned SVM, both weights": {"tuning": "both_weights"},
    "Tuned SVM, unit length": {"tuning": "positive_weight", "normalize": "l2"},
    "Vanilla SVM": {"tuning": None},
    "Vanilla SVM, no bias": {"tuning": None, "fit_intercept": False},
    "Vanilla SVM, unit length": {"tuning": None, "normalize": "l2"},
}


def prior_settings(name, train):
    """Return {model: settings} of the topic models' priors for a training corpus.

    Corpora of Rubin et al. (2012), table 6, take its values. Others follow the principles of appendix B.1, from
    the training part alone: T = 200 topics, or as many as there are labels if those are fewer; beta_C so that all
    topics' pseudocounts come to a tenth of the label tokens, with one topic as with many; the weight of the prior
    on theta in proportion to the documents' length, half of the mean, as on the paper's Yahoo sets; five sixths of
    it eta and one sixth alpha, and gamma a third of alpha, as on its power-law sets.
    """
    if name in PRIORS:
        return PRIORS[name]
    frequency = np.asarray(train.labels.sum(axis=0)).ravel()
    n_labels = int((frequency > 0).sum())
    n_topics = min(200, n_labels)
    pseudocounts = frequency.sum() / 10 / n_labels
    weight = float(train.counts.sum()) / train.n_documents / 2
    shared = {"eta": weight * 5 / 6, "alpha_sum": weight / 6}
    return {
        "Dependency-LDA": {
            "n_topics": n_topics,
            "beta_c": pseudocounts / n_topics,
            "gamma_sum": weight / 18,
            **shared,
        },
        "Prior-LDA": {"beta_c": pseudocounts, **shared},
        "Flat-LDA": {"alpha_sum": weight},
    }


def build(model, corpus_name, train, scale="quick", seed=0, **how):
    """Return the estimator, not fitted, that an experiment uses for one model by its display name.

    ``how`` holds n_jobs, memory and verbose, which change no number.
    """
    check_name("model", model, KNOWN)
    check_name("scale", scale, SCALES)
    if model in OTHERS:
        return clone(OTHERS[model])
    if model in SVMS:
        return BinaryRelevanceSVM(**SVMS[model], random_state=seed, n_jobs=how.get("n_jobs"))
    if model in HYBRIDS:
        parents = [(name, build(name, corpus_name, train, scale, seed, **how)) for name in HYBRIDS[model]]
        return HybridClassifier(parents, random_state=seed)
    chains = SCALES[scale]
    settings = chains["train"] | chains["test"]
    if model in LEARNED or model == "Dependency-LDA":
        settings |= chains["topics"]
    if model in LEARNED:
        settings |= LEARNED[model]
        if model.endswith("table 6"):
            return DependencyLDA(**settings, random_state=seed, **how)
        if model.endswith("fixed points"):
            settings["n_topics"] = (prior_settings(corpus_name, train)["Dependency-LDA"]["n_topics"],)
        return LearnedDependencyLDA(**settings, random_state=seed, **how)
    settings |= prior_settings(corpus_name, train)[model]
    return MODELS[model](**settings, random_state=seed, **how)


def measures(corpus="debtags", models=None, splits=(0,), scale="quick", seed=0, n_jobs=-1):
    """Return every measure of every model on every split, computing what is not stored yet.

    Tidy, one value a row: columns corpus, model, split, seed, scale, pivot ("document" or "label"), cutoff ("" for
    rankings), measure, value. models: display names, all of MODELS if None.

    Raises ValueError for an unknown model, scale, split or corpus, naming what there is.
    """
    return _measure_table(_results(corpus, models, splits, scale, seed, n_jobs))


def label_scores(corpus="debtags", models=None, splits=(0,), scale="quick", seed=0, n_jobs=-1):
    """Return each label's average precision: columns corpus, model, split, seed, scale, label (its column),
    train_frequency, test_frequency (documents), average_precision.

    Labels without a training or without a test document are left out. Arguments and errors as in ``measures``.
    """
    return _label_table(_results(corpus, models, splits, scale, seed, n_jobs))


def stored(corpus, scale=None, variants=False, others=False, models=None):
    """Return what ``measures`` returns, from the stored results alone: nothing is computed, it may be empty.

    Of results by several versions of the library the newest counts. The models are those of MODELS; ``variants``
    asks for those of VARIANTS instead, ``others`` for those of OTHERS as well, and ``models`` names them. scale None
    takes the largest scale that is stored of any of them for the corpus: the column says which.
    """
    if models is None:
        models = VARIANTS if variants else MODELS
        models = models | OTHERS if others else models
    return _measure_table(_stored_results(corpus, scale, models))


def stored_label_scores(corpus, scale=None, others=False, models=None):
    """Return what ``label_scores`` returns, from the stored results alone, as ``stored`` does."""
    if models is None:
        models = MODELS | OTHERS if others else MODELS
    return _label_table(_stored_results(corpus, scale, models))


def common_scale(corpus, models):
    """Return the largest scale at which all the models have stored results on a corpus, or None."""
    found = [scale for scale in SCALES if {*stored(corpus, scale, models=models)["model"]} == {*models}]
    return found[-1] if found else None


def stored_learning(corpora):
    """Return what LEARNED models have learned, from the stored results: two frames, settings and trials.

    Settings: corpus, model, split, scale, setting, value, hand-set ones of Dependency-LDA included. Trials on
    documents held out: corpus, model, split, scale and the fields of ``models.learned_lda.Trial``. On each corpus
    they are of the largest scale that has hand-set and learned ones; a corpus without is left out, and either frame
    may be empty.
    """
    place, settings, trials = ["corpus", "model", "split", "scale"], [], []
    scales = {
        corpus: common_scale(corpus, ["Dependency-LDA", "Learned Dependency-LDA"]) for corpus in corpora
    }
    shown = ["Dependency-LDA", *LEARNED]
    results = [one for name, scale in scales.items() if scale for one in _stored_results(name, scale, shown)]
    for result in results:
        where = [result[column] for column in place]
        held = result.get("learned", {"settings": result["settings"], "trials": []})
        if "eta" in held["settings"]:
            settings += [[*where, *pair] for pair in held["settings"].items() if pair[0] in SETTINGS]
        trials += [[*where, *trial] for trial in held["trials"]]
    return (
        pd.DataFrame(settings, columns=[*place, "setting", "value"]),
        pd.DataFrame(trials, columns=[*place, *Trial._fields]),
    )


def run(corpus, model, split=0, scale="quick", seed=0, n_jobs=-1, force=False):
    """Return one result as a mapping, computing and storing it unless it is stored already.

    An interrupted computation keeps its finished chains, so that the next call goes on from there and ends with
    the same bits. Two processes asking for the same result share one computation. ``force`` computes it again.
    A result that cannot be written (a full disk) is returned all the same, with a warning.
    """
    check_name("model", model, KNOWN)
    check_name("scale", scale, SCALES)
    corpus = load_corpus(corpus) if isinstance(corpus, str) else corpus
    train, test = corpus.split(split)
    how = {"n_jobs": n_jobs, "memory": store.memory(), "verbose": 1}
    estimator = build(model, corpus.name, train, scale, seed, **how)
    identity = _identity(corpus, model, estimator, split, scale, seed)
    path = _path(identity)
    locks = paths.cache() / "locks"
    locks.mkdir(parents=True, exist_ok=True)
    with FileLock(locks / f"{identity['key']}.lock"):
        if path.is_file() and not force:
            return read(path)
        with _backend():
            estimator.fit(train.counts, train.labels)
            scores = estimator.decision_function(test.counts)
        result = identity | _learned(estimator) | _evaluate(train, test, scores)
        _write(path, result)
        _prune(how["memory"])
    return result


def read(path):
    """Return the result stored in a file; ValueError names a file that is not a whole result and what to do."""
    try:
        result = json.loads(Path(path).read_text())
        result["measures"], result["labels"], result["model"]
    except (json.JSONDecodeError, KeyError, UnicodeDecodeError) as error:
        raise ValueError(
            f"{path} is not a whole result ({error}): delete it and it is computed again"
        ) from error
    return result


def _results(corpus, models, splits, scale, seed, n_jobs):
    models = list(MODELS) if models is None else [models] if isinstance(models, str) else list(models)
    for model in models:
        check_name("model", model, KNOWN)
    corpus = load_corpus(corpus) if isinstance(corpus, str) else corpus
    return [run(corpus, model, split, scale, seed, n_jobs) for split in splits for model in models]


def _stored_results(corpus, scale, models):
    if scale is not None:
        check_name("scale", scale, SCALES)
    found = [read(path) for path in sorted((paths.results() / corpus).glob("*.json"))]
    found = [result for result in found if result["model"] in models]
    scales = [name for name in SCALES if any(result["scale"] == name for result in found)]
    order = list(models)
    newest = {}
    for result in sorted(found, key=lambda result: Version(result["version"])):
        if result["scale"] == (scale or scales[-1]):
            newest[result["split"], order.index(result["model"]), result["seed"]] = result
    return [newest[place] for place in sorted(newest)]


def _measure_table(results):
    rows = [
        [*_place(result), row["pivot"], row["cutoff"], row["measure"], row["value"]]
        for result in results
        for row in result["measures"]
    ]
    return pd.DataFrame(rows, columns=MEASURE_COLUMNS)


def _label_table(results):
    rows = [
        [*_place(result), *entry]
        for result in results
        for entry in zip(*(result["labels"][column] for column in LABEL_COLUMNS[5:]), strict=True)
    ]
    return pd.DataFrame(rows, columns=LABEL_COLUMNS)


def _place(result):
    return [result[column] for column in MEASURE_COLUMNS[:5]]


def _identity(corpus, model, estimator, split, scale, seed):
    settings = {
        name: value
        for name, value in estimator.get_params().items()
        if name.rpartition("__")[2] not in _CHANGES_NOTHING and not _holds_estimators(value)
    }
    if settings.get("inference") == "fast":
        del settings["n_label_tokens"]  # it changes nothing either
    identity = {
        "corpus": corpus.name,
        "digest": corpus.digest,
        "model": model,
        "estimator": type(estimator).__name__,
        "split": int(split),
        "scale": scale,
        "seed": int(seed),
        "settings": settings,
        "version": polytopic.__version__,
    }
    text = json.dumps(identity, sort_keys=True)
    return {"key": hashlib.sha256(text.encode()).hexdigest()[:16]} | identity


def _holds_estimators(value):
    """Tell an estimator, or a list of named ones, from a setting: their own settings are listed beside them."""
    return isinstance(value, BaseEstimator) or (isinstance(value, list) and isinstance(value[0], tuple))


_CHANGES_NOTHING = {"n_jobs", "memory", "verbose", "random_state"}


def _path(identity):
    folder = paths.cache() / "results" if identity["scale"] == "quick" else paths.results()
    model = re.sub(r"\W+", "-", identity["model"].lower())
    name = (
        f"{model}_{identity['scale']}_split{identity['split']}_seed{identity['seed']}_{identity['key']}.json"
    )
    return folder / identity["corpus"] / name


def _evaluate(train, test, scores):
    """Measure the scores over the labels that have a training document (appendix A)."""
    frequency = np.asarray(train.labels.sum(axis=0)).ravel()
    seen = np.flatnonzero(frequency)
    truth, train_labels, scores = test.labels[:, seen], train.labels[:, seen], scores[:, seen]
    rows = [
        {"pivot": pivot, "cutoff": cutoff, "measure": measure, "value": float(value)}
        for pivot in ("document", "label")
        for (cutoff, measure), value in metrics.evaluate(truth, scores, pivot, train_labels).items()
    ]
    precision = metrics.ranking_per_item(truth, scores, "label")["average_precision"]
    tested = np.flatnonzero(~np.isnan(precision))
    labels = {
        "label": seen[tested].tolist(),
        "train_frequency": frequency[seen][tested].astype(int).tolist(),
        "test_frequency": np.asarray(truth.sum(axis=0)).ravel()[tested].astype(int).tolist(),
        "average_precision": precision[tested].tolist(),
    }
    documents = {"train": train.n_documents, "test": test.n_documents}
    return {"documents": documents, "measures": rows, "labels": labels}


def _learned(estimator):
    """Return what the model has learned of its own settings, where it does."""
    if not isinstance(estimator, LearnedDependencyLDA):
        return {}
    return {"learned": {"settings": estimator.settings_, "trials": estimator.trials_}}


def _write(path, result):
    try:
        write_whole(path, _as_json(result))
    except OSError as error:
        warnings.warn(f"the result was computed but could not be stored: {error}", stacklevel=3)


def _as_json(result):
    """Return JSON with one measure a line and the labels' columns on a line each, so that it diffs well."""
    head = {name: value for name, value in result.items() if name not in ("measures", "labels")}
    rows = ",\n".join("  " + json.dumps(row) for row in result["measures"])
    columns = ",\n".join(
        f"  {json.dumps(name)}: {json.dumps(values)}" for name, values in result["labels"].items()
    )
    start = json.dumps(head, indent=1).removesuffix("\n}")
    return f'{start},\n "measures": [\n{rows}\n ],\n "labels": {{\n{columns}\n }}\n}}\n'


def _prune(chains):
    with contextlib.suppress(OSError):
        chains.reduce_size(bytes_limit=CACHE_LIMIT)


@contextlib.contextmanager
def _backend():
    """Send the work to the Dask scheduler named by $POLYTOPIC_DASK, if there is one."""
    address = os.environ.get(DASK)
    if not address:
        yield
        return
    from dask.distributed import Client

    with Client(address), parallel_config("dask"):
        yield
