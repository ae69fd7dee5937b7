"""Tables 5 and 6 of Burkhardt & Kramer (2018) as they print them, ours beside theirs, and what goes on from them."""

import pandas as pd

from polytopic.metrics import MEASURES
from polytopic.study import compare, printed, store
from polytopic.study.burkhardt2018.chains import topic_models
from polytopic.study.burkhardt2018.classifiers import classifiers
from polytopic.study.burkhardt2018.online import BEFORE
from polytopic.study.burkhardt2018.protocol import CHAINED, DEPENDENCY, PAPER, S1, S2, SHOWN, TRUE
from polytopic.study.looks import displayed
from polytopic.study.printed import reported

ORDER = ["PD Sparse", "FastXML", "BR(SVM)", DEPENDENCY, S1, S2]
AVERAGE = "average rank"
BATCH = (topic_models, classifiers)
LEVELS = {0.05: 1, 0.01: 2}  # of significance, and how many marks each gives
WILCOXON, T_TEST = "*", "°"
PLACE = ["corpus", "scale"]


def collected(corpus, scale, seed, table=None):
    """Return the rows of all classifiers on a corpus, or one of their further tables; see ``store.collect``."""
    found = [store.collect(which, corpus, scale, seed, table=table) for which in BATCH]
    return pd.concat(found, ignore_index=True)


def stored(table=None):
    """Return what is stored of all classifiers on the corpora that have a topic model's; see ``store.read``."""
    found = [store.read(which, table=table) for which in BATCH]
    whole = pd.concat([one for one in found if len(one)] or found, ignore_index=True)
    whole.attrs["made"] = [made for one in found for made in one.attrs["made"]]
    return whole


def together(results, others):
    """Return the first of two frames, and what the second has of other corpora."""
    new = others[~others["corpus"].isin(results["corpus"].unique())]
    return pd.concat([results, new], ignore_index=True) if len(new) else results


def of_all_chains(results):
    """Return the rows of ``stored`` that table 5 is about: of classifiers, not of their single chains."""
    return results[results["chain"] == 0]


def of_one_chain(results):
    """Return the rows of ``stored`` that table 6 is about, with a column taken: which chain it is."""
    kept = results[(results["chain"] > 0) & results["model"].isin(CHAINED)]
    return kept.assign(taken=kept["run"].astype(str) + "." + kept["chain"].astype(str))


def means(results, over):
    """Return ``compare.means`` for each corpus, scale, measure and model, and the rank among the models' means."""
    table = compare.means(results, [*PLACE, "measure", "model"], over)
    gain = table["mean"] * [MEASURES[name].sign for name in table["measure"]]
    return table.assign(
        rank=gain.groupby([table[name] for name in [*PLACE, "measure"]]).rank(ascending=False)
    )


def average_ranks(table):
    """Return the mean rank of each model over the corpora of ``means``: columns measure, model, rank."""
    return table.groupby(["measure", "model"], sort=False)["rank"].mean().reset_index()


def table_5(results):
    """Return table 5 as text: rows measure and corpus, with average ranks; a column for each model, ranks behind."""
    return _printed(means(of_all_chains(results), ["run"]), {})


def table_6(results):
    """Return table 6 as text, with marks for differences from Dep.-LLDA.

    ``WILCOXON`` is a signed-rank test, ``T_TEST`` a paired t-test, over chains; one mark at 5 %, two at 1 %.
    """
    kept = of_one_chain(results)
    marks = {
        (row.corpus, row.measure, row.first): WILCOXON * row.wilcoxon + T_TEST * row.t_test
        for row in marked(kept).itertuples()
    }
    return _printed(means(kept, ["taken"]), marks)


def marked(results):
    """Return ``compare.paired`` of S1 and S2 against Dep.-LLDA over chains, and how many marks each test gives."""
    pairs = [compare.paired(results, model, DEPENDENCY, [*PLACE, "measure"], ["taken"]) for model in (S1, S2)]
    table = pd.concat(pairs, ignore_index=True)
    counts = {
        name: sum((table[p] < level).astype(int) for level in LEVELS)
        for name, p in (("wilcoxon", "wilcoxon_p"), ("t_test", "p"))
    }
    return table.assign(**counts)


