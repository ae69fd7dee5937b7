"""Papanikolaou, Rubin and Tsoumakas: relations that need a formula or a count."""

import pandas as pd

from polytopic.study.audit import cases
from polytopic.study.audit.cases import better, equal, formula, one, partner, rows_of

PAPER = "papanikolaou"
CGS, CGS_P, CGS_PZ, CVB0 = "CGS", "CGS_p", "CGS_p|z", "CVB0"
WORDS = {"micro_f1": "Micro-F1", "macro_f1": "Macro-F1"}
LEVEL = 0.1  # "roughly as well" is read as within a tenth
TEXT = [f"section {number}" for number in ("4.1.1", "4.1.2", "4.1.3", "5.1.2", "5.1.3", "5.1.4")]


def results(**wanted):
    """Return tables 5 and 6, or a part of them."""
    return rows_of(PAPER, **wanted).drop(columns=["pivot", "cutoff"])


def ordered_ranks():
    rows = results()
    return cases.average_ranks(rows, cases.ranks(rows, ["chains", "measure", "corpus"]), WORDS, exact=True)


def statistics(item="table 4"):
    rows = rows_of(PAPER, item)
    return rows[rows["corpus"] != ""]


def label_frequencies():
    by = cases.by_corpus(statistics())
    counts = (by[name]["value"] for name in ("train_documents", "train_labels"))
    implied = formula(lambda c, n, labels: c * n / labels, by["train_cardinality"], *counts)
    return equal(by["train_label_frequency"], implied)


def counts_in_the_text():
    """Counts in sections 4 and 5 are set beside tables 3 and 4, and totals beside their halves."""
    cell = ["part", "corpus", "statistic"]
    table = pd.concat([statistics("table 3").assign(part="4"), statistics("table 4").assign(part="5")])
    known = table.set_index(cell)["value"].unstack("statistic")
    total = known["train_documents"] + known["test_documents"]
    known["documents"] = known.get("documents", total).fillna(total)
    rows = rows_of(PAPER, TEXT)
    rows["part"] = rows["item"].str.extract(r"section (\d)", expand=False)
    rows["statistic"] = rows["statistic"].replace("documents_downloaded", "documents")
    rows, implied = cases.partners(rows, known.stack().rename("known").reset_index(), cell)
    return equal(rows, implied["known"], rows["value"])


def sweeps():
    caption, text = (rows_of(PAPER, item) for item in ("figure 1, caption", "section 4.3.3"))
    return equal(
        caption, text["value"], caption["value"], measure="sweeps after the test documents are added"
    )


def bioasq_twice():
    """Table 3 has 19,000 training documents, table 4 20,000; yet their averages and sizes are the same."""
    first = statistics("table 3").set_index(["corpus", "statistic"])["value"]
    second = statistics("table 4").query("corpus == 'bioasq'").set_index("statistic", drop=False)
    same = {
        "train_documents": ("bioasq", "train_documents"),
        "train_length": ("bioasq", "train_length"),
        "train_word_types": ("bioasq", "train_word_types"),
        "train_cardinality": ("bioasq_labels", "train_length"),
        "train_labels": ("bioasq_labels", "train_word_types"),
    }
    rows = second.loc[list(same)].reset_index(drop=True)
    found = equal(rows, first[list(same.values())].to_numpy(), rows["value"])
    return found.assign(holds=found["printed"] != found["implied"])


def best_of_five():
    rows = results(chains="1")
    first = rows[cases.ranks(rows, ["measure", "corpus"]) == 1]
    led = first[first["model"] == CGS_P]["measure"].value_counts()
    for measure, word in WORDS.items():
        yield one(PAPER, "section 5.4", 3, led.get(measure, 0), model=CGS_P, measure=f"corpora led, {word}")


def corpora_won():
    said = [(CGS, CVB0, "1", "micro_f1"), (CGS, CVB0, "1", "macro_f1"), (CGS_PZ, CGS, "5", "micro_f1")]
    for first, second, chains, measure in said:
        rows = results(chains=chains, measure=measure)
        ours = rows[rows["model"] == first]
        won = better(ours, partner(ours, rows, ["corpus", "model"], model=second))["holds"].sum()
        name = f"corpora won, {WORDS[measure]}, {chains} MC"
        yield one(PAPER, "section 5.4", 2, won, model=f"{first} over {second}", measure=name)


def delicious_level():
    rows = results(chains="5", corpus="delicious")
    others = rows[rows["model"] != CVB0]
    printed = partner(others, rows, ["model", "measure"], model=CVB0)["value"]
    frame = equal(others, others["value"], printed, model=f"{CVB0} beside " + others["model"])
    allowed = LEVEL * frame["implied"]
    return frame.assign(allowed=allowed, holds=frame["gap"].abs() <= allowed)
