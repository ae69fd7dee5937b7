"""Ueda & Saito's tables 1 and 2 from the trials, with the paper's numbers beside ours.

Rows are those of ``trials``, one measure of one method on one trial each. A lead is how far one method's mean F is
above another's on one corpus; "problem" is the paper's word for a corpus.
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


def means(rows, measure="f1"):
    """Return ``compare.means`` over trials by corpus, vocabulary ("whole" or "reduced"), size and method.
    Sizes fall; corpora come by vocabulary, then by name; methods are in the paper's order.
    """
    table = compare.means(_only(rows, measure), ["corpus", "size", "method"], ["trial"])
    table.insert(1, "vocabulary", _vocabulary(table["corpus"]))
    table = table.sort_values("method", key=lambda names: names.map(METHOD_ORDER.index))
    by, ascending = ["size", "vocabulary", "corpus"], [False, False, True]
    return table.sort_values(by, ascending=ascending, kind="stable", ignore_index=True)


def beside_paper(rows):
    """Return our means beside the paper's, judged by ``printed.RULE``.

    Columns: item, corpus, vocabulary, method, mean, sd, n, paper, difference, allowed, agrees. The pages are not the
    paper's: trials are drawn anew from the same corpora. Readings of a method stand beside the method in print.
    """
    ours = means(rows)
    ours = ours.assign(item=ours["size"].map(ITEMS), model=ours["method"].map(_of))
    table = printed.beside(ours, reported(PAPER).assign(n=TRIALS), ["item", "corpus", "model"])
    columns = ["item", "corpus", "vocabulary", "method", "mean", "sd", "n", "paper"]
    return table[[*columns, "difference", "allowed", "agrees"]]


def as_printed(rows, size):
    """Return table 1 or 2 as text: a row per corpus and line (ours and, where the paper has the corpus, paper), a
    column per method, "mean (sd)", a star at a line's best mean, as rounded. Corpora of the reduced vocabulary stand
    below the others.
    """
    ours = means(rows[(rows["size"] == size) & rows["method"].isin(METHODS)]).assign(line="ours")
    names = {"model": "method", "value": "mean"}
    theirs = reported(PAPER).query("item == @ITEMS.get(@size)").rename(columns=names).astype({"sd": float})
    theirs = theirs.assign(line="paper", vocabulary=_vocabulary(theirs["corpus"]))
    long = pd.concat([ours, theirs[theirs["corpus"].isin(ours["corpus"])]], ignore_index=True)
    by = ["vocabulary", "corpus", "line"]
    is_best = long["mean"].round(1) == long.groupby(by)["mean"].transform(lambda line: line.round(1).max())
    spread = long["sd"].map(" ({:.1f})".format).where(long["sd"].notna(), "")
    long["text"] = long["mean"].map("{:.1f}".format) + spread + is_best.map({True: "*", False: ""})
    wide = long.pivot(index=by, columns="method", values="text").sort_index(ascending=[False, True, True])
    return wide.rename_axis(columns=None)[list(dict.fromkeys(ours["method"]))].fillna("–")


def leads(rows, pairs=PAIRS, measure="f1"):
    """Return the leads on whole corpora: two methods in a trial have the same training and test pages.

    Columns: pair ("PMM1 over SVM"), item ("table 1" for 2000 training pages, "table 2" for 500, else the number),
    corpus, difference, standard_error, df, t, p (paired over trials), trials, ahead (see ``compare.paired``).
    """
    by, names = ["size", "corpus"], {"gain": "difference", "se": "standard_error", "n": "trials"}
    chosen = _only(whole(rows), measure).sort_values(by, ascending=[False, True], kind="stable")
    parts = [compare.paired(chosen, *pair, by, ["trial"], of="method", measure=measure) for pair in pairs]
    table = pd.concat(parts, ignore_index=True).rename(columns=names)
    item = [ITEMS.get(size, f"{size} pages") for size in table["size"]]
    told = {"pair": table["first"] + " over " + table["second"], "item": item, "df": table["trials"] - 1}
    return table.assign(**told)[[*LEAD_COLUMNS, "ahead"]]


def leads_in_print(pairs=PAIRS):
    """Return the paper's own leads on whole corpora, in the columns of ``leads`` but ahead, with Welch's t. A reading
    of a method has the lead of the method in print.
    """
    found = []
    for first, second in pairs:
        table = printed.leads(reported(PAPER), _of(first), _of(second), TRIALS)
        found.append(whole(table).assign(pair=f"{first} over {second}", trials=TRIALS))
    return pd.concat(found, ignore_index=True)[LEAD_COLUMNS]


def leads_beside_paper(rows, pairs=PAIRS):
    """Return ``leads`` and under them those in print, told apart by the item: "table 1, paper"."""
    ours, theirs = leads(rows, pairs)[LEAD_COLUMNS], leads_in_print(pairs)
    return pd.concat([ours, theirs.assign(item=theirs["item"] + ", paper")], ignore_index=True)


def summary(rows, pairs=PAIRS, measure="f1"):
    """Return each lead over the whole corpora: columns pair, item, ours (mean over corpora), ahead (corpora), clear
    (of these, with a 95 % interval above 0), behind_clear, of, p_corpora (Wilcoxon's signed ranks over corpora),
    paper (its mean over the same corpora), paper_ahead.
    """
    place = ["pair", "item", "corpus"]
    theirs = leads_in_print(pairs)[[*place, "difference"]].rename(columns={"difference": "paper"})
    both = leads(rows, pairs, measure).merge(theirs, on=place, how="left")
    return pd.DataFrame([
        {"pair": pair, "item": item, **_counted(block["difference"], block["ahead"], block["paper"], "ahead")}
        for (pair, item), block in both.groupby(["pair", "item"], sort=False)
    ])  # fmt: skip


def growth(rows, pairs=PAIRS):
    """Return by how much each lead is larger with the fewer training pages, over whole corpora: pair and the columns
    of ``summary``, "growing" in place of "ahead". Trials that have both sizes count.
    """
    index = ["size", "corpus", "trial"]
    values = _only(whole(rows), "f1").pivot(index=index, columns="method", values="value")
    theirs = leads_in_print(pairs).pivot(index=["pair", "corpus"], columns="item", values="difference")
    sizes, found = sorted({*rows["size"]}), []
    for first, second in pairs:
        lead, name = (values[first] - values[second]).rename("value").reset_index(), f"{first} over {second}"
        table = compare.paired(lead, sizes[0], sizes[-1], ["corpus"], ["trial"], of="size", measure="f1")
        in_print = (theirs["table 2"] - theirs["table 1"]).loc[name].reindex(table["corpus"])
        found.append({"pair": name, **_counted(table["gain"], table["ahead"], in_print, "growing")})
    return pd.DataFrame(found)


def tuning(rows, pair=("PMM1", "SVM"), measures=("f1", "f1_at_least_one")):
    """Return the lead of the first over every reading of the second, by each measure, over whole corpora: columns
    against (the reading), measure, item, ours, ahead, clear, behind_clear, of, paper, as in ``summary``.
    """
    first, second = pair
    parts = [
        summary(rows, [(first, name)], measure).assign(against=name, measure=measure)
        for name in METHOD_ORDER
        for measure in measures
        if _of(name) == second and name in {*rows["method"]}
    ]
    columns = ["against", "measure", "item", "ours", "ahead", "clear", "behind_clear", "of", "paper"]
    return pd.concat(parts, ignore_index=True)[columns]


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


def _counted(gain, ahead, in_print, word):
    is_up = gain > 0
    p = stats.wilcoxon(gain).pvalue if len(gain) > 1 and gain.abs().max() > 0 else np.nan
    return {
        "ours": gain.mean(), word: int(is_up.sum()), "clear": int((ahead == 1).sum()),
        "behind_clear": int((ahead == -1).sum()), "of": len(gain), "p_corpora": p,
        "paper": in_print.mean(), f"paper_{word}": int((in_print > 0).sum()),
    }  # fmt: skip


def _only(rows, measure):
    check_name("measure", measure, MEASURES)
    return rows[rows["measure"] == measure]


def _of(method):
    """Return the method in print that a method or reading stands for."""
    return READINGS.get(method, (method,))[0]


def _vocabulary(corpora):
    return np.where(corpora.isin(REDUCED), "reduced", "whole")
