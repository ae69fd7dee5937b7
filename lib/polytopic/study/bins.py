"""Labels by training frequency: quintiles, and paired tests within them (Rubin et al. 2012, section 6.3)."""

import numpy as np
import pandas as pd
from scipy import stats

from polytopic.study.result_tables import MODEL_ORDER, choose, complete, in_order, need

BIN = ["corpus", "bin", "low", "high"]
TEST_COLUMNS = [*BIN, "first", "second", "pairs", "difference", "t", "p", "wilcoxon_p"]


def quintiles(label_scores, n_bins=5):
    """Return the mean average precision of each model over labels binned by training frequency.

    label_scores is ``experiments.label_scores``. Columns: corpus, bin (from 1), low and high (the bin's range
    of training frequencies), items, model, average_precision.

    The binned items are the pairs of a label and a split in which the label has a positive on both sides; the
    mean is over a model's items. Bin k ends at the smallest frequency that at least k/n_bins of the items do
    not exceed, so labels of one frequency are never parted. Where that puts two ends on one
    frequency the bins merge, and fewer than ``n_bins`` are left.

    Rubin et al. (2012), section 6.3 and figure 12, which does not say what happens to ties.
    """
    scores = _binned(label_scores, n_bins)
    by = [*BIN, "model"]
    means = scores.groupby(by, observed=True)["average_precision"].agg(items="size", average_precision="mean")
    means = means.reset_index().astype({"corpus": str, "model": str})
    return means[[*BIN, "items", "model", "average_precision"]]


def quintile_table(means):
    """Return ``quintiles`` with a row per corpus and bin and a column per model, rounded to three decimals.

    The bins are named by their range of training frequencies; items is the largest number any model has.
    """
    if means.empty:
        return pd.DataFrame()
    low, high = means["low"].map("{:g}".format), means["high"].map("{:g}".format)
    named = means.assign(training=low.where(low == high, low + "–" + high))
    by = ["corpus", "bin", "training"]
    wide = named.pivot(index=by, columns="model", values="average_precision")[in_order(means["model"])]
    wide.insert(0, "items", named.groupby(by)["items"].max())
    return wide.round(3).rename_axis(columns=None)


def quintile_tests(label_scores, first="Dependency-LDA", second="Tuned SVM", n_bins=5):
    """Return paired tests between two models in each bin of ``quintiles``.

    A pair is one label in one split (Rubin et al. 2012, note 18); seeds are averaged within it. Columns:
    corpus, bin, low, high, first, second, pairs, difference (mean of first - second), t and p (paired t-test,
    two-sided), wilcoxon_p. With fewer than two pairs t and both p are missing. With no difference in any
    pair t is 0 and p is 1; with one and the same difference in all of them t is infinite and p is 0.

    Raises ValueError for a model without scores.
    """
    scores = _binned(label_scores, n_bins)
    for model in (first, second):
        choose(model, list(scores["model"].unique()), "model")
    wide = scores.pivot(index=[*BIN, "split", "label"], columns="model", values="average_precision")
    gains = (wide[first] - wide[second]).dropna().groupby(level=BIN, observed=True)
    rows = [(*key, first, second, *_paired_tests(gain.to_numpy())) for key, gain in gains]
    return pd.DataFrame(rows, columns=TEST_COLUMNS)


def quintile_tests_against(label_scores, second="Tuned SVM", firsts=MODEL_ORDER[:3], n_bins=5):
    """Return ``quintile_tests`` of each of the firsts against the second, on the corpora that have both."""
    found = []
    for first in firsts:
        both = complete(label_scores, (first, second))
        found += [quintile_tests(both, first, second, n_bins)] if len(both) else []
    return pd.concat(found, ignore_index=True) if found else pd.DataFrame(columns=TEST_COLUMNS)


def _binned(label_scores, n_bins):
    """Return one row per corpus, split, label and model, with the label's bin and the bin's range."""
    item = ["corpus", "split", "label"]
    need(label_scores, [*item, "model", "train_frequency", "average_precision"], "label_scores")
    seen = label_scores[label_scores["train_frequency"] > 0]
    if (seen.groupby(item)["train_frequency"].nunique() > 1).any():
        raise ValueError(
            "a label has two training frequencies in one split: label_scores mixes several data sets"
        )
    by = [*item, "model", "train_frequency"]
    seen = seen.astype({"train_frequency": int, "average_precision": float})
    scores = seen.groupby(by, sort=False)["average_precision"].mean().reset_index()
    scores["bin"] = 0
    for _, part in scores.groupby("corpus"):
        ends = bin_ends(part.drop_duplicates(item)["train_frequency"], n_bins)
        scores.loc[part.index, "bin"] = np.searchsorted(ends, part["train_frequency"]) + 1
    frequencies = scores.groupby(["corpus", "bin"])["train_frequency"]
    scores = scores.assign(low=frequencies.transform("min"), high=frequencies.transform("max"))
    scores["corpus"] = pd.Categorical(scores["corpus"], scores["corpus"].unique())
    scores["model"] = pd.Categorical(scores["model"], in_order(scores["model"]))
    return scores


def bin_ends(frequencies, n_bins=5):
    """Return the largest frequency of each bin, rising; see ``quintiles`` for the rule."""
    ranked = np.sort(np.asarray(frequencies))
    places = [-(-k * len(ranked) // n_bins) - 1 for k in range(1, n_bins + 1)]
    return np.unique(ranked[places])


def _paired_tests(gain):
    mean, scale = gain.mean(), np.abs(gain).max()
    if len(gain) < 2:
        return len(gain), mean, np.nan, np.nan, np.nan
    if scale == 0:
        return len(gain), 0.0, 0.0, 1.0, 1.0
    wilcoxon = stats.wilcoxon(gain).pvalue
    if np.ptp(gain) <= 1e-12 * scale:
        return len(gain), mean, np.sign(mean) * np.inf, 0.0, wilcoxon
    t, p = stats.ttest_rel(gain, np.zeros_like(gain))
    return len(gain), mean, t, p, wilcoxon
