"""Tai and Lin (2012): relations among their tables, and their prose against them."""

import pandas as pd

from polytopic.study.audit import cases
from polytopic.study.audit.relation import Relation
from polytopic.study.printed import reported

PAPER = "tai2012"
BR, PLST, CS = "BR", "PLST", "CS"
HIGHER = {"hamming_loss": False, "regression_time": False, "coding_time": False}


def results(measure, statistic=""):
    rows = reported(PAPER)
    return rows[(rows["measure"] == measure) & (rows["statistic"] == statistic)]


def column(measure, model=PLST, statistic=""):
    """Return one column of table 3 or 4 by corpus."""
    rows = results(measure, statistic)
    return rows[rows["model"] == model].set_index("corpus")


def statistic(name):
    return reported(PAPER, "table 2").query("statistic == @name").set_index("corpus")


def places_of(rows, **changes):
    return cases.place(rows.reset_index(), **changes).set_axis(rows.index)


def hypercube_sparsity():
    printed = statistic("hypercube_sparsity")
    implied = statistic("distinct_labelsets")["value"] * 0.5 ** statistic("labels")["value"]
    places = places_of(printed, measure="hypercube_sparsity")
    return cases.equal(places, cases.rounded(printed), cases.exact(implied))


def shares():
    """M* / K in percent, K in both tables, and the shares that section 4.1 repeats."""
    share, labels = column("dimension_share"), column("labels")
    implied = 100 * column("n_dimensions")["value"] / labels["value"]
    said = reported(PAPER, "section 4.1").set_index("corpus")
    return pd.concat([
        cases.equal(places_of(share), cases.rounded(share), cases.exact(implied)),
        cases.equal(places_of(labels), cases.exact(labels["value"]), cases.exact(statistic("labels")["value"])),
        cases.equal(places_of(said, measure="dimension_share"), cases.exact(said["value"]),
                    cases.exact(share["value"].loc[said.index])),
    ], ignore_index=True)  # fmt: skip


def losses():
    """Return the three models' mean losses and standard errors, by corpus."""
    return {model: (column("hamming_loss", model, "mean"), column("hamming_loss", model, "standard_error"))
            for model in (BR, PLST, CS)}  # fmt: skip


def within_standard_errors(summed):
    """M* is where BR and PLST differ by no more than their standard errors: each of them, or their sum."""
    (br, br_error), (plst, plst_error), _ = losses().values()
    gap = (br["value"] - plst["value"]).abs().round(9)
    each = {"BR's standard error": br_error["value"], "PLST's standard error": plst_error["value"]}
    limits = {"sum of both standard errors": sum(each.values()).round(9)} if summed else each
    found = []
    for name, limit in limits.items():
        frame = cases.equal(
            places_of(br, model="BR and PLST", measure=name), cases.exact(gap), cases.exact(limit)
        )
        found.append(frame.assign(holds=frame["gap"] <= cases.SLACK))
    return pd.concat(found, ignore_index=True)


def better_than_nothing():
    """Predicting no label is wrong by the labels that are on: cardinality / K."""
    empty = cases.formula(
        lambda cardinality, labels: cardinality / labels,
        cases.rounded(statistic("cardinality")), cases.exact(statistic("labels")["value"]),
    )  # fmt: skip
    found = []
    for model, (loss, _) in losses().items():
        order = loss.index
        bound = cases.Number(*(values.loc[order] for values in empty))
        frame = cases.equal(places_of(loss, model=f"{model} over no label"), cases.rounded(loss), bound)
        found.append(frame.assign(holds=frame["gap"] < -frame["allowed"]))
    return pd.concat(found, ignore_index=True)


def effort():
    """Time for PLST over time for BR, regression alone and with encoding and decoding, against the shares claimed."""
    said = reported(PAPER, "section 4.1").set_index("corpus")
    br, plst, coding = column("regression_time", BR), column("regression_time"), column("coding_time")
    alone = cases.formula(lambda a, b: 100 * a / b, cases.rounded(plst), cases.rounded(br))
    whole = cases.formula(
        lambda a, c, b: 100 * (a + c) / b, cases.rounded(plst), cases.rounded(coding), cases.rounded(br)
    )
    found = []
    for name, share in (("regression", alone), ("regression, encoding and decoding", whole)):
        implied = cases.Number(*(values.loc[said.index] for values in share))
        places = places_of(said, measure=f"percent of BR's time: {name}")
        found.append(cases.equal(places, cases.rounded(said), implied))
    return pd.concat(found, ignore_index=True)


def models_of_table_3():
    """Section 4.1 says that table 3 has PBR, PLST and CS."""
    found = set(results("hamming_loss", "mean")["model"])
    return pd.concat(
        [cases.one(PAPER, "section 4.1", 1, model in found, model=model, measure="columns of table 3")
         for model in ("PBR", PLST, CS)], ignore_index=True)  # fmt: skip


RELATIONS = (
    Relation("tai2012: hypercube sparsity", "must hold", "a number", "table 2",
             "It is the number of distinct label sets over 2^K.", hypercube_sparsity),
    Relation("tai2012: shares of the labels", "must hold", "a number", "tables 2, 3; section 4.1",
             "M* / K and K are the same wherever they stand.", shares),
    Relation("tai2012: M* within either standard error", "claim", "a number", "section 4.1",
             "At M* BR and PLST differ by no more than their respective standard errors.",
             lambda: within_standard_errors(summed=False)),
    Relation("tai2012: M* within the sum of standard errors", "claim", "a number", "section 4.1",
             "The same, read as their sum.", lambda: within_standard_errors(summed=True)),
    Relation("tai2012: better than no label at all", "between", "a verdict", "tables 2, 3",
             "A classifier has a lower Hamming loss than the empty prediction.", better_than_nothing),
    Relation("tai2012: PLST over CS in Hamming loss", "claim", "a verdict", "section 4.1",
             "PLST usually beats CS at M*.", lambda: cases.beats(results("hamming_loss", "mean"), PLST, CS, HIGHER)),
    Relation("tai2012: PLST over CS in regression time", "claim", "a verdict", "section 4.1",
             "PLST usually beats CS at M*.", lambda: cases.beats(results("regression_time"), PLST, CS, HIGHER)),
    Relation("tai2012: PLST over CS in encoding and decoding", "claim", "a verdict", "section 4.1",
             "PLST usually beats CS at M*.", lambda: cases.beats(results("coding_time"), PLST, CS, HIGHER)),
    Relation("tai2012: effort saved", "claim", "a number", "section 4.1",
             "The effort falls to 13, 4 and 11 percent of that of full binary relevance.", effort),
    Relation("tai2012: what table 3 has", "claim", "a word", "section 4.1",
             "Table 3 has PBR, PLST and CS.", models_of_table_3),
)  # fmt: skip
