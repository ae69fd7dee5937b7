"""Rubin, Chambers, Smyth and Steyvers (2012): relations that need a formula or a count."""

from functools import partial
from itertools import pairwise

import numpy as np
import pandas as pd

from polytopic.study.audit import cases
from polytopic.study.audit.cases import Number, at_least, better, equal, formula, one, partner

PAPER = "rubin2012"
NYT, EURLEX, ARTS, HEALTH, RCV1 = "nyt", "eurlex", "yahoo_arts_rubin", "yahoo_health_rubin", "rcv1"
POWER_LAW, YAHOO, OTHERS = [NYT, EURLEX], [ARTS, HEALTH], [ARTS, HEALTH, RCV1]
DEPENDENCY, PRIOR, FLAT, TUNED = "Dependency-LDA", "Prior-LDA", "Flat-LDA", "Tuned SVM"
CELL = ["corpus", "model", "pivot", "cutoff", "measure"]
QUOTED = ["figure 14", "figure 15", "figure 16"]
PROSE = ["section 4", *(f"appendix {number}" for number in ("A.1", "A.2", "A.3", "A.4", "B.1"))]
SPLITS = 5  # of the Yahoo! sets, appendix A.4
ABOUT = 2.0  # "approximately" is read as within this factor

results = partial(cases.rows_of, PAPER)  # figures 6, 7, 10 and 11, or a part of them


def table_4():
    """Return table 4, a row per corpus and a column per statistic."""
    return results("table 4").pivot(index="corpus", columns="statistic", values="value")


def prose(corpus, statistic):
    """Return a number of the running text; the same wherever the text repeats it."""
    found = results(PROSE, corpus=corpus, statistic=statistic)["value"].unique()
    if len(found) != 1:
        raise ValueError(f"the text has {len(found)} numbers for {statistic} of {corpus}: {list(found)}")
    return found[0]


def train_documents():
    """Return the training documents of each corpus; on EUR-Lex the mean over its splits."""
    train = {corpus: prose(corpus, "train_documents") for corpus in (NYT, *OTHERS)}
    splits = prose(EURLEX, "splits")
    return pd.Series(train | {EURLEX: prose(EURLEX, "documents_with_words") * (splits - 1) / splits})


# Among the numbers of the result tables


def loss_from_area():
    loss = results(measure="ranking_loss")
    return equal(
        loss, formula(lambda auc: 100 * (1 - auc), partner(loss, results(), CELL, measure="auc_roc"))
    )


def one_label_each():
    micro = results(pivot="document", corpus=YAHOO, measure="micro_f1", cutoff="proportional")
    error = partner(micro, results(), CELL, cutoff="", measure="one_error")
    table = table_4().assign(half=0.5)
    sides = (table[name] * table["labels"] / table["documents"] for name in ("mean_label_frequency", "half"))
    cardinality = Number(*(micro["corpus"].map(side) for side in sides))
    return equal(micro, formula(lambda e, c: 2 * (1 - e / 100) / (1 + c), error, cardinality))


def whole_labels_missed():
    rows = results(pivot="label", corpus=OTHERS, measure="one_error")
    evaluated = table_4()["labels"] * SPLITS
    evaluated[RCV1] = prose(RCV1, "train_labels")
    total = rows["corpus"].map(evaluated)
    return equal(rows, (rows["value"] * total / 100).round() * 100 / total)


def perfect_sets():
    macro = results(measure="macro_f1", cutoff="calibrated")
    error = partner(macro, results(), CELL, cutoff="", measure="is_error")
    return at_least(macro, formula(lambda e: 1 - e / 100, error))


def margins_within_the_list():
    table = table_4()
    ranked = {
        "document": {**table["labels"], NYT: prose(NYT, "test_labels"), RCV1: prose(RCV1, "train_labels")},
        "label": {
            **{corpus: prose(corpus, "test_documents") for corpus in (NYT, RCV1)},
            **(table["documents"] - train_documents())[YAHOO],
            EURLEX: prose(EURLEX, "documents_with_words") / prose(EURLEX, "splits"),
        },
    }
    margins = [results(measure="margin"), results("figure 14", measure="margin")]
    rows = pd.concat(margins, ignore_index=True)
    items = [ranked[row.pivot][row.corpus] for row in rows.itertuples()]
    return better(rows, pd.Series(items) - 1)


# Figure 13


