"""What the models predict for single documents, and where they rank the rare label (Rubin et al. 2012, 3.6)."""

import json
from typing import NamedTuple

import numpy as np
import pandas as pd
from joblib import hash as digest
from scipy import stats

import polytopic
from polytopic import paths
from polytopic.corpus import Corpus
from polytopic.datasets import load_corpus
from polytopic.files import write_whole
from polytopic.models import chains
from polytopic.study import result_tables, store
from polytopic.study.printed import reported
from polytopic.study.rubin2012 import experiments

FOLDER = "documents"
QUICK = ("Dependency-LDA", "Prior-LDA", "Flat-LDA", "Vanilla SVM")  # a tuned SVM takes minutes


class Predicted(NamedTuple):
    """Test documents of one split, chosen by ``choose``, and each model's scores (n, C) for them."""

    train: Corpus
    test: Corpus
    documents: np.ndarray  # rows of test, the longest first
    rare: int
    scores: dict


def choose(train, test, rare=5, frequent=100, at_least=3):
    """Return the test documents (rows) that are like the paper's example, those with most words first.

    Of a document's labels, ``at_least`` or more, one is rare, with 1 to ``rare`` training documents, and all
    others are frequent, with ``frequent`` or more. Nothing is predicted to choose them. Ties keep the
    documents' order.
    """
    frequency = np.asarray(train.labels.sum(axis=0)).ravel()
    labels = test.labels.astype(np.int64)
    n_rare = labels @ ((frequency > 0) & (frequency <= rare)).astype(int)
    n_frequent = labels @ (frequency >= frequent).astype(int)
    sizes = np.diff(labels.indptr)
    found = np.flatnonzero((n_rare == 1) & (n_frequent == sizes - 1) & (sizes >= at_least))
    lengths = np.asarray(test.counts[found].sum(axis=1)).ravel()
    return found[np.argsort(-lengths, kind="stable")]


def predict(
    corpus="debtags",
    models=QUICK,
    rare=5,
    frequent=100,
    at_least=3,
    split=0,
    scale="quick",
    seed=0,
    n_jobs=None,
):
    """Return the Predicted documents of ``choose``, each model trained as the experiments train it.

    Scores are computed once and kept in the cache. Raises ValueError when no document is chosen, naming what
    to change, and for an unknown model, scale, split or corpus.
    """
    corpus = load_corpus(corpus) if isinstance(corpus, str) else corpus
    train, test = corpus.split(split)
    documents = choose(train, test, rare, frequent, at_least)
    if not documents.size:
        raise ValueError(
            f"no test document of {corpus.name} has one label of at most {rare} training documents and only labels "
            f"of {frequent} or more beside it: choose other bounds or another split"
        )
    run = chains.Run(n_jobs, store.memory())
    kept = run.cached(_scores, ignore=["train", "rows", "n_jobs"])
    rows = test.counts[documents]
    key = digest((train.counts, train.labels, rows))
    scores = {
        model: kept(train, rows, key, corpus.name, model, scale, seed, n_jobs, run.version)
        for model in models
    }
    return Predicted(train, test, documents, rare, scores)


def _scores(train, rows, key, name, model, scale, seed, n_jobs, version):
    how = {"n_jobs": n_jobs, "memory": store.memory(), "verbose": 1}
    estimator = experiments.build(model, name, train, scale, seed, **how)
    return estimator.fit(train.counts, train.labels).decision_function(rows)


def shown(predicted, n_labels=4):
    """Return the place, among the predicted documents, of the one to show: the longest with so many labels.

    If none has as many, it is the longest of those whose number is nearest, the smaller number first.
    """
    sizes = np.diff(predicted.test.labels[predicted.documents].indptr)
    return int(np.lexsort((sizes, np.abs(sizes - n_labels)))[0])


def true_labels(predicted, place):
    """Return the labels of a predicted document, rarest first: columns label (name), training (documents)."""
    own = np.sort(predicted.test.labels[predicted.documents[place]].indices)
    frequency = _frequency(predicted)[own]
    order = np.argsort(frequency, kind="stable")
    names = predicted.test.label_names
    return pd.DataFrame({"label": [names[c] for c in own[order]], "training": frequency[order]})


def words(predicted, place):
    """Return the distinct words of a predicted document, in the vocabulary's order."""
    row = predicted.test.counts[predicted.documents[place]]
    return [predicted.test.vocabulary[word] for word in np.sort(row.indices)]


def top_ten(predicted, place, n=10):
    """Return each model's first n labels for a predicted document; ties keep the labels' order.

    Columns: model, place (from 1), label (name), score, true, training (documents).
    """
    frequency, rows = _frequency(predicted), []
    own = predicted.test.labels[predicted.documents[place]].toarray().ravel()
    for model, scores in predicted.scores.items():
        for number, c in enumerate(np.argsort(-scores[place], kind="stable")[:n], 1):
            name, score = predicted.test.label_names[c], float(scores[place, c])
            rows.append((model, number, name, score, bool(own[c]), int(frequency[c])))
    return pd.DataFrame(rows, columns=["model", "place", "label", "score", "true", "training"])


def as_columns(ten):
    """Return ``top_ten`` as text: a row per place, a column per model, a star before true labels, scores behind.

    Scores of support vector machines, which are no probabilities, are left out.
    """
    is_svm = ten["model"].str.contains("SVM")
    score = ten["score"].map("{:.3f}".format).str.lstrip("0").where(~is_svm, "")
    cell = ten["true"].map({True: "*", False: " "}) + ten["label"] + " " + score
    wide = ten.assign(cell=cell.str.rstrip()).pivot(index="place", columns="model", values="cell")
    return wide[result_tables.in_order(ten["model"])].rename_axis(index=None, columns=None)


