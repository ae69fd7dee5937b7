"""Rubin, Chambers, Smyth and Steyvers (2012): relations among their tables, and their prose against them."""

import numpy as np
import pandas as pd

from polytopic.study.audit import cases
from polytopic.study.audit.relation import MUST_HOLD, NUMBER, WORD, Relations
from polytopic.study.printed import reported

PAPER = "rubin2012"
NYT, EURLEX, ARTS, HEALTH, RCV1 = "nyt", "eurlex", "yahoo_arts_rubin", "yahoo_health_rubin", "rcv1"
POWER_LAW, OTHERS = [NYT, EURLEX], [ARTS, HEALTH, RCV1]
DEPENDENCY, PRIOR, FLAT, TUNED, VANILLA = MODELS = [
    "Dependency-LDA", "Prior-LDA", "Flat-LDA", "Tuned SVM", "Vanilla SVM",
]  # fmt: skip
LDA, SVM = [DEPENDENCY, PRIOR, FLAT], [TUNED, VANILLA]
WHOLE_RANKING = ["auc_pr", "auc_roc", "average_precision", "ranking_loss", "margin"]
TOP = ["one_error", "is_error"]
OURS = "Rubin et al. (2012)"
CELL = ["corpus", "model", "pivot", "cutoff", "measure"]
SPLITS = 5  # of the Yahoo! sets, appendix A.4
ABOUT = 2.0  # "approximately" is read as within this factor


def results(pivot=None, corpora=None, measures=None, task=None):
    """Return figures 6, 7, 10 and 11, or a part of them."""
    rows = reported(PAPER)
    keep = pd.Series(True, index=rows.index)
    if task:
        keep &= (rows["cutoff"] == "") == (task == "ranking")
    for column, wanted in (("corpus", corpora), ("measure", measures), ("pivot", pivot and [pivot])):
        if wanted:
            keep &= rows[column].isin(wanted)
    return rows[keep]


def statistics(item="table 4"):
    return reported(PAPER, item)


relation = Relations(PAPER, results)


def wins(rows, first, second, corpus, claimed, of, item):
    """Return two cases: on how many measures a model is said to be better, and out of how many."""
    block = cases.beats(rows[rows["corpus"] == corpus], [first], [second])
    place = {"corpus": corpus, "model": f"{first} over {second}"}
    counted = [("measures won", claimed, int(block["holds"].sum())), ("measures in all", of, len(block))]
    return [cases.one(PAPER, item, said, found, measure=name, **place) for name, said, found in counted]


def partner(rows, others, on=CELL):
    """Return the rows of ``others`` in the order of ``rows``, matched on the columns ``on``."""
    keys = pd.MultiIndex.from_frame(rows[on])
    found = others.set_index(on).loc[keys, ["value", "decimals"]]
    return found.set_index(rows.index)


def paired(rows, measure, other):
    """Return the rows of one measure, and the numbers of another beside them."""
    kept = rows[rows["measure"] == measure]
    on = ["item", *CELL] + (["epochs"] if "epochs" in rows else [])
    return kept, partner(kept.assign(measure=other), rows, on)


# Among the numbers of the result tables


@relation("ranking loss from AUC", "figures 6, 10; note 15", MUST_HOLD, NUMBER)
def ranking_loss_from_auc():
    """Ranking loss is 100 (1 - AUC ROC)."""
    loss, auc = paired(results(task="ranking"), "ranking_loss", "auc_roc")
    implied = cases.formula(lambda area: 100 * (1 - area), cases.rounded(auc))
    return cases.equal(cases.place(loss), cases.rounded(loss), implied)


@relation("is-error is not below one-error", "figures 6, 10, 14", MUST_HOLD, NUMBER)
def is_error_above_one_error():
    """A wrong first item spoils the ranking, so is-error cannot be below one-error."""
    for rows in (results(task="ranking"), reported(PAPER, "figure 14")):
        every, first = paired(rows, "is_error", "one_error")
        yield cases.at_least(cases.place(every), cases.rounded(every), cases.rounded(first))