def best_counts(but):
    """Return cases of figure 13's counts: on how many measures, all but one, each model is best; ties credit all."""
    rows, cell = results(), ["corpus", "model", "pivot", "task"]
    rows = rows[rows["measure"] != but]
    task = np.where(rows["cutoff"] == "", "ranking", "binary")
    is_best = cases.ranks(rows, ["corpus", "pivot", "cutoff", "measure"], "min") == 1
    best = rows.assign(task=task, best=is_best)
    parts = [best, best.assign(task="both"), best.assign(task="both", pivot="both")]
    counts = pd.concat(parts).groupby(cell)["best"].sum().reset_index()
    printed = results("figure 13")
    name = printed["pivot"] + "-pivoted, " + printed["task"] + " measures"
    implied = partner(printed, counts, cell)["best"]
    return equal(printed.drop(columns="pivot"), implied, printed["value"], measure=name)


def best_count_totals():
    rows, cell = results("figure 13"), ["corpus", "model", "pivot"]
    sums = rows[rows["task"] == "both"]
    parts = [rows[rows["task"] != "both"], sums[sums["pivot"] != "both"].assign(pivot="both")]
    total = pd.concat(parts).groupby(cell)["value"].sum().reset_index()
    implied = partner(sums, total, cell)["value"]
    return equal(sums.drop(columns="pivot"), implied, sums["value"], measure=sums["pivot"])


def below(item, pairs, table, amounts, **how):
    """Yield cases of one corpus's statistics beside those of another that it stands below."""
    rows = pd.DataFrame({"paper": PAPER, "item": item, "corpus": [f"{a} below {b}" for a, b in pairs]})
    for amount in amounts:
        values, bounds = (table.loc[list(corpora), amount].to_numpy() for corpora in zip(*pairs, strict=True))
        yield better(rows, bounds, values, measure=amount, **how)


def best_count_row_order():
    """Three relative amounts are tried."""
    table, order = table_4(), results("figure 13")["corpus"].unique()
    table["mean_training_documents"] = table["density"] * train_documents()
    amounts = ["median_label_frequency", "mean_label_frequency", "mean_training_documents"]
    return below("figure 13", [(b, a) for a, b in pairwise(order)], table, amounts, sign=1, ties=True)


def least_training_data():
    pairs, amounts = [(ARTS, HEALTH), (ARTS, RCV1)], ["mean_label_frequency", "median_label_frequency"]
    return below("table 4", pairs, table_4(), amounts, sign=-1)


# Tables repeated in others


def repeated_results():
    for item in QUOTED:
        rows = results(item, publication="Rubin et al. (2012)")
        percent = (rows["measure"] == "average_precision").map({True: 100.0, False: 1.0})
        yield equal(rows, partner(rows, results(), CELL)["value"], rows["value"] / percent)


def stars_on_the_best():
    rows = results(QUOTED)
    best = cases.ranks(rows, ["item", "corpus", "publication", "measure"], "min") == 1
    return equal(rows, best, rows["starred"].astype(int), model=rows["model"] + " " + rows["epochs"])


# Tables 4 and 6, and the corpora


def table_4_by_itself():
    by = cases.by_corpus(results("table 4"))
    known = by | {count: by[count]["value"] for count in ("labels", "documents", "distinct_labelsets")}
    checks = [
        ("density", lambda cardinality, labels: cardinality / labels, ("cardinality", "labels")),
        ("mean_label_frequency", lambda density, n: density * n, ("density", "documents")),
        ("mean_label_frequency", lambda c, n, labels: c * n / labels, ("cardinality", "documents", "labels")),
        ("labelset_frequency", lambda n, sets: n / sets, ("documents", "distinct_labelsets")),
    ]
    for name, function, needs in checks:
        implied = formula(function, *(known[need] for need in needs))
        yield equal(by[name], implied, measure=f"{name} from {' and '.join(needs)}")


def parameters(phase):
    """Return table 6's parameters of one phase, a row per corpus and model."""
    place, rows = ["paper", "item", "corpus", "model"], results("table 6", phase=phase)
    return rows.pivot(index=place, columns="parameter", values="value").reset_index()


def prior_weights():
    test = parameters("test")
    said = test["corpus"].isin(POWER_LAW).map({True: 180, False: 100})
    return equal(test, said, test["eta"].fillna(0) + test["alpha_sum"], measure="eta + alpha")


def pseudocounts():
    """beta_C times labels times topics is set beside the label tokens of a training set."""
    topics, table = parameters("topics").dropna(subset="beta_c"), table_4()
    tokens = train_documents() * table["cardinality"]
    tokens[EURLEX] = prose(EURLEX, "train_label_tokens")
    share = topics["beta_c"] * topics["n_topics"] * topics["corpus"].map(table["labels"])
    frame = equal(topics, 0.1, share / topics["corpus"].map(tokens), measure="share of the label tokens")
    return frame.assign(holds=frame["printed"].between(0.1 / ABOUT, 0.1 * ABOUT))


