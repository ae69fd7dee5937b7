"""Papanikolaou, Rubin and Tsoumakas: relations among their tables, and their prose against them."""

import pandas as pd

from polytopic.study.audit import cases
from polytopic.study.audit.relation import BETWEEN, MUST_HOLD, NUMBER, WORD, Relations
from polytopic.study.printed import reported

PAPER = "papanikolaou"
CGS, CGS_Z, CGS_P, CGS_PZ, CVB0 = "CGS", "CGS_z", "CGS_p", "CGS_p|z", "CVB0"
PROPOSED = [CGS_Z, CGS_P, CGS_PZ]
WORDS = {"micro_f1": "Micro-F1", "macro_f1": "Macro-F1"}
LEVEL = 0.1  # "roughly as well" is read as within a tenth


def results(chains=None, measure=None, corpora=None):
    """Return tables 5 and 6, or a part of them."""
    rows = reported(PAPER).drop(columns=["pivot", "cutoff"])
    for column, wanted in (("chains", chains), ("measure", measure)):
        rows = rows[rows[column] == str(wanted)] if wanted else rows
    return rows[rows["corpus"].isin(corpora)] if corpora else rows


relation = Relations(PAPER, results)


@relation("average ranks", "tables 5, 6", MUST_HOLD, NUMBER)
def average_ranks():
    """The average ranks are those of the rows."""
    rows = results()
    ranked = cases.ranks(rows, ["chains", "measure", "corpus"])
    mean = ranked.groupby([rows["model"], rows["chains"], rows["measure"]]).mean()
    printed = pd.concat([reported(PAPER, item) for item in ("table 5", "table 6")], ignore_index=True)
    printed = printed.dropna(subset="ranked_by").drop(columns=["pivot", "cutoff"])
    keys = pd.MultiIndex.from_frame(printed[["model", "chains", "ranked_by"]])
    places = cases.place(printed.assign(measure="average rank, " + printed["ranked_by"].map(WORDS)))
    implied = pd.Series(mean.loc[keys].to_numpy(), printed.index)
    return cases.equal(places, cases.exact(printed["value"]), cases.exact(implied))


def statistics(item="table 4"):
    rows = reported(PAPER, item)
    return rows[rows["corpus"] != ""]


@relation("label frequencies", "table 4", MUST_HOLD, NUMBER)
def label_frequencies():
    """The average label frequency is cardinality x training documents / labels."""
    by = {name: block.set_index("corpus") for name, block in statistics().groupby("statistic")}
    known = [cases.rounded(by["train_cardinality"])]
    known += [cases.exact(by[name]["value"]) for name in ("train_documents", "train_labels")]
    implied = cases.formula(lambda cardinality, n, labels: cardinality * n / labels, *known)
    printed = by["train_label_frequency"]
    places = cases.place(printed.reset_index(), measure="train_label_frequency").set_index(printed.index)
    return cases.equal(places, cases.rounded(printed), implied)


@relation("counts in the text", "tables 3, 4; sections 4.1, 5.1", MUST_HOLD, WORD)
def counts_in_the_text():
    """Documents and labels in the text are those of the tables.

    Counts in sections 4 and 5 against tables 3 and 4, and totals against their halves.
    """
    table = pd.concat([statistics("table 3").assign(part="4"), statistics("table 4").assign(part="5")])
    known = table.set_index(["part", "corpus", "statistic"])["value"]
    known = known.combine_first(_totals(known))
    rows = pd.concat([reported(PAPER, item) for item in TEXT], ignore_index=True)
    rows["part"] = rows["item"].str.extract(r"section (\d)", expand=False)
    rows["statistic"] = rows["statistic"].replace("documents_downloaded", "documents")
    keys = pd.MultiIndex.from_frame(rows[["part", "corpus", "statistic"]])
    rows = rows[keys.isin(known.index)]
    implied = known.loc[pd.MultiIndex.from_frame(rows[["part", "corpus", "statistic"]])].to_numpy()
    places = cases.place(rows, measure=rows["statistic"])
    return cases.equal(places, cases.exact(rows["value"]), cases.exact(pd.Series(implied, rows.index)))


TEXT = ["section 4.1.1", "section 4.1.2", "section 4.1.3", "section 5.1.2", "section 5.1.3", "section 5.1.4"]


def _totals(known):
    wide = known.unstack("statistic")
    total = (wide["train_documents"] + wide["test_documents"]).rename("value").to_frame()
    return total.assign(statistic="documents").set_index("statistic", append=True)["value"]


@relation("sweeps of the final model", "figure 1, section 4.3.3", MUST_HOLD, WORD)
def sweeps():
    """The final model has the same number of sweeps in both places."""
    caption, text = (reported(PAPER, item) for item in ("figure 1, caption", "section 4.3.3"))
    places = cases.place(caption, measure="sweeps after the test documents are added")
    return cases.equal(places, cases.exact(caption["value"]), cases.exact(text["value"]))