@relation("the best cutoff is best", "figures 7, 11; section 5.5", MUST_HOLD, NUMBER)
def best_cutoff_is_best():
    """BEP takes each item's best F1, so its Macro-F1 cannot be below that of another cutoff."""
    rows = results(measures=["macro_f1"], task="binary")
    best = rows[rows["cutoff"] == "bep"]
    for cutoff in ("proportional", "calibrated"):
        other = partner(best.assign(cutoff=cutoff), rows)
        yield cases.at_least(cases.place(best), cases.rounded(best), cases.rounded(other))


@relation("perfect rankings are perfect sets", "figures 6, 7, 10, 11", MUST_HOLD, NUMBER)
def perfect_rankings_are_perfect_sets():
    """An item ranked perfectly has F1 1 at the true count, so CALIBRATED Macro-F1 is at least 1 - is-error."""
    rows = results(measures=["macro_f1"], task="binary")
    macro = rows[rows["cutoff"] == "calibrated"]
    error = partner(macro.assign(cutoff="", measure="is_error"), results(task="ranking"))
    perfect = cases.formula(lambda percent: 1 - percent / 100, cases.rounded(error))
    return cases.at_least(cases.place(macro), cases.rounded(macro), perfect)


@relation("one label to each Yahoo page", "figures 6, 7, table 4", MUST_HOLD, NUMBER)
def one_label_each():
    """PROPORTIONAL predicts the median of one label: Micro-F1 is 2 (1 - one-error) / (1 + cardinality)."""
    rows = results("document", [ARTS, HEALTH], ["micro_f1"])
    micro = rows[rows["cutoff"] == "proportional"]
    error = partner(micro.assign(cutoff="", measure="one_error"), results(task="ranking"))
    wide = statistics().pivot(index="corpus", columns="statistic", values="value")
    cardinality = wide["mean_label_frequency"] * wide["labels"] / wide["documents"]
    spread = 0.5 * wide["labels"] / wide["documents"]
    known = cases.Number(*(micro["corpus"].map(values) for values in (cardinality, spread)))
    implied = cases.formula(lambda e, c: 2 * (1 - e / 100) / (1 + c), cases.rounded(error), known)
    return cases.equal(cases.place(micro), cases.rounded(micro), implied)


@relation("whole labels missed", "figure 10, appendix A", MUST_HOLD, NUMBER)
def whole_labels_missed():
    """Label-pivoted one-error is a whole number of labels, over all splits."""
    rows = results("label", OTHERS, ["one_error"])
    labels = reported(PAPER, "table 4").query("statistic == 'labels'").set_index("corpus")["value"]
    evaluated = {
        ARTS: labels[ARTS] * SPLITS,
        HEALTH: labels[HEALTH] * SPLITS,
        RCV1: prose(RCV1, "train_labels"),
    }
    total = rows["corpus"].map(evaluated)
    nearest = (rows["value"] * total / 100).round() * 100 / total
    return cases.equal(cases.place(rows), cases.rounded(rows), cases.exact(nearest))


@relation("margins within the list", "figures 6, 10, 14", MUST_HOLD, NUMBER)
def margins_within_the_list():
    """A margin is below the number of items that are ranked."""
    wide = statistics().pivot(index="corpus", columns="statistic", values="value")
    labels = wide["labels"].to_dict() | {NYT: prose(NYT, "test_labels"), RCV1: prose(RCV1, "train_labels")}
    tested = {corpus: prose(corpus, "test_documents") for corpus in (NYT, RCV1)}
    tested |= {
        corpus: wide.loc[corpus, "documents"] - prose(corpus, "train_documents") for corpus in (ARTS, HEALTH)
    }
    tested[EURLEX] = prose(EURLEX, "documents_with_words") / prose(EURLEX, "splits")
    rows = pd.concat(
        [results(measures=["margin"]), reported(PAPER, "figure 14").query("measure == 'margin'")]
    )
    rows = rows.reset_index(drop=True)
    items = rows["corpus"].map(tested).where(rows["pivot"] == "label", rows["corpus"].map(labels))
    return cases.beyond(cases.place(rows), cases.rounded(rows), cases.exact(items - 1), higher=False)


