"""What descriptions of labels, topics and documents share, and their tables as the paper prints them."""

import numpy as np
import pandas as pd
from scipy import stats

from polytopic.study.printed import reported


def top(weights, n):
    """Return the places of the n largest positive weights of a vector, largest first.

    Ties keep the vector's order; where fewer than n are positive, fewer are returned.
    """
    weights = np.asarray(weights)
    order = np.argsort(-weights, kind="stable")[:n]
    return order[weights[order] > 0]


def nearest(values, wanted):
    """Return the places (a list) of the values nearest to those wanted, each place once; ties go to the first.

    Missing values are never chosen. Raises ValueError when there are fewer values than are wanted.
    """
    left = np.array(values, float)
    if np.isfinite(left).sum() < len(wanted):
        raise ValueError(
            f"there are {np.isfinite(left).sum()} values, fewer than the {len(wanted)} asked for"
        )
    chosen = []
    for one in wanted:
        chosen.append(int(np.nanargmin(np.abs(left - one))))
        left[chosen[-1]] = np.nan
    return chosen


def sign_test(gains):
    """Return how many gains are above 0, are 0 and are below it, and p (two-sided; 1 if all are 0)."""
    above, below = int((gains > 0).sum()), int((gains < 0).sum())
    p = stats.binomtest(above, above + below).pvalue if above + below else 1.0
    return above, len(gains) - above - below, below, p


def labels_and_words(train, documents, row):
    """Return the labels of a document, and a list of its distinct words in the vocabulary's order.

    The labels are a frame, rarest first: columns label (name) and training (training documents).
    """
    labels = np.sort(documents.labels[row].indices)
    frequency = train.label_frequencies[labels].astype(int)
    table = pd.DataFrame({"label": [documents.label_names[c] for c in labels], "training": frequency})
    words = [documents.vocabulary[word] for word in np.sort(documents.counts[row].indices)]
    return table.sort_values("training", kind="stable", ignore_index=True), words


# Tables as printed


def label_words(words):
    """Return ``words.label_words`` as text as in table 1: a row per place, a column per label.

    The headings are the labels with their training documents. A label with fewer words has empty cells.
    """
    heading = words["name"] + " (" + words["training"].astype(str) + ")"
    values = words["value"].map("{:.3f}".format).str.lstrip("0")
    return _wide(heading, words["place"], words["word"] + " " + values)


def printed_label_words():
    """Return the paper's table 1 as ``words.label_words`` has it, with a column method."""
    printed = reported("rubin2012", "table 1")
    found = printed.dropna(subset="word").rename(columns={"label": "name", "model": "method"})
    frequency = printed[printed["word"].isna()].set_index("label")["value"]
    found = found.assign(training=found["name"].map(frequency).astype(int), place=found["place"].astype(int))
    return found[["name", "training", "method", "place", "word", "value"]].reset_index(drop=True)


def printed_lists():
    """Return the paper's figure 3, lists of top words without numbers: a row per place, a column per model."""
    printed = reported("rubin2012", "figure 3").dropna(subset="word")
    return _wide(printed["model"], printed["place"].astype(int), printed["word"])


def topics(described, heading="topic"):
    """Return ``topics.describe`` as text as in table 2: a row per place, a column per topic.

    The headings are the topics, named by the column ``heading``, with their share of the label tokens.
    """
    names = described[heading].map("topic {}".format if heading == "topic" else str)
    shares, values = (described[name].map("{:.3f}".format).str.lstrip("0") for name in ("share", "value"))
    return _wide(names + " " + shares, described["place"], described["label"] + " " + values)


def printed_topics():
    """Return the paper's table 2 as ``topics.describe`` has it, with the authors' names in the column ``name``."""
    rows = reported("rubin2012", "table 2").rename(columns={"topic": "name"})
    sizes = rows[rows["label"] == ""].set_index("name")["value"]
    found = rows[rows["label"] != ""]
    found = found.assign(share=found["name"].map(sizes), place=found["place"].astype(int))
    return found[["name", "share", "place", "label", "value"]].reset_index(drop=True)


def top_tens(ten):
    """Return the table "top_ten" of ``documents`` as text as in figure 5: a row per place, a column per model.

    True labels have a star, scores stand behind. Those of support vector machines, no probabilities, are left out.
    """
    scores = ten["score"].map("{:.3f}".format).str.lstrip("0").where(~ten["model"].str.contains("SVM"), "")
    cells = ten["true"].map({True: "*", False: " "}) + ten["label"] + " " + scores
    return _wide(ten["model"], ten["place"], cells.str.rstrip())


def printed_top_tens():
    """Return the paper's figure 5 as ``documents`` has its table "top_ten".

    A label is true that the figure lists as such; training is its printed frequency, missing for other labels. Score
    is missing for the support vector machine.
    """
    rows = reported("rubin2012", "figure 5")
    true = rows[rows["model"].isna()].set_index("label")["value"]
    found = rows.dropna(subset="model").assign(
        place=lambda table: table["place"].astype(int),
        score=lambda table: table["value"].where(table["quantity"] == "probability"),
        true=lambda table: table["label"].isin(true.index),
        training=lambda table: table["label"].map(true),
    )
    return found[["model", "place", "label", "score", "true", "training"]].reset_index(drop=True)


def _wide(heading, place, cell):
    frame = cell.to_frame("cell").assign(heading=heading, place=place)
    wide = frame.pivot(index="place", columns="heading", values="cell")[list(dict.fromkeys(heading))]
    return wide.fillna("").rename_axis(index=None, columns=None)
