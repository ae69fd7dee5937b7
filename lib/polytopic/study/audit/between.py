"""The same name in two papers: corpora that are not the same, settings that are said to be."""

import pandas as pd

from polytopic.study.audit import cases
from polytopic.study.audit.relation import BETWEEN, NUMBER, Relations
from polytopic.study.printed import reported

RUBIN, PAPANIKOLAOU, BURKHARDT, TAI = "rubin2012", "papanikolaou", "burkhardt2018", "tai2012"
WITHOUT_PREFIX = {f"train_{name}": name for name in ("labels", "cardinality", "word_types")}
SOURCES = [
    (RUBIN, "table 4"), (RUBIN, "appendix A.1"), (RUBIN, "appendix A.2"), (PAPANIKOLAOU, "table 4"),
    (PAPANIKOLAOU, "section 5.1.4"), (BURKHARDT, "table 4"), (TAI, "table 2"),
]  # fmt: skip
COUNTED = ["documents", "documents_downloaded", "train_documents", "test_documents", "labels", "cardinality",
           "word_types", "mean_length"]  # fmt: skip


relation = Relations("between")


def counted():
    """Return what the papers print of the sizes of their corpora, one row per number, corpora of several papers."""
    rows = pd.concat([reported(*source) for source in SOURCES], ignore_index=True)
    rows = rows[rows["corpus"] != ""]
    plain = rows["statistic"].replace(WITHOUT_PREFIX).replace("train_length", "mean_length")
    rows = rows.assign(statistic=plain.replace("documents_downloaded", "documents"))
    papers = rows.groupby(["corpus", "statistic"])["paper"].transform("nunique")
    return rows[rows["statistic"].isin(COUNTED) & (papers > 1)]


@relation("one name, one corpus", "tables of statistics of four papers", BETWEEN, NUMBER)
def same_corpus():
    """Corpora of the same name have the same documents, labels and words.

    Each later paper's number against the first paper's that has it for a corpus of that name.
    """
    rows = counted()
    first = rows.groupby(["corpus", "statistic"], sort=False).head(1).set_index(["corpus", "statistic"])
    later = rows[rows["paper"] != pd.Series(first.loc[_keys(rows), "paper"].to_numpy(), rows.index)]
    known = first.loc[_keys(later)].set_index(later.index)
    against = known["paper"] + ", " + known["item"]
    places = cases.place(later, model="against " + against, measure=later["statistic"])
    return cases.equal(places, cases.rounded(later), _exact_counts(known))


def _keys(rows):
    return pd.MultiIndex.from_frame(rows[["corpus", "statistic"]])


def _exact_counts(rows):
    return cases.Number(rows["value"], cases.rounded(rows).half.where(rows["decimals"] > 0, 0.0))


@relation("one method, one result", "Rubin figure 11; tables 5, 6 of both others", BETWEEN, NUMBER)
def same_method():
    """A method run again on a corpus of the same name has the same label-pivoted F1."""
    proportional = reported(RUBIN, "figure 11").query("cutoff == 'proportional'")
    prior = _known(proportional, "Prior-LDA")
    for chains in ("1", "5"):
        rows = reported(PAPANIKOLAOU)
        rows = rows[(rows["model"] == "CGS") & (rows["chains"] == chains)]
        yield _against(rows, prior, "Prior-LDA")
    dependency = _known(proportional, "Dependency-LDA")
    rows = reported(BURKHARDT).query("model == 'Dep.-LLDA'")
    yield _against(rows, dependency, "Dependency-LDA")


def _known(rows, model):
    return rows[rows["model"] == model].set_index(["corpus", "measure"])


def _against(rows, known, model):
    kept = rows[pd.MultiIndex.from_frame(rows[["corpus", "measure"]]).isin(known.index)]
    other = known.loc[pd.MultiIndex.from_frame(kept[["corpus", "measure"]])].set_index(kept.index)
    places = cases.place(kept.assign(pivot="", cutoff=""), model=f"{model}, against {RUBIN}, figure 11")
    return cases.equal(places, cases.rounded(kept), cases.rounded(other))


@relation("the settings of Rubin et al.", "Burkhardt section 5.4.1; Rubin table 6", BETWEEN, NUMBER)
def settings_taken_over():
    """Burkhardt & Kramer's number of topics is Rubin et al.'s default, and their other values are theirs too.

    Burkhardt & Kramer, section 5.4.1, against each corpus's settings of Dependency-LDA in Rubin's table 6.
    """
    said = reported(BURKHARDT, "section 5.4.1")
    theirs = reported(RUBIN, "table 6").query("model == 'Dependency-LDA'")
    names = {"beta": "beta_w", "beta_y": "beta_c"}
    said = said.assign(parameter=said["parameter"].replace(names))
    both = said.drop(columns="corpus").merge(theirs[["corpus", "phase", "parameter", "value"]],
                                             on=["phase", "parameter"], suffixes=("", "_rubin"))  # fmt: skip
    places = cases.place(both, measure=both["phase"] + " " + both["parameter"])
    return cases.equal(places, cases.exact(both["value"]), cases.exact(both["value_rubin"]))