def _printed(table, marks):
    text = [
        f"{row.mean:.4f}{marks.get((row.corpus, row.measure, row.model), '')} ({row.rank:g})"
        for row in table.itertuples()
    ]
    cells = table.assign(text=text)
    ranks = average_ranks(table)
    ranks = ranks.assign(corpus=AVERAGE, text=[f"{rank:.2f}" for rank in ranks["rank"]])
    long = pd.concat([cells, ranks], ignore_index=True)
    wide = long.pivot(index=["measure", "corpus"], columns="model", values="text")
    models = list(dict.fromkeys(table["model"]))
    models = [name for name in ORDER if name in models] + [name for name in models if name not in ORDER]
    corpora = [*dict.fromkeys(table["corpus"]), AVERAGE]
    rows = [(measure, corpus) for measure in SHOWN for corpus in corpora]
    wide = wide.reindex(rows)[models].rename_axis(columns=None)
    return wide.rename(index=lambda name: MEASURES[name].arrow if name in MEASURES else name).fillna("–")


def beside_paper(results, item):
    """Return our means beside "table 5" or "table 6" by ``printed.beside``, on the corpora that both have.

    The papers' corpora are named eurlex, ohsumed and amazoncat.
    """
    kept, over = (
        (of_all_chains(results), ["run"]) if item == "table 5" else (of_one_chain(results), ["taken"])
    )
    cell = ["corpus", "model", "measure"]
    return printed.beside(
        compare.means(kept, cell, over), reported(PAPER, item).dropna(subset="measure"), cell
    )


def ranks_beside_paper(results, item):
    """Return the average ranks over our corpora beside those over the paper's: measure, model, ours, paper.

    Ours rank the paper's models alone.
    """
    theirs = reported(PAPER, item).dropna(subset="ranked_by")[["ranked_by", "model", "value"]]
    kept, over = (
        (of_all_chains(results), ["run"]) if item == "table 5" else (of_one_chain(results), ["taken"])
    )
    ours = average_ranks(means(kept[kept["model"].isin(ORDER)], over)).rename(columns={"rank": "ours"})
    theirs = theirs.rename(columns={"ranked_by": "measure", "value": "paper"})
    return ours.merge(theirs, on=["measure", "model"])


def by_cut_off(cut_offs):
    """Return the mean F1 by each cut-off: rows corpus, model and measure, a column for each cut-off."""
    table = compare.means(cut_offs, [*PLACE, "model", "measure", "cutoff"], ["run"])
    wide = table.pivot(index=["corpus", "model", "measure"], columns="cutoff", values="mean")
    order = list(dict.fromkeys(cut_offs["cutoff"]))
    rows = table.drop_duplicates(["corpus", "model", "measure"])[["corpus", "model", "measure"]]
    wide = wide.reindex(pd.MultiIndex.from_frame(rows))[order].rename_axis(columns=None)
    return wide.rename(index=lambda name: MEASURES[name].heading if name in MEASURES else name)


def losses(cut_offs):
    """Return how far F1 by a cut-off is above that by the true number: columns PLACE, model, measure, cutoff.

    And mean and half, the half width of the 95 % interval over runs, missing of one run.
    """
    cells = [*PLACE, "model", "measure"]
    wide = cut_offs.pivot_table("value", [*cells, "run"], "cutoff")
    gaps = wide.drop(columns=TRUE).sub(wide[TRUE], axis=0).stack().groupby([*cells, "cutoff"], sort=False)
    table = gaps.agg(["mean", "sem", "size"]).reset_index()
    return table.assign(half=compare.half_width(table["sem"], table["size"]))


def made(table):
    """Return with which settings the results of ``store.read`` were made: a row for each corpus and scale."""
    rows = [one | {"settings": one["settings"]} for one in table.attrs["made"]]
    frame = pd.DataFrame(rows, columns=["corpus", "scale", "seed", "version", "settings"])
    frame["settings"] = frame["settings"].map(
        lambda own: ", ".join(f"{k} {v}" for k, v in sorted(own.items()))
    )
    return frame.drop_duplicates(ignore_index=True)


def stored_or(which, corpus, scale, seed, table=None):
    """Return what is stored of an experiment on a corpus, or else computes it at a scale."""
    found = store.read(which, [corpus], table=table)
    return found if len(found) else store.collect(which, corpus, scale, seed, table=table)


# Table 4


def statistics(table):
    """Return statistics (corpus, statistic, value) wide, in the order of table 4: a column for each corpus."""
    order = ["labels", "word_types", "documents", "cardinality", "mean_length"]
    wide = table.pivot(index="statistic", columns="corpus", values="value").reindex(order)
    return wide.rename_axis(columns=None).map(
        lambda value: f"{value:,.0f}" if value >= 100 else f"{value:.2f}"
    )


