"""Tai and Lin (2012): relations among their tables, and their prose against them."""

from polytopic.study.audit.cases import NUMBER, SLACK, WORD, Relations, beats, equal, one
from polytopic.study.audit.numbers import formula, rows_of
from polytopic.study.claims import BETWEEN, MUST_HOLD

PAPER = "tai2012"
BR, PLST, CS = "BR", "PLST", "CS"
relation = Relations(PAPER)


def results(measure, statistic=""):
    return rows_of(PAPER, measure=measure, statistic=statistic)


def column(measure, model=PLST, statistic=""):
    """Return one column of table 3 or 4 by corpus."""
    return rows_of(PAPER, measure=measure, statistic=statistic, model=model).set_index("corpus")


def statistic(name):
    return rows_of(PAPER, "table 2", statistic=name).set_index("corpus")


def said():
    return rows_of(PAPER, "section 4.1").set_index("corpus")


@relation("hypercube sparsity", "table 2", MUST_HOLD, NUMBER)
def hypercube_sparsity():
    """Hypercube sparsity is the number of distinct label sets over 2^K."""
    implied = statistic("distinct_labelsets")["value"] * 0.5 ** statistic("labels")["value"]
    return equal(statistic("hypercube_sparsity"), implied, measure="hypercube_sparsity")


@relation("shares of the labels", "tables 2, 3; section 4.1", MUST_HOLD, NUMBER)
def shares():
    """M* / K and K are the same wherever they stand."""
    share, labels = column("dimension_share"), column("labels")
    yield equal(share, 100 * column("n_dimensions")["value"] / labels["value"])
    yield equal(labels, statistic("labels")["value"], labels["value"])
    yield equal(said(), share["value"], said()["value"], measure="dimension_share")


def losses():
    """Return the three models' mean losses and standard errors, by corpus."""
    kinds = ("mean", "standard_error")
    return {model: [column("hamming_loss", model, kind) for kind in kinds] for model in (BR, PLST, CS)}


def within_standard_errors(summed):
    """Yield cases of BR and PLST differing by no more than their standard errors: each of them, or their sum."""
    (br, br_error), (plst, plst_error), _ = losses().values()
    gap = (br["value"] - plst["value"]).abs().round(9)
    each = {"BR's standard error": br_error["value"], "PLST's standard error": plst_error["value"]}
    limits = {"sum of both standard errors": sum(each.values()).round(9)} if summed else each
    for name, limit in limits.items():
        frame = equal(br, limit, gap, model="BR and PLST", measure=name)
        yield frame.assign(holds=frame["gap"] <= SLACK)


@relation("better than no label at all", "tables 2, 3", BETWEEN)
def better_than_nothing():
    """A classifier has a lower Hamming loss than the empty prediction.

    Predicting no label is wrong by the labels that are on: cardinality / K.
    """
    empty = formula(lambda c, labels: c / labels, statistic("cardinality"), statistic("labels")["value"])
    for model, (loss, _) in losses().items():
        frame = equal(loss, empty, model=f"{model} over no label")
        yield frame.assign(holds=frame["gap"] < -frame["allowed"])


@relation("effort saved", "section 4.1", bearing=NUMBER)
def effort():
    """The effort falls to 13, 4 and 11 percent of that of full binary relevance.

    Time for PLST over time for BR, regression alone and with encoding and decoding, against the shares claimed.
    """
    br, plst, coding = column("regression_time", BR), column("regression_time"), column("coding_time")
    alone = formula(lambda a, b: 100 * a / b, plst, br)
    whole = formula(lambda a, c, b: 100 * (a + c) / b, plst, coding, br)
    for name, share in (("regression", alone), ("regression, encoding and decoding", whole)):
        yield equal(said(), share, measure=f"percent of BR's time: {name}")


@relation("what table 3 has", "section 4.1", bearing=WORD)
def models_of_table_3():
    """Table 3 has PBR, PLST and CS."""
    found = set(results("hamming_loss", "mean")["model"])
    for model in ("PBR", PLST, CS):
        yield one(PAPER, "section 4.1", 1, model in found, model=model, measure="columns of table 3")


says = {}
says["section 4.1"] = {
    "M* within either standard error: At M* BR and PLST differ by no more than their respective standard "
    "errors.": lambda: within_standard_errors(summed=False),
    "M* within the sum of standard errors: At M* BR and PLST differ by no more than the sum of their standard "
    "errors.": lambda: within_standard_errors(summed=True),
}
relation.enter(says, bearing=NUMBER)
says["section 4.1"] = {
    "PLST over CS in Hamming loss: PLST usually beats CS at M* in Hamming loss.": lambda: beats(
        results("hamming_loss", "mean"), [PLST], [CS]
    ),
    "PLST over CS in regression time: PLST usually beats CS at M* in regression time.": lambda: beats(
        results("regression_time"), [PLST], [CS]
    ),
    "PLST over CS in encoding and decoding: PLST usually beats CS at M* in the time of encoding and "
    "decoding.": lambda: beats(results("coding_time"), [PLST], [CS]),
}
relation.enter(says)
