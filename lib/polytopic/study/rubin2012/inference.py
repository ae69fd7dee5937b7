"""Fast and proper inference of Dependency-LDA side by side (Rubin et al. 2012, 3.5.1), by sweep and by second.

One trained model predicts the same unseen documents in both ways. Accuracy comes from chains that are cut off after
so many sweeps, one sample each, so that it shows how far they have come; it is kept in the cache, a cut at a time.
Costs are measured, and never kept there. Larger scales are stored in ``data/results/inference``, a file a corpus.
"""

import json
import textwrap
import time

import numpy as np
import pandas as pd
from joblib import delayed
from joblib import hash as digest

import polytopic
from polytopic import metrics, paths
from polytopic.datasets import load_corpus
from polytopic.files import write_whole
from polytopic.models import chains, proper, unseen
from polytopic.models.labelled_lda import mean_of_halves, prior_through_topics
from polytopic.study import store
from polytopic.study.rubin2012 import experiments
from polytopic.validation import check_name

FOLDER = "inference"
MODEL = "Dependency-LDA"
FAST = "fast"
SHOWN = {
    ("document", "", "average_precision"): "average precision, by document",
    ("label", "", "auc_roc"): "AUC-ROC, by label",
    ("label", "proportional", "macro_f1"): "Macro-F1, by label",
}
SETTLED = 0.98  # share of the last value that a curve has to keep from some cut on

# "train" is a scale of ``experiments``. 3.5.1 has 1,000 label tokens; how many chains and sweeps it does not say.
SCALES = {
    "quick": {
        "train": "quick",
        "documents": 50,
        "n_chains": 4,
        "n_label_tokens": [10, 100, 1000],
        "sweeps": [1, 4, 16, 64],
    },
    "medium": {
        "train": "quick",
        "documents": 200,
        "n_chains": 8,
        "n_label_tokens": [10, 100, 1000],
        "sweeps": [1, 2, 4, 8, 16, 32, 64, 128, 256],
    },
    "paper": {
        "train": "paper",
        "documents": 1000,
        "n_chains": 60,
        "n_label_tokens": [100, 1000],
        "sweeps": [1, 2, 4, 8, 16, 32, 64, 128, 256],
    },
}
TIMED_DOCUMENTS, TIMED_SWEEPS, REPEATS = 40, (2, 10), 3


def compare(corpus="debtags", scale="quick", seed=0):
    """Return (curves, costs) of split 0, and store them unless the scale is "quick".

    curves: columns corpus, scale, inference, sweeps, pivot, cutoff, measure, value. inference is "fast", or "proper,
    M = 1000" for that many label tokens, scored by Eq. 1; with ", Eq. 12" at its end the same samples are scored as
    fast inference's are, by theta' and phi'. costs: as ``costs``.

    Raises ValueError for an unknown scale or corpus, naming what there is.
    """
    problem = prepared(corpus, scale, seed)
    found = curves(corpus, scale, seed, problem), costs(corpus, scale, seed, problem)
    if scale != "quick":
        _store(corpus, scale, seed, *found)
    return found


def prepared(corpus="debtags", scale="quick", seed=0):
    """Return what ``curves`` and ``costs`` have in common, so that it is made once, chains for training included.

    It is the trained model, the test documents' counts and labels and the training labels, for the labels seen there.
    """
    settings = _settings(scale)
    train, test = load_corpus(corpus).split(0)
    how = {"memory": store.memory(), "verbose": 1}
    fitted = experiments.build(MODEL, corpus, train, settings["train"], seed, **how)
    fitted.fit(train.counts, train.labels)
    seen, documents = fitted.seen_labels_, slice(settings["documents"])
    X = fitted.check_unseen(test.counts[documents])
    return fitted.unseen_model(), X, test.labels[documents][:, seen], train.labels[:, seen]


def curves(corpus="debtags", scale="quick", seed=0, problem=None):
    """Return the accuracy by sweep, as ``compare`` has it, an interrupted computation's finished cuts included."""
    settings = _settings(scale)
    model, X, test, train_labels = problem or prepared(corpus, scale, seed)
    ways = [0, *settings["n_label_tokens"]]
    calls = [
        (model, X, test, train_labels, n_label_tokens, n_sweeps, settings["n_chains"], seed)
        for n_sweeps in settings["sweeps"]
        for n_label_tokens in ways
    ]
    run = chains.Run(None, store.memory(), verbose=1)
    unit = run.cached(_cut, ignore=["arguments"])
    tasks = (delayed(unit)(call, digest(call), run.version) for call in calls)
    rows = [
        (corpus, scale, *row)
        for found in run.each(tasks, len(calls), f"fast and proper inference, {corpus}")
        for row in found
    ]
    columns = ["corpus", "scale", "inference", "sweeps", "pivot", "cutoff", "measure", "value"]
    return pd.DataFrame(rows, columns=columns)