def spread(results):
    """Return the standard deviation over runs of what table 5 shows; classifiers with one run are left out."""
    table = means(of_all_chains(results), ["run"]).dropna(subset="sd")
    wide = table.pivot(index=["measure", "corpus"], columns="model", values="sd").rename_axis(columns=None)
    return wide.rename(index=lambda name: MEASURES[name].heading if name in MEASURES else name)


# Curves


def curves(table, x, by):
    """Return the mean over runs: rows corpus and ``by``, a column for each value of x."""
    means = table.groupby(["corpus", by, x], sort=False)["value"].mean()
    return means.unstack(x).sort_index(axis=1)


def ends(table, by):
    """Return mean and standard deviation over runs of the AUCs at the end of each curve, rows corpus and ``by``.

    The end is the last point that a corpus has; of streams the mean over all batches is given too.
    """
    areas = table[table["measure"].isin(["micro_auc", "macro_auc"])]
    x = "seen" if "seen" in areas else "sweep"
    over = "order" if "order" in areas else "run"
    last = areas[areas[x] == areas.groupby("corpus")[x].transform("max")]
    parts = {"last": last} | ({"all batches": areas} if x == "seen" else {})
    columns = {}
    for name, part in parts.items():
        each = part.groupby(["corpus", by, "measure", over], sort=False)["value"].mean()
        stats = each.groupby(level=["corpus", by, "measure"], sort=False).agg(["mean", "std"])
        for measure, own in stats.groupby(level="measure", sort=False):
            heading = f"{MEASURES[measure].heading}, {name}"
            columns[heading, "mean"] = own["mean"].droplevel("measure")
            columns[heading, "sd"] = own["std"].droplevel("measure")
    return pd.DataFrame(columns)


def panelled(table):
    """Return a table with a column panel: corpus and measure."""
    heading = table["measure"].map(lambda name: MEASURES[name].heading)
    return table.assign(panel=table["corpus"].map(displayed) + ", " + heading)


def work(table):
    """Return how training goes on by ``online.convergence``, means over runs: rows corpus and model.

    Columns: micro AUC after the first step, the best and the last one, and CPU seconds up to these.
    """
    kept = table[table["measure"] == "micro_auc"]
    means = kept.groupby(["corpus", "model", "progress"], sort=False)[["value", "cpu_seconds"]].mean()
    steps = means.reset_index("progress", drop=True).groupby(["corpus", "model"], sort=False)
    highest = means.groupby(["corpus", "model"], sort=False)["value"].idxmax()
    best = means.loc[highest].reset_index("progress", drop=True)
    parts = {"first": steps.first(), "best": best, "last": steps.last()}
    return pd.DataFrame(
        {(name, column): part[of] for name, part in parts.items()
         for column, of in ((MEASURES["micro_auc"].heading, "value"), ("CPU s", "cpu_seconds"))}
    )  # fmt: skip


def by_topics(table):
    """Return the means over runs of ``training.topics``: rows corpus and number of topics."""
    means = table.groupby(["corpus", "n_topics", "measure"], sort=False)["value"].mean().unstack("measure")
    names = {name: MEASURES[name].arrow if name in MEASURES else name.replace("_", " ") for name in means}
    return means.rename(columns=names).rename_axis(columns=None).round(4)


# Years


def by_year(table):
    """Return ``online.years`` by year: how many documents and labels there are, and the recall of each model."""
    first = table[table["model"] == table["model"].iloc[0]]
    counts = first.pivot(index="year", columns="measure", values="value")
    counts = counts[["documents", "labels", "new_labels"]].astype(int).join(counts[["new"]].round(3))
    parts = [counts]
    for measure in ("recall", "micro_auc"):
        part = table[table["measure"] == measure].pivot(index="year", columns="model", values="value")
        parts.append(part.round(3).add_prefix(f"{measure}, "))
    return pd.concat(parts, axis=1).rename_axis(columns=None)


def by_cohort(cohorts):
    """Return the occurrences of labels and those found, by model, year of a label's first document, and year."""
    sums = cohorts.groupby(["model", "first", "year"], sort=False)[["occurrences", "found"]].sum()
    return sums.reset_index()


def by_frequency(cohorts):
    """Return the share of occurrences found by the documents of a label before: a row a range, a column a model."""
    sums = cohorts.groupby(["before", "model"], sort=False)[["found", "occurrences"]].sum()
    wide = (sums["found"] / sums["occurrences"]).unstack("model")
    wide.insert(0, "occurrences", sums["occurrences"].groupby("before").first())
    return wide.reindex([name for name in BEFORE if name in wide.index]).rename_axis(columns=None)