def prose(corpus, statistic):
    """Return a number of the running text; the same wherever the text repeats it."""
    rows = pd.concat([reported(PAPER, item) for item in PROSE])
    found = rows[(rows["corpus"] == corpus) & (rows["statistic"] == statistic)]["value"].unique()
    if len(found) != 1:
        raise ValueError(f"the text has {len(found)} numbers for {statistic} of {corpus}: {list(found)}")
    return found[0]


PROSE = ["section 4", "appendix A.1", "appendix A.2", "appendix A.3", "appendix A.4", "appendix B.1"]


# Figure 13


def is_best(rows, by):
    """Return whether each row is the best of those that share the ``by`` columns, ties crediting all."""
    rank = cases.ranks(rows, by, "min")
    return rank == 1


def best_counts(rows):
    """Return cases of figure 13's counts: on how many measures each model is best, AUC standing for ranking loss."""
    rows = rows[rows["measure"] != "ranking_loss"]
    task = np.where(rows["cutoff"] == "", "ranking", "binary")
    best = rows.assign(task=task, best=is_best(rows, ["corpus", "pivot", "cutoff", "measure"]))
    parts = [best, best.assign(task="both"), best.assign(task="both", pivot="both")]
    counts = pd.concat(parts).groupby(CELL_13)["best"].sum()
    printed = reported(PAPER, "figure 13")
    implied = counts.loc[pd.MultiIndex.from_frame(printed[CELL_13])].to_numpy()
    name = printed["pivot"] + "-pivoted, " + printed["task"] + " measures"
    places = cases.place(printed.drop(columns="pivot"), measure=name)
    return cases.equal(places, cases.exact(printed["value"]), cases.exact(pd.Series(implied, printed.index)))


CELL_13 = ["corpus", "model", "pivot", "task"]


@relation("figure 13 counted by AUC", "figures 6, 7, 10, 11, 13", MUST_HOLD)
def best_counts_by_auc():
    """Figure 13's counts follow from the result tables, AUC ROC standing for ranking loss too."""
    return best_counts(results())


@relation("figure 13 counted by ranking loss", "figures 6, 7, 10, 11, 13", MUST_HOLD, NUMBER)
def best_counts_by_ranking_loss():
    """The two being equivalent, figure 13's counts are the same with ranking loss standing for AUC ROC."""
    rows = results()
    loss, auc = paired(rows, "ranking_loss", "auc_roc")
    as_auc = loss.assign(measure="auc_roc", value=1 - loss["value"] / 100)
    return best_counts(pd.concat([rows[rows["measure"] != "auc_roc"], as_auc.loc[auc.index]]))


@relation("figure 13's totals", "figure 13", MUST_HOLD, NUMBER)
def best_count_totals():
    """Figure 13's totals are the sums of their parts."""
    rows = reported(PAPER, "figure 13")
    wide = rows.pivot(index=["corpus", "model"], columns=["pivot", "task"], values="value")
    total = {
        (pivot, "both"): wide[pivot][["ranking", "binary"]].sum(axis=1) for pivot in ("document", "label")
    }
    total["both", "both"] = wide["document"]["both"] + wide["label"]["both"]
    sums = rows[rows["task"] == "both"]
    implied = [total[r.pivot, r.task][r.corpus, r.model] for r in sums.itertuples()]
    places = cases.place(sums.drop(columns="pivot"), measure=sums["pivot"])
    return cases.equal(places, cases.exact(sums["value"]), cases.exact(pd.Series(implied, sums.index)))