def costs(corpus="debtags", scale="quick", seed=0, problem=None):
    """Return what a sweep costs: columns corpus, inference, words, microseconds, low, high, times_fast.

    Microseconds of one core a document and chain, the median of a few repeats with the least and the most; words is
    the mean length of the documents, a few of those that are predicted. A repeat takes the difference between a long
    and a short run of each kind, one kind after the other. times_fast is the ratio to fast inference's.
    """
    settings = _settings(scale)
    model, X, _, _ = problem or prepared(corpus, scale, seed)
    X = X[:TIMED_DOCUMENTS]
    ptr, words = unseen.tokens(X)
    found = {name: [] for name in [FAST, *map(_named, settings["n_label_tokens"])]}
    for repeat in range(REPEATS + 1):
        for name, n_label_tokens in zip(found, [0, *settings["n_label_tokens"]], strict=True):
            least, most = (
                _seconds(model, n_label_tokens, ptr, words, n_sweeps, seed) for n_sweeps in TIMED_SWEEPS
            )
            if repeat > 0:  # the first compiles
                found[name].append(1e6 * (most - least) / (TIMED_SWEEPS[1] - TIMED_SWEEPS[0]) / X.shape[0])
    fast = np.median(found[FAST])
    rows = [
        (corpus, name, X.sum() / X.shape[0], np.median(x), min(x), max(x), np.median(x) / fast)
        for name, x in found.items()
    ]
    columns = ["corpus", "inference", "words", "microseconds", "low", "high", "times_fast"]
    return pd.DataFrame(rows, columns=columns)


def by_second(curves, costs):
    """Return the curves with a column milliseconds: what so many sweeps take for a document and chain."""
    cost = costs.set_index(["corpus", "inference"])["microseconds"]
    sampled = curves["inference"].str.removesuffix(", Eq. 12")
    own = cost.reindex(pd.MultiIndex.from_arrays([curves["corpus"], sampled])).to_numpy()
    return curves.assign(milliseconds=curves["sweeps"] * own / 1000)


def shown(curves):
    """Return the rows of the measures in SHOWN, with their display names in the column ``shown``."""
    names = [SHOWN.get(key) for key in zip(curves["pivot"], curves["cutoff"], curves["measure"], strict=True)]
    return curves.assign(shown=names).dropna(subset="shown").reset_index(drop=True)


def table(curves):
    """Return the values of the measures in SHOWN by corpus, measure and sweeps, a column for each inference."""
    rows = shown(curves)
    cells = rows.pivot(index=["corpus", "shown", "sweeps"], columns="inference", values="value")
    return cells[list(dict.fromkeys(rows["inference"]))].rename_axis(columns=None)


def settled(curves, share=SETTLED):
    """Return from which cut on every curve keeps ``share`` of its last value: columns corpus, shown, inference, last,
    settled (sweeps).
    """
    rows = []
    for (corpus, name, inference), curve in shown(curves).groupby(
        ["corpus", "shown", "inference"], sort=False
    ):
        curve = curve.sort_values("sweeps")
        last = curve["value"].iloc[-1]
        low = np.flatnonzero(curve["value"].to_numpy() < share * last)
        first = curve["sweeps"].iloc[low[-1] + 1 if low.size else 0]
        rows.append((corpus, name, inference, last, first))
    return pd.DataFrame(rows, columns=["corpus", "shown", "inference", "last", "settled"])


def say_costs(costs):
    """Say how much more a sweep of proper inference costs, and whether that is well over ten times."""
    return _page(
        f"{row.corpus}, documents of {row.words:.0f} words: a sweep of {row.inference} takes {row.microseconds:.0f} "
        f"microseconds a document and chain, {row.times_fast:.1f} times fast inference's, "
        f"{'more' if row.times_fast > 10 else 'no more'} than an order of magnitude."
        for row in costs[costs["inference"] != FAST].itertuples()
    )


def say_accuracy(curves):
    """Say of every measure how fast and proper inference end, and from which cut on they keep SETTLED of that."""
    sweeps = curves.groupby("corpus")["sweeps"].max()
    return _page(
        f"{corpus}, {name}: after {sweeps[corpus]} sweeps {_ends(block.set_index('inference'))}."
        for (corpus, name), block in settled(curves).groupby(["corpus", "shown"], sort=False)
    )


def _ends(block):
    fast = block.loc[FAST]
    told = [
        f"{inference} {row['last']:.3f} ({row['last'] - fast['last']:+.3f}, settled by sweep {row['settled']})"
        for inference, row in block.drop(FAST).iterrows()
    ]
    return f"fast {fast['last']:.3f} (settled by sweep {fast['settled']}); {'; '.join(told)}"


def say_by_second(timed):
    """Say of every measure what fast inference has reached in the time of proper inference's first cut."""
    return _page(
        f"{corpus}, {name}: in the time that {inference} takes for {_reached(block, curve)}."
        for (corpus, name), block in shown(timed).groupby(["corpus", "shown"], sort=False)
        for inference, curve in block.groupby("inference", sort=False)
        if inference != FAST and not inference.endswith("Eq. 12")
    )