def corpus_counts():
    nyt = partial(prose, NYT)
    train, total = nyt("train_documents"), nyt("train_documents") + nyt("test_documents")
    counts = [
        ("table 4", "documents", total, 0.0),
        ("appendix A.1", "years", nyt("last_year") - nyt("first_year"), 0.0),
        ("appendix A.1", "train_percent", 100 * train / total, 0.5),
    ]
    for item, statistic, implied, half in counts:
        yield one(PAPER, item, nyt(statistic), implied, half, corpus=NYT, measure=statistic)


def lists_fall():
    lists = {"table 1": "label", "table 2": "topic", "figure 5": "model"}
    rows = pd.concat([results(item).rename(columns={by: "list"}) for item, by in lists.items()])
    rows = rows[(rows["place"].fillna("") != "") & (rows["quantity"] != "place")].reset_index(drop=True)
    before = rows.groupby(["item", "list"])["value"].shift().dropna()
    kept = rows.loc[before.index]
    return cases.at_most(kept, before, model=kept["list"], measure="place " + kept["place"].astype(str))


# Sections 6.1 and 6.2 against figures 6, 7, 10 and 11


def prior_and_flat_are_close():
    rows, cell = results(pivot="document"), ["paper", "item", "corpus", "cutoff", "measure"]
    wide = rows.pivot(index=cell, columns="model", values="value").reset_index()
    gap = (wide[PRIOR] - wide[FLAT]).abs().round(9)
    lead = wide[[PRIOR, FLAT]].sub(wide[DEPENDENCY], axis=0).abs().min(axis=1).round(9)
    return better(wide, lead, gap, sign=-1, model=f"{PRIOR} and {FLAT}")


def leads(statistic, second):
    """Return how far Dependency-LDA is ahead of another model on each corpus, with a statistic of the corpora.

    Columns: item, measure (with its cutoff), corpus, amount (the statistic), lead, positive where Dependency-LDA is
    better. Document-pivoted, all measures but margin, which counts ranks and is not comparable across corpora.
    """
    rows = results(pivot="document").query("measure != 'margin'")
    wide = rows.pivot(index=["item", "cutoff", "measure", "corpus"], columns="model", values="value")
    table = (wide[DEPENDENCY] - wide[second]).rename("lead").reset_index()
    table["lead"] = (table["lead"] * cases.signs(table)).round(9)
    name = (table["cutoff"] + " " + table["measure"]).str.strip()
    table = table.assign(measure=name, amount=table["corpus"].map(table_4()[statistic]))
    return table[["item", "measure", "corpus", "amount", "lead"]]


def gains_along(statistic, second, direction):
    """Return cases of Dependency-LDA's lead over another model against its lead on a corpus with less of a statistic.

    ``direction`` is "rising" or "falling", as the lead is said to be with the statistic; see ``leads``.
    """
    table = leads(statistic, second)
    pairs = table.merge(table, on=["item", "measure"], suffixes=("", "_less"))
    pairs = pairs[pairs["amount_less"] < pairs["amount"]]
    where = {
        "corpus": pairs["corpus"] + " after " + pairs["corpus_less"],
        "model": f"{DEPENDENCY} over {second}",
    }
    return better(
        pairs,
        pairs["lead_less"],
        pairs["lead"],
        sign=-1 if direction == "falling" else 1,
        paper=PAPER,
        **where,
    )


def figure_5_places():
    rows = results("figure 5")
    has_place = rows["place"].fillna("") != ""
    listed = rows[has_place].set_index(["model", "label"])["place"].astype(int)
    immunity, relations = "IMMUNITY FROM PROSECUTION", "UNITED STATES INTERNATIONAL RELATIONS"
    missile = "MIDGETMAN (MISSILE)"
    said = [
        (FLAT, missile, 6, listed[FLAT, missile]),
        (PRIOR, immunity, listed[FLAT, immunity], listed[PRIOR, immunity]),
        (PRIOR, relations, 6, listed[PRIOR, relations]),
    ]
    for model, claimed in ((FLAT, 2), (DEPENDENCY, 4), (TUNED, 3)):
        found = listed[model].index.isin(rows.loc[~has_place, "label"]).sum()
        said.append((model, "true labels in the list", claimed, found))
    for model, label, claimed, found in said:
        yield one(PAPER, "section 3.6", claimed, found, corpus=NYT, model=model, measure=label)
