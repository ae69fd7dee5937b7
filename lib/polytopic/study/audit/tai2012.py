"""Tai and Lin (2012): relations among their tables, and their prose against them."""

from polytopic.study.audit import cases
from polytopic.study.audit.relation import BETWEEN, MUST_HOLD, NUMBER, WORD, Relations
from polytopic.study.printed import reported

PAPER = "tai2012"
BR, PLST, CS = "BR", "PLST", "CS"


def results(measure, statistic=""):
    rows = reported(PAPER)
    return rows[(rows["measure"] == measure) & (rows["statistic"] == statistic)]


def column(measure, model=PLST, statistic=""):
    """Return one column of table 3 or 4 by corpus."""
    rows = results(measure, statistic)
    return rows[rows["model"] == model].set_index("corpus")


def statistic(name):
    return reported(PAPER, "table 2").query("statistic == @name").set_index("corpus")


relation = Relations(PAPER, results)


def places_of(rows, **changes):
    return cases.place(rows.reset_index(), **changes).set_axis(rows.index)


@relation("hypercube sparsity", "table 2", MUST_HOLD, NUMBER)
def hypercube_sparsity():
    """Hypercube sparsity is the number of distinct label sets over 2^K."""
    printed = statistic("hypercube_sparsity")
    implied = statistic("distinct_labelsets")["value"] * 0.5 ** statistic("labels")["value"]
    places = places_of(printed, measure="hypercube_sparsity")
    return cases.equal(places, cases.rounded(printed), cases.exact(implied))


@relation("shares of the labels", "tables 2, 3; section 4.1", MUST_HOLD, NUMBER)
def shares():
    """M* / K and K are the same wherever they stand."""
    share, labels = column("dimension_share"), column("labels")
    implied = 100 * column("n_dimensions")["value"] / labels["value"]
    said = reported(PAPER, "section 4.1").set_index("corpus")
    yield cases.equal(places_of(share), cases.rounded(share), cases.exact(implied))
    yield cases.equal(
        places_of(labels), cases.exact(labels["value"]), cases.exact(statistic("labels")["value"])
    )
    repeated = cases.exact(share["value"].loc[said.index])
    yield cases.equal(places_of(said, measure="dimension_share"), cases.exact(said["value"]), repeated)


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
    for name, limit in limits.items():
        frame = cases.equal(
            places_of(br, model="BR and PLST", measure=name), cases.exact(gap), cases.exact(limit)
        )
        yield frame.assign(holds=frame["gap"] <= cases.SLACK)


@relation("better than no label at all", "tables 2, 3", BETWEEN)
def better_than_nothing():
    """A classifier has a lower Hamming loss than the empty prediction.

    Predicting no label is wrong by the labels that are on: cardinality / K.
    """
    empty = cases.formula(
        lambda cardinality, labels: cardinality / labels,
        cases.rounded(statistic("cardinality")), cases.exact(statistic("labels")["value"]),
    )  # fmt: skip
    for model, (loss, _) in losses().items():
        order = loss.index
        bound = cases.Number(*(values.loc[order] for values in empty))
        frame = cases.equal(places_of(loss, model=f"{model} over no label"), cases.rounded(loss), bound)
        yield frame.assign(holds=frame["gap"] < -frame["allowed"])


@relation("effort saved", "section 4.1", bearing=NUMBER)
def effort():
    """The effort falls to 13, 4 and 11 percent of that of full binary relevance.

    Time for PLST over time for BR, regression alone and with encoding and decoding, against the shares claimed.
    """
    said = reported(PAPER, "section 4.1").set_index("corpus")
    br, plst, coding = column("regression_time", BR), column("regression_time"), column("coding_time")
    alone = cases.formula(lambda a, b: 100 * a / b, cases.rounded(plst), cases.rounded(br))
    whole = cases.formula(
        lambda a, c, b: 100 * (a + c) / b, cases.rounded(plst), cases.rounded(coding), cases.rounded(br)
    )
    for name, share in (("regression", alone), ("regression, encoding and decoding", whole)):
        implied = cases.Number(*(values.loc[said.index] for values in share))
        places = places_of(said, measure=f"percent of BR's time: {name}")
        yield cases.equal(places, cases.rounded(said), implied)


@relation("what table 3 has", "section 4.1", bearing=WORD)
def models_of_table_3():
    """Table 3 has PBR, PLST and CS."""
    found = set(results("hamming_loss", "mean")["model"])
    for model in ("PBR", PLST, CS):
        yield cases.one(PAPER, "section 4.1", 1, model in found, model=model, measure="columns of table 3")


@relation("M* within either standard error", "section 4.1", bearing=NUMBER)
def within_either_standard_error():
    """At M* BR and PLST differ by no more than their respective standard errors."""
    return within_standard_errors(summed=False)


@relation("M* within the sum of standard errors", "section 4.1", bearing=NUMBER)
def within_the_sum_of_standard_errors():
    """At M* BR and PLST differ by no more than the sum of their standard errors."""
    return within_standard_errors(summed=True)


relation.better("PLST over CS in Hamming loss", "section 4.1", "PLST usually beats CS at M* in Hamming loss.",
                [PLST], [CS], measure="hamming_loss", statistic="mean")  # fmt: skip
relation.better("PLST over CS in regression time", "section 4.1",
                "PLST usually beats CS at M* in regression time.", [PLST], [CS],
                measure="regression_time")  # fmt: skip
relation.better("PLST over CS in encoding and decoding", "section 4.1",
                "PLST usually beats CS at M* in the time of encoding and decoding.", [PLST], [CS],
                measure="coding_time")  # fmt: skip