@relation("BioASQ in two tables", "tables 3, 4", MUST_HOLD, NUMBER)
def bioasq_twice():
    """Training sets of two sizes do not have the same averages to two decimals, nor the same vocabulary.

    Table 3 has 19,000 training documents, table 4 20,000; yet their averages and sizes are the same.
    """
    first = statistics("table 3").set_index(["corpus", "statistic"])["value"]
    second = statistics("table 4").query("corpus == 'bioasq'").set_index("statistic")
    pairs = [
        ("train_documents", ("bioasq", "train_documents")),
        ("train_length", ("bioasq", "train_length")),
        ("train_word_types", ("bioasq", "train_word_types")),
        ("train_cardinality", ("bioasq_labels", "train_length")),
        ("train_labels", ("bioasq_labels", "train_word_types")),
    ]
    rows = second.loc[[name for name, _ in pairs]].reset_index()
    other = pd.Series([first[key] for _, key in pairs])
    return cases.different(
        cases.place(rows, measure=rows["statistic"]), cases.exact(rows["value"]), cases.exact(other)
    )


@relation("CGS_p best on three of four", "section 5.4")
def best_of_five(chains=1):
    """With one chain CGS_p is best on three of the four corpora, all but EUR-Lex, by either measure."""
    rows = results(chains)
    first = rows[cases.ranks(rows, ["measure", "corpus"]) == 1]
    led = first[first["model"] == CGS_P]["measure"].value_counts()
    for measure, word in WORDS.items():
        yield cases.one(
            PAPER, "section 5.4", 3, led.get(measure, 0), model=CGS_P, measure=f"corpora led, {word}"
        )


@relation("corpora won", "section 5.4")
def corpora_won():
    """CGS and CVB0 win two corpora each with one chain, CGS_p|z and CGS with five (Micro-F1)."""
    said = [(CGS, CVB0, 1, "micro_f1"), (CGS, CVB0, 1, "macro_f1"), (CGS_PZ, CGS, 5, "micro_f1")]
    for first, second, chains, measure in said:
        won = cases.beats(results(chains, measure), [first], [second])["holds"].sum()
        name = f"corpora won, {WORDS[measure]}, {chains} MC"
        yield cases.one(PAPER, "section 5.4", 2, won, model=f"{first} over {second}", measure=name)


@relation("CVB0 level on Delicious", "section 5.4")
def delicious_level():
    """With five chains CVB0 does roughly as well on Delicious as the CGS methods, that is within a tenth."""
    rows = results(5, corpora=["delicious"])
    cvb0 = rows[rows["model"] == CVB0].set_index("measure")["value"]
    others = rows[rows["model"] != CVB0]
    places = cases.place(others, model=CVB0 + " beside " + others["model"])
    printed = cases.exact(others["measure"].map(cvb0))
    frame = cases.equal(places, printed, cases.exact(others["value"]))
    return frame.assign(
        allowed=LEVEL * frame["implied"], holds=frame["gap"].abs() <= LEVEL * frame["implied"]
    )


@relation("Macro-F1 below Micro-F1", "tables 5, 6; Rubin figure 11", BETWEEN, NUMBER)
def macro_below_micro():
    """Where labels are rare label-pivoted Macro-F1 is below Micro-F1.

    On power-law corpora labels without a positive or a prediction decide: counted as 1 they lift Macro-F1.
    """
    theirs = reported("rubin2012", "figure 11").query("cutoff == 'proportional'")
    theirs = theirs[theirs["corpus"].isin(["nyt", "eurlex"])].assign(chains="")
    rows = pd.concat([results(), theirs.drop(columns=["pivot", "cutoff"])], ignore_index=True)
    cell = ["paper", "corpus", "model", "chains"]
    macro = rows[rows["measure"] == "macro_f1"]
    micro = rows[rows["measure"] == "micro_f1"].set_index(cell)
    other = micro.loc[pd.MultiIndex.from_frame(macro[cell])].set_index(macro.index)
    return cases.beyond(cases.place(macro), cases.rounded(macro), cases.rounded(other), higher=False)


relation.better("CGS_p over CGS", "abstract",
                "CGS_p has an advantage over CGS under all experimental conditions.", [CGS_P],
                [CGS])  # fmt: skip
relation.better("CGS_p over CVB0", "section 6", "CGS_p is a steady improvement over CVB0.", [CGS_P],
                [CVB0])  # fmt: skip
relation.better("CGS methods over CVB0 with five chains", "section 5.4",
                "All CGS methods beat CVB0, CGS_p|z on Delicious by Micro-F1 being the single exception.",
                [CGS, *PROPOSED], [CVB0], chains=5)  # fmt: skip
relation.better("CGS over CGS_z with five chains", "section 5.4",
                "CGS_z is worse than CGS or similar, by both measures.", [CGS], [CGS_Z], chains=5)  # fmt: skip
relation.better("CGS over CGS_z with one chain", "section 5.4",
                "CGS_z brings no significant improvement over CGS.", [CGS], [CGS_Z], chains=1)  # fmt: skip