def _reached(block, curve):
    fast, first = block[block["inference"] == FAST], curve.loc[curve["sweeps"].idxmin()]
    within = fast[fast["milliseconds"] <= first["milliseconds"]]
    start = f"{_sweeps(first['sweeps'])}, {first['value']:.3f}"
    if within.empty:
        return f"{start}, fast inference has made no cut"
    there = within.loc[within["sweeps"].idxmax()]
    return f"{start}, fast inference makes {there['sweeps']} and reaches {there['value']:.3f}"


def stored(corpora=None):
    """Return the stored (curves, costs), of all corpora or of those named; empty frames if nothing is stored."""
    found = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(_folder().glob("*.json"))]
    found = [one for one in found if corpora is None or one["corpus"] in corpora]
    tables = [
        [pd.DataFrame(one[part]["rows"], columns=one[part]["columns"]) for one in found]
        for part in ("curves", "costs")
    ]
    return tuple(pd.concat(frames, ignore_index=True) if frames else pd.DataFrame() for frames in tables)


def say_stored():
    """Say with which settings each stored comparison was made."""
    lines = []
    for path in sorted(_folder().glob("*.json")):
        found = json.loads(path.read_text(encoding="utf-8"))
        settings = ", ".join(f"{name} {value}" for name, value in found["settings"].items())
        place = f"{found['corpus']}, {found['scale']} scale, seed {found['seed']}, version {found['version']}"
        lines.append(f"{place}: {settings}.")
    return _page(lines) or "Nothing is stored."


def _cut(arguments, key, version):
    model, X, truth, train_labels, n_label_tokens, n_sweeps, n_chains, seed = arguments
    schedule = unseen.Schedule(n_sweeps, 1, 1, n_chains)
    rows = []
    for name, scores in _scores(model, X, n_label_tokens, schedule, seed).items():
        for pivot in ("document", "label"):
            found = metrics.evaluate(truth, scores, pivot, train_labels)
            rows += [
                (name, n_sweeps, pivot, cutoff, measure, float(value))
                for (cutoff, measure), value in found.items()
            ]
    return rows


def _scores(model, X, n_label_tokens, schedule, seed):
    """Return {inference: scores (D, C)}, as the estimator's; n_label_tokens is 0 for fast inference."""
    run, phi_topics = chains.Run(), model.sparse_topic_labels()
    if n_label_tokens == 0:
        parts = [
            mean_of_halves(words, prior_through_topics(theta, model, phi_topics))
            for _, words, theta in unseen.predict(X, model, schedule, seed, run)
        ]
        return {FAST: np.vstack(parts)}
    name, parts = _named(n_label_tokens), []
    for _, words, tokens, theta in proper.predict(X, model, n_label_tokens, schedule, seed, run):
        by_tokens = proper.prior(words, tokens, model, n_label_tokens, schedule)
        through = prior_through_topics(theta, model, phi_topics)
        priors = by_tokens, np.where(through.sum(axis=1, keepdims=True) > 0, through, by_tokens)
        parts.append([mean_of_halves(words, prior) for prior in priors])
    return {
        name + reading: np.vstack(x)
        for reading, x in zip(("", ", Eq. 12"), zip(*parts, strict=True), strict=True)
    }


def _named(n_label_tokens):
    return f"proper, M = {n_label_tokens}"


def _seconds(model, n_label_tokens, ptr, words, n_sweeps, seed):
    schedule = unseen.Schedule(n_sweeps, 1, 1, unseen.LANES)
    if n_label_tokens == 0:
        own = unseen.sampler(model, schedule)
    else:
        own = proper.Proper(model, n_label_tokens, schedule._replace(n_chains=1))
    group = tuple(own.groups[0])
    start = time.thread_time()
    own.run(ptr, words, 0, group, seed)
    return (time.thread_time() - start) / len(group)


def _settings(scale):
    check_name("scale", scale, SCALES)
    return SCALES[scale]


def _store(corpus, scale, seed, curves, costs):
    head = {
        "corpus": corpus,
        "digest": load_corpus(corpus).digest,
        "scale": scale,
        "seed": seed,
        "version": polytopic.__version__,
        "settings": _settings(scale),
    }
    parts = []
    for name, table in (("curves", curves), ("costs", costs)):
        rows = json.loads(table.to_json(orient="values", double_precision=8))
        body = ",\n".join("   " + json.dumps(row) for row in rows)
        columns = json.dumps(list(table.columns))
        parts.append(f' "{name}": {{\n  "columns": {columns},\n  "rows": [\n{body}\n  ]\n }}')
    start = json.dumps(head, indent=1).removesuffix("\n}")
    write_whole(_folder() / f"{corpus}.json", ",\n".join([start, *parts]) + "\n}\n")


def _folder():
    return paths.results() / FOLDER


def _sweeps(number):
    return f"{number} sweep" + ("s" if number != 1 else "")


def _page(lines):
    return "\n".join(textwrap.fill(line, 112, subsequent_indent="    ") for line in lines)
