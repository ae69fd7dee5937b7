"""What the notebooks on section 2, on the choice of M and on rare labels show."""

import numpy as np
import pandas as pd
from sklearn.preprocessing import normalize

from polytopic import metrics
from polytopic.datasets import load_corpus
from polytopic.models import (
    PLST,
    CalibratedLabelRanking,
    CompressiveSensing,
    GeneralisedTopicModel,
    LabelPowerset,
    PartialBinaryRelevance,
)
from polytopic.models.label_space import PenalisedRidge, codes, compare_rules
from polytopic.models.label_space.dimensions import RULES
from polytopic.study.bins import bin_ends
from polytopic.study.tai2012.protocol import Data

TEXT_ALPHA = 1.0  # ridge penalty for documents of unit length; not tuned


# The cube


def cubes():
    """Return {title: (occupied vertices (D, 3), code)} for ``drawing.plot_hypercube``."""
    equal = np.array([[0, 0, 0], [1, 1, 0], [1, 1, 1]])
    exclusive = np.array([[0, 0, 0], [1, 0, 1], [0, 1, 1]])
    nested = np.array([[0, 0, 0], [1, 0, 1], [0, 1, 1], [1, 1, 1]])
    directions = np.linalg.qr(np.array([[0.55, 0.4, 0.8], [-0.6, 0.8, 0.0]]).T)[0].T
    return {
        "labels 1 and 2 equal: a line": (equal, codes.principal(equal, 1)),
        "exclusive sub-classes: a plane": (exclusive, codes.principal(exclusive, 2)),
        "the paper's plane through (½, ½, ½)": (nested, codes.FlatCode(np.full(3, 0.5), directions)),
        "its PLST plane": (nested, codes.principal(nested, 2)),
    }


def landings(lessons):
    """Return where every vertex lands and what it rounds to: lesson, vertex, x, y, z, rounded, one row each."""
    rows = []
    for title, (occupied, code) in lessons.items():
        points = code.decode(code.encode(occupied))
        for vertex, point, back in zip(occupied, points, codes.vertices(points), strict=True):
            rows.append((title, _text(vertex), *point, _text(back)))
    return pd.DataFrame(rows, columns=["lesson", "vertex", "x", "y", "z", "rounded"])


def sentences(lessons):
    """Say of each lesson how many vertices come back."""
    table = landings(lessons)
    lines = []
    for title, block in table.groupby("lesson", sort=False):
        back = int((block["vertex"] == block["rounded"]).sum())
        lines.append(f"{title}: {back} of {len(block)} occupied vertices come back by rounding.")
    return "\n".join(lines)


def _text(vertex):
    return "".join(str(int(v)) for v in vertex)


def family(corpus="debtags", n_dimensions=4, most_labels=10, seed=0):
    """Return the measures of every member of the frame on partition 0 of a corpus's commonest labels, a row each."""
    data = Data(load_corpus(corpus), 0, seed, most_labels=most_labels, most_features=300)
    m = min(n_dimensions, data.Y.shape[1])
    members = {
        "Binary relevance": PartialBinaryRelevance(),
        "PBR": PartialBinaryRelevance(m),
        "PBR-Mean": PartialBinaryRelevance(m, shift=True),
        "PLST": PLST(m),
        "PLST-Origin": PLST(m, shift=False),
        "CS": CompressiveSensing(m, data.sparsity, random_state=seed),
        "CS-BestVertex": CompressiveSensing(m, data.sparsity, best_vertex=True, random_state=seed),
        "Label powerset": LabelPowerset(),
        "Generalised topic model": GeneralisedTopicModel(m, random_state=seed),
    }
    rows = []
    for name, model in members.items():
        model.fit(data.X, data.Y)
        outputs = model.code_.encode(data.Y[:1]).shape[1]
        rows.append(
            {"member": name, "regressors": outputs} | _measured(data, model.decision_function(data.X_test))
        )
    if data.Y.shape[1] <= 12:
        ranking = CalibratedLabelRanking().fit(data.X, data.Y)
        votes = ranking.decision_function(data.X_test)
        rows.append({"member": "Label ranking", "regressors": len(ranking.pairs_)} | _measured(data, votes))
    rows.append({"member": "No label at all", "regressors": 0} | _measured(data, np.zeros(data.truth.shape)))
    return pd.DataFrame(rows).set_index("member")


def _measured(data, points):
    found = metrics.vertex_measures(data.truth, points)
    return {name: found[name] for name in ("hamming_loss", "ranking_loss", "macro_auc", "macro_f1")}


# The choice of M


def choice(corpus="debtags", seed=0, **limits):
    """Return {"curve": Theorem 1's terms and the loss at every M, held out; "chosen": what each rule takes} on the
    training part of partition 0. limits are those of ``protocol.Data``.
    """
    data = Data(load_corpus(corpus), 0, seed, **limits)
    found = compare_rules(data.X, data.Y, random_state=seed)
    held_out = found[RULES[0]]
    curve = pd.DataFrame(
        {
            "n_dimensions": np.arange(len(held_out.loss)),
            "prediction_error": held_out.prediction_error,
            "encoding_error": held_out.encoding_error,
            "bound": held_out.prediction_error + held_out.encoding_error,
            "hamming_loss": held_out.loss,
            "empty_loss": float(data.Y.mean()),
        }
    )
    chosen = pd.DataFrame(
        [(rule, one.n_dimensions) for rule, one in found.items()], columns=["rule", "n_dimensions"]
    )
    return {"curve": curve, "chosen": chosen}