def ranks(predicted, n=10):
    """Return where each model ranks the true labels of each predicted document.

    Columns: document (row of the test documents), model, rare_rank (of the rare label, from 1; ties keep the
    labels' order), rare_found (whether it is among the first n), frequent_found (share of the other true
    labels there), rare_listed (how many of the first n labels have at most ``rare`` training documents).
    """
    frequency, rows = _frequency(predicted), []
    is_rare = (frequency > 0) & (frequency <= predicted.rare)
    for model, scores in predicted.scores.items():
        for place, document in enumerate(predicted.documents):
            own = predicted.test.labels[document].indices
            order = np.argsort(-scores[place], kind="stable")
            rank = np.empty(order.size, int)
            rank[order] = np.arange(1, order.size + 1)
            rare, others = own[is_rare[own]][0], own[~is_rare[own]]
            found = float((rank[others] <= n).mean())
            listed = int(is_rare[order[:n]].sum())
            rows.append((int(document), model, int(rank[rare]), bool(rank[rare] <= n), found, listed))
    columns = ["document", "model", "rare_rank", "rare_found", "frequent_found", "rare_listed"]
    return pd.DataFrame(rows, columns=columns)


def summary(ranked):
    """Return the means of ``ranks`` over documents, a row per model, and the median rank of the rare label."""
    by_model = ranked.groupby("model", sort=False)
    means = by_model[["rare_found", "frequent_found", "rare_listed"]].mean()
    means.insert(0, "median_rare_rank", by_model["rare_rank"].median())
    return means.assign(documents=by_model.size()).loc[result_tables.in_order(ranked["model"])].reset_index()


def compare(ranked, pairs=None):
    """Return in how many documents one model ranks the rare label above, level with and below another.

    Columns: first, second, documents, above, level, below, p (two-sided sign test over the documents that
    differ; 1 if none does).

    pairs of models; the papers' (``result_tables.PAIRS``) and Dependency-LDA against the vanilla SVM if None. Pairs
    that lack a model are left out.
    """
    wide = ranked.pivot(index="document", columns="model", values="rare_rank")
    pairs = (*result_tables.PAIRS, ("Dependency-LDA", "Vanilla SVM")) if pairs is None else pairs
    rows = []
    for first, second in pairs:
        if {first, second} <= set(wide.columns):
            gain = (wide[second] - wide[first]).to_numpy()
            above, below = int((gain > 0).sum()), int((gain < 0).sum())
            p = stats.binomtest(above, above + below).pvalue if above + below else 1.0
            rows.append((first, second, len(gain), above, len(gain) - above - below, below, p))
    return pd.DataFrame(rows, columns=["first", "second", "documents", "above", "level", "below", "p"])


def say(compared):
    """Say of ``compare`` how often one model ranks the rare label above another."""
    return "\n".join(
        f"{row.first} ranks the rare label above {row.second} in {row.above} of {row.documents} documents, below "
        f"it in {row.below} (sign test p = {row.p:.2g})."
        for row in compared.itertuples()
    )


def printed():
    """Return the paper's figure 5 as ``top_ten`` has it: score is missing for the support vector machine.

    A label is true that the figure lists as such; training is its printed frequency, missing for other labels.
    """
    rows = reported("rubin2012", "figure 5")
    true = rows[rows["model"].isna()].set_index("label")["value"]
    found = rows.dropna(subset="model").assign(
        place=lambda table: table["place"].astype(int),
        score=lambda table: table["value"].where(table["quantity"] == "probability"),
        true=lambda table: table["label"].isin(true.index),
        training=lambda table: table["label"].map(true),
    )
    return found[["model", "place", "label", "score", "true", "training"]].reset_index(drop=True)


def keep(predicted, scale, seed=0, split=0, n_labels=4):
    """Store what the notebook shows of Predicted documents: the ten of the one shown, and ``ranks`` of all."""
    place = shown(predicted, n_labels)
    content = {
        "corpus": predicted.test.name, "split": split, "scale": scale, "seed": seed, "rare": predicted.rare,
        "version": polytopic.__version__, "document": int(predicted.documents[place]),
        "labels": true_labels(predicted, place).to_dict("list"),
    }  # fmt: skip
    parts = {"top_ten": top_ten(predicted, place), "ranks": ranks(predicted)}
    lines = [json.dumps(content, indent=1, ensure_ascii=False).removesuffix("\n}")]
    for name, table in parts.items():
        rows = json.loads(table.to_json(orient="values", double_precision=8))
        body = ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in rows)
        lines.append(f' "{name}": {{"columns": {json.dumps(list(table.columns))}, "rows": [\n{body}\n ]}}')
    path = paths.results() / FOLDER / f"{predicted.test.name}.json"
    write_whole(path, ",\n".join(lines) + "\n}\n")
    return path


def stored(corpus):
    """Return what ``keep`` stored for a corpus, a mapping with the frames top_ten and ranks; None if nothing is."""
    path = paths.results() / FOLDER / f"{corpus}.json"
    if not path.is_file():
        return None
    found = json.loads(path.read_text(encoding="utf-8"))
    parts = {name: pd.DataFrame(**_frame(found[name])) for name in ("top_ten", "ranks")}
    return found | parts


def _frame(part):
    return {"data": part["rows"], "columns": part["columns"]}


def _frequency(predicted):
    return np.asarray(predicted.train.labels.sum(axis=0)).ravel().astype(int)