@relation("figure 13's row order", "section 6.4", bearing=WORD)
def best_count_row_order():
    """Figure 13's rows are ordered by the relative amount of training data, of which three are tried here."""
    wide = statistics().pivot(index="corpus", columns="statistic", values="value")
    order = list(dict.fromkeys(reported(PAPER, "figure 13")["corpus"]))
    train = {corpus: prose(corpus, "train_documents") for corpus in order if corpus != EURLEX}
    splits = prose(EURLEX, "splits")
    train[EURLEX] = prose(EURLEX, "documents_with_words") * (splits - 1) / splits
    wide["mean_training_documents"] = wide["density"] * pd.Series(train)
    for amount in ("median_label_frequency", "mean_label_frequency", "mean_training_documents"):
        values = wide.loc[order, amount].to_numpy()
        rows = pd.DataFrame({"corpus": [f"{b} below {a}" for a, b in zip(order, order[1:], strict=False)]})
        places = cases.place(rows, paper=PAPER, item="figure 13", measure=amount)
        yield cases.at_least(places, cases.exact(values[1:]), cases.exact(values[:-1]))


# Tables repeated in others


@relation("statistics repeated", "table 4, figure 13, section 1.1, appendix A", MUST_HOLD, NUMBER)
def repeated_statistics():
    """Statistics printed twice are the same."""
    known = statistics().set_index(["corpus", "statistic"])
    for item in ("figure 13, columns", "section 1.1", "section 4", "appendix A.4"):
        rows = statistics(item)
        shared = rows[pd.MultiIndex.from_frame(rows[["corpus", "statistic"]]).isin(known.index)]
        again = partner(shared, known.reset_index(), ["corpus", "statistic"])
        places = cases.place(shared, measure=shared["statistic"])
        yield cases.equal(places, cases.rounded(shared), cases.rounded(again))


@relation("results repeated", "figures 6, 11, 14, 15, 16", MUST_HOLD, NUMBER)
def repeated_results():
    """Figures 14 to 16 repeat figures 6 and 11."""
    for item in ("figure 14", "figure 15", "figure 16"):
        rows = reported(PAPER, item)
        rows = rows[rows["publication"] == OURS]
        again = partner(rows, results())
        percent = (rows["measure"] == "average_precision").map({True: 100.0, False: 1.0})
        printed = cases.Number(rows["value"] / percent, 0 * percent)
        yield cases.equal(cases.place(rows), printed, cases.exact(again["value"]))


@relation("stars on the best", "figures 14, 15, 16", MUST_HOLD, WORD)
def stars_on_the_best():
    """A star stands on the best of each publication's block, and nowhere else."""
    rows = pd.concat([reported(PAPER, f"figure {n}") for n in (14, 15, 16)], ignore_index=True)
    best = is_best(rows, ["item", "corpus", "publication", "measure"])
    places = cases.place(rows, model=rows["model"] + " " + rows["epochs"])
    return cases.equal(places, cases.exact(rows["starred"].astype(int)), cases.exact(best.astype(int)))


# Tables 4 and 6, and the corpora


@relation("table 4 by itself", "table 4", MUST_HOLD, NUMBER)
def table_4_by_itself():
    """Density, mean label frequency and label-set frequency follow from counts and cardinality."""
    rows = statistics()
    by = {name: block.set_index("corpus") for name, block in rows.groupby("statistic")}
    known = {name: cases.rounded(block) for name, block in by.items()}
    for count in ("labels", "documents", "distinct_labelsets"):
        known[count] = cases.exact(by[count]["value"])
    checks = [
        ("density", lambda cardinality, labels: cardinality / labels, ("cardinality", "labels")),
        ("mean_label_frequency", lambda density, n: density * n, ("density", "documents")),
        ("mean_label_frequency", lambda c, n, labels: c * n / labels, ("cardinality", "documents", "labels")),
        ("labelset_frequency", lambda n, sets: n / sets, ("documents", "distinct_labelsets")),
    ]
    for name, function, needs in checks:
        printed = by[name]
        implied = cases.formula(function, *(known[need] for need in needs))
        places = cases.place(printed.reset_index(), measure=f"{name} from {' and '.join(needs)}")
        places.index = printed.index
        yield cases.equal(places, known[name], implied)


def parameters():
    rows = reported(PAPER, "table 6")
    return rows.pivot(index=["corpus", "model"], columns=["phase", "parameter"], values="value")