def sentences_choice(choice):
    """Say what each rule chooses, and what the held-out loss is there."""
    curve = choice["curve"].set_index("n_dimensions")
    full = curve["hamming_loss"].iloc[-1]
    lines = [
        f"{row.rule}: {row.n_dimensions} of {curve.index[-1]} dimensions, held-out Hamming loss "
        f"{curve.loc[row.n_dimensions, 'hamming_loss']:.5f} (all dimensions: {full:.5f})."
        for row in choice["chosen"].itertuples()
    ]
    least = int(curve["bound"].idxmin())
    loose = curve.loc[least, "bound"] / curve.loc[least, "hamming_loss"]
    lines.append(
        f"The bound is smallest at {least} dimensions, and there {loose:.1f} times the loss that it bounds."
    )
    return "\n".join(lines)


# Rare labels


def label_scores(corpus="debtags", dimensions=(10, 50, 200), split=0, alpha=TEXT_ALPHA):
    """Return each label's average precision under PLST with each number of dimensions, and with all (BR).

    Columns as in ``experiments.label_scores``. Words are weighted 1 + log of the count and every document has length
    1; the ridge penalty is alpha. Labels without a training or a test document are left out, as there.
    """
    corpus = load_corpus(corpus) if isinstance(corpus, str) else corpus
    train, test = corpus.split(split)
    frequency = np.asarray(train.labels.sum(axis=0)).ravel()
    seen = np.flatnonzero(frequency)
    Y, truth = train.labels[:, seen], test.labels[:, seen]
    most = max(dimensions)
    code = codes.principal(Y, most, rng=np.random.default_rng(0))
    model = PenalisedRidge(alpha).fit(_weighted(train.counts), np.hstack([code.encode(Y), Y.toarray()]))
    predicted = model.predict(_weighted(test.counts))
    scored = {f"PLST, {m}": code.prefix(m).decode(predicted[:, :m]) for m in dimensions}
    scored["Binary relevance, ridge"] = predicted[:, most:]
    frames = []
    tested = np.asarray(truth.sum(axis=0)).ravel()
    for model_name, scores in scored.items():
        precision = metrics.ranking_per_item(truth, scores, "label")["average_precision"]
        kept = np.flatnonzero(~np.isnan(precision))
        frames.append(
            pd.DataFrame(
                {
                    "corpus": corpus.name,
                    "model": model_name,
                    "split": split,
                    "seed": 0,
                    "scale": "one split",
                    "label": seen[kept],
                    "train_frequency": frequency[seen][kept].astype(int),
                    "test_frequency": tested[kept].astype(int),
                    "average_precision": precision[kept],
                }
            )
        )
    return pd.concat(frames, ignore_index=True)


def kept(corpus="debtags", dimensions=(10, 50, 200), split=0, n_bins=5):
    """Return how much of the labels' variance the first principal directions keep, by bin of training frequency.

    Columns corpus, n_dimensions, bin, low, high (training documents), labels, share: the mean over the bin's labels.
    Bins are those of ``quintiles``.
    """
    corpus = load_corpus(corpus) if isinstance(corpus, str) else corpus
    train = corpus.split(split)[0]
    frequency = np.asarray(train.labels.sum(axis=0)).ravel().astype(int)
    seen = np.flatnonzero(frequency)
    Y, frequency = train.labels[:, seen], frequency[seen]
    code = codes.principal(Y, max(dimensions), rng=np.random.default_rng(0))
    squares = (code.encode(Y) ** 2).sum(axis=0)
    share = frequency / Y.shape[0]
    variance = Y.shape[0] * share * (1 - share)
    ends = bin_ends(frequency, n_bins)
    bins = np.searchsorted(ends, frequency)
    rows = []
    for m in dimensions:
        explained = (code.projection[:m] ** 2 * squares[:m, None]).sum(axis=0) / variance
        for b in np.unique(bins):
            inside = bins == b
            rows.append(
                (
                    corpus.name,
                    m,
                    b + 1,
                    frequency[inside].min(),
                    frequency[inside].max(),
                    inside.sum(),
                    explained[inside].mean(),
                )
            )
    return pd.DataFrame(rows, columns=["corpus", "n_dimensions", "bin", "low", "high", "labels", "share"])


def sentences_kept(kept):
    """Say what the largest number of directions keeps of the rarest and of the commonest labels."""
    top = kept[kept["n_dimensions"] == kept["n_dimensions"].max()]
    rare, common = top.iloc[0], top.iloc[-1]
    return (
        f"{rare['n_dimensions']} directions keep {rare['share']:.1%} of the variance of a label with {rare['low']} "
        f"to {rare['high']} training documents, {common['share']:.1%} of one with {common['low']} to "
        f"{common['high']}."
    )


def sentences_rare(means):
    """Say, for the rarest and the commonest bin, which models are first and where each PLST stands."""
    lines = []
    for b in (means["bin"].min(), means["bin"].max()):
        block = means[means["bin"] == b].sort_values("average_precision", ascending=False)
        told = ", ".join(f"{r.model} {r.average_precision:.3f}" for r in block.itertuples())
        low, high = block["low"].iloc[0], block["high"].iloc[0]
        lines.append(f"Labels with {low:g} to {high:g} training documents: {told}.")
    return "\n".join(lines)


def _weighted(counts):
    weighted = counts.astype(np.float64)
    weighted.data = 1 + np.log(weighted.data)
    return normalize(weighted)
