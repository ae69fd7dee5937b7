"""Rubin, Chambers, Smyth and Steyvers (2012): relations among their tables, and their prose against them."""

from functools import partial
from itertools import pairwise

import numpy as np
import pandas as pd

from polytopic.study.audit import cases
from polytopic.study.audit.cases import Number, against, at_least, beyond, equal, formula, one, partner

PAPER = "rubin2012"
NYT, EURLEX, ARTS, HEALTH, RCV1 = "nyt", "eurlex", "yahoo_arts_rubin", "yahoo_health_rubin", "rcv1"
POWER_LAW, YAHOO, OTHERS = [NYT, EURLEX], [ARTS, HEALTH], [ARTS, HEALTH, RCV1]
MODELS = ["Dependency-LDA", "Prior-LDA", "Flat-LDA", "Tuned SVM", "Vanilla SVM"]
DEPENDENCY, PRIOR, FLAT, TUNED, VANILLA = MODELS
LDA, SIMPLER, SVM = [DEPENDENCY, PRIOR, FLAT], [PRIOR, FLAT], [TUNED, VANILLA]
AREAS = ["auc_pr", "auc_roc", "margin"]
WHOLE_RANKING = ["auc_pr", "auc_roc", "average_precision", "ranking_loss", "margin"]
TOP = ["one_error", "is_error"]
CELL = ["corpus", "model", "pivot", "cutoff", "measure"]
STATISTIC = ["corpus", "statistic"]
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


def beats(firsts, seconds, **wanted):
    return cases.beats(results(**wanted), firsts, seconds)


by_document, by_label = (partial(beats, pivot=pivot) for pivot in ("document", "label"))


# Among the numbers of the result tables


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
    return against(at_least, macro, results(), lambda e: 1 - e / 100, cutoff="", measure="is_error")


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
    return beyond(rows, pd.Series(items) - 1)


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
        yield beyond(rows, bounds, values, measure=amount, **how)


def best_count_row_order():
    """Three relative amounts are tried."""
    table, order = table_4(), results("figure 13")["corpus"].unique()
    table["mean_training_documents"] = table["density"] * train_documents()
    amounts = ["median_label_frequency", "mean_label_frequency", "mean_training_documents"]
    return below("figure 13", [(b, a) for a, b in pairwise(order)], table, amounts, higher=True, ties=True)


def least_training_data():
    pairs, amounts = [(ARTS, HEALTH), (ARTS, RCV1)], ["mean_label_frequency", "median_label_frequency"]
    return below("table 4", pairs, table_4(), amounts, higher=False)


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
    told = [
        ("table 4", "documents", total, 0.0),
        ("appendix A.1", "years", nyt("last_year") - nyt("first_year"), 0.0),
        ("appendix A.1", "train_percent", 100 * train / total, 0.5),
    ]
    for item, statistic, implied, half in told:
        yield one(PAPER, item, nyt(statistic), implied, half, corpus=NYT, measure=statistic)
    yield cases.again(results("section 6.2.1"), results("table 4"), STATISTIC)


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
    lead = wide[SIMPLER].sub(wide[DEPENDENCY], axis=0).abs().min(axis=1).round(9)
    return beyond(wide, lead, gap, higher=False, model=f"{PRIOR} and {FLAT}")


def leads(statistic, first, second):
    """Return how far one model is ahead of another on each corpus, with a statistic of the corpora.

    Columns: item, measure (with its cutoff), corpus, amount (the statistic), lead, positive where the first model
    is better. Document-pivoted, all measures but margin, which counts ranks and is not comparable across corpora.
    """
    rows = results(pivot="document").query("measure != 'margin'")
    wide = rows.pivot(index=["item", "cutoff", "measure", "corpus"], columns="model", values="value")
    table = (wide[first] - wide[second]).rename("lead").reset_index()
    table["lead"] = (table["lead"] * cases.signs(table)).round(9)
    name = (table["cutoff"] + " " + table["measure"]).str.strip()
    table = table.assign(measure=name, amount=table["corpus"].map(table_4()[statistic]))
    return table[["item", "measure", "corpus", "amount", "lead"]]


def gains_along(statistic, first, second, falling):
    """Return cases of one model's lead over another against its lead on a corpus with less of a statistic.

    ``falling`` says whether the lead should fall, and not rise, with the statistic; see ``leads``.
    """
    table = leads(statistic, first, second)
    pairs = table.merge(table, on=["item", "measure"], suffixes=("", "_less"))
    pairs = pairs[pairs["amount_less"] < pairs["amount"]]
    where = {"corpus": pairs["corpus"] + " after " + pairs["corpus_less"], "model": f"{first} over {second}"}
    return beyond(pairs, pairs["lead_less"], pairs["lead"], higher=not falling, paper=PAPER, **where)


def wins(item, *told, **wanted):
    """Yield two cases each: on how many measures a model is said to be better, and out of how many."""
    for first, second, corpus, claimed, of in told:
        block = beats(first, second, corpus=corpus, **wanted)
        where = {"corpus": corpus, "model": f"{first} over {second}"}
        yield one(PAPER, item, claimed, block["holds"].sum(), measure="measures won", **where)
        yield one(PAPER, item, of, len(block), measure="measures in all", **where)


def document_counts():
    told = [
        (PRIOR, FLAT, EURLEX, 12, 13),
        (PRIOR, FLAT, ARTS, 13, 13),
        (PRIOR, FLAT, RCV1, 12, 13),
        (TUNED, VANILLA, NYT, 9, 13),
        (TUNED, VANILLA, EURLEX, 3, 12),
        (DEPENDENCY, TUNED, NYT, 13, 13),
        (DEPENDENCY, TUNED, EURLEX, 12, 13),
        (VANILLA, TUNED, EURLEX, 10, 13),
    ]
    of_six = DEPENDENCY, TUNED, HEALTH, 5, 6
    yield from wins("section 6.1", *told, pivot="document")
    yield from wins("section 6.1", of_six, pivot="document", cutoff=["proportional", "calibrated", "bep"])


