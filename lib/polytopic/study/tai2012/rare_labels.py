"""What PLST keeps of rare labels, which Tai & Lin (2012) do not ask: ranking of documents, and variance kept."""

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import TfidfTransformer

from polytopic import metrics
from polytopic.models.label_space import PenalisedRidge, codes
from polytopic.study.bins import bin_ends
from polytopic.study.store import Result, experiment

SHARED = {"split": range(1), "alpha": 1.0}  # a ridge penalty for documents of unit length; not tuned
SCALES = {"quick": SHARED | {"dimensions": (10, 50, 200)}, "paper": SHARED | {"dimensions": (50, 200, 800)}}


@experiment("tai2012", SCALES, corpora=("eurlex-titles",))
def rare_labels(corpus, *, split, dimensions, alpha):
    """Return each label's average precision under PLST with each number of dimensions, and with all (BR).

    Columns: model, label, train_frequency, test_frequency, average_precision. Words are weighted 1 + log of the count
    and every document has length 1; the ridge penalty is alpha. Labels without a training or a test document are left
    out. The table "kept" says how much of the labels' variance the first principal directions keep, by bin of
    training frequency as in ``bins.quintiles``: columns n_dimensions, bin, low, high (training documents), labels,
    share (the mean over the bin's labels).
    """
    train, test = corpus.split(split)
    seen = np.flatnonzero(train.label_frequencies)
    Y, truth, frequency = train.labels[:, seen], test.labels[:, seen], train.label_frequencies[seen]
    code = codes.principal(Y, max(dimensions), rng=np.random.default_rng(0))
    Z, weighted = code.encode(Y), TfidfTransformer(use_idf=False, sublinear_tf=True).fit_transform
    model = PenalisedRidge(alpha).fit(weighted(train.counts), np.hstack([Z, Y.toarray()]))
    predicted, relevance = np.hsplit(model.predict(weighted(test.counts)), [len(code.projection)])
    scored = {f"PLST, {m}": code.prefix(m).decode(predicted[:, :m]) for m in dimensions}
    scored["Binary relevance, ridge"] = relevance
    every = {"label": seen, "train_frequency": frequency, "test_frequency": truth.getnnz(axis=0)}
    frames = []
    for name, scores in scored.items():
        precision = metrics.ranking_per_item(truth, scores, "label")["average_precision"]
        frames.append(pd.DataFrame({"model": name} | every | {"average_precision": precision}).dropna())
    share = frequency / Y.shape[0]
    squares, variance = (Z**2).sum(axis=0), Y.shape[0] * share * (1 - share)
    bins = np.searchsorted(bin_ends(frequency), frequency) + 1
    labels = pd.DataFrame({"bin": bins, "frequency": frequency})
    parts = {m: (code.projection[:m] ** 2 * squares[:m, None]).sum(axis=0) / variance for m in dimensions}
    over = pd.concat([labels.assign(n_dimensions=m, share=part) for m, part in parts.items()])
    each = over.groupby(["n_dimensions", "bin"])
    kept = each["frequency"].agg(low="min", high="max").join(each["share"].agg(labels="size", share="mean"))
    return Result(pd.concat(frames, ignore_index=True), {"kept": kept.reset_index()})
