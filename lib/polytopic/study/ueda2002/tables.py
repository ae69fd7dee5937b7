"""Trials brought together: means beside the paper's, and leads, by how much one method's mean F is above another's.

Rows are those of ``trials``, one measure of one method on one trial each; "problem" is the paper's word for a corpus.
"""

import numpy as np
import pandas as pd
from scipy import stats

from polytopic.metrics import MEASURES
from polytopic.study import compare, printed
from polytopic.study.printed import reported
from polytopic.study.ueda2002.trials import METHODS, READINGS, REDUCED
from polytopic.validation import check_name

PAPER = "ueda2002"
TRIALS = 5  # of the paper
ITEMS = {2000: "table 1", 500: "table 2"}
METHOD_ORDER = [*METHODS, *READINGS]
LEAD_COLUMNS = ["pair", "item", "corpus", "difference", "standard_error", "df", "t", "p", "trials"]
PAIRS = (("PMM1", "SVM"), ("PMM1", "NB"), ("PMM1", "kNN"), ("PMM1", "NN"), ("PMM1", "PMM2"))


def whole(rows):
    """Return the rows of the corpora whose whole vocabulary is at hand."""
    return rows[~rows["corpus"].isin(REDUCED)]


def vocabulary(corpora):
    """Return "whole" or "reduced" for each corpus."""
    return np.where(corpora.isin(REDUCED), "reduced", "whole")


def means(rows, measure="f1"):
    """Return ``compare.means`` over trials by corpus, vocabulary ("whole" or "reduced"), size and method.
    Sizes fall; corpora come by vocabulary, then by name; methods are in the paper's order.
    """
    check_name("measure", measure, MEASURES)
    table = compare.means(rows[rows["measure"] == measure], ["corpus", "size", "method"], ["trial"])
    table.insert(1, "vocabulary", vocabulary(table["corpus"]))
    table = table.sort_values("method", key=lambda names: names.map(METHOD_ORDER.index))
    by, ascending = ["size", "vocabulary", "corpus"], [False, False, True]
    return table.sort_values(by, ascending=ascending, kind="stable", ignore_index=True)


def beside_paper(rows):
    """Return our means beside the paper's, judged by ``printed.RULE``.

    Columns: item, corpus, vocabulary, method, mean, sd, n, paper, difference, allowed, agrees. The pages are not the
    paper's: trials are drawn anew from the same corpora. Readings of a method stand beside the method in print.
    """
    ours = means(rows)
    ours = ours.assign(item=ours["size"].map(ITEMS), model=ours["method"].map(_in_print))
    table = printed.beside(ours, reported(PAPER).assign(n=TRIALS), ["item", "corpus", "model"])
    columns = ["item", "corpus", "vocabulary", "method", "mean", "sd", "n", "paper"]
    return table[[*columns, "difference", "allowed", "agrees"]]


def leads(rows, pairs=PAIRS, measure="f1"):
    """Return the leads on whole corpora: two methods in a trial have the same training and test pages.

    Columns: pair ("PMM1 over SVM"), item ("table 1" for 2000 training pages, "table 2" for 500, else the number),
    corpus, difference, standard_error, df, t, p (paired over trials), trials, ahead (see ``compare.paired``).
    """
    by, names = ["size", "corpus"], {"gain": "difference", "se": "standard_error", "n": "trials"}
    chosen = whole(rows)[lambda own: own["measure"] == measure]
    chosen = chosen.sort_values(by, ascending=[False, True], kind="stable")
    parts = [compare.paired(chosen, *pair, by, ["trial"], of="method", measure=measure) for pair in pairs]
    table = pd.concat(parts, ignore_index=True).rename(columns=names)
    item = [ITEMS.get(size, f"{size} pages") for size in table["size"]]
    new = {"pair": table["first"] + " over " + table["second"], "item": item, "df": table["trials"] - 1}
    return table.assign(**new)[[*LEAD_COLUMNS, "ahead"]]


def leads_in_print(pairs=PAIRS):
    """Return the paper's own leads on whole corpora, in the columns of ``leads`` but ahead, with Welch's t. A reading
    of a method has the lead of the method in print.
    """
    found = []
    for first, second in pairs:
        table = printed.leads(reported(PAPER), _in_print(first), _in_print(second), TRIALS)
        found.append(whole(table).assign(pair=f"{first} over {second}", trials=TRIALS))
    return pd.concat(found, ignore_index=True)[LEAD_COLUMNS]


def summary(rows, pairs=PAIRS, measure="f1"):
    """Return each lead over the whole corpora: pair, item, and the columns of ``counts``."""
    place = ["pair", "item", "corpus"]
    theirs = leads_in_print(pairs)[[*place, "difference"]].rename(columns={"difference": "paper"})
    both = leads(rows, pairs, measure).merge(theirs, on=place, how="left")
    return pd.DataFrame([
        {"pair": pair, "item": item, **counts(block["difference"], block["ahead"], block["paper"])}
        for (pair, item), block in both.groupby(["pair", "item"], sort=False)
    ])  # fmt: skip


def counts(gain, ahead, in_print, word="ahead"):
    """Return what gains on several corpora say: ours (their mean), ``word`` (how many are positive), clear (how many
    have a 95 % interval above 0), behind_clear, of, p_corpora (Wilcoxon's signed ranks), and the paper's.
    """
    is_up = gain > 0
    p = stats.wilcoxon(gain).pvalue if len(gain) > 1 and gain.abs().max() > 0 else np.nan
    return {
        "ours": gain.mean(), word: int(is_up.sum()), "clear": int((ahead == 1).sum()),
        "behind_clear": int((ahead == -1).sum()), "of": len(gain), "p_corpora": p,
        "paper": in_print.mean(), f"paper_{word}": int((in_print > 0).sum()),
    }  # fmt: skip


def overview(rows):
    """Return, by size and method, the means over corpora and trials of every measure, of times the trials' medians,
    as the first time of a run includes compilation.
    """
    each = rows.groupby(["size", "method", "corpus", "measure"])["value"].agg(["mean", "median"])
    is_time = each.index.get_level_values("measure").str.endswith("_seconds")
    typical = each["mean"].where(~is_time, each["median"])
    table = typical.groupby(level=["size", "method", "measure"]).mean().unstack("measure")
    order = [(s, m) for s in sorted({*rows["size"]}, reverse=True) for m in METHOD_ORDER]
    table = table.reindex([key for key in order if key in table.index])
    return table[rows["measure"].unique()].rename_axis(columns=None)


def _in_print(method):
    """Return the method in print that a method or reading stands for."""
    return READINGS.get(method, (method,))[0]