@relation("total weight of the test prior", "appendix B.1, table 6", bearing=WORD)
def prior_weights():
    """The test prior weighs 180 on power-law sets and 100 on the others, for all models."""
    test = parameters()["test"]
    total = (test["eta"].fillna(0) + test["alpha_sum"]).rename("value").reset_index()
    said = total["corpus"].isin(POWER_LAW).map({True: 180, False: 100})
    places = cases.place(total, paper=PAPER, item="table 6", measure="eta + alpha")
    return cases.equal(places, cases.exact(total["value"]), cases.exact(said))


@relation("pseudocounts of the topics", "appendix B.1, table 6", bearing=WORD)
def pseudocounts():
    """beta_C adds about a tenth of the label tokens.

    beta_C times labels times topics, as a share of the label tokens of a training set; a tenth is meant.
    """
    topics = parameters()["topics"].dropna(subset="beta_c").reset_index()
    wide = statistics().pivot(index="corpus", columns="statistic", values="value")
    train = pd.Series({c: prose(c, "train_documents") for c in wide.index if c != EURLEX})
    tokens = train * wide["cardinality"]
    tokens[EURLEX] = prose(EURLEX, "train_label_tokens")
    share = topics["beta_c"] * topics["n_topics"] * topics["corpus"].map(wide["labels"])
    share = share / topics["corpus"].map(tokens)
    places = cases.place(topics, paper=PAPER, item="table 6", measure="share of the label tokens")
    frame = cases.equal(places, cases.exact(share), cases.exact(pd.Series(0.1, index=share.index)))
    return frame.assign(holds=frame["printed"].between(0.1 / ABOUT, 0.1 * ABOUT))


@relation("what the corpora hold", "appendix A, section 6.2.1", MUST_HOLD, WORD)
def corpus_counts():
    """Documents, years and shares in the text agree with each other and with table 4."""
    train, test = prose(NYT, "train_documents"), prose(NYT, "test_documents")
    years = prose(NYT, "last_year") - prose(NYT, "first_year")
    nyt = [
        ("table 4", "documents", prose(NYT, "documents"), train + test, 0.0),
        ("appendix A.1", "years", prose(NYT, "years"), years, 0.0),
        ("appendix A.1", "train_percent", prose(NYT, "train_percent"), 100 * train / (train + test), 0.5),
    ]
    for item, name, said, found, half in nyt:
        yield cases.one(PAPER, item, said, found, corpus=NYT, measure=name, half=half)
    rows = reported(PAPER, "section 6.2.1")
    table = partner(rows, statistics(), ["corpus", "statistic"])
    places = cases.place(rows, measure=rows["statistic"])
    yield cases.equal(places, cases.rounded(rows), cases.rounded(table))


@relation("lists fall", "tables 1, 2, figure 5", MUST_HOLD, NUMBER)
def lists_fall():
    """Tables 1 and 2 and figure 5 list what is likeliest first."""
    parts = [
        reported(PAPER, "table 1").dropna(subset="place").assign(list=lambda rows: rows["label"]),
        reported(PAPER, "table 2").assign(list=lambda rows: rows["topic"]),
        reported(PAPER, "figure 5").dropna(subset="place").assign(list=lambda rows: rows["model"]),
    ]
    rows = pd.concat(parts, ignore_index=True)
    rows = rows[(rows["place"] != "") & (rows["quantity"] != "place")]
    before = rows.groupby(["item", "list"])["value"].shift()
    kept = rows[before.notna()]
    places = cases.place(kept, model=kept["list"], measure="place " + kept["place"].astype(str))
    printed, above = cases.rounded(kept), cases.exact(before[before.notna()])
    lower = cases.Number(-printed.value, printed.half), cases.Number(-above.value, above.half)
    return cases.at_least(places, *lower).assign(
        printed=printed.value.to_numpy(), implied=above.value.to_numpy()
    )


# Sections 6.1 and 6.2 against figures 6, 7, 10 and 11


