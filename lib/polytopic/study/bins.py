"""Labels by training frequency: quintiles, and paired tests within them (Rubin et al. 2012, section 6.3)."""

import numpy as np
import pandas as pd
from scipy import stats

from polytopic.study import compare
from polytopic.study.looks import in_order

BIN = ["corpus", "bin", "low", "high"]
TESTED = ["pairs", "labels", "difference", "half_width", "t", "p", "p_of_pairs"]
TEST_COLUMNS = [*BIN, "first", "second", *TESTED]
MEASURE = "average_precision"
TOPIC_MODELS = ("Dependency-LDA", "Prior-LDA", "Flat-LDA")
LEVEL = 0.05  # of p, below which a difference is marked


def quintiles(label_scores, n_bins=5):
    """Return the mean average precision of each model over labels binned by training frequency.

    label_scores has the columns corpus, split, label, model, train_frequency and average_precision. Columns: corpus,
    bin (from 1), low and high (the bin's range of training frequencies), items, model, average_precision.

    The binned items are the pairs of a label and a split in which the label has a positive on both sides; the mean is
    over a model's items. Bin k ends at the smallest frequency that at least k/n_bins of the items do not exceed, so
    labels of one frequency are never parted; where two ends fall together the bins merge, and fewer are left.

    Rubin et al. (2012), section 6.3 and figure 12, which does not say what happens to ties.
    """
    each = _binned(label_scores, n_bins).groupby([*BIN, "model"], observed=True)[MEASURE]
    means = each.agg(items="size", average_precision="mean").reset_index()
    return means.astype({"corpus": str, "model": str})[[*BIN, "items", "model", MEASURE]]


def quintile_table(means):
    """Return ``quintiles``, rounded: a row per corpus and bin, named by its range of frequencies, a column per model.

    items is the largest number any model has.
    """
    if means.empty:
        return pd.DataFrame()
    by = ["corpus", "bin", "training"]
    named = means.assign(training=ranges(means))
    wide = named.pivot(index=by, columns="model", values=MEASURE)[in_order(means["model"])]
    wide.insert(0, "items", named.groupby(by)["items"].max())
    return wide.round(3).rename_axis(columns=None)


def quintile_tests(label_scores, *firsts, second="Tuned SVM", n_bins=5):
    """Return paired t-tests of each of the firsts with the second in each bin of ``quintiles``, clustered by label.

    Without firsts they are the topic models of Rubin et al. (2012). A pair is one label in one split (note 18); seeds
    are averaged within it. Pairs of one label in several splits are not independent, so the standard error is the
    cluster-robust one with labels as clusters, on as many degrees of freedom as labels less 1: for one split it is
    the usual one. That labels share documents and fits is left out.

    Columns: corpus, bin, low, high (of training frequencies), first, second, pairs, labels (clusters), difference
    (mean of first - second over pairs), half_width (of its 95 % interval), t, p (two-sided), p_of_pairs (as in the
    paper, which takes pairs for independent). A corpus without one of two models has no rows for them; of one label
    the tests are missing. Where every difference is the same, p is 0, or 1 if they are all 0.
    """
    binned = _binned(label_scores, n_bins).astype({"model": str})
    wide = binned.pivot_table(MEASURE, [*BIN, "split", "label"], "model", observed=True)
    rows = []
    for first in firsts or TOPIC_MODELS:
        if first != second and {first, second} <= set(wide):
            gains = (wide[first] - wide[second]).dropna()
            rows += [
                (*place, first, second, *_clustered(own))
                for place, own in gains.groupby(level=BIN, sort=False, observed=True)
            ]
    return pd.DataFrame(rows, columns=TEST_COLUMNS)


def _clustered(gains):
    """Return TESTED of paired differences, by label and, the last, of pairs taken for independent."""
    mean, pairs, scale = gains.mean(), gains.size, gains.abs().max()
    sums = (gains - mean).groupby(level="label").sum()  # of residuals
    labels = sums.size
    error = np.sqrt(labels / (labels - 1) * (sums**2).sum()) / pairs if labels > 1 else np.nan
    t, p = _t_test(mean, error, labels - 1, scale)
    _, p_of_pairs = _t_test(mean, gains.std() / np.sqrt(pairs), pairs - 1, scale)
    return pairs, labels, mean, compare.half_width(error, labels), t, p, p_of_pairs


def _t_test(mean, error, freedom, scale):
    if error <= 1e-12 * scale:
        return np.sign(mean) * np.inf if mean else 0.0, float(mean == 0)
    return mean / error, 2 * stats.t.sf(abs(mean / error), freedom)


def tests_table(tests):
    """Return ``quintile_tests`` as text: a row per corpus, first and second, a column per bin's place.

    A cell is the bin's range of training documents and the difference, with a star where p < LEVEL.
    """
    stars = (tests["p"] < LEVEL).map({True: "*", False: ""})
    text = ranges(tests) + ": " + tests["difference"].map("{:+.3f}".format) + stars
    table = tests.assign(text=text).set_index(["corpus", "first", "second", "bin"])["text"]
    return table.unstack("bin", fill_value="–", sort=False).sort_index(axis=1)


def bin_ends(frequencies, n_bins=5):
    """Return the largest frequency of each bin, rising; see ``quintiles`` for the rule."""
    ranked = np.sort(np.asarray(frequencies))
    places = [-(-k * len(ranked) // n_bins) - 1 for k in range(1, n_bins + 1)]
    return np.unique(ranked[places])


def by_bin(frame, column, n_bins=5, **how):
    """Return what a frame holds in bins of about as many rows by one of its columns, as ``quintiles`` has them.

    Columns: bin (from 1), low and high (of the column), labels (the number of rows), and each of ``how``, names of
    columns with what to take of them, such as "mean".
    """
    place = np.searchsorted(bin_ends(frame[column], n_bins), frame[column]) + 1
    taken = {"low": (column, "min"), "high": (column, "max"), "labels": (column, "size")}
    taken |= {name: (name, one) for name, one in how.items()}
    return frame.groupby(place).agg(**taken).rename_axis("bin").reset_index()


def ranges(rows):
    """Return the columns low and high as text: "2–4", or "2" where both are the same."""
    low, high = rows["low"].map("{:g}".format), rows["high"].map("{:g}".format)
    return low.where(low == high, low + "–" + high)


def _binned(label_scores, n_bins):
    """Return one row per corpus, split, label and model, with the label's bin and the bin's range."""
    item = ["corpus", "split", "label"]
    compare.require(label_scores, [*item, "model", "train_frequency", MEASURE])
    seen = label_scores[label_scores["train_frequency"] > 0]
    seen = seen.astype({"train_frequency": int, MEASURE: float})
    items = seen[[*item, "train_frequency"]].drop_duplicates(ignore_index=True)
    if items.duplicated(item).any():
        raise ValueError(
            "a label has two training frequencies in one split: label_scores mixes several data sets"
        )
    each = items.groupby("corpus")["train_frequency"]
    place = each.transform(lambda own: np.searchsorted(bin_ends(own, n_bins), own) + 1)
    items["bin"] = place.astype(int)  # floats where there is nothing
    in_bin = items.groupby(["corpus", "bin"])["train_frequency"]
    items = items.assign(low=in_bin.transform("min"), high=in_bin.transform("max"))
    scores = seen.groupby([*item, "model"], sort=False)[MEASURE].mean().reset_index().merge(items, on=item)
    scores["corpus"] = pd.Categorical(scores["corpus"], scores["corpus"].unique())
    scores["model"] = pd.Categorical(scores["model"], in_order(scores["model"]))
    return scores
