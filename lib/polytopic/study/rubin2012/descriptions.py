"""What descriptions of labels, topics and documents share, and their tables as the paper prints them."""

import numpy as np
import pandas as pd
from scipy import stats

from polytopic.study import compare
from polytopic.study.printed import reported


def top(weights, n):
    """Return the places of the n largest positive weights of a vector, or of fewer; ties keep the vector's order."""
    weights = np.asarray(weights)
    order = np.argsort(-weights, kind="stable")[:n]
    return order[weights[order] > 0]


def top_table(weights, n):
    """Return ``top`` of each row of weights (R, W): columns row, place (from 1), column, value."""
    found = [(row, *one) for row, own in enumerate(weights) for one in enumerate(top(own, n), 1)]
    table = pd.DataFrame(found, columns=["row", "place", "column"], dtype=int)
    return table.assign(value=weights[table["row"], table["column"]])


def nearest(values, wanted):
    """Return the places (a list) of the values nearest to those wanted, each place once; ties go to the first.

    Missing values are never chosen. Raises ValueError when there are fewer values than are wanted.
    """
    left, chosen = np.array(values, float), []
    if (held := np.isfinite(left).sum()) < len(wanted):
        raise ValueError(f"there are {held} values, fewer than the {len(wanted)} asked for")
    for one in wanted:
        chosen.append(int(np.nanargmin(np.abs(left - one))))
        left[chosen[-1]] = np.nan
    return chosen


def compared(frame, over, of, value, pairs):
    """Return how often a value of one kind is above another's, paired by the column ``over``, by a column ``of``.

    Columns: first, second, items (their number), difference (mean of first - second), low and high (its 95 % interval
    by Student's t, missing for one item), above, level, below (items), p (two-sided sign test over the items that
    differ; 1 if none does). Pairs that lack a side have no row.
    """
    wide, rows = frame.pivot(index=over, columns=of, values=value), []
    for first, second in pairs:
        if {first, second} <= set(wide.columns):
            gains = (wide[first] - wide[second]).dropna().round(12)
            above, below = int((gains > 0).sum()), int((gains < 0).sum())
            p = stats.binomtest(above, above + below).pvalue if above + below else 1.0
            mean = compare.means(gains.reset_index(name="value").assign(of=first), ["of"], [over])
            ends = mean.loc[0, ["mean", "low", "high"]]
            rows.append((first, second, len(gains), *ends, above, len(gains) - above - below, below, p))
    columns = ["first", "second", "items", "difference", "low", "high", "above", "level", "below", "p"]
    return pd.DataFrame(rows, columns=columns)


def labels_and_words(train, documents, row):
    """Return the labels of a document, and a list of its distinct words in the vocabulary's order.

    The labels are a frame, rarest first: columns label (name) and training (training documents).
    """
    labels = np.sort(documents.labels[row].indices)
    frequency = train.label_frequencies[labels].astype(int)
    table = pd.DataFrame({"label": [documents.label_names[c] for c in labels], "training": frequency})
    words = [documents.vocabulary[word] for word in np.sort(documents.counts[row].indices)]
    return table.sort_values("training", kind="stable", ignore_index=True), words


def label_words(words):
    """Return the table "words" of ``words.names_among_words`` as in table 1: rows are places, columns labels."""
    heading = words["name"] + " (" + words["training"].astype(str) + ")"
    return _wide(heading, words["place"], words["word"] + " " + short(words["value"]))


def printed_label_words():
    """Return the paper's table 1 in the columns that ``label_words`` takes, with a column method."""
    found, training = _printed("table 1", "label")
    found = found.assign(training=found["label"].map(training).astype(int))
    found = found.rename(columns={"label": "name", "model": "method"})
    return found[["name", "training", "method", "place", "word", "value"]]


def printed_lists():
    """Return the paper's figure 3, lists of top words without numbers: a row per place, a column per model."""
    found, _ = _printed("figure 3", "label")
    return _wide(found["model"], found["place"], found["word"])


def topics(described, heading="topic"):
    """Return ``topics.describe`` as in table 2: rows are places, columns topics with their share of label tokens."""
    names = described[heading].map("topic {}".format if heading == "topic" else str)
    cells = described["label"] + " " + short(described["value"])
    return _wide(names + " " + short(described["share"]), described["place"], cells)


def printed_topics():
    """Return the paper's table 2 as ``topics.describe`` has it, with the authors' names in the column ``name``."""
    found, shares = _printed("table 2", "topic")
    found = found.rename(columns={"topic": "name"}).assign(share=found["topic"].map(shares))
    return found[["name", "share", "place", "label", "value"]]


def top_tens(ten):
    """Return the table "top_ten" of ``documents`` as text as in figure 5: a row per place, a column per model.

    True labels have a star. Scores stand behind, but those of support vector machines, which are no probabilities.
    """
    scores = short(ten["score"]).where(~ten["model"].str.contains("SVM"), "")
    cells = ten["true"].map({True: "*", False: " "}) + ten["label"] + " " + scores
    return _wide(ten["model"], ten["place"], cells.str.rstrip())


def printed_top_tens():
    """Return the paper's figure 5 as ``documents`` has its table "top_ten".

    A label is true that the figure lists as such. Missing are the training documents of other labels, and the scores
    of the support vector machine.
    """
    found, training = _printed("figure 5", "label")
    found["score"] = found["value"].where(found["quantity"] == "probability")
    found = found.assign(true=found["label"].isin(training.index), training=found["label"].map(training))
    return found[["model", "place", "label", "score", "true", "training"]]


def _printed(item, of):
    """Return the places of an item's lists, and what is printed of the lists as wholes, by their column ``of``."""
    rows = reported("rubin2012", item)
    rows["place"] = pd.to_numeric(rows["place"])
    places = rows.dropna(subset="place").astype({"place": int}).reset_index(drop=True)
    return places, rows[rows["place"].isna()].set_index(of)["value"]


def short(values):
    """Return numbers as text with three decimals, and no 0 before the point."""
    return values.map("{:.3f}".format).str.lstrip("0")


def _wide(heading, place, cell):
    frame = pd.DataFrame({"heading": heading, "place": place, "cell": cell})
    wide = frame.pivot(index="place", columns="heading", values="cell")[heading.unique()]
    return wide.fillna("").rename_axis(index=None, columns=None)