@relation("Prior- and Flat-LDA are close", "section 6.1.1")
def prior_and_flat_are_close():
    """Almost always Prior- and Flat-LDA differ less from each other than either does from Dependency-LDA."""
    rows = results("document")
    wide = rows.pivot(index=["item", "corpus", "cutoff", "measure"], columns="model", values="value")
    gap = (wide[PRIOR] - wide[FLAT]).abs()
    lead = pd.concat([(wide[DEPENDENCY] - wide[model]).abs() for model in (PRIOR, FLAT)], axis=1).min(axis=1)
    flat = wide.index.to_frame(index=False)
    places = cases.place(flat, paper=PAPER, model=f"{PRIOR} and {FLAT}")
    gap, lead = (series.round(9).reset_index(drop=True) for series in (gap, lead))
    return cases.beyond(places, cases.exact(gap), cases.exact(lead), higher=False)


def leads(statistic, first, second):
    """Return how far one model is ahead of another on each corpus, with a statistic of the corpora.

    Columns: item, measure (with its cutoff), corpus, amount (the statistic), lead, positive where the first model
    is better. Document-pivoted, all measures but margin, which counts ranks and is not comparable across corpora.
    """
    rows = results("document")
    rows = rows[rows["measure"] != "margin"]
    wide = rows.pivot(index=["item", "cutoff", "measure", "corpus"], columns="model", values="value")
    table = (wide[first] - wide[second]).rename("lead").reset_index()
    table["lead"] = (table["lead"] * cases.signs(table)).round(9)
    amount = statistics().set_index(["statistic", "corpus"])["value"][statistic]
    name = (table["cutoff"] + " " + table["measure"]).str.strip()
    table = table.assign(measure=name, amount=table["corpus"].map(amount))
    return table[["item", "measure", "corpus", "amount", "lead"]]


def gains_along(statistic, first, second, falling):
    """Return cases of one model's lead over another against its lead on a corpus with less of a statistic.

    ``falling`` says whether the lead should fall, and not rise, with the statistic; see ``leads``.
    """
    table = leads(statistic, first, second)
    pairs = table.merge(table, on=["item", "measure"], suffixes=("", "_less"))
    pairs = pairs[pairs["amount_less"] < pairs["amount"]].reset_index(drop=True)
    places = cases.place(
        pairs,
        paper=PAPER,
        corpus=pairs["corpus"] + " after " + pairs["corpus_less"],
        model=f"{first} over {second}",
    )
    return cases.beyond(
        places, cases.exact(pairs["lead"]), cases.exact(pairs["lead_less"]), higher=not falling
    )


@relation("Arts has the least training data", "section 6.2.2", bearing=WORD)
def least_training_data():
    """Arts has the least training data per label of the three sets without a power law."""
    wide = statistics().pivot(index="corpus", columns="statistic", values="value")
    for amount in ("mean_label_frequency", "median_label_frequency"):
        rows = pd.DataFrame({"corpus": [f"{ARTS} below {other}" for other in (HEALTH, RCV1)]})
        places = cases.place(rows, paper=PAPER, item="table 4", measure=amount)
        other = cases.exact(wide.loc[[HEALTH, RCV1], amount].to_numpy())
        arts = cases.exact([wide.loc[ARTS, amount]] * 2)
        yield cases.beyond(places, arts, other, higher=False)


@relation("measures counted by document", "sections 6.1.1, 6.1.2, 6.2.1", bearing=WORD)
def document_counts():
    """By document one model beats another on as many of the 13 measures as is told."""
    rows, item = results("document"), "section 6.1"
    said = [
        (PRIOR, FLAT, EURLEX, 12, 13), (PRIOR, FLAT, ARTS, 13, 13), (PRIOR, FLAT, RCV1, 12, 13),
        (TUNED, VANILLA, NYT, 9, 13), (TUNED, VANILLA, EURLEX, 3, 12),
        (DEPENDENCY, TUNED, NYT, 13, 13), (DEPENDENCY, TUNED, EURLEX, 12, 13), (VANILLA, TUNED, EURLEX, 10, 13),
    ]  # fmt: skip
    for claim in said:
        yield from wins(rows, *claim, item)
    yield from wins(results("document", task="binary"), DEPENDENCY, TUNED, HEALTH, 5, 6, item)


