"""Tai and Lin (2012): relations that need a formula, and what the text says of table 3."""

from polytopic.study.audit.cases import SLACK, by_corpus, equal, formula, one, rows_of

PAPER = "tai2012"
BR, PLST, CS = "BR", "PLST", "CS"


def column(measure, model=PLST, statistic=""):
    """Return one column of table 3 or 4 by corpus."""
    return rows_of(PAPER, measure=measure, statistic=statistic, model=model).set_index("corpus")


def table_2():
    return by_corpus(rows_of(PAPER, "table 2"))


def said():
    return rows_of(PAPER, "section 4.1").set_index("corpus")


def hypercube_sparsity():
    table = table_2()
    implied = table["distinct_labelsets"]["value"] * 0.5 ** table["labels"]["value"]
    return equal(table["hypercube_sparsity"], implied)


def shares():
    share, labels = column("dimension_share"), column("labels")
    yield equal(share, 100 * column("n_dimensions")["value"] / labels["value"])
    yield equal(labels, table_2()["labels"]["value"], labels["value"])
    yield equal(said(), share["value"], said()["value"], measure="dimension_share")


def losses():
    """Return the three models' mean losses and standard errors, by corpus."""
    kinds = ("mean", "standard_error")
    return {model: [column("hamming_loss", model, kind) for kind in kinds] for model in (BR, PLST, CS)}


def within_standard_errors(limit):
    """Yield cases of BR and PLST differing by no more than their standard errors: "each" of them, or their "sum"."""
    (br, br_error), (plst, plst_error), _ = losses().values()
    gap = (br["value"] - plst["value"]).abs().round(9)
    each = {"BR's standard error": br_error["value"], "PLST's standard error": plst_error["value"]}
    both = {"sum of both standard errors": sum(each.values()).round(9)}
    for name, error in (both if limit == "sum" else each).items():
        frame = equal(br, error, gap, model="BR and PLST", measure=name)
        yield frame.assign(holds=frame["gap"] <= SLACK)


def better_than_nothing():
    """Predicting no label is wrong by the labels that are on: cardinality / K."""
    table = table_2()
    empty = formula(lambda c, labels: c / labels, table["cardinality"], table["labels"]["value"])
    for model, (loss, _) in losses().items():
        frame = equal(loss, empty, model=f"{model} over no label")
        yield frame.assign(holds=frame["gap"] < -frame["allowed"])


def effort():
    """Time for PLST over time for BR, regression alone and with coding, is set beside the shares claimed."""
    br, plst, coding = column("regression_time", BR), column("regression_time"), column("coding_time")
    alone = formula(lambda a, b: 100 * a / b, plst, br)
    whole = formula(lambda a, c, b: 100 * (a + c) / b, plst, coding, br)
    for name, share in (("regression", alone), ("regression, encoding and decoding", whole)):
        yield equal(said(), share, measure=f"percent of BR's time: {name}")


def models_of_table_3():
    found = set(rows_of(PAPER, measure="hamming_loss", statistic="mean")["model"])
    for model in ("PBR", PLST, CS):
        yield one(PAPER, "section 4.1", 1, model in found, model=model, measure="columns of table 3")