# Appendix D and figure 5


def published(item, firsts=None, seconds=None, but=(), **wanted):
    """Return cases of a figure of appendix D; one side is all others in print but our models and some."""
    rows = results(item, **wanted)
    rows = rows.assign(model=(rows["model"] + " " + rows["epochs"]).str.strip(), cutoff="")
    told = {*MODELS, *np.atleast_1d(firsts or seconds), *but}
    others = [model for model in rows["model"].unique() if model not in told]
    return cases.beats(rows, firsts or others, seconds or others)


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


CHECKS = {
    "ranking loss from AUC": lambda: against(
        equal, results(measure="ranking_loss"), results(), lambda area: 100 * (1 - area), measure="auc_roc"
    ),
    "is-error is not below one-error": lambda: [
        against(at_least, rows[rows["measure"] == "is_error"], rows, measure="one_error")
        for rows in (results(), results("figure 14"))
    ],
    "the best cutoff is best": lambda: [
        against(at_least, results(measure="macro_f1", cutoff="bep"), results(), cutoff=other)
        for other in ("proportional", "calibrated")
    ],
    "perfect rankings are perfect sets": perfect_sets,
    "one label to each Yahoo page": one_label_each,
    "whole labels missed": whole_labels_missed,
    "margins within the list": margins_within_the_list,
    "figure 13 counted by ranking loss": lambda: best_counts(but="auc_roc"),
    "figure 13's totals": best_count_totals,
    "statistics repeated": lambda: [
        cases.again(results(item), results("table 4"), STATISTIC)
        for item in ("figure 13, columns", "section 1.1", "section 4", "appendix A.4")
    ],
    "results repeated": repeated_results,
    "table 4 by itself": table_4_by_itself,
    "lists fall": lists_fall,
    "figure 13 counted by AUC": lambda: best_counts(but="ranking_loss"),
    "stars on the best": stars_on_the_best,
    "what the corpora hold": corpus_counts,
    "figure 13's row order": best_count_row_order,
    "total weight of the test prior": prior_weights,
    "pseudocounts of the topics": pseudocounts,
    "Arts has the least training data": least_training_data,
    "measures counted by document": document_counts,
    "figure 5 as told": figure_5_places,
    "tuned over vanilla by label": lambda: by_label(TUNED, VANILLA, corpus=[EURLEX, *OTHERS]),
    "Prior- and Flat-LDA are close": prior_and_flat_are_close,
    "measures counted by label": lambda: wins(
        "section 6.2.2", (DEPENDENCY, TUNED, NYT, 10, 13), (DEPENDENCY, TUNED, EURLEX, 7, 13), pivot="label"
    ),
    "whole rankings and their top": lambda: [
        by_document(VANILLA, TUNED, corpus=POWER_LAW, measure=AREAS),
        by_document(TUNED, VANILLA, corpus=POWER_LAW, measure=TOP),
    ],
    "Yahoo rankings by document": lambda: [
        by_document(DEPENDENCY, SVM, corpus=YAHOO, measure=WHOLE_RANKING),
        by_document(TUNED, DEPENDENCY, corpus=YAHOO, measure=TOP),
    ],
    "Macro-F1 on rare labels": lambda: [
        by_label(DEPENDENCY, SVM, corpus=[EURLEX, ARTS], measure="macro_f1"),
        by_label(LDA, SVM, corpus=NYT, measure="macro_f1"),
    ],
    "EUR-Lex beside published results": lambda: [
        published("figure 14", DEPENDENCY, but=["MMP 5", "DMLPP 2"]),
        published("figure 14", DEPENDENCY, "MMP 5", measure=["one_error", *WHOLE_RANKING]),
    ],
    "Yahoo beside published results": lambda: [
        published("figure 15", "ML-LS"),
        published("figure 15", DEPENDENCY, corpus=ARTS, measure="macro_f1"),
        published("figure 15", DEPENDENCY, SVM, corpus=ARTS, measure="macro_f1"),
        published("figure 15", seconds=DEPENDENCY, corpus=HEALTH, measure="micro_f1"),
    ],
    "RCV1 beside published results": lambda: [
        published("figure 16", DEPENDENCY, but=["SVM.1", "SVM.2"], measure="macro_f1"),
        published("figure 16", "SVM.1", measure="micro_f1"),
        published("figure 16", "SVM.1", MODELS, measure="micro_f1"),
    ],
    "Dependency-LDA over both LDAs, documents": lambda: by_document(DEPENDENCY, SIMPLER),
    "tuned over vanilla off the power law": lambda: by_document(TUNED, VANILLA, corpus=OTHERS),
    "Dependency-LDA over both LDAs, labels": lambda: by_label(DEPENDENCY, SIMPLER),
    "Prior-LDA over Flat-LDA": lambda: beats(PRIOR, FLAT),
    "Prior- and Flat-LDA over tuned SVMs on NYT": lambda: by_document(SIMPLER, TUNED, corpus=NYT),
    "tuned SVMs over LDAs on RCV1": lambda: by_document(TUNED, LDA, corpus=RCV1),
    "SVMs over LDAs on RCV1 by label": lambda: by_label(SVM, LDA, corpus=RCV1),
    "the gain grows with cardinality": lambda: gains_along("cardinality", DEPENDENCY, FLAT, falling=False),
    "the gain falls with label frequency": lambda: gains_along(
        "median_label_frequency", DEPENDENCY, TUNED, falling=True
    ),
}