@relation("measures counted by label", "section 6.2.2")
def label_counts():
    """Dependency-LDA beats tuned SVMs on 10 of 13 (NYT) and 7 of 13 (EUR-Lex)."""
    for corpus, claimed in ((NYT, 10), (EURLEX, 7)):
        yield from wins(results("label"), DEPENDENCY, TUNED, corpus, claimed, 13, "section 6.2.2")


@relation("whole rankings and their top", "section 6.1.1")
def whole_ranking_and_top():
    """On the power-law sets vanilla SVMs lead on margin and areas, tuned ones on one- and is-error."""
    yield cases.beats(results("document", POWER_LAW, ["auc_pr", "auc_roc", "margin"]), [VANILLA], [TUNED])
    yield cases.beats(results("document", POWER_LAW, TOP), [TUNED], [VANILLA])


@relation("Yahoo rankings by document", "section 6.1.2")
def yahoo_rankings():
    """On Yahoo! Dependency-LDA leads on the five measures of whole rankings, tuned SVMs on one- and is-error."""
    yield cases.beats(results("document", [ARTS, HEALTH], WHOLE_RANKING), [DEPENDENCY], SVM)
    yield cases.beats(results("document", [ARTS, HEALTH], TOP), [TUNED], [DEPENDENCY])


@relation("Macro-F1 on rare labels", "section 6.2.2")
def macro_on_rare_labels():
    """By label, Dependency-LDA has the higher Macro-F1 on EUR-Lex and Arts, all LDAs on NYT."""
    for corpora, firsts in (([EURLEX, ARTS], [DEPENDENCY]), ([NYT], LDA)):
        yield cases.beats(results("label", corpora, ["macro_f1"]), firsts, SVM)


# Appendix D


def quoted(item):
    rows = reported(PAPER, item)
    return rows.assign(model=(rows["model"] + " " + rows["epochs"]).str.strip(), cutoff="")


@relation("EUR-Lex beside published results", "appendix D")
def eurlex_published():
    """Dependency-LDA beats all but MMP(5) and DMLPP(2) on all five measures, MMP(5) on all but is-error."""
    rows = quoted("figure 14")
    others = [m for m in rows["model"].unique() if m not in [*MODELS, "MMP 5", "DMLPP 2"]]
    yield cases.beats(rows, [DEPENDENCY], others)
    yield cases.beats(rows[rows["measure"] != "is_error"], [DEPENDENCY], ["MMP 5"])


@relation("Yahoo beside published results", "appendix D")
def yahoo_published():
    """ML-LS leads all of its publication; Dependency-LDA has the best Macro-F1 on Arts, and a lower Micro-F1 than all
    on Health.
    """
    rows = quoted("figure 15")
    ji = [m for m in rows["model"].unique() if m not in [*MODELS, "ML-LS"]]
    macro = rows[(rows["corpus"] == ARTS) & (rows["measure"] == "macro_f1")]
    micro = rows[(rows["corpus"] == HEALTH) & (rows["measure"] == "micro_f1")]
    yield cases.beats(rows, ["ML-LS"], ji)
    yield cases.beats(macro, [DEPENDENCY], [*ji, "ML-LS", *SVM])
    yield cases.beats(micro, [*ji, "ML-LS"], [DEPENDENCY])


@relation("RCV1 beside published results", "appendix D")
def rcv1_published():
    """Dependency-LDA leads all but SVMs on Macro-F1; SVM.1 has the best Micro-F1."""
    rows = quoted("figure 16")
    macro, others = rows[rows["measure"] == "macro_f1"], set(rows["model"]) - set(MODELS)
    yield cases.beats(macro, [DEPENDENCY], sorted(others - {"SVM.1", "SVM.2"}))
    micro = rows[rows["measure"] == "micro_f1"]
    yield cases.beats(micro, ["SVM.1"], sorted(set(rows["model"]) - {"SVM.1"}))


@relation("figure 5 as told", "section 3.6", bearing=WORD)
def figure_5_places():
    """Places and true labels in the lists are as section 3.6 tells."""
    rows = reported(PAPER, "figure 5")
    listed = (
        rows.dropna(subset="place").query("place != ''").set_index(["model", "label"])["place"].astype(int)
    )
    immunity, relations = "IMMUNITY FROM PROSECUTION", "UNITED STATES INTERNATIONAL RELATIONS"
    true = rows[rows["place"].isna() | (rows["place"] == "")]["label"]
    said = [
        (FLAT, "MIDGETMAN (MISSILE)", 6, listed[FLAT, "MIDGETMAN (MISSILE)"]),
        (PRIOR, immunity, listed[FLAT, immunity], listed[PRIOR, immunity]),
        (PRIOR, relations, 6, listed[PRIOR, relations]),
        (FLAT, "true labels in the list", 2, listed[FLAT].index.isin(true).sum()),
        (DEPENDENCY, "true labels in the list", 4, listed[DEPENDENCY].index.isin(true).sum()),
        (TUNED, "true labels in the list", 3, listed[TUNED].index.isin(true).sum()),
    ]
    for model, label, claim, found in said:
        yield cases.one(PAPER, "section 3.6", claim, found, NYT, model, label)


relation.better("Dependency-LDA over both LDAs, documents", "section 6.1.1",
                "Dependency-LDA is better than Prior- and Flat-LDA on all 13 measures and all corpora.",
                [DEPENDENCY], [PRIOR, FLAT], pivot="document")  # fmt: skip
relation.better("Dependency-LDA over both LDAs, labels", "section 6.2.1",
                "Dependency-LDA beats Prior- and Flat-LDA on nearly every measure, by label.", [DEPENDENCY],
                [PRIOR, FLAT], pivot="label")  # fmt: skip
relation.better("Prior-LDA over Flat-LDA", "section 7 (1)",
                "Prior-LDA improves on Flat-LDA by accounting for the labels' frequencies.", [PRIOR],
                [FLAT])  # fmt: skip
relation.better("tuned over vanilla off the power law", "section 6.1.1",
                "Tuned SVMs convincingly beat vanilla ones on the three sets without a power law, by document.",
                [TUNED], [VANILLA], pivot="document", corpora=OTHERS)  # fmt: skip
relation.better("tuned over vanilla by label", "section 6.2.1",
                "Tuned SVMs consistently beat vanilla ones on all corpora but NYT.", [TUNED], [VANILLA],
                bearing=WORD, pivot="label", corpora=[EURLEX, *OTHERS])  # fmt: skip
relation.better("Prior- and Flat-LDA over tuned SVMs on NYT", "section 6.1.2",
                "On NYT Prior- and Flat-LDA beat the tuned SVMs as well, by document.", [PRIOR, FLAT], [TUNED],
                pivot="document", corpora=[NYT])  # fmt: skip
relation.better("tuned SVMs over LDAs on RCV1", "section 6.1.2",
                "On RCV1 tuned SVMs beat all LDAs on all 13 measures, by document.", [TUNED], LDA,
                pivot="document", corpora=[RCV1])  # fmt: skip
relation.better("SVMs over LDAs on RCV1 by label", "section 6.2.2",
                "On RCV1 both SVMs clearly beat all LDAs, by label.", SVM, LDA, pivot="label",
                corpora=[RCV1])  # fmt: skip


@relation("the gain grows with cardinality", "figure 9, section 7 (3)")
def the_gain_grows_with_cardinality():
    """The more labels to a document, the more Dependency-LDA gains on Flat-LDA."""
    return gains_along("cardinality", DEPENDENCY, FLAT, falling=False)


@relation("the gain falls with label frequency", "figure 8, section 6.1.3")
def the_gain_falls_with_label_frequency():
    """The more training data to a label, the less Dependency-LDA gains on tuned SVMs."""
    return gains_along("median_label_frequency", DEPENDENCY, TUNED, falling=True)
